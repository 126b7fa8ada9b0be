//! The texts that a server has: the documents that are open at the server, the texts that were
//! sent, and the order of all changes.
//!
//! [`DocumentSync`] opens documents for questions and closes the least recently used ones, passes
//! on the editor's buffers, and notifies the server of files that changed on disk. Every change
//! advances a clock. A [`ChangeStamp`] is a moment of that clock: an answer counts only if none of
//! its files changed since the stamp that was taken before the question.

use super::file_uris::uri_for_path;
use crate::client::{ClientError, LspClient};
use crate::servers::LanguageServers;
use crate::workspace::DocumentText;
use kenning_graph::Hash;
use kenning_graph::paths::parent_folder;
use lsp_types::Uri;
use lsp_types::notification::Notification;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of files whose last change is recorded. Checking out another branch can change
/// more. All records are then discarded, and all files count as changed.
const MAX_CHANGED: usize = 10_000;

/// The kind of a change to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChangeKind {
    /// The file is new.
    Created,
    /// The content of the file changed.
    Changed,
    /// The file was deleted.
    Deleted,
}

impl FileChangeKind {
    const fn protocol_number(self) -> u8 {
        match self {
            Self::Created => 1,
            Self::Changed => 2,
            Self::Deleted => 3,
        }
    }
}

/// Declares notifications whose parameters are plain JSON.
macro_rules! json_notifications {
    ($($name:ident = $method:literal,)+) => { $(
        enum $name {}
        impl Notification for $name {
            type Params = Value;
            const METHOD: &'static str = $method;
        }
    )+ };
}

json_notifications! {
    DidOpen = "textDocument/didOpen",
    DidChange = "textDocument/didChange",
    DidClose = "textDocument/didClose",
    DidChangeWatchedFiles = "workspace/didChangeWatchedFiles",
}

/// The documents of one running server.
pub(crate) struct DocumentSync {
    client: LspClient,
    root: PathBuf,
    language: &'static LanguageServers,
    /// Maximum number of documents that are open at one time besides the documents of the editor.
    /// When more are open, [`Self::ensure_open`] closes half of that number.
    max_open: usize,
    sent: Mutex<SentDocuments>,
}

/// The documents that were sent to a server, and the changes to files that the server knows of.
#[derive(Default)]
struct SentDocuments {
    open: HashMap<String, OpenDocument>,
    /// Documents that are open for questions, least recently used first.
    order: VecDeque<String>,
    /// Number of changes so far.
    clock: u64,
    /// Clock value of each file's last change.
    changed: HashMap<String, u64>,
    /// Clock value at which `changed` was last cleared. All files count as changed since any
    /// earlier moment.
    floor: u64,
}

/// A document that is open at the server.
struct OpenDocument {
    version: i32,
    hash: Hash,
    /// Whether the document is open in the editor; it then stays open here.
    is_buffer: bool,
}

/// Selects `count` documents to close. Documents whose folder contains another open document come
/// first, because servers keep their results for a package while one of its files is open. Within
/// both groups, the least recently used come first.
fn select_documents_to_close(order: &VecDeque<String>, count: usize) -> Vec<String> {
    let mut open_in_folder: HashMap<&str, usize> = HashMap::new();
    for path in order {
        *open_in_folder.entry(parent_folder(path)).or_default() += 1;
    }
    let (mut selected, mut last_in_folder) = (Vec::new(), Vec::new());
    for path in order {
        let count = open_in_folder.entry(parent_folder(path)).or_default();
        if *count > 1 {
            *count -= 1;
            selected.push(path.clone());
        } else {
            last_in_folder.push(path.clone());
        }
    }
    selected.truncate(count);
    let missing = count - selected.len();
    selected.extend(last_in_folder.into_iter().take(missing));
    selected
}

/// A moment between two changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChangeStamp(u64);

impl DocumentSync {
    /// Creates the record for a server that has no documents yet.
    pub fn new(
        client: LspClient,
        root: PathBuf,
        language: &'static LanguageServers,
        max_open: usize,
    ) -> Self {
        Self { client, root, language, max_open, sent: Mutex::default() }
    }

    fn lock_sent(&self) -> MutexGuard<'_, SentDocuments> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the URI of a file. Returns `None` if the path cannot be represented as one.
    pub fn file_uri(&self, path: &str) -> Option<Uri> {
        uri_for_path(&self.root, path)
    }

    /// Opens a document with this text, or updates it, to ask about it. Closes other documents if
    /// too many are open.
    pub fn ensure_open(&self, path: &str, text: &DocumentText) -> Result<(), ClientError> {
        let mut sent = self.lock_sent();
        self.send_text(&mut sent, path, text)?;
        let is_buffer = sent.open.get(path).is_some_and(|open| open.is_buffer);
        sent.order.retain(|other| other != path);
        if !is_buffer {
            sent.order.push_back(path.to_owned());
        }
        if sent.order.len() > self.max_open {
            for path in select_documents_to_close(&sent.order, self.max_open / 2) {
                sent.order.retain(|other| *other != path);
                self.close_document(&mut sent, &path)?;
            }
        }
        Ok(())
    }

    /// Sends the text of a document that is open in the editor. `None` means that the editor closed
    /// it.
    pub fn update_buffer(&self, path: &str, text: Option<&DocumentText>) -> Result<(), ClientError> {
        let mut sent = self.lock_sent();
        sent.record_change(path);
        sent.order.retain(|other| other != path);
        let Some(text) = text else { return self.close_document(&mut sent, path) };
        self.send_text(&mut sent, path, text)?;
        if let Some(open) = sent.open.get_mut(path) {
            open.is_buffer = true;
        }
        Ok(())
    }

    /// Notifies the server of files that changed on disk. Closes the files that are open for
    /// questions; [`Self::ensure_open`] opens them again with their new text.
    pub fn notify_file_changes(&self, events: &[(String, FileChangeKind)]) -> Result<(), ClientError> {
        let mut sent = self.lock_sent();
        let mut changes = Vec::new();
        for (path, change) in events {
            sent.record_change(path);
            if sent.open.get(path).is_some_and(|open| !open.is_buffer) {
                sent.order.retain(|other| other != path);
                self.close_document(&mut sent, path)?;
            }
            if let Some(uri) = self.file_uri(path) {
                changes.push(json!({"uri": uri, "type": change.protocol_number()}));
            }
        }
        self.client.send_notification::<DidChangeWatchedFiles>(json!({"changes": changes}))
    }

    /// Returns the hash of the text that the server has of an open document. Returns `None` if the
    /// document is not open.
    pub fn sent_hash(&self, path: &str) -> Option<Hash> {
        self.lock_sent().open.get(path).map(|open| open.hash)
    }

    /// Returns the current moment, to check later what has changed since.
    pub fn current_stamp(&self) -> ChangeStamp {
        ChangeStamp(self.lock_sent().clock)
    }

    /// Whether a file has changed since a moment.
    pub fn changed_since(&self, path: &str, moment: ChangeStamp) -> bool {
        let sent = self.lock_sent();
        sent.floor > moment.0 || sent.changed.get(path).is_some_and(|&clock| clock > moment.0)
    }

    /// Opens a document with this text, or sends the text if it differs from the text that the
    /// server has.
    fn send_text(
        &self,
        sent: &mut SentDocuments,
        path: &str,
        text: &DocumentText,
    ) -> Result<(), ClientError> {
        // Kenning cannot ask about a path that cannot be represented as a URI, so nothing is sent.
        let Some(uri) = self.file_uri(path) else { return Ok(()) };
        if let Some(open) = sent.open.get_mut(path) {
            if open.hash != text.hash {
                open.version += 1;
                open.hash = text.hash;
                let document = json!({"uri": uri, "version": open.version});
                let changes = json!([{"text": &*text.text}]);
                let params = json!({"textDocument": document, "contentChanges": changes});
                sent.record_change(path);
                self.client.send_notification::<DidChange>(params)?;
            }
            return Ok(());
        }
        let id = self.language.document_id(path);
        let document = json!({"uri": uri, "languageId": id, "version": 1, "text": &*text.text});
        self.client.send_notification::<DidOpen>(json!({"textDocument": document}))?;
        sent.open.insert(path.to_owned(), OpenDocument { version: 1, hash: text.hash, is_buffer: false });
        Ok(())
    }

    fn close_document(&self, sent: &mut SentDocuments, path: &str) -> Result<(), ClientError> {
        match (sent.open.remove(path), self.file_uri(path)) {
            (Some(_), Some(uri)) => {
                self.client.send_notification::<DidClose>(json!({"textDocument": {"uri": uri}}))
            }
            _ => Ok(()),
        }
    }
}

impl SentDocuments {
    fn record_change(&mut self, path: &str) {
        self.clock += 1;
        if self.changed.len() >= MAX_CHANGED {
            self.changed.clear();
            self.floor = self.clock;
        }
        self.changed.insert(path.to_owned(), self.clock);
    }
}

#[cfg(test)]
mod tests {
    use super::select_documents_to_close;

    #[test]
    fn the_last_document_of_a_folder_is_closed_last() {
        let order = ["a/1", "b/1", "a/2", "c/1", "a/3"].map(str::to_owned).into();
        assert_eq!(select_documents_to_close(&order, 2), ["a/1", "a/2"]);
        assert_eq!(select_documents_to_close(&order, 4), ["a/1", "a/2", "b/1", "c/1"]);
    }
}
