//! Finds symbols by a part of their name, for the symbol search of editors.

use crate::channels::is_result_kind;
use crate::path_role::is_secondary;
use kenning_graph::{Snapshot, SymbolId, SymbolRef};
use rustc_hash::FxHashSet;

/// Returns the symbols whose name is `word`, begins with it, or contains it, in this order,
/// ignoring case. Within each group, product code comes before tests, both come before derived
/// files, and names are in order.
pub fn find_names(snapshot: &Snapshot, word: &str, limit: usize) -> Vec<SymbolId> {
    let lower = word.to_lowercase();
    let mut found: Vec<SymbolId> = Vec::new();
    let mut seen = FxHashSet::default();
    let tiers: [&dyn Fn() -> Vec<SymbolId>; 3] =
        [&|| snapshot.symbols_by_folded_name(&lower), &|| snapshot.symbols_by_prefix(&lower, limit), &|| {
            snapshot.symbols_by_substring(&lower, limit)
        }];
    for tier in tiers {
        if lower.is_empty() || found.len() >= limit {
            break;
        }
        let symbols = tier().into_iter().filter_map(|id| snapshot.symbol(id));
        let mut symbols: Vec<SymbolRef<'_>> = symbols.filter(|symbol| is_result_kind(symbol.kind)).collect();
        symbols.sort_by_cached_key(|symbol| (symbol.derived.is_some(), is_secondary(symbol)));
        found.extend(symbols.iter().map(|symbol| symbol.id).filter(|id| seen.insert(*id)));
    }
    found.truncate(limit);
    found
}
