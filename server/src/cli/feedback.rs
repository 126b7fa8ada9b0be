//! `kenning feedback`: records which symbols a task needed, from a diff or by name.
//!
//! Agents without an editor report their use of a pack with this command. It evaluates the diff
//! like the actions in an editor (`learning::detect_used`): symbols of the pack for the task that
//! the diff changes or mentions count as used, the other symbols of the pack as not used. Changed
//! symbols that the pack lacks also count as used, because the next pack for such a task should
//! contain them.

use super::args::FeedbackArgs;
use super::delivery::print_sentences;
use super::workspace::AnswerInputs;
use super::{configuration, input, output, workspace};
use crate::answer::{self, PackQuestion, QuestionSubject};
use crate::cancel::CancelToken;
use crate::format::json::SCHEMA;
use crate::format::wording::render_quantity;
use crate::learning::{PackUse, ReaderAction, UnifiedDiff, build_use_event, detect_used};
use crate::ranking_choice::choose_ranking;
use crate::symbol_names;
use crate::terminal::report_text::{ReportLine, ReportText};
use crate::timings::StageTimings;
use anyhow::{Context, bail, ensure};
use kenning_graph::{Hash, Snapshot};
use kenning_indexing::workspace::Workspace;
use kenning_retrieval::ChangedFile;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Records the use of symbols and prints the report.
pub fn run_feedback(args: &FeedbackArgs) -> anyhow::Result<()> {
    let reads_both = args.task.iter().any(|word| word == "-") && is_standard_input(args.diff.as_deref());
    ensure!(!reads_both, "the task and the diff cannot both come from standard input (-)");
    let task = input::read_task(&args.task)?;
    let diff = args.diff.as_deref().map(read_diff).transpose()?;
    let workspace = workspace::open_for_answer(&args.symbols.workspace, &args.symbols.refresh)?;
    let snapshot = workspace.current_snapshot();
    let key = answer::learning_key_of_task(&task);
    let cluster =
        key.cluster.context("the task has no keyword that could be remembered; name what it is about")?;
    let named = find_symbols(&snapshot, &args.used)?;
    let named_unused = find_symbols(&snapshot, &args.not_used)?;
    if let Some(both) = named.intersection(&named_unused).next() {
        bail!("{} is named as used and as not used", qualified_name(&snapshot, both));
    }
    let (mut used, mut unused) = (named.clone(), named_unused.clone());
    if let Some(diff) = diff {
        let packed = find_packed_symbols(&workspace, &snapshot, task)?;
        let touched = find_used_by_diff(&snapshot, &packed, diff)?;
        // The arguments take precedence over the diff.
        used.extend(touched.difference(&named_unused));
        unused.extend(packed.difference(&touched).filter(|symbol| !named.contains(symbol)));
    }
    let pack_use = PackUse {
        cluster,
        keywords: key.keywords,
        used: used.into_iter().collect(),
        unused: unused.into_iter().collect(),
    };
    let event = build_use_event(&snapshot, &pack_use)
        .context("none of these symbols is declared in the workspace, so nothing is recorded")?;
    let (mut store, salvage) = workspace.memory_location().open_store()?;
    if let Some(salvage) = salvage {
        output::print_warning(&salvage.to_string());
    }
    store.record_use(&event)?;
    let names = |symbols: &[kenning_graph::store::RootedSymbol]| {
        symbols.iter().map(|rooted| qualified_name(&snapshot, &rooted.symbol)).collect()
    };
    let report = FeedbackJson {
        schema: SCHEMA,
        used: names(&event.used),
        unused: names(&event.unused),
        keywords: event.keywords.clone(),
    };
    print_sentences(workspace.root_path(), args.format, &report, &report.build_text())
}

fn is_standard_input(path: Option<&Path>) -> bool {
    path.is_some_and(|path| path.as_os_str() == "-")
}

fn read_diff(path: &Path) -> anyhow::Result<UnifiedDiff> {
    let text = input::read_file_or_input(path)?;
    let diff = UnifiedDiff::parse(&text);
    let name =
        if is_standard_input(Some(path)) { "standard input".into() } else { path.display().to_string() };
    ensure!(!diff.files.is_empty(), "{name} has no change of a unified diff; pass the output of git diff");
    Ok(diff)
}

fn find_symbols(snapshot: &Snapshot, names: &[String]) -> anyhow::Result<BTreeSet<Hash>> {
    let find = |name: &String| {
        let id = symbol_names::find_symbol(snapshot, name)?;
        snapshot.symbol(id).map(|symbol| symbol.hash).with_context(|| format!("{name} no longer exists"))
    };
    names.iter().map(find).collect()
}

/// Returns the symbols of the pack for the task.
fn find_packed_symbols(
    workspace: &Workspace,
    snapshot: &Snapshot,
    task: String,
) -> anyhow::Result<BTreeSet<Hash>> {
    let config = configuration::effective_config(workspace.root_path()).config;
    let question = PackQuestion {
        config: Arc::new(choose_ranking(None, &config)),
        ..PackQuestion::new(QuestionSubject::Task(task))
    };
    let inputs = AnswerInputs::read_for_question(workspace, &question, &config)?;
    let (mut timings, cancel) = (StageTimings::start_now(), CancelToken::default());
    let answer = answer::answer_with_trace(snapshot, inputs.as_sources(), &question, &mut timings, &cancel)?;
    Ok(answer.pack.symbols.iter().map(|symbol| symbol.id).collect())
}

/// Returns the symbols that a diff uses: the symbols of the pack that it changes or mentions, and
/// all other symbols that it changes.
///
/// # Errors
/// Returns an error if no file of the diff is in the index.
fn find_used_by_diff(
    snapshot: &Snapshot,
    packed: &BTreeSet<Hash>,
    diff: UnifiedDiff,
) -> anyhow::Result<BTreeSet<Hash>> {
    let named: Vec<String> = diff.files.iter().map(|file| file.path.clone()).collect();
    let files: Vec<ChangedFile> =
        diff.files.into_iter().filter_map(|file| locate_in_index(snapshot, file)).collect();
    if files.is_empty() {
        bail!(
            "no file of the diff is in the index: {}; pass the diff of a workspace with --root",
            named.join(", ")
        );
    }
    let changed = kenning_retrieval::changed_symbols(snapshot, &files);
    let changed: BTreeSet<Hash> =
        changed.into_iter().filter_map(|id| snapshot.symbol(id).map(|symbol| symbol.hash)).collect();
    let action = ReaderAction::Edited { files, text: diff.added_text };
    let mut used: BTreeSet<Hash> = detect_used(snapshot, packed, &action).into_iter().collect();
    used.extend(changed);
    Ok(used)
}

/// Returns the file with its path in the workspace; `None` if it is not in the index. The paths of
/// a diff start at the root of the repository, and the workspace may be a folder in it.
fn locate_in_index(snapshot: &Snapshot, file: ChangedFile) -> Option<ChangedFile> {
    let mut path = file.path.as_str();
    while snapshot.file_by_path(path).is_none() {
        path = path.split_once('/')?.1;
    }
    let path = path.to_owned();
    Some(ChangedFile { path, ..file })
}

fn qualified_name(snapshot: &Snapshot, symbol: &Hash) -> String {
    let found = snapshot.symbol_by_hash(symbol).and_then(|id| snapshot.symbol(id));
    found.map_or_else(|| symbol.to_hex(), |symbol| symbol.qualified_name())
}

/// The report of a recorded use.
#[derive(Serialize)]
struct FeedbackJson {
    schema: u32,
    /// The used symbols as `path::name`.
    used: Vec<String>,
    /// The symbols that were not used.
    unused: Vec<String>,
    /// The words of the task that lead to the used symbols from now on.
    keywords: Vec<String>,
}

impl FeedbackJson {
    fn build_text(&self) -> ReportText {
        let mut text = ReportText::from(ReportLine::headline(format!(
            "Recorded {} as used and {} as not used.",
            render_quantity(self.used.len(), "symbol"),
            render_quantity(self.unused.len(), "symbol")
        )));
        for name in &self.used {
            text.push_line(ReportLine::labeled("- used: ").with_name(name));
        }
        if !self.used.is_empty() && !self.keywords.is_empty() {
            text.push_line(ReportLine::labeled("Words: ").with_text(self.keywords.join(", ")));
        }
        text
    }
}
