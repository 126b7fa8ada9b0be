//! Framework injection: puts the certain targets of a framework's classes at the top, regardless of
//! words and walk (`docs/ranking.md`).

use crate::channels::ChannelInput;
use crate::classes::{Layer, resolve_targets};
use crate::config::{InjectionConfig, SevenConfig};
use crate::noise::noise_reason;
use crate::rank::{CandidateOrigin, RankedSymbol, strongest_support};
use crate::score::{ScoreComponent, total_score};
use kenning_graph::SymbolId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Puts the symbols of strong framework classes first, above the best score, in the order of the
/// classes and their targets. Returns these symbols.
pub(crate) fn inject_classes(
    input: &ChannelInput<'_>,
    config: &InjectionConfig,
    ranked: &mut Vec<RankedSymbol>,
) -> Vec<SymbolId> {
    let ChannelInput { snapshot, query, .. } = *input;
    let classes = &input.config.classes;
    let mut seen = FxHashSet::default();
    let mut injected: Vec<(SymbolId, &'static str)> = Vec::new();
    for found in &query.classes {
        let gated = found.strong && classes.layers.framework >= config.min_weight;
        if found.class.layer != Layer::Framework || !gated {
            continue;
        }
        for (symbol, _) in resolve_targets(snapshot, &found.class, classes, query.about_tests) {
            let shown =
                snapshot.symbol(symbol).is_some_and(|s| noise_reason(&s, input.config.noise).is_none());
            if shown && seen.insert(symbol) {
                injected.push((symbol, found.class.reason()));
            }
        }
    }
    if injected.is_empty() {
        return Vec::new();
    }
    let score = ranked.first().map_or(0.0, |best| best.score) + config.lead;
    let mut known: FxHashMap<SymbolId, RankedSymbol> =
        ranked.extract_if(.., |r| seen.contains(&r.symbol)).map(|r| (r.symbol, r)).collect();
    let top: Vec<RankedSymbol> = injected
        .iter()
        .map(|&(symbol, reason)| {
            let mut entry = known.remove(&symbol).unwrap_or_else(|| {
                let (confidence, provenance) =
                    strongest_support(snapshot, symbol, SevenConfig::seeds_preset().min_confidence);
                let found = RankedSymbol::new(symbol, CandidateOrigin::Classes(reason));
                RankedSymbol { distance: 0, confidence, provenance, ..found }
            });
            entry.components.push(ScoreComponent { name: "injection", value: score - entry.score });
            entry.score = total_score(&entry.components);
            entry.above_threshold = true;
            entry
        })
        .collect();
    ranked.splice(0..0, top);
    injected.into_iter().map(|(symbol, _)| symbol).collect()
}
