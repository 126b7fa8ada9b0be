//! The history thread of a folder: reads who last changed each symbol while the disk is quiet.

use super::disk::DiskEvent;
use super::writer::Inbox;
use kenning_graph::snapshot::Layer;
use kenning_indexing::workspace::DiskState;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Starts and stops the reading. One thread at a time; it inherits the low priority of the one that starts it.
pub(super) struct History {
    results: Sender<Inbox>,
    known: Arc<Mutex<Known>>,
    running: Option<(JoinHandle<()>, Arc<AtomicBool>)>,
}

/// What was read last, and of what.
#[derive(Default)]
struct Known {
    layer: Arc<Layer>,
    /// The graph's revision and the commit whose history was read to the end.
    of: Option<(u64, Option<String>)>,
}

impl History {
    pub fn new(results: Sender<Inbox>) -> Self {
        Self { results, known: Arc::default(), running: None }
    }

    /// Reads the history of a state of the disk, in its own time.
    pub fn start(&mut self, state: DiskState) {
        self.join();
        let of = (state.snapshot.revision(), state.head.clone());
        let before = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.of.as_ref() == Some(&of) {
                return;
            }
            Arc::clone(&known.layer)
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (results, known, stopped) = (self.results.clone(), Arc::clone(&self.known), Arc::clone(&stop));
        let work = move || {
            let mut interrupted = || stopped.load(Ordering::Relaxed);
            match catch_unwind(AssertUnwindSafe(|| state.history(&before, &mut interrupted))) {
                Ok(Ok(Some((found, report)))) => {
                    tracing::debug!(?report, "history read");
                    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                    known.of = (report.left == 0).then_some(of);
                    if *found != *before {
                        known.layer = Arc::clone(&found);
                        // The writer is gone only when the folder is no longer served.
                        let _ = results.send(Inbox::Disk(DiskEvent::History(found)));
                    }
                }
                Ok(Ok(None)) => {}
                Ok(Err(error)) => tracing::warn!("the history cannot be read: {error}"),
                Err(_) => tracing::error!("reading the history failed on a fault of Kenning itself"),
            }
        };
        match std::thread::Builder::new().name("history".to_owned()).spawn(work) {
            Ok(thread) => self.running = Some((thread, stop)),
            Err(error) => tracing::warn!(%error, "the history is not read: no thread can be started"),
        }
    }

    /// Asks the reading to stop after the file at hand; does not wait for it.
    pub fn stop(&self) {
        if let Some((_, stop)) = &self.running {
            stop.store(true, Ordering::Relaxed);
        }
    }

    fn join(&mut self) {
        self.stop();
        if let Some((thread, _)) = self.running.take() {
            // A panic of it was told of when it happened.
            let _ = thread.join();
        }
    }
}

impl Drop for History {
    fn drop(&mut self) {
        // Nobody waits for the file at hand: what is read of it goes nowhere.
        self.stop();
    }
}
