//! Selects the seeds, which are the candidates that start the walk (`docs/ranking.md`). Adds
//! implementors, prefers types on large graphs, focuses on the largest folder, and adapts the
//! number of seeds.

use crate::channels::{ChannelList, ListUsage};
use crate::config::RankConfig;
use crate::fusion::FusedCandidate;
use crate::noise::noise_reason;
use kenning_graph::{EdgeKind, Snapshot, SymbolId, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of implementors added for one interface. A marker interface may have thousands.
const MAX_IMPLEMENTORS: usize = 50;

/// A seed of the walk with its restart weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    /// The symbol.
    pub symbol: SymbolId,
    /// The restart weight.
    pub weight: f64,
}

/// The record of the selection: which adaptive mechanisms fired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedSelection {
    /// Number of symbols in the graph.
    pub graph: usize,
    /// Maximum number of seeds for a graph of this size, without the seeds of the path context and
    /// the editor.
    pub limit: usize,
    /// Number of candidates that were added because they implement a candidate interface.
    pub implementors: usize,
    /// Number of candidates that noise rules removed.
    pub noise: usize,
    /// Whether types went first because the graph is large.
    pub types_first: bool,
    /// The folder whose candidates went first, if one has the largest group.
    pub focus: Option<String>,
}

/// Returns the seeds of a task: fused candidates first, then the hits of the channels that only
/// start the walk.
pub(crate) fn select_seeds(
    snapshot: &Snapshot,
    fused: &[FusedCandidate],
    lists: &[ChannelList],
    config: &RankConfig,
) -> (Vec<Seed>, SeedSelection) {
    let mut candidates: Vec<SymbolId> = fused.iter().map(|f| f.symbol).collect();
    let mut selection = SeedSelection::default();
    if config.seeds.implementors {
        selection.implementors = add_implementors(snapshot, &mut candidates);
    }
    let is_noise =
        |id: SymbolId| snapshot.symbol(id).is_none_or(|s| noise_reason(&s, config.noise).is_some());
    let count_with_noise = candidates.len();
    candidates.retain(|&id| !is_noise(id));
    selection.noise = count_with_noise - candidates.len();
    let size = snapshot.symbol_count();
    selection.graph = size;
    selection.types_first = size > config.seeds.prefer_types_above;
    if selection.types_first {
        candidates.sort_by_key(|&id| !snapshot.symbol(id).is_some_and(|s| s.kind.is_type()));
    }
    if config.seeds.focus_above.is_some_and(|limit| candidates.len() > limit) {
        selection.focus = focus_folder(snapshot, &mut candidates);
    }
    let count = match size {
        n if n > config.seeds.large_graph => config.seeds.large,
        n if n > config.seeds.medium_graph => config.seeds.medium,
        _ => config.seeds.base,
    };
    selection.limit = count;
    let weight = |i: usize| 1.0 / (1.0 + config.seeds.decay * i as f64);
    let mut seeds: Vec<Seed> = candidates
        .iter()
        .take(count)
        .enumerate()
        .map(|(i, &symbol)| Seed { symbol, weight: weight(i) })
        .collect();
    let mut known: FxHashSet<SymbolId> = seeds.iter().map(|s| s.symbol).collect();
    // A file cannot be a result, but it can start the walk.
    let is_file = |id: SymbolId| snapshot.symbol(id).is_some_and(|s| s.kind == SymbolKind::File);
    for list in lists.iter().filter(|list| list.usage == ListUsage::WalkSeeds) {
        let limit = seeds.len() + config.path_context.max_seeds;
        for hit in &list.hits {
            let can_start = is_file(hit.symbol) || !is_noise(hit.symbol);
            if seeds.len() < limit && can_start && known.insert(hit.symbol) {
                seeds.push(Seed { symbol: hit.symbol, weight: list.weight });
            }
        }
    }
    (seeds, selection)
}

/// Appends the types that implement a candidate interface. Returns their number.
fn add_implementors(snapshot: &Snapshot, candidates: &mut Vec<SymbolId>) -> usize {
    let before = candidates.len();
    let mut known: FxHashSet<SymbolId> = candidates.iter().copied().collect();
    for id in candidates.clone() {
        let may_be_implemented = snapshot.symbol(id).is_some_and(|s| {
            matches!(s.kind, SymbolKind::Interface | SymbolKind::Trait | SymbolKind::TypeAlias)
        });
        if !may_be_implemented {
            continue;
        }
        let edges = snapshot.in_edges(id).into_iter().filter(|e| e.kind == EdgeKind::Implements);
        candidates.extend(edges.map(|e| e.source).take(MAX_IMPLEMENTORS).filter(|&s| known.insert(s)));
    }
    candidates.len() - before
}

/// Puts the largest group of candidates from one folder first; among groups of the same size, the
/// one with the best candidate. Returns the folder, or `None` if no folder has more than one
/// candidate.
fn focus_folder(snapshot: &Snapshot, candidates: &mut [SymbolId]) -> Option<String> {
    let folder = |id: SymbolId| {
        snapshot.symbol(id).map_or("", |s| kenning_graph::paths::parent_folder(s.path)).to_owned()
    };
    let mut groups: FxHashMap<String, (usize, usize)> = FxHashMap::default();
    for (rank, &id) in candidates.iter().enumerate() {
        groups.entry(folder(id)).or_insert((0, rank)).0 += 1;
    }
    let (group, (size, _)) =
        groups.into_iter().max_by_key(|(_, (size, first))| (*size, std::cmp::Reverse(*first)))?;
    if size < 2 {
        return None;
    }
    candidates.sort_by_key(|&id| folder(id) != group);
    Some(group)
}
