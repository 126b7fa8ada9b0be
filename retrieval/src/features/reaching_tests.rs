//! Finds the tests among the symbols that reach a target.
//!
//! A test is a symbol that the text marks as one or the source of a `tests` edge. A function inside
//! a test counts as the outermost test around it. Left out are helpers, which other symbols call,
//! tests that are targets themselves, and tests whose recordings show that they do not run the path
//! to the target.

use super::blast_counts::{RecordedTests, SymbolCount};
use super::is_ambiguous;
use super::reachability::{MAX_DEPENDENTS, MAX_HOPS, ReachSearch};
use kenning_graph::{EdgeKind, Snapshot, SymbolId};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Maximum number of functions around a symbol that are searched for an outer test. Crafted files
/// nest thousands of functions.
const MAX_NESTING: usize = 32;

/// A test that reaches the targets.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReachingTest {
    pub test: SymbolId,
    /// Hops to the nearest target.
    pub distance: u8,
    /// Whether the test reaches the targets without ambiguous edges.
    pub certain: bool,
    /// The symbol of the test that reaches the targets: the test itself, or a function inside it.
    pub entry: SymbolId,
    /// Index in [`ReachSearch::found`] of the next symbol on the path.
    pub next: u32,
}

/// Returns the tests, each once, in no particular order.
pub(super) fn find_tests(reach: &ReachSearch) -> Vec<ReachingTest> {
    let snapshot = reach.snapshot;
    let mut tests = TestCollector { reach, by_id: FxHashMap::default() };
    for reached in reach.reached_symbols().iter().take_while(|r| r.depth <= MAX_HOPS) {
        if is_test(snapshot, reached.id) {
            tests.add_test(reached.id, reached.depth, reached.is_certain_within(MAX_HOPS), reached.via);
        }
    }
    for (edge, at) in &reach.test_edges {
        let tested = &reach.found[*at as usize];
        let certain = !is_ambiguous(edge) && tested.is_certain_within(MAX_HOPS - 1);
        tests.add_test(edge.source, tested.depth + 1, certain, *at);
    }
    let found = tests.by_id.into_values();
    found.filter(|found| !is_called(snapshot, found.test) && !is_refuted(reach, found)).collect()
}

/// Whether recordings show that a test does not run the path to its target.
fn is_refuted(reach: &ReachSearch, found: &ReachingTest) -> bool {
    let runs = reach.snapshot.run_layer();
    !runs.is_empty() && reach.snapshot.is_refuted_by_runs(found.test, &path_from_test(reach, found))
}

/// Counts the tests that recordings show to run one of the targets.
pub(super) fn count_recorded(reach: &ReachSearch) -> RecordedTests {
    let mut by_test: FxHashMap<SymbolId, (bool, i64)> = FxHashMap::default();
    for target in &reach.found[..reach.target_count] {
        for cover in reach.snapshot.covering_tests(target.id) {
            let known = by_test.entry(cover.test).or_insert((cover.fresh, cover.last_seen));
            *known = (known.0 || cover.fresh, known.1.max(cover.last_seen));
        }
    }
    RecordedTests {
        fresh: by_test.values().filter(|(fresh, _)| *fresh).count(),
        stale: by_test.values().filter(|(fresh, _)| !fresh).count(),
        last_seen: by_test.values().map(|(_, time)| *time).max().unwrap_or_default(),
    }
}

/// Counts the tests, up to [`MAX_DEPENDENTS`].
pub(super) fn count_tests(reach: &ReachSearch, tests: &[ReachingTest]) -> SymbolCount {
    SymbolCount {
        value: tests.len().min(MAX_DEPENDENTS),
        approximate: tests.iter().any(|test| !test.certain),
        capped: reach.complete_hops < MAX_HOPS || tests.len() > MAX_DEPENDENTS,
    }
}

/// Collects the tests of a search, each with its shortest path.
struct TestCollector<'r, 'a> {
    reach: &'r ReachSearch<'a>,
    by_id: FxHashMap<SymbolId, ReachingTest>,
}

impl TestCollector<'_, '_> {
    fn add_test(&mut self, entry: SymbolId, distance: u8, certain: bool, next: u32) {
        let test = outermost_test(self.reach.snapshot, entry);
        let is_target =
            |id| self.reach.index.get(id).is_some_and(|&at| (at as usize) < self.reach.target_count);
        if is_target(&test) || is_target(&entry) {
            return;
        }
        let new = ReachingTest { test, distance, certain, entry, next };
        match self.by_id.entry(test) {
            Entry::Vacant(slot) => {
                slot.insert(new);
            }
            Entry::Occupied(mut slot) => {
                let known = slot.get_mut();
                let certain = known.certain || certain;
                // Prefer a shorter path, and of equally short paths one without an inner function.
                if (new.distance, new.entry != test) < (known.distance, known.entry != test) {
                    *known = new;
                }
                known.certain = certain;
            }
        }
    }
}

/// Returns the outermost test around a symbol, or the symbol itself if there is none.
pub(crate) fn outermost_test(snapshot: &Snapshot, id: SymbolId) -> SymbolId {
    let (mut outer, mut at) = (id, id);
    for _ in 0..MAX_NESTING {
        let Some(parent) = snapshot.symbol(at).and_then(|s| s.parent) else { break };
        if is_test(snapshot, parent) {
            outer = parent;
        }
        at = parent;
    }
    outer
}

/// Whether the text marks a symbol as a test.
pub(crate) fn is_test(snapshot: &Snapshot, id: SymbolId) -> bool {
    snapshot.symbol_facets(id).is_some_and(|f| f.is_test && f.kind.is_callable())
}

/// Whether a symbol outside a test calls it, which makes it a helper of tests.
pub(super) fn is_called(snapshot: &Snapshot, test: SymbolId) -> bool {
    let mut called = false;
    snapshot.for_each_in_edge(test, |edge| {
        called = called || (edge.kind == EdgeKind::Calls && outermost_test(snapshot, edge.source) != test);
    });
    called
}

/// Returns the path from a test to the target, including both.
pub(super) fn path_from_test(reach: &ReachSearch, found: &ReachingTest) -> Vec<SymbolId> {
    let mut path = vec![found.test];
    if found.entry != found.test {
        path.push(found.entry);
    }
    path.extend(reach.path_to_target(found.next));
    path
}
