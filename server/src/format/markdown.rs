//! The Markdown form of a pack, for people and chats.

use super::change;
use super::groups::{DOCUMENTATION_HEADING, GROUPS, group_heading, reading_order};
use super::ripple;
use super::wording::{group_digits, no_match_statement, render_quantity};
use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use kenning_retrieval::pack::{escape_control_chars, render_prose};
use kenning_retrieval::{RankConfidence, render_item};
use std::fmt::Write;

/// Maximum length of the title in characters. A task can be a whole issue.
const MAX_TITLE_CHARS: usize = 120;

/// The advice to the reader of a pack that says that nothing matches.
const NARROWING_ADVICE: &str = "Name a symbol, a file or an error message of this workspace.";

/// Returns the word for a confidence, with advice. Returns `None` for a high confidence, which
/// needs no advice.
const fn describe_confidence(confidence: RankConfidence) -> Option<&'static str> {
    match confidence {
        RankConfidence::High => None,
        RankConfidence::Medium => Some("medium; check that the first symbols are what you mean"),
        RankConfidence::Low => Some("low; name a symbol, a file or an error message to find the right place"),
        // The statement that nothing matches replaces the line.
        RankConfidence::None => None,
    }
}

/// Renders the pack as Markdown, ending with a line break. The text contains no time, so that equal
/// packs give equal bytes.
pub fn render_pack(answer: &AnsweredPack, freshness: &Freshness) -> String {
    let pack = &answer.pack;
    let mut out = String::new();
    let _ = writeln!(out, "# Context: {}\n", render_title(&answer.subject));
    let statement = no_match_statement(pack);
    if let Some(statement) = statement {
        let _ = writeln!(out, "{statement} {NARROWING_ADVICE}\n");
    }
    let _ = writeln!(
        out,
        "{}, {} of {}. Pack `{}`.",
        render_quantity(pack.symbols.len(), "symbol"),
        group_digits(pack.tokens_used),
        render_quantity(pack.budget, "token"),
        &pack.pack_root.to_hex()[..12]
    );
    if let Some(line) = pack.confidence.and_then(describe_confidence) {
        let _ = writeln!(out, "\n> Confidence: {line}.");
    }
    if let Some(line) = freshness.render_line() {
        let _ = writeln!(out, "\n> Freshness: {line}.");
    }
    if let Some(changes) = &answer.change {
        out.push_str(&change::render_change(changes));
    }
    if pack.symbols.is_empty() && statement.is_none() {
        out.push_str(match pack.omitted_counts.get("budget") {
            Some(_) => "\nNothing fits the budget; use a larger one.\n",
            None => "\nNothing in the index matches.\n",
        });
    }
    for group in GROUPS {
        for (at, member) in reading_order(pack, group).into_iter().enumerate() {
            if at == 0 {
                let _ = writeln!(out, "\n## {}\n", group_heading(answer, group));
            }
            out.push_str(&render_item(&pack.symbols[member]));
        }
    }
    write_items(&mut out, DOCUMENTATION_HEADING, pack.documents.iter().map(render_item));
    ripple::write_section(&mut out, &ripple::describe_files(&answer.ripple));
    if !pack.symbols.is_empty() {
        let _ = match pack.omitted_counts.get("budget") {
            Some(&left_out) => {
                let more = render_quantity(left_out, "more symbol");
                writeln!(out, "\nStopped by the budget: {more} may be relevant.")
            }
            None if statement.is_some() => writeln!(out, "\nThese candidates match only weakly."),
            None => writeln!(out, "\nNothing further is relevant."),
        };
    }
    out
}

/// Writes a section with these items; nothing without items.
pub(super) fn write_items(out: &mut String, heading: &str, items: impl Iterator<Item = String>) {
    for (at, item) in items.enumerate() {
        if at == 0 {
            let _ = writeln!(out, "\n## {heading}\n");
        }
        out.push_str(&item);
    }
}

fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn render_title(task: &str) -> String {
    let line = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let printable: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = collapse_whitespace(printable.trim_start_matches('#'));
    let line = match line.char_indices().nth(MAX_TITLE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    };
    render_prose(&escape_control_chars(&line))
}
