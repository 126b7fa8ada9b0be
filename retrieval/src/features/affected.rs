//! Finds the tests that a change to symbols affects, each with the call path that reaches the
//! change.
//!
//! [`ReachSearch`] finds the tests that certainly reach the targets. [`DispatchSearch`] then finds
//! those that may reach them by dynamic dispatch: tests that call a symbol that one on the path
//! overrides.

use super::incoming_edges::{IncomingEdges, Indirection};
use super::overriding::overridden_bases;
use super::reachability::{MAX_HOPS, ReachSearch};
use super::reaching_tests::{self, is_called, is_test, outermost_test};
use kenning_graph::{EdgeKind, Snapshot, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of symbols reached through dynamic dispatch.
const MAX_POSSIBLE: usize = 4_000;

/// A test that a change affects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffectedTest {
    /// The test.
    pub test: SymbolId,
    /// The shortest path, from the test to one of the targets. It has only the test if the test is
    /// a target itself.
    pub path: Vec<SymbolId>,
    /// Whether the path contains a call to a symbol that the next symbol on the path overrides.
    /// Dispatch decides at run time whether that call runs the overriding symbol.
    pub possible: bool,
    /// Whether every path has an ambiguous edge ([`super::is_ambiguous`]).
    pub ambiguous: bool,
}

/// The tests that a change affects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AffectedTests {
    /// The tests, nearest first and then by qualified name; at the same distance, certain ones come
    /// before possible ones.
    pub tests: Vec<AffectedTest>,
    /// Whether there may be more tests, because the list was cut or the search reached its bounds.
    pub truncated: bool,
}

/// Returns the tests that reach one of the targets within [`MAX_HOPS`], at most `limit`, including
/// the tests among the targets.
pub fn affected_tests(snapshot: &Snapshot, targets: &[SymbolId], limit: usize) -> AffectedTests {
    let reach = ReachSearch::new(snapshot, targets, MAX_HOPS, Indirection::Direct);
    let mut known: FxHashSet<SymbolId> = FxHashSet::default();
    let mut tests = Vec::new();
    for target in &reach.found[..reach.targets] {
        let test = outermost_test(snapshot, target.id);
        if is_test(snapshot, test) && !is_called(snapshot, test) && known.insert(test) {
            tests.push(AffectedTest { test, path: vec![test], possible: false, ambiguous: false });
        }
    }
    for found in reaching_tests::find_tests(&reach) {
        if known.insert(found.test) {
            let path = reaching_tests::path_from_test(&reach, &found);
            tests.push(AffectedTest { test: found.test, path, possible: false, ambiguous: !found.certain });
        }
    }
    let (possible, complete) = possible_tests(&reach, &known);
    tests.extend(possible);
    let mut sortable: Vec<(usize, bool, String, AffectedTest)> = tests
        .into_iter()
        .map(|test| {
            let name = snapshot.symbol(test.test).map(|s| s.qualified_name()).unwrap_or_default();
            (test.path.len(), test.possible, name, test)
        })
        .collect();
    sortable.sort_by(|a, b| (a.0, a.1, &a.2, a.3.test).cmp(&(b.0, b.1, &b.2, b.3.test)));
    let truncated = sortable.len() > limit || reach.complete_hops < MAX_HOPS || !complete;
    sortable.truncate(limit);
    AffectedTests { tests: sortable.into_iter().map(|(.., test)| test).collect(), truncated }
}

/// A symbol that may reach the targets by dynamic dispatch.
#[derive(Clone, Copy)]
struct DispatchCandidate {
    id: SymbolId,
    /// The next symbol on the path.
    next: NextHop,
}

#[derive(Clone, Copy)]
enum NextHop {
    /// An index into [`ReachSearch::found`].
    Certain(u32),
    /// An index into [`DispatchSearch::found`].
    Possible(u32),
}

/// Returns the tests that reach the targets only by calling a symbol that one on the path
/// overrides, and whether the search was complete.
fn possible_tests(reach: &ReachSearch, known: &FxHashSet<SymbolId>) -> (Vec<AffectedTest>, bool) {
    let search = DispatchSearch::from_reach(reach);
    let mut tests: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
    let mut add_test = |entry: SymbolId, mut path: Vec<SymbolId>| {
        let test = outermost_test(reach.snapshot, entry);
        if test != entry {
            path.insert(0, test);
        }
        let is_target = reach.index.get(&test).is_some_and(|&at| (at as usize) < reach.targets);
        if known.contains(&test) || is_target {
            return;
        }
        let shortest = tests.entry(test).or_insert_with(|| path.clone());
        if path.len() < shortest.len() {
            *shortest = path;
        }
    };
    for (at, found) in search.found.iter().enumerate() {
        if is_test(reach.snapshot, found.id) {
            add_test(found.id, search.path_to_target(at as u32));
        }
    }
    for &(test, at) in &search.tests {
        let mut path = search.path_to_target(at);
        path.insert(0, test);
        add_test(test, path);
    }
    tests.retain(|&test, path| {
        !is_called(reach.snapshot, test) && !reach.snapshot.is_refuted_by_runs(test, path)
    });
    let test = |(test, path)| AffectedTest { test, path, possible: true, ambiguous: false };
    (tests.into_iter().map(test).collect(), search.complete)
}

/// The search for symbols that reach the targets by calling a symbol that one on the path
/// overrides.
struct DispatchSearch<'r, 'a> {
    reach: &'r ReachSearch<'a>,
    found: Vec<DispatchCandidate>,
    seen: FxHashSet<SymbolId>,
    /// Sources of `tests` edges, with the index of the tested symbol.
    tests: Vec<(SymbolId, u32)>,
    complete: bool,
}

impl<'r, 'a> DispatchSearch<'r, 'a> {
    fn from_reach(reach: &'r ReachSearch<'a>) -> Self {
        let mut search =
            Self { reach, found: Vec::new(), seen: FxHashSet::default(), tests: Vec::new(), complete: true };
        let mut levels: Vec<Vec<DispatchCandidate>> = vec![Vec::new(); usize::from(MAX_HOPS) + 1];
        for (at, reached) in reach.found.iter().enumerate().filter(|(_, r)| r.depth < MAX_HOPS) {
            for base in overridden_bases(reach.snapshot, reached.id) {
                let next = NextHop::Certain(at as u32);
                levels[usize::from(reached.depth) + 1].push(DispatchCandidate { id: base, next });
            }
        }
        for depth in 1..=usize::from(MAX_HOPS) {
            let mut level = std::mem::take(&mut levels[depth]);
            level.sort_by_cached_key(|p| reach.snapshot.symbol(p.id).map(|s| s.hash));
            for possible in level {
                if search.found.len() >= MAX_POSSIBLE {
                    search.complete = false;
                    return search;
                }
                if reach.index.contains_key(&possible.id) || !search.seen.insert(possible.id) {
                    continue;
                }
                search.found.push(possible);
                if let Some(next) = levels.get_mut(depth + 1) {
                    search.expand_last(next);
                }
            }
        }
        search
    }

    /// Adds the callers of the symbol found last, and the symbols that it overrides.
    fn expand_last(&mut self, next: &mut Vec<DispatchCandidate>) {
        let at = self.found.len() as u32 - 1;
        let id = self.found[at as usize].id;
        let IncomingEdges { followed, tests, .. } =
            IncomingEdges::read(self.reach.snapshot, id, false, Indirection::Direct);
        // Other overriders of the same base do not depend on the target, so only calls are
        // followed.
        let calls = followed.into_iter().map(|f| f.edge).filter(|edge| edge.kind == EdgeKind::Calls);
        let calls = calls.map(|edge| edge.source);
        let all = calls.chain(overridden_bases(self.reach.snapshot, id));
        next.extend(all.map(|id| DispatchCandidate { id, next: NextHop::Possible(at) }));
        self.tests.extend(tests.into_iter().map(|edge| (edge.source, at)));
    }

    /// Returns the path from a possible symbol to a target.
    fn path_to_target(&self, at: u32) -> Vec<SymbolId> {
        let mut path = Vec::new();
        let mut next = NextHop::Possible(at);
        loop {
            match next {
                NextHop::Possible(at) => {
                    let possible = self.found[at as usize];
                    path.push(possible.id);
                    next = possible.next;
                }
                NextHop::Certain(at) => {
                    path.extend(self.reach.path_to_target(at));
                    return path;
                }
            }
        }
    }
}
