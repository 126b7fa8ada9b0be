//! The neighbors of a symbol in both directions, for a drawing of the graph.
//!
//! [`build_neighborhood`] searches breadth first from a symbol, over incoming and outgoing edges,
//! and returns the symbols by distance with the edges among them. It omits kinds of edges that
//! mirror others or are not structure.

use kenning_graph::{Edge, EdgeKind, Snapshot, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A symbol of a [`SymbolNeighborhood`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeighborSymbol {
    /// The symbol.
    pub symbol: SymbolId,
    /// Hops from the requested symbol, in either direction.
    pub distance: u8,
}

/// The symbols around one symbol, and the edges among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymbolNeighborhood {
    /// The requested symbol first, then the others by distance. At the same distance, the order is
    /// by the kind of the edge, path and position.
    pub nodes: Vec<NeighborSymbol>,
    /// Edges among the nodes, one per source, target and kind, in the order of the source node, the
    /// target node and the kind.
    pub edges: Vec<Edge>,
    /// Whether nodes within the requested distance were left out.
    pub truncated: bool,
}

/// Whether edges of a kind are shown. Mirrored edges repeat others, and similarity and ownership
/// are not structure.
fn is_shown_kind(kind: EdgeKind) -> bool {
    !matches!(
        kind,
        EdgeKind::Contains
            | EdgeKind::TestedBy
            | EdgeKind::CoTestedWith
            | EdgeKind::SimilarTo
            | EdgeKind::OwnedBy
            | EdgeKind::AuthoredBy
    )
}

/// Returns the symbols within `depth` hops of a symbol, at most `limit` nodes. Empty for a symbol
/// that is not in the graph.
pub fn build_neighborhood(
    snapshot: &Snapshot,
    symbol: SymbolId,
    depth: u8,
    limit: usize,
) -> SymbolNeighborhood {
    let mut found = SymbolNeighborhood::default();
    if snapshot.symbol_facets(symbol).is_none() || limit == 0 {
        return found;
    }
    let mut index: FxHashMap<SymbolId, usize> = FxHashMap::from_iter([(symbol, 0)]);
    found.nodes.push(NeighborSymbol { symbol, distance: 0 });
    let mut frontier = 0..1;
    for distance in 1..=depth {
        let near = unseen_neighbors(snapshot, &found.nodes[frontier.clone()], &index);
        let room = limit - found.nodes.len();
        found.truncated |= near.len() > room;
        let start = found.nodes.len();
        for id in near.into_iter().take(room) {
            index.insert(id, found.nodes.len());
            found.nodes.push(NeighborSymbol { symbol: id, distance });
        }
        frontier = start..found.nodes.len();
        if frontier.is_empty() {
            break;
        }
    }
    found.edges = edges_among(snapshot, &found.nodes, &index);
    found
}

/// Returns the symbols next to these nodes that are not in `known`, by the kind of their edge
/// (calls first), then by path and position.
fn unseen_neighbors(
    snapshot: &Snapshot,
    nodes: &[NeighborSymbol],
    known: &FxHashMap<SymbolId, usize>,
) -> Vec<SymbolId> {
    let mut kinds: FxHashMap<SymbolId, EdgeKind> = FxHashMap::default();
    let mut add_neighbor = |id: SymbolId, kind: EdgeKind| {
        if is_shown_kind(kind) && !known.contains_key(&id) {
            let best = kinds.entry(id).or_insert(kind);
            *best = kind.min(*best);
        }
    };
    for node in nodes {
        snapshot.for_each_in_edge(node.symbol, |edge| add_neighbor(edge.source, edge.kind));
        snapshot.for_each_out_edge(node.symbol, |edge| add_neighbor(edge.target, edge.kind));
    }
    let mut near: Vec<(EdgeKind, SymbolId)> = kinds.into_iter().map(|(id, kind)| (kind, id)).collect();
    near.sort_by_cached_key(|&(kind, id)| {
        let sort_key = snapshot.symbol(id).map(|s| (s.path.to_owned(), s.span.start, s.hash));
        (kind, sort_key)
    });
    near.into_iter().map(|(_, id)| id).collect()
}

fn edges_among(
    snapshot: &Snapshot,
    nodes: &[NeighborSymbol],
    index: &FxHashMap<SymbolId, usize>,
) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut seen: FxHashSet<(SymbolId, SymbolId, EdgeKind)> = FxHashSet::default();
    for node in nodes {
        let mut node_edges: Vec<Edge> = snapshot.out_edges(node.symbol);
        node_edges.retain(|edge| {
            is_shown_kind(edge.kind)
                && index.contains_key(&edge.target)
                && seen.insert((edge.source, edge.target, edge.kind))
        });
        node_edges.sort_by_key(|edge| (index[&edge.target], edge.kind));
        edges.extend(node_edges);
    }
    edges
}
