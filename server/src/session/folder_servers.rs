//! The language servers of one folder.
//!
//! [`start_servers`] starts a task that waits for the first index and then creates the servers, if
//! this process writes the graph. The task passes every change to an open document to them. Opened
//! files are checked first. When nothing has changed for `QUIET_TIME`, files with stale verdicts
//! are checked again. Verdicts go through a `BatchingSink` into the verdict log and then to the
//! writer thread, which adds them to the published graph.
//!
//! A change of the settings or of the workspace's trust ends the task with its servers and starts
//! another one. Stored verdicts stay.

use super::folder::{FolderState, ServedFolder};
use crate::config::Config;
use crate::enrich::{BatchingSink, LiveWorkspace, ServerReport, WorkspaceState, server_overrides};
use crate::freshness::ServerFreshness;
use kenning_enrichment::servers::{ServerOverride, ServerSearch};
use kenning_enrichment::{
    DocumentText, Enrichment, EnrichmentConfig, FileChangeKind, PriorityRequest, ProcessConnector,
    ServerConnector,
};
use kenning_graph::{Hash, Snapshot, SymbolId};
use kenning_indexing::workspace::remove_test_only_edges;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Time without a change after which files with stale verdicts are checked again.
const QUIET_TIME: Duration = Duration::from_millis(400);

/// The options of language servers in a session.
#[derive(Clone, Default)]
pub struct ServersOptions {
    /// The search path for programs; `None` for that of this process.
    pub search: Option<ServerSearch>,
    /// Connects to servers; `None` to run them as child processes.
    pub connect: Option<Arc<dyn ServerConnector>>,
}

impl fmt::Debug for ServersOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServersOptions").field("search", &self.search).finish_non_exhaustive()
    }
}

/// Running servers, with the sink that takes their answers.
#[derive(Clone)]
struct RunningServers {
    enrichment: Arc<Enrichment>,
    sink: Arc<BatchingSink>,
}

/// The settings of a folder's servers.
#[derive(PartialEq)]
struct ServerPolicy {
    /// The overrides by server name.
    overrides: BTreeMap<String, ServerOverride>,
    /// Whether programs of the workspace may run.
    trusted: bool,
}

/// The task that follows a folder for its servers, with the settings that it uses.
struct ServersTask {
    policy: ServerPolicy,
    handle: AbortHandle,
    /// Whether the task must end, so that it starts no more servers. Written and read while
    /// `FolderServers::running` is locked.
    ended: Arc<AtomicBool>,
}

/// The language servers of one folder; none run before [`start_servers`].
#[derive(Default)]
pub struct FolderServers {
    running: Mutex<Option<RunningServers>>,
    task: Mutex<Option<ServersTask>>,
}

impl FolderServers {
    fn running_servers(&self) -> Option<RunningServers> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn running_enrichment(&self) -> Option<Arc<Enrichment>> {
        self.running_servers().map(|running| running.enrichment)
    }

    /// Stops all servers of the folder.
    pub(super) fn stop_servers(&self) {
        if let Some(task) = &*self.lock_task() {
            self.end_task(task);
        }
    }

    /// Ends a task and drops the servers that it started.
    fn end_task(&self, task: &ServersTask) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        task.ended.store(true, Ordering::SeqCst);
        task.handle.abort();
        let stopped = running.take();
        drop(running);
        drop(stopped);
    }

    fn lock_task(&self) -> MutexGuard<'_, Option<ServersTask>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts asking about every file that was not checked yet, with at most `limit` questions.
    /// Returns false if no servers are used.
    pub fn start_sweep(&self, limit: Option<u64>) -> bool {
        let running = self.running_enrichment();
        if let Some(enrichment) = &running {
            enrichment.start_sweep(limit);
        }
        running.is_some()
    }

    /// Waits until no question is left and all answers are passed on.
    pub(super) async fn wait_until_settled(&self) {
        if let Some(RunningServers { enrichment, sink }) = self.running_servers() {
            enrichment.wait_until_questions_answered().await;
            sink.wait_until_flushed().await;
        }
    }

    /// Restarts all servers, or the one called `name`, including servers that Kenning gave up on.
    /// Returns false if no servers are used.
    pub fn restart_servers(&self, name: Option<&str>) -> bool {
        let running = self.running_enrichment();
        if let Some(enrichment) = &running {
            enrichment.restart_servers(name);
        }
        running.is_some()
    }

    /// Moves the files of symbols that the user is viewing to the front of the queue.
    pub fn prioritize_symbols(&self, snapshot: &Snapshot, symbols: impl IntoIterator<Item = SymbolId>) {
        let Some(enrichment) = self.running_enrichment() else { return };
        let mut by_file: BTreeMap<String, BTreeSet<Hash>> = BTreeMap::new();
        for symbol in symbols.into_iter().filter_map(|id| snapshot.symbol(id)) {
            if symbol.file.is_some() {
                by_file.entry(symbol.path.to_owned()).or_default().insert(symbol.hash);
            }
        }
        enrichment.prioritize_files(
            by_file.into_iter().map(|(path, symbols)| PriorityRequest { path, symbols }).collect(),
        );
    }

    /// Notifies the servers of a file that changed on the disk.
    pub(super) fn notify_disk_change(&self, root: &Path, path: &str) {
        if let Some(enrichment) = self.running_enrichment() {
            let change =
                if root.join(path).exists() { FileChangeKind::Changed } else { FileChangeKind::Deleted };
            enrichment.notify_file_changes(&[(path.to_owned(), change)]);
        }
    }

    /// Returns a report on each server: its state and its verdicts.
    pub fn collect_reports(&self, snapshot: &Snapshot) -> Vec<ServerReport> {
        let running =
            self.running_enrichment().map(|enrichment| enrichment.server_statuses()).unwrap_or_default();
        ServerReport::collect_reports(snapshot, running)
    }

    /// Returns the part of the reports that is attached to every answer. Absent servers are
    /// omitted.
    pub(super) fn collect_freshness(&self, snapshot: &Snapshot) -> Vec<ServerFreshness> {
        let report = self.collect_reports(snapshot);
        report.iter().filter(|server| server.state != "absent").map(ServerReport::to_freshness).collect()
    }
}

/// Starts the servers of a folder once its first index exists. Servers that run with other settings
/// end first; their verdicts are kept. Needs a tokio runtime.
pub(super) fn start_servers(
    folder: &Arc<ServedFolder>,
    options: &ServersOptions,
    config: &Config,
    trusted: bool,
) {
    let policy = ServerPolicy { overrides: server_overrides(config), trusted };
    let servers = folder.language_servers();
    // The lock is held to the end, so that the later of two concurrent changes to the settings
    // wins.
    let mut current = servers.lock_task();
    match &*current {
        // A task that has ended was ended together with the folder.
        Some(task) if task.policy == policy || task.ended.load(Ordering::SeqCst) => return,
        Some(task) => servers.end_task(task),
        None => {}
    }
    let search = options.search.clone();
    let search = search.map(|search| ServerSearch { root: folder.root_path().to_owned(), trusted, ..search });
    let enrichment_config = EnrichmentConfig {
        trusted,
        servers: policy.overrides.clone(),
        search,
        ..EnrichmentConfig::default()
    };
    let connect = options.connect.clone().unwrap_or_else(|| Arc::new(ProcessConnector));
    let ended = Arc::new(AtomicBool::new(false));
    let task = tokio::spawn(follow_states(
        Arc::downgrade(folder),
        folder.subscribe_states(),
        enrichment_config,
        connect,
        ended.clone(),
    ));
    *current = Some(ServersTask { policy, handle: task.abort_handle(), ended });
}

/// Applies changed settings to the running servers of a folder.
pub(super) fn follow_settings(
    folder: &Arc<ServedFolder>,
    options: &ServersOptions,
    config: &Config,
    trusted: bool,
) {
    let has_task = folder.language_servers().lock_task().is_some();
    if has_task {
        start_servers(folder, options, config, trusted);
    }
}

/// Waits for the first index, creates the servers, and passes every later state to them until the
/// folder is no longer served.
async fn follow_states(
    folder: Weak<ServedFolder>,
    mut states: watch::Receiver<Arc<FolderState>>,
    enrichment_config: EnrichmentConfig,
    connect: Arc<dyn ServerConnector>,
    ended: Arc<AtomicBool>,
) {
    // Only the process that writes the graph asks: several processes may serve one folder.
    let indexed = |state: &Arc<FolderState>| state.report.is_some() && state.writer == Some(true);
    if states.wait_for(indexed).await.is_err() {
        return;
    }
    let Some(enrichment) =
        folder.upgrade().and_then(|folder| build_enrichment(&folder, enrichment_config, connect, &ended))
    else {
        return;
    };
    let mut notified = NotifiedFiles::default();
    notified.update_buffers(&enrichment, &newest_state(&mut states));
    enrichment.start_sweep(None);
    loop {
        let changed = tokio::time::timeout(QUIET_TIME, states.changed()).await;
        match changed {
            Ok(Ok(())) => notified.update_buffers(&enrichment, &newest_state(&mut states)),
            Ok(Err(_)) => return,
            Err(_) => {
                let state = states.borrow().clone();
                notified.recheck_stale_files(&enrichment, &state);
                if states.changed().await.is_err() {
                    return;
                }
                notified.update_buffers(&enrichment, &newest_state(&mut states));
            }
        }
    }
}

/// Returns the newest state. This is a function so that the lock on the state is released before
/// the state is used. A caller that kept the lock and read the state again, while the writer waits
/// for the lock, would wait forever.
fn newest_state(states: &mut watch::Receiver<Arc<FolderState>>) -> Arc<FolderState> {
    Arc::clone(&states.borrow_and_update())
}

/// Creates the servers of a folder; `None` if the folder is no longer served or no thread can be
/// started.
fn build_enrichment(
    folder: &Arc<ServedFolder>,
    enrichment_config: EnrichmentConfig,
    connect: Arc<dyn ServerConnector>,
    ended: &AtomicBool,
) -> Option<Arc<Enrichment>> {
    let states = folder.subscribe_states();
    let current_state = move || {
        let state = Arc::clone(&states.borrow());
        let open = Arc::clone(&state);
        WorkspaceState {
            snapshot: state.snapshot.clone(),
            project: Arc::clone(&state.project),
            open_text: Box::new(move |path| {
                open.open_file(path).filter(|open| open.is_in_graph).map(|open| Arc::clone(&open.text))
            }),
            facts: Box::new(move |path| state.file_facts(path)),
        }
    };
    let (root, states, weak_folder) =
        (folder.root_path().to_owned(), folder.subscribe_states(), Arc::downgrade(folder));
    let sink = BatchingSink::start_thread(move |mut verdicts| {
        let state = Arc::clone(&states.borrow());
        for verdict in &mut verdicts {
            remove_test_only_edges(&state.snapshot, verdict);
        }
        if let Some(Err(error)) = state.verdicts.as_ref().map(|log| log.insert_verdicts(&verdicts)) {
            tracing::warn!("a language server's answers were not stored: {error}");
        }
        if let Some(folder) = weak_folder.upgrade() {
            folder.push_verdicts(verdicts);
        }
    });
    let sink = sink
        .inspect_err(|error| tracing::error!(%error, "language servers are off: a thread cannot be started"))
        .ok()?;
    let (source, sink) = (Arc::new(LiveWorkspace::new(root, current_state)), Arc::new(sink));
    let mut running = folder.language_servers().running.lock().unwrap_or_else(PoisonError::into_inner);
    if ended.load(Ordering::SeqCst) {
        return None;
    }
    let enrichment = Arc::new(Enrichment::with_connector(enrichment_config, source, sink.clone(), connect));
    *running = Some(RunningServers { enrichment: Arc::clone(&enrichment), sink });
    Some(enrichment)
}

/// The texts and files that were passed to the servers.
#[derive(Default)]
struct NotifiedFiles {
    /// Hashes of the texts of open documents, by path.
    open: BTreeMap<String, Hash>,
    /// Files that were checked again, with their content hash and number of stale verdicts at that
    /// time.
    rechecked: BTreeMap<String, (Hash, usize)>,
}

impl NotifiedFiles {
    /// Notifies the servers of open documents that changed or were closed, and prioritizes
    /// documents that were opened.
    fn update_buffers(&mut self, enrichment: &Enrichment, state: &FolderState) {
        let mut opened = Vec::new();
        for (path, open) in state.open.iter().filter(|(_, open)| open.is_in_graph) {
            let hash = Hash::from_content(open.text.as_bytes());
            let before = self.open.insert(path.clone(), hash);
            if before != Some(hash) {
                enrichment.update_buffer(path, Some(DocumentText { text: Arc::clone(&open.text), hash }));
            }
            if before.is_none() {
                opened.push(PriorityRequest::whole_file(path));
            }
        }
        self.open.retain(|path, _| {
            let is_open = state.open.contains_key(path);
            if !is_open {
                enrichment.update_buffer(path, None);
            }
            is_open
        });
        if !opened.is_empty() {
            enrichment.prioritize_files(opened);
        }
    }

    /// Checks files with stale verdicts again, open files first. A file is checked again only if
    /// its content or its number of stale verdicts changed.
    fn recheck_stale_files(&mut self, enrichment: &Enrichment, state: &FolderState) {
        let snapshot = &state.snapshot;
        let mut due = Vec::new();
        for (id, stale) in snapshot.stale_files() {
            let Some(file) = snapshot.file(id) else { continue };
            let now = (file.content_hash, stale);
            if self.rechecked.insert(file.path.to_owned(), now) != Some(now) {
                due.push(PriorityRequest::whole_file(file.path));
            }
        }
        due.sort_by_key(|file| !self.open.contains_key(&file.path));
        if !due.is_empty() {
            enrichment.prioritize_files(due);
        }
    }
}
