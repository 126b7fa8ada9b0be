//! The weight of each kind of edge in the walk.

use kenning_graph::EdgeKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Weights of the kinds of edges; kinds that are not listed have the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeWeights {
    /// The weight of kinds that are not listed.
    pub default: f64,
    /// Weights by kind.
    pub kinds: BTreeMap<EdgeKind, f64>,
}

/// The weights of the configuration `seeds`, greatest first.
const SEEDS_WEIGHTS: &[(EdgeKind, f64)] = &[
    (EdgeKind::Calls, 1.0),
    // Recorded calls weigh as much as calls in the text, times their confidence.
    (EdgeKind::RuntimeCalls, 1.0),
    (EdgeKind::Implements, 0.8),
    (EdgeKind::ImplementsRpc, 0.8),
    (EdgeKind::Overrides, 0.8),
    (EdgeKind::Contains, 0.8),
    (EdgeKind::HandlesRoute, 0.7),
    (EdgeKind::Extends, 0.7),
    (EdgeKind::Tests, 0.6),
    (EdgeKind::ConsumesRpc, 0.6),
    (EdgeKind::AccessesField, 0.6),
    (EdgeKind::MemberOf, 0.6),
    (EdgeKind::Imports, 0.5),
    (EdgeKind::DependsOn, 0.5),
    (EdgeKind::DefinedBy, 0.5),
    (EdgeKind::ConsumesEndpoint, 0.5),
    (EdgeKind::TestedBy, 0.5),
    (EdgeKind::CoTestedWith, 0.5),
    (EdgeKind::TypeHintOf, 0.5),
    (EdgeKind::ExecutesProcess, 0.5),
    (EdgeKind::References, 0.4),
    (EdgeKind::Throws, 0.4),
    (EdgeKind::DeployedBy, 0.4),
    (EdgeKind::ReadsEnv, 0.4),
    (EdgeKind::GatedByFlag, 0.3),
    (EdgeKind::Decorates, 0.3),
    (EdgeKind::Documents, 0.2),
    (EdgeKind::SimilarTo, 0.15),
    (EdgeKind::OwnedBy, 0.0),
    (EdgeKind::AuthoredBy, 0.0),
];

impl EdgeWeights {
    /// Returns the weights that `docs/ranking.md` describes.
    pub fn seeds_preset() -> Self {
        Self { default: 0.3, kinds: SEEDS_WEIGHTS.iter().copied().collect() }
    }

    /// Returns the weights by kind number, for lookups in the inner loop.
    pub(crate) fn weight_table(&self) -> [f64; EdgeKind::ALL.len()] {
        let mut table = [self.default; EdgeKind::ALL.len()];
        for (kind, weight) in &self.kinds {
            table[kind.number() as usize] = *weight;
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_are_not_listed_have_the_default_weight() {
        let table = EdgeWeights::seeds_preset().weight_table();
        let weight = |kind: EdgeKind| table[kind.number() as usize];
        assert_eq!(
            (weight(EdgeKind::Contains), weight(EdgeKind::MemberOf), weight(EdgeKind::Inherits)),
            (0.8, 0.6, 0.3)
        );
    }
}
