//! `kenning pack`: the pack for a task.

use super::args::{PackArgs, PrintArgs};
use super::workspace::Beside;
use super::{configuration, input, output, workspace};
use crate::answer::{self, About};
use crate::cancel::Cancel;
use crate::timings::Timings;
use kenning_indexing::workspace::Workspace;

/// Prints the pack.
pub fn run(args: &PackArgs) -> anyhow::Result<()> {
    let task = input::task(&args.task)?;
    print(&args.print, Timings::start(), |_| Ok(About::Task(task)))
}

/// Answers one question, which may be about what the workspace shows, and prints the pack.
pub fn print(
    args: &PrintArgs,
    mut timings: Timings,
    about: impl FnOnce(&Workspace) -> anyhow::Result<About>,
) -> anyhow::Result<()> {
    timings.begin("refresh");
    let workspace = workspace::open_for_answer(&args.answer.workspace, args.answer.refresh)?;
    timings.end();
    let config = configuration::of_workspace(workspace.root()).config;
    let question = workspace::question(about(&workspace)?, &args.answer, &config)?;
    let snapshot = workspace.snapshot();
    answer::check_known(&snapshot, &question.about)?;
    let beside = Beside::read(&workspace, &question, &config)?;
    let answer = answer::answer(&snapshot, beside.sources(), &question, &mut timings, &Cancel::default())?;
    let freshness = workspace::freshness(&workspace);
    let format = args.format.unwrap_or(config.pack.format);
    output::print(&format.pack(&answer, &freshness, args.timings.then_some(&timings))?)
}
