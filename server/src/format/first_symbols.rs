//! The list of the first symbols of a ranking, with which every form of a pack begins: the places to
//! look at first, each with the strongest reasons for it in a few words.

use super::rank_clauses::shortest_reason;
use kenning_retrieval::{Pack, PackSymbol};
use schemars::JsonSchema;
use serde::Serialize;

/// One of the first symbols of the ranking.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FirstSymbol")]
pub struct FirstSymbolJson {
    /// Index in `symbols`.
    pub index: usize,
    /// The likelihood that the task edits the symbol, from 0 to 1.
    pub likelihood: f64,
    /// The strongest reason for its rank, in a few words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Describes the first symbols of a pack, best first.
pub fn describe_first_symbols(pack: &Pack) -> Vec<FirstSymbolJson> {
    let describe = |first: &kenning_retrieval::FirstSymbol| FirstSymbolJson {
        index: first.index,
        likelihood: (first.likelihood * 100.0).round() / 100.0,
        reason: shortest_reason(&first.reasons).unwrap_or_default(),
    };
    pack.first.iter().map(describe).collect()
}

/// Returns the first symbols of a pack with their descriptions.
pub fn first_symbols(pack: &Pack) -> impl Iterator<Item = (&PackSymbol, FirstSymbolJson)> {
    describe_first_symbols(pack).into_iter().filter_map(|first| Some((pack.symbols.get(first.index)?, first)))
}
