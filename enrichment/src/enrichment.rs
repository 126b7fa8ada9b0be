//! All language servers of one workspace.
//!
//! [`Enrichment`] finds the server for a file's language and project folder, creates its slot, and
//! passes on what the server needs: files to ask about, changed files and the editor's buffers.
//! Each slot has a task that supervises its server; no server starts before there is something to
//! ask.

use crate::servers::{
    self, FoundServer, LanguageServers, ProjectRoots, ServerOverride, ServerSearch, ServerUnavailable,
};
use crate::session::FileChangeKind;
use crate::supervisor::{
    PriorityRequest, ProcessConnector, ServerConnector, ServerSlot, ServerState, ServerStatus,
    SupervisorConfig,
};
use crate::workspace::{DocumentText, VerdictSink, WorkspaceSource};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Settings for the servers of one workspace.
#[derive(Clone, Debug)]
pub struct EnrichmentConfig {
    /// Whether programs of the workspace may run, and whether servers may run its code.
    pub trusted: bool,
    /// Whether servers may download.
    pub downloads: bool,
    /// Whether servers are also asked about references that the text resolves. Those come after the
    /// references that the text leaves open.
    pub verify: bool,
    /// Time without a question after which a server is stopped.
    pub idle: Duration,
    /// The user's settings for servers, by server name.
    pub servers: BTreeMap<String, ServerOverride>,
    /// Name of the only server to use; `None` for all.
    pub only: Option<String>,
    /// The search path for programs; `None` for the search path and the home of this process.
    pub search: Option<ServerSearch>,
}

impl Default for EnrichmentConfig {
    fn default() -> Self {
        Self {
            trusted: false,
            downloads: false,
            verify: true,
            idle: Duration::from_secs(600),
            servers: BTreeMap::new(),
            only: None,
            search: None,
        }
    }
}

/// The servers of one workspace. No server starts before there is a question for it. Dropping this
/// value ends all of them.
pub struct Enrichment {
    config: EnrichmentConfig,
    terms: Arc<SupervisorConfig>,
    runtime: Handle,
    changed: watch::Sender<u64>,
    seats: Mutex<SlotTable>,
}

#[derive(Default)]
struct SlotTable {
    /// The server in use, or the reason for having none, by language id of `servers.toml`.
    found: BTreeMap<&'static str, Result<FoundServer, ServerUnavailable>>,
    roots: BTreeMap<&'static str, ProjectRoots<'static>>,
    /// Slots by language id of `servers.toml` and folder.
    taken: BTreeMap<(&'static str, String), Arc<ServerSlot>>,
    /// Documents that are open in the editor, by path.
    buffers: BTreeMap<String, DocumentText>,
    tasks: JoinSet<()>,
}

impl Enrichment {
    /// Creates the servers of an open workspace. Must be called inside a tokio runtime.
    pub fn new(
        config: EnrichmentConfig,
        workspace: Arc<dyn WorkspaceSource>,
        sink: Arc<dyn VerdictSink>,
    ) -> Self {
        Self::with_connector(config, workspace, sink, Arc::new(ProcessConnector))
    }

    /// Creates the servers of an open workspace, with processes or substitutes that `connect`
    /// starts.
    pub fn with_connector(
        config: EnrichmentConfig,
        workspace: Arc<dyn WorkspaceSource>,
        sink: Arc<dyn VerdictSink>,
        connect: Arc<dyn ServerConnector>,
    ) -> Self {
        let terms = SupervisorConfig {
            workspace,
            sink,
            connect,
            trusted: config.trusted,
            downloads: config.downloads,
            verify: config.verify,
            idle: config.idle,
            budget: AtomicI64::new(i64::MAX),
            ending: watch::Sender::new(false),
        };
        let (runtime, changed) = (Handle::current(), watch::Sender::new(0));
        Self { config, terms: Arc::new(terms), runtime, changed, seats: Mutex::default() }
    }

    /// Queues files, or symbols of files, before all other jobs: files that are open in the editor
    /// or have changed, symbols that were shown, and the symbol under the pointer. Skips paths that
    /// have no server.
    pub fn prioritize_files(&self, wishes: Vec<PriorityFile>) {
        let mut by_seat: BTreeMap<(&'static str, String), Vec<PriorityRequest>> = BTreeMap::new();
        let mut seats = self.lock_slots();
        for PriorityFile { path, symbols } in wishes {
            if let Some(key) = self.slot_for_path(&mut seats, &path) {
                by_seat.entry(key).or_default().push(PriorityRequest { path, symbols });
            }
        }
        for (key, wishes) in by_seat {
            if let Some(seat) = seats.taken.get(&key) {
                seat.push_requests(wishes);
            }
        }
    }

    /// Queues every file of the graph in the background. References and symbols that already have
    /// an answer are skipped. `limit` is the maximum number of questions about references and
    /// symbols.
    pub fn start_sweep(&self, limit: Option<u64>) {
        let budget = limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX);
        self.terms.budget.store(budget, Ordering::Relaxed);
        let snapshot = self.terms.workspace.current_snapshot();
        let files = snapshot.files();
        let paths = files.into_iter().filter_map(|file| Some(snapshot.file(file)?.path.to_owned()));
        let mut by_seat: BTreeMap<(&'static str, String), Vec<String>> = BTreeMap::new();
        let mut seats = self.lock_slots();
        for path in paths {
            if let Some(key) = self.slot_for_path(&mut seats, &path) {
                by_seat.entry(key).or_default().push(path);
            }
        }
        for (key, paths) in by_seat {
            if let Some(seat) = seats.taken.get(&key) {
                seat.queue.push_files(paths, true);
            }
        }
    }

    /// Notifies all servers of files that changed on disk, including files that are not source but
    /// matter to a server, such as manifests. Call this when the change is noticed; queue what has
    /// to be asked again with [`Self::prioritize_files`] once the graph has the change.
    pub fn notify_file_changes(&self, events: &[(String, FileChangeKind)]) {
        for seat in self.lock_slots().taken.values() {
            seat.notify_file_changes(events);
        }
    }

    /// Sends the server for `path` the text of a document that is open in the editor. `None` means
    /// that the editor closed it.
    pub fn update_buffer(&self, path: &str, text: Option<DocumentText>) {
        let mut seats = self.lock_slots();
        let key = self.slot_for_path(&mut seats, path);
        if let Some(seat) = key.and_then(|key| seats.taken.get(&key)) {
            seat.update_buffer(path, text.as_ref());
        }
        match text {
            Some(text) => drop(seats.buffers.insert(path.to_owned(), text)),
            None => drop(seats.buffers.remove(path)),
        }
    }

    /// Restarts the server called `name`, or all servers if it is `None`, including servers that
    /// were given up.
    pub fn restart_servers(&self, name: Option<&str>) {
        let mut seats = self.lock_slots();
        // The user may have installed a missing server in the meantime.
        seats.found.retain(|_, found| found.is_ok());
        for seat in seats.taken.values() {
            if name.is_none_or(|name| seat.found.server.name == name) {
                seat.queue.clear_crash_counts();
                if seat.board.current_status().state != ServerState::Stopped {
                    seat.restart.notify_one();
                }
            }
        }
    }

    /// Returns the status of every server that is in use or missing, by language and folder.
    pub fn server_statuses(&self) -> Vec<ServerStatus> {
        let seats = self.lock_slots();
        let absent = seats.found.iter().filter_map(|(language, found)| {
            let absent = found.as_ref().err()?;
            let (name, reason) = (absent.server_name().to_owned(), absent.to_string());
            let language = (*language).to_owned();
            Some(ServerStatus {
                name,
                language,
                state: ServerState::Absent,
                reason,
                ..ServerStatus::default()
            })
        });
        absent.chain(seats.taken.values().map(|seat| seat.server_status())).collect()
    }

    /// Returns a counter that changes whenever the state of a server does.
    pub fn watch_status(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Waits until no questions are left, except for servers that were given up.
    pub async fn wait_until_settled(&self) {
        let mut changed = self.watch_status();
        loop {
            changed.mark_unchanged();
            let left = |status: &ServerStatus| status.waiting > 0 && status.state != ServerState::Failed;
            if !self.server_statuses().iter().any(left) {
                return;
            }
            // The sender lives as long as `self`, so waiting cannot fail.
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Ends all servers and waits until they have ended.
    pub async fn shutdown_servers(self) {
        self.terms.ending.send_replace(true);
        let mut tasks = std::mem::take(&mut self.lock_slots().tasks);
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                tracing::warn!(%error, "the task of a language server ended early");
            }
        }
    }

    fn lock_slots(&self) -> MutexGuard<'_, SlotTable> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the key of the slot for a file of the graph, and creates the slot if needed. Returns
    /// `None` if the graph does not have the file or its language has no usable server.
    fn slot_for_path(&self, seats: &mut SlotTable, path: &str) -> Option<(&'static str, String)> {
        let snapshot = self.terms.workspace.current_snapshot();
        let file = snapshot.file_by_path(path).and_then(|file| snapshot.file(file))?;
        let row = servers::language_by_id(file.language).filter(|row| row.indexed)?;
        let id = row.id.as_str();
        let found = seats.found.entry(id).or_insert_with(|| self.find_server(row)).as_ref().ok()?.clone();
        let workspace = self.terms.workspace.root_folder();
        let roots = seats
            .roots
            .entry(id)
            .or_insert_with(|| ProjectRoots::new(workspace, row, found.server.one_process));
        let key = (id, roots.root_for_path(path));
        if !seats.taken.contains_key(&key) {
            let terms = Arc::clone(&self.terms);
            let seat = Arc::new(ServerSlot::new(terms, row, found, key.1.clone(), self.changed.clone()));
            for (path, text) in &seats.buffers {
                let language = snapshot
                    .file_by_path(path)
                    .and_then(|file| snapshot.file(file))
                    .map(|file| file.language);
                if language.and_then(servers::language_by_id).is_some_and(|other| other.id == id) {
                    seat.update_buffer(path, Some(text));
                }
            }
            seats.tasks.spawn_on(Arc::clone(&seat).supervise_server(), &self.runtime);
            seats.taken.insert(key.clone(), seat);
        }
        Some(key)
    }

    fn find_server(&self, row: &'static LanguageServers) -> Result<FoundServer, ServerUnavailable> {
        let root = self.terms.workspace.root_folder().to_owned();
        let search = self
            .config
            .search
            .clone()
            .unwrap_or_else(|| ServerSearch::from_environment(root, self.config.trusted));
        let said = |name: &str| {
            let mut said = self.config.servers.get(name).cloned().unwrap_or_default();
            said.disabled |= self.config.only.as_deref().is_some_and(|only| only != name);
            said
        };
        row.find_usable(&search, &said)
    }
}

/// A file, or symbols of it, to ask about before everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriorityFile {
    /// Path relative to the workspace.
    pub path: String,
    /// Identities of the symbols to ask about; empty for the whole file.
    pub symbols: BTreeSet<kenning_graph::Hash>,
}

impl PriorityFile {
    /// Creates a request for a whole file.
    pub fn whole_file(path: &str) -> Self {
        Self { path: path.to_owned(), symbols: BTreeSet::new() }
    }
}
