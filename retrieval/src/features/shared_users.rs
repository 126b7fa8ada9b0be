//! Finds the users of a definition in another workspace. Endpoints, tables, topics, environment
//! variables and feature flags are shared nodes: they have the same identity in every graph.

use kenning_graph::{Edge, EdgeKind, Hash, Provenance, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;

/// Maximum number of shared nodes, and of members of the symbols, that one request looks up. A file
/// of generated routes has thousands.
const MAX_NODES: usize = 200;

/// A symbol of another workspace that uses or provides a shared node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedUser {
    /// The symbol, in the graph of the other workspace.
    pub symbol: SymbolId,
    /// The node, in that graph.
    pub node: SymbolId,
    /// The relation between the two.
    pub kind: EdgeKind,
    /// The provenance of the relation.
    pub provenance: Provenance,
    /// The 0-based line of the first site; `None` if there is none.
    pub line: Option<u32>,
}

/// Returns the identities of the shared nodes of these symbols, sorted: the symbols that are shared
/// nodes themselves, and the nodes that the symbols or their members define or serve.
pub fn shared_nodes(snapshot: &Snapshot, symbols: &[SymbolId]) -> Vec<Hash> {
    let mut nodes: Vec<Hash> = Vec::new();
    let mut add_node = |id: SymbolId| {
        if let Some(symbol) = snapshot.symbol(id).filter(|symbol| is_shared(symbol.kind)) {
            nodes.push(symbol.hash);
        }
    };
    let mut pending: Vec<SymbolId> = symbols.to_vec();
    let mut seen: FxHashSet<SymbolId> = symbols.iter().copied().collect();
    while let Some(id) = pending.pop() {
        add_node(id);
        for edge in snapshot.in_edges(id).into_iter().filter(|edge| edge.kind.starts_outside()) {
            add_node(edge.source);
        }
        for edge in snapshot.out_edges(id).into_iter().filter(|edge| edge.kind == EdgeKind::Contains) {
            if seen.len() < MAX_NODES && seen.insert(edge.target) {
                pending.push(edge.target);
            }
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes.truncate(MAX_NODES);
    nodes
}

/// Returns the symbols of a workspace that use or provide shared nodes of another workspace, in the
/// order of the nodes and of the symbols' identities.
pub fn users_of_nodes(snapshot: &Snapshot, nodes: &[Hash]) -> Vec<SharedUser> {
    let mut users = Vec::new();
    for node in nodes.iter().filter_map(|node| snapshot.symbol_by_hash(node)) {
        let uses = snapshot.in_edges(node).into_iter().filter(|edge| edge.kind.is_use());
        let uses = uses.map(|edge| shared_user(edge.source, node, &edge));
        let provided = snapshot.out_edges(node).into_iter().filter(|edge| edge.kind.starts_outside());
        let provided = provided.map(|edge| shared_user(edge.target, node, &edge));
        let mut node_users: Vec<SharedUser> = uses.chain(provided).collect();
        node_users.sort_by_key(|user| snapshot.symbol(user.symbol).map(|symbol| (symbol.hash, user.kind)));
        users.extend(node_users);
    }
    users
}

fn shared_user(symbol: SymbolId, node: SymbolId, edge: &Edge) -> SharedUser {
    let Edge { kind, provenance, line, .. } = *edge;
    SharedUser { symbol, node, kind, provenance, line }
}

/// Whether symbols of this kind have the same meaning in all workspaces.
const fn is_shared(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Route | SymbolKind::EnvVar | SymbolKind::Flag | SymbolKind::Resource)
}
