//! Hints for binary searches in a base image. Resolution repeats many lookups on every keystroke,
//! and confirming a cached result takes two comparisons instead of about twenty.

use rustc_hash::FxHasher;
use std::cmp::Ordering::{self, Less};
use std::hash::{Hash, Hasher as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The number of cached results, 4 bytes each. If two keys share a slot, the result of the later
/// search replaces the other.
const SLOTS: usize = 1 << 14;

/// Cached results of binary searches in one immutable sorted list.
#[derive(Default)]
pub(crate) struct SearchHints(OnceLock<Box<[AtomicU32]>>);

impl SearchHints {
    /// Returns the first index below `len` at which `compare` does not return `Less`, or `len` if
    /// there is none. `compare` orders the item at an index against the item to find. The cached
    /// result is only a hint: the return value equals the result of a binary search, whatever the
    /// hint is.
    pub fn find_lower_bound(&self, key: impl Hash, len: usize, compare: impl Fn(usize) -> Ordering) -> usize {
        if len == 0 {
            return 0;
        }
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        let slots = self.0.get_or_init(|| (0..SLOTS).map(|_| AtomicU32::new(0)).collect());
        // FxHasher mixes the upper bits best.
        let slot = &slots[(hasher.finish() >> 40) as usize % SLOTS];
        let hint = slot.load(Relaxed) as usize;
        let is_lower_bound =
            hint <= len && (hint == len || compare(hint) != Less) && (hint == 0 || compare(hint - 1) == Less);
        if is_lower_bound {
            return hint;
        }
        let (mut from, mut to) = (0, len);
        while from < to {
            let middle = from.midpoint(to);
            if compare(middle) == Less { from = middle + 1 } else { to = middle }
        }
        slot.store(from as u32, Relaxed);
        from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_equals_that_of_a_binary_search_whatever_is_cached() {
        let sorted: Vec<u32> = (0..500).map(|n| n / 3 * 2).collect();
        let hints = SearchHints::default();
        for round in 0..3 {
            for wanted in 0..400 {
                // In the first round all keys share one slot; later each has its own result.
                let key = if round == 0 { 0 } else { wanted };
                let found = hints.find_lower_bound(key, sorted.len(), |at| sorted[at].cmp(&wanted));
                assert_eq!(found, sorted.partition_point(|&n| n < wanted));
            }
        }
        assert_eq!(hints.find_lower_bound(7, 0, |_| unreachable!("the list is empty")), 0);
    }

    #[test]
    fn a_cached_result_is_confirmed_with_two_comparisons() {
        let comparisons = std::cell::Cell::new(0);
        let hints = SearchHints::default();
        let find = || {
            comparisons.set(0);
            hints.find_lower_bound("key", 1 << 20, |at| {
                comparisons.set(comparisons.get() + 1);
                at.cmp(&777_777)
            })
        };
        assert_eq!((find(), comparisons.get() > 15), (777_777, true));
        assert_eq!((find(), comparisons.get()), (777_777, 2));
    }
}
