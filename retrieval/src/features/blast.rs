//! The blast radius: the symbols that depend on a symbol, with their distance and the evidence.
//!
//! [`blast_counts`] returns only the numbers, for lens titles. [`blast_radius`] returns the same
//! numbers with lists of callers, dependents by hops and tests. [`super`] defines the numbers.

use super::blast_counts::{BlastCounts, CountedKind, SymbolCount};
use super::incoming_edges::{Indirection, is_use};
use super::is_ambiguous;
use super::overriding::all_overridden_bases;
use super::reachability::{MAX_DEPENDENTS, MAX_HOPS, ReachSearch, ReachingSymbol};
use super::reaching_tests::{self, ReachingTest};
use super::unresolved::{self, HiddenUses};
use super::users::{DirectUser, UserRole, list_users};
use kenning_graph::{EdgeKind, Provenance, Snapshot, SymbolId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Limits of the lists in a blast radius. The numbers do not depend on them.
#[derive(Clone, Copy, Debug)]
pub struct BlastOptions {
    /// Number of hops that [`BlastRadius::levels`] lists, 1 to [`MAX_HOPS`].
    pub depth: u8,
    /// Maximum number of callers, of dependents and of tests that are listed.
    pub list: usize,
}

/// Default number of hops whose dependents are listed.
const DEFAULT_DEPTH: u8 = 4;

impl Default for BlastOptions {
    fn default() -> Self {
        Self { depth: DEFAULT_DEPTH, list: MAX_DEPENDENTS }
    }
}

/// The symbols that depend on a target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlastRadius {
    /// The symbols of the request.
    pub targets: Vec<SymbolId>,
    /// The numbers, equal to those of [`blast_counts`].
    pub counts: BlastCounts,
    /// Direct callers, by path and line.
    pub callers: Vec<DirectCaller>,
    /// The symbols that use the target directly, by role and then by path and line.
    pub users: Vec<DirectUser>,
    /// Dependents by hops: the dependents at one hop first, up to the requested depth.
    pub levels: Vec<Vec<DependentSymbol>>,
    /// The folders of the counted dependents, the folder with the most dependents first.
    pub folders: Vec<FolderCount>,
    /// Tests that reach the target, nearest first and then by qualified name.
    pub tests: Vec<TestReach>,
    /// Number of direct callers by provenance of their edge.
    pub evidence: BTreeMap<Provenance, usize>,
    /// Number of direct callers that each language server confirmed; empty if Kenning asked no
    /// server.
    pub servers: BTreeMap<String, usize>,
    /// Number of direct callers whose edge is ambiguous.
    pub ambiguous: usize,
    /// The symbols that the target overrides. A call to one of them may run the target. They are
    /// not part of the numbers.
    pub through_overrides: Vec<OverrideReach>,
    /// Number of distinct symbols that use the target in other ways: by reading, writing, naming or
    /// throwing it, or as a type annotation.
    pub mentions: usize,
    /// The reason why uses may be missing. `None` if no use can be missing, or if the target has
    /// dependents.
    pub hidden_uses: Option<HiddenUses>,
    /// Whether some list is shorter than its count, or counting stopped at a bound.
    pub truncated: bool,
}

/// A direct caller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectCaller {
    /// The caller.
    pub symbol: SymbolId,
    /// The called symbol: the target, or a part of it (a constructor).
    pub callee: SymbolId,
    /// 0-based line of the first call in the caller's file.
    pub line: Option<u32>,
    /// Provenance of the call.
    pub provenance: Provenance,
    /// Confidence of the call, 0..=1.
    pub confidence: f32,
    /// Whether the call may lead to another target instead.
    pub ambiguous: bool,
}

/// A symbol that depends on the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DependentSymbol {
    /// The dependent symbol.
    pub symbol: SymbolId,
    /// The next symbol on the path to the target.
    pub next: SymbolId,
    /// The role of the dependent for that symbol.
    pub role: UserRole,
    /// The kind of the edge between the two.
    pub kind: EdgeKind,
    /// Provenance of that edge.
    pub provenance: Provenance,
    /// 0-based line of the first reference for that edge, in the file of `symbol`.
    pub line: Option<u32>,
    /// Whether every path to the target within [`MAX_HOPS`] has an ambiguous edge.
    pub ambiguous: bool,
}

/// The number of dependents in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderCount {
    /// Workspace-relative path with `/` as the separator; empty for the root.
    pub folder: String,
    /// Number of dependents in the folder.
    pub dependents: usize,
}

/// A test that reaches the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestReach {
    /// The test.
    pub test: SymbolId,
    /// Hops to the target.
    pub distance: u8,
    /// The next symbol on the path to the target.
    pub next: SymbolId,
    /// Whether every path to the target has an ambiguous edge.
    pub ambiguous: bool,
}

/// A symbol that the target overrides or implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverrideReach {
    /// The overridden symbol.
    pub base: SymbolId,
    /// The distinct direct callers of the base that do not also call the target itself.
    pub callers: SymbolCount,
}

/// Returns the numbers of these targets taken together, without the lists. Lens titles show them.
pub fn blast_counts(snapshot: &Snapshot, targets: &[SymbolId]) -> BlastCounts {
    let reach = ReachSearch::new(snapshot, targets, MAX_HOPS, Indirection::Dispatch);
    counts_from_reach(&reach, targets, &reaching_tests::find_tests(&reach))
}

/// Maximum number of dependents that are checked for hidden uses before "0 tests" counts as
/// certain.
const MAX_DEPENDENTS_CHECKED: usize = 64;

fn counts_from_reach(reach: &ReachSearch, targets: &[SymbolId], tests: &[ReachingTest]) -> BlastCounts {
    let kind = targets.first().and_then(|&id| reach.snapshot.symbol_facets(id)).map(|facets| facets.kind);
    let mut counts = BlastCounts {
        kind: kind.map(CountedKind::from_symbol_kind).unwrap_or_default(),
        callers: reach.caller_count(),
        uses: reach.use_count(),
        implementations: reach.implementation_count(),
        dependents: reach.dependent_count(tests),
        tests: reaching_tests::count_tests(reach, tests),
        recorded: reaching_tests::count_recorded(reach),
        may_have_hidden_uses: false,
    };
    // A zero is certain only if no use of the target can be hidden.
    if targets.iter().any(|&id| unresolved::may_have_hidden_uses(reach.snapshot, id)) {
        for count in [&mut counts.callers, &mut counts.uses, &mut counts.dependents, &mut counts.tests] {
            count.approximate |= count.value == 0;
        }
        counts.may_have_hidden_uses = counts.dependents.value == 0 || counts.tests.value == 0;
    }
    // A test may also reach a dependent of the target in a way that could not be resolved.
    if counts.tests.value == 0 && !counts.tests.approximate {
        let mut others = reach.reached_symbols().iter().take(MAX_DEPENDENTS_CHECKED);
        counts.tests.approximate =
            others.any(|reached| unresolved::may_have_hidden_uses(reach.snapshot, reached.id));
    }
    counts
}

/// Returns the blast radius of these targets taken together.
pub fn blast_radius(snapshot: &Snapshot, targets: &[SymbolId], options: &BlastOptions) -> BlastRadius {
    let depth = options.depth.clamp(1, MAX_HOPS);
    let reach = ReachSearch::new(snapshot, targets, MAX_HOPS, Indirection::Dispatch);
    let tests = reaching_tests::find_tests(&reach);
    let counts = counts_from_reach(&reach, targets, &tests);
    let mut blast = BlastRadius {
        targets: targets.to_vec(),
        counts,
        callers: list_callers(&reach, options.list),
        users: list_users(&reach, options.list),
        levels: list_levels(&reach, depth, options.list),
        folders: count_by_folder(&reach),
        tests: list_tests(&reach, &tests, options.list),
        through_overrides: list_overrides(&reach),
        mentions: count_mentions(&reach),
        ..BlastRadius::default()
    };
    if counts.dependents.value == 0 {
        blast.hidden_uses = targets.iter().find_map(|&id| unresolved::find_hidden_uses(snapshot, id));
    }
    for caller in reach.direct_callers() {
        *blast.evidence.entry(caller.edge.provenance).or_default() += 1;
        blast.ambiguous += usize::from(is_ambiguous(&caller.edge));
    }
    let within = reach.reached_symbols().iter().take_while(|r| r.depth <= depth).count();
    blast.truncated = counts.dependents.capped
        || counts.tests.capped
        || counts.callers.value > blast.callers.len()
        || counts.tests.value > blast.tests.len()
        || within > blast.levels.iter().map(Vec::len).sum();
    blast
}

/// The sort key of a listed symbol: path, line of the reference, first byte of the symbol, and the
/// id to distinguish symbols at one position.
type PositionKey<'a> = (&'a str, Option<u32>, u32, SymbolId);

/// Returns the first `limit` symbols by path and line.
fn first_by_position<'r>(
    snapshot: &Snapshot,
    reached: impl Iterator<Item = &'r ReachingSymbol>,
    limit: usize,
) -> Vec<&'r ReachingSymbol> {
    let mut keyed: Vec<(PositionKey, &ReachingSymbol)> = reached
        .map(|r| {
            let symbol = snapshot.symbol(r.id);
            ((symbol.map_or("", |s| s.path), r.edge.line, symbol.map_or(0, |s| s.span.start), r.id), r)
        })
        .collect();
    let by_position = |a: &(PositionKey, &ReachingSymbol), b: &(PositionKey, &ReachingSymbol)| a.0.cmp(&b.0);
    if limit < keyed.len() && limit > 0 {
        keyed.select_nth_unstable_by(limit - 1, by_position);
    }
    keyed.truncate(limit);
    keyed.sort_by(by_position);
    keyed.into_iter().map(|(_, r)| r).collect()
}

fn list_callers(reach: &ReachSearch, limit: usize) -> Vec<DirectCaller> {
    let callers = first_by_position(reach.snapshot, reach.direct_callers(), limit).into_iter();
    callers
        .map(|r| DirectCaller {
            symbol: r.id,
            callee: r.edge.target,
            line: r.edge.line,
            provenance: r.edge.provenance,
            confidence: r.edge.confidence,
            ambiguous: is_ambiguous(&r.edge),
        })
        .collect()
}

fn list_levels(reach: &ReachSearch, depth: u8, limit: usize) -> Vec<Vec<DependentSymbol>> {
    let mut remaining = limit;
    let mut levels = Vec::new();
    for depth in 1..=depth {
        let level = reach.reached_symbols().iter().filter(|r| r.depth == depth);
        let listed = first_by_position(reach.snapshot, level, remaining);
        if listed.is_empty() {
            break;
        }
        remaining -= listed.len();
        levels.push(listed.into_iter().map(|r| describe_dependent(reach.snapshot, r)).collect());
    }
    levels
}

fn describe_dependent(snapshot: &Snapshot, reached: &ReachingSymbol) -> DependentSymbol {
    DependentSymbol {
        symbol: reached.id,
        next: reached.edge.target,
        role: UserRole::of_dependent(snapshot, reached),
        kind: reached.edge.kind,
        provenance: reached.edge.provenance,
        line: reached.edge.line,
        ambiguous: !reached.is_certain_within(MAX_HOPS),
    }
}

fn count_by_folder(reach: &ReachSearch) -> Vec<FolderCount> {
    let counted = reach.reached_symbols().iter().take_while(|r| r.depth <= MAX_HOPS).take(MAX_DEPENDENTS);
    let mut by_folder: BTreeMap<&str, usize> = BTreeMap::new();
    for symbol in counted.filter_map(|r| reach.snapshot.symbol(r.id)) {
        *by_folder.entry(kenning_graph::paths::parent_folder(symbol.path)).or_default() += 1;
    }
    let mut folders: Vec<FolderCount> = by_folder
        .into_iter()
        .map(|(folder, dependents)| FolderCount { folder: folder.to_owned(), dependents })
        .collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.dependents));
    folders
}

fn list_tests(reach: &ReachSearch, tests: &[ReachingTest], limit: usize) -> Vec<TestReach> {
    let mut listed: Vec<(u8, String, TestReach)> = tests
        .iter()
        .map(|found| {
            let name = reach.snapshot.symbol(found.test).map(|s| s.qualified_name()).unwrap_or_default();
            let ReachingTest { test, distance, certain, next, .. } = *found;
            let next = reach.found[next as usize].id;
            (distance, name, TestReach { test, distance, next, ambiguous: !certain })
        })
        .collect();
    listed.sort_by(|a, b| (a.0, &a.1, a.2.test).cmp(&(b.0, &b.1, b.2.test)));
    listed.truncate(limit);
    listed.into_iter().map(|(.., test)| test).collect()
}

fn list_overrides(reach: &ReachSearch) -> Vec<OverrideReach> {
    let targets = reach.found[..reach.target_count].iter().map(|r| r.id);
    let mut overrides = Vec::new();
    for base in all_overridden_bases(reach.snapshot, targets) {
        let callers = reach.direct_callers().filter(|caller| caller.through == Some(base)).count();
        let callers = SymbolCount { value: callers, ..SymbolCount::default() };
        overrides.push(OverrideReach { base, callers });
    }
    overrides
}

/// Counts the distinct symbols that use the targets in other ways than calling, extending or
/// overriding them.
fn count_mentions(reach: &ReachSearch) -> usize {
    let mut users: FxHashSet<SymbolId> = FxHashSet::default();
    for target in &reach.found[..reach.target_count] {
        reach.snapshot.for_each_in_edge(target.id, |edge| {
            let uses = is_use(edge.kind) || edge.kind == EdgeKind::ConsumesEndpoint;
            let is_target =
                reach.index.get(&edge.source).is_some_and(|&at| (at as usize) < reach.target_count);
            if uses && !is_target {
                users.insert(edge.source);
            }
        });
    }
    users.len()
}
