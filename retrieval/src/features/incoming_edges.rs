//! The edges that the search for dependents follows to one symbol.
//!
//! Direct edges are calls, uses as a value, overrides, implementations and extensions. For a
//! target, they also include every other use: types in signatures, accesses, thrown types, mentions
//! in code. Indirect edges lead through a symbol in between: an overridden method, because a call
//! to it may run the overriding method, or a route, because a client's request runs the handler of
//! the route.

use super::AMBIGUOUS_BELOW;
use super::object_users::object_user_edges;
use super::overriding::all_overridden_bases;
use super::reaching_tests::outermost_test;
use super::request_entries::request_edges;
use super::test_setup::{enclosing_edge, setup_edges};
use kenning_graph::{Edge, EdgeKind, Provenance, Snapshot, SymbolId, SymbolKind};

/// Maximum number of overriding symbols of a base whose callers are followed, except for the target
/// itself. A call to a base with more overriding symbols, such as `Runnable.run`, may run nearly
/// any code.
const MAX_OVERRIDERS: usize = 24;

/// Maximum confidence of an edge through an overridden symbol, because dispatch decides at run
/// time.
const DISPATCH_CONFIDENCE: f32 = 0.6;

/// The role of the symbol whose incoming edges are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpandedRole {
    /// A target of the search. Every use of it is followed.
    Target,
    /// A symbol that depends on a target. Other uses, and calls to a base with more than
    /// [`MAX_OVERRIDERS`] overriding symbols, are not followed.
    Dependent,
}

/// Whether edges that lead through a symbol in between are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indirection {
    /// Only direct edges.
    Direct,
    /// Includes calls to overridden symbols, and requests of tests that a framework's entry
    /// receives.
    Dispatch,
}

/// An edge to a symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct FollowedEdge {
    /// The edge. Its target is the symbol itself, even if another symbol is in between.
    pub edge: Edge,
    /// The overridden symbol or the route in between.
    pub through: Option<SymbolId>,
}

/// The edges to one symbol.
#[derive(Debug, Default)]
pub(super) struct IncomingEdges {
    /// The followed edges, one per source (the strongest), in the order of the sources.
    pub followed: Vec<FollowedEdge>,
    /// The `tests` and `covers` edges, one per source.
    pub tests: Vec<Edge>,
    /// Number of edges read.
    pub read: usize,
}

impl IncomingEdges {
    /// Reads the edges to `id`. A decorated symbol depends on its decorator, so a `decorates`
    /// edge is followed as a call by the decorated symbol.
    pub fn read(snapshot: &Snapshot, id: SymbolId, role: ExpandedRole, indirection: Indirection) -> Self {
        let mut edges = Self::default();
        let facets = snapshot.symbol_facets(id);
        let is_callable = facets.is_some_and(|facets| facets.kind.is_callable());
        let is_value = facets.is_some_and(|facets| {
            use SymbolKind::{Constant, Field, Property, Variable};
            matches!(facets.kind, Constant | Field | Property | Variable)
        });
        let (mut routes, mut resources) = (Vec::new(), Vec::new());
        snapshot.for_each_in_edge(id, |edge| {
            edges.read += 1;
            match edge.kind {
                EdgeKind::Calls | EdgeKind::Overrides | EdgeKind::Implements | EdgeKind::Extends => {
                    edges.follow(edge, None);
                }
                // Code that names a callable without a call usually passes it on to be called.
                EdgeKind::References if is_callable => edges.follow(edge, None),
                // Reading a property runs its accessor, and reading a value depends on its
                // initializer.
                EdgeKind::AccessesField | EdgeKind::References if is_value => edges.follow(edge, None),
                // Only the node of an endpoint has such edges.
                EdgeKind::ConsumesEndpoint => edges.follow(edge, None),
                EdgeKind::HandlesRoute => routes.push(edge.source),
                EdgeKind::DefinedBy | EdgeKind::DeployedBy => resources.push(edge.source),
                EdgeKind::Tests => edges.tests.push(edge),
                kind if role == ExpandedRole::Target && is_use(kind) => edges.follow(edge, None),
                _ => {}
            }
        });
        snapshot.for_each_out_edge(id, |edge| {
            edges.read += 1;
            if edge.kind == EdgeKind::Decorates {
                edges.follow(
                    Edge { source: edge.target, target: edge.source, kind: EdgeKind::Calls, ..edge },
                    None,
                );
            }
        });
        edges.add_recorded(snapshot, id);
        for resource in resources {
            edges.add_resource_users(snapshot, id, resource);
        }
        for route in routes {
            edges.add_requests(snapshot, id, route);
        }
        if indirection == Indirection::Dispatch {
            edges.add_dispatch(snapshot, id, role);
            let possible = request_edges(snapshot, id).into_iter().chain(object_user_edges(snapshot, id));
            for edge in possible.chain(setup_edges(snapshot, id)) {
                edges.read += 1;
                edges.follow(edge, Some(id));
            }
            if edges.followed.is_empty()
                && let Some(edge) = enclosing_edge(snapshot, id)
            {
                edges.follow(edge, Some(id));
            }
        }
        edges.keep_strongest();
        edges
    }

    fn follow(&mut self, edge: Edge, through: Option<SymbolId>) {
        self.followed.push(FollowedEdge { edge, through });
    }

    /// Adds the calls that traces showed, and the tests that ran the symbol in recordings. A stale
    /// record of a test is weaker evidence than the text.
    fn add_recorded(&mut self, snapshot: &Snapshot, id: SymbolId) {
        for edge in snapshot.runtime_callers(id) {
            self.read += 1;
            self.follow(edge, None);
        }
        for cover in snapshot.covering_tests(id) {
            self.read += 1;
            if cover.fresh || !self.tests.iter().any(|edge| edge.source == cover.test) {
                self.tests.push(Edge {
                    source: cover.test,
                    target: id,
                    kind: EdgeKind::Covers,
                    provenance: Provenance::Runtime,
                    confidence: cover.confidence(),
                    line: None,
                });
            }
        }
    }

    /// Adds the functions that request a route as dependents of its handler. A handler inside a
    /// test serves that test only, although other tests request the same path of their own
    /// applications.
    fn add_requests(&mut self, snapshot: &Snapshot, handler: SymbolId, route: SymbolId) {
        let test = outermost_test(snapshot, handler);
        snapshot.for_each_in_edge(route, |edge| {
            self.read += 1;
            let is_served = test == handler || outermost_test(snapshot, edge.source) == test;
            if edge.kind == EdgeKind::ConsumesEndpoint && is_served {
                self.follow(Edge { target: handler, ..edge }, Some(route));
            }
        });
    }

    /// Adds the users of a shared resource that a symbol defines or deploys, and the handlers of an
    /// endpoint that a specification defines.
    fn add_resource_users(&mut self, snapshot: &Snapshot, definition: SymbolId, resource: SymbolId) {
        snapshot.for_each_in_edge(resource, |edge| {
            self.read += 1;
            if edge.kind.is_use() {
                self.follow(Edge { target: definition, ..edge }, None);
            }
        });
        snapshot.for_each_out_edge(resource, |edge| {
            self.read += 1;
            if edge.kind == EdgeKind::HandlesRoute {
                self.follow(Edge { source: edge.target, target: definition, ..edge }, None);
            }
        });
    }

    /// Adds the callers of the symbols that a symbol overrides, and the code that passes these
    /// symbols on to be called.
    fn add_dispatch(&mut self, snapshot: &Snapshot, id: SymbolId, role: ExpandedRole) {
        for base in all_overridden_bases(snapshot, std::iter::once(id)) {
            let (mut callers, mut overriders) = (Vec::new(), 0);
            snapshot.for_each_in_edge(base, |edge| {
                self.read += 1;
                match edge.kind {
                    EdgeKind::Calls | EdgeKind::References => callers.push(edge),
                    EdgeKind::Overrides => overriders += 1,
                    _ => {}
                }
            });
            if role == ExpandedRole::Target || overriders <= MAX_OVERRIDERS {
                for edge in callers {
                    let confidence = edge.confidence.min(DISPATCH_CONFIDENCE);
                    self.follow(Edge { target: id, confidence, ..edge }, Some(base));
                }
            }
        }
    }

    /// Keeps one edge per source: prefers a direct edge, then a call, then the strongest edge.
    fn keep_strongest(&mut self) {
        self.followed.sort_by(|a, b| {
            let key = |f: &FollowedEdge| (f.edge.source, f.through.is_some(), f.edge.kind != EdgeKind::Calls);
            key(a).cmp(&key(b)).then_with(|| stronger_first(&a.edge, &b.edge)).then(a.through.cmp(&b.through))
        });
        self.followed.dedup_by_key(|followed| followed.edge.source);
        self.tests.sort_by(|a, b| a.source.cmp(&b.source).then_with(|| stronger_first(a, b)));
        self.tests.dedup_by_key(|edge| edge.source);
    }
}

fn stronger_first(a: &Edge, b: &Edge) -> std::cmp::Ordering {
    b.provenance.cmp(&a.provenance).then(b.confidence.total_cmp(&a.confidence)).then(a.line.cmp(&b.line))
}

/// Whether an edge is a use of its target other than a call, an override or an extension.
pub(super) fn is_use(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::AccessesField
            | EdgeKind::References
            | EdgeKind::TypeHintOf
            | EdgeKind::Throws
            | EdgeKind::ReadsEnv
            | EdgeKind::ExecutesProcess
            | EdgeKind::DependsOn
            | EdgeKind::ImplementsRpc
            | EdgeKind::ConsumesRpc
    )
}

const _: () = assert!(DISPATCH_CONFIDENCE < AMBIGUOUS_BELOW);
