//! What a person wants in a pack, or does not want there, whatever the ranking says.

use crate::config::SevenConfig;
use crate::rank::{Origin, Ranked, support};
use crate::request::RequestOptions;
use crate::score::{Component, total};
use kenning_graph::{Snapshot, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Takes away what is excluded and puts what is pinned first, in the order of the pins.
///
/// A pin has the best score and no more: what else is good enough for the pack is measured by the best.
pub(crate) fn apply(snapshot: &Snapshot, options: &RequestOptions, ranked: &mut Vec<Ranked>) {
    if options.pinned.is_empty() && options.excluded.is_empty() {
        return;
    }
    let best = ranked.first().map_or(1.0, |best| best.score);
    let excluded: FxHashSet<SymbolId> = options.excluded.iter().copied().collect();
    ranked.retain(|r| !excluded.contains(&r.symbol));
    let mut pins: Vec<SymbolId> = Vec::new();
    let mut seen = FxHashSet::default();
    for &pin in &options.pinned {
        let shown = snapshot.symbol(pin).is_some_and(|symbol| !symbol.kind.is_phantom());
        if shown && !excluded.contains(&pin) && seen.insert(pin) {
            pins.push(pin);
        }
    }
    let mut known: FxHashMap<SymbolId, Ranked> =
        ranked.extract_if(.., |r| seen.contains(&r.symbol)).map(|r| (r.symbol, r)).collect();
    let top: Vec<Ranked> =
        pins.into_iter().map(|pin| pinned(snapshot, pin, known.remove(&pin), best)).collect();
    ranked.splice(0..0, top);
}

fn pinned(snapshot: &Snapshot, pin: SymbolId, known: Option<Ranked>, best: f64) -> Ranked {
    let mut entry = known.unwrap_or_else(|| {
        let (confidence, provenance) = support(snapshot, pin, SevenConfig::seeds().min_confidence);
        Ranked { distance: 0, confidence, provenance, ..Ranked::new(pin, Origin::Pinned) }
    });
    if entry.score < best {
        entry.components.push(Component { name: "pinned", value: best - entry.score });
        entry.score = total(&entry.components);
    }
    // Packed with what the words found, not among what only the walk reached.
    entry.fused.get_or_insert(0.0);
    entry.above_threshold = true;
    entry
}
