//! The class channel: finds the symbols that equivalence classes name for the task's phrases
//! (`docs/ranking.md`).

use super::{Channel, ChannelHit, ChannelInput, ChannelList, ListUsage, ScoreScale, sort_by_score};
use crate::classes::{find_aliases, resolve_targets};
use crate::config::{ChannelConfig, RankConfig};
use crate::path_role::is_secondary;
use kenning_graph::{Snapshot, SymbolId};
use std::collections::BTreeMap;

/// The channel's name in packs and explanations.
pub const NAME: &str = "classes";

/// The channel of equivalence classes.
pub(super) struct ClassesChannel;

impl Channel for ClassesChannel {
    fn display_name(&self) -> &'static str {
        NAME
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.classes.channel
    }

    fn list_usage(&self) -> ListUsage {
        // The layer and the names of a class determine its score, even if it is the only one.
        ListUsage::Fused(ScoreScale::Absolute)
    }

    fn needs_earlier_lists(&self) -> bool {
        true
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        let ChannelInput { snapshot, query, .. } = *input;
        let config = &input.config.classes;
        let mut best: BTreeMap<SymbolId, (f64, &'static str)> = BTreeMap::new();
        let mut add = |symbol, score: f64, reason| {
            let entry = best.entry(symbol).or_insert((0.0, reason));
            if score > entry.0 {
                *entry = (score, reason);
            }
        };
        for class_match in &query.classes {
            let score = class_match.score(config);
            for (symbol, share) in resolve_targets(snapshot, &class_match.class, config, query.is_about_tests)
            {
                add(symbol, score * share, class_match.class.reason());
            }
        }
        if config.layers.graph > 0.0 {
            for (symbol, score) in find_aliases(&query.searchable_text, snapshot, &first_hits(input), config)
            {
                add(symbol, score, "graph");
            }
        }
        let factor = if query.is_about_tests { 1.0 } else { config.test_factor };
        let hits = best.into_iter().map(|(symbol, (score, reason))| {
            let factor = if is_test(snapshot, symbol) { factor } else { 1.0 };
            ChannelHit { symbol, score: score * factor, reason }
        });
        let mut hits: Vec<ChannelHit> = hits.filter(|hit| hit.score > 0.0).collect();
        sort_by_score(snapshot, &mut hits, |hit| hit.score, |hit| hit.symbol);
        hits.truncate(hit_cap(input.earlier, config.cap_factor, config.cap_min));
        hits
    }
}

fn is_test(snapshot: &Snapshot, id: SymbolId) -> bool {
    snapshot.symbol(id).is_some_and(|symbol| is_secondary(&symbol))
}

/// Returns the maximum number of class hits. Many class hits with few word hits would decide the
/// fusion alone.
fn hit_cap(earlier: &[ChannelList], factor: usize, minimum: usize) -> usize {
    let primary = earlier.iter().filter(|list| matches!(list.name, super::names::NAME | super::text::NAME));
    let found: usize = primary.map(|list| list.hits.len()).sum();
    found.saturating_mul(factor).max(minimum)
}

/// Returns the best hits of the name channel, or those of the text channel if the name channel
/// found nothing.
fn first_hits(input: &ChannelInput<'_>) -> Vec<SymbolId> {
    let list_with_hits = |name| input.earlier.iter().find(|list| list.name == name && !list.hits.is_empty());
    let list = list_with_hits(super::names::NAME).or_else(|| list_with_hits(super::text::NAME));
    let hits = list.into_iter().flat_map(|list| &list.hits);
    hits.take(input.config.classes.alias_hits).map(|hit| hit.symbol).collect()
}
