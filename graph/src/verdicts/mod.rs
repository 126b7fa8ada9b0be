//! What language servers say of the graph: the references they are asked about and their answers, as plain data.
//!
//! Edges of the text are never changed by an answer. A verdict is known by the symbol around the reference, the text of
//! that symbol, the place of the reference in it and the server; what it stands on (its target, the imports, the edges
//! that the text shows there) is kept with it, so that a change of any of them makes it stale.

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

/// Which server gave an answer: another version may give another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ServerId {
    /// Name as in the table of servers (`"gopls"`).
    pub name: Box<str>,
    /// Version as the server itself gives it; empty where it gives none.
    pub version: Box<str>,
}

/// One answer of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Who says it.
    pub server: Arc<ServerId>,
    /// Identity of the symbol around the reference, or of the symbol that was asked about ([`VerdictAnswer::Discovered`]).
    pub subject: Hash,
    /// The subject's text as it was asked ([`symbol_body_hash`]).
    pub body: u64,
    /// What the answer stands on beside the texts of both ends ([`ContextHash`]).
    pub ground: u64,
    /// What was asked and what was answered.
    pub answer: VerdictAnswer,
    /// The texts that the server had.
    pub sent: SentHashes,
}

/// Hashes of the contents of both files as the server was sent them. An answer about other contents is not to be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentHashes {
    /// Of the file that holds the reference.
    pub source: Hash,
    /// Of the file that holds the target; `None` where the target is none of the workspace's.
    pub target: Option<Hash>,
}

/// What was asked and what was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum VerdictAnswer {
    /// What a reference stands for.
    Reference {
        /// The reference, with what the text made of it.
        reference: AskedReference,
        /// What it stands for.
        is: ServerResolution,
    },
    /// Everything that discovery found about the subject; no edge where it found nothing. Replaces what was discovered
    /// about the subject before.
    Discovered {
        /// In no order that means anything.
        edges: Vec<DiscoveredEdge>,
    },
}

/// A reference as it was when it was asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedReference {
    /// Place among the references that stand directly in the subject, in the order of the text.
    pub nth: u32,
    /// The name that is used.
    pub name: Box<str>,
    /// Lines from the first line of the subject to the name.
    pub line: u32,
    /// The edges that each of its targets gets.
    pub makes: Vec<TargetEdge>,
    /// The edges that the text made of it.
    pub guesses: Vec<GuessedEdge>,
}

/// What a reference stands for, by a server that is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerResolution {
    /// A symbol that the text led to, too.
    Confirmed(SymbolVersion),
    /// A symbol that the text did not lead to.
    Retargeted(SymbolVersion),
    /// Something outside of the workspace.
    External {
        /// Package or module; empty for what belongs to the language itself.
        package: Box<str>,
        /// Its name in there, with dots.
        name: Box<str>,
    },
    /// Something that lives inside a body and that no symbol stands for: a parameter, a local variable. Whatever the text
    /// led to is wrong.
    Local,
    /// It is not known. Kept all the same: who has no answer for a text has none either when asked once more.
    Unresolved(NoAnswerReason),
}

/// Why it is not known what a reference stands for although a server was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NoAnswerReason {
    /// The server says that nothing is defined for it.
    Nothing,
    /// It names several symbols.
    Several,
    /// It names a place where no symbol is declared, or one of a name that the reference cannot mean.
    Elsewhere,
    /// It refused to answer.
    Refused,
    /// It did not answer in time.
    Late,
    /// It was working on something whenever it was asked, so that "nothing" is no fact.
    Unsure,
    /// A file changed between question and answer; asked again, and never kept.
    Changed,
}

impl NoAnswerReason {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Several,
        Self::Elsewhere,
        Self::Refused,
        Self::Late,
        Self::Unsure,
        Self::Changed,
    ];

    /// In a word, as shown to people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Several => "several",
            Self::Elsewhere => "elsewhere",
            Self::Refused => "refused",
            Self::Late => "late",
            Self::Unsure => "unsure",
            Self::Changed => "changed",
        }
    }
}

/// A symbol of the workspace as it was when a server named it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SymbolVersion {
    /// Its identity.
    pub symbol: Hash,
    /// The hash of its declaration ([`declaration_hash`]).
    pub signature: u64,
}

impl SymbolVersion {
    /// A symbol as it is now.
    pub fn from_symbol(symbol: &SymbolRef) -> Self {
        Self { symbol: symbol.hash, signature: declaration_hash(symbol) }
    }
}

/// An edge that no text shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiscoveredEdge {
    /// Where it starts.
    pub source: SymbolVersion,
    /// The source's text as the server had it ([`symbol_body_hash`]).
    pub source_body: u64,
    /// Where it points.
    pub target: SymbolVersion,
    /// What it says.
    pub kind: EdgeKind,
    /// Lines from the first line of the source to the place that shows it; `None` where no single place does.
    pub line: Option<u32>,
}

impl Verdict {
    /// A server's answer about a reference. Whether it confirms the target or names another one depends on the edge that the
    /// text gave: see [`ReferenceSite::is_guessed`].
    pub fn for_site(
        site: &ReferenceSite,
        server: &Arc<ServerId>,
        is: ServerResolution,
        sent: SentHashes,
    ) -> Self {
        Self {
            server: Arc::clone(server),
            subject: site.key.subject,
            body: site.key.body,
            ground: site.ground,
            answer: VerdictAnswer::Reference { reference: site.to_asked_reference(), is },
            sent,
        }
    }
}

/// The identity of the phantom that stands for a symbol outside of the workspace.
pub fn external_hash(package: &str, name: &str) -> Hash {
    identity::phantom_hash(SymbolKind::External, package, name)
}
