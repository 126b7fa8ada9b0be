//! `kenning debug`: what single stages of a ranking did, from the trace of that very run.

use super::args::{DebugArgs, DebugCommand, DebugFeedbackArgs, DebugTaskArgs};
use super::workspace::Beside;
use super::{configuration, input, output, workspace};
use crate::answer::{self, About};
use crate::cancel::Cancel;
use crate::format::trace::{
    ClassesReport, FeedbackReport, PackReport, Report, SeedsReport, TextReport, WalkReport,
};
use crate::timings::Timings;
use kenning_graph::Snapshot;
use kenning_retrieval::Trace;

/// Prints one report.
pub fn run(args: &DebugArgs) -> anyhow::Result<()> {
    match &args.command {
        DebugCommand::Seeds(args) => {
            report(args, |trace, snapshot| SeedsReport::new(trace, snapshot, args.limit).print(args.format))
        }
        DebugCommand::Fts(args) => {
            report(args, |trace, snapshot| TextReport::new(trace, snapshot, args.limit).print(args.format))
        }
        DebugCommand::Walk(args) => {
            report(args, |trace, snapshot| WalkReport::new(trace, snapshot, args.limit).print(args.format))
        }
        DebugCommand::Pack(args) => {
            report(args, |trace, snapshot| PackReport::new(trace, snapshot, args.limit).print(args.format))
        }
        DebugCommand::Classes(args) => {
            report(args, |trace, snapshot| ClassesReport::new(trace, snapshot, args.limit).print(args.format))
        }
        DebugCommand::Feedback(args) => feedback(args),
    }
}

/// Runs the ranking of a task and prints what `form` makes of its trace.
fn report(
    args: &DebugTaskArgs,
    form: impl FnOnce(&Trace, &Snapshot) -> Result<String, serde_json::Error>,
) -> anyhow::Result<()> {
    let task = input::task(&args.task)?;
    let workspace = workspace::open_for_answer(&args.answer.workspace, args.answer.refresh)?;
    let config = configuration::of_workspace(workspace.root()).config;
    let question = workspace::question(About::Task(task), &args.answer, &config)?;
    let snapshot = workspace.snapshot();
    let beside = Beside::read(&workspace, &question, &config)?;
    let answer =
        answer::trace(&snapshot, beside.sources(), &question, &mut Timings::start(), &Cancel::default())?;
    output::print(&form(&answer.trace, &snapshot)?)
}

/// Prints the feedback that was given, for tasks like the named one or all.
fn feedback(args: &DebugFeedbackArgs) -> anyhow::Result<()> {
    let task = if args.task.is_empty() { None } else { Some(input::task(&args.task)?) };
    let workspace = workspace::open_for_answer(&args.symbols.workspace, args.symbols.refresh)?;
    let cluster = task.map(|task| answer::cluster_of_task(&task));
    let sums = match (cluster, workspace::memory(&workspace)?) {
        // Nothing can be known of a task without any word.
        (Some(None), _) | (_, None) => Vec::new(),
        (Some(Some(cluster)), Some(store)) => store.feedback(Some(&cluster))?,
        (None, Some(store)) => store.feedback(None)?,
    };
    output::print(
        &FeedbackReport::new(&workspace.memory_path(), &sums, &workspace.snapshot()).print(args.format)?,
    )
}
