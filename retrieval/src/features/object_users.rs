//! Possible dependents of members that code outside the workspace calls: the code that creates
//! their objects.
//!
//! No code in the workspace calls `__enter__`, the `run` of a thread or the `get_command` of a
//! command group: the language or the library does, with an object that the workspace created. Code
//! that creates the object, names the class as a value or extends it may therefore run the member.

use super::outside_callers::is_called_implicitly;
use super::unresolved::has_library_base;
use kenning_graph::{Edge, EdgeKind, Snapshot, SymbolId, SymbolKind};

/// Confidence of an edge from the creation of an object to a member that outside code may call.
const CONFIDENCE: f32 = 0.6;

/// Maximum number of users of a type that count as users of one of its members. The users of a more
/// common type, such as a base class of all views, are no evidence for a single member.
const MAX_USERS: usize = 256;

/// Returns edges from the users of a member's type to the member; empty for a member that only the
/// workspace calls. The edges have the kind [`EdgeKind::MemberOf`], because the users reach the
/// member through its type.
pub(super) fn object_user_edges(snapshot: &Snapshot, id: SymbolId) -> Vec<Edge> {
    let Some(symbol) = snapshot.symbol(id).filter(|symbol| symbol.kind.is_callable()) else {
        return Vec::new();
    };
    let Some(owner) = symbol.parent.filter(|&owner| is_type(snapshot, owner)) else { return Vec::new() };
    let is_hidden = is_called_implicitly(&symbol)
        || (!has_product_callers(snapshot, id) && has_library_base(snapshot, owner));
    if !is_hidden {
        return Vec::new();
    }
    let mut edges = Vec::new();
    let mut add = |edge: Edge| {
        let inside = snapshot.symbol(edge.source).is_some_and(|source| source.parent == Some(owner));
        let uses = matches!(edge.kind, EdgeKind::Calls | EdgeKind::References | EdgeKind::Extends);
        if uses && !inside && edge.source != owner {
            let confidence = edge.confidence.min(CONFIDENCE);
            edges.push(Edge { target: id, kind: EdgeKind::MemberOf, confidence, ..edge });
        }
    };
    snapshot.for_each_in_edge(owner, &mut add);
    for constructor in find_constructors(snapshot, owner).into_iter().filter(|&constructor| constructor != id)
    {
        snapshot.for_each_in_edge(constructor, &mut add);
    }
    if edges.len() > MAX_USERS { Vec::new() } else { edges }
}

fn is_type(snapshot: &Snapshot, id: SymbolId) -> bool {
    snapshot
        .symbol_facets(id)
        .is_some_and(|facets| facets.kind.is_type() && facets.kind != SymbolKind::Module)
}

/// Whether code outside of tests calls a symbol.
fn has_product_callers(snapshot: &Snapshot, id: SymbolId) -> bool {
    let mut found = false;
    snapshot.for_each_in_edge(id, |edge| {
        found = found
            || (edge.kind == EdgeKind::Calls
                && snapshot.symbol(edge.source).is_some_and(|source| {
                    !source.is_test && !crate::path_role::is_secondary_path(source.path)
                }));
    });
    found
}

fn find_constructors(snapshot: &Snapshot, owner: SymbolId) -> Vec<SymbolId> {
    let mut constructors = Vec::new();
    snapshot.for_each_in_edge(owner, |edge| {
        let facets = snapshot.symbol_facets(edge.source);
        let is_constructor = facets.is_some_and(|facets| facets.kind == SymbolKind::Constructor);
        if edge.kind == EdgeKind::MemberOf && is_constructor {
            constructors.push(edge.source);
        }
    });
    constructors
}
