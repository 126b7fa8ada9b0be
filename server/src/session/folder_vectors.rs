//! The vectors of a session's folder.
//!
//! A background thread loads the model and computes missing vectors, so that no answer waits for
//! them. The disk thread starts it in a pause after indexing, a change of `vectors.model` starts
//! it, and so does an answer whose vectors are pending. It runs with low priority on one core. A
//! disk check, another model, a search by vectors alone and the end of the session stop it after
//! the current file; what it computed is stored, and the next start continues with the rest.
//!
//! An answer that can do without vectors takes the last ones, plus those of a few edited files, or
//! reports that they are pending.

use super::disk_worker::lower_priority;
use super::folder::{FolderState, ServedFolder};
use crate::cancel::CancelToken;
use crate::config::Config;
use crate::vectors::{
    EmbeddingThreads, ReadyVectors, VectorCache, VectorReadiness, VectorSource, VectorsError,
};
use kenning_indexing::reader_threads::reader_thread;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::watch;

/// The vectors of one folder, with the thread that computes them.
pub(super) struct FolderVectors {
    root: PathBuf,
    cache: Arc<VectorCache>,
    states: watch::Receiver<Arc<FolderState>>,
    task: Mutex<BackgroundTask>,
}

/// The work of the background thread.
#[derive(Default)]
struct BackgroundTask {
    /// The option `vectors.model`.
    model: Option<String>,
    /// The running thread, or the last one.
    thread: Option<(JoinHandle<()>, CancelToken)>,
    /// Whether the folder is no longer served.
    has_ended: bool,
}

impl FolderVectors {
    pub fn new(root: PathBuf, states: watch::Receiver<Arc<FolderState>>) -> Self {
        Self { root, cache: Arc::default(), states, task: Mutex::default() }
    }

    fn lock_task(&self) -> MutexGuard<'_, BackgroundTask> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies the option `vectors.model`.
    pub fn follow_settings(self: &Arc<Self>, config: &Config) {
        let mut task = self.lock_task();
        if task.model == config.vectors.model {
            return;
        }
        task.model.clone_from(&config.vectors.model);
        task.cancel_thread();
        drop(task);
        self.start_computing();
    }

    /// Starts the background thread for the published state, unless it is running, no model is set
    /// or nothing is indexed yet.
    pub fn start_computing(self: &Arc<Self>) {
        let mut task = self.lock_task();
        let is_running = |(thread, cancel): &(JoinHandle<()>, CancelToken)| {
            !thread.is_finished() && !cancel.is_cancelled()
        };
        let Some(model) = task.model.clone() else { return };
        let is_indexed = self.states.borrow().report.is_some();
        if task.has_ended || !is_indexed || task.thread.as_ref().is_some_and(is_running) {
            return;
        }
        let cancel = CancelToken::default();
        let (vectors, token, previous) = (Arc::clone(self), cancel.clone(), task.thread.take());
        let work = move || {
            lower_priority();
            if let Some((previous, _)) = previous {
                // A panic of that thread was reported when it happened.
                let _ = previous.join();
            }
            vectors.compute_guarded(&model, &token);
        };
        match reader_thread("kenning-vectors").spawn(work) {
            Ok(thread) => task.thread = Some((thread, cancel)),
            Err(error) => tracing::warn!(%error, "cannot start the thread that computes vectors"),
        }
    }

    /// Computes the missing vectors of the published state. A panic ends the computation, never the
    /// session.
    fn compute_guarded(&self, model: &str, cancel: &CancelToken) {
        let state = Arc::clone(&self.states.borrow());
        let source = source_of_state(&self.root, Some(model), &state);
        let compute = || self.cache.refresh_vectors(source, EmbeddingThreads::Calling, cancel);
        match catch_unwind(AssertUnwindSafe(compute)) {
            Ok(Ok(_)) => self.cache.build_graphs_in_background(),
            Ok(Err(VectorsError::Cancelled)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "answers do not use vectors"),
            Err(_) => tracing::error!(root = %self.root.display(), "internal error while computing vectors"),
        }
    }

    /// Asks the background thread to stop after the current file, without waiting for it.
    pub fn stop_computing(&self) {
        self.lock_task().cancel_thread();
    }

    /// Stops the background thread for good and waits for it.
    pub fn end_and_join(&self) {
        let mut task = self.lock_task();
        task.has_ended = true;
        task.cancel_thread();
        let thread = task.thread.take();
        drop(task);
        if let Some((thread, _)) = thread {
            // A panic of that thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl BackgroundTask {
    fn cancel_thread(&self) {
        if let Some((_, cancel)) = &self.thread {
            cancel.cancel();
        }
    }
}

/// Returns the inputs of the vectors of a state.
fn source_of_state<'a>(root: &'a Path, model: Option<&'a str>, state: &'a FolderState) -> VectorSource<'a> {
    VectorSource {
        root,
        model,
        database: state.db_path.as_deref(),
        snapshot: &state.snapshot,
        text: state.text.as_deref(),
    }
}

impl ServedFolder {
    /// Returns the vectors of a state; `None` if they are off. Computes missing vectors on all
    /// cores, so call it from a blocking thread.
    ///
    /// # Errors
    /// Returns an error if the model cannot be used, or if the request was cancelled.
    pub fn current_vectors(
        &self,
        state: &FolderState,
        config: &Config,
        cancel: &CancelToken,
    ) -> Result<Option<Arc<ReadyVectors>>, VectorsError> {
        let vectors = self.folder_vectors();
        // The background thread is slow on purpose. This request continues where it stops.
        vectors.stop_computing();
        let source = source_of_state(self.root_path(), config.vectors.model.as_deref(), state);
        let ready = vectors.cache.refresh_vectors(source, EmbeddingThreads::All, cancel)?;
        vectors.cache.build_graphs_in_background();
        Ok(ready)
    }

    /// Returns the vectors of a state for an answer that can do without them, without waiting for
    /// the background thread. Starts that thread if the vectors are pending. Logs a warning if the
    /// model cannot be used.
    pub fn vectors_if_ready(
        &self,
        state: &FolderState,
        config: &Config,
        cancel: &CancelToken,
    ) -> VectorReadiness {
        let vectors = self.folder_vectors();
        let source = source_of_state(self.root_path(), config.vectors.model.as_deref(), state);
        let readiness = vectors.cache.ready_vectors(source, cancel).unwrap_or_else(|error| {
            tracing::warn!(%error, "the answer does not use vectors");
            VectorReadiness::Off
        });
        if readiness.is_pending() {
            vectors.start_computing();
        }
        readiness
    }
}
