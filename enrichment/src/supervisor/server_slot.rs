//! The place of one server for one folder: what it is to be asked, and its process while there is one.

use super::connector::{ServerConnector, StartRequest};
use super::job_queue::{JobQueue, PriorityRequest};
use super::server_status::{ServerState, ServerStatus, StatusPublisher};
use crate::server_metrics::ServerMetrics;
use crate::servers::{FoundServer, LanguageServers};
use crate::session::{DocumentSync, FileChangeKind};
use crate::workspace::{DocumentText, VerdictSink, WorkspaceSource};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// What all servers of a workspace have in common.
pub(crate) struct SupervisorConfig {
    pub workspace: Arc<dyn WorkspaceSource>,
    pub sink: Arc<dyn VerdictSink>,
    pub connect: Arc<dyn ServerConnector>,
    pub trusted: bool,
    pub downloads: bool,
    /// Also what the text resolves is asked about.
    pub verify: bool,
    /// After so long without a question a server is stopped.
    pub idle: Duration,
    /// Questions that the sweep may still ask.
    pub budget: AtomicI64,
    /// Everything is to end.
    pub ending: watch::Sender<bool>,
}

/// The place of one server for one folder.
pub(crate) struct ServerSlot {
    pub terms: Arc<SupervisorConfig>,
    pub language: &'static LanguageServers,
    pub found: FoundServer,
    /// Relative to the workspace.
    pub root: String,
    pub queue: JobQueue,
    pub board: StatusPublisher,
    pub restart: Notify,
    live: Mutex<LiveDocuments>,
}

/// The documents open in the editor, and the server that follows them.
#[derive(Default)]
struct LiveDocuments {
    buffers: BTreeMap<String, DocumentText>,
    documents: Option<Arc<DocumentSync>>,
}

impl ServerSlot {
    pub fn new(
        terms: Arc<SupervisorConfig>,
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
        let board = StatusPublisher::new(status, changed);
        let (queue, restart, live) = (JobQueue::default(), Notify::new(), Mutex::default());
        Self { terms, language, found, root, queue, board, restart, live }
    }

    fn lock_live(&self) -> MutexGuard<'_, LiveDocuments> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to start.
    pub(super) fn start_request(&self) -> StartRequest {
        let folder: PathBuf = self.terms.workspace.root_folder().join(&self.root);
        let project = self.language.read_project(&folder);
        let setup = self.found.setup_for_project(self.terms.trusted, self.terms.downloads, &project);
        StartRequest { found: self.found.clone(), folder, setup }
    }

    /// Changes the numbers.
    pub(super) fn update_metrics(&self, change: impl FnOnce(&mut ServerMetrics)) {
        change(&mut self.board.tally.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// A server runs: it receives the open documents, and every change from now on.
    pub(super) fn attach_documents(&self, documents: &Arc<DocumentSync>) {
        let mut live = self.lock_live();
        for (path, text) in &live.buffers {
            log_send_error(documents.update_buffer(path, Some(text)));
        }
        live.documents = Some(Arc::clone(documents));
    }

    /// No server runs.
    pub(super) fn detach_documents(&self) {
        self.lock_live().documents = None;
    }

    /// Tells of the text of a document that the editor has open; `None`: it has it open no more.
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

    /// Tells of files that changed on the disk.
    pub fn notify_file_changes(&self, events: &[(String, FileChangeKind)]) {
        if let Some(documents) = &self.lock_live().documents {
            log_send_error(documents.notify_file_changes(events));
        }
    }

    /// Asks about these before everything else.
    pub fn push_requests(&self, wishes: Vec<PriorityRequest>) {
        self.queue.push_requests(wishes);
    }

    /// Its whole status.
    pub fn server_status(&self) -> ServerStatus {
        ServerStatus { waiting: self.queue.len(), ..self.board.current_status() }
    }
}

/// A server that is gone is noticed elsewhere.
fn log_send_error(told: Result<(), crate::client::ClientError>) {
    if let Err(error) = told {
        tracing::debug!(%error, "a language server could not be told");
    }
}
