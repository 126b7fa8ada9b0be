//! Combines the features of a file into one score.
//!
//! The model is a softmax over the candidates of a commit with linear scores (a conditional logit).
//! `bench/impact/ripple.py` fits it on commits of the tuning repositories (`docs/blast-radius.md`).

use super::features::FEATURES;

/// The weight of each feature, in the order of [`FEATURES`].
const WEIGHTS: [f64; FEATURES.len()] = [
    1.06, 1.74, -0.69, 1.17, 0.28, 1.03, 0.35, 0.63, 0.30, -0.07, 0.19, -0.43, 1.30, 0.34, 0.46, 0.92, 0.29,
    0.47, 0.56, -0.12, 0.32,
];

/// Returns the score of a file. A file with a higher score is more likely to change.
pub(super) fn score_features(values: &[f64; FEATURES.len()]) -> f64 {
    values.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum()
}
