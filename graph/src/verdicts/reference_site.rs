//! References to ask servers about, with the edges that name resolution derived from them.

use super::{AskedReference, ServerResolution, SymbolVersion};
use crate::facts::{NameSpan, ReferenceRole};
use crate::hash::Hash;
use crate::snapshot::{Snapshot, SymbolRef};
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The key of a reference. It stays the same while the text of the symbol around the reference
/// does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteKey {
    /// The identity of the innermost symbol around the reference; the file symbol's outside all
    /// symbols.
    pub subject: Hash,
    /// The hash of the subject's text ([`super::symbol_body_hash`]).
    pub body: u64,
    /// The number of the reference among those directly in the subject, in source order.
    pub nth: u32,
}

/// A use of a name in one state of a file, and the edges that name resolution derived from it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceSite {
    /// The key of the reference.
    pub key: SiteKey,
    /// The hash of the context that the guesses depend on ([`super::ContextHash`]).
    pub context: u64,
    /// The workspace-relative path of the file.
    pub path: Arc<str>,
    /// The content hash of the file.
    pub content: Hash,
    /// The name at the reference: for `a.b.c()` it is `c`.
    pub name: Box<str>,
    /// The position of the name in the file; the column is in bytes.
    pub at: NameSpan,
    /// The first line of the subject, 0-based.
    pub subject_line: u32,
    /// The role of the use.
    pub role: ReferenceRole,
    /// The edges to create for each target.
    pub target_edges: Vec<TargetEdge>,
    /// The edges that name resolution derived from the reference; empty if it found no target.
    pub guesses: Vec<GuessedEdge>,
    /// Whether the text shows that the target is outside the workspace, even if it does not show
    /// where.
    pub is_external: bool,
}

/// An edge to create for a target of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TargetEdge {
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// The other end of the edge: usually the subject; for `tests` the test around the reference.
    pub end: Hash,
    /// Whether the edge starts at the target and ends at `end` (decorators).
    pub starts_at_target: bool,
    /// Whether the edge is created only for targets that are not test code.
    pub excludes_tests: bool,
}

/// An edge that name resolution derived from a reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuessedEdge {
    /// The symbol at which the edge starts.
    pub source: Hash,
    /// The symbol to which the edge points.
    pub target: Hash,
    /// The relation between the two.
    pub kind: EdgeKind,
    /// The provenance of the edge.
    pub provenance: Provenance,
    /// The confidence, from 0 to 1; below 0.7 if the reference fits several symbols.
    pub confidence: f32,
    /// The number of references in the file that led to this edge. The edge is hidden once servers
    /// have answered about each of them with another target.
    pub sites: u32,
}

impl GuessedEdge {
    /// Returns the end of the edge that is not the symbol around the reference. `target_edges` are
    /// those of the reference ([`ReferenceSite::target_edges`]).
    pub fn far_end(&self, target_edges: &[TargetEdge]) -> Hash {
        let is_reversed = target_edges.iter().any(|edge| edge.starts_at_target && edge.kind == self.kind);
        if is_reversed { self.source } else { self.target }
    }
}

impl ReferenceSite {
    /// Whether the text resolved the reference to this symbol.
    pub fn is_guessed(&self, symbol: &Hash) -> bool {
        self.guesses.iter().any(|guess| guess.far_end(&self.target_edges) == *symbol)
    }

    /// Classifies a target in the workspace: confirmed if the text also resolved to it, otherwise
    /// retargeted. For a construction, servers return the type. If the type has a constructor, the
    /// graph has the edge at the constructor, so the constructor becomes the target.
    pub fn classify_target(&self, snapshot: &Snapshot, symbol: &SymbolRef) -> ServerResolution {
        if self.is_guessed(&symbol.hash) {
            return ServerResolution::Confirmed(SymbolVersion::from_symbol(symbol));
        }
        let is_construction =
            matches!(self.role, ReferenceRole::Call | ReferenceRole::Construct) && symbol.kind.is_type();
        let constructors = if is_construction { constructors_of_type(snapshot, symbol) } else { Vec::new() };
        let mut guessed = constructors.iter().filter(|constructor| self.is_guessed(&constructor.hash));
        match (guessed.next(), guessed.next(), constructors.as_slice()) {
            (Some(guess), None, _) => ServerResolution::Confirmed(SymbolVersion::from_symbol(guess)),
            (None, _, [only]) => ServerResolution::Retargeted(SymbolVersion::from_symbol(only)),
            _ => ServerResolution::Retargeted(SymbolVersion::from_symbol(symbol)),
        }
    }

    /// Whether the text alone does not determine the target: it fits several symbols, is known by
    /// name only, or has no target.
    pub fn is_undetermined(&self) -> bool {
        match self.guesses.as_slice() {
            [] => !self.is_external,
            guesses => guesses.iter().any(|guess| guess.provenance == Provenance::AstInferred),
        }
    }

    /// Returns the part of the reference that is stored with an answer.
    pub(super) fn to_asked_reference(&self) -> AskedReference {
        AskedReference {
            nth: self.key.nth,
            name: self.name.clone(),
            line: self.at.line.saturating_sub(self.subject_line),
            target_edges: self.target_edges.clone(),
            guesses: self.guesses.clone(),
        }
    }
}

/// Returns the constructors of a type, sorted by id.
fn constructors_of_type<'a>(snapshot: &'a Snapshot, ty: &SymbolRef) -> Vec<SymbolRef<'a>> {
    let mut ids = Vec::new();
    snapshot.for_each_stored_in(ty.id, |edge| {
        if edge.kind == EdgeKind::MemberOf {
            ids.push(edge.source);
        }
    });
    ids.sort_unstable();
    ids.dedup();
    let members = ids.into_iter().filter_map(|id| snapshot.symbol(id));
    members.filter(|member| member.kind == SymbolKind::Constructor).collect()
}
