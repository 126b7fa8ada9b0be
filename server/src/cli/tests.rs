//! `kenning tests`: the tests that reach what changed.

use super::args::TestsArgs;
use super::{changes, files, output, workspace};
use crate::answer;
use crate::change::Change;
use crate::format::affected::{AffectedJson, Subject};
use crate::format::places::NoDocuments;
use crate::format::{Format, json};

/// Prints the tests.
pub fn run(args: &TestsArgs) -> anyhow::Result<()> {
    let paths = files::all_in_workspace(&args.symbols.workspace.root, &args.files)?;
    let workspace = workspace::open_for_answer(&args.symbols.workspace, args.symbols.refresh)?;
    let snapshot = workspace.snapshot();
    let change: Change;
    let subject = if paths.is_empty() {
        change = changes::since(&workspace, args.base.as_deref())?;
        Subject::Change(&change)
    } else {
        Subject::Files(&paths)
    };
    let (targets, found) = answer::affected(&snapshot, subject, false)?;
    let freshness = workspace::freshness(&workspace);
    let answer = AffectedJson::new(&snapshot, subject, targets, &found, &freshness, &NoDocuments);
    output::print(&match args.format {
        Format::Markdown => answer.markdown(subject),
        Format::Json => json::text(&answer)?,
    })
}
