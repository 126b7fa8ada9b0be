//! The stage: scores the first candidates with the trees and sorts them again.

use super::feature_table::{FEATURE_GROUPS, FeatureTable, compute_features, feature_names};
use super::trees::{SCALE, TreeEnsemble};
use crate::rank::{RankInput, RankedSymbol};
use crate::score::{ScoreComponent, total_score};
use kenning_graph::SymbolId;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The constants of the learned ranker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedConfig {
    /// Number of top ranks that are reordered. The trees were trained on as many.
    pub top: usize,
}

/// The component of a score that all candidates of a list share.
const BASE_COMPONENT: &str = "learned_base";

/// The record of the learned ranker: the candidates that it reordered, before that.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedTrace {
    /// The candidates in the order of the stages before, best first.
    pub symbols: Vec<SymbolId>,
    /// The scores of the stages before.
    pub scores: Vec<f64>,
    /// The features of each candidate, in the same order.
    pub features: FeatureTable,
}

impl LearnedTrace {
    /// Returns the contribution of each feature to a candidate's score, greatest effect first and
    /// without zeros. They add up to the components of the trees.
    pub fn contributions(&self, symbol: SymbolId) -> Vec<(&'static str, f64)> {
        let Some(at) = self.symbols.iter().position(|&known| known == symbol) else { return Vec::new() };
        let Some(row) = self.features.rows().nth(at) else { return Vec::new() };
        let mut sums = vec![0i32; feature_names().len()];
        TREES.attribute(row, &mut sums);
        let named = feature_names().iter().copied().zip(sums).filter(|entry| entry.1 != 0);
        let mut contributions: Vec<(&'static str, f64)> =
            named.map(|(name, sum)| (name, f64::from(sum) / SCALE)).collect();
        contributions.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        contributions
    }
}

static TREES: LazyLock<TreeEnsemble> = LazyLock::new(|| {
    TreeEnsemble::parse(include_bytes!("../../data/ranker.bin"), feature_names())
        .expect("data/ranker.bin is part of the program")
});

/// Scores the first candidates of a sorted list with the trees and sorts them again. Their scores
/// lie above those of the other candidates, which keep their places.
pub(crate) fn reorder_candidates(
    input: &RankInput<'_>,
    config: LearnedConfig,
    ranked: &mut [RankedSymbol],
) -> LearnedTrace {
    let top = config.top.min(ranked.len());
    let features = compute_features(input, &ranked[..top]);
    let symbols = ranked[..top].iter().map(|candidate| candidate.symbol).collect();
    let scores = ranked[..top].iter().map(|candidate| candidate.score).collect();
    let sums: Vec<i32> = features.rows().map(|row| TREES.sum(row)).collect();
    let least = sums.iter().copied().min().unwrap_or(0);
    // The least sum gets the score of the first candidate behind. Both terms are multiples of the
    // trees' unit, so that scores are exact sums of their components.
    let behind = ranked.get(top).map_or(0.0, |next| (next.score.max(0.0) * SCALE).ceil() / SCALE);
    let base = behind + f64::from(TREES.expected_sum() - least) / SCALE;
    for (candidate, row) in ranked[..top].iter_mut().zip(features.rows()) {
        candidate.components = group_components(row, base);
        candidate.score = total_score(&candidate.components);
    }
    // The sort is stable: equal candidates keep their order.
    ranked[..top].sort_by(|a, b| b.score.total_cmp(&a.score));
    LearnedTrace { symbols, scores, features }
}

/// Returns the components of a candidate's score: the base, and the sum of the contributions of
/// each group of features.
fn group_components(row: &[f32], base: f64) -> Vec<ScoreComponent> {
    let mut sums = vec![0i32; row.len()];
    TREES.attribute(row, &mut sums);
    let mut components = vec![ScoreComponent { name: BASE_COMPONENT, value: base }];
    for (name, columns) in FEATURE_GROUPS.iter() {
        let sum: i32 = sums[columns.clone()].iter().sum();
        if sum != 0 {
            components.push(ScoreComponent { name, value: f64::from(sum) / SCALE });
        }
    }
    components
}
