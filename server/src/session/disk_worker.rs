//! The disk thread of a folder. It brings the graph up to date with the disk while the writer
//! applies the editor's changes.
//!
//! The thread owns the databases. At most one job runs and one waits, because the writer merges the
//! requests that arrive in the meantime. Each result goes back to the writer's queue. Between jobs
//! the thread compacts the overlay, releases memory and starts reading the history. It runs at low
//! priority, so that editors and language servers come first.

use super::folder_vectors::FolderVectors;
use super::history_reader::HistoryReader;
use super::index_progress::{ProgressDisplay, SessionProgress};
use super::writer::WriterMessage;
use crate::format::wording::render_quantity;
use kenning_graph::snapshot::HistoryLayer;
use kenning_indexing::named_file::FileProblem;
use kenning_indexing::workspace::{
    Buffer, DiskIndex, DiskState, IndexProgress, IndexReport, RefreshScope, WorkspaceOptions,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time after a job before idle work starts. Until then the writer may still be dropping the
/// previous graph.
const IDLE_DELAY: Duration = Duration::from_secs(2);

/// A job of the disk thread.
pub(super) struct DiskJob {
    /// The number of the last disk check that the job covers.
    pub sequence: u64,
    /// The files to check.
    pub scope: RefreshScope,
    /// Changed indexing options, which apply from this job on.
    pub options: Option<WorkspaceOptions>,
    /// The open documents among these files. The thread uses their facts instead of parsing the
    /// same text again.
    pub buffers: Vec<Arc<Buffer>>,
}

/// An event that the disk thread sends to the writer.
pub(super) enum DiskEvent {
    /// A new graph, before its job is done or after a compaction.
    State(DiskState),
    /// The last changes to symbols, from the commits that have been read.
    History(Arc<HistoryLayer>),
    /// The commits of the repository that are stored so far.
    Commits {
        history: Arc<kenning_retrieval::CommitHistory>,
        /// The problem with commits that are left out of it.
        problem: Option<FileProblem>,
    },
    /// A reading of the commits ended: all are read, or the reading failed.
    CommitsRead {
        /// The commit that was checked out.
        head: Option<String>,
    },
    /// A job is done.
    Done {
        /// The number of the last disk check that the job covered.
        sequence: u64,
        /// Whether the whole tree was checked.
        whole: bool,
        /// The graph after the job; `None` if the databases are not open.
        state: Option<DiskState>,
        /// The report of the indexing, or the reason for its failure in one sentence.
        outcome: Result<Arc<IndexReport>, String>,
    },
}

/// The state of the disk thread.
pub(super) struct DiskWorker {
    pub root: PathBuf,
    pub options: WorkspaceOptions,
    pub progress: Arc<SessionProgress>,
    pub jobs: Receiver<DiskJob>,
    pub results: Sender<WriterMessage>,
    /// The vectors, which are computed while the disk is idle.
    pub vectors: Arc<FolderVectors>,
    /// The disk thread that served this folder before, if there was one. It must release the writer
    /// lock first.
    pub predecessor: Option<JoinHandle<()>>,
}

impl DiskWorker {
    /// Runs jobs until the writer has ended, then closes the databases.
    pub fn run_jobs(mut self) {
        lower_priority();
        if let Some(predecessor) = self.predecessor.take() {
            // A panic of that thread was reported when it happened.
            let _ = predecessor.join();
        }
        let mut disk: Option<DiskIndex> = None;
        let mut history = HistoryReader::new(self.results.clone());
        while let Some(job) = self.next_job(&mut disk, &mut history) {
            history.stop_reading();
            self.vectors.stop_computing();
            if let Some(options) = &job.options {
                self.options.clone_from(options);
                if let Some(disk) = &mut disk {
                    disk.set_limits(options);
                }
            }
            self.run_job(&mut disk, &mut history, &job);
        }
        // Other threads still hold states of the disk; the databases are closed anyway.
        history.stop_and_join();
        self.vectors.end_and_join();
        if let Some(disk) = &mut disk {
            disk.close_databases();
        }
    }

    /// Returns the next job; `None` if there will be none. If none arrives for `IDLE_DELAY`,
    /// compacts the overlay if that is due, releases memory, and starts reading the history and
    /// computing vectors.
    fn next_job(&self, slot: &mut Option<DiskIndex>, history: &mut HistoryReader) -> Option<DiskJob> {
        match self.jobs.recv_timeout(IDLE_DELAY) {
            Ok(job) => return Some(job),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let mut next_job = None;
        let mut interrupted = || {
            next_job = next_job.take().or_else(|| match self.jobs.try_recv() {
                Ok(job) => Some(Some(job)),
                Err(TryRecvError::Disconnected) => Some(None),
                Err(TryRecvError::Empty) => None,
            });
            next_job.is_some()
        };
        self.compact_overlay(slot, &mut interrupted);
        if let Some(job) = next_job {
            return job;
        }
        crate::allocator::release_memory();
        if let Some(disk) = slot.as_ref().filter(|_| self.options.history) {
            history.start_reading(disk.current_state());
        }
        self.vectors.start_computing();
        self.jobs.recv().ok()
    }

    /// Compacts the overlay into a new base image if that is due. This takes seconds on a large
    /// tree, and a user who saves a file waits for the next job. `interrupted` therefore stops the
    /// compaction when a job arrives.
    fn compact_overlay(&self, slot: &mut Option<DiskIndex>, interrupted: &mut dyn FnMut() -> bool) {
        let Some(disk) = slot else { return };
        match catch_unwind(AssertUnwindSafe(|| disk.compact_if_due(interrupted))) {
            Ok(Ok(true)) => self.send_event(DiskEvent::State(disk.current_state())),
            Ok(Ok(false)) => {}
            Ok(Err(error)) => tracing::error!(root = %self.root.display(), "{error}"),
            Err(_) => *slot = None,
        }
    }

    /// Runs a job. A panic closes the databases, which the next job opens again, but never ends the
    /// session.
    fn run_job(&self, slot: &mut Option<DiskIndex>, history: &mut HistoryReader, job: &DiskJob) {
        #[cfg(test)]
        self.progress.pass_gate();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.refresh_disk(slot, history, job)))
            .unwrap_or_else(|_| {
                *slot = None;
                Err("internal error while indexing; see the log".to_owned())
            });
        self.progress.end_indexing(match &outcome {
            Ok(report) => {
                let files = render_quantity(report.files, "file");
                format!("{files}, {}", render_quantity(report.symbols, "symbol"))
            }
            Err(reason) => reason.clone(),
        });
        self.send_event(DiskEvent::Done {
            sequence: job.sequence,
            whole: job.scope == RefreshScope::Whole,
            state: slot.as_ref().map(DiskIndex::current_state),
            outcome: outcome.map(Arc::new),
        });
        if slot.as_ref().is_some_and(DiskIndex::compaction_is_overdue) {
            self.compact_overlay(slot, &mut || false);
        }
    }

    /// Opens the databases if needed and brings them up to date. Returns the report, or the reason
    /// for the failure in one sentence.
    fn refresh_disk(
        &self,
        slot: &mut Option<DiskIndex>,
        history: &mut HistoryReader,
        job: &DiskJob,
    ) -> Result<IndexReport, String> {
        let disk = match slot {
            Some(disk) => disk,
            None => {
                let opened =
                    DiskIndex::open(&self.root, self.options.clone()).map_err(|error| error.to_string())?;
                // The stored index answers requests while the disk is checked, with the commits
                // that an earlier session or command read.
                self.send_event(DiskEvent::State(opened.current_state()));
                if self.options.history {
                    history.send_stored_commits(&opened.current_state());
                }
                slot.insert(opened)
            }
        };
        let is_first = disk.indexed_at().is_none();
        self.progress.begin_indexing(if is_first {
            ProgressDisplay::Immediate
        } else {
            ProgressDisplay::Delayed
        });
        if self.progress.is_cancelled() {
            return Err("stopped: the folder is no longer served".to_owned());
        }
        disk.set_extracted_texts(job.buffers.iter().map(Arc::as_ref));
        let outcome = disk.refresh_within(&job.scope, self.progress.as_ref());
        disk.set_extracted_texts([]);
        outcome.map_err(|error| error.to_string())
    }

    fn send_event(&self, event: DiskEvent) {
        // Sending fails only when the folder is no longer served.
        let _ = self.results.send(WriterMessage::Disk(event));
    }
}

/// Lowers the priority of the calling thread and of the threads that it starts, so that they use only
/// the time that the editor and its language servers leave. On Linux niceness belongs to a thread
/// and is inherited by the threads that it starts; on other systems this does nothing.
#[cfg(target_os = "linux")]
pub(super) fn lower_priority() {
    const NICE: i32 = 10;
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::debug!(%error, "indexing runs at normal priority");
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn lower_priority() {}
