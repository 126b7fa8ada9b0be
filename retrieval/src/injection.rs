//! Injection: puts the targets of strongly matched classes of frameworks and of cross-cutting
//! concerns at the top, regardless of words and walk (`docs/ranking.md`).

use crate::channels::ChannelInput;
use crate::classes::{Layer, resolve_targets};
use crate::config::{ComponentWeights, InjectionConfig};
use crate::noise::noise_reason;
use crate::rank::{CandidateOrigin, RankedSymbol, strongest_support};
use crate::score::{ScoreComponent, total_score};
use kenning_graph::SymbolId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Puts the targets of strongly matched framework and cross-cutting classes first, above the best
/// score, in the order of the classes and their targets. Returns these symbols.
pub(crate) fn inject_classes(
    input: &ChannelInput<'_>,
    config: &InjectionConfig,
    ranked: &mut Vec<RankedSymbol>,
) -> Vec<SymbolId> {
    let ChannelInput { snapshot, query, .. } = *input;
    let classes = &input.config.classes;
    let mut seen = FxHashSet::default();
    let mut injected: Vec<(SymbolId, &'static str)> = Vec::new();
    for class_match in &query.classes {
        let is_certain =
            class_match.strong && classes.layers.weight_of_class(&class_match.class) >= config.min_weight;
        let class = &class_match.class;
        if !(class.layer == Layer::Framework || class.is_cross_cutting) || !is_certain {
            continue;
        }
        for (symbol, _) in resolve_targets(snapshot, &class_match.class, classes, query.is_about_tests) {
            let is_visible =
                snapshot.symbol(symbol).is_some_and(|s| noise_reason(&s, input.config.noise).is_none());
            if is_visible && seen.insert(symbol) {
                injected.push((symbol, class_match.class.reason()));
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
                    strongest_support(snapshot, symbol, ComponentWeights::seeds_preset().min_confidence);
                let found = RankedSymbol::new(symbol, CandidateOrigin::Classes(reason));
                RankedSymbol { distance: 0, confidence, provenance, ..found }
            });
            entry.components.push(ScoreComponent { name: "injection", value: score - entry.score });
            entry.score = total_score(&entry.components);
            entry.is_above_threshold = true;
            entry
        })
        .collect();
    ranked.splice(0..0, top);
    injected.into_iter().map(|(symbol, _)| symbol).collect()
}
