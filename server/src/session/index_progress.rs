//! The progress of indexing, and the events that a session sends its client.
//!
//! The disk thread reports its stages to a [`SessionProgress`], which keeps the counts for the
//! freshness of answers. It sends events to the client once an indexing takes long enough to be
//! shown, and reports between them at most every [`REPORT_INTERVAL`].

use kenning_indexing::workspace::IndexProgress;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// The channel for events to the client.
pub type EventSender = mpsc::UnboundedSender<SessionEvent>;

/// Delay before indexing is shown. The first indexing of a folder is shown immediately.
const SHOW_AFTER: Duration = Duration::from_millis(500);

/// Minimum time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// An event that the client may show.
#[derive(Debug)]
pub enum SessionEvent {
    /// A message that the user should read.
    Warning(String),
    /// The configuration file of this folder may have changed.
    SettingsFileChanged(PathBuf),
    /// The settings of code lenses changed.
    LensesChanged,
    /// Indexing of a folder takes long enough to be shown.
    Begin {
        /// The folder.
        root: PathBuf,
        /// A flag that stops the indexing when it is set.
        cancel: Arc<AtomicBool>,
    },
    /// The progress of the indexing.
    Report {
        /// The folder.
        root: PathBuf,
        /// The name of the stage.
        stage: &'static str,
        /// Number of files that this stage has processed.
        done: usize,
        /// Number of files in this stage.
        total: usize,
    },
    /// The indexing has ended.
    End {
        /// The folder.
        root: PathBuf,
        /// The result in one sentence.
        message: String,
    },
}

/// The time at which an indexing is shown to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressDisplay {
    /// The indexing is shown from its beginning.
    Immediate,
    /// The indexing is shown once it has taken [`SHOW_AFTER`].
    Delayed,
}

/// An indexing that is running.
struct IndexingRun {
    started: Instant,
    display: ProgressDisplay,
    shown: bool,
    last_report: Option<Instant>,
}

/// The progress of one folder's indexing: counts for `freshness`, and events for the client.
pub struct SessionProgress {
    root: PathBuf,
    events: EventSender,
    /// Whether the user cancelled the running indexing.
    cancel: Arc<AtomicBool>,
    /// Whether the folder is no longer served.
    stopped: AtomicBool,
    /// Number of files that the running stage has processed.
    done: AtomicUsize,
    /// Number of files in the running stage.
    total: AtomicUsize,
    run: Mutex<Option<IndexingRun>>,
    #[cfg(test)]
    gate: Arc<tokio::sync::Mutex<()>>,
}

impl SessionProgress {
    /// Creates the progress of a folder in which nothing is running yet.
    pub fn new(root: PathBuf, events: EventSender) -> Self {
        Self {
            root,
            events,
            cancel: Arc::default(),
            stopped: AtomicBool::new(false),
            done: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
            run: Mutex::new(None),
            #[cfg(test)]
            gate: Arc::default(),
        }
    }

    /// Keeps a test's disk thread from starting another job until the guard is dropped.
    #[cfg(test)]
    pub fn hold_gate(&self) -> tokio::sync::OwnedMutexGuard<()> {
        Arc::clone(&self.gate).try_lock_owned().expect("a test holds the gate only once")
    }

    /// Waits while a test holds the disk thread.
    #[cfg(test)]
    pub fn pass_gate(&self) {
        drop(self.gate.blocking_lock());
    }

    /// Starts the progress of a new indexing.
    pub fn begin_indexing(&self, display: ProgressDisplay) {
        self.cancel.store(false, Ordering::SeqCst);
        self.done.store(0, Ordering::Relaxed);
        self.total.store(0, Ordering::Relaxed);
        let run = IndexingRun { started: Instant::now(), display, shown: false, last_report: None };
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
    }

    /// Ends the progress with a result in one sentence.
    pub fn end_indexing(&self, message: String) {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
        if run.is_some_and(|run| run.shown) {
            let _ = self.events.send(SessionEvent::End { root: self.root.clone(), message });
        }
    }

    /// Cancels this and every later indexing, because the folder is no longer served.
    pub fn cancel_indexing(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    /// Returns the number of files that the running stage has processed, and their total.
    pub fn processed_files(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Returns the number of files that the running stage still has to process.
    pub fn remaining_files(&self) -> usize {
        let (done, total) = self.processed_files();
        total.saturating_sub(done)
    }
}

impl IndexProgress for SessionProgress {
    fn report_progress(&self, stage: &'static str, done: usize, total: usize) {
        crate::allocator::release_before_store(stage, total);
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        let now = Instant::now();
        let mut guard = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(run) = guard.as_mut() else { return };
        if !run.shown {
            if run.display == ProgressDisplay::Delayed && now - run.started < SHOW_AFTER {
                return;
            }
            run.shown = true;
            let _ = self
                .events
                .send(SessionEvent::Begin { root: self.root.clone(), cancel: Arc::clone(&self.cancel) });
        }
        if run.last_report.is_none_or(|last| now - last >= REPORT_INTERVAL) || done == total {
            run.last_report = Some(now);
            let _ = self.events.send(SessionEvent::Report { root: self.root.clone(), stage, done, total });
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::SeqCst) || self.stopped.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_first_indexing_is_shown_immediately_and_it_can_be_cancelled() {
        let (events, mut received) = mpsc::unbounded_channel();
        let progress = SessionProgress::new("/w".into(), events);
        progress.begin_indexing(ProgressDisplay::Delayed);
        progress.report_progress("parse", 1, 10);
        progress.end_indexing("done".into());
        assert!(received.try_recv().is_err());
        assert_eq!(progress.remaining_files(), 9);

        progress.begin_indexing(ProgressDisplay::Immediate);
        progress.report_progress("parse", 1, 10);
        progress.report_progress("parse", 2, 10);
        let Ok(SessionEvent::Begin { cancel, .. }) = received.try_recv() else { panic!("no begin") };
        cancel.store(true, Ordering::SeqCst);
        assert!(progress.is_cancelled());
        assert!(matches!(received.try_recv(), Ok(SessionEvent::Report { done: 1, total: 10, .. })));
        progress.end_indexing("done".into());
        assert!(matches!(received.try_recv(), Ok(SessionEvent::End { .. })));
        progress.begin_indexing(ProgressDisplay::Immediate);
        assert!(!progress.is_cancelled());
        progress.cancel_indexing();
        progress.begin_indexing(ProgressDisplay::Immediate);
        assert!(progress.is_cancelled());
    }
}
