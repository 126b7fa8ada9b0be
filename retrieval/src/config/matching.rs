//! The constants of the rule that decides whether a task matches the workspace.

use serde::{Deserialize, Serialize};

/// A linear rule over the two signals of [`crate::TaskMatch`]. A task matches if `known + strength
/// * signal` is at least `limit`, where `known` is the share of its words that the workspace
/// contains and `signal` is the strength of its best hit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchConfig {
    /// Weight of the strength of the best hit relative to the share of known words.
    pub strength: f64,
    /// Minimum value of a match.
    pub limit: f64,
    /// Number of symbols below which the rule is not used, because few words of a task occur in a
    /// small workspace. There, a task matches if any of its words occurs.
    pub least_documents: u32,
    /// Number of candidates that the pack lists if nothing matches.
    pub closest: usize,
}

impl MatchConfig {
    /// Returns the rule that `bench/scripts/fit_match.py` fitted on the tasks of both tuning sets
    /// and on the tuning half of `bench/nonsense` (`docs/ranking.md`). The smallest repository
    /// among them has 920 symbols.
    pub(super) const fn fitted_preset() -> Self {
        Self { strength: 1.092, limit: 1.015, least_documents: 900, closest: 10 }
    }
}
