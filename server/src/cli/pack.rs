//! `kenning pack`: the pack for a task.

use super::args::{AnswerArgs, PackArgs};
use super::{input, output, workspace};
use crate::answer::{self, About};
use crate::timings::Timings;

/// Prints the pack.
pub fn run(args: &PackArgs) -> anyhow::Result<()> {
    let task = input::task(&args.task)?;
    print(About::Task(task), &args.answer, Timings::start())
}

/// Answers one question and prints the pack.
pub fn print(about: About, args: &AnswerArgs, mut timings: Timings) -> anyhow::Result<()> {
    let question = workspace::question(about, args)?;
    timings.begin("refresh");
    let workspace = workspace::open_for_answer(args)?;
    timings.end();
    let snapshot = workspace.snapshot();
    answer::check_known(&snapshot, &question.about)?;
    let answer = answer::answer(&snapshot, Some(&workspace.text_source()), &question, &mut timings)?;
    let freshness = workspace::freshness(&workspace);
    output::print(&args.format.pack(&answer, &freshness, args.timings.then_some(&timings))?)
}
