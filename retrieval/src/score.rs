//! Computes the score of a candidate from named components that add up to it exactly
//! (`docs/ranking.md`).

use crate::config::{ComponentWeights, EvidenceConfig, HitsConfig};
use crate::evidence;
use crate::hits::HitsScore;
use crate::request::SymbolEvidence;

/// A named part of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreComponent {
    /// The name of the component, as explanations show it.
    pub name: &'static str,
    /// The share of the score; may be negative.
    pub value: f64,
}

/// Returns the score of the components: their sum, in their order.
pub fn total_score(components: &[ScoreComponent]) -> f64 {
    components.iter().map(|c| c.value).sum()
}

/// The input of the seven components.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SevenInput {
    /// Walk mass or number of callers relative to the greatest, 0..=1.
    pub blast_radius: f64,
    /// Best confidence of an edge that points to the symbol.
    pub confidence: f64,
    /// Hops from the symbols of the request.
    pub distance: u32,
    /// Whether the symbol starts the walk.
    pub is_seed: bool,
    /// Hub and authority score; `None` if HITS did not run.
    pub hits: Option<HitsScore>,
    /// Evidence from feedback, session, history and run time.
    pub evidence: SymbolEvidence,
    /// Whether the test factor applies.
    pub penalized_test: bool,
}

const SECONDS_PER_DAY: u64 = 86_400;

/// Computes the seven components, and the adjustment for tests.
pub(crate) fn compute_seven(
    config: &ComponentWeights,
    hits: Option<&HitsConfig>,
    evidence_config: &EvidenceConfig,
    input: &SevenInput,
) -> Vec<ScoreComponent> {
    let has_hits = input.hits.is_some();
    let [blast, confidence, recency, distance] =
        if has_hits { config.with_hits } else { config.without_hits };
    let mut parts = vec![
        ScoreComponent { name: "blast_radius", value: blast * input.blast_radius },
        ScoreComponent { name: "confidence", value: confidence * input.confidence },
        ScoreComponent {
            name: "recency",
            value: recency * recency_score(config, input.evidence.observed_age),
        },
        ScoreComponent { name: "distance", value: distance / (1.0 + f64::from(input.distance)) },
    ];
    if let (Some(config), Some(scores)) = (hits, input.hits) {
        let value = authority_score(config, scores, input.is_seed);
        if value != 0.0 {
            parts.push(ScoreComponent { name: "authority", value });
        }
    }
    parts.extend(evidence::evidence_components(evidence_config, &input.evidence));
    if input.penalized_test {
        let loss = (config.test_factor - 1.0) * total_score(&parts);
        parts.push(ScoreComponent { name: "test_file", value: loss });
    }
    parts
}

fn authority_score(config: &HitsConfig, scores: HitsScore, is_seed: bool) -> f64 {
    if !is_seed {
        return if scores.authority > config.other_authority_above {
            -config.other_authority * scores.authority
        } else {
            0.0
        };
    }
    let mut gain = 0.0;
    if scores.authority > config.seed_authority_above {
        gain += config.seed_authority * scores.authority;
    }
    if scores.hub > config.seed_hub_above {
        gain += config.seed_hub * scores.hub;
    }
    gain
}

fn recency_score(config: &ComponentWeights, age: Option<u64>) -> f64 {
    let [day, week, month, older, never] = config.recency;
    match age {
        None => never,
        Some(age) if age <= SECONDS_PER_DAY => day,
        Some(age) if age <= 7 * SECONDS_PER_DAY => week,
        Some(age) if age <= 30 * SECONDS_PER_DAY => month,
        Some(_) => older,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankConfig;
    use expect_test::{Expect, expect};

    fn check(input: &SevenInput, expect: Expect) {
        let hits = RankConfig::seeds_preset().hits;
        let parts = compute_seven(
            &ComponentWeights::seeds_preset(),
            hits.as_ref(),
            &EvidenceConfig::seeds_preset(),
            input,
        );
        let mut shown: String = parts.iter().map(|c| format!("{} {:.4}\n", c.name, c.value)).collect();
        shown += &format!("= {:.4}\n", total_score(&parts));
        expect.assert_eq(&shown);
    }

    #[test]
    fn a_seed_without_evidence_has_four_components_and_its_authority() {
        let hits = Some(HitsScore { authority: 0.4, hub: 0.2 });
        let input =
            SevenInput { blast_radius: 1.0, confidence: 0.9, is_seed: true, hits, ..SevenInput::default() };
        check(
            &input,
            expect![[r#"
            blast_radius 0.3500
            confidence 0.1800
            recency 0.0450
            distance 0.1500
            authority 0.1200
            = 0.8450
        "#]],
        );
    }

    #[test]
    fn a_non_seed_loses_by_its_authority_and_a_test_keeps_a_third() {
        let hits = Some(HitsScore { authority: 0.5, hub: 0.9 });
        let input = SevenInput {
            blast_radius: 0.5,
            confidence: 0.7,
            distance: 1,
            hits,
            penalized_test: true,
            ..SevenInput::default()
        };
        check(
            &input,
            expect![[r#"
            blast_radius 0.1750
            confidence 0.1400
            recency 0.0450
            distance 0.0750
            authority -0.0750
            test_file -0.2520
            = 0.1080
        "#]],
        );
    }

    #[test]
    fn feedback_session_commits_and_observations_add_their_shares() {
        let evidence = SymbolEvidence {
            feedback: Some(1.0),
            session: 9.0,
            commit_age: Some(3 * SECONDS_PER_DAY),
            observed_age: Some(SECONDS_PER_DAY),
            ..SymbolEvidence::default()
        };
        check(
            &SevenInput { evidence, ..SevenInput::default() },
            expect![[r#"
            blast_radius 0.0000
            confidence 0.0000
            recency 0.2000
            distance 0.1500
            feedback 0.2500
            session 0.2000
            commit_recency 0.0300
            = 0.8300
        "#]],
        );
    }
}
