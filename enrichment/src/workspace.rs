//! What the crate gets from outside: the graph, the texts, the references to ask about, and where answers go.

use kenning_graph::Hash;
use kenning_graph::snapshot::{Snapshot, SymbolRef};
use kenning_graph::verdicts::{ReferenceSite, ServerId, Verdict};
use std::path::Path;
use std::sync::Arc;

/// The text of a file as it counts now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentText {
    /// The text.
    pub text: Arc<str>,
    /// SHA-256 of its bytes in the file or buffer.
    pub hash: Hash,
}

impl DocumentText {
    /// A text with its hash.
    pub fn new(text: &str) -> Self {
        Self { text: Arc::from(text), hash: Hash::from_content(text.as_bytes()) }
    }
}

/// The open workspace. Its functions may read files and compute for some milliseconds; they are called on threads that may
/// block.
pub trait WorkspaceSource: Send + Sync + 'static {
    /// Its absolute folder.
    fn root_folder(&self) -> &Path;

    /// The graph as it is now.
    fn current_snapshot(&self) -> Arc<Snapshot>;

    /// The text of a file: the buffer's where it is open in the editor, the disk's elsewhere; `None` where it cannot be read.
    fn file_text(&self, path: &str) -> Option<DocumentText>;

    /// Every reference of a file that can be asked about, in the order of the text.
    fn reference_sites(&self, snapshot: &Snapshot, path: &str) -> Vec<ReferenceSite>;

    /// Whether a server has answered about a reference already, in this state of the graph.
    fn is_answered(&self, snapshot: &Snapshot, site: &ReferenceSite, server: &ServerId) -> bool;

    /// Whether a symbol was looked into already by discovery, in this state of the graph.
    fn is_discovered(&self, snapshot: &Snapshot, subject: &SymbolRef, server: &ServerId) -> bool;

    /// Whether there is a regular file at an absolute path, of the workspace or outside of it: answers of servers that lead to
    /// anything else do not count.
    fn is_file(&self, file: &Path) -> bool {
        file.metadata().is_ok_and(|metadata| metadata.is_file())
    }

    /// Whether a file holds tests: their symbols are no subjects of discovery.
    fn is_test_file(&self, language: &str, path: &str) -> bool;
}

/// Where answers go.
pub trait VerdictSink: Send + Sync + 'static {
    /// Takes the answers about one file, or a part of it. Should not wait: hand them on.
    fn accept_verdicts(&self, batch: Vec<Verdict>);
}
