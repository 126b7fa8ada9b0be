//! Features from the earlier stages: scores, ranks, channels and walk.

use crate::channels::ChannelList;
use crate::rank::{RankInput, RankedSymbol};
use kenning_graph::SymbolId;
use rustc_hash::FxHashMap;

/// The names of the columns, in the order of the values of `candidate_values`.
pub(super) const NAMES: [&str; 17] = [
    "score",
    "score_share",
    "rank",
    "score_lead",
    "fused_share",
    "channels",
    "walk",
    "seed",
    "hops",
    "text_share",
    "text_rank",
    "votes_score",
    "names_score",
    "classes_score",
    "locations_score",
    "test_ids_score",
    "literals_score",
];

/// The channels whose scores are features, in the order of the columns from `votes_score`.
const CHANNELS: [&str; 6] = ["history", "tiered", "classes", "location", "tested", "literal"];

/// Rank of a candidate that a channel did not find.
const NO_RANK: f32 = 2_000.0;

/// A hit of the text channel, with its rank from 0.
struct TextHit {
    rank: usize,
    score: f64,
}

/// The scores of all candidates.
pub(super) struct OrderFeatures {
    best: f64,
    best_fused: f64,
    scores: Vec<f64>,
    text: FxHashMap<SymbolId, TextHit>,
    best_text: f64,
    channels: [FxHashMap<SymbolId, f64>; CHANNELS.len()],
}

impl OrderFeatures {
    /// Collects the scores of the earlier stages for all candidates.
    pub fn collect(input: &RankInput<'_>, ranked: &[RankedSymbol]) -> Self {
        let find_list = |name: &str| input.lists.iter().find(|list| list.name == name);
        let hits = |list: Option<&ChannelList>| list.map_or(&[][..], |list| list.hits.as_slice()).to_vec();
        let text = hits(find_list(crate::channels::TEXT));
        Self {
            best: ranked.first().map_or(1.0, |first| first.score).max(f64::MIN_POSITIVE),
            best_fused: input.fused.first().map_or(1.0, |first| first.score).max(f64::MIN_POSITIVE),
            scores: ranked.iter().map(|candidate| candidate.score).collect(),
            best_text: text.first().map_or(1.0, |hit| hit.score).max(f64::MIN_POSITIVE),
            text: text
                .iter()
                .enumerate()
                .map(|(rank, hit)| (hit.symbol, TextHit { rank, score: hit.score }))
                .collect(),
            channels: CHANNELS
                .map(|name| hits(find_list(name)).into_iter().map(|hit| (hit.symbol, hit.score)).collect()),
        }
    }

    /// Returns the values of a candidate with its rank from 0, in the order of [`NAMES`].
    pub fn candidate_values(&self, candidate: &RankedSymbol, rank: usize) -> [f32; NAMES.len()] {
        let next = self.scores.get(rank + 1).copied().unwrap_or(0.0);
        let text = self.text.get(&candidate.symbol);
        let channel = |number: usize| self.channels[number].get(&candidate.symbol).copied().unwrap_or(0.0);
        [
            candidate.score as f32,
            (candidate.score / self.best) as f32,
            rank as f32,
            ((candidate.score - next) / self.best) as f32,
            (candidate.fused.unwrap_or(0.0) / self.best_fused) as f32,
            candidate.channels.len() as f32,
            candidate.walk as f32,
            candidate.seed.unwrap_or(0.0) as f32,
            candidate.distance as f32,
            text.map_or(0.0, |found| found.score / self.best_text) as f32,
            text.map_or(NO_RANK, |found| found.rank as f32),
            channel(0) as f32,
            channel(1) as f32,
            channel(2) as f32,
            channel(3) as f32,
            channel(4) as f32,
            channel(5) as f32,
        ]
    }
}
