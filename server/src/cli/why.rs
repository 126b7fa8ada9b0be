//! `kenning why`: the trace of one symbol in the pack for a task.

use super::args::WhyArgs;
use super::workspace::Beside;
use super::{configuration, input, output, workspace};
use crate::answer::{self, About};
use crate::cancel::Cancel;
use crate::format::explanation::{self, ExplanationJson};
use crate::format::{Format, json};

/// Prints the trace.
pub fn run(args: &WhyArgs) -> anyhow::Result<()> {
    let task = input::task(&args.task)?;
    let workspace = workspace::open_for_answer(&args.answer.workspace, args.answer.refresh)?;
    let config = configuration::of_workspace(workspace.root()).config;
    let question = workspace::question(About::Task(task), &args.answer, &config)?;
    let snapshot = workspace.snapshot();
    let beside = Beside::read(&workspace, &question, &config)?;
    let found = answer::why(&snapshot, beside.sources(), &question, &args.symbol, &Cancel::default())?;
    output::print(&match args.format {
        Format::Markdown => explanation::text(&found),
        Format::Json => json::text(&ExplanationJson::new(&found))?,
    })
}
