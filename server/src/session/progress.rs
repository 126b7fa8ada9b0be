//! What a session tells its client while it indexes.

use kenning_indexing::workspace::Progress;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Where events go.
pub type Events = mpsc::UnboundedSender<Event>;

/// Indexing that takes less than this is not shown, unless it is the first.
const SHOW_AFTER: Duration = Duration::from_millis(500);

/// At most one report in this time.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// Something that the client may show.
#[derive(Debug)]
pub enum Event {
    /// The person should read this.
    Warning(String),
    /// The configuration file of this folder may have changed on the disk.
    SettingsFile(PathBuf),
    /// Other lenses than before are wanted.
    LensesChanged,
    /// Indexing of a folder takes long enough to be shown.
    Begin {
        /// The folder.
        root: PathBuf,
        /// Set it to stop the indexing.
        cancel: Arc<AtomicBool>,
    },
    /// How far it is.
    Report {
        /// The folder.
        root: PathBuf,
        /// What is being done.
        stage: &'static str,
        /// Files that are done in this stage.
        done: usize,
        /// Files of this stage.
        total: usize,
    },
    /// It is over.
    End {
        /// The folder.
        root: PathBuf,
        /// The result in one sentence.
        message: String,
    },
}

struct Run {
    started: Instant,
    show_at_once: bool,
    shown: bool,
    last_report: Option<Instant>,
}

/// The progress of one folder's indexing: counts for `freshness`, events for the client.
pub struct IndexProgress {
    root: PathBuf,
    events: Events,
    cancel: Arc<AtomicBool>,
    stopped: AtomicBool,
    done: AtomicUsize,
    total: AtomicUsize,
    run: Mutex<Option<Run>>,
    #[cfg(test)]
    gate: Arc<tokio::sync::Mutex<()>>,
}

impl IndexProgress {
    /// Nothing is running yet.
    pub fn new(root: PathBuf, events: Events) -> Self {
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

    /// Keeps a test's disk thread from beginning another job until the guard is dropped.
    #[cfg(test)]
    pub fn hold(&self) -> tokio::sync::OwnedMutexGuard<()> {
        Arc::clone(&self.gate).try_lock_owned().expect("held once")
    }

    /// Waits while a test holds the disk thread.
    #[cfg(test)]
    pub fn pass_gate(&self) {
        drop(self.gate.blocking_lock());
    }

    /// A new indexing begins; the first of a folder is shown at once.
    pub fn begin(&self, first: bool) {
        self.cancel.store(false, Ordering::SeqCst);
        self.done.store(0, Ordering::Relaxed);
        self.total.store(0, Ordering::Relaxed);
        let run = Run { started: Instant::now(), show_at_once: first, shown: false, last_report: None };
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
    }

    /// The indexing is over.
    pub fn end(&self, message: String) {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
        if run.is_some_and(|run| run.shown) {
            let _ = self.events.send(Event::End { root: self.root.clone(), message });
        }
    }

    /// Stops this and every later indexing: the folder is no longer served.
    pub fn cancel(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    /// Files that the running stage has still to do.
    pub fn remaining(&self) -> usize {
        self.total.load(Ordering::Relaxed).saturating_sub(self.done.load(Ordering::Relaxed))
    }
}

impl Progress for IndexProgress {
    fn report(&self, stage: &'static str, done: usize, total: usize) {
        crate::memory::stage_begins(stage, total);
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        let now = Instant::now();
        let mut guard = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(run) = guard.as_mut() else { return };
        if !run.shown {
            if !run.show_at_once && now - run.started < SHOW_AFTER {
                return;
            }
            run.shown = true;
            let _ =
                self.events.send(Event::Begin { root: self.root.clone(), cancel: Arc::clone(&self.cancel) });
        }
        if run.last_report.is_none_or(|last| now - last >= REPORT_INTERVAL) || done == total {
            run.last_report = Some(now);
            let _ = self.events.send(Event::Report { root: self.root.clone(), stage, done, total });
        }
    }

    fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::SeqCst) || self.stopped.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_first_indexing_is_shown_at_once_and_it_can_be_cancelled() {
        let (events, mut received) = mpsc::unbounded_channel();
        let progress = IndexProgress::new("/w".into(), events);
        progress.begin(false);
        progress.report("parse", 1, 10);
        progress.end("done".into());
        assert!(received.try_recv().is_err());
        assert_eq!(progress.remaining(), 9);

        progress.begin(true);
        progress.report("parse", 1, 10);
        progress.report("parse", 2, 10);
        let Ok(Event::Begin { cancel, .. }) = received.try_recv() else { panic!("no begin") };
        cancel.store(true, Ordering::SeqCst);
        assert!(progress.cancelled());
        assert!(matches!(received.try_recv(), Ok(Event::Report { done: 1, total: 10, .. })));
        progress.end("done".into());
        assert!(matches!(received.try_recv(), Ok(Event::End { .. })));
        progress.begin(true);
        assert!(!progress.cancelled());
        progress.cancel();
        progress.begin(true);
        assert!(progress.cancelled());
    }
}
