//! One workspace folder as handlers see it: they push changes into its queue and read its published
//! state.
//!
//! A [`ServedFolder`] owns the threads of the folder and the caches of answers about it. Pushing a
//! change never waits: the queue gives it a number, and the writer thread publishes a
//! [`FolderState`] with the numbers of the last changes that it includes. A [`FolderView`] compares
//! the two, so that each answer reports the changes that its state lacks.

mod waiting;

use super::answer_cache::AnswerCache;
use super::disk_worker::DiskWorker;
use super::documents::OpenFile;
use super::folder_change::{ChangeSequence, FolderChange, QueuedChange};
use super::folder_knowledge::FolderKnowledgeCache;
use super::folder_servers::FolderServers;
use super::folder_vectors::FolderVectors;
use super::folder_watch::FolderWatch;
use super::index_progress::{EventSender, SessionEvent, SessionProgress};
use super::open_documents::OpenDocuments;
use super::writer::{FolderWriter, WriterMessage};
use crate::freshness::{Freshness, format_rfc3339};
use kenning_graph::positions::{LineIndex, PositionEncoding};
use kenning_graph::store::MemoryLocation;
use kenning_graph::verdicts::Verdict;
use kenning_graph::{FileFacts, Snapshot};
use kenning_indexing::named_file::FileProblem;
use kenning_indexing::project::Project;
use kenning_indexing::reader_threads::reader_thread;
use kenning_indexing::workspace::{IndexReport, TextProvider, VerdictLog, WorkspaceOptions};
use kenning_retrieval::CommitHistory;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::{oneshot, watch};

/// The state of a folder's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexPhase {
    /// The databases are being opened.
    Opening,
    /// The index is being brought up to date with the disk.
    Indexing,
    /// No indexing is running. The index was up to date at the last check, unless that check failed
    /// or was cancelled.
    Ready,
    /// There is no index. The text gives the reason in one sentence.
    Failed(String),
}

/// The state of a folder, as the writer published it.
#[derive(Clone)]
pub struct FolderState {
    /// The last changes that this state includes.
    pub done: ChangeSequence,
    /// The graph, including unsaved text.
    pub snapshot: Snapshot,
    /// The open documents by path, consistent with `snapshot`. Documents that the graph leaves out
    /// are included.
    pub open: Arc<BTreeMap<String, Arc<OpenFile>>>,
    /// The content of the manifests, which resolution needs.
    pub project: Arc<Project>,
    /// Access to the texts and facts of files; `None` before the databases are open.
    pub text: Option<Arc<TextProvider>>,
    /// The log that stores verdicts of language servers; `None` before the databases are open.
    pub verdicts: Option<Arc<VerdictLog>>,
    /// The time at which the index was last brought up to date with the disk; `None` before the
    /// first index.
    pub indexed_at: Option<std::time::SystemTime>,
    /// The commit that was checked out at that time.
    pub head: Option<String>,
    /// Number of open documents with unsaved text.
    pub unsaved_files: usize,
    /// Number of files that do not reflect the last edits yet. Either a definition that they refer
    /// to appeared, disappeared or changed, or their text has syntax errors and was only parsed
    /// incrementally.
    pub deferred_files: usize,
    /// The state of the index.
    pub phase: IndexPhase,
    /// Whether this process writes the graph; `None` before the databases are open.
    pub writer: Option<bool>,
    /// The path of `graph.db`; `None` before it is open.
    pub db_path: Option<PathBuf>,
    /// The store of the user's feedback; `None` before the databases are open.
    pub memory: Option<MemoryLocation>,
    /// The report of the last indexing that succeeded; `None` before the first.
    pub report: Option<Arc<IndexReport>>,
    /// The reason why the last indexing failed; `None` if it succeeded or was cancelled.
    pub failure: Option<String>,
    /// The commits of the repository that are read so far; `None` until the stored ones are loaded.
    pub history: Option<Arc<CommitHistory>>,
    /// The problem with commits that are left out of the history.
    pub history_problem: Option<FileProblem>,
    /// Whether the options ask to read the commits.
    pub reads_history: bool,
    /// The checked-out commit at the last reading of the commits that ended, because it read all of
    /// them or failed; `None` before the first.
    pub history_head: Option<String>,
}

impl FolderState {
    /// Whether the numbers of this state stay the same while nothing is edited. They may change
    /// before the first disk check, while files do not reflect the last edits yet, and while an
    /// unsaved text has syntax errors.
    pub fn is_settled(&self) -> bool {
        self.report.is_some() && self.deferred_files == 0 && !self.open.values().any(|open| open.broken)
    }

    /// Whether commits are still to be read. A workspace without commits has none to read, and a
    /// reading that failed is not repeated before the next change.
    pub fn is_history_pending(&self) -> bool {
        self.reads_history && self.head.is_some() && self.history_head != self.head
    }
}

/// The state that a request is answered from, with its freshness.
pub struct FolderView {
    /// The published state.
    pub state: Arc<FolderState>,
    /// The freshness of the state: the changes that it does not include yet.
    pub freshness: Freshness,
}

/// The text of a file and its line starts.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The text.
    pub text: Arc<str>,
    /// The line starts of `text`.
    pub lines: Arc<LineIndex>,
}

impl FolderState {
    /// Returns the document that is open at `path`, a path in the folder.
    pub fn open_file(&self, path: &str) -> Option<&Arc<OpenFile>> {
        self.open.get(path)
    }

    /// Returns the text of a file of the graph; `None` if the graph was made from another text. May
    /// read the disk, so call it from a blocking thread.
    pub fn source_file(&self, path: &str) -> Option<SourceFile> {
        if let Some(open) = self.open_file(path).filter(|open| open.is_in_graph) {
            return Some(SourceFile { text: open.text.clone(), lines: open.lines.clone() });
        }
        let file = self.snapshot.file_by_path(path).and_then(|id| self.snapshot.file(id))?;
        let text = self.text.as_ref()?.file_text(path, &file.content_hash)?;
        let lines = Arc::new(LineIndex::new(&text));
        Some(SourceFile { text, lines })
    }

    /// Returns the facts of a file of the graph or of an open document. May read the cache or the
    /// disk, so call it from a blocking thread.
    pub fn file_facts(&self, path: &str) -> Option<Arc<FileFacts>> {
        let open = self.open_file(path);
        // The graph contains the text of a large document only once it is saved. Its facts are then
        // those of the file.
        if let Some(facts) = open.filter(|open| open.is_in_graph).and_then(|open| open.facts.clone()) {
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
    /// Calls [`FolderState::source_file`] on this view's state.
    pub fn source_file(&self, path: &str) -> Option<SourceFile> {
        self.state.source_file(path)
    }

    /// Calls [`FolderState::file_facts`] on this view's state.
    pub fn file_facts(&self, path: &str) -> Option<Arc<FileFacts>> {
        self.state.file_facts(path)
    }
}

/// The kind of a change that may not be published yet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PendingKind {
    Document,
    DiskCheck,
}

/// Whether the freshness of answers reports a change as pending.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportPending {
    Yes,
    No,
}

/// The queue of changes to a folder.
struct ChangeQueue {
    /// The writer's inbox; `None` when the folder is no longer served.
    sender: Option<Sender<WriterMessage>>,
    /// The numbers of the last changes.
    last: ChangeSequence,
    /// The number of the last change of each kind to each path that may not be published yet.
    pending: BTreeMap<(PendingKind, String), u64>,
    last_disk_check: Option<Instant>,
}

/// One folder of the workspace, with its queue, its threads and its published state.
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
    /// Whether the client was shown numbers that may change without an edit.
    shown_unsettled: Arc<AtomicBool>,
    /// The answers to the last questions.
    answers: AnswerCache,
    /// The notes, tasks and skills as they were last read.
    knowledge: FolderKnowledgeCache,
    /// The vectors, and the thread that computes them.
    vectors: Arc<FolderVectors>,
}

/// The threads of a folder, before and after their start.
enum FolderThreads {
    /// Not started: changes queue up.
    New(Box<(FolderWriter, DiskWorker)>),
    /// Started. The handle belongs to the disk thread, which runs as long as the databases are
    /// open.
    Started(Option<JoinHandle<()>>),
}

impl ServedFolder {
    /// Creates a folder whose threads are not running yet: changes queue up.
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
            history_problem: None,
            reads_history: options.history,
            history_head: None,
        }));
        let documents = OpenDocuments::new(encoding, options.max_file_size);
        let (jobs, work) = channel();
        let writer = FolderWriter::new(root.clone(), inbox, publish, documents, Arc::clone(&progress), jobs);
        let vectors = Arc::new(FolderVectors::new(root.clone(), published.clone()));
        let disk = DiskWorker {
            root: root.clone(),
            options,
            progress: Arc::clone(&progress),
            jobs: work,
            results: sender.clone(),
            vectors: Arc::clone(&vectors),
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
            answers: AnswerCache::default(),
            knowledge: FolderKnowledgeCache::default(),
            vectors,
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

    /// Starts the threads, unless they were started before. `predecessor` returns the disk thread
    /// that served the same folder earlier: it must close the databases before they are opened
    /// again.
    pub(super) fn start_threads(self: &Arc<Self>, predecessor: impl FnOnce() -> Option<JoinHandle<()>>) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*threads, FolderThreads::Started(_)) {
            return;
        }
        let FolderThreads::New(threads_to_start) =
            std::mem::replace(&mut *threads, FolderThreads::Started(None))
        else {
            return;
        };
        let (writer, mut disk) = *threads_to_start;
        disk.predecessor = predecessor();
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let spawned = reader_thread(name).spawn(work);
            spawned
                .map_err(|error| {
                    tracing::error!(root = %self.root.display(), %error, "cannot start the {name} thread");
                })
                .ok()
        };
        let disk = spawn("kenning-disk", Box::new(move || disk.run_jobs()));
        spawn("kenning-writer", Box::new(move || writer.run_loop()));
        *threads = FolderThreads::Started(disk);
        drop(threads);
        let folder = Arc::downgrade(self);
        let push_change = move |change| {
            if let Some(folder) = folder.upgrade() {
                folder.push_change(change);
            }
        };
        *self.lock_watch() = Some(FolderWatch::start_watching(self.canonical.clone(), Box::new(push_change)));
    }

    /// Starts watching the files of the folder, because the client does not report changes.
    pub(super) fn watch_files(&self) {
        if let Some(watch) = &*self.lock_watch() {
            watch.watch_files();
        }
    }

    /// Returns why the folder cannot be watched; `None` if it can. Without a watch, requests check
    /// the disk.
    pub fn watch_problem(&self) -> Option<String> {
        self.lock_watch().as_ref().and_then(FolderWatch::watch_problem)
    }

    fn lock_watch(&self) -> std::sync::MutexGuard<'_, Option<FolderWatch>> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels a running indexing and stops the writer, the disk thread and the language servers.
    /// Returns the disk thread, which may still be running; `None` if it was never started or was
    /// returned before.
    pub fn stop_threads(&self) -> Option<JoinHandle<()>> {
        self.progress.cancel_indexing();
        self.servers.stop_servers();
        self.vectors.stop_computing();
        *self.lock_watch() = None;
        if let Some(sender) = self.lock_queue().sender.take() {
            let _ = sender.send(WriterMessage::Stop);
        }
        match &mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner) {
            FolderThreads::New(_) => None,
            FolderThreads::Started(disk) => disk.take(),
        }
    }

    /// Returns the answers to the last questions about this folder.
    pub fn answer_cache(&self) -> &AnswerCache {
        &self.answers
    }

    /// Returns the notes, tasks and skills as they were last read.
    pub fn knowledge_cache(&self) -> &FolderKnowledgeCache {
        &self.knowledge
    }

    /// Returns the vectors of the folder.
    pub(super) fn folder_vectors(&self) -> &Arc<FolderVectors> {
        &self.vectors
    }

    /// Returns the language servers of the folder.
    pub fn language_servers(&self) -> &FolderServers {
        &self.servers
    }

    /// Passes verdicts of language servers to the writer, which adds them to the published graph.
    pub(super) fn push_verdicts(&self, verdicts: Vec<Verdict>) {
        if let Some(sender) = &self.lock_queue().sender {
            // Sending fails only after the writer has ended.
            let _ = sender.send(WriterMessage::Verdicts(verdicts));
        }
    }

    /// Asks the writer to report when everything that is queued so far is published. The receiver
    /// gets an error if the writer has ended.
    pub(super) fn request_flush(&self) -> oneshot::Receiver<()> {
        let (done, published) = oneshot::channel();
        if let Some(sender) = &self.lock_queue().sender {
            let _ = sender.send(WriterMessage::Flush(done));
        }
        published
    }

    /// Waits until no question for language servers is left and their answers are published.
    pub async fn wait_until_enriched(&self) {
        self.servers.wait_until_settled().await;
        // An error means that the writer has ended.
        let _ = self.request_flush().await;
    }

    /// Returns the folder's path as the client named it.
    pub fn root_path(&self) -> &Path {
        &self.root
    }

    /// Returns the path of `file` in this folder, with `/` as the separator; `None` if `file` is
    /// not inside. Resolves symbolic links if the paths as they are written do not match.
    pub fn path_in_folder(&self, file: &Path) -> Option<String> {
        let resolved = || {
            let (parent, name) = (file.parent()?, file.file_name()?);
            let real = file.canonicalize().or_else(|_| parent.canonicalize().map(|p| p.join(name))).ok()?;
            relative_path(&self.canonical, &real)
        };
        relative_path(&self.root, file).or_else(|| relative_path(&self.canonical, file)).or_else(resolved)
    }

    /// Queues a change for the writer without waiting. Returns the position of the queue after it.
    pub fn push_change(&self, change: FolderChange) -> ChangeSequence {
        self.queue_change(change, ReportPending::Yes)
    }

    /// Queues a change like [`ServedFolder::push_change`]. `report` applies to its disk check.
    fn queue_change(&self, change: FolderChange, report: ReportPending) -> ChangeSequence {
        if change.may_change_config() {
            let _ = self.events.send(SessionEvent::SettingsFileChanged(self.root.clone()));
        }
        if let FolderChange::Refresh { path: Some(path) } = &change {
            self.servers.notify_disk_change(&self.root, path);
        }
        let mut queue = self.lock_queue();
        let path = change.pending_path().to_owned();
        if change.is_document_change() {
            queue.last.edits += 1;
            let sequence = queue.last.edits;
            queue.pending.insert((PendingKind::Document, path.clone()), sequence);
        }
        if change.needs_disk_refresh() {
            queue.last.disk += 1;
            let sequence = queue.last.disk;
            let key = (PendingKind::DiskCheck, path);
            // If an earlier change is already reported, the report lasts until this one is done.
            if report == ReportPending::Yes || queue.pending.contains_key(&key) {
                queue.pending.insert(key, sequence);
            }
        }
        let message = QueuedChange { sequence: queue.last.edits, disk: queue.last.disk, change };
        if let Some(sender) = &queue.sender {
            // Sending fails only after the writer has ended. The change then stays pending, which
            // is correct.
            let _ = sender.send(WriterMessage::Change(message));
        }
        queue.last
    }

    /// Returns the position of the queue.
    pub fn last_sequence(&self) -> ChangeSequence {
        self.lock_queue().last
    }

    /// Whether Kenning itself watches all files of the folder.
    pub fn watches_files(&self) -> bool {
        self.lock_watch().as_ref().is_some_and(FolderWatch::covers_files)
    }

    /// Keeps the disk thread from starting another job until the guard is dropped.
    #[cfg(test)]
    pub(super) fn hold_disk(&self) -> tokio::sync::OwnedMutexGuard<()> {
        self.progress.hold_gate()
    }

    /// Returns the number of files that the running stage of the indexing has processed, and their
    /// total.
    pub fn indexing_progress(&self) -> (usize, usize) {
        self.progress.processed_files()
    }

    /// Returns the flag that is set when the client was shown numbers that may change without an
    /// edit. The code that asks the client to refresh them clears it.
    pub fn shown_unsettled(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shown_unsettled)
    }

    /// Returns a receiver for every state that is published from now on.
    pub fn subscribe_states(&self) -> watch::Receiver<Arc<FolderState>> {
        self.published.clone()
    }

    /// Returns the state that is published now, with its freshness.
    pub fn current_view(&self) -> FolderView {
        let state = Arc::clone(&self.published.borrow());
        let (queued, disk_check_pending) = {
            let mut queue = self.lock_queue();
            queue.pending.retain(|(kind, _), sequence| {
                let done = match kind {
                    PendingKind::Document => state.done.edits,
                    PendingKind::DiskCheck => state.done.disk,
                };
                *sequence > done
            });
            // The disk check of a file is irrelevant while the graph contains its open document.
            let is_in_graph = |path: &str| state.open_file(path).is_some_and(|open| open.is_in_graph);
            let is_relevant =
                |(kind, path): &&(PendingKind, String)| *kind == PendingKind::Document || !is_in_graph(path);
            let pending = queue.pending.keys().filter(is_relevant);
            let files: BTreeSet<&str> =
                pending.map(|(_, path)| path.as_str()).filter(|path| !path.is_empty()).collect();
            (files.len(), queue.pending.contains_key(&(PendingKind::DiskCheck, String::new())))
        };
        let unindexed = match state.phase {
            _ if state.indexed_at.is_some() => 0,
            IndexPhase::Failed(_) => 0,
            // This includes a first indexing that was cancelled: an empty answer must not look
            // complete.
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
            desynchronized_files: state.open.values().filter(|open| open.desynchronized).count(),
            history_pending: state.is_history_pending(),
            vectors_pending: false,
            servers: self.servers.collect_freshness(&state.snapshot),
        };
        FolderView { state, freshness }
    }

    fn lock_queue(&self) -> std::sync::MutexGuard<'_, ChangeQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the path of `file` below `root`, with `/` as the separator. Returns `None` if `file` is
/// `root` itself or outside it, and for names that are not UTF-8.
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
