//! The reasons for the rank of a symbol, from which clients form sentences.
//!
//! A ranking leaves numbers: components of scores, and contributions of features of the learned
//! ranker. This module turns them into causes that have a name ([`RankCause`]), each with its
//! effect on the score, and collects the facts behind them: which fields contain words of the task,
//! which found symbols use this one, how many similar commits changed it. A sentence needs both,
//! because a fact without an effect does not explain the rank, and an effect without a fact cannot
//! be described.
//!
//! * `cause_table` maps each feature and component to its cause (`data/rank_causes.toml`).
//! * `effects` compares the shares of the causes with the shares of other candidates.
//! * `word_matches` finds the words of the task in the fields of the symbol.
//! * `circumstances` collects the other facts.

mod cause_table;
mod circumstances;
mod effects;
#[cfg(test)]
mod tests;
mod word_matches;

pub use cause_table::RankCause;
pub use circumstances::{
    Circumstances, CommitMatches, FoundNeighbor, FoundRelative, NamedParts, NeighborRole, RankedName,
    RelativeRole, StandInPhrase,
};
pub use effects::CauseEffect;
pub use word_matches::{FieldWords, TaskWord, WordMatches};

use crate::learned::feature_names;
use crate::trace::RunTrace;
use kenning_graph::{Snapshot, SymbolId};
use std::collections::BTreeMap;
use word_matches::TaskWords;

/// The value of a feature of the learned ranker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureValue {
    /// The symbol's value.
    pub own: f64,
    /// The median over all candidates that the learned ranker reordered.
    pub typical: f64,
}

/// The reasons for the rank of a symbol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankReasons {
    /// The effects of all causes that have one, the greatest effect first.
    pub effects: Vec<CauseEffect>,
    /// The words of the task that the symbol contains.
    pub words: WordMatches,
    /// The other facts.
    pub facts: Circumstances,
    /// The values of features, by name; empty if the learned ranker did not reorder the symbol.
    pub values: BTreeMap<&'static str, FeatureValue>,
    /// Number of candidates that the learned ranker reordered, if the symbol ranks after all of
    /// them.
    pub behind: Option<usize>,
}

impl RankReasons {
    /// Collects the reasons for the rank of a symbol in a run. `snapshot` must be the snapshot of
    /// that run.
    pub(crate) fn collect(trace: &RunTrace, snapshot: &Snapshot, symbol: SymbolId) -> Self {
        let effects = effects::cause_effects(trace, snapshot, symbol);
        let words = TaskWords::from_query(&trace.query);
        let learned = trace.learned.as_ref();
        let rank = trace.ranked.iter().position(|ranked| ranked.symbol == symbol);
        let is_behind = |symbols: &[SymbolId]| rank.is_some_and(|rank| rank >= symbols.len());
        Self {
            words: words.match_symbol(snapshot, &trace.query, symbol),
            facts: Circumstances::collect(trace, snapshot, symbol, &words),
            values: feature_values(trace, symbol),
            behind: learned.filter(|l| is_behind(&l.symbols)).map(|learned| learned.symbols.len()),
            effects,
        }
    }

    /// Returns the effect of a cause; zeros if it has none.
    pub fn effect_of(&self, cause: RankCause) -> CauseEffect {
        let found = self.effects.iter().find(|effect| effect.cause == cause).copied();
        found.unwrap_or(CauseEffect { cause, effect: 0.0, gap: 0.0 })
    }

    /// Returns the value of a feature, if the learned ranker reordered the symbol.
    pub fn value_of(&self, feature: &str) -> Option<FeatureValue> {
        self.values.get(feature).copied()
    }
}

/// Returns the features of a symbol that the learned ranker reordered; empty for other symbols.
fn feature_values(trace: &RunTrace, symbol: SymbolId) -> BTreeMap<&'static str, FeatureValue> {
    let Some(learned) = &trace.learned else { return BTreeMap::new() };
    let Some(own) = learned.symbols.iter().position(|&known| known == symbol) else { return BTreeMap::new() };
    let rows: Vec<&[f32]> = learned.features.rows().collect();
    let Some(row) = rows.get(own) else { return BTreeMap::new() };
    let value = |(column, name): (usize, &&'static str)| {
        let mut all: Vec<f32> = rows.iter().map(|row| row[column]).collect();
        all.sort_by(f32::total_cmp);
        (*name, FeatureValue { own: f64::from(row[column]), typical: f64::from(all[all.len() / 2]) })
    };
    feature_names().iter().enumerate().map(value).collect()
}
