//! The collector for the edges of one file, and the strengths of edges: the provenance and the
//! confidence that each kind of evidence gives.

use super::definition::Resolution;
use kenning_graph::snapshot::{CallStats, EdgeTarget, NewEdge};
use kenning_graph::{EdgeKind, Provenance, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;

/// Maximum number of candidates of one use. With more, none of them is likely enough for an edge.
pub(super) const MAX_CANDIDATES: usize = 5;
/// Confidence of an edge by unique name alone if the name is common in the standard library.
const COMMON_NAME_CONFIDENCE: f32 = 0.5;
/// Numerator of the confidence of one of n candidates: 0.6 / √n, always below 0.7.
const AMBIGUOUS_NUMERATOR: f32 = 0.6;

/// Returns the node that represents an owner of files.
pub(super) fn owner_node(owner: &str) -> EdgeTarget {
    EdgeTarget::Phantom { kind: SymbolKind::Owner, package: String::new(), name: owner.to_owned() }
}

/// Provenance and confidence of the targets of one use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EdgeStrength {
    pub provenance: Provenance,
    pub confidence: f32,
}

impl EdgeStrength {
    /// The strength of a target found through a scope, an import or a known type.
    pub const RESOLVED: Self =
        Self { provenance: Provenance::AstResolved, confidence: Provenance::AstResolved.base_confidence() };
    /// The strength of a target found by a unique name alone, or by names and their surroundings.
    pub const INFERRED: Self =
        Self { provenance: Provenance::AstInferred, confidence: Provenance::AstInferred.base_confidence() };
    /// The strength of a relation that the text itself states.
    pub const STRUCTURAL: Self =
        Self { provenance: Provenance::Structural, confidence: Provenance::Structural.base_confidence() };

    /// Returns the strength of the edges to a resolution's definitions.
    pub fn from_resolution(found: &Resolution) -> Self {
        if found.is_likely { Self::INFERRED } else { Self::RESOLVED }
    }

    /// Returns the strength of each of `count` candidates.
    pub fn split_among(self, count: usize) -> Self {
        if count <= 1 {
            return self;
        }
        let confidence = AMBIGUOUS_NUMERATOR / (count as f32).sqrt()
            * (self.confidence / Self::INFERRED.confidence).min(1.0);
        Self { provenance: Provenance::AstInferred, confidence }
    }

    /// Returns the strength for a name that is common in the standard library.
    pub fn with_common_name(self) -> Self {
        Self { confidence: COMMON_NAME_CONFIDENCE, ..self }
    }
}

/// A collector of the edges and call statistics of one file.
#[derive(Default)]
pub(super) struct EdgeCollector {
    pub found: Vec<NewEdge>,
    pub calls: CallStats,
    /// Whether edges from a symbol to itself are kept.
    keeps_loops: bool,
    seen: FxHashSet<(SymbolId, SymbolId, EdgeKind, u8)>,
}

/// A symbol outside the workspace, as the target of an edge.
#[derive(Clone, Copy)]
pub(super) struct PhantomTarget<'a> {
    pub kind: SymbolKind,
    pub package: &'a str,
    pub name: &'a str,
}

impl EdgeCollector {
    /// Creates a collector that keeps edges from a symbol to itself, for a query about a single
    /// use.
    pub fn with_loops() -> Self {
        Self { keeps_loops: true, ..Self::default() }
    }

    /// Adds an edge between symbols. Skips repetitions and, unless loops are kept, edges from a
    /// symbol to itself.
    pub fn add_symbol_edge(
        &mut self,
        source: SymbolId,
        target: SymbolId,
        kind: EdgeKind,
        strength: EdgeStrength,
        line: Option<u32>,
    ) {
        let percent = (strength.confidence * 100.0) as u8;
        if (source == target && !self.keeps_loops) || !self.seen.insert((source, target, kind, percent)) {
            return;
        }
        self.push_edge(source, EdgeTarget::Symbol(target), kind, strength, line);
    }

    /// Adds an edge to a symbol outside the workspace.
    pub fn add_phantom_edge(
        &mut self,
        source: SymbolId,
        target: PhantomTarget<'_>,
        edge: EdgeKind,
        line: u32,
    ) {
        let PhantomTarget { kind, package, name } = target;
        let target = EdgeTarget::Phantom { kind, package: package.to_owned(), name: name.to_owned() };
        self.push_edge(source, target, edge, EdgeStrength::RESOLVED, Some(line));
    }

    /// Adds an edge between a symbol and a node outside the workspace, such as an endpoint. The
    /// edge's kind determines its direction.
    pub fn add_outside_edge(
        &mut self,
        symbol: SymbolId,
        external: EdgeTarget,
        kind: EdgeKind,
        strength: EdgeStrength,
        line: u32,
    ) {
        self.push_edge(symbol, external, kind, strength, Some(line));
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
