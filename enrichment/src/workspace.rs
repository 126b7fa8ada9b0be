//! The interface to the rest of Kenning: the graph, texts and references that this crate reads, and
//! the sink for its verdicts.

use kenning_graph::Hash;
use kenning_graph::snapshot::{Snapshot, SymbolRef};
use kenning_graph::verdicts::{ReferenceSite, ServerId, Verdict};
use std::path::Path;
use std::sync::Arc;

/// The current text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentText {
    /// The text, decoded as UTF-8.
    pub text: Arc<str>,
    /// SHA-256 of its bytes in the file or buffer.
    pub hash: Hash,
}

impl DocumentText {
    /// Creates a text and computes its hash.
    pub fn new(text: &str) -> Self {
        Self { text: Arc::from(text), hash: Hash::from_content(text.as_bytes()) }
    }
}

/// The open workspace. Implementations may read files and compute for some milliseconds, so they
/// are called on threads that may block.
pub trait WorkspaceSource: Send + Sync + 'static {
    /// Returns the absolute path of the workspace.
    fn root_folder(&self) -> &Path;

    /// Returns the current graph.
    fn current_snapshot(&self) -> Arc<Snapshot>;

    /// Returns the text of a file: the buffer if it is open in the editor, otherwise the text on
    /// disk. Returns `None` if the file cannot be read.
    fn file_text(&self, path: &str) -> Option<DocumentText>;

    /// Returns every reference of a file that a server can be asked about, in the order of the
    /// text.
    fn reference_sites(&self, snapshot: &Snapshot, path: &str) -> Vec<ReferenceSite>;

    /// Whether `server` has already answered the question about a reference in this state of the
    /// graph.
    fn is_answered(&self, snapshot: &Snapshot, site: &ReferenceSite, server: &ServerId) -> bool;

    /// Whether discovery has already asked `server` about a symbol in this state of the graph.
    fn is_discovered(&self, snapshot: &Snapshot, subject: &SymbolRef, server: &ServerId) -> bool;

    /// Whether `file`, an absolute path inside or outside the workspace, is a regular file. Answers
    /// that lead to anything else are dropped.
    fn is_file(&self, file: &Path) -> bool {
        file.metadata().is_ok_and(|metadata| metadata.is_file())
    }

    /// Whether a file holds tests. Discovery does not ask about symbols of tests.
    fn is_test_file(&self, language: &str, path: &str) -> bool;
}

/// The receiver of verdicts.
pub trait VerdictSink: Send + Sync + 'static {
    /// Accepts the verdicts about one file or a part of it. Implementations should pass them on
    /// without blocking.
    fn accept_verdicts(&self, batch: Vec<Verdict>);
}
