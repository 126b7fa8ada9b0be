//! The fusion of several ranked lists.

use std::collections::BTreeMap;

/// Merges lists, each best first, by reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): an item
/// gets `1 / (k + rank)` from each list that has it, with ranks from 1. Returns the items as shares of
/// the best sum, best first, equal ones in the order of the items.
pub(super) fn fuse_ranks<T: Ord + Copy>(lists: &[Vec<T>], k: f64) -> Vec<(T, f64)> {
    let mut sums: BTreeMap<T, f64> = BTreeMap::new();
    for list in lists {
        for (at, item) in list.iter().enumerate() {
            *sums.entry(*item).or_default() += 1.0 / (k + at as f64 + 1.0);
        }
    }
    let mut fused: Vec<(T, f64)> = sums.into_iter().collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1));
    let best = fused.first().map_or(1.0, |(_, sum)| *sum);
    fused.into_iter().map(|(item, sum)| (item, sum / best)).collect()
}

#[cfg(test)]
mod tests {
    use super::fuse_ranks;

    #[test]
    fn an_item_of_two_lists_comes_before_the_first_of_one() {
        let fused = fuse_ranks(&[vec!["a", "b"], vec!["c", "b"]], 60.0);
        let (best, single) = (2.0 / 62.0, 1.0 / 61.0);
        assert_eq!(fused, [("b", 1.0), ("a", single / best), ("c", single / best)]);
        assert!(fuse_ranks::<u8>(&[], 60.0).is_empty());
    }
}
