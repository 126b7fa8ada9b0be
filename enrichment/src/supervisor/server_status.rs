//! The status of a server, as shown to users.

use crate::server_metrics::ServerMetrics;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The state of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ServerState {
    /// No server for the language is installed and allowed to run.
    Absent,
    /// The server does not run; it starts when there is something to ask.
    #[default]
    Stopped,
    /// The process is starting.
    Starting,
    /// The server is reading the workspace; its answers do not count yet.
    Loading,
    /// The server waits for questions.
    Ready,
    /// The server is answering questions.
    Busy,
    /// The server ended and starts again after a pause.
    Backoff,
    /// Kenning gave up on the server; it starts again only on request.
    Failed,
}

impl ServerState {
    /// Returns the stable name, as in `freshness`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Stopped => "stopped",
            Self::Starting => "starting",
            Self::Loading => "loading",
            Self::Ready => "ready",
            Self::Busy => "busy",
            Self::Backoff => "backoff",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The complete status of one server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerStatus {
    /// Name of the server in `servers.toml`.
    pub name: String,
    /// Language id of the server's row in `servers.toml`.
    pub language: String,
    /// The folder that the server was started for, relative to the workspace; empty for the
    /// workspace itself.
    pub root: String,
    /// Version that the server reports; empty before its first start, and if it reports none.
    pub version: String,
    /// The current state.
    pub state: ServerState,
    /// The reason for the state, if there is one: how the server ended, with its last output, or
    /// how to install it.
    pub reason: String,
    /// Whether the server runs in a sandbox, or why not; empty unless a sandbox was requested.
    pub sandbox: String,
    /// Process id while the server runs.
    pub pid: Option<u32>,
    /// Resident memory of the server and its descendants in bytes, as last measured.
    pub memory: u64,
    /// The highest measured memory in bytes.
    pub peak_memory: u64,
    /// Number of files that wait to be asked about.
    pub waiting: usize,
    /// Counters of questions and answers.
    pub metrics: ServerMetrics,
}

/// The status of one server, which the server's task changes and everyone else reads.
#[derive(Clone)]
pub(crate) struct StatusPublisher {
    status: Arc<Mutex<ServerStatus>>,
    pub metrics: Arc<Mutex<ServerMetrics>>,
    changed: watch::Sender<u64>,
}

impl StatusPublisher {
    /// Creates the publisher. `changed` is incremented on every change to the status.
    pub fn new(status: ServerStatus, changed: watch::Sender<u64>) -> Self {
        Self { status: Arc::new(Mutex::new(status)), metrics: Arc::default(), changed }
    }

    fn lock_status(&self) -> MutexGuard<'_, ServerStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the status and wakes the tasks that wait for a change.
    pub fn update_status(&self, change: impl FnOnce(&mut ServerStatus)) {
        change(&mut self.lock_status());
        self.changed.send_modify(|count| *count += 1);
    }

    /// Enters another state, for a reason that may be empty.
    pub fn enter_state(&self, state: ServerState, reason: &str) {
        self.update_status(|status| {
            tracing::debug!(server = status.name, %state, reason, "a language server changed its state");
            status.state = state;
            reason.clone_into(&mut status.reason);
        });
    }

    /// Returns the current status with the current counters.
    pub fn current_status(&self) -> ServerStatus {
        let metrics = self.metrics.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ServerStatus { metrics, ..self.lock_status().clone() }
    }
}
