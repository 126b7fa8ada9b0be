//! The history layer: edges from version control, which readers see in addition to the edges of the
//! text.
//!
//! Each edge belongs to a symbol with a certain body, and is hidden while the symbol has another
//! body. The layer is not part of the graph's roots, so that two machines with the same text have
//! equal roots.

use super::Snapshot;
use super::overlay::PhantomSymbol;
use super::types::{Edge, SymbolId, SymbolRef};
use super::{blank_symbol, identity};
use crate::hash::Hash;
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The first id of the layer's nodes. No base or overlay has that many symbols.
const FIRST_NODE: u32 = 0xC000_0000;

/// The edges of the layer, by the symbol at which they start.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HistoryLayer {
    nodes: Vec<PhantomSymbol>,
    /// The edges, sorted by key.
    entries: Vec<LayerEntry>,
}

/// An edge of the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LayerEntry {
    /// The [`body_key`] of the source.
    key: u64,
    kind: EdgeKind,
    /// The index of the target among the nodes.
    node: u32,
    provenance: Provenance,
    /// The time of the change, in seconds since the Unix epoch.
    time: i64,
}

/// An edge from a symbol to something outside the text, such as an author.
#[derive(Clone, Copy, Debug)]
pub struct HistoryEdge<'a> {
    /// The kind of edge.
    pub kind: EdgeKind,
    /// The evidence for the edge.
    pub provenance: Provenance,
    /// The kind of the phantom at its end.
    pub node_kind: SymbolKind,
    /// The name of that phantom.
    pub node_name: &'a str,
    /// The time of the change, in seconds since the Unix epoch.
    pub time: i64,
}

/// Collects the edges of a layer.
#[derive(Default)]
pub struct HistoryLayerBuilder {
    layer: HistoryLayer,
    node_numbers: FxHashMap<Hash, u32>,
}

/// Returns the key of a symbol with its current body.
fn body_key(symbol: &SymbolRef) -> u64 {
    symbol.hash.sort_prefix() ^ symbol.body_hash.rotate_left(32)
}

impl HistoryLayerBuilder {
    /// Adds an edge from a symbol in its current state to something outside the text.
    pub fn add_edge(&mut self, source: &SymbolRef, edge: HistoryEdge<'_>) {
        let HistoryEdge { kind: edge_kind, provenance, node_kind: kind, node_name: name, time } = edge;
        let hash = identity::phantom_hash(kind, "", name);
        let node = *self.node_numbers.entry(hash).or_insert_with(|| {
            self.layer.nodes.push(PhantomSymbol { hash, kind, package: "".into(), name: name.into() });
            self.layer.nodes.len() as u32 - 1
        });
        self.layer.entries.push(LayerEntry {
            key: body_key(source),
            kind: edge_kind,
            node,
            provenance,
            time,
        });
    }

    /// Copies the edges that another layer has for a symbol in its current state.
    pub fn keep_edges(&mut self, other: &HistoryLayer, source: &SymbolRef) {
        for entry in other.entries_of_symbol(source) {
            let Some(node) = other.nodes.get(entry.node as usize) else { continue };
            let edge = HistoryEdge {
                kind: entry.kind,
                provenance: entry.provenance,
                node_kind: node.kind,
                node_name: &node.name,
                time: entry.time,
            };
            self.add_edge(source, edge);
        }
    }

    /// Returns the finished layer.
    pub fn finish(mut self) -> HistoryLayer {
        self.layer.entries.sort_unstable();
        self.layer.entries.dedup();
        self.layer.entries.shrink_to_fit();
        self.layer
    }
}

impl HistoryLayer {
    fn entries_of_symbol(&self, symbol: &SymbolRef) -> &[LayerEntry] {
        let key = body_key(symbol);
        let from = self.entries.partition_point(|entry| entry.key < key);
        let count = self.entries[from..].iter().take_while(|entry| entry.key == key).count();
        &self.entries[from..from + count]
    }

    fn find_node(&self, id: SymbolId) -> Option<&PhantomSymbol> {
        self.nodes.get(id.0.checked_sub(FIRST_NODE)? as usize)
    }
}

impl Snapshot {
    /// Returns the same graph with this layer.
    #[must_use]
    pub fn with_layer(mut self, layer: Arc<HistoryLayer>) -> Self {
        self.layer = layer;
        self
    }

    /// Returns the layer of this graph.
    pub fn history_layer(&self) -> &Arc<HistoryLayer> {
        &self.layer
    }

    /// Returns the edges of the history layer that start at a symbol. Random walks ignore them,
    /// because their kinds have no weight in a walk.
    pub fn layer_edges(&self, id: SymbolId) -> Vec<Edge> {
        if self.layer.entries.is_empty() {
            return Vec::new();
        }
        let Some(symbol) = self.symbol(id) else { return Vec::new() };
        let edge = |entry: &LayerEntry| Edge {
            source: id,
            target: SymbolId(FIRST_NODE + entry.node),
            kind: entry.kind,
            provenance: entry.provenance,
            confidence: entry.provenance.base_confidence(),
            line: None,
        };
        self.layer.entries_of_symbol(&symbol).iter().map(edge).collect()
    }

    /// Returns the author and the time of a symbol's last change, in seconds since the Unix epoch.
    /// Returns `None` if the body has uncommitted changes, if the last change is older than the
    /// commits that were read, or if no commits were read yet.
    pub fn last_change(&self, id: SymbolId) -> Option<(&str, i64)> {
        let entries = self.layer.entries_of_symbol(&self.symbol(id)?);
        let entry = entries.iter().find(|entry| entry.kind == EdgeKind::AuthoredBy)?;
        Some((&self.layer.nodes.get(entry.node as usize)?.name, entry.time))
    }

    /// Counts the symbols whose last change is known. Reads all symbols.
    pub fn known_change_count(&self) -> usize {
        if self.layer.entries.is_empty() {
            return 0;
        }
        self.symbols().into_iter().filter(|&id| self.last_change(id).is_some()).count()
    }

    pub(super) fn layer_node(&self, id: SymbolId) -> Option<SymbolRef<'_>> {
        let node = self.layer.find_node(id)?;
        Some(SymbolRef {
            hash: node.hash,
            path: &node.package,
            name: &node.name,
            kind: node.kind,
            ..blank_symbol(id)
        })
    }
}
