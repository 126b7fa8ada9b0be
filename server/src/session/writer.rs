//! The one writer of a folder: applies changes of open documents at once, in their order, hands looks at the disk to
//! the disk thread, and publishes the state after each.

use super::buffers::{Batch, OpenDocuments};
use super::disk::{DiskEvent, Job};
use super::folder::{Arrival, Change, Message, Phase, State};
use super::progress::IndexProgress;
use kenning_graph::verdicts::Verdict;
use kenning_indexing::named_file::read_source;
use kenning_indexing::workspace::{DiskState, IndexReport, Live, Look, Progress};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// What comes into the writer's queue.
pub(super) enum Inbox {
    /// A change that the client told of.
    Change(Message),
    /// Something from the disk thread.
    Disk(DiskEvent),
    /// What language servers said; it is kept already.
    Verdicts(Vec<Verdict>),
    /// Told when everything before it is published.
    Flush(oneshot::Sender<()>),
    /// The folder is no longer served.
    Stop,
}

/// Files that an edit leaves behind follow it, and texts with errors are confirmed, when nothing has come for so long.
const PAUSE: Duration = Duration::from_millis(60);

type Reply = oneshot::Sender<Result<Arc<IndexReport>, String>>;

/// A look at the disk that waits until the disk thread is free, put together from all that asked for one.
struct Waiting {
    job: Job,
    replies: Vec<Reply>,
}

/// The look that the disk thread is at.
struct Running {
    replies: Vec<Reply>,
    /// It is at the whole tree.
    whole: bool,
}

/// Everything the writer thread owns or shares with its [`super::Folder`].
pub(super) struct Writer {
    root: PathBuf,
    inbox: Receiver<Inbox>,
    /// A message that interrupted something.
    held: Option<Inbox>,
    publish: watch::Sender<Arc<State>>,
    documents: OpenDocuments,
    progress: Arc<IndexProgress>,
    jobs: Sender<Job>,
    /// None before the databases are open.
    live: Option<Live>,
    running: Option<Running>,
    waiting: Option<Waiting>,
    /// Closed documents whose text stays until the disk was looked at, and the number of that look.
    closing: BTreeMap<String, u64>,
    /// The person cancelled the last indexing: only they begin it again.
    cancelled: bool,
}

impl Writer {
    pub fn new(
        root: PathBuf,
        inbox: Receiver<Inbox>,
        publish: watch::Sender<Arc<State>>,
        documents: OpenDocuments,
        progress: Arc<IndexProgress>,
        jobs: Sender<Job>,
    ) -> Self {
        Self {
            root,
            inbox,
            held: None,
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

    /// Works until it is stopped.
    pub fn run(mut self) {
        self.look(0, Look::Whole, None);
        self.start_waiting();
        while let Some(first) = self.next() {
            let mut batch = Batch::default();
            let mut next = Some(first);
            while let Some(message) = next {
                match message {
                    Inbox::Change(message) => self.take(&mut batch, message),
                    Inbox::Disk(event) => {
                        self.apply_guarded(std::mem::take(&mut batch));
                        self.disk_guarded(event);
                    }
                    Inbox::Verdicts(verdicts) => {
                        self.apply_guarded(std::mem::take(&mut batch));
                        self.verdicts_guarded(&verdicts);
                    }
                    Inbox::Flush(done) => {
                        self.apply_guarded(std::mem::take(&mut batch));
                        // Who waited may be gone.
                        let _ = done.send(());
                    }
                    Inbox::Stop => return,
                }
                next = self.inbox.try_recv().ok();
            }
            self.apply_guarded(batch);
            self.start_waiting();
        }
    }

    /// The next message. While there is none for a moment, texts with errors are confirmed, and the files that were left
    /// behind follow the last edits.
    fn next(&mut self) -> Option<Inbox> {
        while self.deferred() > 0 {
            match self.inbox.recv_timeout(PAUSE) {
                Ok(message) => return Some(message),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    self.confirm(|_| true);
                    if self.may_follow() {
                        self.follow();
                    }
                }
            }
            if let Some(message) = self.held.take() {
                return Some(message);
            }
        }
        self.inbox.recv().ok()
    }

    /// Number of files of which something has yet to be said that the last edits changed.
    fn deferred(&self) -> usize {
        self.documents.provisional() + self.live.as_ref().map_or(0, Live::deferred)
    }

    /// Whether files that were left behind follow now. The disk thread resolves those that a saved file leaves behind, on the same
    /// cores, and somebody may wait for it; a look at the whole tree may take minutes.
    fn may_follow(&self) -> bool {
        self.running.as_ref().is_none_or(|running| running.whole)
    }

    /// Confirms what was read from the texts with errors at these paths; a panic in it costs the overlay of unsaved text,
    /// never the session.
    fn confirm(&mut self, wanted: impl Fn(&str) -> bool) {
        let confirmed = catch_unwind(AssertUnwindSafe(|| {
            let paths = self.documents.confirm(wanted);
            if let Some(live) = &mut self.live {
                for path in &paths {
                    self.documents.put(live, path);
                }
            }
            paths
        }));
        let touched = confirmed.unwrap_or_else(|_| {
            tracing::error!(root = %self.root.display(), "unsaved text failed on a fault; the disk's is shown");
            let all = self.documents.paths();
            self.documents.give_up(&all);
            self.live = self.live.take().map(|live| Live::new(live.disk().clone()));
            all
        });
        if !touched.is_empty() {
            self.publish(Arrival::default(), &touched);
        }
    }

    fn follow(&mut self) {
        let (live, inbox, held) = (&mut self.live, &self.inbox, &mut self.held);
        let followed = catch_unwind(AssertUnwindSafe(|| {
            let interrupted = &mut || {
                *held = held.take().or_else(|| inbox.try_recv().ok());
                held.is_some()
            };
            live.as_mut().is_none_or(|live| live.follow(interrupted))
        }));
        match followed {
            Ok(false) => return,
            Ok(true) => {}
            Err(_) => {
                tracing::error!(root = %self.root.display(), "unsaved text failed on a fault; the disk's is shown");
                self.live = self.live.take().map(|live| Live::new(live.disk().clone()));
            }
        }
        self.publish(Arrival::default(), &BTreeSet::new());
    }

    fn take(&mut self, batch: &mut Batch, message: Message) {
        let sequence = message.sequence;
        match message.change {
            Change::Open { path, version, text } => {
                batch.edits = sequence;
                self.closing.remove(&path);
                self.documents.open(batch, path, version, text);
            }
            Change::Edit { path, version, edits } => {
                batch.edits = sequence;
                self.documents.edit(batch, &path, version, edits);
            }
            Change::Close { path } => {
                batch.edits = sequence;
                self.closing.insert(path.clone(), message.look);
                self.documents.close(batch, &path);
                self.look(message.look, Look::at(&path), None);
            }
            Change::Refresh { path } => {
                let look = path.map_or(Look::Whole, |path| Look::at(&path));
                self.look(message.look, look, None);
            }
            Change::Configure(options) => {
                self.documents.set_limit(options.max_file_size);
                self.look(message.look, Look::Whole, None);
                if let Some(waiting) = &mut self.waiting {
                    waiting.job.options = Some(options);
                }
            }
            Change::Reindex(reply) => {
                self.cancelled = false;
                self.look(message.look, Look::Whole, Some(reply));
            }
        }
    }

    /// Adds a look at the disk to the one that waits.
    fn look(&mut self, sequence: u64, look: Look, reply: Option<Reply>) {
        let waiting = match self.waiting.take() {
            None => Waiting {
                job: Job { sequence, look, options: None, read: Vec::new() },
                replies: reply.into_iter().collect(),
            },
            Some(Waiting { job, mut replies }) => {
                replies.extend(reply);
                let sequence = sequence.max(job.sequence);
                let job = Job { sequence, look: job.look.and(look), ..job };
                Waiting { job, replies }
            }
        };
        self.waiting = Some(waiting);
    }

    /// Hands the look that waits to the disk thread when that is free.
    fn start_waiting(&mut self) {
        if self.running.is_some() {
            return;
        }
        if self.cancelled {
            // Nothing is begun behind the person's back; who asked need not wait.
            let disk = self.waiting.as_ref().map_or(0, |waiting| waiting.job.sequence);
            self.update(Arrival { edits: 0, disk }, |_| {});
            return;
        }
        let Some(Waiting { mut job, replies }) = self.waiting.take() else { return };
        self.confirm(|path| job.look.names(path));
        job.read = self.documents.read_at(&job.look);
        self.running = Some(Running { replies, whole: job.look == Look::Whole });
        self.update(Arrival::default(), |state| {
            if state.phase == Phase::Ready {
                state.phase = Phase::Indexing;
            }
        });
        if self.jobs.send(job).is_err() {
            let reason = "the thread that indexes is gone; restart the server".to_owned();
            self.update(Arrival::default(), |state| state.phase = Phase::Failed(reason));
        }
    }

    /// Applies a batch; a panic in it costs the overlay of unsaved text, never the session.
    fn apply_guarded(&mut self, batch: Batch) {
        if batch.is_empty() {
            return;
        }
        let edits = batch.edits;
        let touched = batch.touched();
        if catch_unwind(AssertUnwindSafe(|| self.apply(batch))).is_err() {
            tracing::error!(root = %self.root.display(), "an edit failed on a fault; its files show the disk's text");
            self.documents.give_up(&touched);
            self.live = self.live.take().map(|live| Live::new(live.disk().clone()));
            self.publish(Arrival { edits, disk: 0 }, &touched);
        }
    }

    fn apply(&mut self, batch: Batch) {
        self.documents.read(&batch.changed);
        let touched = batch.touched();
        if let Some(live) = &mut self.live {
            for path in &batch.dropped {
                if self.closing.contains_key(path) {
                    hold_disk_text(live, &self.root, path);
                } else {
                    live.close(path);
                }
            }
            for path in &batch.changed {
                self.documents.put(live, path);
            }
        }
        self.publish(Arrival { edits: batch.edits, disk: 0 }, &touched);
    }

    /// Shows what language servers said; a panic in it costs the overlay of unsaved text, never the session.
    fn verdicts_guarded(&mut self, verdicts: &[Verdict]) {
        let Some(live) = &mut self.live else { return };
        if catch_unwind(AssertUnwindSafe(|| live.take_verdicts(verdicts))).is_err() {
            tracing::error!(root = %self.root.display(), "answers of a language server failed on a fault");
            self.live = self.live.take().map(|live| Live::new(live.disk().clone()));
        }
        self.publish(Arrival::default(), &BTreeSet::new());
    }

    fn disk_guarded(&mut self, event: DiskEvent) {
        let (state, done) = match event {
            DiskEvent::History(layer) => {
                if let Some(live) = &mut self.live {
                    live.set_layer(layer);
                    self.publish(Arrival::default(), &BTreeSet::new());
                }
                return;
            }
            DiskEvent::Commits(history) => {
                self.update(Arrival::default(), |state| state.history = Some(history));
                return;
            }
            DiskEvent::State(state) => (Some(state), None),
            DiskEvent::Done { sequence, whole, state, outcome } => (state, Some((sequence, whole, outcome))),
        };
        let whole = done.as_ref().is_some_and(|(_, whole, _)| *whole);
        let sequence = done.as_ref().map_or(0, |(sequence, ..)| *sequence);
        let applied = catch_unwind(AssertUnwindSafe(|| self.set_disk(state.clone(), whole, sequence)));
        if applied.is_err() {
            tracing::error!(root = %self.root.display(), "unsaved text failed on a fault; the disk's is shown");
            self.live = state.map(Live::new);
        }
        let all = self.documents.paths();
        let Some((sequence, _, outcome)) = done else {
            self.publish(Arrival::default(), &all);
            return;
        };
        self.finish(sequence, outcome, &all);
    }

    /// Goes on from a newer graph of the disk.
    fn set_disk(&mut self, state: Option<DiskState>, whole: bool, sequence: u64) {
        let Some(state) = state else {
            self.live = None;
            return;
        };
        match &mut self.live {
            Some(live) => live.set_disk(state),
            None => {
                self.live = Some(Live::new(state));
                self.documents.place_all();
            }
        }
        let Some(live) = &mut self.live else { return };
        if whole {
            // Other rules may hold for what the graph does not have.
            self.documents.place_all();
        }
        let over: Vec<String> = self
            .closing
            .iter()
            .filter(|(_, look)| **look <= sequence)
            .map(|(path, _)| path.clone())
            .collect();
        for path in over {
            self.closing.remove(&path);
            live.close(&path);
        }
        for path in self.documents.unplaced() {
            self.documents.put(live, &path);
        }
    }

    fn finish(&mut self, sequence: u64, outcome: Result<Arc<IndexReport>, String>, all: &BTreeSet<String>) {
        let replies = self.running.take().map(|running| running.replies).unwrap_or_default();
        let done = Arrival { edits: 0, disk: sequence };
        if let Err(message) = &outcome {
            let root = self.root.display();
            self.cancelled = self.progress.cancelled();
            if self.cancelled {
                tracing::info!(%root, "{message}");
            } else {
                tracing::error!(%root, "{message}");
            }
        }
        let phase = match (&self.live, &outcome) {
            (None, Err(message)) => Phase::Failed(message.clone()),
            _ => Phase::Ready,
        };
        let failure = outcome.as_ref().err().filter(|_| !self.cancelled).cloned();
        self.update(done, |state| {
            state.phase = phase;
            state.failure = failure;
            self.show(state, all);
            if let Ok(report) = &outcome {
                state.report = Some(report.clone());
            }
        });
        for reply in replies {
            // The request may have been cancelled; then nobody listens.
            let _ = reply.send(outcome.clone());
        }
    }

    fn publish(&self, done: Arrival, touched: &BTreeSet<String>) {
        self.update(done, |state| self.show(state, touched));
    }

    /// Brings a state up to what is known, with the open documents at `touched`.
    fn show(&self, state: &mut State, touched: &BTreeSet<String>) {
        if let Some(live) = &self.live {
            let disk = live.disk();
            state.snapshot = live.snapshot();
            state.text = Some(live.text_source());
            state.verdicts.clone_from(&disk.verdicts);
            state.project = Arc::clone(live.project());
            state.indexed_at = disk.indexed_at;
            state.head.clone_from(&disk.head);
            state.writer = Some(disk.is_writer);
            state.db_path = Some(disk.db_path.clone());
            state.memory = Some(disk.memory());
            if state.phase == Phase::Opening {
                state.phase = Phase::Indexing;
            }
        }
        state.deferred_files = self.deferred();
        self.documents.show(&mut state.open, self.live.as_ref(), touched);
        state.unsaved_files = self.documents.unsaved(self.live.as_ref());
    }

    /// Publishes the last state with changes; the numbers of what is done never go back.
    fn update(&self, done: Arrival, change: impl FnOnce(&mut State)) {
        let mut state = State::clone(&self.publish.borrow());
        state.done.edits = state.done.edits.max(done.edits);
        state.done.disk = state.done.disk.max(done.disk);
        change(&mut state);
        self.publish.send_replace(Arc::new(state));
    }
}

/// A document was closed: what counts is the disk's text. The disk's graph may not know the latest (the document may
/// have been saved a moment ago), so the text is read here and held until the look that was asked for is done.
fn hold_disk_text(live: &mut Live, root: &std::path::Path, path: &str) {
    let held = live.buffer(path).is_some();
    match read_source(&root.join(path)).map(String::from_utf8) {
        Some(Ok(text)) if held => live.put_text(path, &text),
        _ => live.close(path),
    }
}
