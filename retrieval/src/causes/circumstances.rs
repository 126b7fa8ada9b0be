//! The facts behind a rank apart from words.
//!
//! [`Circumstances::collect`] takes the trace of a run and a symbol, and returns the facts that a
//! sentence about its rank can mention: the parts of the symbol that the task names exactly, the
//! test that led to it, phrases of equivalence classes, similar commits that changed it, and its
//! best-ranked neighbor, container or member. A symbol counts as found if it is among the first
//! [`FOUND_RANKS`] of the run.

use super::word_matches::{TaskWord, TaskWords};
use crate::channels::{CLASSES, ChannelHit};
use crate::history::VotingCommit;
use crate::path_role::is_secondary;
use crate::query::{TaskQuery, keywords, locations};
use crate::trace::RunTrace;
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX, is_compound, raw_words};
use kenning_graph::{Edge, EdgeKind, FileId, Snapshot, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Number of top ranks whose symbols count as found.
const FOUND_RANKS: usize = 20;

/// Share of the greatest vote for a symbol that a commit must have to be counted. Thirty commits
/// vote, and most of them hardly resemble the task.
const VOTE_SHARE: f64 = 0.25;

/// Maximum number of words that describe the similar commits.
const COMMIT_WORDS: usize = 2;

/// The parts of a symbol that the task names exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedParts {
    /// Whether the task contains the symbol's name as an identifier.
    pub symbol: bool,
    /// Whether the task names the symbol's file.
    pub file: bool,
    /// Whether the task names a line of the symbol.
    pub line: bool,
}

/// The role of a found neighbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighborRole {
    /// The neighbor uses the symbol.
    User,
    /// The symbol uses the neighbor.
    Used,
}

/// A symbol with its rank in the list, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedName {
    /// The name inside its file.
    pub name: String,
    /// The rank, from 1.
    pub rank: usize,
}

/// A high-ranked candidate that uses the symbol or that the symbol uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNeighbor {
    /// The neighbor's name and rank.
    pub neighbor: RankedName,
    /// The neighbor's role.
    pub role: NeighborRole,
    /// The kind of the use.
    pub kind: EdgeKind,
    /// Number of other high-ranked candidates that use the symbol or that it uses.
    pub others: usize,
}

/// The role of a found relative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelativeRole {
    /// The relative contains the symbol.
    Container,
    /// The relative is a member of the symbol.
    Member,
}

/// A high-ranked container or member of the symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRelative {
    /// The relative's name and rank.
    pub relative: RankedName,
    /// The relative's role.
    pub role: RelativeRole,
}

/// The commits with messages like the task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitMatches {
    /// Number of these commits that changed the symbol.
    pub symbol: usize,
    /// Number of these commits that changed the symbol's file.
    pub file: usize,
    /// The words of the task that at least half of the commits' subjects contain.
    pub words: Vec<TaskWord>,
    /// Whether any commit resembles the task.
    pub any: bool,
}

/// Phrases of the task by which an equivalence class found the symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandInPhrase {
    /// The phrases; empty if the symbol was found through the names of its callers or callees.
    pub phrases: Vec<String>,
    /// The framework whose vocabulary they belong to.
    pub framework: Option<String>,
}

/// The facts behind a rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Circumstances {
    /// The symbol's name inside its file.
    pub name: String,
    /// Its kind; `None` if the snapshot does not contain the symbol.
    pub kind: Option<SymbolKind>,
    /// The file that declares it.
    pub path: String,
    /// The kind of the symbol around it; `None` at the top level.
    pub container: Option<SymbolKind>,
    /// Whether it is test code, an example or documentation.
    pub is_secondary: bool,
    /// Whether the task is about tests.
    pub is_about_tests: bool,
    /// The parts of the symbol that the task names exactly.
    pub named: NamedParts,
    /// The name of the test that the task names and that led to the symbol; empty for the test
    /// itself.
    pub named_test: Option<String>,
    /// The phrases by which an equivalence class found the symbol.
    pub stand_in: Option<StandInPhrase>,
    /// The commits with messages like the task.
    pub commits: CommitMatches,
    /// The best-ranked found symbol that uses it or that it uses.
    pub neighbor: Option<FoundNeighbor>,
    /// Its best-ranked container or member.
    pub relative: Option<FoundRelative>,
    /// Number of other found symbols in its file.
    pub found_in_file: usize,
    /// Whether the request excluded it.
    pub is_excluded: bool,
    /// Whether the request pinned it.
    pub is_pinned: bool,
    /// Whether nothing in the workspace matches the task.
    pub is_weak: bool,
}

impl Circumstances {
    pub(super) fn collect(
        trace: &RunTrace,
        snapshot: &Snapshot,
        symbol: SymbolId,
        words: &TaskWords,
    ) -> Self {
        let Some(own) = snapshot.symbol(symbol) else { return Self::default() };
        let has_part = |name: &str| {
            let entry = trace.ranked.iter().find(|ranked| ranked.symbol == symbol);
            entry.is_some_and(|entry| entry.components.iter().any(|part| part.name == name))
        };
        let found: FxHashMap<SymbolId, usize> = trace
            .ranked
            .iter()
            .take(FOUND_RANKS)
            .enumerate()
            .map(|(at, ranked)| (ranked.symbol, at + 1))
            .filter(|(id, _)| *id != symbol)
            .collect();
        let in_file = |id: &SymbolId| snapshot.file_of_symbol(*id).is_some_and(|file| own.file == Some(file));
        Self {
            name: own.display_name(),
            kind: Some(own.kind),
            path: own.path.to_owned(),
            container: own.parent.and_then(|parent| snapshot.symbol(parent)).map(|parent| parent.kind),
            is_secondary: is_secondary(&own),
            is_about_tests: trace.query.is_about_tests,
            named: named_parts(&trace.query, snapshot, &own),
            named_test: named_test(trace, snapshot, symbol),
            stand_in: stand_in_phrase(trace, symbol),
            commits: commit_matches(trace, symbol, own.file, words),
            neighbor: found_neighbor(snapshot, symbol, &found),
            relative: found_relative(snapshot, &own, &found),
            found_in_file: found.keys().filter(|id| in_file(id)).count(),
            is_excluded: trace.excluded.contains(&symbol),
            is_pinned: has_part("pinned"),
            is_weak: trace.task_match.is_some_and(|found| !found.is_match),
        }
    }
}

fn find_hit<'a>(trace: &'a RunTrace, channel: &str, symbol: SymbolId) -> Option<&'a ChannelHit> {
    let list = trace.channels.iter().find(|list| list.name == channel)?;
    list.hits.iter().find(|hit| hit.symbol == symbol)
}

fn named_parts(query: &TaskQuery, snapshot: &Snapshot, own: &SymbolRef<'_>) -> NamedParts {
    let text = &query.searchable_text;
    let is_written = raw_words(text).any(|word| word == own.name);
    let is_quoted =
        || keywords::backquoted_names(text).iter().any(|name| raw_words(name).any(|w| w == own.name));
    let mut named =
        NamedParts { symbol: is_written && (is_compound(own.name) || is_quoted()), ..NamedParts::default() };
    for location in &query.locations {
        let files = locations::files_for_path(snapshot, &location.path);
        if !own.file.is_some_and(|file| files.contains(&file)) {
            continue;
        }
        named.file = true;
        named.line |= location
            .line
            .is_some_and(|line| (own.span.start_line..=own.span.end_line).contains(&line.saturating_sub(1)));
    }
    named
}

/// Returns the name of the first test that the task names, if that test led to the symbol; empty if
/// the symbol is a named test.
fn named_test(trace: &RunTrace, snapshot: &Snapshot, symbol: SymbolId) -> Option<String> {
    find_hit(trace, "tested", symbol)?;
    let tests = &trace.query.tests;
    if tests.iter().any(|test| test.symbols.contains(&symbol)) {
        return Some(String::new());
    }
    let name = tests.iter().find_map(|test| Some(snapshot.symbol(*test.symbols.first()?)?.display_name()));
    name.or_else(|| tests.first().map(|test| test.id.written.clone()))
}

fn stand_in_phrase(trace: &RunTrace, symbol: SymbolId) -> Option<StandInPhrase> {
    let hit = find_hit(trace, CLASSES, symbol)?;
    let class = trace.query.classes.iter().find(|found| found.class.reason() == hit.reason);
    Some(StandInPhrase {
        phrases: class.map(|class| class.phrases.clone()).unwrap_or_default(),
        framework: class.and_then(|class| class.class.framework.clone()),
    })
}

/// Counts the similar commits that changed a symbol or its file, and finds the words that these
/// commits share with the task.
fn commit_matches(
    trace: &RunTrace,
    symbol: SymbolId,
    file: Option<FileId>,
    words: &TaskWords,
) -> CommitMatches {
    let votes: Vec<(&VotingCommit, f64, f64)> = trace
        .voters
        .iter()
        .filter_map(|voter| voter.vote_for(symbol, file).map(|vote| (voter, vote.symbol, vote.file)))
        .collect();
    let greatest = |vote: fn(&(&VotingCommit, f64, f64)) -> f64| votes.iter().map(vote).fold(0.0, f64::max);
    let (most, most_file) = (greatest(|vote| vote.1), greatest(|vote| vote.2));
    let strong = |vote: f64, greatest: f64| vote > 0.0 && vote >= VOTE_SHARE * greatest;
    let for_symbol: Vec<&VotingCommit> = votes.iter().filter(|v| strong(v.1, most)).map(|v| v.0).collect();
    let for_file: Vec<&VotingCommit> = votes.iter().filter(|v| strong(v.2, most_file)).map(|v| v.0).collect();
    let described = if for_symbol.is_empty() { &for_file } else { &for_symbol };
    CommitMatches {
        words: shared_words(&trace.query, described, words),
        symbol: for_symbol.len(),
        file: for_file.len(),
        any: !trace.voters.is_empty(),
    }
}

/// Returns the words of the task that at least half of the commits' subjects contain, the words
/// with the most information first. The parts of a returned identifier are left out.
fn shared_words(query: &TaskQuery, commits: &[&VotingCommit], words: &TaskWords) -> Vec<TaskWord> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut analyzer = Analyzer::default();
    for commit in commits {
        let mut tokens = BTreeSet::new();
        analyzer.for_each_token(&commit.subject, |token| {
            tokens.insert(token.to_owned());
        });
        for token in tokens {
            *counts.entry(token).or_default() += 1;
        }
    }
    let is_shared = |token: &str| counts.get(token).is_some_and(|count| 2 * count >= commits.len());
    let shared: Vec<&str> =
        query.terms.iter().map(|term| term.token.as_str()).filter(|token| is_shared(token)).collect();
    let identifiers: Vec<&str> =
        shared.iter().copied().filter(|token| token.starts_with(WHOLE_TOKEN_PREFIX)).collect();
    let whole = shared.iter().filter(|token| !words.is_part_of_any(token, &identifiers));
    whole.filter_map(|token| words.find_word(token)).take(COMMIT_WORDS).cloned().collect()
}

/// Returns the best-ranked found symbol that uses `symbol` or that `symbol` uses.
fn found_neighbor(
    snapshot: &Snapshot,
    symbol: SymbolId,
    found: &FxHashMap<SymbolId, usize>,
) -> Option<FoundNeighbor> {
    // Each rank keeps the kind of use with the lowest number; users take precedence over used
    // symbols.
    let mut near: BTreeMap<usize, (NeighborRole, EdgeKind, SymbolId)> = BTreeMap::new();
    let mut add = |edge: Edge, role: NeighborRole, other: SymbolId| {
        if !edge.kind.is_use() {
            return;
        }
        let Some(&rank) = found.get(&other) else { return };
        let entry = near.entry(rank).or_insert((role, edge.kind, other));
        if entry.0 == role && edge.kind < entry.1 {
            *entry = (role, edge.kind, other);
        }
    };
    snapshot.for_each_in_edge(symbol, |edge| add(edge, NeighborRole::User, edge.source));
    snapshot.for_each_out_edge(symbol, |edge| add(edge, NeighborRole::Used, edge.target));
    let others = near.len().saturating_sub(1);
    let (rank, (role, kind, id)) = near.into_iter().next()?;
    let name = snapshot.symbol(id)?.display_name();
    Some(FoundNeighbor { neighbor: RankedName { name, rank }, role, kind, others })
}

/// Returns the best-ranked container or member of a symbol.
fn found_relative(
    snapshot: &Snapshot,
    own: &SymbolRef<'_>,
    found: &FxHashMap<SymbolId, usize>,
) -> Option<FoundRelative> {
    let mut best: Option<(usize, SymbolId, RelativeRole)> = None;
    let mut add = |id: SymbolId, role: RelativeRole| {
        if let Some(&rank) = found.get(&id)
            && best.is_none_or(|best| rank < best.0)
        {
            best = Some((rank, id, role));
        }
    };
    if let Some(parent) = own.parent {
        add(parent, RelativeRole::Container);
    }
    snapshot.for_each_out_edge(own.id, |edge| {
        if edge.kind == EdgeKind::Contains {
            add(edge.target, RelativeRole::Member);
        }
    });
    let (rank, id, role) = best?;
    let name = snapshot.symbol(id)?.display_name();
    Some(FoundRelative { relative: RankedName { name, rank }, role })
}
