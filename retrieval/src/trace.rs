//! The record of a run, and the explanation of one symbol that is derived from it.
//!
//! Each stage of the pipeline adds its decisions to a [`RunTrace`].
//! [`RunTrace::explain_symbol`] collects everything about one symbol: its rank and components, the
//! channels and commits that found it, the path of the walk to it, and the decision of packing.
//! `kenning why` and the explanations of editors show the result.

use crate::causes::RankReasons;
use crate::channels::ChannelList;
use crate::fallback::FallbackTrace;
use crate::fusion::FusedCandidate;
use crate::history::{CommitVote, VotingCommit};
use crate::learned::LearnedTrace;
use crate::likelihood::{EditLikelihoods, RankConfidence};
use crate::pack::{PackDecision, PackOutcome, PackTrace};
use crate::query::TaskQuery;
use crate::rank::{RankedSymbol, RemovedSymbol};
use crate::seeds::{Seed, SeedSelection};
use crate::task_match::TaskMatch;
use crate::walk::StopReason;
use kenning_graph::{Snapshot, SymbolId};
use std::collections::BTreeMap;

/// The decisions of a run, in the order of its stages.
#[derive(Clone, Debug)]
pub struct RunTrace {
    /// Name of the configuration.
    pub config: String,
    /// The parsed task.
    pub query: TaskQuery,
    /// The commits that resemble the task, most similar first.
    pub voters: Vec<VotingCommit>,
    /// The channels' lists.
    pub channels: Vec<ChannelList>,
    /// The fused list.
    pub fused: Vec<FusedCandidate>,
    /// The record of the seed selection.
    pub selection: SeedSelection,
    /// The seeds of the walk.
    pub seeds: Vec<Seed>,
    /// The record of the walk.
    pub walk: WalkTrace,
    /// The ranked list with all components.
    pub ranked: Vec<RankedSymbol>,
    /// How likely the task edits each symbol of the ranked list. For files and changes, from the
    /// rank alone.
    pub likelihoods: EditLikelihoods,
    /// Symbols that strong framework classes put first.
    pub injected: Vec<SymbolId>,
    /// Candidates that noise rules removed.
    pub noise: Vec<RemovedSymbol>,
    /// Symbols that the request excluded.
    pub excluded: Vec<SymbolId>,
    /// The record of the learned ranker; `None` if it did not run.
    pub learned: Option<LearnedTrace>,
    /// The record of the fallback on huge graphs; `None` if it did not run.
    pub fallback: Option<FallbackTrace>,
    /// The match of the task with the workspace; `None` for files and changes, and in
    /// configurations that do not judge tasks.
    pub task_match: Option<TaskMatch>,
    /// The record of packing; `None` if nothing was packed.
    pub packing: Option<PackTrace>,
}

impl RunTrace {
    /// Returns how likely it is that the first symbols contain what the task needs. Returns `None`
    /// for files and changes, and for a match in configurations without the learned ranker.
    pub fn confidence(&self) -> Option<RankConfidence> {
        match self.task_match {
            Some(TaskMatch { is_match: false, .. }) => Some(RankConfidence::NO_MATCH),
            _ => self.learned.as_ref().map(|_| self.likelihoods.rate_first_symbols()),
        }
    }
}

/// The record of the walk.
#[derive(Clone, Debug)]
pub struct WalkTrace {
    /// Number of nodes that were loaded, without phantoms.
    pub nodes: usize,
    /// Number of phantoms next to visited nodes, whether or not the walk entered them.
    pub phantoms: usize,
    /// Number of iterations.
    pub iterations: usize,
    /// The reason why it ended.
    pub stop: StopReason,
    /// The most probable path from a seed, for the top ranks of the ranked list.
    pub paths: BTreeMap<SymbolId, Vec<SymbolId>>,
}

/// The explanation of one symbol in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RankExplanation {
    /// The qualified name, `path::name`.
    pub qualified_name: String,
    /// Name of the configuration.
    pub config: String,
    /// Rank in the ranked list from 1; `None` if the symbol was not a candidate.
    pub rank: Option<usize>,
    /// Length of the ranked list.
    pub candidates: usize,
    /// The entry of the ranked list: score, components, walk, HITS.
    pub ranked: Option<RankedSymbol>,
    /// Each channel that found the symbol.
    pub channels: Vec<ChannelRank>,
    /// Rank in the fused list from 1, and the fused score.
    pub fused: Option<(usize, f64)>,
    /// Rank among the seeds from 1, and the restart weight.
    pub seed: Option<(usize, f64)>,
    /// Qualified names along the most probable path from a seed to the symbol.
    pub path: Vec<String>,
    /// The commits with the greatest votes for the symbol, and then for its file; at most
    /// [`MAX_VOTES`].
    pub votes: Vec<CommitVote>,
    /// Number of commits that voted for the symbol or its file.
    pub voters: usize,
    /// The words of the task that were read as names of the workspace, with these names, separated
    /// by spaces.
    pub respelled: BTreeMap<String, String>,
    /// The contribution of each feature of the learned ranker to the score, greatest effect first.
    /// Empty if the ranker did not run or did not reorder the symbol.
    pub features: Vec<(&'static str, f64)>,
    /// The noise rule that removed the symbol.
    pub noise: Option<&'static str>,
    /// Rank from 1 among the symbols that strong framework classes put first.
    pub injected: Option<usize>,
    /// Rank from 1 among the symbols that the fallback on huge graphs raised or added.
    pub fallback: Option<usize>,
    /// The decision of packing; `None` if the symbol was not a candidate.
    pub packed: Option<PackDecision>,
    /// The causes of the rank with their effects, and the facts behind them.
    pub reasons: RankReasons,
}

/// Maximum number of commits that an explanation names. Hundreds can vote for a central symbol.
pub const MAX_VOTES: usize = 5;

/// A symbol's rank in the list of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelRank {
    /// The channel.
    pub channel: &'static str,
    /// The rule that found the symbol; may be empty.
    pub reason: &'static str,
    /// Rank from 1.
    pub rank: usize,
    /// Score inside the channel.
    pub score: f64,
    /// Weight of the channel.
    pub weight: f64,
}

impl RunTrace {
    /// Returns the symbols that the pack shows, in rank order.
    pub fn shown_symbols(&self) -> impl Iterator<Item = SymbolId> {
        let decisions = self.packing.iter().flat_map(|packing| &packing.decisions);
        decisions.filter(|d| matches!(d.outcome, PackOutcome::Shown(_))).map(|d| d.symbol)
    }

    /// Explains how `symbol` was ranked in this run. `snapshot` must be the ranked snapshot.
    pub fn explain_symbol(&self, snapshot: &Snapshot, symbol: SymbolId) -> RankExplanation {
        let name = |id: SymbolId| snapshot.symbol(id).map_or_else(String::new, |s| s.qualified_name());
        let rank = self.ranked.iter().position(|r| r.symbol == symbol);
        let channel_ranks = self.channels.iter().filter_map(|list| {
            let rank = list.hits.iter().position(|hit| hit.symbol == symbol)?;
            let hit = &list.hits[rank];
            Some(ChannelRank {
                channel: list.name,
                reason: hit.reason,
                rank: rank + 1,
                score: hit.score,
                weight: list.weight,
            })
        });
        let fused = self.fused.iter().position(|f| f.symbol == symbol);
        let seed = self.seeds.iter().position(|s| s.symbol == symbol);
        let path = self.walk.paths.get(&symbol);
        let file = snapshot.file_of_symbol(symbol);
        let mut votes: Vec<CommitVote> =
            self.voters.iter().filter_map(|voter| voter.vote_for(symbol, file)).collect();
        votes.sort_by(|a, b| b.symbol.total_cmp(&a.symbol).then(b.file.total_cmp(&a.file)));
        let voters = votes.len();
        votes.truncate(MAX_VOTES);
        RankExplanation {
            qualified_name: name(symbol),
            config: self.config.clone(),
            rank: rank.map(|r| r + 1),
            candidates: self.ranked.len(),
            ranked: rank.map(|r| self.ranked[r].clone()),
            channels: channel_ranks.collect(),
            fused: fused.map(|f| (f + 1, self.fused[f].score)),
            seed: seed.map(|s| (s + 1, self.seeds[s].weight)),
            path: path.map(|path| path.iter().map(|&id| name(id)).collect()).unwrap_or_default(),
            votes,
            voters,
            respelled: self.query.respelled.clone(),
            features: self.learned.as_ref().map_or_else(Vec::new, |l| l.contributions(symbol)),
            noise: self.noise.iter().find(|removed| removed.symbol == symbol).map(|removed| removed.rule),
            injected: find_rank(&self.injected, |&id| id == symbol),
            fallback: self.fallback.as_ref().and_then(|f| find_rank(&f.symbols, |&id| id == symbol)),
            packed: self
                .packing
                .as_ref()
                .and_then(|p| p.decisions.iter().find(|d| d.symbol == symbol))
                .copied(),
            reasons: RankReasons::collect(self, snapshot, symbol),
        }
    }
}

/// Returns the rank from 1 of the first item that matches.
fn find_rank<T>(list: &[T], matches: impl FnMut(&T) -> bool) -> Option<usize> {
    list.iter().position(matches).map(|at| at + 1)
}
