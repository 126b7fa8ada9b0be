//! The texts that a server knows: which documents are open at it, with which contents, and what changed since.

use super::file_uris::uri_for_path;
use crate::client::{ClientError, LspClient};
use crate::servers::LanguageServers;
use crate::workspace::DocumentText;
use kenning_graph::Hash;
use kenning_graph::snapshot::folder_of;
use lsp_types::Uri;
use lsp_types::notification::Notification;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Changed files whose time is remembered; above it, all files count as changed.
const MAX_CHANGED: usize = 10_000;

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChangeKind {
    /// It is new.
    Created,
    /// Its content is another one.
    Changed,
    /// It is gone.
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

macro_rules! plain {
    ($($name:ident = $method:literal,)+) => { $(
        enum $name {}
        impl Notification for $name {
            type Params = Value;
            const METHOD: &'static str = $method;
        }
    )+ };
}

plain! {
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
    /// Documents that are open at one time besides the editor's; above it, half of them are closed.
    max_open: usize,
    told: Mutex<SentDocuments>,
}

#[derive(Default)]
struct SentDocuments {
    open: HashMap<String, OpenDocument>,
    /// Those that are open for questions, in the order in which they were last used.
    order: VecDeque<String>,
    /// Grows with every change.
    clock: u64,
    /// When each file changed last.
    changed: HashMap<String, u64>,
    /// Whatever changed before is no longer known by name.
    floor: u64,
}

struct OpenDocument {
    version: i32,
    hash: Hash,
    /// The editor has it open: it stays so.
    buffer: bool,
}

/// So many documents to be closed: those first whose folder keeps another one open, for servers hold what they worked out of
/// a package as long as one of its files is open; then those that were used longest ago.
fn documents_to_close(order: &VecDeque<String>, count: usize) -> Vec<String> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for path in order {
        *left.entry(folder_of(path)).or_default() += 1;
    }
    let (mut spare, mut last) = (Vec::new(), Vec::new());
    for path in order {
        let in_folder = left.entry(folder_of(path)).or_default();
        if *in_folder > 1 {
            *in_folder -= 1;
            spare.push(path.clone());
        } else {
            last.push(path.clone());
        }
    }
    spare.truncate(count);
    let missing = count - spare.len();
    spare.extend(last.into_iter().take(missing));
    spare
}

/// A moment between two changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChangeStamp(u64);

impl DocumentSync {
    pub fn new(
        client: LspClient,
        root: PathBuf,
        language: &'static LanguageServers,
        max_open: usize,
    ) -> Self {
        Self { client, root, language, max_open, told: Mutex::default() }
    }

    fn lock_sent(&self) -> MutexGuard<'_, SentDocuments> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The URI of a file.
    pub fn file_uri(&self, path: &str) -> Option<Uri> {
        uri_for_path(&self.root, path)
    }

    /// Has a document open with this text, to ask about it; some that were open long are closed.
    pub fn ensure_open(&self, path: &str, text: &DocumentText) -> Result<(), ClientError> {
        let mut told = self.lock_sent();
        self.send_text(&mut told, path, text)?;
        let buffer = told.open.get(path).is_some_and(|open| open.buffer);
        told.order.retain(|other| other != path);
        if !buffer {
            told.order.push_back(path.to_owned());
        }
        if told.order.len() > self.max_open {
            for path in documents_to_close(&told.order, self.max_open / 2) {
                told.order.retain(|other| *other != path);
                self.close_document(&mut told, &path)?;
            }
        }
        Ok(())
    }

    /// Tells of the text of a document that the editor has open; `None`: it has it open no more.
    pub fn update_buffer(&self, path: &str, text: Option<&DocumentText>) -> Result<(), ClientError> {
        let mut told = self.lock_sent();
        told.record_change(path);
        told.order.retain(|other| other != path);
        let Some(text) = text else { return self.close_document(&mut told, path) };
        self.send_text(&mut told, path, text)?;
        if let Some(open) = told.open.get_mut(path) {
            open.buffer = true;
        }
        Ok(())
    }

    /// Tells of files that changed on the disk. Documents that are open for questions are closed: they are opened again with
    /// the text that they have then.
    pub fn notify_file_changes(&self, events: &[(String, FileChangeKind)]) -> Result<(), ClientError> {
        let mut told = self.lock_sent();
        let mut changes = Vec::new();
        for (path, change) in events {
            told.record_change(path);
            if told.open.get(path).is_some_and(|open| !open.buffer) {
                told.order.retain(|other| other != path);
                self.close_document(&mut told, path)?;
            }
            if let Some(uri) = self.file_uri(path) {
                changes.push(json!({"uri": uri, "type": change.protocol_number()}));
            }
        }
        self.client.send_notification::<DidChangeWatchedFiles>(json!({"changes": changes}))
    }

    /// The text that an open document has at the server.
    pub fn sent_hash(&self, path: &str) -> Option<Hash> {
        self.lock_sent().open.get(path).map(|open| open.hash)
    }

    /// Now, to be asked later what changed since.
    pub fn current_stamp(&self) -> ChangeStamp {
        ChangeStamp(self.lock_sent().clock)
    }

    /// Whether a file changed since a moment.
    pub fn changed_since(&self, path: &str, moment: ChangeStamp) -> bool {
        let told = self.lock_sent();
        told.floor > moment.0 || told.changed.get(path).is_some_and(|&at| at > moment.0)
    }

    fn send_text(
        &self,
        told: &mut SentDocuments,
        path: &str,
        text: &DocumentText,
    ) -> Result<(), ClientError> {
        // A path that is no URI cannot be asked about; nothing is sent for it.
        let Some(uri) = self.file_uri(path) else { return Ok(()) };
        if let Some(open) = told.open.get_mut(path) {
            if open.hash != text.hash {
                open.version += 1;
                open.hash = text.hash;
                let document = json!({"uri": uri, "version": open.version});
                let changes = json!([{"text": &*text.text}]);
                let params = json!({"textDocument": document, "contentChanges": changes});
                told.record_change(path);
                self.client.send_notification::<DidChange>(params)?;
            }
            return Ok(());
        }
        let id = self.language.document_id(path);
        let document = json!({"uri": uri, "languageId": id, "version": 1, "text": &*text.text});
        self.client.send_notification::<DidOpen>(json!({"textDocument": document}))?;
        told.open.insert(path.to_owned(), OpenDocument { version: 1, hash: text.hash, buffer: false });
        Ok(())
    }

    fn close_document(&self, told: &mut SentDocuments, path: &str) -> Result<(), ClientError> {
        match (told.open.remove(path), self.file_uri(path)) {
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
    use super::documents_to_close;

    #[test]
    fn the_last_document_of_a_folder_is_closed_last() {
        let order = ["a/1", "b/1", "a/2", "c/1", "a/3"].map(str::to_owned).into();
        assert_eq!(documents_to_close(&order, 2), ["a/1", "a/2"]);
        assert_eq!(documents_to_close(&order, 4), ["a/1", "a/2", "b/1", "c/1"]);
    }
}
