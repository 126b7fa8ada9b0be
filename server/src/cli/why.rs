//! `kenning why`: the trace of one symbol in the pack for a task.

use super::args::WhyArgs;
use super::{input, output, workspace};
use crate::answer::{self, About};
use crate::cancel::Cancel;
use crate::format::explanation::{self, ExplanationJson};
use crate::format::{Format, json};

/// Prints the trace.
pub fn run(args: &WhyArgs) -> anyhow::Result<()> {
    let question = workspace::question(About::Task(input::task(&args.task)?), &args.answer)?;
    let workspace = workspace::open_for_answer(&args.answer.workspace, args.answer.refresh)?;
    let (snapshot, text) = (workspace.snapshot(), workspace.text_source());
    let found = answer::why(&snapshot, Some(&text), &question, &args.symbol, &Cancel::default())?;
    output::print(&match args.answer.format {
        Format::Markdown => explanation::text(&found),
        Format::Json => json::text(&ExplanationJson::new(&found))?,
    })
}
