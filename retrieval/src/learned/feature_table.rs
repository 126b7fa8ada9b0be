//! The table of features: one row for each candidate, one column for each name.
//!
//! Each module of features has the names of its columns (`NAMES`) and computes their values in the
//! same order. Some modules first collect data that all candidates share. Two threads compute one
//! half of the rows each; then `relative_features` compares the candidates with one another. The
//! trees refer to columns by name, so that columns may be added and moved without a new model.

use super::{
    history_features, list_features, order_features, relative_features, symbol_features, task_features,
    term_features, word_features,
};
use crate::parallel::par_halves;
use crate::rank::{RankInput, RankedSymbol};
use kenning_graph::SymbolRef;
use std::ops::Range;
use std::sync::LazyLock;

/// The features of a list of candidates, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureTable {
    /// Number of features of a row, the length of [`feature_names`].
    pub width: usize,
    /// The values of all rows, one after the other.
    pub values: Vec<f32>,
}

impl FeatureTable {
    /// Iterates over the rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.width.max(1))
    }
}

/// The features of each module, with the name of their component in scores.
const MODULES: [(&str, &[&str]); 7] = [
    ("learned_order", &order_features::NAMES),
    ("learned_words", &term_features::NAMES),
    ("learned_names", &word_features::NAMES),
    ("learned_symbol", &symbol_features::NAMES),
    ("learned_neighbors", &list_features::NAMES),
    ("learned_history", &history_features::NAMES),
    ("learned_task", &task_features::NAMES),
];

/// Returns the names of the features, in the order of their columns.
pub fn feature_names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let mut names = plain_names();
        names.extend(relative_features::NAMES);
        names
    });
    &NAMES
}

/// Returns the names of the features that depend on no other feature.
pub(super) fn plain_names() -> Vec<&'static str> {
    MODULES.iter().flat_map(|module| module.1).copied().collect()
}

/// The columns of each group of features, by the name of the group's component.
pub(super) static FEATURE_GROUPS: LazyLock<Vec<(&'static str, Range<usize>)>> = LazyLock::new(|| {
    let (mut groups, mut start) = (Vec::new(), 0);
    for (name, features) in MODULES {
        groups.push((name, start..start + features.len()));
        start += features.len();
    }
    groups.push(("learned_rank", start..start + relative_features::NAMES.len()));
    groups
});

/// Computes the features of candidates, which must be in the order of their scores.
pub(crate) fn compute_features(input: &RankInput<'_>, ranked: &[RankedSymbol]) -> FeatureTable {
    let snapshot = input.input.snapshot;
    let order = order_features::OrderFeatures::collect(input, ranked);
    let terms = term_features::TermFeatures::collect(&input.input, ranked);
    let list = list_features::ListFeatures::collect(snapshot, ranked);
    let history = history_features::HistoryFeatures::new(&input.input);
    let task = task_features::compute_task_values(input, ranked);
    let asks_for_tests = task_features::asks_for_tests(input.input.query);
    let positions: Vec<usize> = (0..ranked.len()).collect();
    let row = |words: &mut word_features::WordFeatures<'_>, symbol: &SymbolRef<'_>, at: usize| {
        let mut row: Vec<f32> = Vec::new();
        row.extend(order.candidate_values(&ranked[at], at));
        row.extend(terms.candidate_values(at));
        row.extend(words.candidate_values(snapshot, symbol));
        row.extend(symbol_features::candidate_values(snapshot, symbol, asks_for_tests));
        row.extend(list.candidate_values(snapshot, symbol, at));
        row.extend(history.candidate_values(symbol));
        row.extend(task);
        row
    };
    let empty = vec![0.0f32; plain_names().len()];
    let rows = par_halves(&positions, |half| {
        let mut words = word_features::WordFeatures::from_query(input.input.query);
        let rows = half.iter().map(|&at| match snapshot.symbol(ranked[at].symbol) {
            Some(symbol) => row(&mut words, &symbol, at),
            None => empty.clone(),
        });
        rows.collect()
    });
    relative_features::add_relative_features(rows)
}
