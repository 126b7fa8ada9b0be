//! `kenning graph`: the neighbourhood of a symbol.

use super::args::GraphArgs;
use super::{output, target, workspace};
use crate::format::graph::GraphJson;
use crate::format::places::NoDocuments;
use kenning_retrieval::features::neighbourhood;

/// Prints the neighbourhood.
pub fn run(args: &GraphArgs) -> anyhow::Result<()> {
    let workspace = workspace::open_for_answer(&args.symbols.workspace, args.symbols.refresh)?;
    let snapshot = workspace.snapshot();
    let found = target::find(&workspace, &snapshot, &args.symbol)?;
    let around = neighbourhood(&snapshot, found[0], args.depth, usize::from(args.limit));
    let freshness = workspace::freshness(&workspace);
    let answer = GraphJson::new(&snapshot, &around, &freshness, &NoDocuments);
    output::print(&answer.print(args.format)?)
}
