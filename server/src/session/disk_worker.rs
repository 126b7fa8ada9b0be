//! The disk thread of a folder: brings the graph up to the disk while the writer goes on with the editor's changes.
//!
//! It owns the databases. One job runs, at most one waits (the writer puts together what comes meanwhile), and each
//! result goes back to the writer's queue. It works at low priority: the machine belongs to the person at it.

use super::history_reader::HistoryReader;
use super::index_progress::SessionProgress;
use super::writer::WriterMessage;
use kenning_graph::snapshot::HistoryLayer;
use kenning_indexing::workspace::{
    Buffer, DiskIndex, DiskState, IndexProgress, IndexReport, RefreshScope, WorkspaceOptions,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::thread::JoinHandle;
use std::time::Duration;

/// After a job the writer still lets go of what it had before.
const PAUSE: Duration = Duration::from_secs(2);

/// What the disk thread is to do.
pub(super) struct DiskJob {
    /// Number of the last look that it answers.
    pub sequence: u64,
    /// How far to look.
    pub look: RefreshScope,
    /// Limits of indexing that hold from now on.
    pub options: Option<WorkspaceOptions>,
    /// The open documents among the files: what was typed is parsed already when it is saved.
    pub read: Vec<Arc<Buffer>>,
}

/// What the disk thread tells the writer.
pub(super) enum DiskEvent {
    /// A graph to go on with; more of the same job follows.
    State(DiskState),
    /// Who last changed each symbol, as far as it was read.
    History(Arc<HistoryLayer>),
    /// What the commits of the repository say.
    Commits(Arc<kenning_retrieval::CommitHistory>),
    /// A job is over.
    Done {
        /// Its number.
        sequence: u64,
        /// The whole tree was checked.
        whole: bool,
        /// The graph now; none when the databases are not open.
        state: Option<DiskState>,
        /// What was done, or why not, in one sentence.
        outcome: Result<Arc<IndexReport>, String>,
    },
}

/// Everything the disk thread owns or shares.
pub(super) struct DiskWorker {
    pub root: PathBuf,
    pub options: WorkspaceOptions,
    pub progress: Arc<SessionProgress>,
    pub jobs: Receiver<DiskJob>,
    pub results: Sender<WriterMessage>,
    /// The thread that had this folder before, if it was served already: its lock must be free first.
    pub predecessor: Option<JoinHandle<()>>,
}

impl DiskWorker {
    /// Works until there are no more jobs to come.
    pub fn run_jobs(mut self) {
        lower_priority();
        if let Some(predecessor) = self.predecessor.take() {
            // A panic of it was reported when it happened.
            let _ = predecessor.join();
        }
        let mut disk: Option<DiskIndex> = None;
        let mut history = HistoryReader::new(self.results.clone());
        while let Some(job) = self.next_job(&mut disk, &mut history) {
            history.stop_reading();
            if let Some(options) = &job.options {
                self.options.clone_from(options);
                if let Some(disk) = &mut disk {
                    disk.set_limits(options);
                }
            }
            self.run_job(&mut disk, &job);
        }
        // Others still hold states of the disk: the databases are closed all the same.
        history.stop_and_join();
        if let Some(disk) = &mut disk {
            disk.close_databases();
        }
    }

    /// The next job; `None` when there will be none. In a pause after the last one the overlay is folded if that is due,
    /// memory is given back, and the history is read.
    fn next_job(&self, slot: &mut Option<DiskIndex>, history: &mut HistoryReader) -> Option<DiskJob> {
        match self.jobs.recv_timeout(PAUSE) {
            Ok(job) => return Some(job),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let mut came = None;
        let mut interrupted = || {
            came = came.take().or_else(|| match self.jobs.try_recv() {
                Ok(job) => Some(Some(job)),
                Err(TryRecvError::Disconnected) => Some(None),
                Err(TryRecvError::Empty) => None,
            });
            came.is_some()
        };
        self.compact_overlay(slot, &mut interrupted);
        if let Some(job) = came {
            return job;
        }
        crate::allocator::release_memory();
        if let Some(disk) = slot.as_ref().filter(|_| self.options.history) {
            history.start_reading(disk.current_state());
        }
        self.jobs.recv().ok()
    }

    /// Folds the overlay into a new image if that is due. It takes seconds on a large tree, and who saves a file waits for the next
    /// job: so it is broken off for one.
    fn compact_overlay(&self, slot: &mut Option<DiskIndex>, interrupted: &mut dyn FnMut() -> bool) {
        let Some(disk) = slot else { return };
        match catch_unwind(AssertUnwindSafe(|| disk.compact_if_due(interrupted))) {
            Ok(Ok(true)) => self.send_event(DiskEvent::State(disk.current_state())),
            Ok(Ok(false)) => {}
            Ok(Err(error)) => tracing::error!(root = %self.root.display(), "{error}"),
            Err(_) => *slot = None,
        }
    }

    /// Does a job; a panic in it costs the open databases, never the session.
    fn run_job(&self, slot: &mut Option<DiskIndex>, job: &DiskJob) {
        #[cfg(test)]
        self.progress.pass_gate();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.refresh_disk(slot, job))).unwrap_or_else(|_| {
            *slot = None;
            Err("indexing failed on a fault of Kenning itself; the log has the details".to_owned())
        });
        self.progress.end_indexing(match &outcome {
            Ok(report) => format!("{} files, {} symbols", report.files, report.symbols),
            Err(reason) => reason.clone(),
        });
        self.send_event(DiskEvent::Done {
            sequence: job.sequence,
            whole: job.look == RefreshScope::Whole,
            state: slot.as_ref().map(DiskIndex::current_state),
            outcome: outcome.map(Arc::new),
        });
        if slot.as_ref().is_some_and(DiskIndex::compaction_is_overdue) {
            self.compact_overlay(slot, &mut || false);
        }
    }

    fn refresh_disk(&self, slot: &mut Option<DiskIndex>, job: &DiskJob) -> Result<IndexReport, String> {
        let disk = match slot {
            Some(disk) => disk,
            None => {
                let opened =
                    DiskIndex::open(&self.root, self.options.clone()).map_err(|error| error.to_string())?;
                // Answers come from the stored index while the disk is checked.
                self.send_event(DiskEvent::State(opened.current_state()));
                slot.insert(opened)
            }
        };
        self.progress.begin_indexing(disk.indexed_at().is_none());
        if self.progress.is_cancelled() {
            return Err("stopped: the folder is no longer served".to_owned());
        }
        disk.set_extracted_texts(job.read.iter().map(Arc::as_ref));
        let outcome = disk.refresh_within(&job.look, self.progress.as_ref());
        disk.set_extracted_texts([]);
        outcome.map_err(|error| error.to_string())
    }

    fn send_event(&self, event: DiskEvent) {
        // The writer is gone only when the folder is no longer served.
        let _ = self.results.send(WriterMessage::Disk(event));
    }
}

/// Niceness of the disk thread and of the threads that it starts: they get what the editor and its language servers
/// leave. On Linux niceness is a property of the thread and inherited by the threads it starts; elsewhere nothing is
/// done.
#[cfg(target_os = "linux")]
fn lower_priority() {
    const NICE: i32 = 10;
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::debug!(%error, "indexing keeps the usual priority");
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}
