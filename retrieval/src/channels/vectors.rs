//! The channels that find the symbols whose vectors are nearest to the task: one for every task,
//! and one that runs only if the other channels found almost nothing. Both need a workspace with
//! vectors.

use super::{Channel, ChannelHit, ChannelInput, ListUsage, ScoreScale};
use crate::config::{ChannelConfig, RankConfig};
use crate::vectors::NearestQuery;
use kenning_graph::vectors::VectorKind;

/// The channel of the nearest symbols.
pub(super) struct VectorChannel;

/// The channel of the nearest symbols for tasks for which earlier channels found almost nothing.
pub(super) struct GapFillChannel;

impl Channel for VectorChannel {
    fn display_name(&self) -> &'static str {
        "vectors"
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.vectors.channel
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::Fused(ScoreScale::Absolute)
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        find_nearest(input)
    }
}

impl Channel for GapFillChannel {
    fn display_name(&self) -> &'static str {
        "gap fill"
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.vectors.gap_fill
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::Fused(ScoreScale::Absolute)
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        find_nearest(input)
    }
}

fn find_nearest(input: &ChannelInput<'_>) -> Vec<ChannelHit> {
    let Some(vectors) = input.vectors else { return Vec::new() };
    let Some(task) = vectors.embed_question(&input.query.searchable_text) else { return Vec::new() };
    let config = &input.config.vectors;
    let query = NearestQuery { kind: VectorKind::Code, limit: config.limit, min_cosine: config.min_cosine };
    let near = vectors.find_nearest(input.snapshot, &task, query);
    near.into_iter()
        .map(|(symbol, cosine)| ChannelHit { symbol, score: f64::from(cosine), reason: "" })
        .collect()
}
