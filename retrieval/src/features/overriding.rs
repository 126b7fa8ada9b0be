//! Finds the symbols that a symbol overrides. A call to one of them may run the overriding symbol,
//! because dispatch decides at run time.

use kenning_graph::{EdgeKind, Snapshot, SymbolId};
use rustc_hash::FxHashSet;

/// Maximum number of overridden symbols visited above a set of targets. Generated types can
/// implement hundreds of interfaces.
const MAX_BASES: usize = 32;

/// Returns the symbols that a symbol overrides directly, in the order of their identities.
fn overridden_bases(snapshot: &Snapshot, id: SymbolId) -> Vec<SymbolId> {
    let mut bases = Vec::new();
    snapshot.for_each_out_edge(id, |edge| {
        if edge.kind == EdgeKind::Overrides && !bases.contains(&edge.target) {
            bases.push(edge.target);
        }
    });
    bases.sort_by_cached_key(|&base| snapshot.symbol(base).map(|s| s.hash));
    bases
}

/// Returns the symbols that the targets override, directly or over several steps, nearest first, at
/// most [`MAX_BASES`].
pub(super) fn all_overridden_bases(
    snapshot: &Snapshot,
    targets: impl Iterator<Item = SymbolId>,
) -> Vec<SymbolId> {
    let mut visited: Vec<SymbolId> = targets.collect();
    let target_count = visited.len();
    let mut seen: FxHashSet<SymbolId> = visited.iter().copied().collect();
    let mut next_index = 0;
    while next_index < visited.len() && visited.len() - target_count < MAX_BASES {
        let new = overridden_bases(snapshot, visited[next_index]);
        visited.extend(new.into_iter().filter(|&base| seen.insert(base)));
        next_index += 1;
    }
    let mut bases = visited.split_off(target_count);
    bases.truncate(MAX_BASES);
    bases
}
