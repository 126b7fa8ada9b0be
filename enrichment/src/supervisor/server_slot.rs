//! A slot: one language server for one folder, with its jobs, its status, and its documents while
//! the server runs.
//!
//! A slot outlives the runs of its server. `lifecycle` starts and stops the server, and connects
//! the documents of each run. The slot keeps the texts that are open in the editor, so that a
//! restarted server gets them too.

use super::connector::{ServerConnector, StartRequest};
use super::job_queue::{JobQueue, PriorityRequest};
use super::server_status::{ServerState, ServerStatus, StatusPublisher};
use crate::server_metrics::ServerMetrics;
use crate::servers::{FoundServer, LanguageServers, ServerPermissions};
use crate::session::{DocumentSync, FileChangeKind};
use crate::workspace::{DocumentText, VerdictSink, WorkspaceSource};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// Settings and services that all slots of a workspace share.
pub(crate) struct SupervisorConfig {
    pub workspace: Arc<dyn WorkspaceSource>,
    pub sink: Arc<dyn VerdictSink>,
    pub connector: Arc<dyn ServerConnector>,
    pub permissions: ServerPermissions,
    /// Whether servers are also asked about references that the indexer has resolved.
    pub verify: bool,
    /// Time without a question after which a server is stopped.
    pub idle_timeout: Duration,
    /// Number of questions that the sweep may ask from now on.
    pub budget: AtomicI64,
    /// Becomes `true` when all servers have to end.
    pub shutdown: watch::Sender<bool>,
}

/// One language server for one folder. The server may not be running.
pub(crate) struct ServerSlot {
    pub config: Arc<SupervisorConfig>,
    pub language: &'static LanguageServers,
    pub found: FoundServer,
    /// The folder, relative to the workspace.
    pub root: String,
    pub queue: JobQueue,
    pub publisher: StatusPublisher,
    /// Notified when the user requests a restart.
    pub restart: Notify,
    live: Mutex<LiveDocuments>,
}

/// The documents that are open in the editor, and the running server's documents that follow them.
#[derive(Default)]
struct LiveDocuments {
    buffers: BTreeMap<String, DocumentText>,
    documents: Option<Arc<DocumentSync>>,
}

impl ServerSlot {
    /// Creates the slot of a server that does not run. `changed` counts changes to its status.
    pub fn new(
        config: Arc<SupervisorConfig>,
        language: &'static LanguageServers,
        found: FoundServer,
        root: String,
        changed: watch::Sender<u64>,
    ) -> Self {
        let status = ServerStatus {
            name: found.server.name.clone(),
            language: language.id.clone(),
            root: root.clone(),
            state: ServerState::Stopped,
            ..ServerStatus::default()
        };
        let publisher = StatusPublisher::new(status, changed);
        let (queue, restart, live) = (JobQueue::default(), Notify::new(), Mutex::default());
        Self { config, language, found, root, queue, publisher, restart, live }
    }

    fn lock_live(&self) -> MutexGuard<'_, LiveDocuments> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Builds the request to start this slot's server.
    pub(super) fn start_request(&self) -> StartRequest {
        let folder: PathBuf = self.config.workspace.root_folder().join(&self.root);
        let project = self.language.read_project(&folder);
        let setup = self.found.setup_for_project(self.config.permissions, &project);
        StartRequest { found: self.found.clone(), folder, setup }
    }

    /// Changes the counters of the server.
    pub(super) fn update_metrics(&self, change: impl FnOnce(&mut ServerMetrics)) {
        change(&mut self.publisher.metrics.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Connects a server that has started: sends it the open documents now, and every change from
    /// now on.
    pub(super) fn attach_documents(&self, documents: &Arc<DocumentSync>) {
        let mut live = self.lock_live();
        for (path, text) in &live.buffers {
            log_send_error(documents.update_buffer(path, Some(text)));
        }
        live.documents = Some(Arc::clone(documents));
    }

    /// Disconnects the documents of a server that has ended.
    pub(super) fn detach_documents(&self) {
        self.lock_live().documents = None;
    }

    /// Passes on the text of a document that is open in the editor. `None` means that the editor
    /// closed it.
    pub fn update_buffer(&self, path: &str, text: Option<&DocumentText>) {
        let mut live = self.lock_live();
        if let Some(documents) = &live.documents {
            log_send_error(documents.update_buffer(path, text));
        }
        match text {
            Some(text) => drop(live.buffers.insert(path.to_owned(), text.clone())),
            None => drop(live.buffers.remove(path)),
        }
    }

    /// Passes on files that changed on disk.
    pub fn notify_file_changes(&self, events: &[(String, FileChangeKind)]) {
        if let Some(documents) = &self.lock_live().documents {
            log_send_error(documents.notify_file_changes(events));
        }
    }

    /// Queues requests before everything else.
    pub fn push_requests(&self, requests: Vec<PriorityRequest>) {
        self.queue.push_requests(requests);
    }

    /// Returns the complete status of the server.
    pub fn server_status(&self) -> ServerStatus {
        ServerStatus { waiting: self.queue.len(), ..self.publisher.current_status() }
    }
}

/// Logs a failed notification. The supervising task notices on its own that the server is gone.
fn log_send_error(result: Result<(), crate::client::ClientError>) {
    if let Err(error) = result {
        tracing::debug!(%error, "cannot send a message to a language server");
    }
}
