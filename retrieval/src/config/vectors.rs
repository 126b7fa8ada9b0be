//! The constants of vectors in the ranking.

use super::ChannelConfig;
use serde::{Deserialize, Serialize};

/// The uses of vectors. They have an effect only if the workspace has vectors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VectorConfig {
    /// The channel of the symbols that are nearest to the task.
    pub channel: ChannelConfig,
    /// The channel of the same symbols for tasks for which earlier channels found almost nothing.
    pub gap_fill: ChannelConfig,
    /// Maximum number of symbols that each of the two channels finds.
    pub limit: usize,
    /// Minimum cosine of a symbol that vectors alone find.
    pub min_cosine: f32,
    /// Number of best candidates that are sorted again by their cosine; 0 skips the stage.
    pub rerank_top: usize,
    /// Weight of the previous order in that stage, from 0 to 1.
    pub rerank_original: f64,
}

impl VectorConfig {
    /// Returns the configuration in which vectors have no part in the ranking.
    pub(super) const fn all_off() -> Self {
        Self {
            channel: ChannelConfig::unconditional(0.0),
            gap_fill: ChannelConfig { weight: 0.0, only_below: Some(5) },
            limit: 30,
            min_cosine: 0.3,
            rerank_top: 0,
            rerank_original: 0.0,
        }
    }

    /// Returns the configuration in which vectors fill gaps only.
    pub(super) const fn seeds_preset() -> Self {
        Self { gap_fill: ChannelConfig { weight: 2.0, only_below: Some(5) }, ..Self::all_off() }
    }

    /// Whether the ranking can use vectors.
    pub fn is_used(&self) -> bool {
        self.channel.weight > 0.0 || self.gap_fill.weight > 0.0 || self.rerank_top > 0
    }
}
