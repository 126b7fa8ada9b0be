//! Chooses the ranking configuration: a named one, with the budgets of the options.
//!
//! The first source that names a configuration wins: the request, the command line, the editor's
//! settings, `kenning.toml`. The last three set the option `ranking.configuration`.
//! `rank_overrides` changes single constants of the result.

use crate::config::Config;
use clap::ValueEnum;
use kenning_retrieval::RankConfig;
use kenning_retrieval::config::EvidenceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A named ranking configuration.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum RankConfigName {
    /// The configuration with the best results in the benchmark.
    #[default]
    Default,
    /// The candidates of the default, ordered by a linear model instead of the learned trees.
    Linear,
    /// Hand-tuned constants instead of a learned model.
    Seeds,
    /// Plain full-text search over bodies, as a baseline.
    Bm25Bodies,
}

impl RankConfigName {
    /// Returns the constants of this configuration.
    pub fn rank_config(self) -> RankConfig {
        match self {
            Self::Default => RankConfig::default(),
            Self::Linear => RankConfig::linear_preset(),
            Self::Seeds => RankConfig::seeds_preset(),
            Self::Bm25Bodies => RankConfig::bm25_bodies(),
        }
    }

    /// Returns the name as users write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Linear => "linear",
            Self::Seeds => "seeds",
            Self::Bm25Bodies => "bm25-bodies",
        }
    }

    /// Whether this is the configuration that users get without a choice.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Returns the constants of the configuration `name`, or of the configuration that the options
/// choose. The budgets and the task memory are those of the options.
pub fn choose_ranking(name: Option<RankConfigName>, config: &Config) -> RankConfig {
    let mut ranking = name.unwrap_or(config.ranking.configuration).rank_config();
    ranking.pack.budget = config.pack.budget as usize;
    ranking.pack.change_budget = config.pack.change_budget as usize;
    if config.learning.task_memory {
        ranking.evidence.task_memory = EvidenceConfig::TASK_MEMORY;
    }
    ranking
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_in_arguments_options_and_results() {
        for name in RankConfigName::value_variants() {
            let flag = name.to_possible_value().map(|value| value.get_name().to_owned());
            assert_eq!(flag.as_deref(), Some(name.as_str()));
            assert_eq!(serde_json::to_value(name).unwrap(), name.as_str());
            assert_eq!(name.rank_config().name, name.as_str());
        }
    }

    #[test]
    fn a_named_configuration_replaces_that_of_the_options_and_keeps_their_budgets() {
        let mut config = Config::default();
        config.ranking.configuration = RankConfigName::Seeds;
        (config.pack.budget, config.pack.change_budget) = (700, 900);
        for (name, expected) in [(None, "seeds"), (Some(RankConfigName::Linear), "linear")] {
            let ranking = choose_ranking(name, &config);
            assert_eq!(ranking.name, expected);
            assert_eq!((ranking.pack.budget, ranking.pack.change_budget), (700, 900));
        }
    }
}
