//! The components that evidence of use and history adds to a score: feedback, use, vocabulary, task
//! memory, session, last commit (`docs/ranking.md`).

use crate::config::{EvidenceConfig, FeedbackMode};
use crate::request::SymbolEvidence;
use crate::score::ScoreComponent;

const SECONDS_PER_DAY: u64 = 86_400;

/// Age in seconds above which a change adds nothing.
pub(crate) const MAX_CHANGE_AGE: u64 = 30 * SECONDS_PER_DAY;

/// Returns the components of the score for this evidence, without zeros.
pub(crate) fn evidence_components(
    config: &EvidenceConfig,
    evidence: &SymbolEvidence,
) -> impl Iterator<Item = ScoreComponent> + use<> {
    // Without a positive cap, the session adds nothing.
    let session =
        if config.session_cap > 0.0 { (evidence.session / config.session_cap).clamp(0.0, 1.0) } else { 0.0 };
    [
        ScoreComponent { name: "feedback", value: feedback_gain(config, evidence.feedback) },
        ScoreComponent { name: "usage", value: usage_gain(config, evidence) },
        ScoreComponent { name: "vocabulary", value: config.vocabulary * evidence.vocabulary.clamp(0.0, 1.0) },
        ScoreComponent { name: "task_memory", value: recall_gain(config, evidence.recall) },
        ScoreComponent { name: "session", value: config.session * session },
        ScoreComponent { name: "commit_recency", value: commit_gain(config, evidence.commit_age) },
    ]
    .into_iter()
    .filter(|component| component.value != 0.0)
}

/// Returns the gain or loss for a share of useful reports. 0.5, or no report, gives 0; a higher
/// share gains up to the full gain, a lower one loses up to the full loss.
fn feedback_gain(config: &EvidenceConfig, share: Option<f64>) -> f64 {
    share_gain(config.feedback_mode, share, config.feedback_gain, config.feedback_loss)
}

/// Returns the gain or loss for the share of readers who used the symbol; 0 if there is feedback,
/// because an explicit report counts more than observed use.
fn usage_gain(config: &EvidenceConfig, evidence: &SymbolEvidence) -> f64 {
    match evidence.feedback {
        Some(_) => 0.0,
        None => share_gain(config.feedback_mode, evidence.usage, config.usage_gain, config.usage_loss),
    }
}

/// Returns the gain of a symbol that the task memory recalls: the gain of a share of useful reports
/// between 0.5 and 0.9, times the factor of the task memory.
fn recall_gain(config: &EvidenceConfig, recall: f64) -> f64 {
    config.task_memory * feedback_gain(config, Some(0.5 + 0.4 * recall.clamp(0.0, 1.0)))
}

fn share_gain(mode: FeedbackMode, share: Option<f64>, gain: f64, loss: f64) -> f64 {
    let signal = 2.0 * (share.unwrap_or(0.5).clamp(0.0, 1.0) - 0.5);
    match mode {
        FeedbackMode::None => 0.0,
        FeedbackMode::Sqrt => gain * signal.abs().sqrt().copysign(signal),
        FeedbackMode::Linear => gain * signal,
        FeedbackMode::Asymmetric if signal > 0.0 => gain * signal,
        FeedbackMode::Asymmetric => loss * signal,
    }
}

fn commit_gain(config: &EvidenceConfig, age: Option<u64>) -> f64 {
    let [day, week, month] = config.commit;
    match age {
        Some(age) if age <= SECONDS_PER_DAY => day,
        Some(age) if age <= 7 * SECONDS_PER_DAY => week,
        Some(age) if age <= MAX_CHANGE_AGE => month,
        _ => 0.0,
    }
}

/// Returns the session boost of a symbol from the ages of its uses in seconds, newest first. Only
/// the newest `session_uses` uses count. The value of each use halves every half-life. The sum is at most the cap, and 0 below the minimum.
pub fn session_boost(config: &EvidenceConfig, ages: impl Iterator<Item = f64>) -> f64 {
    let uses = ages.take(config.session_uses);
    let sum: f64 = uses.map(|age| (-age.max(0.0) / config.session_half_life).exp2()).sum();
    if sum < config.session_least { 0.0 } else { sum.min(config.session_cap) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn useless_reports_cost_less_than_useful_ones_gain() {
        let config = EvidenceConfig::seeds_preset();
        assert_eq!(feedback_gain(&config, Some(0.0)), -0.05);
        assert_eq!(feedback_gain(&config, Some(1.0)), 0.25);
        assert_eq!(feedback_gain(&config, Some(0.75)), 0.125);
        assert_eq!(feedback_gain(&config, None), 0.0);
    }

    #[test]
    fn the_mode_is_the_curve_from_a_share_to_a_gain() {
        let shares = [0.0, 0.375, 0.5, 0.625, 1.0];
        let gains = |feedback_mode| {
            let config = EvidenceConfig { feedback_mode, ..EvidenceConfig::seeds_preset() };
            let gain = |share| feedback_gain(&config, Some(share));
            let use_gain = |usage| {
                usage_gain(&config, &SymbolEvidence { usage: Some(usage), ..SymbolEvidence::default() })
            };
            (shares.map(gain), use_gain(1.0))
        };
        assert_eq!(gains(FeedbackMode::None), ([0.0; 5], 0.0));
        assert_eq!(gains(FeedbackMode::Sqrt), ([-0.25, -0.125, 0.0, 0.125, 0.25], 0.125));
        assert_eq!(gains(FeedbackMode::Linear), ([-0.25, -0.0625, 0.0, 0.0625, 0.25], 0.125));
        assert_eq!(gains(FeedbackMode::Asymmetric), ([-0.05, -0.0125, 0.0, 0.0625, 0.25], 0.125));
    }

    #[test]
    fn use_counts_half_as_much_as_feedback_and_only_without_it() {
        let config = EvidenceConfig::seeds_preset();
        let gain = |usage, feedback| {
            usage_gain(&config, &SymbolEvidence { feedback, usage, ..SymbolEvidence::default() })
        };
        assert_eq!(gain(Some(0.0), None), -0.025);
        assert_eq!(gain(Some(1.0), None), 0.125);
        assert_eq!(gain(None, None), 0.0);
        assert_eq!(gain(Some(0.0), Some(1.0)), 0.0);
    }

    #[test]
    fn the_task_memory_adds_a_share_of_the_feedback_gain_if_it_is_on() {
        let gain = |task_memory, recall| {
            let config = EvidenceConfig { task_memory, ..EvidenceConfig::seeds_preset() };
            let evidence = SymbolEvidence { recall, ..SymbolEvidence::default() };
            let components: Vec<ScoreComponent> = evidence_components(&config, &evidence).collect();
            components.iter().map(|part| (part.name, (part.value * 1e6).round() / 1e6)).collect::<Vec<_>>()
        };
        assert_eq!(gain(EvidenceConfig::TASK_MEMORY, 1.0), [("task_memory", 0.06)]);
        assert_eq!(gain(EvidenceConfig::TASK_MEMORY, 0.5), [("task_memory", 0.03)]);
        assert_eq!(gain(EvidenceConfig::TASK_MEMORY, 0.0), []);
        for config in ["default", "linear", "seeds", "bm25-bodies"] {
            let config = crate::RankConfig::find_preset(config).expect("a preset");
            assert_eq!(config.evidence.task_memory, 0.0, "off in {}", config.name);
        }
    }

    #[test]
    fn a_use_counts_half_after_three_minutes() {
        let boost = |ages: &[f64]| session_boost(&EvidenceConfig::seeds_preset(), ages.iter().copied());
        assert_eq!(boost(&[]), 0.0);
        assert_eq!(boost(&[0.0]), 1.0);
        assert_eq!(boost(&[180.0]), 0.5);
        assert_eq!(boost(&[540.0]), 0.125);
        assert_eq!(boost(&[0.0, 180.0]), 1.5);
        assert_eq!(boost(&[0.0; 9]), 2.0, "the cap");
        assert_eq!(boost(&[1197.0]), 0.0, "below the minimum");
        assert_eq!(boost(&[900.0; 30]), 20.0 / 32.0, "only the last twenty uses count");
    }
}
