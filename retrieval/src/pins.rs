//! Applies the user's pins and exclusions: pinned symbols are in the pack and excluded symbols are
//! not, whatever the ranking.

use crate::config::ComponentWeights;
use crate::rank::{CandidateOrigin, RankedSymbol, strongest_support};
use crate::request::RequestOptions;
use crate::score::{ScoreComponent, total_score};
use kenning_graph::{Snapshot, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Removes the excluded symbols and puts the pinned symbols first, in the order of the pins.
///
/// A pin gets the best score and no more, because the other candidates are measured against the
/// best.
pub(crate) fn apply_pins(snapshot: &Snapshot, options: &RequestOptions, ranked: &mut Vec<RankedSymbol>) {
    if options.pinned.is_empty() && options.excluded.is_empty() {
        return;
    }
    let best = ranked.first().map_or(1.0, |best| best.score);
    let excluded: FxHashSet<SymbolId> = options.excluded.iter().copied().collect();
    ranked.retain(|r| !excluded.contains(&r.symbol));
    let mut pins: Vec<SymbolId> = Vec::new();
    let mut seen = FxHashSet::default();
    for &pin in &options.pinned {
        let is_in_workspace = snapshot.symbol(pin).is_some_and(|symbol| !symbol.kind.is_phantom());
        if is_in_workspace && !excluded.contains(&pin) && seen.insert(pin) {
            pins.push(pin);
        }
    }
    let mut known: FxHashMap<SymbolId, RankedSymbol> =
        ranked.extract_if(.., |r| seen.contains(&r.symbol)).map(|r| (r.symbol, r)).collect();
    let top: Vec<RankedSymbol> =
        pins.into_iter().map(|pin| pinned_symbol(snapshot, pin, known.remove(&pin), best)).collect();
    ranked.splice(0..0, top);
}

fn pinned_symbol(snapshot: &Snapshot, pin: SymbolId, known: Option<RankedSymbol>, best: f64) -> RankedSymbol {
    let mut entry = known.unwrap_or_else(|| {
        let (confidence, provenance) =
            strongest_support(snapshot, pin, ComponentWeights::seeds_preset().min_confidence);
        RankedSymbol {
            distance: 0,
            confidence,
            provenance,
            ..RankedSymbol::new(pin, CandidateOrigin::Pinned)
        }
    });
    if entry.score < best {
        entry.components.push(ScoreComponent { name: "pinned", value: best - entry.score });
        entry.score = total_score(&entry.components);
    }
    // Pack pins like lexical matches, not like candidates that only the graph walk reached.
    entry.fused.get_or_insert(0.0);
    entry.is_above_threshold = true;
    entry
}
