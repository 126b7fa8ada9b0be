//! Builds the text query of a question's words, and ranks the matches.

use crate::query::TaskQuery;
use kenning_graph::text::{TextQuery, TextQueryTerm};

/// Returns the text query of all words of a question, including words that code does not have.
pub(super) fn query_words(query: &TaskQuery) -> TextQuery {
    let terms = query.weights.iter().map(|(token, weight)| TextQueryTerm {
        tokens: vec![token.clone()],
        weight: *weight,
        field: None,
        prefix: false,
    });
    TextQuery { terms: terms.collect() }
}

/// Returns the ids with a score above 0, best first. Equal scores are ordered by location and not
/// by id, because ids depend on the order in which files were indexed.
pub(super) fn rank_ids<P: Ord>(scores: Vec<f32>, find_location: impl Fn(u32) -> P) -> Vec<(u32, f32)> {
    let mut found: Vec<(u32, f32)> = (0..).zip(scores).filter(|(_, score)| *score > 0.0).collect();
    let by_location = |a: u32, b: u32| find_location(a).cmp(&find_location(b)).then(a.cmp(&b));
    found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| by_location(a.0, b.0)));
    found
}
