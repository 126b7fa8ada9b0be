//! Hints for binary searches in a base image. Resolution repeats many lookups on every keystroke.
//! Confirming a remembered result takes two comparisons instead of about twenty.

use rustc_hash::FxHasher;
use std::cmp::Ordering::{self, Less};
use std::hash::{Hash, Hasher as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The number of remembered results, 4 bytes each. If two keys share a slot, the later one replaces
/// the earlier.
const SLOTS: usize = 1 << 14;

/// Remembered results of binary searches in one immutable sorted list.
#[derive(Default)]
pub(crate) struct SearchHints(OnceLock<Box<[AtomicU32]>>);

impl SearchHints {
    /// Returns the first index below `len` at which `compare` does not return `Less`, or `len` if
    /// there is none. `compare` orders the item at an index against the item that is searched. The
    /// remembered result is only a hint: the answer is that of a bisection whatever the hint is.
    pub fn find_lower_bound(&self, key: impl Hash, len: usize, compare: impl Fn(usize) -> Ordering) -> usize {
        if len == 0 {
            return 0;
        }
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        let slots = self.0.get_or_init(|| (0..SLOTS).map(|_| AtomicU32::new(0)).collect());
        // The upper bits are the well-mixed ones.
        let slot = &slots[(hasher.finish() >> 40) as usize % SLOTS];
        let known = slot.load(Relaxed) as usize;
        let is_first = known <= len
            && (known == len || compare(known) != Less)
            && (known == 0 || compare(known - 1) == Less);
        if is_first {
            return known;
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
    fn a_place_is_that_of_a_bisection_whatever_is_remembered() {
        let sorted: Vec<u32> = (0..500).map(|n| n / 3 * 2).collect();
        let places = SearchHints::default();
        for round in 0..3 {
            for wanted in 0..400 {
                // All keys fall together, or each is remembered.
                let key = if round == 0 { 0 } else { wanted };
                let found = places.find_lower_bound(key, sorted.len(), |at| sorted[at].cmp(&wanted));
                assert_eq!(found, sorted.partition_point(|&n| n < wanted));
            }
        }
        assert_eq!(places.find_lower_bound(7, 0, |_| unreachable!("there is nothing")), 0);
    }

    #[test]
    fn a_place_that_is_known_is_found_by_looking_twice() {
        let looks = std::cell::Cell::new(0);
        let places = SearchHints::default();
        let find = || {
            looks.set(0);
            places.find_lower_bound("key", 1 << 20, |at| {
                looks.set(looks.get() + 1);
                at.cmp(&777_777)
            })
        };
        assert_eq!((find(), looks.get() > 15), (777_777, true));
        assert_eq!((find(), looks.get()), (777_777, 2));
    }
}
