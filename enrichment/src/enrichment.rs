//! All servers of one workspace: which is asked about which file, and what they are told.

use crate::ask::Change;
use crate::servers::{self, Absent, Found, LanguageServers, Override, Roots, Search};
use crate::supervise::{Connect, Seat, ServerStatus, Spawn, State, Terms, Wish};
use crate::workspace::{Text, VerdictSink, Workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How servers are used in one workspace.
#[derive(Clone, Debug)]
pub struct Config {
    /// Programs of the workspace may run, and servers may run what the workspace says.
    pub trusted: bool,
    /// Servers may download.
    pub downloads: bool,
    /// Also references that the text resolves are asked about, after those that it leaves open.
    pub verify: bool,
    /// After so long without a question a server is stopped.
    pub idle: Duration,
    /// What the user says of servers, by their names.
    pub servers: BTreeMap<String, Override>,
    /// The only server that is used; `None` for all.
    pub only: Option<String>,
    /// Where programs are looked for; `None`: the search path and the home of this process.
    pub search: Option<Search>,
}

impl Default for Config {
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

/// The servers of one workspace. Nothing runs before something is asked. Dropped, it ends all of them.
pub struct Enrichment {
    config: Config,
    terms: Arc<Terms>,
    runtime: Handle,
    changed: watch::Sender<u64>,
    seats: Mutex<Seats>,
}

#[derive(Default)]
struct Seats {
    /// By language of the table: the server that is used, or why there is none.
    found: BTreeMap<&'static str, Result<Found, Absent>>,
    roots: BTreeMap<&'static str, Roots<'static>>,
    /// By language of the table and folder.
    taken: BTreeMap<(&'static str, String), Arc<Seat>>,
    /// What the editor has open.
    buffers: BTreeMap<String, Text>,
    tasks: JoinSet<()>,
}

impl Enrichment {
    /// For an open workspace; needs a tokio runtime around it.
    pub fn new(config: Config, workspace: Arc<dyn Workspace>, sink: Arc<dyn VerdictSink>) -> Self {
        Self::with(config, workspace, sink, Arc::new(Spawn))
    }

    /// The same with servers that come from elsewhere.
    pub fn with(
        config: Config,
        workspace: Arc<dyn Workspace>,
        sink: Arc<dyn VerdictSink>,
        connect: Arc<dyn Connect>,
    ) -> Self {
        let terms = Terms {
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

    /// Asks about files, or symbols of files, before everything else: what is open in the editor, what was shown, what the
    /// pointer rests on, what changed. Paths that no server knows are passed over.
    pub fn demand(&self, wishes: Vec<Demand>) {
        let mut by_seat: BTreeMap<(&'static str, String), Vec<Wish>> = BTreeMap::new();
        let mut seats = self.seats();
        for Demand { path, symbols } in wishes {
            if let Some(key) = self.seat_of(&mut seats, &path) {
                by_seat.entry(key).or_default().push(Wish { path, symbols });
            }
        }
        for (key, wishes) in by_seat {
            if let Some(seat) = seats.taken.get(&key) {
                seat.demand(wishes);
            }
        }
    }

    /// Asks about every file of the graph, in the background; what is answered already is passed over. `limit`: at most so
    /// many questions about references and symbols.
    pub fn sweep(&self, limit: Option<u64>) {
        let budget = limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX);
        self.terms.budget.store(budget, Ordering::Relaxed);
        let snapshot = self.terms.workspace.snapshot();
        let files = snapshot.files();
        let paths = files.into_iter().filter_map(|file| Some(snapshot.file(file)?.path.to_owned()));
        let mut by_seat: BTreeMap<(&'static str, String), Vec<String>> = BTreeMap::new();
        let mut seats = self.seats();
        for path in paths {
            if let Some(key) = self.seat_of(&mut seats, &path) {
                by_seat.entry(key).or_default().push(path);
            }
        }
        for (key, paths) in by_seat {
            if let Some(seat) = seats.taken.get(&key) {
                seat.queue.sweep(paths, true);
            }
        }
    }

    /// Tells of files that changed on the disk, with every file that counts for a server (manifests as well). To be called
    /// when the change is noticed; what is to be asked anew comes by [`Self::demand`] when the graph has it.
    pub fn changed(&self, events: &[(String, Change)]) {
        for seat in self.seats().taken.values() {
            seat.changed(events);
        }
    }

    /// Tells of the text of a document that the editor has open; `None`: it has it open no more.
    pub fn buffer(&self, path: &str, text: Option<Text>) {
        let mut seats = self.seats();
        let key = self.seat_of(&mut seats, path);
        if let Some(seat) = key.and_then(|key| seats.taken.get(&key)) {
            seat.buffer(path, text.as_ref());
        }
        match text {
            Some(text) => drop(seats.buffers.insert(path.to_owned(), text)),
            None => drop(seats.buffers.remove(path)),
        }
    }

    /// Starts servers anew, those that were given up as well: all, or the one of this name.
    pub fn restart(&self, name: Option<&str>) {
        let mut seats = self.seats();
        // Somebody may have installed one meanwhile.
        seats.found.retain(|_, found| found.is_ok());
        for seat in seats.taken.values() {
            if name.is_none_or(|name| seat.found.server.name == name) {
                seat.queue.forgive();
                if seat.board.read().state != State::Stopped {
                    seat.restart.notify_one();
                }
            }
        }
    }

    /// Every server that is used or missed, by language and folder.
    pub fn status(&self) -> Vec<ServerStatus> {
        let seats = self.seats();
        let absent = seats.found.iter().filter_map(|(language, found)| {
            let absent = found.as_ref().err()?;
            let (name, reason) = (absent.server().to_owned(), absent.to_string());
            let language = (*language).to_owned();
            Some(ServerStatus { name, language, state: State::Absent, reason, ..ServerStatus::default() })
        });
        absent.chain(seats.taken.values().map(|seat| seat.status())).collect()
    }

    /// Changes whenever some server's state does.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Waits until nothing is left to be asked, except of servers that were given up.
    pub async fn settled(&self) {
        let mut changed = self.watch();
        loop {
            changed.mark_unchanged();
            let left = |status: &ServerStatus| status.waiting > 0 && status.state != State::Failed;
            if !self.status().iter().any(left) {
                return;
            }
            // The sender lives as long as `self`, so waiting cannot fail.
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Ends all servers and waits for their ends.
    pub async fn shutdown(self) {
        self.terms.ending.send_replace(true);
        let mut tasks = std::mem::take(&mut self.seats().tasks);
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                tracing::warn!(%error, "the task of a language server ended early");
            }
        }
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seat for a file of the graph; taken if it was free.
    fn seat_of(&self, seats: &mut Seats, path: &str) -> Option<(&'static str, String)> {
        let snapshot = self.terms.workspace.snapshot();
        let file = snapshot.file_by_path(path).and_then(|file| snapshot.file(file))?;
        let row = servers::of_language(file.language).filter(|row| row.indexed)?;
        let id = row.id.as_str();
        let found = seats.found.entry(id).or_insert_with(|| self.find(row)).as_ref().ok()?.clone();
        let workspace = self.terms.workspace.root();
        let roots =
            seats.roots.entry(id).or_insert_with(|| Roots::new(workspace, row, found.server.one_process));
        let key = (id, roots.of(path));
        if !seats.taken.contains_key(&key) {
            let terms = Arc::clone(&self.terms);
            let seat = Arc::new(Seat::new(terms, row, found, key.1.clone(), self.changed.clone()));
            for (path, text) in &seats.buffers {
                let language = snapshot
                    .file_by_path(path)
                    .and_then(|file| snapshot.file(file))
                    .map(|file| file.language);
                if language.and_then(servers::of_language).is_some_and(|other| other.id == id) {
                    seat.buffer(path, Some(text));
                }
            }
            seats.tasks.spawn_on(Arc::clone(&seat).run(), &self.runtime);
            seats.taken.insert(key.clone(), seat);
        }
        Some(key)
    }

    fn find(&self, row: &'static LanguageServers) -> Result<Found, Absent> {
        let root = self.terms.workspace.root().to_owned();
        let search =
            self.config.search.clone().unwrap_or_else(|| Search::of_environment(root, self.config.trusted));
        let said = |name: &str| {
            let mut said = self.config.servers.get(name).cloned().unwrap_or_default();
            said.disabled |= self.config.only.as_deref().is_some_and(|only| only != name);
            said
        };
        row.search(&search, &said)
    }
}

/// What is to be asked about before everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Path in the workspace.
    pub path: String,
    /// Identities of symbols of it; none for the whole file.
    pub symbols: BTreeSet<kenning_graph::Hash>,
}

impl Demand {
    /// A whole file.
    pub fn file(path: &str) -> Self {
        Self { path: path.to_owned(), symbols: BTreeSet::new() }
    }
}
