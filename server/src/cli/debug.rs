//! `kenning debug`: reports on individual stages of a ranking, from the trace of that run.

use super::args::{DebugArgs, DebugCommand, DebugFeedbackArgs, DebugTaskArgs, FormatArgs};
use super::delivery::print_markdown;
use super::workspace::AnswerInputs;
use super::{configuration, input, workspace};
use crate::answer::{self, QuestionSubject};
use crate::cancel::CancelToken;
use crate::format::trace::{
    ClassesReport, FeedbackReport, PackReport, SeedsReport, TextReport, TraceReport, VocabularyReport,
    WalkReport,
};
use crate::timings::StageTimings;
use kenning_graph::Snapshot;
use kenning_retrieval::query::task_keywords;
use kenning_retrieval::{RankConfig, RunTrace};
use std::path::Path;

/// Prints the report that the arguments name.
pub fn run_debug(args: &DebugArgs) -> anyhow::Result<()> {
    match &args.command {
        DebugCommand::Seeds(args) => print_trace_report(args, |root, trace, snapshot| {
            print_stage(root, args.format, &SeedsReport::new(trace, snapshot, args.limit))
        }),
        DebugCommand::Fts(args) => print_trace_report(args, |root, trace, snapshot| {
            print_stage(root, args.format, &TextReport::new(trace, snapshot, args.limit))
        }),
        DebugCommand::Walk(args) => print_trace_report(args, |root, trace, snapshot| {
            print_stage(root, args.format, &WalkReport::new(trace, snapshot, args.limit))
        }),
        DebugCommand::Pack(args) => print_trace_report(args, |root, trace, snapshot| {
            print_stage(root, args.format, &PackReport::new(trace, snapshot, args.limit))
        }),
        DebugCommand::Classes(args) => print_trace_report(args, |root, trace, snapshot| {
            print_stage(root, args.format, &ClassesReport::new(trace, snapshot, args.limit))
        }),
        DebugCommand::Feedback(args) => print_feedback(args),
        DebugCommand::Vocab(args) => print_vocabulary(args),
    }
}

/// Ranks a task and prints a report with `print`, which gets the root of the workspace, the trace
/// and the graph.
fn print_trace_report(
    args: &DebugTaskArgs,
    print: impl FnOnce(&Path, &RunTrace, &Snapshot) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let task = input::read_task(&args.task)?;
    let workspace = workspace::open_for_answer(&args.answer.workspace, &args.answer.refresh)?;
    let config = configuration::effective_config(workspace.root_path()).config;
    let question = workspace::build_question(QuestionSubject::Task(task), &args.answer, &config)?;
    let snapshot = workspace.current_snapshot();
    let inputs = AnswerInputs::read_for_question(&workspace, &question, &config)?;
    let answer = answer::answer_with_trace(
        &snapshot,
        inputs.as_sources(),
        &question,
        &mut StageTimings::start_now(),
        &CancelToken::default(),
    )?;
    print(workspace.root_path(), &answer.trace, &snapshot)
}

fn print_stage(root: &Path, format: FormatArgs, report: &impl TraceReport) -> anyhow::Result<()> {
    print_markdown(root, format, report, || report.render_markdown())
}

/// Prints the stored feedback and uses: for tasks similar to the given task, or all of them if no
/// task is given.
fn print_feedback(args: &DebugFeedbackArgs) -> anyhow::Result<()> {
    let task = if args.task.is_empty() { None } else { Some(input::read_task(&args.task)?) };
    let workspace = workspace::open_for_answer(&args.symbols.workspace, &args.symbols.refresh)?;
    let cluster = task.map(|task| answer::cluster_of_task(&task));
    let (sums, uses) = match (cluster, workspace::open_memory(&workspace)?) {
        // A task without keywords belongs to no cluster and has no feedback.
        (Some(None), _) | (_, None) => (Vec::new(), Vec::new()),
        (Some(Some(cluster)), Some(store)) => {
            (store.load_feedback(Some(&cluster))?, store.load_uses(Some(&cluster))?)
        }
        (None, Some(store)) => (store.load_feedback(None)?, store.load_uses(None)?),
    };
    let (path, snapshot) = (workspace.memory_path(), workspace.current_snapshot());
    let report = FeedbackReport::new(&path, &sums, &uses, &snapshot);
    print_stage(workspace.root_path(), args.format, &report)
}

/// Prints the learned words: the words of the given task with a preview of the filter, or all words
/// if no task is given.
fn print_vocabulary(args: &DebugFeedbackArgs) -> anyhow::Result<()> {
    let task = if args.task.is_empty() { None } else { Some(input::read_task(&args.task)?) };
    let workspace = workspace::open_for_answer(&args.symbols.workspace, &args.symbols.refresh)?;
    let words = match workspace::open_memory(&workspace)? {
        Some(store) => store.load_vocabulary()?,
        None => Vec::new(),
    };
    let keywords = task.map(|task| task_keywords(&task, &RankConfig::default()));
    let (path, snapshot) = (workspace.memory_path(), workspace.current_snapshot());
    let report = VocabularyReport::new(&path, &words, keywords, &snapshot);
    print_stage(workspace.root_path(), args.format, &report)
}
