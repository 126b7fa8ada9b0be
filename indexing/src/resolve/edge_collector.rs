//! The edges of one file as they are found.

use super::definition::Resolution;
use kenning_graph::snapshot::{CallStats, EdgeTarget, NewEdge};
use kenning_graph::{EdgeKind, Provenance, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;

/// More candidates than this say nothing.
pub(super) const MAX_CANDIDATES: usize = 5;
/// Confidence of an edge by unique name alone where the name is common in the standard library.
const COMMON_NAME: f32 = 0.5;
/// Numerator of the confidence of one of n candidates: 0.6 / √n, always below 0.7.
const AMBIGUOUS: f32 = 0.6;

/// What stands for an owner of files.
pub(super) fn owner_node(owner: &str) -> EdgeTarget {
    EdgeTarget::Phantom { kind: SymbolKind::Owner, package: String::new(), name: owner.to_owned() }
}

/// How sure the targets of one use are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EdgeStrength {
    pub provenance: Provenance,
    pub confidence: f32,
}

impl EdgeStrength {
    /// Through a scope, an import or a known type.
    pub const RESOLVED: Self =
        Self { provenance: Provenance::AstResolved, confidence: Provenance::AstResolved.base_confidence() };
    /// By a unique name alone, or by names and what stands beside them.
    pub const INFERRED: Self =
        Self { provenance: Provenance::AstInferred, confidence: Provenance::AstInferred.base_confidence() };
    /// The text itself says so.
    pub const STRUCTURAL: Self =
        Self { provenance: Provenance::Structural, confidence: Provenance::Structural.base_confidence() };

    /// Of what a name was found to mean.
    pub fn from_resolution(found: &Resolution) -> Self {
        if found.likely { Self::INFERRED } else { Self::RESOLVED }
    }

    /// For each of `count` candidates.
    pub fn split_among(self, count: usize) -> Self {
        if count <= 1 {
            return self;
        }
        let confidence =
            AMBIGUOUS / (count as f32).sqrt() * (self.confidence / Self::INFERRED.confidence).min(1.0);
        Self { provenance: Provenance::AstInferred, confidence }
    }

    /// By a name that is common in the standard library.
    pub fn with_common_name(self) -> Self {
        Self { confidence: COMMON_NAME, ..self }
    }
}

/// Collects edges and call figures.
#[derive(Default)]
pub(super) struct EdgeCollector {
    pub found: Vec<NewEdge>,
    pub calls: CallStats,
    /// Keep edges from a symbol to itself.
    loops: bool,
    seen: FxHashSet<(SymbolId, SymbolId, EdgeKind, u8)>,
}

impl EdgeCollector {
    /// A collection that keeps edges from a symbol to itself: who asks what a use stands for wants them.
    pub fn with_loops() -> Self {
        Self { loops: true, ..Self::default() }
    }

    /// Adds an edge between symbols; edges from a symbol to itself say nothing and are left out unless they are
    /// wanted, and so are repetitions.
    pub fn add_symbol_edge(
        &mut self,
        source: SymbolId,
        target: SymbolId,
        kind: EdgeKind,
        strength: EdgeStrength,
        line: Option<u32>,
    ) {
        let grade = (strength.confidence * 100.0) as u8;
        if (source == target && !self.loops) || !self.seen.insert((source, target, kind, grade)) {
            return;
        }
        self.push_edge(source, EdgeTarget::Symbol(target), kind, strength, line);
    }

    /// Adds an edge to something outside the workspace.
    pub fn add_phantom_edge(
        &mut self,
        source: SymbolId,
        (kind, package, name): (SymbolKind, &str, &str),
        edge: EdgeKind,
        line: u32,
    ) {
        let target = EdgeTarget::Phantom { kind, package: package.to_owned(), name: name.to_owned() };
        self.push_edge(source, target, edge, EdgeStrength::RESOLVED, Some(line));
    }

    /// Adds an edge between a symbol and something outside the workspace; which way it points, its kind says.
    pub fn add_outside_edge(
        &mut self,
        symbol: SymbolId,
        outside: EdgeTarget,
        kind: EdgeKind,
        strength: EdgeStrength,
        line: u32,
    ) {
        self.push_edge(symbol, outside, kind, strength, Some(line));
    }

    /// Adds the edges from a file to its owners.
    pub fn add_owner_edges(&mut self, file: SymbolId, owners: &[&str]) {
        for &owner in owners {
            let target = owner_node(owner);
            self.push_edge(file, target, EdgeKind::OwnedBy, EdgeStrength::STRUCTURAL, None);
        }
    }

    fn push_edge(
        &mut self,
        source: SymbolId,
        target: EdgeTarget,
        kind: EdgeKind,
        strength: EdgeStrength,
        line: Option<u32>,
    ) {
        let EdgeStrength { provenance, confidence } = strength;
        self.found.push(NewEdge { source, target, kind, provenance, confidence, line });
    }
}
