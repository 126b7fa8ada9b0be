//! Finds the tests that a change to symbols affects, each with the call path that reaches the
//! change.
//!
//! It uses the search of the blast radius, so that it finds the tests that a lens counts.

use super::incoming_edges::Indirection;
use super::reachability::{MAX_HOPS, NO_SYMBOL, ReachSearch};
use super::reaching_tests::{self, ReachingTest, is_called, is_test, outermost_test};
use kenning_graph::{Snapshot, SymbolId};
use rustc_hash::FxHashSet;

/// A test that a change affects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffectedTest {
    /// The test.
    pub test: SymbolId,
    /// The shortest path, from the test to one of the targets. It contains only the test if the
    /// test is a target itself.
    pub path: Vec<SymbolId>,
    /// Whether every path has an ambiguous edge, and `path` has a step that is decided at run time:
    /// a call to a symbol that the next symbol on the path overrides, or code that a test
    /// framework, a library or the language runs.
    pub possible: bool,
    /// Whether every path has an ambiguous edge ([`super::is_ambiguous`]), and no step of `path` is
    /// decided at run time.
    pub ambiguous: bool,
}

/// The tests that a change affects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AffectedTests {
    /// The tests, nearest first and then by qualified name; at the same distance, certain tests
    /// come before possible ones.
    pub tests: Vec<AffectedTest>,
    /// Whether there may be more tests, because the list was cut or the search reached its bounds.
    pub truncated: bool,
}

/// Returns the tests that reach one of the targets within [`MAX_HOPS`], at most `limit`, including
/// the tests among the targets.
pub fn affected_tests(snapshot: &Snapshot, targets: &[SymbolId], limit: usize) -> AffectedTests {
    let reach = ReachSearch::new(snapshot, targets, MAX_HOPS, Indirection::Dispatch);
    let mut known: FxHashSet<SymbolId> = FxHashSet::default();
    let mut tests = Vec::new();
    for target in &reach.found[..reach.target_count] {
        let test = outermost_test(snapshot, target.id);
        if is_test(snapshot, test) && !is_called(snapshot, test) && known.insert(test) {
            tests.push(AffectedTest { test, path: vec![test], possible: false, ambiguous: false });
        }
    }
    for found in reaching_tests::find_tests(&reach) {
        if known.insert(found.test) {
            let TestPath { path, is_possible } = path_to_target(&reach, &found);
            let possible = is_possible && !found.certain;
            let ambiguous = !possible && !found.certain;
            tests.push(AffectedTest { test: found.test, path, possible, ambiguous });
        }
    }
    let mut sortable: Vec<(usize, bool, String, AffectedTest)> = tests
        .into_iter()
        .map(|test| {
            let name = snapshot.symbol(test.test).map(|s| s.qualified_name()).unwrap_or_default();
            (test.path.len(), test.possible, name, test)
        })
        .collect();
    sortable.sort_by(|a, b| (a.0, a.1, &a.2, a.3.test).cmp(&(b.0, b.1, &b.2, b.3.test)));
    let truncated = sortable.len() > limit || reach.complete_hops < MAX_HOPS;
    sortable.truncate(limit);
    AffectedTests { tests: sortable.into_iter().map(|(.., test)| test).collect(), truncated }
}

/// The path from a test to its target.
struct TestPath {
    /// The symbols from the test to the target, with the overridden symbols that the test calls.
    path: Vec<SymbolId>,
    /// Whether a step is decided at run time, by dispatch or by a framework.
    is_possible: bool,
}

/// Returns the path from a test to its target.
fn path_to_target(reach: &ReachSearch, found: &ReachingTest) -> TestPath {
    let mut path = vec![found.test];
    if found.entry != found.test {
        path.push(found.entry);
    }
    let mut is_possible = false;
    // The steps begin at the entry if the search reached it, or else after a `tests` edge.
    let entry = reach.index.get(&found.entry).map(|&at| &reach.found[at as usize]);
    let mut next = entry.filter(|entry| entry.via == found.next);
    if next.is_none() {
        next = reach.found.get(found.next as usize);
        path.extend(next.map(|step| step.id));
    }
    while let Some(step) = next.filter(|step| step.via != NO_SYMBOL) {
        let between = step.through.and_then(|id| Some((id, reach.snapshot.symbol_facets(id)?.kind)));
        if let Some((base, kind)) = between.filter(|(_, kind)| !kind.is_phantom()) {
            is_possible = true;
            if base != step.edge.target && kind.is_callable() {
                path.push(base);
            }
        }
        next = reach.found.get(step.via as usize);
        path.extend(next.map(|step| step.id));
    }
    TestPath { path, is_possible }
}
