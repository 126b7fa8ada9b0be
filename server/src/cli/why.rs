//! `kenning why`: the trace of one symbol in the pack for a task.

use super::args::WhyArgs;
use super::{configuration, input, output, workspace};
use crate::answer::{self, About, Sources};
use crate::cancel::Cancel;
use crate::format::explanation::{self, ExplanationJson};
use crate::format::{Format, json};

/// Prints the trace.
pub fn run(args: &WhyArgs) -> anyhow::Result<()> {
    let task = input::task(&args.task)?;
    let workspace = workspace::open_for_answer(&args.answer.workspace, args.answer.refresh)?;
    let config = configuration::of_workspace(workspace.root()).config;
    let question = workspace::question(About::Task(task), &args.answer, &config)?;
    let (snapshot, text) = (workspace.snapshot(), workspace.text_source());
    let learned = workspace::learned(&workspace, &question);
    let history = workspace::history(&workspace, &config)?;
    let sources = Sources { text: Some(&text), learned: learned.as_ref(), history: history.as_ref() };
    let found = answer::why(&snapshot, sources, &question, &args.symbol, &Cancel::default())?;
    output::print(&match args.format {
        Format::Markdown => explanation::text(&found),
        Format::Json => json::text(&ExplanationJson::new(&found))?,
    })
}
