//! Features from the other candidates in the same file, with the same name, in the same container,
//! or connected with the candidate by an edge.
//!
//! The candidates are added to their groups in the order of their ranks, so that the number of
//! earlier members is the rank in a group. All scores are relative to the best candidate.

use crate::rank::RankedSymbol;
use crate::rerank::NearbyScores;
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolRef};
use rustc_hash::FxHashMap;

/// The names of the columns, in the order of the values of `candidate_values`.
pub(super) const NAMES: [&str; 16] = [
    "caller",
    "callee",
    "member",
    "container",
    "sibling",
    "file_best",
    "file_sum",
    "file_rank",
    "rank_in_file",
    "file_candidates",
    "file_top_candidates",
    "listed_namesakes",
    "rank_among_namesakes",
    "container_candidates",
    "rank_in_container",
    "listed_callers",
];

/// Number of ranks that `file_top_candidates` counts.
const TOP_RANKS: usize = 20;

/// The candidates of a file, a name or a container.
#[derive(Clone, Copy, Default)]
struct CandidateGroup {
    /// Rank among the groups, by their best candidates.
    rank: usize,
    count: usize,
    /// Number among the first [`TOP_RANKS`].
    top: usize,
    sum: f64,
    best: f64,
    second: f64,
}

/// The ranks of a candidate in its groups, from 0.
#[derive(Clone, Copy, Default)]
struct GroupRanks {
    in_file: usize,
    among_namesakes: usize,
    in_container: usize,
}

/// The candidates by file, by name and by container.
pub(super) struct ListFeatures {
    scores: FxHashMap<SymbolId, f64>,
    files: FxHashMap<FileId, CandidateGroup>,
    greatest_sum: f64,
    names: FxHashMap<String, CandidateGroup>,
    containers: FxHashMap<SymbolId, CandidateGroup>,
    /// The ranks of each candidate.
    ranks: Vec<GroupRanks>,
}

impl ListFeatures {
    /// Groups the candidates, which must be in the order of their ranks.
    pub fn collect(snapshot: &Snapshot, ranked: &[RankedSymbol]) -> Self {
        let best = ranked.first().map_or(1.0, |first| first.score).max(f64::MIN_POSITIVE);
        let mut list = Self {
            scores: ranked.iter().map(|candidate| (candidate.symbol, candidate.score / best)).collect(),
            files: FxHashMap::default(),
            greatest_sum: f64::MIN_POSITIVE,
            names: FxHashMap::default(),
            containers: FxHashMap::default(),
            ranks: vec![GroupRanks::default(); ranked.len()],
        };
        for (at, candidate) in ranked.iter().enumerate() {
            let Some(symbol) = snapshot.symbol(candidate.symbol) else { continue };
            let score = candidate.score / best;
            let in_file = symbol.file.map_or(0, |file| add_candidate(&mut list.files, file, at, score));
            let among_namesakes = add_candidate(&mut list.names, symbol.name.to_owned(), at, score);
            let in_container =
                symbol.parent.map_or(0, |parent| add_candidate(&mut list.containers, parent, at, score));
            list.ranks[at] = GroupRanks { in_file, among_namesakes, in_container };
        }
        list.greatest_sum = list.files.values().map(|group| group.sum).fold(f64::MIN_POSITIVE, f64::max);
        list
    }

    /// Returns the values of the candidate at index `at`, in the order of [`NAMES`].
    pub fn candidate_values(
        &self,
        snapshot: &Snapshot,
        symbol: &SymbolRef<'_>,
        at: usize,
    ) -> [f32; NAMES.len()] {
        let near = NearbyScores::around_symbol(snapshot, symbol, &self.scores);
        let file = symbol.file.and_then(|file| self.files.get(&file)).copied().unwrap_or_default();
        let name = self.names.get(symbol.name).copied().unwrap_or_default();
        let container =
            symbol.parent.and_then(|parent| self.containers.get(&parent)).copied().unwrap_or_default();
        let own = self.scores.get(&symbol.id).copied().unwrap_or(0.0);
        let ranks = self.ranks[at];
        [
            near.caller as f32,
            near.callee as f32,
            near.member as f32,
            near.holder as f32,
            near.sibling as f32,
            if own >= file.best { file.second as f32 } else { file.best as f32 },
            (file.sum / self.greatest_sum) as f32,
            file.rank as f32,
            ranks.in_file as f32,
            file.count as f32,
            file.top as f32,
            name.count as f32,
            ranks.among_namesakes as f32,
            container.count as f32,
            ranks.in_container as f32,
            near.listed_callers as f32,
        ]
    }
}

/// Adds a candidate, in the order of ranks, and returns its rank in the group.
fn add_candidate<K: std::hash::Hash + Eq>(
    groups: &mut FxHashMap<K, CandidateGroup>,
    key: K,
    at: usize,
    score: f64,
) -> usize {
    let rank = groups.len();
    let group = groups.entry(key).or_insert_with(|| CandidateGroup { rank, ..CandidateGroup::default() });
    let rank_in_group = group.count;
    group.count += 1;
    group.top += usize::from(at < TOP_RANKS);
    group.sum += score;
    if score > group.best {
        group.second = group.best;
        group.best = score;
    } else {
        group.second = group.second.max(score);
    }
    rank_in_group
}
