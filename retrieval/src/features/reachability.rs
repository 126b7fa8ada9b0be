//! Searches for the symbols that reach a symbol: breadth first over incoming edges, with bounds on
//! the work.
//!
//! The search adds to the targets what belongs to them: members of types, all symbols of a file.
//! Each hop reads the incoming edges (`incoming_edges.rs`) of the symbols that the last hop found.
//! A symbol that was reached over an ambiguous edge is expanded again when a path without ambiguous
//! edges to it is found. Up to the hop [`ReachSearch::complete_hops`], the result contains all
//! symbols.

use super::blast_counts::SymbolCount;
use super::incoming_edges::{ExpandedRole, FollowedEdge, IncomingEdges, Indirection, is_use};
use super::is_ambiguous;
use super::reaching_tests::ReachingTest;
use kenning_graph::{Edge, EdgeKind, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashMap;

/// Maximum number of hops from a dependent to the target. It also applies to tests, so that a
/// symbol never has more tests than dependents.
pub const MAX_HOPS: u8 = 6;

/// Maximum number of dependents that are counted. Nearly all code of a framework reaches the
/// symbols of its core.
pub const MAX_DEPENDENTS: usize = 1000;

/// Maximum number of symbols whose incoming edges are read, in addition to the targets. Four times
/// [`MAX_DEPENDENTS`] is enough to count the dependents completely up to their bound, and the
/// search for tests ends in milliseconds.
const MAX_EXPANDED: usize = 4 * MAX_DEPENDENTS;

/// Maximum number of incoming edges that are read, in addition to the edges of the targets. Base
/// classes and logging functions have tens of thousands of users.
const MAX_EDGES: usize = 60_000;

/// Maximum number of members of a type, or symbols of a file, that become targets. Generated types
/// and files have tens of thousands.
const MAX_TARGETS: usize = 2_000;

/// Number of targets, members included, above which the callers of overridden symbols are not read,
/// because each method of a large type may override one with thousands of callers.
const MAX_DISPATCH_TARGETS: usize = 64;

/// The index of no symbol in [`ReachSearch::found`].
pub(super) const NO_SYMBOL: u32 = u32::MAX;

/// A symbol that reaches the targets.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReachingSymbol {
    pub id: SymbolId,
    /// Hops to the nearest target.
    pub depth: u8,
    /// Hops over edges that are not ambiguous; `None` if there is no such path within the bounds.
    pub certain_hops: Option<u8>,
    /// The next symbol on the path to the target, as an index into [`ReachSearch::found`];
    /// [`NO_SYMBOL`] for targets.
    pub via: u32,
    /// The edge to that symbol; meaningless for a target.
    pub edge: Edge,
    /// The overridden symbol or the route through which that edge leads, if it is indirect.
    pub through: Option<SymbolId>,
}

impl ReachingSymbol {
    /// Whether a path of at most `hops` hops has no ambiguous edge.
    pub fn is_certain_within(&self, hops: u8) -> bool {
        self.certain_hops.is_some_and(|certain_hops| certain_hops <= hops)
    }
}

/// The symbols that reach a set of targets.
pub(super) struct ReachSearch<'a> {
    pub snapshot: &'a Snapshot,
    /// The targets first, then the symbols by hops, and within a hop by identity.
    pub found: Vec<ReachingSymbol>,
    /// Indices into `found`.
    pub index: FxHashMap<SymbolId, u32>,
    /// `tests` edges to the symbols found: the edge, and the index of the tested symbol.
    pub test_edges: Vec<(Edge, u32)>,
    /// Number of targets at the start of `found`.
    pub target_count: usize,
    /// Number of hops up to which all symbols are in `found`.
    pub complete_hops: u8,
    indirection: Indirection,
    /// Number of symbols whose incoming edges were read, without the targets.
    expanded_count: usize,
    /// Number of incoming edges that were read, without those of the targets.
    edges_read: usize,
}

impl<'a> ReachSearch<'a> {
    /// Finds the symbols that reach one of the targets within `hops`.
    pub fn new(snapshot: &'a Snapshot, targets: &[SymbolId], hops: u8, indirection: Indirection) -> Self {
        let mut reach = Self {
            snapshot,
            found: Vec::new(),
            index: FxHashMap::default(),
            test_edges: Vec::new(),
            target_count: 0,
            complete_hops: hops,
            indirection,
            expanded_count: 0,
            edges_read: 0,
        };
        for id in targets_with_parts(snapshot, targets) {
            reach.add_target(id);
        }
        reach.target_count = reach.found.len();
        reach.search_hops(hops);
        reach
    }

    fn add_target(&mut self, id: SymbolId) {
        let position = self.found.len() as u32;
        if self.index.contains_key(&id) || self.snapshot.symbol_facets(id).is_none() {
            return;
        }
        let edge = Edge {
            source: id,
            target: id,
            kind: EdgeKind::Calls,
            provenance: kenning_graph::Provenance::Structural,
            confidence: 1.0,
            line: None,
        };
        self.index.insert(id, position);
        self.found.push(ReachingSymbol {
            id,
            depth: 0,
            certain_hops: Some(0),
            via: NO_SYMBOL,
            edge,
            through: None,
        });
    }

    fn search_hops(&mut self, hops: u8) {
        let mut frontier: Vec<u32> = (0..self.found.len() as u32).collect();
        for depth in 1..=hops {
            let mut level = HopLevel::default();
            for &at in &frontier {
                if depth > 1 && self.is_exhausted() {
                    self.complete_hops = self.complete_hops.min(depth - 1);
                    break;
                }
                self.expand_edges(at, depth, &mut level);
            }
            frontier = self.close_level(level);
            if frontier.is_empty() {
                break;
            }
        }
    }

    fn is_exhausted(&self) -> bool {
        self.expanded_count >= MAX_EXPANDED || self.edges_read >= MAX_EDGES
    }

    /// Reads the incoming edges of the symbol at an index.
    fn expand_edges(&mut self, at: u32, depth: u8, level: &mut HopLevel) {
        let has_many_targets = depth == 1 && self.target_count > MAX_DISPATCH_TARGETS;
        let indirection = if has_many_targets { Indirection::Direct } else { self.indirection };
        let id = self.found[at as usize].id;
        let role = if depth == 1 { ExpandedRole::Target } else { ExpandedRole::Dependent };
        let IncomingEdges { followed, tests, read } =
            IncomingEdges::read(self.snapshot, id, role, indirection);
        if depth > 1 {
            self.expanded_count += 1;
            self.edges_read += read;
        }
        let reached = self.found[at as usize];
        // A symbol is expanded again if a path to it without ambiguous edges is found later; its
        // tests are already known.
        if reached.depth + 1 == depth {
            self.test_edges.extend(tests.into_iter().map(|edge| (edge, at)));
        }
        let is_certain_so_far = reached.certain_hops == Some(depth - 1);
        for FollowedEdge { edge, through } in followed {
            let certain_hops = (is_certain_so_far && !is_ambiguous(&edge)).then_some(depth);
            match self.index.get(&edge.source) {
                None => {
                    level.add_symbol(ReachingSymbol {
                        id: edge.source,
                        depth,
                        certain_hops,
                        via: at,
                        edge,
                        through,
                    });
                }
                Some(&known) => {
                    let known_certain_hops = self.found[known as usize].certain_hops;
                    if certain_hops.is_some() && known_certain_hops.is_none() {
                        self.found[known as usize].certain_hops = certain_hops;
                        level.reexpand.push(known);
                    }
                }
            }
        }
    }

    /// Adds the symbols of a level in the order of their identities. Returns the indices to expand
    /// next.
    fn close_level(&mut self, level: HopLevel) -> Vec<u32> {
        let key = |reached: &ReachingSymbol| self.snapshot.symbol(reached.id).map(|s| s.hash);
        let mut added: Vec<ReachingSymbol> = level.added.into_values().collect();
        added.sort_by_cached_key(key);
        let mut next = level.reexpand;
        next.sort_unstable();
        for reached in added {
            let position = self.found.len() as u32;
            self.index.insert(reached.id, position);
            self.found.push(reached);
            next.push(position);
        }
        next
    }

    /// Returns the symbols found, without the targets.
    pub fn reached_symbols(&self) -> &[ReachingSymbol] {
        &self.found[self.target_count..]
    }

    /// Returns the symbols on the path from an index to its target, including both.
    pub fn path_to_target(&self, at: u32) -> Vec<SymbolId> {
        let mut path = Vec::new();
        let mut next = self.found.get(at as usize);
        while let Some(reached) = next {
            path.push(reached.id);
            // The next symbol comes before this one in `found`, so the loop ends.
            next = self.found.get(reached.via as usize);
        }
        path
    }

    /// Returns the symbols that depend on a target directly.
    pub fn direct_dependents(&self) -> impl Iterator<Item = &ReachingSymbol> {
        self.reached_symbols().iter().take_while(|r| r.depth == 1)
    }

    /// Returns the direct callers: symbols that call a target, pass it on to be called, or request
    /// its route.
    pub fn direct_callers(&self) -> impl Iterator<Item = &ReachingSymbol> {
        self.direct_dependents().filter(|reached| {
            let callable =
                |id| self.snapshot.symbol_facets(id).is_some_and(|facets| facets.kind.is_callable());
            match reached.edge.kind {
                EdgeKind::Calls | EdgeKind::RuntimeCalls | EdgeKind::ConsumesEndpoint => true,
                EdgeKind::References => callable(reached.edge.target),
                _ => false,
            }
        })
    }

    /// Counts the symbols that use a target other than by extending or overriding it.
    pub fn use_count(&self) -> SymbolCount {
        count_symbols(self.direct_dependents().filter(|r| {
            matches!(r.edge.kind, EdgeKind::Calls | EdgeKind::RuntimeCalls) || is_use(r.edge.kind)
        }))
    }

    /// Counts the types that extend or implement a target.
    pub fn implementation_count(&self) -> SymbolCount {
        count_symbols(
            self.direct_dependents()
                .filter(|r| matches!(r.edge.kind, EdgeKind::Extends | EdgeKind::Implements)),
        )
    }

    /// Counts the direct callers.
    pub fn caller_count(&self) -> SymbolCount {
        count_symbols(self.direct_callers())
    }

    /// Counts the symbols that reach the targets, and the tests that reach them only through an
    /// inner function or over a `tests` edge.
    pub fn dependent_count(&self, tests: &[ReachingTest]) -> SymbolCount {
        let others = tests.iter().filter(|found| !self.index.contains_key(&found.test)).count();
        let mut count =
            SymbolCount { value: others, capped: self.complete_hops < MAX_HOPS, approximate: false };
        for reached in self.reached_symbols() {
            if count.value >= MAX_DEPENDENTS {
                count.value = MAX_DEPENDENTS;
                count.capped = true;
                break;
            }
            count.value += 1;
            count.approximate |= !reached.is_certain_within(MAX_HOPS);
        }
        count
    }
}

fn count_symbols<'r>(symbols: impl Iterator<Item = &'r ReachingSymbol>) -> SymbolCount {
    let mut count = SymbolCount::default();
    for reached in symbols {
        count.value += 1;
        count.approximate |= is_ambiguous(&reached.edge);
    }
    count
}

/// The symbols that one hop adds.
#[derive(Default)]
struct HopLevel {
    added: FxHashMap<SymbolId, ReachingSymbol>,
    /// Indices of known symbols to expand again, because a path without ambiguous edges was found.
    reexpand: Vec<u32>,
}

impl HopLevel {
    /// Adds a path to a symbol. Keeps the first path, but prefers a call to other kinds of edges
    /// and a path without ambiguous edges.
    fn add_symbol(&mut self, reached: ReachingSymbol) {
        match self.added.entry(reached.id) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(reached);
            }
            std::collections::hash_map::Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                let priority =
                    |r: &ReachingSymbol| (r.edge.kind != EdgeKind::Calls, r.certain_hops.is_none());
                if priority(&reached) < priority(known) {
                    let certain_hops = known.certain_hops.or(reached.certain_hops);
                    *known = ReachingSymbol { certain_hops, ..reached };
                } else {
                    known.certain_hops = known.certain_hops.or(reached.certain_hops);
                }
            }
        }
    }
}

/// Returns the targets with the parts that belong to them: members of types, everything in a
/// file.
fn targets_with_parts(snapshot: &Snapshot, targets: &[SymbolId]) -> Vec<SymbolId> {
    let mut parts = Vec::new();
    for &id in targets {
        parts.push(id);
        let Some(facets) = snapshot.symbol_facets(id) else { continue };
        if facets.kind == SymbolKind::File {
            let symbols = facets.file.map(|file| snapshot.file_symbols(file)).unwrap_or_default();
            parts.extend(symbols.into_iter().take(MAX_TARGETS));
        } else if facets.kind.is_type() && facets.kind != SymbolKind::Module {
            let start = parts.len();
            snapshot.for_each_in_edge(id, |edge| {
                if edge.kind == EdgeKind::MemberOf {
                    parts.push(edge.source);
                }
            });
            parts[start..].sort_unstable();
            parts.truncate(start + MAX_TARGETS);
        }
    }
    parts
}
