//! Lists of scores as ranks: shares of the best score, and the fusion of several lists.

use std::collections::BTreeMap;

/// Returns each score as a share of the best, in the order of the list.
pub(super) fn shares_of_best<T: Clone>(scored: &[(T, f64)]) -> Vec<(T, f64)> {
    let best = scored.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    let share = |score: f64| if best > 0.0 { score / best } else { 0.0 };
    scored.iter().map(|(item, score)| (item.clone(), share(*score))).collect()
}

/// Merges lists, each best first, by reciprocal rank fusion: an item gets `1 / (k + rank)` from each
/// list that has it, with ranks from 1. Returns the items as shares of the best sum, best first,
/// equal ones in the order of the items.
pub(super) fn fuse_ranks<T: Ord + Clone>(lists: &[Vec<T>], k: f64) -> Vec<(T, f64)> {
    let mut sums: BTreeMap<&T, f64> = BTreeMap::new();
    for list in lists {
        for (at, item) in list.iter().enumerate() {
            *sums.entry(item).or_default() += 1.0 / (k + at as f64 + 1.0);
        }
    }
    let mut fused: Vec<(T, f64)> = sums.into_iter().map(|(item, sum)| (item.clone(), sum)).collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares_of_best(&fused)
}

#[cfg(test)]
mod tests {
    use super::{fuse_ranks, shares_of_best};

    #[test]
    fn an_item_of_two_lists_comes_before_the_first_of_one() {
        let fused = fuse_ranks(&[vec!["a", "b"], vec!["c", "b"]], 60.0);
        let (best, single) = (2.0 / 62.0, 1.0 / 61.0);
        assert_eq!(fused, [("b", 1.0), ("a", single / best), ("c", single / best)]);
        assert!(fuse_ranks::<u8>(&[], 60.0).is_empty());
    }

    #[test]
    fn scores_become_shares_of_the_best() {
        assert_eq!(shares_of_best(&[('a', 4.0), ('b', 1.0)]), [('a', 1.0), ('b', 0.25)]);
        assert_eq!(shares_of_best(&[('a', 0.0)]), [('a', 0.0)]);
    }
}
