//! One workspace folder as handlers see it: a queue to push changes into and a published state to read.

use super::disk_worker::DiskWorker;
use super::documents::{OpenFile, TextEdit};
use super::folder_servers::FolderServers;
use super::folder_watch::FolderWatch;
use super::index_progress::{EventSender, SessionEvent, SessionProgress};
use super::open_documents::OpenDocuments;
use super::writer::{FolderWriter, WriterMessage};
use crate::config::file;
use crate::freshness::{Freshness, format_rfc3339};
use kenning_graph::positions::{LineIndex, PositionEncoding};
use kenning_graph::store::MemoryLocation;
use kenning_graph::verdicts::Verdict;
use kenning_graph::{FileFacts, Snapshot};
use kenning_indexing::project::Project;
use kenning_indexing::workspace::{IndexReport, TextProvider, VerdictLog, WorkspaceOptions};
use kenning_retrieval::CommitHistory;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// How long a request waits for the changes that came before it.
pub const WAIT_FOR_WRITES: Duration = Duration::from_millis(100);

/// How old the last look at the disk may be before a request asks for another one.
const DISK_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The same where the client tells of changed files: only what it overlooked is looked for.
const WATCHED_DISK_CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// A change of the folder, in the order in which the client told of it.
pub enum FolderChange {
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

impl FolderChange {
    /// The file that is pending while this change is; empty for the disk as a whole.
    fn pending_path(&self) -> &str {
        match self {
            Self::Open { path, .. } | Self::Edit { path, .. } | Self::Close { path } => path,
            Self::Refresh { path: Some(path) } => path,
            Self::Refresh { path: None } | Self::Configure(_) | Self::Reindex(_) => "",
        }
    }

    /// Whether the folder's configuration file may be another after it.
    fn may_change_config(&self) -> bool {
        match self {
            Self::Refresh { path: Some(path) } => path == file::NAME,
            Self::Refresh { path: None } | Self::Reindex(_) => true,
            _ => false,
        }
    }

    /// Whether it tells of an open document.
    fn is_document_change(&self) -> bool {
        matches!(self, Self::Open { .. } | Self::Edit { .. } | Self::Close { .. })
    }

    /// Whether it asks for a look at the disk. What is closed may have been saved a moment ago.
    fn needs_disk_refresh(&self) -> bool {
        matches!(self, Self::Close { .. } | Self::Refresh { .. } | Self::Configure(_) | Self::Reindex(_))
    }
}

/// The changes that came before a request: those of open documents, and the looks at the disk that were asked for. Each
/// kind is counted for itself, so that a request can wait for the one and not for the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeSequence {
    /// Number of the last change of an open document.
    pub edits: u64,
    /// Number of the last look at the disk; 0 to wait for none.
    pub disk: u64,
}

/// A queued change and its number.
pub(super) struct QueuedChange {
    /// Its number among the changes of open documents.
    pub sequence: u64,
    /// Its number among the looks at the disk.
    pub look: u64,
    pub change: FolderChange,
}

/// Where the index of a folder stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexPhase {
    /// The database is being opened.
    Opening,
    /// The index is being brought up to the disk.
    Indexing,
    /// The index was up to the disk at the last check.
    Ready,
    /// There is no index; the reason is one sentence.
    Failed(String),
}

/// What the writer published last.
#[derive(Clone)]
pub struct FolderState {
    /// The last changes that are in it.
    pub done: ChangeSequence,
    /// The graph with unsaved texts.
    pub snapshot: Snapshot,
    /// The open documents by path, as they are in `snapshot`; also those that the graph leaves out.
    pub open: Arc<BTreeMap<String, Arc<OpenFile>>>,
    /// What the manifests say: resolution needs it.
    pub project: Arc<Project>,
    /// Texts and facts of files; none before the database is open.
    pub text: Option<Arc<TextProvider>>,
    /// Where the answers of language servers are kept; none before the database is open.
    pub verdicts: Option<Arc<VerdictLog>>,
    /// When the index was last brought up to the disk.
    pub indexed_at: Option<std::time::SystemTime>,
    /// The commit that was checked out then.
    pub head: Option<String>,
    /// Open documents with unsaved text.
    pub unsaved_files: usize,
    /// Files that have yet to follow the last edits: what they refer to came, went or became something else, or what they
    /// say with errors in them was read in a hurry.
    pub deferred_files: usize,
    /// Where the index stands.
    pub phase: IndexPhase,
    /// Whether this process writes the graph; none before the database is open.
    pub writer: Option<bool>,
    /// The database.
    pub db_path: Option<PathBuf>,
    /// The store of the user's feedback; none before the database is open.
    pub memory: Option<MemoryLocation>,
    /// What the last indexing did.
    pub report: Option<Arc<IndexReport>>,
    /// Why the last indexing failed; none where it did not, or was cancelled.
    pub failure: Option<String>,
    /// What the commits of the repository say, once they are read.
    pub history: Option<Arc<CommitHistory>>,
}

impl FolderState {
    /// Whether numbers stay as they are while nothing is edited. They may change before the first check of the disk, while files
    /// have yet to follow the last edits, or where a text cannot be read as it stands.
    pub fn is_settled(&self) -> bool {
        self.report.is_some() && self.deferred_files == 0 && !self.open.values().any(|open| open.broken)
    }
}

/// What a request answers from: a state and how true it is.
pub struct FolderView {
    /// The state.
    pub state: Arc<FolderState>,
    /// What the state does not know yet.
    pub freshness: Freshness,
}

/// The text of a file and where its lines start.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The text.
    pub text: Arc<str>,
    /// Its lines.
    pub lines: Arc<LineIndex>,
}

impl FolderState {
    /// The document that is open at a path of the folder.
    pub fn open_file(&self, path: &str) -> Option<&Arc<OpenFile>> {
        self.open.get(path)
    }

    /// The text of a file of the graph, if it is still the one the graph was made from. May read the disk: ask off the
    /// reactor.
    pub fn source_file(&self, path: &str) -> Option<SourceFile> {
        if let Some(open) = self.open_file(path).filter(|open| open.in_graph) {
            return Some(SourceFile { text: open.text.clone(), lines: open.lines.clone() });
        }
        let file = self.snapshot.file_by_path(path).and_then(|id| self.snapshot.file(id))?;
        let text = self.text.as_ref()?.file_text(path, &file.content_hash)?;
        let lines = Arc::new(LineIndex::new(&text));
        Some(SourceFile { text, lines })
    }

    /// What a file of the graph, or an open document, says. May read the cache or the disk: ask off the reactor.
    pub fn file_facts(&self, path: &str) -> Option<Arc<FileFacts>> {
        let open = self.open_file(path);
        // The graph has the text of a large document only when that is saved, and then its facts are the file's.
        if let Some(facts) = open.filter(|open| open.in_graph).and_then(|open| open.facts.clone()) {
            return Some(facts);
        }
        let Some(id) = self.snapshot.file_by_path(path) else {
            return open.and_then(|open| open.facts.clone());
        };
        let file = self.snapshot.file(id)?;
        let cached = || self.text.as_ref()?.file_facts(path, file.language, &file.content_hash);
        self.snapshot.file_facts(id).or_else(cached)
    }
}

impl FolderView {
    /// [`FolderState::source_file`] of this view's state.
    pub fn source_file(&self, path: &str) -> Option<SourceFile> {
        self.state.source_file(path)
    }

    /// [`FolderState::file_facts`] of this view's state.
    pub fn file_facts(&self, path: &str) -> Option<Arc<FileFacts>> {
        self.state.file_facts(path)
    }
}

struct ChangeQueue {
    sender: Option<Sender<WriterMessage>>,
    last: ChangeSequence,
    /// Last change of each path that may not be published yet; looks at the disk apart.
    pending: BTreeMap<(bool, String), u64>,
    last_disk_check: Option<Instant>,
}

/// One folder of the workspace.
pub struct ServedFolder {
    root: PathBuf,
    canonical: PathBuf,
    queue: Mutex<ChangeQueue>,
    published: watch::Receiver<Arc<FolderState>>,
    progress: Arc<SessionProgress>,
    events: EventSender,
    threads: Mutex<FolderThreads>,
    watch: Mutex<Option<FolderWatch>>,
    /// The language servers that confirm edges.
    servers: FolderServers,
    /// The client was shown numbers that may change by themselves.
    shown_unsettled: Arc<AtomicBool>,
}

/// The threads of a folder, through its life.
enum FolderThreads {
    /// Not started: changes queue up.
    New(Box<(FolderWriter, DiskWorker)>),
    /// Running; the disk thread lives as long as the databases are open.
    Started(Option<JoinHandle<()>>),
}

impl ServedFolder {
    /// A folder whose writer is not running yet: changes queue up.
    pub(super) fn new(
        root: PathBuf,
        options: WorkspaceOptions,
        encoding: PositionEncoding,
        events: EventSender,
    ) -> Self {
        let (sender, inbox) = channel();
        let progress = Arc::new(SessionProgress::new(root.clone(), events.clone()));
        let (publish, published) = watch::channel(Arc::new(FolderState {
            done: ChangeSequence::default(),
            snapshot: Snapshot::empty(),
            open: Arc::default(),
            project: Arc::default(),
            text: None,
            verdicts: None,
            indexed_at: None,
            head: None,
            unsaved_files: 0,
            deferred_files: 0,
            phase: IndexPhase::Opening,
            writer: None,
            db_path: None,
            memory: None,
            report: None,
            failure: None,
            history: None,
        }));
        let documents = OpenDocuments::new(encoding, options.max_file_size);
        let (jobs, work) = channel();
        let writer = FolderWriter::new(root.clone(), inbox, publish, documents, Arc::clone(&progress), jobs);
        let disk = DiskWorker {
            root: root.clone(),
            options,
            progress: Arc::clone(&progress),
            jobs: work,
            results: sender.clone(),
            predecessor: None,
        };
        let canonical = root.canonicalize().unwrap_or_else(|_| root.clone());
        let queue = ChangeQueue {
            sender: Some(sender),
            last: ChangeSequence::default(),
            pending: BTreeMap::new(),
            last_disk_check: None,
        };
        Self {
            servers: FolderServers::default(),
            shown_unsettled: Arc::default(),
            root,
            canonical,
            queue: Mutex::new(queue),
            published,
            progress,
            events,
            threads: Mutex::new(FolderThreads::New(Box::new((writer, disk)))),
            watch: Mutex::new(None),
        }
    }

    /// Starts the threads unless they were started before. `predecessor` is the disk thread that served the same folder
    /// before: its databases must be closed before they are opened again.
    pub(super) fn start_threads(self: &Arc<Self>, predecessor: impl FnOnce() -> Option<JoinHandle<()>>) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*threads, FolderThreads::Started(_)) {
            return;
        }
        let FolderThreads::New(new) = std::mem::replace(&mut *threads, FolderThreads::Started(None)) else {
            return;
        };
        let (writer, mut disk) = *new;
        disk.predecessor = predecessor();
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
            spawned
                .map_err(|error| {
                    tracing::error!(root = %self.root.display(), %error, "the {name} thread cannot be started");
                })
                .ok()
        };
        let disk = spawn("kenning-disk", Box::new(move || disk.run_jobs()));
        spawn("kenning-writer", Box::new(move || writer.run_loop()));
        *threads = FolderThreads::Started(disk);
        drop(threads);
        let folder = Arc::downgrade(self);
        let tell = move |change| {
            if let Some(folder) = folder.upgrade() {
                folder.push_change(change);
            }
        };
        *self.lock_watch() = Some(FolderWatch::start_watching(self.canonical.clone(), Box::new(tell)));
    }

    /// Watches the files of the folder: the client does not tell of them.
    pub(super) fn watch_files(&self) {
        if let Some(watch) = &*self.lock_watch() {
            watch.watch_files();
        }
    }

    /// Why the folder cannot be watched, if so; requests look at the disk then.
    pub fn watch_problem(&self) -> Option<String> {
        self.lock_watch().as_ref().and_then(FolderWatch::watch_problem)
    }

    fn lock_watch(&self) -> std::sync::MutexGuard<'_, Option<FolderWatch>> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the writer and then the disk thread, which is returned; a running indexing is cancelled.
    pub fn stop_threads(&self) -> Option<JoinHandle<()>> {
        self.progress.cancel_indexing();
        self.servers.stop_servers();
        *self.lock_watch() = None;
        if let Some(sender) = self.lock_queue().sender.take() {
            let _ = sender.send(WriterMessage::Stop);
        }
        match &mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner) {
            FolderThreads::New(_) => None,
            FolderThreads::Started(disk) => disk.take(),
        }
    }

    /// The language servers of the folder.
    pub fn language_servers(&self) -> &FolderServers {
        &self.servers
    }

    /// Shows what language servers said, when it is kept.
    pub(super) fn show_verdicts(&self, verdicts: Vec<Verdict>) {
        if let Some(sender) = &self.lock_queue().sender {
            // The receiver is gone only when the writer ended.
            let _ = sender.send(WriterMessage::Verdicts(verdicts));
        }
    }

    /// Waits until what was handed to the writer so far is published.
    pub(super) fn request_flush(&self) -> oneshot::Receiver<()> {
        let (done, published) = oneshot::channel();
        if let Some(sender) = &self.lock_queue().sender {
            let _ = sender.send(WriterMessage::Flush(done));
        }
        published
    }

    /// Waits until nothing is left that language servers could be asked, and their answers are shown.
    pub async fn wait_until_enriched(&self) {
        self.servers.wait_until_settled().await;
        // An error means that the writer ended.
        let _ = self.request_flush().await;
    }

    /// The folder as the client named it.
    pub fn root_path(&self) -> &Path {
        &self.root
    }

    /// The path of `file` in this folder with `/`, if it is in it.
    pub fn path_in_folder(&self, file: &Path) -> Option<String> {
        let resolved = || {
            let (parent, name) = (file.parent()?, file.file_name()?);
            let real = file.canonicalize().or_else(|_| parent.canonicalize().map(|p| p.join(name))).ok()?;
            relative_path(&self.canonical, &real)
        };
        relative_path(&self.root, file).or_else(|| relative_path(&self.canonical, file)).or_else(resolved)
    }

    /// Hands a change to the writer; returns what has been handed over so far, at once.
    pub fn push_change(&self, change: FolderChange) -> ChangeSequence {
        if change.may_change_config() {
            let _ = self.events.send(SessionEvent::SettingsFile(self.root.clone()));
        }
        if let FolderChange::Refresh { path: Some(path) } = &change {
            self.servers.notify_disk_change(&self.root, path);
        }
        let mut queue = self.lock_queue();
        let path = change.pending_path().to_owned();
        if change.is_document_change() {
            queue.last.edits += 1;
            let sequence = queue.last.edits;
            queue.pending.insert((false, path.clone()), sequence);
        }
        if change.needs_disk_refresh() {
            queue.last.disk += 1;
            let look = queue.last.disk;
            queue.pending.insert((true, path), look);
        }
        let message = QueuedChange { sequence: queue.last.edits, look: queue.last.disk, change };
        if let Some(sender) = &queue.sender {
            // The receiver is gone only when the writer ended; the change stays pending, as it should.
            let _ = sender.send(WriterMessage::Change(message));
        }
        queue.last
    }

    /// What has been handed over so far.
    pub fn last_sequence(&self) -> ChangeSequence {
        self.lock_queue().last
    }

    /// Whether changes of all files of the folder are seen here, without the client.
    pub fn watches_files(&self) -> bool {
        self.lock_watch().as_ref().is_some_and(FolderWatch::covers_files)
    }

    /// Keeps the disk thread from beginning another job until the guard is dropped.
    #[cfg(test)]
    pub(super) fn hold_disk(&self) -> tokio::sync::OwnedMutexGuard<()> {
        self.progress.hold_gate()
    }

    /// What a request must wait for that is about the text at hand (hover, lenses): the edits before it.
    pub fn sequence_for_edits(&self) -> ChangeSequence {
        ChangeSequence { disk: 0, ..self.lock_queue().last }
    }

    /// What a request must wait for that is about the whole workspace: all that was handed over. Asks for a look at the
    /// disk when the last is long ago.
    pub fn sequence_for_request(&self, now: Instant, watched: bool) -> ChangeSequence {
        let watched = watched || self.watches_files();
        let interval = if watched { WATCHED_DISK_CHECK_INTERVAL } else { DISK_CHECK_INTERVAL };
        let due = {
            let mut queue = self.lock_queue();
            let due = queue.last_disk_check.is_none_or(|last| now - last >= interval);
            if due {
                queue.last_disk_check = Some(now);
            }
            let state = self.published.borrow();
            // A first indexing that was cancelled is not begun again behind the person's back.
            due && state.phase == IndexPhase::Ready && state.indexed_at.is_some()
        };
        if due { self.push_change(FolderChange::Refresh { path: None }) } else { self.lock_queue().last }
    }

    /// Waits until the changes of `arrival` are published, but no longer than [`WAIT_FOR_WRITES`].
    pub async fn wait_for_view(&self, arrival: ChangeSequence) -> FolderView {
        let mut published = self.published.clone();
        let arrived =
            published.wait_for(|state| state.done.edits >= arrival.edits && state.done.disk >= arrival.disk);
        let _ = tokio::time::timeout(WAIT_FOR_WRITES, arrived).await;
        self.current_view()
    }

    /// Set when the client was shown numbers that may change by themselves; who asks the client to ask again clears it.
    pub fn shown_unsettled(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shown_unsettled)
    }

    /// Tells of every state that is published from now on.
    pub fn subscribe_states(&self) -> watch::Receiver<Arc<FolderState>> {
        self.published.clone()
    }

    /// What is published at this moment.
    pub fn current_view(&self) -> FolderView {
        let state = Arc::clone(&self.published.borrow());
        let (queued, disk_check_pending) = {
            let mut queue = self.lock_queue();
            queue.pending.retain(|(disk, _), sequence| {
                *sequence > if *disk { state.done.disk } else { state.done.edits }
            });
            // The text of an open document is known, whatever its file holds.
            let known = |path: &str| state.open_file(path).is_some_and(|open| open.in_graph);
            let pending = queue.pending.keys().filter(|(disk, path)| !(*disk && known(path)));
            let files: BTreeSet<&str> =
                pending.map(|(_, path)| path.as_str()).filter(|path| !path.is_empty()).collect();
            (files.len(), queue.pending.contains_key(&(true, String::new())))
        };
        let unindexed = match state.phase {
            _ if state.indexed_at.is_some() => 0,
            IndexPhase::Failed(_) => 0,
            // Also when a first indexing was cancelled: an empty answer must not look like a whole one.
            IndexPhase::Opening | IndexPhase::Indexing | IndexPhase::Ready => {
                self.progress.remaining_files().max(1)
            }
        };
        let freshness = Freshness {
            indexed_at: state.indexed_at.and_then(format_rfc3339),
            head: state.head.clone(),
            pending_files: queued.max(unindexed) + state.deferred_files,
            disk_check_pending,
            unsaved_files: state.unsaved_files,
            broken_files: state.open.values().filter(|open| open.broken).count(),
            large_files: state.open.values().filter(|open| open.too_large).count(),
            desynchronised_files: state.open.values().filter(|open| open.desynchronised).count(),
            servers: self.servers.collect_freshness(&state.snapshot),
        };
        FolderView { state, freshness }
    }

    fn lock_queue(&self) -> std::sync::MutexGuard<'_, ChangeQueue> {
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
