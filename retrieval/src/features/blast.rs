//! The blast radius: what depends on a symbol, how directly, and on what evidence that is known.

use super::count::{BlastCounts, SymbolCount};
use super::is_ambiguous;
use super::overriding::all_overridden_bases;
use super::reachability::{
    DEPENDENT_HOPS, MAX_DEPENDENTS, ReachSearch, ReachingSymbol, TEST_HOPS, incoming_edges,
};
use super::tests_of::{self, TestFound};
use kenning_graph::{EdgeKind, Provenance, Snapshot, SymbolId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What of a blast radius is listed; what is counted does not depend on it.
#[derive(Clone, Copy, Debug)]
pub struct BlastOptions {
    /// Hops that [`BlastRadius::levels`] lists, 1 to [`TEST_HOPS`].
    pub depth: u8,
    /// Callers, dependents and tests that are listed, at most so many of each.
    pub list: usize,
}

impl Default for BlastOptions {
    fn default() -> Self {
        Self { depth: DEPENDENT_HOPS, list: MAX_DEPENDENTS }
    }
}

/// What depends on a target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlastRadius {
    /// What was asked for.
    pub targets: Vec<SymbolId>,
    /// The numbers; the same as [`blast_counts`] gives.
    pub counts: BlastCounts,
    /// Direct callers, by path and line.
    pub callers: Vec<DirectCaller>,
    /// Dependents by hops: first those at one hop, then those at two, up to the depth that was asked for.
    pub levels: Vec<Vec<DependentSymbol>>,
    /// The folders in which the counted dependents stand, those with most first.
    pub folders: Vec<FolderCount>,
    /// Tests that reach it, the nearest first, then by qualified name.
    pub tests: Vec<TestReach>,
    /// How the direct callers are known: callers per provenance of their edge.
    pub evidence: BTreeMap<Provenance, usize>,
    /// How many of the direct callers each language server confirmed; empty as long as none was asked.
    pub servers: BTreeMap<String, usize>,
    /// How many of the direct callers are known by an ambiguous edge.
    pub ambiguous: usize,
    /// What the target overrides: a call of one of these may run the target. Not part of the numbers.
    pub through_overrides: Vec<OverrideReach>,
    /// Distinct symbols that use the target otherwise: read or write it, name it, annotate with it, throw it.
    pub mentions: usize,
    /// Some list is shorter than what was counted, or counting stopped.
    pub truncated: bool,
}

/// A direct caller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectCaller {
    /// Who calls.
    pub symbol: SymbolId,
    /// What is called: the target, or a part of it (a constructor).
    pub callee: SymbolId,
    /// 0-based line of the first call in the caller's file.
    pub line: Option<u32>,
    /// How the call is known.
    pub provenance: Provenance,
    /// 0..=1.
    pub confidence: f32,
    /// The call may as well lead elsewhere.
    pub ambiguous: bool,
}

/// A symbol that depends on the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DependentSymbol {
    /// Who depends.
    pub symbol: SymbolId,
    /// The next symbol on the way to the target.
    pub on: SymbolId,
    /// What joins the two.
    pub kind: EdgeKind,
    /// How that is known.
    pub provenance: Provenance,
    /// 0-based line of the first site that shows it, in the file of `symbol`.
    pub line: Option<u32>,
    /// Every way to the target within [`DEPENDENT_HOPS`] goes over an ambiguous edge.
    pub ambiguous: bool,
}

/// How many dependents stand in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderCount {
    /// Workspace-relative with `/`; empty for the root.
    pub folder: String,
    /// Dependents in it.
    pub dependents: usize,
}

/// A test that reaches the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestReach {
    /// The test.
    pub test: SymbolId,
    /// Hops to the target.
    pub distance: u8,
    /// Every way to the target goes over an ambiguous edge.
    pub ambiguous: bool,
}

/// Something that the target overrides or implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverrideReach {
    /// The overridden symbol.
    pub base: SymbolId,
    /// Its distinct direct callers that do not call the target itself as well.
    pub callers: SymbolCount,
}

/// The numbers of these targets taken together, without the lists: for lens titles.
pub fn blast_counts(snapshot: &Snapshot, targets: &[SymbolId]) -> BlastCounts {
    let reach = ReachSearch::new(snapshot, targets, TEST_HOPS);
    counts_from_reach(&reach, &tests_of::tests_of(&reach))
}

fn counts_from_reach(reach: &ReachSearch, tests: &[TestFound]) -> BlastCounts {
    BlastCounts {
        callers: reach.caller_count(),
        dependents: reach.dependent_count(),
        tests: tests_of::count_tests(reach, tests),
    }
}

/// The blast radius of these targets taken together.
pub fn blast_radius(snapshot: &Snapshot, targets: &[SymbolId], options: &BlastOptions) -> BlastRadius {
    let depth = options.depth.clamp(1, TEST_HOPS);
    let reach = ReachSearch::new(snapshot, targets, TEST_HOPS);
    let tests = tests_of::tests_of(&reach);
    let counts = counts_from_reach(&reach, &tests);
    let mut blast = BlastRadius {
        targets: targets.to_vec(),
        counts,
        callers: list_callers(&reach, options.list),
        levels: list_levels(&reach, depth, options.list),
        folders: count_by_folder(&reach),
        tests: listed_tests(snapshot, &tests, options.list),
        through_overrides: through_overrides(&reach),
        mentions: count_mentions(&reach),
        ..BlastRadius::default()
    };
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

/// Path, line of the site, first byte of the symbol; the id tells apart what stands at one place.
type SiteOrder<'a> = (&'a str, Option<u32>, u32, SymbolId);

/// The first `limit` of these by path and line.
fn first_by_place<'r>(
    snapshot: &Snapshot,
    reached: impl Iterator<Item = &'r ReachingSymbol>,
    limit: usize,
) -> Vec<&'r ReachingSymbol> {
    let mut keyed: Vec<(SiteOrder, &ReachingSymbol)> = reached
        .map(|r| {
            let symbol = snapshot.symbol(r.id);
            ((symbol.map_or("", |s| s.path), r.edge.line, symbol.map_or(0, |s| s.span.start), r.id), r)
        })
        .collect();
    let by_place = |a: &(SiteOrder, &ReachingSymbol), b: &(SiteOrder, &ReachingSymbol)| a.0.cmp(&b.0);
    if limit < keyed.len() && limit > 0 {
        keyed.select_nth_unstable_by(limit - 1, by_place);
    }
    keyed.truncate(limit);
    keyed.sort_by(by_place);
    keyed.into_iter().map(|(_, r)| r).collect()
}

fn list_callers(reach: &ReachSearch, limit: usize) -> Vec<DirectCaller> {
    let callers = first_by_place(reach.snapshot, reach.direct_callers(), limit).into_iter();
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
    let mut left = limit;
    let mut levels = Vec::new();
    for depth in 1..=depth {
        let level = reach.reached_symbols().iter().filter(|r| r.depth == depth);
        let listed = first_by_place(reach.snapshot, level, left);
        if listed.is_empty() {
            break;
        }
        left -= listed.len();
        levels.push(listed.into_iter().map(describe_dependent).collect());
    }
    levels
}

fn describe_dependent(reached: &ReachingSymbol) -> DependentSymbol {
    DependentSymbol {
        symbol: reached.id,
        on: reached.edge.target,
        kind: reached.edge.kind,
        provenance: reached.edge.provenance,
        line: reached.edge.line,
        ambiguous: !reached.is_firm_within(DEPENDENT_HOPS),
    }
}

fn count_by_folder(reach: &ReachSearch) -> Vec<FolderCount> {
    let counted =
        reach.reached_symbols().iter().take_while(|r| r.depth <= DEPENDENT_HOPS).take(MAX_DEPENDENTS);
    let mut by_folder: BTreeMap<&str, usize> = BTreeMap::new();
    for symbol in counted.filter_map(|r| reach.snapshot.symbol(r.id)) {
        *by_folder.entry(kenning_graph::paths::folder_of(symbol.path)).or_default() += 1;
    }
    let mut folders: Vec<FolderCount> = by_folder
        .into_iter()
        .map(|(folder, dependents)| FolderCount { folder: folder.to_owned(), dependents })
        .collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.dependents));
    folders
}

fn listed_tests(snapshot: &Snapshot, tests: &[TestFound], limit: usize) -> Vec<TestReach> {
    let mut listed: Vec<(u8, String, TestReach)> = tests
        .iter()
        .map(|found| {
            let name = snapshot.symbol(found.test).map(|s| s.qualified_name()).unwrap_or_default();
            let TestFound { test, distance, firm, .. } = *found;
            (distance, name, TestReach { test, distance, ambiguous: !firm })
        })
        .collect();
    listed.sort_by(|a, b| (a.0, &a.1, a.2.test).cmp(&(b.0, &b.1, b.2.test)));
    listed.truncate(limit);
    listed.into_iter().map(|(.., test)| test).collect()
}

fn through_overrides(reach: &ReachSearch) -> Vec<OverrideReach> {
    let targets = reach.found[..reach.targets].iter().map(|r| r.id);
    let direct: FxHashSet<SymbolId> = reach.direct_callers().map(|r| r.id).collect();
    let is_target = |id: SymbolId| reach.index.get(&id).is_some_and(|&at| (at as usize) < reach.targets);
    let mut through = Vec::new();
    for base in all_overridden_bases(reach.snapshot, targets) {
        let mut callers = SymbolCount::default();
        for edge in incoming_edges(reach.snapshot, base).0 {
            let other = !direct.contains(&edge.source) && !is_target(edge.source);
            if edge.kind == EdgeKind::Calls && other {
                callers.value += 1;
                callers.approximate |= is_ambiguous(&edge);
            }
        }
        through.push(OverrideReach { base, callers });
    }
    through
}

/// Distinct symbols that use the targets other than by calling, extending or overriding them.
fn count_mentions(reach: &ReachSearch) -> usize {
    let mut users: FxHashSet<SymbolId> = FxHashSet::default();
    for target in &reach.found[..reach.targets] {
        reach.snapshot.for_each_in_edge(target.id, |edge| {
            let uses = matches!(
                edge.kind,
                EdgeKind::AccessesField
                    | EdgeKind::References
                    | EdgeKind::TypeHintOf
                    | EdgeKind::Throws
                    | EdgeKind::ReadsEnv
                    | EdgeKind::ExecutesProcess
            );
            let is_target = reach.index.get(&edge.source).is_some_and(|&at| (at as usize) < reach.targets);
            if uses && !is_target {
                users.insert(edge.source);
            }
        });
    }
    users.len()
}
