//! Merges several ranked lists into one, by reciprocal rank fusion or by a linear sum of scores.

use crate::channels::{ChannelList, ListUsage, ScoreScale, sort_by_score};
use crate::config::FusionConfig;
use crate::score::ScoreComponent;
use kenning_graph::{Snapshot, SymbolId};
use std::collections::BTreeMap;

/// A symbol with its fused score.
#[derive(Clone, Debug, PartialEq)]
pub struct FusedCandidate {
    /// The symbol.
    pub symbol: SymbolId,
    /// The sum of the parts.
    pub score: f64,
    /// The contribution of each channel, in the order of the channels.
    pub parts: Vec<ScoreComponent>,
}

/// Fuses the lists that take part in the fusion. The result is ordered by score, best first, and
/// equal scores by qualified name. `extra_component` may add a component to each symbol found.
pub(crate) fn fuse_lists(
    snapshot: &Snapshot,
    lists: &[ChannelList],
    config: &FusionConfig,
    extra_component: impl Fn(SymbolId) -> Option<ScoreComponent>,
) -> Vec<FusedCandidate> {
    let mut fused = sum_scores(lists, config);
    for candidate in &mut fused {
        if let Some(part) = extra_component(candidate.symbol) {
            candidate.parts.push(part);
            candidate.score = crate::score::total_score(&candidate.parts);
        }
    }
    sort_by_score(snapshot, &mut fused, |f| f.score, |f| f.symbol);
    let (FusionConfig::ReciprocalRank { limit, .. } | FusionConfig::Linear { limit }) = *config;
    fused.truncate(limit);
    fused
}

/// Returns the fused scores in the order of symbol ids.
fn sum_scores(lists: &[ChannelList], config: &FusionConfig) -> Vec<FusedCandidate> {
    let mut parts: BTreeMap<SymbolId, Vec<ScoreComponent>> = BTreeMap::new();
    for list in lists {
        let ListUsage::Fused(scale) = list.usage else { continue };
        let best = list.hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        for (rank, hit) in list.hits.iter().enumerate() {
            let value = match config {
                FusionConfig::ReciprocalRank { k, .. } => list.weight / (k + rank as f64 + 1.0),
                FusionConfig::Linear { .. } => match scale {
                    ScoreScale::Relative if best > 0.0 => list.weight * hit.score / best,
                    ScoreScale::Relative => 0.0,
                    ScoreScale::Absolute => list.weight * hit.score,
                },
            };
            if value > 0.0 {
                parts.entry(hit.symbol).or_default().push(ScoreComponent { name: list.name, value });
            }
        }
    }
    parts
        .into_iter()
        .map(|(symbol, parts)| FusedCandidate { symbol, score: crate::score::total_score(&parts), parts })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::ChannelHit;
    use expect_test::{Expect, expect};

    fn build_list(name: &'static str, weight: f64, scale: ScoreScale, hits: &[(u32, f64)]) -> ChannelList {
        let hits =
            hits.iter().map(|&(id, score)| ChannelHit { symbol: SymbolId(id), score, reason: "" }).collect();
        ChannelList { name, weight, usage: ListUsage::Fused(scale), skipped: false, hits }
    }

    fn check(lists: &[ChannelList], config: &FusionConfig, expect: Expect) {
        let shown: Vec<String> =
            sum_scores(lists, config).iter().map(|f| format!("{} {:.4}\n", f.symbol.0, f.score)).collect();
        expect.assert_eq(&shown.concat());
    }

    fn two_lists() -> [ChannelList; 2] {
        [
            build_list("bm25", 2.0, ScoreScale::Relative, &[(1, 8.0), (2, 4.0), (3, 1.0)]),
            build_list("location", 1.0, ScoreScale::Absolute, &[(3, 0.5), (4, 0.25)]),
        ]
    }

    #[test]
    fn reciprocal_ranks_add_up_over_channels() {
        check(
            &two_lists(),
            &FusionConfig::ReciprocalRank { k: 60.0, limit: 40 },
            expect![[r#"
            1 0.0328
            2 0.0323
            3 0.0481
            4 0.0161
        "#]],
        );
    }

    #[test]
    fn linear_fusion_divides_relative_scores_by_the_best_and_keeps_absolute_ones() {
        check(
            &two_lists(),
            &FusionConfig::Linear { limit: 40 },
            expect![[r#"
            1 2.0000
            2 1.0000
            3 0.7500
            4 0.2500
        "#]],
        );
    }

    #[test]
    fn walk_seeds_and_empty_lists_take_no_part() {
        let mut seeds = build_list("path", 0.3, ScoreScale::Relative, &[(9, 1.0)]);
        seeds.usage = ListUsage::WalkSeeds;
        let zero = build_list("bm25", 1.0, ScoreScale::Relative, &[(1, 0.0)]);
        let empty = build_list("tiered", 1.0, ScoreScale::Relative, &[]);
        check(&[seeds, zero, empty], &FusionConfig::Linear { limit: 40 }, expect![""]);
    }
}
