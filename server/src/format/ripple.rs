//! Files that a change may also touch, as data and as text.

use super::wording::render_quantity;
use crate::terminal::place_list::{FactRow, write_facts, write_heading};
use crate::terminal::screen::{DIM_STYLE, Screen};
use kenning_graph::hash::HashBuilder;
use kenning_graph::{Hash, Snapshot, SymbolId};
use kenning_retrieval::CommitHistory;
use kenning_retrieval::pack::code_span;
use kenning_retrieval::ripple::{RippleFile, RippleReason, RippleSeeds, ripple_files};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// Maximum number of files in an answer. A central file changes together with hundreds.
const MAX_FILES: usize = 20;

/// The number of files that the text form lists.
const MAX_LISTED: usize = 10;

/// A file that a change to the target may also touch.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RippleFile")]
pub struct RippleJson {
    /// The path in the workspace, with `/` as the separator.
    pub(super) file: String,
    /// The reasons in words, the strongest first: `changed together in 7 of 9 commits`.
    pub(super) reasons: Vec<String>,
}

/// Returns the files that a change to these symbols may also touch, the likeliest first.
pub fn list_ripple(
    snapshot: &Snapshot,
    history: Option<&CommitHistory>,
    symbols: &[SymbolId],
) -> Vec<RippleJson> {
    describe_files(&ripple_files(snapshot, history, RippleSeeds { symbols }, MAX_FILES))
}

/// Describes files with their reasons in words.
pub fn describe_files(files: &[RippleFile]) -> Vec<RippleJson> {
    let entries = files.iter().map(|file| RippleJson {
        reasons: file.reasons.iter().map(describe_reason).collect(),
        file: file.path.clone(),
    });
    entries.collect()
}

/// Hashes the files as answers show them; `None` without files.
pub fn hash_files(files: &[RippleFile]) -> Option<Hash> {
    if files.is_empty() {
        return None;
    }
    let mut hasher = HashBuilder::new("files that change together");
    for RippleJson { file, reasons } in describe_files(files) {
        hasher.add_text(&file).add_text(&reasons.join(", "));
    }
    Some(hasher.finish())
}

/// Writes the section for people; nothing without files.
pub fn write_section(out: &mut String, files: &[RippleJson]) {
    if files.is_empty() {
        return;
    }
    out.push_str("\n## Also likely to change\n\n");
    for file in files.iter().take(MAX_LISTED) {
        let _ = writeln!(out, "- {}: {}", code_span(&file.file), file.reasons.join(", "));
    }
}

/// Writes the section for a screen; nothing without files.
pub fn write_screen_section(out: &mut String, files: &[RippleJson], screen: &Screen) {
    if files.is_empty() {
        return;
    }
    write_heading(out, screen, "Also likely to change", "");
    let row = |file: &RippleJson| FactRow {
        label: screen.link_place(&file.file, None),
        text: file.reasons.join(", "),
    };
    let rows: Vec<FactRow> = files.iter().take(MAX_LISTED).map(row).collect();
    write_facts(out, screen, &rows, DIM_STYLE);
}

/// Returns a reason in words.
pub(super) fn describe_reason(reason: &RippleReason) -> String {
    let symbols = |count: u32| render_quantity(count as usize, "symbol");
    match *reason {
        RippleReason::ChangedTogether { together, commits } => {
            format!("changed together in {together} of {}", render_quantity(commits as usize, "commit"))
        }
        RippleReason::Uses(1) => "1 symbol there uses it".to_owned(),
        RippleReason::Uses(count) => format!("{} there use it", symbols(count)),
        RippleReason::IsUsed(count) => format!("it uses {} there", symbols(count)),
        RippleReason::Parallel(1) => "1 symbol there is parallel".to_owned(),
        RippleReason::Parallel(count) => format!("{} there are parallel", symbols(count)),
        RippleReason::SimilarName => "similar file name".to_owned(),
        RippleReason::SameFolder => "same folder".to_owned(),
        RippleReason::RelatedFile => "related to other code of the file".to_owned(),
    }
}
