//! Estimates the likelihood that the first ten symbols of a ranking contain the code that its task
//! needs.
//!
//! The estimate depends on the best score of the trees. That score is high if one candidate stands
//! out in its features, and low if the words of the task match many candidates weakly.
//! `docs/ranking.md` shows how often each level is right. `bench/training/fit_confidence.py` fits
//! the limits of the levels.

use super::trees::SCALE;
use serde::Deserialize;
use std::sync::LazyLock;

/// The likelihood that the first ten symbols contain the code that the task needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RankConfidence {
    /// Nothing in the workspace matches the task.
    None,
    /// Less than one half.
    Low,
    /// From one half to four fifths.
    Medium,
    /// At least four fifths.
    High,
}

impl RankConfidence {
    /// Returns the stable name: `none`, `low`, `medium` or `high`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Returns the confidence of a list. `best_sum` is the highest sum of the trees for a candidate,
    /// in units of 1 / [`SCALE`]. An empty list has no sum and gives [`Self::Low`]; the caller
    /// decides on [`Self::None`]. Quoted code gives the highest confidence regardless of the trees.
    pub(super) fn rate_list(best_sum: Option<i32>, quoted_code: QuotedCode) -> Self {
        let Some(sum) = best_sum else { return Self::Low };
        let score = f64::from(sum) / SCALE;
        if quoted_code == QuotedCode::Found || score >= LIMITS.high {
            Self::High
        } else if score >= LIMITS.medium {
            Self::Medium
        } else {
            Self::Low
        }
    }
}

/// Whether a list contains code that the task quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuotedCode {
    Found,
    NotFound,
}

/// The minimum score of each level, from `data/confidence.toml`.
#[derive(Deserialize)]
struct ConfidenceLimits {
    high: f64,
    medium: f64,
}

static LIMITS: LazyLock<ConfidenceLimits> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/confidence.toml")).expect("confidence.toml is checked by a test")
});

#[cfg(test)]
mod tests {
    use super::{LIMITS, QuotedCode, RankConfidence};
    use crate::learned::trees::SCALE;

    #[test]
    fn the_confidence_rises_with_the_best_score() {
        assert!(LIMITS.medium < LIMITS.high);
        let rate = |score: f64| {
            RankConfidence::rate_list(Some((score * SCALE) as i32), QuotedCode::NotFound).as_str()
        };
        assert_eq!(rate(LIMITS.medium - 0.01), "low");
        assert_eq!(rate(LIMITS.medium + 0.01), "medium");
        assert_eq!(rate(LIMITS.high + 0.01), "high");
        assert_eq!(
            RankConfidence::rate_list(None, QuotedCode::Found),
            RankConfidence::Low,
            "nothing was found"
        );
        assert_eq!(RankConfidence::rate_list(Some(i32::MIN), QuotedCode::Found), RankConfidence::High);
    }
}
