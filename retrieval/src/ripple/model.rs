//! The weights that join the measures of a file into one score.
//!
//! A logistic model, fitted on the commits of the tuning repositories by `bench/impact/fit.py`
//! (docs/blast-radius.md).

use super::features::FEATURES;

/// The weight of each measure, in the order of [`FEATURES`].
const WEIGHTS: [f64; FEATURES.len()] =
    [8.0, 4.0, 0.3, 2.0, 0.3, 0.6, 0.3, 0.1, 0.1, 0.1, 0.3, 0.5, 0.3, 0.3, 0.8, 1.0, 0.1, -0.2, 0.8, 0.2];

/// Returns the score of a file; larger is likelier.
pub(super) fn score(values: &[f64; FEATURES.len()]) -> f64 {
    values.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum()
}
