//! The language servers of a folder: started when the first index is there, told of the open documents, asked first
//! about that and about what does not hold any more.

use super::folder::{FolderState, ServedFolder};
use crate::config::Config;
use crate::enrich::{BatchingSink, LiveWorkspace, ServerReport, WorkspaceState, server_overrides};
use crate::freshness::ServerFreshness;
use kenning_enrichment::servers::{ServerOverride, ServerSearch};
use kenning_enrichment::{
    DocumentText, Enrichment, EnrichmentConfig as Terms, FileChangeKind, PriorityFile, ProcessConnector,
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

/// What does not hold any more is asked for again when nothing has changed for so long.
const QUIET: Duration = Duration::from_millis(400);

/// How language servers are used in a session.
#[derive(Clone, Default)]
pub struct ServersOptions {
    /// Where programs are looked for; `None`: the search path of this process.
    pub search: Option<ServerSearch>,
    /// How servers are reached; `None`: as child processes.
    pub connect: Option<Arc<dyn ServerConnector>>,
}

impl fmt::Debug for ServersOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServersOptions").field("search", &self.search).finish_non_exhaustive()
    }
}

/// Servers that run, and where their answers go.
#[derive(Clone)]
struct RunningServers {
    enrichment: Arc<Enrichment>,
    sink: Arc<BatchingSink>,
}

/// The settings by which servers are used: what they are, by their names, and whether programs of the workspace may run.
type ServerPolicy = (BTreeMap<String, ServerOverride>, bool);

/// The task that follows a folder for its servers, and by what it uses them.
struct ServersTask {
    said: ServerPolicy,
    task: AbortHandle,
    /// It is to end: what it starts now would not be kept. Changed and read under the lock on what runs.
    over: Arc<AtomicBool>,
}

/// The language servers of one folder; none run before [`start_servers`].
#[derive(Default)]
pub struct FolderServers {
    running: Mutex<Option<RunningServers>>,
    begun: Mutex<Option<ServersTask>>,
}

impl FolderServers {
    fn running_servers(&self) -> Option<RunningServers> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn running_enrichment(&self) -> Option<Arc<Enrichment>> {
        self.running_servers().map(|running| running.enrichment)
    }

    /// Ends all of them.
    pub(super) fn stop_servers(&self) {
        if let Some(begun) = &*self.lock_task() {
            self.end_task(begun);
        }
    }

    /// Ends what was begun.
    fn end_task(&self, begun: &ServersTask) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        begun.over.store(true, Ordering::SeqCst);
        begun.task.abort();
        let ended = running.take();
        drop(running);
        drop(ended);
    }

    fn lock_task(&self) -> MutexGuard<'_, Option<ServersTask>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks about every file that is not asked about yet; at most so many questions. False where no servers are used.
    pub fn start_sweep(&self, limit: Option<u64>) -> bool {
        let running = self.running_enrichment();
        if let Some(enrichment) = &running {
            enrichment.start_sweep(limit);
        }
        running.is_some()
    }

    /// Waits until nothing is left to be asked, and what was answered is handed on.
    pub(super) async fn wait_until_settled(&self) {
        if let Some(RunningServers { enrichment, sink }) = self.running_servers() {
            enrichment.wait_until_settled().await;
            sink.wait_until_flushed().await;
        }
    }

    /// Restarts servers, including those that were given up: all, or the one of this name. False where no servers are
    /// used.
    pub fn restart_servers(&self, name: Option<&str>) -> bool {
        let running = self.running_enrichment();
        if let Some(enrichment) = &running {
            enrichment.restart_servers(name);
        }
        running.is_some()
    }

    /// Asks first about symbols that the person looks at.
    pub fn prioritize_symbols(&self, snapshot: &Snapshot, symbols: impl IntoIterator<Item = SymbolId>) {
        let Some(enrichment) = self.running_enrichment() else { return };
        let mut by_file: BTreeMap<String, BTreeSet<Hash>> = BTreeMap::new();
        for symbol in symbols.into_iter().filter_map(|id| snapshot.symbol(id)) {
            if symbol.file.is_some() {
                by_file.entry(symbol.path.to_owned()).or_default().insert(symbol.hash);
            }
        }
        enrichment.prioritize_files(
            by_file.into_iter().map(|(path, symbols)| PriorityFile { path, symbols }).collect(),
        );
    }

    /// Tells of a file that changed on the disk.
    pub(super) fn notify_disk_change(&self, root: &Path, path: &str) {
        if let Some(enrichment) = self.running_enrichment() {
            let change =
                if root.join(path).exists() { FileChangeKind::Changed } else { FileChangeKind::Deleted };
            enrichment.notify_file_changes(&[(path.to_owned(), change)]);
        }
    }

    /// What every server does and contributed.
    pub fn collect_reports(&self, snapshot: &Snapshot) -> Vec<ServerReport> {
        let running =
            self.running_enrichment().map(|enrichment| enrichment.server_statuses()).unwrap_or_default();
        ServerReport::collect_reports(snapshot, running)
    }

    /// The same as it goes with every answer; servers that are not there are left out.
    pub(super) fn collect_freshness(&self, snapshot: &Snapshot) -> Vec<ServerFreshness> {
        let report = self.collect_reports(snapshot);
        report.iter().filter(|server| server.state != "absent").map(ServerReport::to_freshness).collect()
    }
}

/// Starts the servers of a folder when its first index is there. Those that run by other words of the person end first; what
/// they said is kept. Needs a tokio runtime around it.
pub(super) fn start_servers(
    folder: &Arc<ServedFolder>,
    options: &ServersOptions,
    config: &Config,
    trusted: bool,
) {
    let said = (server_overrides(config), trusted);
    let servers = folder.language_servers();
    // Held to the end: of two changes of the settings at one time the later one holds.
    let mut begun = servers.lock_task();
    match &*begun {
        // What is over here was ended with the folder.
        Some(begun) if begun.said == said || begun.over.load(Ordering::SeqCst) => return,
        Some(begun) => servers.end_task(begun),
        None => {}
    }
    let search = options.search.clone();
    let search = search.map(|search| ServerSearch { root: folder.root_path().to_owned(), trusted, ..search });
    let terms = Terms { trusted, servers: said.0.clone(), search, ..Terms::default() };
    let connect = options.connect.clone().unwrap_or_else(|| Arc::new(ProcessConnector));
    let over = Arc::new(AtomicBool::new(false));
    let task = tokio::spawn(follow_states(
        Arc::downgrade(folder),
        folder.subscribe_states(),
        terms,
        connect,
        over.clone(),
    ));
    *begun = Some(ServersTask { said, task: task.abort_handle(), over });
}

/// Applies changed settings to the running servers of a folder.
pub(super) fn follow_settings(
    folder: &Arc<ServedFolder>,
    options: &ServersOptions,
    config: &Config,
    trusted: bool,
) {
    let begun = folder.language_servers().lock_task().is_some();
    if begun {
        start_servers(folder, options, config, trusted);
    }
}

async fn follow_states(
    folder: Weak<ServedFolder>,
    mut states: watch::Receiver<Arc<FolderState>>,
    terms: Terms,
    connect: Arc<dyn ServerConnector>,
    over: Arc<AtomicBool>,
) {
    // Only who writes the graph asks: several processes may serve one folder.
    let indexed = |state: &Arc<FolderState>| state.report.is_some() && state.writer == Some(true);
    if states.wait_for(indexed).await.is_err() {
        return;
    }
    let Some(enrichment) =
        folder.upgrade().and_then(|folder| build_enrichment(&folder, terms, connect, &over))
    else {
        return;
    };
    let mut known = NotifiedFiles::default();
    known.update_buffers(&enrichment, &newest_state(&mut states));
    enrichment.start_sweep(None);
    loop {
        let changed = tokio::time::timeout(QUIET, states.changed()).await;
        match changed {
            Ok(Ok(())) => known.update_buffers(&enrichment, &newest_state(&mut states)),
            Ok(Err(_)) => return,
            Err(_) => {
                let state = states.borrow().clone();
                known.recheck_stale_files(&enrichment, &state);
                if states.changed().await.is_err() {
                    return;
                }
                known.update_buffers(&enrichment, &newest_state(&mut states));
            }
        }
    }
}

/// The newest state. It comes from a function so that the lock on it is gone when it is used: what holds the lock and looks
/// again, while the writer waits for it, waits for ever.
fn newest_state(states: &mut watch::Receiver<Arc<FolderState>>) -> Arc<FolderState> {
    Arc::clone(&states.borrow_and_update())
}

/// Makes the servers of a folder that is still served; `None` where that is over.
fn build_enrichment(
    folder: &Arc<ServedFolder>,
    terms: Terms,
    connect: Arc<dyn ServerConnector>,
    over: &AtomicBool,
) -> Option<Arc<Enrichment>> {
    let states = folder.subscribe_states();
    let now = move || {
        let state = Arc::clone(&states.borrow());
        let open = Arc::clone(&state);
        WorkspaceState {
            snapshot: state.snapshot.clone(),
            project: Arc::clone(&state.project),
            open: Box::new(move |path| {
                open.open_file(path).filter(|open| open.in_graph).map(|open| Arc::clone(&open.text))
            }),
            facts: Box::new(move |path| state.file_facts(path)),
        }
    };
    let (root, states, shown) =
        (folder.root_path().to_owned(), folder.subscribe_states(), Arc::downgrade(folder));
    let sink = BatchingSink::start_thread(move |mut verdicts| {
        let state = Arc::clone(&states.borrow());
        for verdict in &mut verdicts {
            remove_test_only_edges(&state.snapshot, verdict);
        }
        if let Some(Err(error)) = state.verdicts.as_ref().map(|log| log.insert_verdicts(&verdicts)) {
            tracing::warn!("answers of a language server are not kept: {error}");
        }
        if let Some(folder) = shown.upgrade() {
            folder.show_verdicts(verdicts);
        }
    });
    let sink = sink.inspect_err(|error| tracing::error!(%error, "no language server is used")).ok()?;
    let (source, sink) = (Arc::new(LiveWorkspace::new(root, now)), Arc::new(sink));
    let mut running = folder.language_servers().running.lock().unwrap_or_else(PoisonError::into_inner);
    if over.load(Ordering::SeqCst) {
        return None;
    }
    let enrichment = Arc::new(Enrichment::with_connector(terms, source, sink.clone(), connect));
    *running = Some(RunningServers { enrichment: Arc::clone(&enrichment), sink });
    Some(enrichment)
}

/// The notifications and requests that the servers received.
#[derive(Default)]
struct NotifiedFiles {
    /// Texts of open documents.
    open: BTreeMap<String, Hash>,
    /// Files that were asked about again: their content and how many answers did not hold.
    again: BTreeMap<String, (Hash, usize)>,
}

impl NotifiedFiles {
    /// Tells of open documents that changed, and asks about those that came.
    fn update_buffers(&mut self, enrichment: &Enrichment, state: &FolderState) {
        let mut came = Vec::new();
        for (path, open) in state.open.iter().filter(|(_, open)| open.in_graph) {
            let hash = Hash::from_content(open.text.as_bytes());
            let before = self.open.insert(path.clone(), hash);
            if before != Some(hash) {
                enrichment.update_buffer(path, Some(DocumentText { text: Arc::clone(&open.text), hash }));
            }
            if before.is_none() {
                came.push(PriorityFile::whole_file(path));
            }
        }
        self.open.retain(|path, _| {
            let kept = state.open.contains_key(path);
            if !kept {
                enrichment.update_buffer(path, None);
            }
            kept
        });
        if !came.is_empty() {
            enrichment.prioritize_files(came);
        }
    }

    /// Asks about files with stale verdicts, once for each state of them; open files first.
    fn recheck_stale_files(&mut self, enrichment: &Enrichment, state: &FolderState) {
        let snapshot = &state.snapshot;
        let mut due = Vec::new();
        for (id, stale) in snapshot.stale_files() {
            let Some(file) = snapshot.file(id) else { continue };
            let now = (file.content_hash, stale);
            if self.again.insert(file.path.to_owned(), now) != Some(now) {
                due.push(PriorityFile::whole_file(file.path));
            }
        }
        due.sort_by_key(|demand| !self.open.contains_key(&demand.path));
        if !due.is_empty() {
            enrichment.prioritize_files(due);
        }
    }
}
