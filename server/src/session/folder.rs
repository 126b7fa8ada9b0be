//! One workspace folder as handlers see it: a queue to push changes into and a published state to read.

use super::documents::{Document, TextEdit};
use super::lines::Encoding;
use super::progress::{Events, IndexProgress};
use super::writer::Writer;
use crate::freshness::{Freshness, rfc3339};
use dashmap::DashMap;
use kenning_graph::Snapshot;
use kenning_indexing::workspace::{IndexReport, TextProvider, WorkspaceOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

/// How long a request waits for the changes that came before it (design `architecture.md`, "Read your writes").
pub const WAIT_FOR_WRITES: Duration = Duration::from_millis(100);

/// How old the last look at the disk may be before a request asks for another one.
const DISK_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The same where the client tells of changed files: only what it overlooked is looked for.
const WATCHED_DISK_CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// A change of the folder, in the order in which the client told of it.
pub enum Change {
    /// A document was opened.
    Open {
        /// Its path in the folder.
        path: String,
        /// Its version.
        version: i32,
        /// Its whole text.
        text: String,
    },
    /// A document was edited.
    Edit {
        /// Its path in the folder.
        path: String,
        /// Its version after the edits.
        version: i32,
        /// The edits in their order.
        edits: Vec<TextEdit>,
    },
    /// A document was closed; its text on disk is the truth again.
    Close {
        /// Its path in the folder.
        path: String,
    },
    /// Something on the disk may have changed: this file, or anything.
    Refresh {
        /// Its path in the folder, when it is known.
        path: Option<String>,
    },
    /// Other limits of indexing hold from now on.
    Configure(WorkspaceOptions),
    /// The person asks to bring the index up to the disk now.
    Reindex(oneshot::Sender<Result<Arc<IndexReport>, String>>),
}

impl Change {
    /// The file that is pending while this change is; empty for the disk as a whole.
    fn path(&self) -> &str {
        match self {
            Self::Open { path, .. } | Self::Edit { path, .. } | Self::Close { path } => path,
            Self::Refresh { path: Some(path) } => path,
            Self::Refresh { path: None } | Self::Configure(_) | Self::Reindex(_) => "",
        }
    }
}

/// A queued change and its number.
pub(super) struct Message {
    pub sequence: u64,
    pub change: Change,
}

/// Where the index of a folder stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The database is being opened.
    Opening,
    /// The index is being brought up to the disk.
    Indexing,
    /// The index was up to the disk when it was last looked at.
    Ready,
    /// There is no index; the reason is one sentence.
    Failed(String),
}

/// What the writer published last.
pub struct State {
    /// Number of the last change that is in the snapshot.
    pub sequence: u64,
    /// The graph with unsaved texts.
    pub snapshot: Snapshot,
    /// Bodies of symbols; none before the database is open.
    pub text: Option<Arc<TextProvider>>,
    /// When the index was last brought up to the disk.
    pub indexed_at: Option<std::time::SystemTime>,
    /// The commit that was checked out then.
    pub head: Option<String>,
    /// Open documents with unsaved text.
    pub unsaved_files: usize,
    /// Where the index stands.
    pub phase: Phase,
    /// Whether this process writes the graph; none before the database is open.
    pub writer: Option<bool>,
    /// The database.
    pub db_path: Option<PathBuf>,
    /// What the last indexing did.
    pub report: Option<Arc<IndexReport>>,
}

/// What a request answers from: a state and how true it is.
pub struct View {
    /// The state.
    pub state: Arc<State>,
    /// What the state does not know yet.
    pub freshness: Freshness,
}

struct Queue {
    sender: Option<mpsc::UnboundedSender<Message>>,
    sequence: u64,
    /// Last change of each path that may not be published yet.
    pending: BTreeMap<String, u64>,
    last_disk_check: Option<Instant>,
}

/// One folder of the workspace.
pub struct Folder {
    root: PathBuf,
    canonical: PathBuf,
    queue: Mutex<Queue>,
    published: watch::Receiver<Arc<State>>,
    documents: Arc<DashMap<String, Document>>,
    progress: Arc<IndexProgress>,
    writer: Mutex<Option<Writer>>,
}

impl Folder {
    /// A folder whose writer is not running yet: changes queue up.
    pub(super) fn new(root: PathBuf, options: WorkspaceOptions, encoding: Encoding, events: Events) -> Self {
        let (sender, inbox) = mpsc::unbounded_channel();
        let documents = Arc::new(DashMap::new());
        let progress = Arc::new(IndexProgress::new(root.clone(), events));
        let (publish, published) = watch::channel(Arc::new(State {
            sequence: 0,
            snapshot: Snapshot::empty(),
            text: None,
            indexed_at: None,
            head: None,
            unsaved_files: 0,
            phase: Phase::Opening,
            writer: None,
            db_path: None,
            report: None,
        }));
        let writer = Writer {
            root: root.clone(),
            options,
            encoding,
            inbox,
            publish,
            documents: Arc::clone(&documents),
            progress: Arc::clone(&progress),
            cancelled: false,
            excludes: None,
            left_out: BTreeSet::new(),
        };
        let canonical = root.canonicalize().unwrap_or_else(|_| root.clone());
        let queue =
            Queue { sender: Some(sender), sequence: 0, pending: BTreeMap::new(), last_disk_check: None };
        Self {
            root,
            canonical,
            queue: Mutex::new(queue),
            published,
            documents,
            progress,
            writer: Mutex::new(Some(writer)),
        }
    }

    /// Starts the writer unless it was started before.
    pub fn start(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return };
        let spawned = std::thread::Builder::new().name("kenning-writer".into()).spawn(move || writer.run());
        if let Err(error) = spawned {
            tracing::error!(root = %self.root.display(), %error, "the writer thread cannot be started");
        }
    }

    /// Ends the writer after the change it is working on; a running indexing is cancelled.
    pub fn stop(&self) {
        self.progress.cancel();
        self.lock_queue().sender = None;
    }

    /// The folder as the client named it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of `file` in this folder with `/`, if it is in it.
    pub fn relative(&self, file: &Path) -> Option<String> {
        let resolved = || {
            let (parent, name) = (file.parent()?, file.file_name()?);
            let real = file.canonicalize().or_else(|_| parent.canonicalize().map(|p| p.join(name))).ok()?;
            relative_path(&self.canonical, &real)
        };
        relative_path(&self.root, file).or_else(|| relative_path(&self.canonical, file)).or_else(resolved)
    }

    /// Hands a change to the writer; returns its number at once.
    pub fn push(&self, change: Change) -> u64 {
        let mut queue = self.lock_queue();
        queue.sequence += 1;
        let sequence = queue.sequence;
        queue.pending.insert(change.path().to_owned(), sequence);
        if let Some(sender) = &queue.sender {
            // The receiver is gone only when the writer ended; the change stays pending, as it should.
            let _ = sender.send(Message { sequence, change });
        }
        sequence
    }

    /// The number of the last change that was handed over; asks for a look at the disk when the last is long ago.
    pub fn arrive(&self, now: Instant, watched: bool) -> u64 {
        let interval = if watched { WATCHED_DISK_CHECK_INTERVAL } else { DISK_CHECK_INTERVAL };
        let due = {
            let mut queue = self.lock_queue();
            let due = queue.last_disk_check.is_none_or(|last| now - last >= interval);
            if due {
                queue.last_disk_check = Some(now);
            }
            let state = self.published.borrow();
            // A first indexing that was cancelled is not begun again behind the person's back.
            due && state.phase == Phase::Ready && state.indexed_at.is_some()
        };
        if due { self.push(Change::Refresh { path: None }) } else { self.lock_queue().sequence }
    }

    /// Waits until change number `sequence` is published, but no longer than [`WAIT_FOR_WRITES`].
    pub async fn view(&self, sequence: u64) -> View {
        let mut published = self.published.clone();
        let arrived = published.wait_for(|state| state.sequence >= sequence);
        let _ = tokio::time::timeout(WAIT_FOR_WRITES, arrived).await;
        self.view_now()
    }

    /// What is published at this moment.
    pub fn view_now(&self) -> View {
        let state = Arc::clone(&self.published.borrow());
        let (queued, disk_check_pending) = {
            let mut queue = self.lock_queue();
            queue.pending.retain(|_, sequence| *sequence > state.sequence);
            (queue.pending.keys().filter(|path| !path.is_empty()).count(), queue.pending.contains_key(""))
        };
        let unindexed = match state.phase {
            _ if state.indexed_at.is_some() => 0,
            Phase::Failed(_) => 0,
            // Also when a first indexing was cancelled: an empty answer must not look like a whole one.
            Phase::Opening | Phase::Indexing | Phase::Ready => self.progress.remaining().max(1),
        };
        let freshness = Freshness {
            indexed_at: state.indexed_at.and_then(rfc3339),
            head: state.head.clone(),
            pending_files: queued.max(unindexed),
            disk_check_pending,
            unsaved_files: state.unsaved_files,
            desynchronised_files: self.documents.iter().filter(|d| d.desynchronised().is_some()).count(),
            servers: Vec::new(),
        };
        View { state, freshness }
    }

    /// Path, version and reason of desynchronisation of the open documents, sorted by path.
    pub fn open_documents(&self) -> Vec<(String, i32, Option<String>)> {
        let mut documents: Vec<_> = self
            .documents
            .iter()
            .map(|d| (d.key().clone(), d.version(), d.desynchronised().map(|reason| reason.to_string())))
            .collect();
        documents.sort();
        documents
    }

    fn lock_queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `file` below `root`, with `/`; `None` outside of it, for the root itself and for names that are not UTF-8.
fn relative_path(root: &Path, file: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for component in file.strip_prefix(root).ok()?.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_below_the_root_have_a_path_in_it() {
        let path = |file: &str| relative_path(Path::new("/w/app"), Path::new(file));
        assert_eq!(path("/w/app/src/a b.py").as_deref(), Some("src/a b.py"));
        assert_eq!(path("/w/app"), None);
        assert_eq!(path("/w/application/x.py"), None);
        assert_eq!(path("/w/app/../x.py"), None);
    }
}
