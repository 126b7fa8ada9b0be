//! Finds the neighbors of the best symbols by a breadth-first search along the edges of the graph.
//!
//! A neighbor gets the score of the symbol from which the search reached it, times a factor by the
//! kind of the edge. If several paths lead to a symbol, the best path counts. The limits of the
//! request bound the number of first symbols, the length of the paths and the minimum score.

use super::{ExpansionStep, SearchHit, SearchLimits, SearchTarget};
use crate::channels::is_result_kind;
use kenning_graph::{EdgeKind, Snapshot, SymbolId, SymbolKind, SymbolRef};
use std::collections::BTreeMap;

/// An edge that is followed in one direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeDirection {
    Outgoing,
    Incoming,
}

/// The kind of hits that an expansion returns. The search passes through other symbols without
/// returning them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HitKind {
    /// Symbols of source files.
    Code,
    /// Sections of documents.
    Section,
}

impl HitKind {
    const fn includes(self, kind: SymbolKind) -> bool {
        match self {
            Self::Code => is_result_kind(kind),
            Self::Section => matches!(kind, SymbolKind::Section),
        }
    }
}

/// The factor of a step from or to a section: between a section and its subsections, the symbols
/// that it names, and its links. *graphmemory* has this factor for all documents
/// (`docs/search.md`).
const DOCUMENT_DECAY: f64 = 0.8;

/// Minimum confidence of an edge that is followed. The site of such an edge fits a single target.
const MIN_CONFIDENCE: f32 = 0.7;

/// The factor of a step between a type and its members, and between a file and its symbols.
const CONTAINS_DECAY: f64 = 0.95;

/// The greatest factor of [`edge_decay`]. A symbol whose score times this factor is below the
/// minimum has no neighbors to visit.
const GREATEST_DECAY: f64 = CONTAINS_DECAY;

/// Returns the factor of an edge (`docs/search.md`), or `None` if it is not followed. Imports and
/// calls are followed only to the imported file and the called function, because a file that
/// everything imports would have the whole workspace as neighbors.
const fn edge_decay(kind: EdgeKind, direction: EdgeDirection) -> Option<f64> {
    match kind {
        EdgeKind::Contains | EdgeKind::MemberOf => Some(CONTAINS_DECAY),
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Overrides => Some(0.85),
        EdgeKind::Imports | EdgeKind::Calls => match direction {
            EdgeDirection::Outgoing => Some(0.70),
            EdgeDirection::Incoming => None,
        },
        _ => None,
    }
}

/// Returns the hits of a ranked list and their neighbors, best first. Reads the first `top_k`
/// symbols; their neighbors are at most `bfs_depth` edges away. Leaves out scores below the
/// minimum.
pub(super) fn expand_hits(
    snapshot: &Snapshot,
    ranked: &[(SymbolId, f64)],
    kind: HitKind,
    limits: &SearchLimits,
) -> Vec<SearchHit> {
    let found = ranked.iter().filter(|(_, score)| *score >= limits.min_score);
    let seeds: Vec<(SymbolId, f64)> = found.copied().take(limits.top_k).collect();
    let mut reached = reach_neighbors(snapshot, &seeds, limits);
    let mut hits: Vec<SearchHit> = Vec::new();
    for (symbol, score) in seeds {
        let hit = match reached.remove(&symbol) {
            Some((better, via)) if better > score => build_symbol_hit(symbol, better, via),
            _ => build_symbol_hit(symbol, score, None),
        };
        hits.push(hit);
    }
    let is_result =
        |symbol: &SymbolId| snapshot.symbol_facets(*symbol).is_some_and(|facets| kind.includes(facets.kind));
    let neighbors = reached.into_iter().filter(|(symbol, _)| is_result(symbol));
    let mut neighbors: Vec<SearchHit> =
        neighbors.map(|(symbol, (score, via))| build_symbol_hit(symbol, score, via)).collect();
    neighbors.sort_by_cached_key(|hit| location_sort_key(snapshot, hit));
    hits.extend(neighbors);
    super::sort_hits(&mut hits);
    hits
}

fn build_symbol_hit(symbol: SymbolId, score: f64, via: Option<ExpansionStep>) -> SearchHit {
    SearchHit { target: SearchTarget::Symbol(symbol), score, via }
}

/// Returns the path and the offset of a hit, by which equal scores are ordered.
fn location_sort_key(snapshot: &Snapshot, hit: &SearchHit) -> (String, u32) {
    match hit.target {
        SearchTarget::Symbol(symbol) => {
            snapshot.symbol(symbol).map_or_else(Default::default, |s| (s.path.to_owned(), s.span.start))
        }
        SearchTarget::File(_) | SearchTarget::OtherFile(_) => (String::new(), 0),
    }
}

/// The best score of each reached symbol, with the last step to it.
type ReachedSymbols = BTreeMap<SymbolId, (f64, Option<ExpansionStep>)>;

/// Follows edges from the seeds. A layer holds the symbols whose score the layer before improved,
/// so that no better path is missed and none is longer than the depth.
fn reach_neighbors(snapshot: &Snapshot, seeds: &[(SymbolId, f64)], limits: &SearchLimits) -> ReachedSymbols {
    let mut reached: ReachedSymbols = seeds.iter().map(|&(symbol, score)| (symbol, (score, None))).collect();
    let mut layer: BTreeMap<SymbolId, f64> = seeds.iter().copied().collect();
    let greatest = limits.bfs_decay.unwrap_or(GREATEST_DECAY);
    for _ in 0..limits.bfs_depth {
        let mut next: BTreeMap<SymbolId, f64> = BTreeMap::new();
        for (&from, &score) in &layer {
            if score * greatest < limits.min_score {
                continue;
            }
            for_each_step(snapshot, from, |to, kind, decay| {
                let score = score * limits.bfs_decay.unwrap_or(decay);
                let known = reached.get(&to).map_or(0.0, |(known, _)| *known);
                if score >= limits.min_score && score > known {
                    reached.insert(to, (score, Some(ExpansionStep { from, kind })));
                    next.insert(to, score);
                }
            });
        }
        layer = next;
    }
    reached
}

/// Calls `visit` with each symbol one step away, the kind of the edge and its factor.
fn for_each_step(snapshot: &Snapshot, from: SymbolId, mut visit: impl FnMut(SymbolId, EdgeKind, f64)) {
    let Some(symbol) = snapshot.symbol(from) else { return };
    if symbol.kind == SymbolKind::Section {
        for edge in snapshot.out_edges(from).iter().filter(|edge| edge.confidence >= MIN_CONFIDENCE) {
            visit(edge.target, edge.kind, DOCUMENT_DECAY);
        }
    } else {
        for_each_code_step(snapshot, from, &mut visit);
    }
    for edge in snapshot.edges_from_documents(from) {
        visit(edge.source, edge.kind, DOCUMENT_DECAY);
    }
    for_each_container(snapshot, &symbol, &mut visit);
}

/// Visits the ends of the edges of a symbol of code.
fn for_each_code_step(snapshot: &Snapshot, from: SymbolId, visit: &mut impl FnMut(SymbolId, EdgeKind, f64)) {
    for edge in snapshot.out_edges(from) {
        if let Some(decay) = edge_decay(edge.kind, EdgeDirection::Outgoing)
            && edge.confidence >= MIN_CONFIDENCE
        {
            visit(edge.target, edge.kind, decay);
        }
    }
    for edge in snapshot.in_edges(from) {
        if let Some(decay) = edge_decay(edge.kind, EdgeDirection::Incoming)
            && edge.confidence >= MIN_CONFIDENCE
        {
            visit(edge.source, edge.kind, decay);
        }
    }
}

/// Visits the container and the members of a symbol that the graph has no edge for: a file contains
/// the symbols that have no other container, and a section contains its subsections.
fn for_each_container(
    snapshot: &Snapshot,
    symbol: &SymbolRef<'_>,
    visit: &mut impl FnMut(SymbolId, EdgeKind, f64),
) {
    let Some(file) = symbol.file else { return };
    let is_section = symbol.kind == SymbolKind::Section;
    let decay = if is_section { DOCUMENT_DECAY } else { CONTAINS_DECAY };
    if symbol.kind == SymbolKind::File || is_section {
        let container = is_section.then_some(symbol.id);
        let is_member = |id: &SymbolId| snapshot.symbol(*id).is_some_and(|s| s.parent == container);
        for member in snapshot.file_symbols(file).into_iter().skip(1).filter(is_member) {
            visit(member, EdgeKind::Contains, decay);
        }
    }
    let outermost = || snapshot.file_symbols(file).first().copied();
    let container = match symbol.parent {
        Some(parent) => is_section.then_some(parent),
        None => outermost().filter(|container| *container != symbol.id),
    };
    if let Some(container) = container {
        visit(container, EdgeKind::MemberOf, decay);
    }
}
