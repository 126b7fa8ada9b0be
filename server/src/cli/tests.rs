//! `kenning tests`: the tests that reach what changed.

use super::args::TestsArgs;
use super::{changes, files, output, workspace};
use crate::answer;
use crate::format::affected::{AffectedJson, Subject};
use crate::format::places::NoDocuments;
use crate::format::{Format, json};
use kenning_indexing::git::Changes;

/// Prints the tests.
pub fn run(args: &TestsArgs) -> anyhow::Result<()> {
    let paths = files::all_in_workspace(&args.symbols.workspace.root, &args.files)?;
    let workspace = workspace::open_for_answer(&args.symbols.workspace, args.symbols.refresh)?;
    let snapshot = workspace.snapshot();
    let found_changes: Changes;
    let subject = if paths.is_empty() {
        found_changes = changes::since(&workspace, args.base.as_deref())?;
        Subject::Change(&found_changes)
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
