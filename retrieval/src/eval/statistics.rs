//! Means, bootstrap intervals and paired comparisons of task scores. Random choices come from a
//! fixed seed, so that equal scores give equal intervals on every machine.

/// Number of resamples of a bootstrap.
const RESAMPLES: usize = 2_000;

/// Absolute value below which a difference counts as 0.
const TIE_TOLERANCE: f64 = 1e-12;

/// A mean and the bounds of its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanEstimate {
    /// The mean of the sample.
    pub mean: f64,
    /// The 2.5% quantile of the resampled means.
    pub low: f64,
    /// The 97.5% quantile of the resampled means.
    pub high: f64,
}

/// Returns the mean of the values; `NaN` if there are none.
pub fn mean_value(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the mean of each column of the rows with its percentile bootstrap interval (Efron 1979).
/// Draws 2,000 resamples of whole rows from a fixed seed, so equal rows give equal bounds. Each row
/// must have `columns` values.
pub fn bootstrap_means(rows: &[&[f64]], columns: usize) -> Vec<MeanEstimate> {
    let mut generator = SplitMix64(1);
    let mut resampled = vec![Vec::with_capacity(RESAMPLES); columns];
    let mut sums = vec![0.0; columns];
    for _ in 0..RESAMPLES {
        sums.fill(0.0);
        for _ in rows {
            let row = rows[generator.next_below(rows.len())];
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
        for (means, sum) in resampled.iter_mut().zip(&sums) {
            means.push(sum / rows.len() as f64);
        }
    }
    let mut estimates = Vec::with_capacity(columns);
    for (column, mut means) in resampled.into_iter().enumerate() {
        means.sort_by(f64::total_cmp);
        let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        let quantile = |share: f64| means[(RESAMPLES as f64 * share) as usize];
        estimates.push(MeanEstimate {
            mean: mean_value(&values),
            low: quantile(0.025),
            high: quantile(0.975),
        });
    }
    estimates
}

/// The comparison of one metric between two runs, task by task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedComparison {
    /// Mean of the first run.
    pub first: f64,
    /// Mean of the second run.
    pub second: f64,
    /// The mean difference, first minus second, with its interval.
    pub difference: MeanEstimate,
    /// Number of tasks on which the first run is better.
    pub wins: usize,
    /// Number of tasks on which the second run is better.
    pub losses: usize,
    /// Number of tasks on which both runs are equal.
    pub ties: usize,
    /// The two-sided p-value of the Wilcoxon signed-rank test.
    pub p: f64,
}

/// Compares two runs' values of one metric. Both runs must have the same tasks in the same order.
pub fn compare_paired(first: &[f64], second: &[f64]) -> PairedComparison {
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let rows: Vec<&[f64]> = differences.iter().map(std::slice::from_ref).collect();
    let wins = differences.iter().filter(|&&d| d > TIE_TOLERANCE).count();
    let losses = differences.iter().filter(|&&d| d < -TIE_TOLERANCE).count();
    PairedComparison {
        first: mean_value(first),
        second: mean_value(second),
        difference: bootstrap_means(&rows, 1)[0],
        wins,
        losses,
        ties: differences.len() - wins - losses,
        p: wilcoxon_p_value(&differences),
    }
}

/// Returns the two-sided p-value of the Wilcoxon signed-rank test (Wilcoxon 1945), by the normal
/// approximation with continuity and tie correction. Drops zero differences, and returns 1 if no
/// difference is left.
pub fn wilcoxon_p_value(differences: &[f64]) -> f64 {
    let mut nonzero: Vec<f64> = differences.iter().copied().filter(|d| d.abs() > TIE_TOLERANCE).collect();
    nonzero.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let (mut rank_sum, mut tie_term, mut below) = (0.0, 0.0, 0);
    while below < nonzero.len() {
        let same = nonzero[below..]
            .windows(2)
            .take_while(|pair| (pair[1].abs() - pair[0].abs()) < TIE_TOLERANCE)
            .count();
        let tied = &nonzero[below..=below + same];
        let (count, rank) = (tied.len() as f64, below as f64 + (same as f64) / 2.0 + 1.0);
        rank_sum += rank * tied.iter().filter(|&&d| d > 0.0).count() as f64;
        tie_term += count.powi(3) - count;
        below += tied.len();
    }
    let n = nonzero.len() as f64;
    let expected = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_term / 48.0;
    if variance <= 0.0 {
        return 1.0;
    }
    let z = ((rank_sum - expected).abs() - 0.5) / variance.sqrt();
    complementary_error(z.max(0.0) / std::f64::consts::SQRT_2)
}

/// Returns erfc(x) for x >= 0, by the Maclaurin series of erf below 2 and Laplace's continued
/// fraction above (Abramowitz and Stegun 7.1.5 and 7.1.14). The relative error is under 1e-10 if
/// the result is above 1e-300.
fn complementary_error(x: f64) -> f64 {
    let root_pi = std::f64::consts::PI.sqrt();
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for n in 1..60 {
            let n = f64::from(n);
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        return 1.0 - 2.0 / root_pi * sum;
    }
    let fraction = (1..=120).rev().fold(x, |tail, n| x + f64::from(n) / 2.0 / tail);
    (-x * x).exp() / root_pi / fraction
}

/// The SplitMix64 generator (Steele, Lea and Flood 2014): small, seeded, and the same on all
/// platforms.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`. The bias of the multiplication is under 2^-32 for the sizes
    /// used here.
    fn next_below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next_u64()) * limit as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{bootstrap_means, compare_paired, complementary_error, wilcoxon_p_value};

    fn assert_near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not within {tolerance} of {b}");
    }

    /// Reference values of Python's `math.erfc`.
    #[test]
    fn the_complementary_error_function_is_exact_to_ten_digits() {
        for (x, expected) in [
            (0.0, 1.0),
            (0.5, 0.4795001221869535),
            (1.0, 0.15729920705028513),
            (1.999, 0.004698443348629488),
            (2.0, 0.004677734981047266),
            (3.5, 7.430983723414128e-7),
            (10.0, 2.088487583762545e-45),
        ] {
            assert_near(complementary_error(x), expected, expected * 1e-8);
        }
    }

    #[test]
    fn wilcoxon_detects_a_shift_but_not_balanced_differences() {
        let shifted: Vec<f64> = (1..=40).map(|i| f64::from(i) / 10.0).collect();
        assert!(wilcoxon_p_value(&shifted) < 1e-6);
        let balanced: Vec<f64> = (1..=40).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert_near(wilcoxon_p_value(&balanced), 1.0, 1e-9);
        assert_near(wilcoxon_p_value(&[0.0, 0.0]), 1.0, 0.0);
        assert_near(wilcoxon_p_value(&[]), 1.0, 0.0);
    }

    #[test]
    fn the_interval_contains_the_mean_and_narrows_with_more_tasks() {
        let values: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let rows: Vec<&[f64]> = values.iter().map(std::slice::from_ref).collect();
        let (few, many) = (bootstrap_means(&rows[..40], 1)[0], bootstrap_means(&rows, 1)[0]);
        assert_near(many.mean, 0.5, 1e-12);
        // 1.96 standard errors of a fair coin thrown 400 times.
        assert_near(many.high - many.mean, 0.049, 0.008);
        assert_near(many.mean - many.low, 0.049, 0.008);
        assert!(few.high - few.low > 2.0 * (many.high - many.low));
        assert_eq!(bootstrap_means(&rows, 1)[0], many, "the same rows give the same bounds");
    }

    #[test]
    fn a_paired_comparison_counts_wins_losses_and_ties() {
        let paired = compare_paired(&[1.0, 0.5, 0.0, 0.2], &[0.0, 0.5, 0.5, 0.1]);
        assert_eq!((paired.wins, paired.losses, paired.ties), (2, 1, 1));
        assert_near(paired.difference.mean, 0.15, 1e-12);
        assert_near(paired.first - paired.second, 0.15, 1e-12);
    }
}
