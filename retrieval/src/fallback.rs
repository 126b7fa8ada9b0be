//! The fallback for a flat ranking on a huge graph: inserts the direct text hits right behind the
//! top (`docs/ranking.md`).

use crate::channels::{ChannelList, TEXT, is_result_kind, sort_by_score};
use crate::config::{FallbackConfig, RankConfig};
use crate::noise::noise_reason;
use crate::rank::{CandidateOrigin, RankedSymbol};
use crate::score::{ScoreComponent, total_score};
use kenning_graph::{EdgeKind, Snapshot, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The record of a run of the stage.
#[derive(Clone, Debug, PartialEq)]
pub struct FallbackTrace {
    /// Confidence in the ranking, from 0 for equal first scores to 1 for very different ones.
    pub confidence: f64,
    /// The symbols that the stage raised or added, in the order of their scores.
    pub symbols: Vec<SymbolId>,
}

/// Runs the stage on a ranked list. Returns `None` if the graph is not huge, the list is short or
/// the ranking is confident.
pub(crate) fn apply_fallback(
    snapshot: &Snapshot,
    config: &RankConfig,
    lists: &[ChannelList],
    ranked: &mut Vec<RankedSymbol>,
) -> Option<FallbackTrace> {
    let settings = config.fallback.filter(|f| snapshot.symbol_count() > f.graph_above)?;
    let confidence = rank_confidence(&settings, ranked)?;
    if confidence >= settings.confidence_below {
        return None;
    }
    let direct = direct_hits(snapshot, config, &settings, lists);
    let below_top = ranked[settings.top - 1].score.next_down();
    let first = settings.first.min(below_top);
    let positions: FxHashMap<SymbolId, usize> =
        ranked.iter().enumerate().map(|(i, r)| (r.symbol, i)).collect();
    let mut symbols = Vec::new();
    for id in direct {
        let target_score = first - settings.step * symbols.len() as f64;
        let position = match positions.get(&id) {
            Some(&position) if ranked[position].score >= target_score => continue,
            Some(&position) => position,
            None => {
                ranked.push(RankedSymbol::new(id, CandidateOrigin::Fallback));
                ranked.len() - 1
            }
        };
        let entry = &mut ranked[position];
        entry.components.push(ScoreComponent { name: "fallback", value: target_score - entry.score });
        entry.score = total_score(&entry.components);
        entry.is_above_threshold = true;
        symbols.push(id);
    }
    sort_by_score(snapshot, ranked, |r| r.score, |r| r.symbol);
    ranked.sort_by_key(|r| !r.is_above_threshold);
    Some(FallbackTrace { confidence, symbols })
}

/// Returns the confidence, from 0 for equal first scores to 1 for very different ones. Returns
/// `None` if there are too few results.
fn rank_confidence(config: &FallbackConfig, ranked: &[RankedSymbol]) -> Option<f64> {
    let last = ranked.get(config.top.checked_sub(1)?)?.score;
    let first = ranked.first()?.score;
    if last <= 0.0 {
        return Some(1.0);
    }
    let range = (config.steep_ratio - config.flat_ratio).max(f64::MIN_POSITIVE);
    Some(((first / last - config.flat_ratio) / range).clamp(0.0, 1.0))
}

/// Returns the best hits of the text channel, each type followed by its members.
fn direct_hits(
    snapshot: &Snapshot,
    config: &RankConfig,
    settings: &FallbackConfig,
    lists: &[ChannelList],
) -> Vec<SymbolId> {
    let visible_symbol =
        |id: SymbolId| snapshot.symbol(id).filter(|s| noise_reason(s, config.noise).is_none());
    let hits = lists.iter().filter(|list| list.name == TEXT).flat_map(|list| &list.hits);
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    for hit in hits.take(settings.hits) {
        let Some(symbol) = visible_symbol(hit.symbol) else { continue };
        if seen.insert(hit.symbol) {
            found.push(hit.symbol);
        }
        if !symbol.kind.is_type() {
            continue;
        }
        let edges = snapshot.in_edges(hit.symbol).into_iter().filter(|e| e.kind == EdgeKind::MemberOf);
        let members =
            edges.map(|e| e.source).filter(|&m| visible_symbol(m).is_some_and(|m| is_result_kind(m.kind)));
        found.extend(members.take(settings.members).filter(|&member| seen.insert(member)));
    }
    found
}
