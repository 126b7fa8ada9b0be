//! The history thread of a folder. While the disk is idle, it reads the commits and the last change
//! to each symbol.
//!
//! The disk thread stops it when a job arrives, and starts it again in the next pause, where it
//! continues with the rest. Results go to the writer's queue.

use super::disk_worker::DiskEvent;
use super::writer::WriterMessage;
use kenning_graph::snapshot::HistoryLayer;
use kenning_indexing::reader_threads::reader_thread;
use kenning_indexing::workspace::{DiskState, WorkspaceError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Starts and stops the reading. At most one thread runs. It inherits the low priority of the disk
/// thread, which starts it.
pub(super) struct HistoryReader {
    results: Sender<WriterMessage>,
    known: Arc<Mutex<KnownHistory>>,
    /// The running thread, and the flag that stops it.
    running: Option<(JoinHandle<()>, Arc<AtomicBool>)>,
}

/// The state of a workspace for which the last changes are read.
#[derive(PartialEq, Eq)]
struct ChangesTarget {
    /// The revision of the graph.
    revision: u64,
    /// The checked-out commit.
    commit: Option<String>,
}

/// The results of the last reading, with the states that they belong to.
#[derive(Default)]
struct KnownHistory {
    layer: Arc<HistoryLayer>,
    /// The state for which the last changes were read completely.
    changes_read_for: Option<ChangesTarget>,
    /// The commit whose ancestors were read completely.
    commits_read_to: Option<String>,
    /// Number of commits that the last reading left: it was interrupted, or another process reads
    /// them.
    unread_commits: usize,
}

impl HistoryReader {
    pub fn new(results: Sender<WriterMessage>) -> Self {
        Self { results, known: Arc::default(), running: None }
    }

    /// Starts reading the history of a state of the disk in the background. Does nothing if it was
    /// read before.
    pub fn start_reading(&mut self, state: DiskState) {
        self.stop_and_join();
        let target = ChangesTarget { revision: state.snapshot.revision(), commit: state.head.clone() };
        let before = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let has_changes = known.changes_read_for.as_ref() == Some(&target);
            if has_changes && known.unread_commits == 0 {
                return;
            }
            (!has_changes).then(|| Arc::clone(&known.layer))
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (results, known, stopped) = (self.results.clone(), Arc::clone(&self.known), Arc::clone(&stop));
        let head = state.head.clone();
        let work = move || {
            let mut interrupted = || stopped.load(Ordering::Relaxed);
            let commits = AssertUnwindSafe(|| read_commits(&state, &known, &results, &mut interrupted));
            // A reading that failed is over.
            let unread = report_failure(catch_unwind(commits)).unwrap_or(0);
            known.lock().unwrap_or_else(PoisonError::into_inner).unread_commits = unread;
            if unread == 0 {
                send_end(&results, state.head.clone());
            }
            if let Some(before) = before {
                let changes = AssertUnwindSafe(|| {
                    read_changes(&state, &before, target, &known, &results, &mut interrupted)
                });
                report_failure(catch_unwind(changes));
            }
        };
        match reader_thread("history").spawn(work) {
            Ok(thread) => self.running = Some((thread, stop)),
            Err(error) => {
                tracing::warn!(%error, "cannot start the thread that reads the git history");
                send_end(&self.results, head);
            }
        }
    }

    /// Passes the stored commits to the writer if they are all that the repository has, so that not
    /// even the first answer of a session lacks them. The reading in the next pause would only find
    /// out that there is nothing to read.
    pub fn send_stored_commits(&mut self, state: &DiskState) {
        let send = || -> Result<(), WorkspaceError> {
            if state.head.is_none() || state.has_unread_commits()? {
                return Ok(());
            }
            send_commits(state, &self.results)?;
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.commits_read_to.clone_from(&state.head);
            send_end(&self.results, state.head.clone());
            Ok(())
        };
        report_failure(catch_unwind(AssertUnwindSafe(send)));
    }

    /// Asks the thread to stop after the current file, without waiting for it.
    pub fn stop_reading(&self) {
        if let Some((_, stop)) = &self.running {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// Stops the thread and waits for it.
    pub fn stop_and_join(&mut self) {
        self.stop_reading();
        if let Some((thread, _)) = self.running.take() {
            // A panic of that thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// Logs the failure of a reading. Returns its result, or `None` if it failed.
fn report_failure<T>(outcome: std::thread::Result<Result<T, WorkspaceError>>) -> Option<T> {
    match outcome {
        Ok(Ok(result)) => return Some(result),
        Ok(Err(error)) => tracing::warn!("cannot read the git history: {error}"),
        Err(_) => tracing::error!("internal error while reading the git history"),
    }
    None
}

/// Tells the writer that no commit is left to be read.
fn send_end(results: &Sender<WriterMessage>, head: Option<String>) {
    // Sending fails only when the folder is no longer served.
    let _ = results.send(WriterMessage::Disk(DiskEvent::CommitsRead { head }));
}

/// Reads the commits that are not known yet and passes the result to the writer. On the first call,
/// passes the commits that earlier sessions read before reading more, because a long history takes
/// a while. Returns the number of commits that are still to be read.
fn read_commits(
    state: &DiskState,
    known: &Mutex<KnownHistory>,
    results: &Sender<WriterMessage>,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<usize, WorkspaceError> {
    let is_known = {
        let known = known.lock().unwrap_or_else(PoisonError::into_inner);
        known.commits_read_to.is_some() && known.commits_read_to == state.head
    };
    if is_known || state.head.is_none() {
        return Ok(0);
    }
    let is_first = known.lock().unwrap_or_else(PoisonError::into_inner).commits_read_to.is_none();
    if is_first {
        send_commits(state, results)?;
    }
    let Some(report) = state.read_commits(interrupted)? else { return Ok(0) };
    tracing::debug!(?report, "commits read");
    if !is_first || report.read > 0 {
        send_commits(state, results)?;
    }
    if report.unread == 0 {
        known.lock().unwrap_or_else(PoisonError::into_inner).commits_read_to.clone_from(&state.head);
    }
    Ok(report.unread)
}

/// Passes the stored commits to the writer.
fn send_commits(state: &DiskState, results: &Sender<WriterMessage>) -> Result<(), WorkspaceError> {
    let history = Arc::new(kenning_retrieval::CommitHistory::new(state.load_commits()?));
    let problem = state.find_large_commits()?;
    // Sending fails only when the folder is no longer served.
    let _ = results.send(WriterMessage::Disk(DiskEvent::Commits { history, problem }));
    Ok(())
}

/// Reads the last change to each symbol and passes the result to the writer if it differs from
/// `before`.
fn read_changes(
    state: &DiskState,
    before: &Arc<HistoryLayer>,
    target: ChangesTarget,
    known: &Mutex<KnownHistory>,
    results: &Sender<WriterMessage>,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<(), WorkspaceError> {
    let Some((layer, report)) = state.read_history(before, interrupted)? else { return Ok(()) };
    tracing::debug!(?report, "history read");
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    known.changes_read_for = (report.unread == 0).then_some(target);
    if *layer != **before {
        known.layer = Arc::clone(&layer);
        // Sending fails only when the folder is no longer served.
        let _ = results.send(WriterMessage::Disk(DiskEvent::History(layer)));
    }
    Ok(())
}

impl Drop for HistoryReader {
    fn drop(&mut self) {
        // Nothing waits for the current file; its result is dropped.
        self.stop_reading();
    }
}
