//! Verdicts: the answers of language servers about references, as plain data.
//!
//! The supervisor asks a server about a [`ReferenceSite`] and records the answer as a [`Verdict`].
//! `VerdictIndex` keeps all verdicts of a workspace in a compact form, and
//! [`crate::snapshot::VerdictOverlayBuilder`] applies them to the graph. Verdicts hide edges of the
//! text and add others, but never change a stored edge.
//!
//! The key of a verdict is the symbol around the reference, the hash of that symbol's text, the
//! number of the reference in it, and the server. The verdict also stores hashes of its
//! dependencies: the declaration of its target, the file's imports, and the indexer's edges that
//! start at the symbol. A change to any of them makes it stale.

mod context_hash;
mod reference_site;
mod verdict_index;

pub use context_hash::{ContextHash, declaration_hash, symbol_body_hash};
pub use reference_site::{GuessedEdge, ReferenceSite, SiteKey, TargetEdge};
pub use verdict_index::VerdictIndex;
pub(crate) use verdict_index::{CompactDiscoveredEdge, CompactResolution, CompactTargetEdge, CompactVerdict};

use crate::hash::Hash;
use crate::snapshot::{SymbolRef, identity};
use crate::vocabulary::{EdgeKind, SymbolKind};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The server that gave an answer. Another version may answer differently.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ServerId {
    /// The name in the table of servers (`"gopls"`).
    pub name: Box<str>,
    /// The version that the server itself reports; empty if it reports none.
    pub version: Box<str>,
}

/// One answer from a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The server that gave the answer.
    pub server: Arc<ServerId>,
    /// The identity of the symbol around the reference, or of the symbol whose edges the server was
    /// to find ([`VerdictAnswer::Discovered`]).
    pub subject: Hash,
    /// The hash of the subject's text at the time of the question ([`symbol_body_hash`]).
    pub body: u64,
    /// The hash of the context that the answer depends on besides the texts of both ends
    /// ([`ContextHash`]).
    pub context: u64,
    /// The question and the answer.
    pub answer: VerdictAnswer,
    /// The hashes of the texts that the server had.
    pub sent: SentHashes,
}

/// The content hashes of both files as they were sent to the server. An answer about other contents
/// is discarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentHashes {
    /// The hash of the file with the reference.
    pub source: Hash,
    /// The hash of the file with the target; `None` if the target is outside the workspace.
    pub target: Option<Hash>,
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum VerdictAnswer {
    /// The target of a reference.
    Reference {
        /// The reference, with the edges that name resolution derived from it.
        reference: AskedReference,
        /// The server's answer.
        resolution: ServerResolution,
    },
    /// All edges that discovery found for the subject, possibly none. They replace the edges that
    /// it found for the subject before.
    Discovered {
        /// The edges, in arbitrary order.
        edges: Vec<DiscoveredEdge>,
    },
}

/// A reference in the version that the server was asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedReference {
    /// The number of the reference among those directly in the subject, in source order.
    pub nth: u32,
    /// The name at the reference.
    pub name: Box<str>,
    /// The number of lines from the first line of the subject to the name.
    pub line: u32,
    /// The edges to create for each target.
    pub target_edges: Vec<TargetEdge>,
    /// The edges that name resolution derived from the reference.
    pub guesses: Vec<GuessedEdge>,
}

/// The target of a reference, according to a server that is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerResolution {
    /// The symbol that the text also resolved to.
    Confirmed(SymbolVersion),
    /// A symbol that the text did not resolve to.
    Retargeted(SymbolVersion),
    /// A symbol outside the workspace.
    External {
        /// The package or module; empty for builtins of the language.
        package: Box<str>,
        /// The dotted name in the package.
        name: Box<str>,
    },
    /// A parameter or variable inside a body, which is not a symbol of the graph. Any target that
    /// the text resolved to is wrong.
    Local,
    /// No usable answer. It is also stored, because asking again about the same text would not
    /// help.
    Unresolved(NoAnswerReason),
}

/// The reason why a server gave no usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NoAnswerReason {
    /// The server reports no definition.
    NoDefinition,
    /// The server reports several symbols.
    Ambiguous,
    /// The server reports a location without a declaration, or a symbol that the name of the
    /// reference cannot refer to.
    NotADeclaration,
    /// The server refused to answer.
    Refused,
    /// The server did not answer in time.
    TimedOut,
    /// The server was busy during every attempt, so its empty answer may be wrong.
    ServerBusy,
    /// A file changed between question and answer. The question is repeated; this reason is never
    /// stored.
    Changed,
}

impl NoAnswerReason {
    /// All reasons.
    pub const ALL: [Self; 7] = [
        Self::NoDefinition,
        Self::Ambiguous,
        Self::NotADeclaration,
        Self::Refused,
        Self::TimedOut,
        Self::ServerBusy,
        Self::Changed,
    ];

    /// Returns the word for the reason in reports (`docs/enrichment.md`).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoDefinition => "nothing",
            Self::Ambiguous => "several",
            Self::NotADeclaration => "elsewhere",
            Self::Refused => "refused",
            Self::TimedOut => "late",
            Self::ServerBusy => "unsure",
            Self::Changed => "changed",
        }
    }
}

/// A symbol of the workspace in the version that a server returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SymbolVersion {
    /// The symbol's identity.
    pub symbol: Hash,
    /// The hash of the symbol's declaration ([`declaration_hash`]).
    pub signature: u64,
}

impl SymbolVersion {
    /// Returns the current version of a symbol.
    pub fn from_symbol(symbol: &SymbolRef) -> Self {
        Self { symbol: symbol.hash, signature: declaration_hash(symbol) }
    }
}

/// An edge that only discovery found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiscoveredEdge {
    /// The symbol at which the edge starts.
    pub source: SymbolVersion,
    /// The hash of the source's text as the server had it ([`symbol_body_hash`]).
    pub source_body: u64,
    /// The symbol to which the edge points.
    pub target: SymbolVersion,
    /// The relation between the two.
    pub kind: EdgeKind,
    /// The number of lines from the first line of the source to the use at which the edge was
    /// found; `None` for edges without such a location.
    pub line: Option<u32>,
}

impl Verdict {
    /// Builds the verdict for a server's answer about a reference. Use
    /// [`ReferenceSite::classify_target`] for a target in the workspace.
    pub fn for_site(
        site: &ReferenceSite,
        server: &Arc<ServerId>,
        resolution: ServerResolution,
        sent: SentHashes,
    ) -> Self {
        Self {
            server: Arc::clone(server),
            subject: site.key.subject,
            body: site.key.body,
            context: site.context,
            answer: VerdictAnswer::Reference { reference: site.to_asked_reference(), resolution },
            sent,
        }
    }
}

/// Returns the identity of the phantom for a symbol outside the workspace.
pub fn external_hash(package: &str, name: &str) -> Hash {
    identity::phantom_hash(SymbolKind::External, package, name)
}
