//! A reference that a server can be asked about.

use super::{AskedReference, ServerResolution, SymbolVersion};
use crate::facts::{NameSpan, ReferenceRole};
use crate::hash::Hash;
use crate::snapshot::{Snapshot, SymbolRef};
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which reference: stays the same while the text of the symbol around it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteKey {
    /// Identity of the innermost symbol around the reference; the file's outside of all symbols.
    pub subject: Hash,
    /// The subject's text ([`super::symbol_body_hash`]).
    pub body: u64,
    /// Place among the references that stand directly in the subject, in the order of the text.
    pub nth: u32,
}

/// A use of a name in one state of a file, and what its text makes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceSite {
    /// Which reference.
    pub key: SiteKey,
    /// What the guesses stand on ([`super::ContextHash`]).
    pub ground: u64,
    /// Workspace-relative path of the file.
    pub path: Arc<str>,
    /// Hash of the text in which it stands.
    pub content: Hash,
    /// The name that is used: for `a.b.c()` it is `c`.
    pub name: Box<str>,
    /// Where that name stands in the file; the column is in bytes.
    pub at: NameSpan,
    /// First line of the subject, 0-based.
    pub subject_line: u32,
    /// What the use does.
    pub role: ReferenceRole,
    /// The edges that each target of it gets.
    pub makes: Vec<TargetEdge>,
    /// The edges that the text made of it; none where it leads nowhere.
    pub guesses: Vec<GuessedEdge>,
    /// The text says that it leads out of the workspace, be it known where to.
    pub outside: bool,
}

/// An edge that a target of a reference gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TargetEdge {
    /// What the edge says.
    pub kind: EdgeKind,
    /// Its other end: mostly the subject; the test around it for `tests`.
    pub end: Hash,
    /// It starts at the target and ends at `end` (decorators).
    pub from_target: bool,
    /// Only where the target is no test code itself.
    pub not_to_tests: bool,
}

/// An edge that the text made of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuessedEdge {
    /// Where the edge starts.
    pub source: Hash,
    /// Where it points.
    pub target: Hash,
    /// What it says.
    pub kind: EdgeKind,
    /// How it is known.
    pub provenance: Provenance,
    /// 0..=1; below 0.7 where the reference fits several symbols.
    pub confidence: f32,
    /// Number of references in the file that made this very edge: it is gone when a server says of each of them that it
    /// leads elsewhere.
    pub sites: u32,
}

impl GuessedEdge {
    /// The end that is not the one that stands around the reference.
    pub fn far_end(&self, site: &[TargetEdge]) -> Hash {
        let turned = site.iter().any(|made| made.from_target && made.kind == self.kind);
        if turned { self.source } else { self.target }
    }
}

impl ReferenceSite {
    /// Whether the text led to this symbol.
    pub fn is_guessed(&self, symbol: &Hash) -> bool {
        self.guesses.iter().any(|guess| guess.far_end(&self.makes) == *symbol)
    }

    /// What a reference that leads to a symbol of the workspace is: confirmed where the text led there, too. Servers name
    /// the type where it is constructed; the graph has the edge at the constructor, where the type has one.
    pub fn classify_target(&self, snapshot: &Snapshot, symbol: &SymbolRef) -> ServerResolution {
        if self.is_guessed(&symbol.hash) {
            return ServerResolution::Confirmed(SymbolVersion::from_symbol(symbol));
        }
        let constructed =
            matches!(self.role, ReferenceRole::Call | ReferenceRole::Construct) && symbol.kind.is_type();
        let constructors = if constructed { constructors_of_type(snapshot, symbol) } else { Vec::new() };
        let mut guessed = constructors.iter().filter(|constructor| self.is_guessed(&constructor.hash));
        match (guessed.next(), guessed.next(), constructors.as_slice()) {
            (Some(one), None, _) => ServerResolution::Confirmed(SymbolVersion::from_symbol(one)),
            (None, _, [one]) => ServerResolution::Retargeted(SymbolVersion::from_symbol(one)),
            _ => ServerResolution::Retargeted(SymbolVersion::from_symbol(symbol)),
        }
    }

    /// Whether the text alone does not tell what it stands for: several symbols, a name only, or nothing at all.
    pub fn is_undetermined(&self) -> bool {
        match self.guesses.as_slice() {
            [] => !self.outside,
            guesses => guesses.iter().any(|g| g.provenance == Provenance::AstInferred),
        }
    }

    /// What is kept of it with an answer.
    pub(super) fn to_asked_reference(&self) -> AskedReference {
        AskedReference {
            nth: self.key.nth,
            name: self.name.clone(),
            line: self.at.line.saturating_sub(self.subject_line),
            makes: self.makes.clone(),
            guesses: self.guesses.clone(),
        }
    }
}

/// The constructors of a type, by id.
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
