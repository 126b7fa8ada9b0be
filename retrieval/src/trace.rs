//! What a run recorded, and the view of it that explains one symbol.

use crate::channels::ChannelList;
use crate::fusion::Fused;
use crate::history::Voter;
use crate::pack::{Detail, Pack};
use crate::query::TaskQuery;
use crate::rank::Ranked;
use crate::seeds::Seed;
use crate::walk::Stop;
use kenning_graph::{Snapshot, SymbolId};
use std::collections::BTreeMap;

/// Everything that a run decided, in the order of its stages.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Name of the configuration.
    pub config: String,
    /// The task as it was read.
    pub query: TaskQuery,
    /// The commits that are about the same as the task, the most similar first.
    pub voters: Vec<Voter>,
    /// The channels' lists.
    pub channels: Vec<ChannelList>,
    /// The fused list.
    pub fused: Vec<Fused>,
    /// The seeds of the walk.
    pub seeds: Vec<Seed>,
    /// The walk.
    pub walk: WalkTrace,
    /// The ranked list with all components.
    pub ranked: Vec<Ranked>,
    /// Symbols that strong framework classes put first.
    pub injected: Vec<SymbolId>,
    /// Candidates that noise rules removed.
    pub noise: Vec<SymbolId>,
    /// What packing decided; empty when nothing was packed.
    pub packed: BTreeMap<SymbolId, Packed>,
}

/// What the walk did.
#[derive(Clone, Debug)]
pub struct WalkTrace {
    /// Nodes that were loaded.
    pub nodes: usize,
    /// Phantom nodes that were met and not entered.
    pub phantoms: usize,
    /// Steps.
    pub iterations: usize,
    /// Why it ended.
    pub stop: Stop,
    /// The most probable path from a seed, for the best of the ranked list.
    pub paths: BTreeMap<SymbolId, Vec<SymbolId>>,
}

/// What packing decided about a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// How much is shown.
    pub detail: Detail,
    /// Its tokens.
    pub tokens: usize,
}

/// How one symbol fared in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// `path::name`.
    pub qualified_name: String,
    /// Name of the configuration.
    pub config: String,
    /// Place in the ranked list from 1; `None`: it was no candidate.
    pub rank: Option<usize>,
    /// Length of the ranked list.
    pub candidates: usize,
    /// The entry of the ranked list: score, components, walk, HITS.
    pub ranked: Option<Ranked>,
    /// Each channel that found it.
    pub channels: Vec<ChannelPlace>,
    /// Place in the fused list from 1, and the fused score.
    pub fused: Option<(usize, f64)>,
    /// Place among the seeds from 1, and the restart weight.
    pub seed: Option<(usize, f64)>,
    /// Qualified names along the most probable path from a seed to it.
    pub path: Vec<String>,
    /// A noise rule removed it.
    pub noise: bool,
    /// What packing decided; `None`: not in the pack.
    pub packed: Option<Packed>,
}

/// A symbol's place in the list of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelPlace {
    /// The channel.
    pub channel: &'static str,
    /// The rule that found it; may be empty.
    pub reason: &'static str,
    /// Place from 1.
    pub rank: usize,
    /// Score inside the channel.
    pub score: f64,
    /// Weight of the channel.
    pub weight: f64,
}

impl Trace {
    /// Notes what the pack shows.
    pub(crate) fn record_pack(&mut self, pack: &Pack) {
        self.packed =
            pack.symbols.iter().map(|s| (s.symbol, Packed { detail: s.detail, tokens: s.tokens })).collect();
    }

    /// How `symbol` fared in this run. The snapshot must be the one that was ranked.
    pub fn why(&self, snapshot: &Snapshot, symbol: SymbolId) -> Explanation {
        let name = |id: SymbolId| snapshot.symbol(id).map_or_else(String::new, |s| s.qualified_name());
        let rank = self.ranked.iter().position(|r| r.symbol == symbol);
        let places = self.channels.iter().filter_map(|list| {
            let rank = list.hits.iter().position(|hit| hit.symbol == symbol)?;
            let hit = &list.hits[rank];
            Some(ChannelPlace {
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
        Explanation {
            qualified_name: name(symbol),
            config: self.config.clone(),
            rank: rank.map(|r| r + 1),
            candidates: self.ranked.len(),
            ranked: rank.map(|r| self.ranked[r].clone()),
            channels: places.collect(),
            fused: fused.map(|f| (f + 1, self.fused[f].score)),
            seed: seed.map(|s| (s + 1, self.seeds[s].weight)),
            path: path.map(|path| path.iter().map(|&id| name(id)).collect()).unwrap_or_default(),
            noise: self.noise.contains(&symbol),
            packed: self.packed.get(&symbol).copied(),
        }
    }
}
