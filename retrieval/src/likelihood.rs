//! Estimates how likely a task edits each candidate of its ranking.
//!
//! The estimates are probabilities: of the candidates with an estimate of 0.3, three in ten are
//! edited. They depend on the score of the candidate, its rank, and its lead over the others. A pack
//! gives each symbol room in proportion, and ends where nothing useful is likely. The confidence of a
//! pack follows from the first five. `bench/training/fit_likelihood.py` fits the weights
//! (`data/likelihood.toml`) on repositories that the ranker does not know, and `docs/ranking.md`
//! shows how often each level is right.

use crate::rank::RankedSymbol;
use serde::Deserialize;
use std::sync::LazyLock;

/// Number of first symbols that the confidence is about. A pack lists them at its beginning.
pub const FIRST_SYMBOLS: usize = 5;

/// The component of a score that the learned ranker adds to every candidate of a list, so that the
/// scores of two lists cannot be compared with it.
const LIST_BASE: &str = "learned_base";

/// The likelihood that the first symbols of a ranking contain the code that a task needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankConfidence {
    /// The word for the probability.
    pub level: ConfidenceLevel,
    /// The probability that the task edits one of the first [`FIRST_SYMBOLS`], 0 to 1; 0 if nothing
    /// matches the task.
    pub probability: f64,
}

/// A word for a probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfidenceLevel {
    /// Nothing in the workspace matches the task.
    None,
    /// Less than two fifths.
    Low,
    /// From two fifths to four fifths.
    Medium,
    /// At least four fifths.
    High,
}

impl ConfidenceLevel {
    /// Returns the stable name: `none`, `low`, `medium` or `high`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl RankConfidence {
    /// The confidence in a ranking for a task that nothing in the workspace matches.
    pub const NO_MATCH: Self = Self { level: ConfidenceLevel::None, probability: 0.0 };

    /// Returns the confidence with this probability.
    pub fn from_probability(probability: f64) -> Self {
        let words = &MODEL.words;
        let level = if probability >= words.high {
            ConfidenceLevel::High
        } else if probability >= words.medium {
            ConfidenceLevel::Medium
        } else {
            ConfidenceLevel::Low
        };
        Self { level, probability }
    }
}

/// The likelihood that the task edits each candidate, in the order of the ranking.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditLikelihoods(Vec<f64>);

impl EditLikelihoods {
    /// Estimates the likelihoods for the ranking of a task, or of a request that names its subjects.
    pub(crate) fn for_request(ranked: &[RankedSymbol], is_task: bool) -> Self {
        if is_task { Self::estimate(ranked) } else { Self::with_known_subjects(ranked) }
    }

    /// Estimates the likelihoods for a ranking, best first.
    pub(crate) fn estimate(ranked: &[RankedSymbol]) -> Self {
        let Some(base) = ranked.iter().find_map(list_base) else {
            return Self((0..ranked.len()).map(|rank| round_likelihood(MODEL.rank.estimate(rank))).collect());
        };
        let scores: Vec<f64> = ranked.iter().map(|candidate| candidate.score - base).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let model = &MODEL.symbol;
        let sum: f64 = scores.iter().map(|score| ((score - best) * model.sharpness).exp()).sum();
        let estimate = |(rank, score): (usize, &f64)| {
            let log_share = (score - best) * model.sharpness - sum.ln();
            logistic(
                model.intercept
                    + model.score * score
                    + model.log_rank * log_rank(rank)
                    + model.best_score * best
                    + model.log_share * log_share,
            )
        };
        Self(scores.iter().enumerate().map(estimate).map(round_likelihood).collect())
    }

    /// Returns estimates for a ranking whose first symbols are known to be what the request is about.
    pub(crate) fn with_known_subjects(ranked: &[RankedSymbol]) -> Self {
        let estimate = |(rank, candidate): (usize, &RankedSymbol)| {
            if candidate.distance == 0 { 1.0 } else { round_likelihood(MODEL.rank.estimate(rank)) }
        };
        Self(ranked.iter().enumerate().map(estimate).collect())
    }

    /// Returns the likelihood of the candidate at a rank from 0; 0 behind the last.
    pub fn at_rank(&self, rank: usize) -> f64 {
        self.0.get(rank).copied().unwrap_or(0.0)
    }

    /// Returns the confidence that the first symbols contain what the task edits.
    pub fn rate_first_symbols(&self) -> RankConfidence {
        let none: f64 = self.0.iter().take(FIRST_SYMBOLS).map(|likelihood| 1.0 - likelihood).product();
        let odds = ((1.0 - none) / none.max(f64::MIN_POSITIVE)).max(f64::MIN_POSITIVE);
        let model = &MODEL.first_five;
        RankConfidence::from_probability(round_likelihood(logistic(
            model.intercept + model.log_odds * odds.ln(),
        )))
    }
}

/// Returns the part of a score that all candidates of its list share, if the learned ranker added
/// one.
fn list_base(candidate: &RankedSymbol) -> Option<f64> {
    candidate.components.iter().find(|part| part.name == LIST_BASE).map(|part| part.value)
}

fn log_rank(rank: usize) -> f64 {
    (rank as f64).ln_1p()
}

/// Rounds an estimate, because the last bits of a logarithm differ between machines.
fn round_likelihood(likelihood: f64) -> f64 {
    (likelihood * 1e6).round() / 1e6
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// The fitted weights, from `data/likelihood.toml`.
#[derive(Deserialize)]
struct LikelihoodModel {
    symbol: SymbolWeights,
    rank: RankWeights,
    first_five: FirstFiveWeights,
    words: WordLimits,
}

#[derive(Deserialize)]
struct SymbolWeights {
    intercept: f64,
    score: f64,
    log_rank: f64,
    best_score: f64,
    log_share: f64,
    sharpness: f64,
}

#[derive(Deserialize)]
struct RankWeights {
    intercept: f64,
    log_rank: f64,
}

impl RankWeights {
    fn estimate(&self, rank: usize) -> f64 {
        logistic(self.intercept + self.log_rank * log_rank(rank))
    }
}

#[derive(Deserialize)]
struct FirstFiveWeights {
    intercept: f64,
    log_odds: f64,
}

#[derive(Deserialize)]
struct WordLimits {
    high: f64,
    medium: f64,
}

static MODEL: LazyLock<LikelihoodModel> = LazyLock::new(|| {
    toml::from_str(include_str!("../data/likelihood.toml")).expect("likelihood.toml is checked by a test")
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::CandidateOrigin;
    use crate::score::ScoreComponent;
    use kenning_graph::SymbolId;

    /// Returns a list with these sums of the trees above a base.
    fn list(base: f64, sums: &[f64]) -> Vec<RankedSymbol> {
        let candidate = |(at, sum): (usize, &f64)| {
            let components = vec![ScoreComponent { name: LIST_BASE, value: base }];
            let symbol = SymbolId(u32::try_from(at).expect("a short list"));
            RankedSymbol { score: base + sum, components, ..RankedSymbol::new(symbol, CandidateOrigin::Walk) }
        };
        sums.iter().enumerate().map(candidate).collect()
    }

    #[test]
    fn a_leader_is_likelier_than_the_best_of_equals() {
        let leader = EditLikelihoods::estimate(&list(0.5, &[0.5, -0.3, -0.4, -0.5, -0.6, -0.7]));
        let equals = EditLikelihoods::estimate(&list(0.5, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        assert!(leader.at_rank(0) > 0.6 && equals.at_rank(0) < 0.4, "{leader:?} {equals:?}");
        assert!(leader.0.is_sorted_by(|a, b| a >= b));
        assert!(leader.0.iter().all(|likelihood| (0.0..=1.0).contains(likelihood)));
        assert_eq!(leader.at_rank(6), 0.0);
        let same = EditLikelihoods::estimate(&list(1.0, &[0.5, -0.3, -0.4, -0.5, -0.6, -0.7]));
        assert!((same.at_rank(0) - leader.at_rank(0)).abs() < 1e-9, "the base of a list says nothing");
    }

    #[test]
    fn the_confidence_rises_with_the_lead() {
        let rate = |sums: &[f64]| EditLikelihoods::estimate(&list(0.5, sums)).rate_first_symbols();
        let weak = rate(&[-0.3; 40]);
        let strong = rate(&[0.6, 0.4, -0.4, -0.5, -0.6, -0.7]);
        assert_eq!((weak.level, strong.level), (ConfidenceLevel::Low, ConfidenceLevel::High));
        assert!(weak.probability < 0.5 && strong.probability > 0.8, "{weak:?} {strong:?}");
        assert_eq!(rate(&[]).level, ConfidenceLevel::Low, "nothing was found");
        assert!(MODEL.words.medium < MODEL.words.high);
    }

    #[test]
    fn without_the_learned_ranker_the_rank_decides() {
        let mut ranked = list(0.0, &[0.3, 0.2, 0.1]);
        for candidate in &mut ranked {
            candidate.components.clear();
        }
        let likelihoods = EditLikelihoods::estimate(&ranked);
        assert!(likelihoods.0.is_sorted_by(|a, b| a > b) && likelihoods.at_rank(0) > 0.4);
    }
}
