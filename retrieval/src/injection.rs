//! Framework injection: what a framework's class names for sure goes to the top, whatever words and walk say
//! (`docs/ranking.md`).

use crate::channels::ChannelInput;
use crate::classes::{Layer, resolve};
use crate::config::{InjectionConfig, SevenConfig};
use crate::noise::noise;
use crate::rank::{Origin, Ranked, support};
use crate::score::{Component, total};
use kenning_graph::SymbolId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Puts the symbols of strong framework classes first, above the best score, in the order of the classes and their
/// targets; returns them.
pub(crate) fn inject(
    input: &ChannelInput<'_>,
    config: &InjectionConfig,
    ranked: &mut Vec<Ranked>,
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
        for (symbol, _) in resolve(snapshot, &found.class, classes, query.about_tests) {
            let shown = snapshot.symbol(symbol).is_some_and(|s| noise(&s, input.config.noise).is_none());
            if shown && seen.insert(symbol) {
                injected.push((symbol, found.class.reason()));
            }
        }
    }
    if injected.is_empty() {
        return Vec::new();
    }
    let score = ranked.first().map_or(0.0, |best| best.score) + config.lead;
    let mut known: FxHashMap<SymbolId, Ranked> =
        ranked.extract_if(.., |r| seen.contains(&r.symbol)).map(|r| (r.symbol, r)).collect();
    let top: Vec<Ranked> = injected
        .iter()
        .map(|&(symbol, reason)| {
            let mut entry = known.remove(&symbol).unwrap_or_else(|| {
                let (confidence, provenance) = support(snapshot, symbol, SevenConfig::seeds().min_confidence);
                let found = Ranked::new(symbol, Origin::Classes(reason));
                Ranked { distance: 0, confidence, provenance, ..found }
            });
            entry.components.push(Component { name: "injection", value: score - entry.score });
            entry.score = total(&entry.components);
            entry.above_threshold = true;
            entry
        })
        .collect();
    ranked.splice(0..0, top);
    injected.into_iter().map(|(symbol, _)| symbol).collect()
}
