//! `kenning graph`: the neighborhood of a symbol.

use super::args::GraphArgs;
use super::{output, target, workspace};
use crate::format::graph::GraphJson;
use crate::format::symbol_locations::NoDocuments;
use crate::freshness::Freshness;
use kenning_retrieval::features::build_neighborhood;

/// Prints the neighborhood of the symbol.
pub fn run_graph(args: &GraphArgs) -> anyhow::Result<()> {
    let workspace = workspace::open_for_answer(&args.symbols.workspace, &args.symbols.refresh)?;
    let snapshot = workspace.current_snapshot();
    let target = target::find_targets(&workspace, &snapshot, &args.symbol)?;
    let neighborhood = build_neighborhood(&snapshot, target.symbols[0], args.depth, usize::from(args.limit));
    // The edges around a symbol do not depend on the history.
    let freshness = Freshness { history_pending: false, ..workspace::build_freshness(&workspace) };
    let answer = GraphJson::new(&snapshot, &neighborhood, &freshness, &NoDocuments);
    output::print_text(&answer.render_as(args.format)?)
}
