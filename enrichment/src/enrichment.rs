//! All language servers of one workspace.
//!
//! [`Enrichment`] finds the server for a file's language and project folder, creates its slot, and
//! passes on what the server needs: files to ask about, changed files and the editor's buffers.
//! Each slot has a task that supervises its server. A server starts when there is a question for
//! it.

use crate::servers::{
    self, FoundServer, LanguageServers, ProjectRoots, ServerOverride, ServerPermissions, ServerSearch,
    ServerUnavailable,
};
use crate::session::FileChangeKind;
use crate::supervisor::{
    PriorityRequest, ProcessConnector, ServerConnector, ServerSlot, ServerState, ServerStatus,
    SupervisorConfig,
};
use crate::workspace::{DocumentText, VerdictSink, WorkspaceSource};
use std::collections::BTreeMap;
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
    /// Whether servers may download packages.
    pub downloads: bool,
    /// Whether servers are also asked about references that the indexer has resolved. Unresolved
    /// references come first.
    pub verify: bool,
    /// Time without a question after which a server is stopped.
    pub idle_timeout: Duration,
    /// The user's settings for servers, by server name.
    pub servers: BTreeMap<String, ServerOverride>,
    /// Name of the only server to use; `None` for all.
    pub only: Option<String>,
    /// The search path for programs; `None` for the search path and the home folder of this
    /// process.
    pub search: Option<ServerSearch>,
}

impl Default for EnrichmentConfig {
    fn default() -> Self {
        Self {
            trusted: false,
            downloads: false,
            verify: true,
            idle_timeout: Duration::from_secs(600),
            servers: BTreeMap::new(),
            only: None,
            search: None,
        }
    }
}

/// The servers of one workspace. A server starts when there is a question for it. Dropping this
/// value stops all servers.
pub struct Enrichment {
    config: EnrichmentConfig,
    supervision: Arc<SupervisorConfig>,
    runtime: Handle,
    /// Incremented on every change to a server's status.
    status_version: watch::Sender<u64>,
    table: Mutex<SlotTable>,
}

/// The language id of `servers.toml` and the folder of a slot.
type SlotKey = (&'static str, String);

/// The slots of a workspace, and everything needed to create more slots.
#[derive(Default)]
struct SlotTable {
    /// The server in use, or the reason for having none, by language id of `servers.toml`.
    servers: BTreeMap<&'static str, Result<FoundServer, ServerUnavailable>>,
    /// The project folders of the workspace, by language id.
    roots: BTreeMap<&'static str, ProjectRoots<'static>>,
    slots: BTreeMap<SlotKey, Arc<ServerSlot>>,
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

    /// Creates the servers of an open workspace. `connector` starts their processes, or fake
    /// servers in tests.
    pub fn with_connector(
        config: EnrichmentConfig,
        workspace: Arc<dyn WorkspaceSource>,
        sink: Arc<dyn VerdictSink>,
        connector: Arc<dyn ServerConnector>,
    ) -> Self {
        let supervision = SupervisorConfig {
            workspace,
            sink,
            connector,
            permissions: ServerPermissions { trusted: config.trusted, downloads: config.downloads },
            verify: config.verify,
            idle_timeout: config.idle_timeout,
            budget: AtomicI64::new(i64::MAX),
            shutdown: watch::Sender::new(false),
        };
        let (runtime, status_version) = (Handle::current(), watch::Sender::new(0));
        Self { config, supervision: Arc::new(supervision), runtime, status_version, table: Mutex::default() }
    }

    /// Queues files, or symbols of files, before all other jobs: files that are open in the editor
    /// or have changed, symbols that were shown, and the symbol under the pointer. Skips paths that
    /// have no server.
    pub fn prioritize_files(&self, requests: Vec<PriorityRequest>) {
        let mut by_slot: BTreeMap<SlotKey, Vec<PriorityRequest>> = BTreeMap::new();
        let mut table = self.lock_table();
        for request in requests {
            if let Some(key) = self.get_or_create_slot(&mut table, &request.path) {
                by_slot.entry(key).or_default().push(request);
            }
        }
        for (key, requests) in by_slot {
            if let Some(slot) = table.slots.get(&key) {
                slot.push_requests(requests);
            }
        }
    }

    /// Queues every file of the graph in the background. The sweep skips references and symbols
    /// that already have an answer. `limit` is the maximum number of questions about references and
    /// symbols.
    pub fn start_sweep(&self, limit: Option<u64>) {
        let budget = limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX);
        self.supervision.budget.store(budget, Ordering::Relaxed);
        let snapshot = self.supervision.workspace.current_snapshot();
        let files = snapshot.files();
        let paths = files.into_iter().filter_map(|file| Some(snapshot.file(file)?.path.to_owned()));
        let mut by_slot: BTreeMap<SlotKey, Vec<String>> = BTreeMap::new();
        let mut table = self.lock_table();
        for path in paths {
            if let Some(key) = self.get_or_create_slot(&mut table, &path) {
                by_slot.entry(key).or_default().push(path);
            }
        }
        for (key, paths) in by_slot {
            if let Some(slot) = table.slots.get(&key) {
                slot.queue.push_files(paths);
            }
        }
    }

    /// Notifies all servers of files that changed on disk, including files that are not source but
    /// matter to a server, such as manifests. Call this as soon as the change is known. Once the
    /// graph has the change, call [`Self::prioritize_files`] for the files to ask about again.
    pub fn notify_file_changes(&self, events: &[(String, FileChangeKind)]) {
        for slot in self.lock_table().slots.values() {
            slot.notify_file_changes(events);
        }
    }

    /// Sends the server for `path` the text of a document that is open in the editor. `None` means
    /// that the editor closed it.
    pub fn update_buffer(&self, path: &str, text: Option<DocumentText>) {
        let mut table = self.lock_table();
        let key = self.get_or_create_slot(&mut table, path);
        if let Some(slot) = key.and_then(|key| table.slots.get(&key)) {
            slot.update_buffer(path, text.as_ref());
        }
        match text {
            Some(text) => drop(table.buffers.insert(path.to_owned(), text)),
            None => drop(table.buffers.remove(path)),
        }
    }

    /// Restarts the server called `name`, or all servers if it is `None`, including servers that
    /// Kenning gave up on.
    pub fn restart_servers(&self, name: Option<&str>) {
        let mut table = self.lock_table();
        // The user may have installed a missing server in the meantime.
        table.servers.retain(|_, found| found.is_ok());
        for slot in table.slots.values() {
            if name.is_none_or(|name| slot.found.server.name == name) {
                slot.queue.clear_server_ends();
                if slot.publisher.current_status().state != ServerState::Stopped {
                    slot.restart.notify_one();
                }
            }
        }
    }

    /// Returns the status of every server: missing servers first, by language, then the servers in
    /// use, by language and folder.
    pub fn server_statuses(&self) -> Vec<ServerStatus> {
        let table = self.lock_table();
        let absent = table.servers.iter().filter_map(|(language, found)| {
            let unavailable = found.as_ref().err()?;
            let (name, reason) = (unavailable.server_name().to_owned(), unavailable.to_string());
            let language = (*language).to_owned();
            Some(ServerStatus {
                name,
                language,
                state: ServerState::Absent,
                reason,
                ..ServerStatus::default()
            })
        });
        absent.chain(table.slots.values().map(|slot| slot.server_status())).collect()
    }

    /// Returns a counter that is incremented whenever the status of a server changes.
    pub fn watch_status(&self) -> watch::Receiver<u64> {
        self.status_version.subscribe()
    }

    /// Waits until no questions are left. Ignores the questions for servers that Kenning gave up
    /// on.
    pub async fn wait_until_questions_answered(&self) {
        let mut status_version = self.watch_status();
        loop {
            status_version.mark_unchanged();
            let has_questions =
                |status: &ServerStatus| status.waiting > 0 && status.state != ServerState::Failed;
            if !self.server_statuses().iter().any(has_questions) {
                return;
            }
            // The sender lives as long as `self`, so waiting cannot fail.
            if status_version.changed().await.is_err() {
                return;
            }
        }
    }

    /// Stops all servers and waits for them to exit.
    pub async fn shutdown_servers(self) {
        self.supervision.shutdown.send_replace(true);
        let mut tasks = std::mem::take(&mut self.lock_table().tasks);
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                tracing::warn!(%error, "the supervisor task of a language server panicked or was cancelled");
            }
        }
    }

    fn lock_table(&self) -> MutexGuard<'_, SlotTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the key of the slot for a file of the graph, and creates the slot if needed. Returns
    /// `None` if the graph does not have the file or its language has no usable server.
    fn get_or_create_slot(&self, table: &mut SlotTable, path: &str) -> Option<SlotKey> {
        let snapshot = self.supervision.workspace.current_snapshot();
        let file = snapshot.file_by_path(path).and_then(|file| snapshot.file(file))?;
        let row = servers::language_by_id(file.language)?;
        let id = row.id.as_str();
        let found = table.servers.entry(id).or_insert_with(|| self.find_server(row)).as_ref().ok()?.clone();
        let workspace = self.supervision.workspace.root_folder();
        let roots = table
            .roots
            .entry(id)
            .or_insert_with(|| ProjectRoots::new(workspace, row, found.server.process_scope()));
        let key = (id, roots.root_for_path(path));
        if !table.slots.contains_key(&key) {
            let supervision = Arc::clone(&self.supervision);
            let slot = Arc::new(ServerSlot::new(
                supervision,
                row,
                found,
                key.1.clone(),
                self.status_version.clone(),
            ));
            for (path, text) in &table.buffers {
                let language = snapshot
                    .file_by_path(path)
                    .and_then(|file| snapshot.file(file))
                    .map(|file| file.language);
                if language.and_then(servers::language_by_id).is_some_and(|other| other.id == id) {
                    slot.update_buffer(path, Some(text));
                }
            }
            table.tasks.spawn_on(Arc::clone(&slot).supervise_server(), &self.runtime);
            table.slots.insert(key.clone(), slot);
        }
        Some(key)
    }

    fn find_server(&self, row: &'static LanguageServers) -> Result<FoundServer, ServerUnavailable> {
        let root = self.supervision.workspace.root_folder().to_owned();
        let search = self
            .config
            .search
            .clone()
            .unwrap_or_else(|| ServerSearch::from_environment(root, self.config.trusted));
        let override_for = |name: &str| {
            let mut settings = self.config.servers.get(name).cloned().unwrap_or_default();
            settings.disabled |= self.config.only.as_deref().is_some_and(|only| only != name);
            settings
        };
        row.find_usable(&search, &override_for)
    }
}
