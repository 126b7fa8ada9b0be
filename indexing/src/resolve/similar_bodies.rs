//! Similar callables: adds edges between callables with similar bodies, anywhere in the workspace.
//!
//! Extraction sketches each body. This module compares two sketches if they have a band in common;
//! the similarity of the sketches estimates the similarity of the bodies.

use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::file_context::FileContext;
use super::tracked_snapshot::{SketchedSymbol, is_qualified_name};
use kenning_graph::sketch::BodySketch;
use kenning_graph::{EdgeKind, Provenance, SymbolRef};
use rustc_hash::FxHashSet;

/// Minimum share of the token runs of two bodies that are equal, from 0 to 1.
const MIN_SIMILARITY: f32 = 0.6;
/// Maximum number of similar bodies per symbol. Generated code repeats one body thousands of times.
const MAX_SIMILAR: usize = 5;

/// Adds edges between the callables of the file and similar callables. Adds one edge per pair, from
/// the symbol whose path and name come first. Skips test code, which is similar by nature.
pub(super) fn add_similarity_edges(context: &FileContext, edges: &mut EdgeCollector) {
    if context.resolver.family.is_test_path(context.resolver.path) {
        return;
    }
    for (at, sketch) in &context.facts.sketches {
        let Some(symbol) = context.symbols.get(*at as usize) else { continue };
        for (similarity, other) in find_similar_bodies(context, symbol, sketch) {
            let strength = EdgeStrength { provenance: Provenance::AstInferred, confidence: similarity };
            edges.add_symbol_edge(symbol.id, other.id, EdgeKind::SimilarTo, strength, None);
        }
    }
}

/// Returns the callables with the most similar bodies, with their similarity, most similar first.
/// Considers only callables that come after `symbol` by [`ordering_key`].
fn find_similar_bodies<'a>(
    context: &FileContext<'a>,
    symbol: &SymbolRef<'a>,
    sketch: &BodySketch,
) -> Vec<(f32, SymbolRef<'a>)> {
    let mut seen = FxHashSet::default();
    let mut found: Vec<(f32, SymbolRef<'a>)> = Vec::new();
    for band in sketch.band_hashes() {
        for SketchedSymbol { symbol: other, sketch: other_sketch } in
            context.resolver.view.symbols_in_band(band)
        {
            let comes_later = ordering_key(&other) > ordering_key(symbol);
            if !comes_later || !seen.insert(other.id) || context.resolver.family.is_test_path(other.path) {
                continue;
            }
            let similarity = sketch.estimate_similarity(&other_sketch);
            if similarity >= MIN_SIMILARITY
                && !encloses_symbol(symbol, &other)
                && !encloses_symbol(&other, symbol)
            {
                found.push((similarity, other));
            }
        }
    }
    found.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| ordering_key(x).cmp(&ordering_key(y))));
    found.truncate(MAX_SIMILAR);
    found
}

/// Returns a key for ordering symbols that does not depend on their order in the text.
fn ordering_key<'a>(symbol: &SymbolRef<'a>) -> (&'a str, &'a str, &'a str, kenning_graph::Hash) {
    (symbol.path, symbol.container, symbol.name, symbol.hash)
}

/// Whether `inner` is inside the callable `outer`, whose body then contains the body of `inner`.
fn encloses_symbol(outer: &SymbolRef, inner: &SymbolRef) -> bool {
    outer.path == inner.path && {
        let mut container = inner.container;
        loop {
            if is_qualified_name(container, outer.container, outer.name) {
                break true;
            }
            match container.rsplit_once('.') {
                Some((outer, _)) => container = outer,
                None => break false,
            }
        }
    }
}
