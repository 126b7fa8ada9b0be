//! Constants of the equivalence classes (`docs/ranking.md`).

use super::ChannelConfig;
use crate::classes::Layer;
use serde::{Deserialize, Serialize};

/// Equivalence classes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassesConfig {
    /// Weight and condition.
    pub channel: ChannelConfig,
    /// How far each layer is trusted.
    pub layers: LayerWeights,
    /// Factor of a class of which the task has a single word; the seeds make no difference.
    pub single_word: f64,
    /// Share of the files from which on a language counts as one of the workspace's.
    pub language_share: f64,
    /// A name with more definitions says nothing.
    pub max_definitions: usize,
    /// Each of n definitions of a name has the share `n^-x` of its score; 0, as in the seeds: the whole.
    pub definitions_exponent: f64,
    /// Factor of symbols in tests, benchmarks, examples and documentation, unless the task speaks of tests.
    pub test_factor: f64,
    /// At most this many times what names and text found ...
    pub cap_factor: usize,
    /// ... and never fewer than this.
    pub cap_min: usize,
    /// Best hits of the name search whose neighbours give aliases.
    pub alias_hits: usize,
    /// What strong matches of framework classes do to the ranked list; `None`: nothing.
    pub injection: Option<InjectionConfig>,
}

/// How far a layer is trusted, 0..=1; 0 leaves it out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerWeights {
    /// The workspace's own classes.
    pub workspace: f64,
    /// Classes of frameworks.
    pub framework: f64,
    /// Classes for any code base.
    pub universal: f64,
    /// Classes for a language.
    pub language: f64,
    /// Aliases from the graph.
    pub graph: f64,
}

impl LayerWeights {
    /// The weight of one layer.
    pub const fn weight_of_layer(&self, layer: Layer) -> f64 {
        match layer {
            Layer::Workspace => self.workspace,
            Layer::Framework => self.framework,
            Layer::Universal => self.universal,
            Layer::Language => self.language,
            Layer::Graph => self.graph,
        }
    }

    const fn seeds_preset() -> Self {
        Self { workspace: 1.0, framework: 0.9, universal: 0.8, language: 0.8, graph: 0.7 }
    }
}

/// Framework injection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InjectionConfig {
    /// Least weight of the layer.
    pub min_weight: f64,
    /// What an injected symbol's score is above the best.
    pub lead: f64,
}

impl ClassesConfig {
    /// The constants of the seed documents.
    pub(super) const fn seeds_preset() -> Self {
        Self {
            channel: ChannelConfig { weight: 2.0, only_below: None },
            layers: LayerWeights::seeds_preset(),
            single_word: 1.0,
            language_share: 0.1,
            // The seeds have no bound; a name this common is in every folder.
            max_definitions: 200,
            definitions_exponent: 0.0,
            test_factor: 1.0,
            cap_factor: 2,
            cap_min: 10,
            alias_hits: 10,
            injection: Some(InjectionConfig { min_weight: 0.9, lead: 0.1 }),
        }
    }

    /// What the default ranking takes: classes add to what words found, and generic names add little.
    pub(super) const fn measured_preset() -> Self {
        Self {
            channel: ChannelConfig { weight: 0.2, only_below: None },
            single_word: 0.5,
            max_definitions: 20,
            definitions_exponent: 0.5,
            test_factor: 0.5,
            injection: None,
            ..Self::seeds_preset()
        }
    }

    /// No classes.
    pub const fn all_off() -> Self {
        let channel = ChannelConfig { weight: 0.0, only_below: None };
        Self { channel, injection: None, ..Self::seeds_preset() }
    }
}
