//! The writer thread of a folder, the only thread that publishes its state.
//!
//! One queue takes changes to the folder, events of the disk thread and verdicts of language
//! servers. Edits that are queued together form a batch: each document is parsed once, and its text
//! is laid over the latest graph of the disk (`LiveIndex`). Disk checks are merged while the disk
//! thread is busy, and passed on when it is free. The writer publishes a new `FolderState` after
//! each batch and after each event of the disk thread.
//!
//! When no message arrives for `IDLE_DELAY`, the writer parses texts with syntax errors again as a
//! whole, and then resolves the files that earlier edits affected. A new message interrupts that
//! resolution.
//!
//! A panic while a change is applied discards the overlay of unsaved text, never the session.

use super::disk_worker::{DiskEvent, DiskJob};
use super::folder::{FolderState, IndexPhase};
use super::folder_change::{ChangeSequence, FolderChange, QueuedChange};
use super::index_progress::SessionProgress;
use super::open_documents::{ChangeBatch, OpenDocuments};
use kenning_graph::verdicts::Verdict;
use kenning_indexing::named_file::read_source;
use kenning_indexing::workspace::{DiskState, IndexProgress, IndexReport, LiveIndex, RefreshScope};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// A message in the writer's queue.
pub(super) enum WriterMessage {
    /// A change to the folder.
    Change(QueuedChange),
    /// An event of the disk thread.
    Disk(DiskEvent),
    /// Verdicts of language servers, to be added to the graph.
    Verdicts(Vec<Verdict>),
    /// A request to report when everything before it is published.
    Flush(oneshot::Sender<()>),
    /// The folder is no longer served.
    Stop,
}

/// Time without a message after which texts with errors are parsed again and files that earlier
/// edits affected are resolved.
const IDLE_DELAY: Duration = Duration::from_millis(60);

/// The sender of the result of a requested indexing.
type ReindexReply = oneshot::Sender<Result<Arc<IndexReport>, String>>;

/// A disk check that waits until the disk thread is free, merged from all requests for one.
struct WaitingRefresh {
    job: DiskJob,
    replies: Vec<ReindexReply>,
}

/// The disk check that the disk thread is running.
struct RunningRefresh {
    replies: Vec<ReindexReply>,
    /// Whether it covers the whole tree.
    whole: bool,
}

/// Everything the writer thread owns or shares with its [`super::ServedFolder`].
pub(super) struct FolderWriter {
    root: PathBuf,
    inbox: Receiver<WriterMessage>,
    /// The message that interrupted the resolution of deferred files.
    interruption: Option<WriterMessage>,
    publish: watch::Sender<Arc<FolderState>>,
    documents: OpenDocuments,
    progress: Arc<SessionProgress>,
    jobs: Sender<DiskJob>,
    /// The graph with unsaved text; `None` before the databases are open.
    live: Option<LiveIndex>,
    running: Option<RunningRefresh>,
    waiting: Option<WaitingRefresh>,
    /// Closed documents that stay in the overlay until the disk is checked, with the number of that
    /// check.
    closing: BTreeMap<String, u64>,
    /// Whether the user cancelled the last indexing. Only the user restarts it.
    cancelled: bool,
}

impl FolderWriter {
    pub fn new(
        root: PathBuf,
        inbox: Receiver<WriterMessage>,
        publish: watch::Sender<Arc<FolderState>>,
        documents: OpenDocuments,
        progress: Arc<SessionProgress>,
        jobs: Sender<DiskJob>,
    ) -> Self {
        Self {
            root,
            inbox,
            interruption: None,
            publish,
            documents,
            progress,
            jobs,
            live: None,
            running: None,
            waiting: None,
            closing: BTreeMap::new(),
            cancelled: false,
        }
    }

    /// Processes messages until the folder is no longer served.
    pub fn run_loop(mut self) {
        self.request_refresh(0, RefreshScope::Whole, None);
        self.start_waiting_refresh();
        while let Some(first) = self.next_message() {
            let mut batch = ChangeBatch::default();
            let mut next = Some(first);
            while let Some(message) = next {
                match message {
                    WriterMessage::Change(message) => self.collect_change(&mut batch, message),
                    WriterMessage::Disk(event) => {
                        self.apply_batch_guarded(std::mem::take(&mut batch));
                        self.apply_disk_guarded(event);
                    }
                    WriterMessage::Verdicts(verdicts) => {
                        self.apply_batch_guarded(std::mem::take(&mut batch));
                        self.apply_verdicts_guarded(&verdicts);
                    }
                    WriterMessage::Flush(done) => {
                        self.apply_batch_guarded(std::mem::take(&mut batch));
                        // The receiver may be gone.
                        let _ = done.send(());
                    }
                    WriterMessage::Stop => return,
                }
                next = self.inbox.try_recv().ok();
            }
            self.apply_batch_guarded(batch);
            self.start_waiting_refresh();
        }
    }

    /// Returns the next message; `None` if all senders are gone. Whenever none arrives for
    /// `IDLE_DELAY`, parses texts with errors again and resolves the files that earlier edits
    /// affected.
    fn next_message(&mut self) -> Option<WriterMessage> {
        while self.deferred_count() > 0 {
            match self.inbox.recv_timeout(IDLE_DELAY) {
                Ok(message) => return Some(message),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    self.confirm_provisional(|_| true);
                    if self.can_resolve_deferred() {
                        self.resolve_deferred();
                    }
                }
            }
            if let Some(message) = self.interruption.take() {
                return Some(message);
            }
        }
        self.inbox.recv().ok()
    }

    /// Returns the number of files that do not reflect the last edits yet.
    fn deferred_count(&self) -> usize {
        self.documents.provisional_count() + self.live.as_ref().map_or(0, LiveIndex::deferred_count)
    }

    /// Whether deferred files may be resolved now. While the disk thread reads saved files, it
    /// resolves the files that they affect on the same cores, and a request may wait for that. A
    /// check of the whole tree may take minutes, so it does not delay deferred files.
    fn can_resolve_deferred(&self) -> bool {
        self.running.as_ref().is_none_or(|running| running.whole)
    }

    /// Parses again, as a whole, the provisional texts whose paths `is_selected` accepts. A panic
    /// discards the overlay of unsaved text, never the session.
    fn confirm_provisional(&mut self, is_selected: impl Fn(&str) -> bool) {
        let confirmed = catch_unwind(AssertUnwindSafe(|| {
            let paths = self.documents.confirm_buffers(is_selected);
            if let Some(live) = &mut self.live {
                for path in &paths {
                    self.documents.overlay_document(live, path);
                }
            }
            paths
        }));
        let touched = confirmed.unwrap_or_else(|_| {
            tracing::error!(root = %self.root.display(), "internal error in unsaved text; using the text on disk");
            let all = self.documents.open_paths();
            self.documents.exclude_from_graph(&all);
            self.live = self.live.take().map(|live| LiveIndex::new(live.disk_state().clone()));
            all
        });
        if !touched.is_empty() {
            self.publish_state(ChangeSequence::default(), &touched);
        }
    }

    /// Resolves the files that earlier edits affected, until a message arrives.
    fn resolve_deferred(&mut self) {
        let (live, inbox, interruption) = (&mut self.live, &self.inbox, &mut self.interruption);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let interrupted = &mut || {
                *interruption = interruption.take().or_else(|| inbox.try_recv().ok());
                interruption.is_some()
            };
            live.as_mut().is_none_or(|live| live.resolve_deferred(interrupted))
        }));
        match outcome {
            Ok(false) => return,
            Ok(true) => {}
            Err(_) => {
                tracing::error!(root = %self.root.display(), "internal error in unsaved text; using the text on disk");
                self.live = self.live.take().map(|live| LiveIndex::new(live.disk_state().clone()));
            }
        }
        self.publish_state(ChangeSequence::default(), &BTreeSet::new());
    }

    /// Adds a change to the batch, or to the waiting disk check.
    fn collect_change(&mut self, batch: &mut ChangeBatch, message: QueuedChange) {
        let sequence = message.sequence;
        match message.change {
            FolderChange::Open { path, version, text } => {
                batch.edits = sequence;
                self.closing.remove(&path);
                self.documents.open_document(batch, path, version, text);
            }
            FolderChange::Edit { path, version, edits } => {
                batch.edits = sequence;
                self.documents.edit_document(batch, &path, version, edits);
            }
            FolderChange::Close { path } => {
                batch.edits = sequence;
                self.closing.insert(path.clone(), message.disk);
                self.documents.close_document(batch, &path);
                self.request_refresh(message.disk, RefreshScope::for_path(&path), None);
            }
            FolderChange::Refresh { path } => {
                let scope = path.map_or(RefreshScope::Whole, |path| RefreshScope::for_path(&path));
                self.request_refresh(message.disk, scope, None);
            }
            FolderChange::Configure(options) => {
                self.documents.set_limit(options.max_file_size);
                let reads_history = options.history;
                self.update_state(ChangeSequence::default(), |state| state.reads_history = reads_history);
                self.request_refresh(message.disk, RefreshScope::Whole, None);
                if let Some(waiting) = &mut self.waiting {
                    waiting.job.options = Some(options);
                }
            }
            FolderChange::Reindex(reply) => {
                self.cancelled = false;
                self.request_refresh(message.disk, RefreshScope::Whole, Some(reply));
            }
        }
    }

    /// Merges a disk check into the waiting one.
    fn request_refresh(&mut self, sequence: u64, scope: RefreshScope, reply: Option<ReindexReply>) {
        let waiting = match self.waiting.take() {
            None => WaitingRefresh {
                job: DiskJob { sequence, scope, options: None, buffers: Vec::new() },
                replies: reply.into_iter().collect(),
            },
            Some(WaitingRefresh { job, mut replies }) => {
                replies.extend(reply);
                let sequence = sequence.max(job.sequence);
                let job = DiskJob { sequence, scope: job.scope.merge_with(scope), ..job };
                WaitingRefresh { job, replies }
            }
        };
        self.waiting = Some(waiting);
    }

    /// Passes the waiting disk check to the disk thread if that is free.
    fn start_waiting_refresh(&mut self) {
        if self.running.is_some() {
            return;
        }
        if self.cancelled {
            // Indexing that the user cancelled must not restart by itself. Requests do not wait for
            // it.
            let disk = self.waiting.as_ref().map_or(0, |waiting| waiting.job.sequence);
            self.update_state(ChangeSequence { edits: 0, disk }, |_| {});
            return;
        }
        let Some(WaitingRefresh { mut job, replies }) = self.waiting.take() else { return };
        self.confirm_provisional(|path| job.scope.names_path(path));
        job.buffers = self.documents.confirmed_buffers(&job.scope);
        self.running = Some(RunningRefresh { replies, whole: job.scope == RefreshScope::Whole });
        self.update_state(ChangeSequence::default(), |state| {
            if state.phase == IndexPhase::Ready {
                state.phase = IndexPhase::Indexing;
            }
        });
        if self.jobs.send(job).is_err() {
            let reason = "the indexing thread has ended; restart the server".to_owned();
            self.update_state(ChangeSequence::default(), |state| state.phase = IndexPhase::Failed(reason));
        }
    }

    /// Applies a batch. A panic discards the overlay of unsaved text, never the session.
    fn apply_batch_guarded(&mut self, batch: ChangeBatch) {
        if batch.is_empty() {
            return;
        }
        let edits = batch.edits;
        let touched = batch.touched_paths();
        if catch_unwind(AssertUnwindSafe(|| self.apply_batch(batch))).is_err() {
            tracing::error!(root = %self.root.display(), "internal error in an edit; using the text on disk");
            self.documents.exclude_from_graph(&touched);
            self.live = self.live.take().map(|live| LiveIndex::new(live.disk_state().clone()));
            self.publish_state(ChangeSequence { edits, disk: 0 }, &touched);
        }
    }

    fn apply_batch(&mut self, batch: ChangeBatch) {
        self.documents.refresh_buffers(&batch.changed);
        let touched = batch.touched_paths();
        if let Some(live) = &mut self.live {
            for path in &batch.dropped {
                if self.closing.contains_key(path) {
                    hold_disk_text(live, &self.root, path);
                } else {
                    live.close_buffer(path);
                }
            }
            for path in &batch.changed {
                self.documents.overlay_document(live, path);
            }
        }
        self.publish_state(ChangeSequence { edits: batch.edits, disk: 0 }, &touched);
    }

    /// Adds verdicts of language servers to the graph. A panic discards the overlay of unsaved
    /// text, never the session.
    fn apply_verdicts_guarded(&mut self, verdicts: &[Verdict]) {
        let Some(live) = &mut self.live else { return };
        if catch_unwind(AssertUnwindSafe(|| live.apply_verdicts(verdicts))).is_err() {
            tracing::error!(root = %self.root.display(), "internal error in a language server's answers");
            self.live = self.live.take().map(|live| LiveIndex::new(live.disk_state().clone()));
        }
        self.publish_state(ChangeSequence::default(), &BTreeSet::new());
    }

    /// Applies an event of the disk thread. A panic discards the overlay of unsaved text, never the
    /// session.
    fn apply_disk_guarded(&mut self, event: DiskEvent) {
        let (state, done) = match event {
            DiskEvent::History(layer) => {
                if let Some(live) = &mut self.live {
                    live.set_history_layer(layer);
                    self.publish_state(ChangeSequence::default(), &BTreeSet::new());
                }
                return;
            }
            DiskEvent::Commits { history, problem } => {
                self.update_state(ChangeSequence::default(), |state| {
                    state.history = Some(history);
                    state.history_problem = problem;
                });
                return;
            }
            DiskEvent::CommitsRead { head } => {
                if self.publish.borrow().history_head != head {
                    self.update_state(ChangeSequence::default(), |state| state.history_head = head);
                }
                return;
            }
            DiskEvent::State(state) => (Some(state), None),
            DiskEvent::Done { sequence, whole, state, outcome } => (state, Some((sequence, whole, outcome))),
        };
        let whole = done.as_ref().is_some_and(|(_, whole, _)| *whole);
        let sequence = done.as_ref().map_or(0, |(sequence, ..)| *sequence);
        let applied = catch_unwind(AssertUnwindSafe(|| self.set_disk(state.clone(), whole, sequence)));
        if applied.is_err() {
            tracing::error!(root = %self.root.display(), "internal error in unsaved text; using the text on disk");
            self.live = state.map(LiveIndex::new);
        }
        let all = self.documents.open_paths();
        let Some((sequence, _, outcome)) = done else {
            self.publish_state(ChangeSequence::default(), &all);
            return;
        };
        self.finish_refresh(sequence, outcome, &all);
    }

    /// Continues with a newer graph of the disk; without one, the databases are closed. `whole` is
    /// true if the whole tree was checked, and `sequence` is the number of the check.
    fn set_disk(&mut self, state: Option<DiskState>, whole: bool, sequence: u64) {
        let Some(state) = state else {
            self.live = None;
            return;
        };
        match &mut self.live {
            Some(live) => live.set_disk_state(state),
            None => {
                self.live = Some(LiveIndex::new(state));
                self.documents.reset_placements();
            }
        }
        let Some(live) = &mut self.live else { return };
        if whole {
            // The rules for leaving files out may have changed.
            self.documents.reset_placements();
        }
        let checked: Vec<String> = self
            .closing
            .iter()
            .filter(|(_, check)| **check <= sequence)
            .map(|(path, _)| path.clone())
            .collect();
        for path in checked {
            self.closing.remove(&path);
            live.close_buffer(&path);
        }
        for path in self.documents.unplaced_paths() {
            self.documents.overlay_document(live, &path);
        }
    }

    /// Publishes the outcome of a disk check, and sends it to everyone who requested the check.
    fn finish_refresh(
        &mut self,
        sequence: u64,
        outcome: Result<Arc<IndexReport>, String>,
        all: &BTreeSet<String>,
    ) {
        let replies = self.running.take().map(|running| running.replies).unwrap_or_default();
        let done = ChangeSequence { edits: 0, disk: sequence };
        if let Err(message) = &outcome {
            let root = self.root.display();
            self.cancelled = self.progress.is_cancelled();
            if self.cancelled {
                tracing::info!(%root, "{message}");
            } else {
                tracing::error!(%root, "{message}");
            }
        }
        let phase = match (&self.live, &outcome) {
            (None, Err(message)) => IndexPhase::Failed(message.clone()),
            _ => IndexPhase::Ready,
        };
        let failure = outcome.as_ref().err().filter(|_| !self.cancelled).cloned();
        self.update_state(done, |state| {
            state.phase = phase;
            state.failure = failure;
            self.fill_state(state, all);
            if let Ok(report) = &outcome {
                state.report = Some(report.clone());
            }
        });
        for reply in replies {
            // The request may have been cancelled; then the receiver is gone.
            let _ = reply.send(outcome.clone());
        }
    }

    fn publish_state(&self, done: ChangeSequence, touched: &BTreeSet<String>) {
        self.update_state(done, |state| self.fill_state(state, touched));
    }

    /// Updates a state from the writer's data, including the open documents at `touched`.
    fn fill_state(&self, state: &mut FolderState, touched: &BTreeSet<String>) {
        if let Some(live) = &self.live {
            let disk = live.disk_state();
            state.snapshot = live.current_snapshot();
            state.text = Some(live.text_source());
            state.verdicts.clone_from(&disk.verdicts);
            state.project = Arc::clone(live.current_project());
            state.indexed_at = disk.indexed_at;
            state.head.clone_from(&disk.head);
            state.writer = Some(disk.is_writer);
            state.db_path = Some(disk.db_path.clone());
            state.memory = Some(disk.memory_location());
            if state.phase == IndexPhase::Opening {
                state.phase = IndexPhase::Indexing;
            }
        }
        state.deferred_files = self.deferred_count();
        self.documents.publish_documents(&mut state.open, self.live.as_ref(), touched);
        state.unsaved_files = self.documents.unsaved_count(self.live.as_ref());
    }

    /// Publishes the last state with `change` applied. The numbers in its `done` never decrease.
    fn update_state(&self, done: ChangeSequence, change: impl FnOnce(&mut FolderState)) {
        let mut state = FolderState::clone(&self.publish.borrow());
        state.done.edits = state.done.edits.max(done.edits);
        state.done.disk = state.done.disk.max(done.disk);
        change(&mut state);
        self.publish.send_replace(Arc::new(state));
    }
}

/// Replaces a closed document by the text on disk. The graph of the disk may not have that text
/// yet, because the document may have been saved a moment ago. The text is therefore read here and
/// kept until the requested disk check is done. Closes the document's buffer if it has none in the
/// overlay or the file is not readable UTF-8.
fn hold_disk_text(live: &mut LiveIndex, root: &std::path::Path, path: &str) {
    let has_buffer = live.find_buffer(path).is_some();
    match read_source(&root.join(path)).map(String::from_utf8) {
        Some(Ok(text)) if has_buffer => live.set_text(path, &text),
        _ => live.close_buffer(path),
    }
}
