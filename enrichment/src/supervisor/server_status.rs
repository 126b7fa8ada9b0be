//! What a server is doing, as shown to people.

use crate::server_metrics::ServerMetrics;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// What a server is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ServerState {
    /// There is none on this machine that may run.
    Absent,
    /// Not running; started when there is something to ask.
    #[default]
    Stopped,
    /// Its process starts.
    Starting,
    /// It reads the workspace; its answers do not count yet.
    Loading,
    /// It waits for questions.
    Ready,
    /// It is asked.
    Busy,
    /// It ended; started again after a while.
    Backoff,
    /// Given up until somebody restarts it.
    Failed,
}

impl ServerState {
    /// The stable name, as in `freshness`.
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

/// The whole status of one server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerStatus {
    /// Name as in the table of servers.
    pub name: String,
    /// Language of its row.
    pub language: String,
    /// The folder it was started for, relative to the workspace; empty for the workspace itself.
    pub root: String,
    /// Its version as it says itself; empty before it was started, and where it says none.
    pub version: String,
    /// What it is doing.
    pub state: ServerState,
    /// Why it is in that state, where there is something to say: how it ended, with its last words; how to install it.
    pub reason: String,
    /// Whether it runs in a sandbox, or why not; empty unless one was asked for.
    pub sandbox: String,
    /// Process id while it runs.
    pub pid: Option<u32>,
    /// Resident memory of it and its children in bytes, when last measured.
    pub memory: u64,
    /// The most that was seen.
    pub peak_memory: u64,
    /// Files that wait to be asked about.
    pub waiting: usize,
    /// What came of the questions.
    pub tally: ServerMetrics,
}

/// The status of one server, changed by its task and read by everybody.
#[derive(Clone)]
pub(crate) struct StatusPublisher {
    status: Arc<Mutex<ServerStatus>>,
    pub tally: Arc<Mutex<ServerMetrics>>,
    changed: watch::Sender<u64>,
}

impl StatusPublisher {
    /// `changed` is called on every change of state.
    pub fn new(status: ServerStatus, changed: watch::Sender<u64>) -> Self {
        Self { status: Arc::new(Mutex::new(status)), tally: Arc::default(), changed }
    }

    fn lock_status(&self) -> MutexGuard<'_, ServerStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the status and wakes the tasks that wait for a change.
    pub fn update_status(&self, change: impl FnOnce(&mut ServerStatus)) {
        change(&mut self.lock_status());
        self.changed.send_modify(|count| *count += 1);
    }

    /// Moves to another state.
    pub fn enter_state(&self, state: ServerState, reason: &str) {
        self.update_status(|status| {
            tracing::debug!(server = status.name, %state, reason, "a language server changes its state");
            status.state = state;
            reason.clone_into(&mut status.reason);
        });
    }

    /// Everything, as it is now.
    pub fn current_status(&self) -> ServerStatus {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ServerStatus { tally, ..self.lock_status().clone() }
    }
}
