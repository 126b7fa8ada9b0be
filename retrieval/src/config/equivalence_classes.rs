//! Constants of the equivalence classes (`docs/ranking.md`).

use super::ChannelConfig;
use crate::classes::{Class, Layer};
use serde::{Deserialize, Serialize};

/// The constants of the equivalence classes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EquivalenceClassConfig {
    /// Weight and condition of the channel.
    pub channel: ChannelConfig,
    /// Weights of the layers.
    pub layers: LayerWeights,
    /// Factor of a class if the task contains only a single word of its phrases; 1 in `seeds`.
    pub single_word: f64,
    /// Minimum share of the files for a language to count as primary.
    pub language_share: f64,
    /// Maximum number of definitions of a name. A more common name is ignored.
    pub max_definitions: usize,
    /// Exponent x of the number of definitions: each of n definitions of a name gets `n^-x` of its
    /// score. 0, as in `seeds`, gives each the whole score.
    pub definitions_exponent: f64,
    /// Factor of symbols in tests, benchmarks, examples and documentation, unless the task mentions
    /// tests.
    pub test_factor: f64,
    /// Maximum number of class hits, as a multiple of the hits of names and text. At least
    /// [`Self::cap_min`] class hits are always allowed.
    pub cap_factor: usize,
    /// Number of class hits that are always allowed, even if names and text have few hits.
    pub cap_min: usize,
    /// Whether classes with internal names of frameworks fire, as in `seeds`.
    pub internal_targets: bool,
    /// Number of best hits of the name search whose neighbors become aliases.
    pub alias_hits: usize,
    /// The injection of strong matches of framework and cross-cutting classes; `None` disables it.
    pub injection: Option<InjectionConfig>,
}

/// Weights of the layers, 0..=1. A weight of 0 disables the layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerWeights {
    /// The workspace's own classes.
    pub workspace: f64,
    /// Classes of frameworks.
    pub framework: f64,
    /// Classes for any code base.
    pub universal: f64,
    /// Universal classes about tests, authentication, databases or command lines.
    pub cross_cutting: f64,
    /// Classes for a language.
    pub language: f64,
    /// Aliases from the graph.
    pub graph: f64,
}

impl LayerWeights {
    /// Returns the weight of one layer.
    pub const fn weight_of_layer(&self, layer: Layer) -> f64 {
        match layer {
            Layer::Workspace => self.workspace,
            Layer::Framework => self.framework,
            Layer::Universal => self.universal,
            Layer::Language => self.language,
            Layer::Graph => self.graph,
        }
    }

    /// Returns the weight of a class: its own, or else that of its layer. A disabled layer gives
    /// its classes the weight 0.
    pub fn weight_of_class(&self, class: &Class) -> f64 {
        let layer = self.weight_of_layer(class.layer);
        match class.weight {
            Some(percent) if layer > 0.0 => f64::from(percent) / 100.0,
            None if layer > 0.0 && class.is_cross_cutting => self.cross_cutting,
            _ => layer,
        }
    }

    const fn seeds_preset() -> Self {
        Self { workspace: 1.0, framework: 0.9, universal: 0.8, cross_cutting: 0.9, language: 0.8, graph: 0.7 }
    }
}

/// The constants of framework injection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InjectionConfig {
    /// Minimum weight of a framework's or cross-cutting class for the stage to use it.
    pub min_weight: f64,
    /// Difference between an injected symbol's score and the best score.
    pub lead: f64,
}

impl EquivalenceClassConfig {
    /// Returns the constants of `seeds`.
    pub(super) const fn seeds_preset() -> Self {
        Self {
            channel: ChannelConfig::unconditional(2.0),
            layers: LayerWeights::seeds_preset(),
            single_word: 1.0,
            language_share: 0.1,
            // A name with more definitions than this occurs in nearly every folder.
            max_definitions: 200,
            definitions_exponent: 0.0,
            test_factor: 1.0,
            cap_factor: 2,
            cap_min: 10,
            internal_targets: true,
            alias_hits: 10,
            injection: Some(InjectionConfig { min_weight: 0.9, lead: 0.1 }),
        }
    }

    /// Returns the constants of `default`, in which classes add to the hits of the words, and
    /// generic names add little.
    pub(super) const fn measured_preset() -> Self {
        Self {
            channel: ChannelConfig::unconditional(0.2),
            layers: LayerWeights { cross_cutting: 0.8, ..LayerWeights::seeds_preset() },
            single_word: 0.5,
            max_definitions: 20,
            definitions_exponent: 0.5,
            test_factor: 0.5,
            internal_targets: false,
            injection: None,
            ..Self::seeds_preset()
        }
    }

    /// Returns constants that disable the classes.
    pub const fn all_off() -> Self {
        let channel = ChannelConfig::unconditional(0.0);
        Self { channel, injection: None, ..Self::seeds_preset() }
    }
}
