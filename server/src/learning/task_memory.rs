//! The task memory: recalls the first symbols of earlier packs for similar tasks.
//!
//! It is off unless the option `learning.taskMemory` or the constant `evidence.task_memory` turns
//! it on. Every pack for a task then records its first symbols, whether the reader used them or
//! not, so that a task confirms itself. Feedback and use are better evidence; the memory exists to
//! be compared with them.

use super::{PackageRootCache, package_root, seconds_since_epoch};
use crate::answer::PackQuestion;
use kenning_graph::store::{MemoryLocation, RememberedSymbol, RootedSymbol, StoreError, TaskEvent};
use kenning_graph::{Hash, Snapshot};
use kenning_retrieval::Pack;
use std::collections::{BTreeMap, BTreeSet};

/// Number of symbols that the memory keeps of a pack.
const FIRST_SYMBOLS: usize = 5;

const SECONDS_PER_DAY: u64 = 86_400;

/// Number of days after which the memory deletes a symbol.
const MAX_DAYS: u64 = 7;

/// Returns the strength with which earlier tasks recall each symbol, from 0 to 1, without zeros.
/// The strength is the share of keywords that the tasks have in common among the keywords of both,
/// less a seventh per day. The strongest task counts. `now` is in seconds since the Unix epoch.
pub fn recall_symbols(
    keywords: &[String],
    rows: &[RememberedSymbol],
    roots: &mut PackageRootCache<'_>,
    now: u64,
) -> BTreeMap<Hash, f64> {
    let keywords: BTreeSet<&str> = keywords.iter().map(String::as_str).collect();
    let mut recalled: BTreeMap<Hash, f64> = BTreeMap::new();
    for row in rows {
        let strength = keyword_overlap(&keywords, &row.keywords) * remaining_share(row.at, now);
        if strength > 0.0 && roots.is_still_valid(&row.symbol, &row.package_root) {
            let best = recalled.entry(row.symbol).or_default();
            *best = best.max(strength);
        }
    }
    recalled
}

/// Returns the number of common keywords divided by that of all keywords (Jaccard 1901).
fn keyword_overlap(keywords: &BTreeSet<&str>, remembered: &str) -> f64 {
    let remembered: BTreeSet<&str> = remembered.split(' ').filter(|word| !word.is_empty()).collect();
    let common = keywords.intersection(&remembered).count();
    let all = keywords.union(&remembered).count();
    common as f64 / all.max(1) as f64
}

/// Returns the share that a memory keeps. It decreases from day to day, so that the same request
/// has the same pack all day.
fn remaining_share(at: u64, now: u64) -> f64 {
    let days = now.saturating_sub(at) / SECONDS_PER_DAY;
    MAX_DAYS.saturating_sub(days) as f64 / MAX_DAYS as f64
}

/// Remembers the first symbols of a pack, if the task memory is on for the question and the task
/// has keywords.
///
/// # Errors
/// Returns an error if the database cannot be read or written.
pub fn remember_pack(
    memory: Option<&MemoryLocation>,
    snapshot: &Snapshot,
    question: &PackQuestion,
    pack: &Pack,
) -> Result<(), StoreError> {
    let key = question.learning_key();
    let Some(memory) = memory.filter(|_| key.recalls_tasks && !key.keywords.is_empty()) else {
        return Ok(());
    };
    let add_root = |hash: &Hash| {
        let symbol = snapshot.symbol_by_hash(hash).and_then(|id| snapshot.symbol(id))?;
        Some(RootedSymbol { symbol: *hash, package_root: package_root(snapshot, &symbol)? })
    };
    let first = pack.symbols.iter().take(FIRST_SYMBOLS);
    let symbols: Vec<RootedSymbol> = first.filter_map(|symbol| add_root(&symbol.id)).collect();
    if symbols.is_empty() {
        return Ok(());
    }
    let (mut store, salvage) = memory.open_store()?;
    if let Some(salvage) = salvage {
        tracing::warn!("{salvage}");
    }
    store.remember_task(&TaskEvent {
        keywords: key.keywords,
        symbols,
        at: seconds_since_epoch(),
        max_age: MAX_DAYS * SECONDS_PER_DAY,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_workspace::index_files;

    #[test]
    fn a_symbol_is_recalled_by_common_keywords_for_a_week() {
        let indexed = index_files(&[("pay/ledger.py", "def settle():\n    pass\n")]);
        let snapshot = indexed.workspace.current_snapshot();
        let symbol = snapshot.symbol(crate::symbol_names::find_symbol(&snapshot, "settle").unwrap()).unwrap();
        let row = |keywords: &str, root: Hash, day: u64| RememberedSymbol {
            keywords: keywords.to_owned(),
            symbol: symbol.hash,
            package_root: root,
            at: day * SECONDS_PER_DAY,
        };
        let root = package_root(&snapshot, &symbol).unwrap();
        let recall = |keywords: &[&str], rows: &[RememberedSymbol], day: u64| {
            let keywords: Vec<String> = keywords.iter().map(|&word| word.to_owned()).collect();
            let now = day * SECONDS_PER_DAY + 5;
            let found = recall_symbols(&keywords, rows, &mut PackageRootCache::new(&snapshot), now);
            found.get(&symbol.hash).copied()
        };
        let payment = [row("order payment", root, 10)];
        assert_eq!(recall(&["payment", "order"], &payment, 10), Some(1.0));
        assert_eq!(recall(&["payment", "refund"], &payment, 10), Some(1.0 / 3.0));
        assert_eq!(recall(&["refund"], &payment, 10), None);
        assert_eq!(recall(&["payment", "order"], &payment, 11), Some(6.0 / 7.0));
        assert_eq!(recall(&["payment", "order"], &payment, 16), Some(1.0 / 7.0));
        assert_eq!(recall(&["payment", "order"], &payment, 17), None, "a week has passed");
        assert_eq!(recall(&["payment", "order"], &payment, 2), Some(1.0), "the clock was set back");
        let later = [row("order payment", root, 10), row("payment", root, 12)];
        assert_eq!(recall(&["payment"], &later, 12), Some(1.0), "the strongest counts");
        let changed = [row("order payment", Hash::from_content(b"before"), 10)];
        assert_eq!(recall(&["payment", "order"], &changed, 10), None, "the package has changed");
    }
}
