//! The learned vocabulary: turns associations of words with symbols into one strength per symbol.
//!
//! An association counts from its second observation on; the first may be chance. The strength of a
//! pair grows with the observations, and with the share of the word's clusters that led to the
//! symbol, so that a word that leads everywhere says little. Other clusters count like the task's
//! own, because a word that two tasks share connects them.

use kenning_graph::Hash;
use kenning_graph::store::WordAssociation;
use std::collections::{BTreeMap, BTreeSet};

/// Number of observations from which an association counts.
pub const MIN_COUNT: u32 = 2;

/// Number of observations at which an association has its full weight.
const FULL_COUNT: u32 = 10;

/// The weight of an association at [`MIN_COUNT`] observations.
const MIN_WEIGHT: f64 = 0.3;

/// The weight of an association at [`FULL_COUNT`] observations.
const FULL_WEIGHT: f64 = 0.8;

/// Returns the weight of an association after `count` observations; 0 below [`MIN_COUNT`].
pub fn association_weight(count: u32) -> f64 {
    if count < MIN_COUNT {
        return 0.0;
    }
    let grown = f64::from(count.min(FULL_COUNT) - MIN_COUNT) / f64::from(FULL_COUNT - MIN_COUNT);
    MIN_WEIGHT + (FULL_WEIGHT - MIN_WEIGHT) * grown
}

/// The observations of one keyword.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearnedWord {
    /// The clusters of tasks in which the word led to a symbol.
    pub clusters: BTreeSet<Hash>,
    /// The symbols that it led to.
    pub symbols: BTreeMap<Hash, LearnedPair>,
}

/// The observations of a keyword with a symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearnedPair {
    /// The number of uses.
    pub count: u32,
    /// The clusters of the tasks that led to them.
    pub clusters: BTreeSet<Hash>,
}

impl LearnedWord {
    /// Returns the strength of the association with a symbol, from 0 to 1: the weight of the
    /// observations, times the share of the word's clusters in which it led to the symbol. The
    /// share counts one more cluster in which it did not, because the next task is another one.
    pub fn pair_strength(&self, pair: &LearnedPair) -> f64 {
        let share = pair.clusters.len() as f64 / (self.clusters.len() + 1) as f64;
        association_weight(pair.count) * share
    }
}

/// Collects the observations of the keywords of a task.
pub fn collect_words<'a>(
    keywords: &[String],
    words: impl IntoIterator<Item = &'a WordAssociation>,
) -> BTreeMap<&'a str, LearnedWord> {
    let mut learned: BTreeMap<&str, LearnedWord> = BTreeMap::new();
    for word in words {
        if keywords.contains(&word.keyword) {
            let entry = learned.entry(&word.keyword).or_default();
            entry.clusters.insert(word.cluster);
            let pair = entry.symbols.entry(word.symbol).or_default();
            pair.count = pair.count.saturating_add(word.count);
            pair.clusters.insert(word.cluster);
        }
    }
    learned
}

/// Returns the strength, from 0 to 1, of the associations of each symbol with the keywords of a
/// task. Leaves out symbols without strength.
pub fn weigh_symbols<'a>(
    keywords: &[String],
    words: impl IntoIterator<Item = &'a WordAssociation>,
) -> BTreeMap<Hash, f64> {
    let mut doubts: BTreeMap<Hash, f64> = BTreeMap::new();
    for word in collect_words(keywords, words).values() {
        for (symbol, pair) in &word.symbols {
            // Words are independent evidence: each reduces the doubt that the others leave.
            *doubts.entry(*symbol).or_insert(1.0) *= 1.0 - word.pair_strength(pair);
        }
    }
    doubts.into_iter().map(|(symbol, doubt)| (symbol, 1.0 - doubt)).filter(|entry| entry.1 > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> Hash {
        Hash::from_content(text.as_bytes())
    }

    fn word(keyword: &str, symbol: &str, cluster: &str, count: u32) -> WordAssociation {
        WordAssociation {
            keyword: keyword.to_owned(),
            symbol: hash(symbol),
            cluster: hash(cluster),
            package_root: hash("root"),
            count,
            at: 0,
        }
    }

    fn strength(keywords: &[&str], words: &[WordAssociation], symbol: &str) -> f64 {
        let keywords: Vec<String> = keywords.iter().map(|&word| word.to_owned()).collect();
        weigh_symbols(&keywords, words).get(&hash(symbol)).copied().unwrap_or_default()
    }

    #[test]
    fn the_weight_grows_from_the_second_to_the_tenth_observation() {
        let weights: Vec<f64> = [0, 1, 2, 6, 10, 1000].map(association_weight).to_vec();
        let expected = [0.0, 0.0, 0.3, 0.55, 0.8, 0.8];
        assert!(weights.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{weights:?}");
    }

    #[test]
    fn a_shared_word_is_a_bridge_and_another_word_is_not() {
        let learned = [word("payment", "settle", "pay", 2)];
        assert!((strength(&["payment", "refund"], &learned, "settle") - 0.15).abs() < 1e-12);
        assert_eq!(strength(&["refund"], &learned, "settle"), 0.0);
        assert_eq!(strength(&["payment"], &[word("payment", "settle", "pay", 1)], "settle"), 0.0, "chance");
        let twice = [word("payment", "settle", "pay", 1), word("payment", "settle", "charge", 1)];
        assert!((strength(&["payment"], &twice, "settle") - 0.2).abs() < 1e-12, "two tasks agree");
    }

    #[test]
    fn a_word_that_leads_elsewhere_in_other_tasks_says_less() {
        let mut learned = vec![word("request", "parse", "a", 10)];
        let alone = strength(&["request"], &learned, "parse");
        learned.extend(["b", "c", "d"].map(|cluster| word("request", "send", cluster, 10)));
        assert!(strength(&["request"], &learned, "parse") < alone / 2.0);
        let both = [word("request", "parse", "a", 10), word("header", "parse", "a", 10)];
        assert!(strength(&["request", "header"], &both, "parse") > alone, "words add up");
    }
}
