//! Reorders the first candidates by the sum of the trees.
//!
//! The input is the list that the earlier stages sorted. The first candidates get new components,
//! the contributions of the trees by group of features, and are sorted again. All others keep their
//! scores and stay behind them.

use super::feature_table::{FEATURE_GROUPS, FeatureTable, compute_features, feature_names};
use super::trees::{SCALE, TreeEnsemble};
use crate::parallel::par_halves;
use crate::rank::{RankInput, RankedSymbol};
use crate::score::{ScoreComponent, total_score};
use kenning_graph::SymbolId;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The constants of the learned ranker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedConfig {
    /// Number of top ranks that the trees reorder. Must equal the number used in training.
    pub top: usize,
}

/// The component of a score that all candidates of a list share.
const BASE_COMPONENT: &str = "learned_base";

/// The base of a list without further candidates. The sum of the trees is about 0.25 for the best
/// candidate and about -0.7 for the worst of a hundred (medians over the validation tasks). With
/// this base, the share of a candidate below -0.3 is less than `PackConfig::min_share`, so that a
/// pack leaves it out.
const SHORT_LIST_BASE: f64 = 0.4;

/// The components that the trees replace: the scores of the channels and stages that have examples
/// in the training data. The scores of quoted code (locations, tests, messages) and of extra
/// channels are added to the score of the trees, because hardly any commit message quotes code.
const LEARNED_PARTS: [&str; 6] = ["bm25", "tiered", "classes", "history", "history_files", "walk"];

/// The input of the learned ranker: the candidates before they were reordered.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedTrace {
    /// The candidates in the order of the earlier stages, best first.
    pub symbols: Vec<SymbolId>,
    /// The scores of the earlier stages.
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
        TREES.add_contributions(row, &mut sums);
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

/// Scores the first candidates of a sorted list with the trees and sorts them again. The other
/// candidates keep their places, and none of them has a greater score.
pub(crate) fn reorder_candidates(
    input: &RankInput<'_>,
    config: LearnedConfig,
    ranked: &mut [RankedSymbol],
) -> LearnedTrace {
    let top = config.top.min(ranked.len());
    let features = compute_features(input, &ranked[..top]);
    let symbols = ranked[..top].iter().map(|candidate| candidate.symbol).collect();
    let scores = ranked[..top].iter().map(|candidate| candidate.score).collect();
    let rows: Vec<&[f32]> = features.rows().collect();
    let groups = par_halves(&rows, |half| half.iter().map(|row| sum_groups(row)).collect());
    let sums: Vec<i32> = groups.iter().map(|groups| groups.iter().sum()).collect();
    let least = sums.iter().copied().min().unwrap_or(0);
    // The lowest sum gets the score of the first candidate that is not reordered, if there is one.
    // Both terms are multiples of the trees' unit, so that scores are exact sums of their
    // components.
    let base = ranked.get(top).map_or(SHORT_LIST_BASE, |behind| {
        (behind.score.max(0.0) * SCALE).ceil() / SCALE - f64::from(least) / SCALE
    });
    for (candidate, groups) in ranked[..top].iter_mut().zip(&groups) {
        candidate.components.retain(|part| !LEARNED_PARTS.contains(&part.name));
        candidate.components.extend(group_components(groups, base));
        candidate.score = total_score(&candidate.components);
    }
    // The sort is stable: equal candidates keep their order.
    ranked[..top].sort_by(|a, b| b.score.total_cmp(&a.score));
    LearnedTrace { symbols, scores, features }
}

/// Returns the contributions of a candidate's features, one for each group.
fn sum_groups(row: &[f32]) -> Vec<i32> {
    let mut sums = vec![0i32; row.len()];
    TREES.add_contributions(row, &mut sums);
    FEATURE_GROUPS.iter().map(|(_, columns)| sums[columns.clone()].iter().sum()).collect()
}

/// Returns the components of a candidate's score: the base, and the contribution of each group.
fn group_components(sums: &[i32], base: f64) -> Vec<ScoreComponent> {
    let mut components = vec![ScoreComponent { name: BASE_COMPONENT, value: base }];
    for ((name, _), &sum) in FEATURE_GROUPS.iter().zip(sums) {
        if sum != 0 {
            components.push(ScoreComponent { name, value: f64::from(sum) / SCALE });
        }
    }
    components
}
