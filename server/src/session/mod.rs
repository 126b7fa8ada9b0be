//! The life of a language-server session: its folders, their open documents and one writer for each.
//!
//! Handlers hand changes over with [`ServedFolder::push_change`], which never waits; a writer thread applies them in order and
//! publishes what came of it. Requests read the published state and never block the writer (design
//! `architecture.md`, "One writer", "Read your writes").

mod disk_worker;
pub mod documents;
mod folder;
mod folder_servers;
mod folder_watch;
mod history_reader;
mod index_progress;
mod open_documents;
mod settings;
mod writer;

pub use documents::OpenFile;
pub use folder::{
    ChangeSequence, FolderChange, FolderState, FolderView, IndexPhase, ServedFolder, SourceFile,
};
pub use folder_servers::{FolderServers, ServersOptions};
pub use index_progress::{EventSender, SessionEvent};
pub use settings::{SetLogLevel, SettingsRequest};

use crate::config::trust::TrustStore;
use crate::format::delta::SentPacks;
use crate::learning::SessionLearning;
use kenning_graph::positions::PositionEncoding;
use kenning_indexing::workspace::WorkspaceOptions;
use settings::SessionSettings;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it is looked whether the databases are closed at the end.
const CLOSING_INTERVAL: Duration = Duration::from_millis(5);

/// Everything that lives from `initialize` to `exit`.
pub struct Session {
    options: WorkspaceOptions,
    settings: SessionSettings,
    events: EventSender,
    encoding: OnceLock<PositionEncoding>,
    folders: RwLock<Vec<Arc<ServedFolder>>>,
    /// Disk threads of folders that are no longer served and may not have ended.
    ending: Mutex<Vec<(PathBuf, JoinHandle<()>)>>,
    shut_down: AtomicBool,
    watched: AtomicBool,
    watches_itself: AtomicBool,
    /// What the client was sent, so that it can be sent differences. One session never sees another's.
    sent: Arc<Mutex<SentPacks>>,
    /// How language servers are used; none are by default.
    servers: OnceLock<ServersOptions>,
    /// What this client was shown lately. One session never sees another's.
    learning: Arc<SessionLearning>,
}

impl Session {
    /// A session without folders. `events` takes the messages for the client; without a list of trusted workspaces
    /// only the editor's word counts.
    pub fn new(
        options: WorkspaceOptions,
        events: EventSender,
        trust: Option<TrustStore>,
        log_level: Option<SetLogLevel>,
    ) -> Self {
        Self {
            options,
            settings: SessionSettings::new(trust, log_level),
            events,
            encoding: OnceLock::new(),
            folders: RwLock::default(),
            ending: Mutex::default(),
            shut_down: AtomicBool::new(false),
            watched: AtomicBool::new(false),
            watches_itself: AtomicBool::new(false),
            sent: Arc::default(),
            servers: OnceLock::new(),
            learning: Arc::default(),
        }
    }

    /// Settles what the client counts in positions; the first call holds for the session.
    pub fn set_encoding(&self, encoding: PositionEncoding) {
        let _ = self.encoding.set(encoding);
    }

    /// Language servers confirm edges from the start of the folders on; the first call holds for the session.
    pub fn use_servers(&self, options: ServersOptions) {
        let _ = self.servers.set(options);
    }

    /// What the client counts in positions.
    pub fn position_encoding(&self) -> PositionEncoding {
        self.encoding.get().copied().unwrap_or_default()
    }

    /// Where generated documents are kept; `None` where the user has no cache folder.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.options.cache_home.as_ref().map(|home| home.join("kenning"))
    }

    /// Adds folders that are not served yet; their indexing starts with [`Session::start_folders`].
    pub fn add_folders(&self, roots: impl IntoIterator<Item = PathBuf>) {
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        for root in roots {
            if folders.iter().any(|folder| folder.root_path() == root) {
                continue;
            }
            let mut options = self.settings.add_folder(&root, self.options.clone());
            if !folders.is_empty() {
                // A database that was named on the command line belongs to the first folder.
                options.db = None;
            }
            let encoding = self.encoding.get().copied().unwrap_or_default();
            folders.push(Arc::new(ServedFolder::new(root, options, encoding, self.events.clone())));
        }
        drop(folders);
        self.apply_settings();
    }

    /// Starts the writers of all folders that have none yet.
    pub fn start_folders(&self) {
        for folder in self.served_folders() {
            folder.start_threads(|| {
                let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
                ending.retain(|(_, thread)| !thread.is_finished());
                let at = ending.iter().position(|(root, _)| root == folder.root_path())?;
                Some(ending.swap_remove(at).1)
            });
            if self.watches_itself.load(Ordering::Relaxed) {
                folder.watch_files();
            }
            if let Some(options) = self.servers.get() {
                let (config, trusted) = (self.folder_config(&folder), self.is_folder_trusted(&folder));
                folder_servers::start_servers(&folder, options, &config, trusted);
            }
        }
    }

    /// Stops serving a folder.
    pub fn remove_folder(&self, root: &Path) {
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        folders.retain(|folder| {
            let keep = folder.root_path() != root;
            if !keep {
                self.settings.remove_folder(root);
                self.learning.forget_folder(root);
            }
            if !keep && let Some(thread) = folder.stop_threads() {
                let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
                ending.push((root.to_owned(), thread));
            }
            keep
        });
    }

    /// The folders in the order in which the client named them.
    pub fn served_folders(&self) -> Vec<Arc<ServedFolder>> {
        self.folders.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The innermost folder that holds `file`, and the file's path in it.
    pub fn locate_file(&self, file: &Path) -> Option<(Arc<ServedFolder>, String)> {
        let located = self.served_folders().into_iter().filter_map(|folder| {
            let path = folder.path_in_folder(file)?;
            Some((folder, path))
        });
        // The innermost folder is the one in which the path is shortest.
        located.min_by_key(|(_, path)| path.len())
    }

    /// Notes that the client tells of changed files.
    pub fn record_client_watching(&self) {
        self.watched.store(true, Ordering::Relaxed);
    }

    /// Notes that the client does not tell of changed files: the folders are watched here.
    pub fn watch_files(&self) {
        self.watches_itself.store(true, Ordering::Relaxed);
        for folder in self.served_folders() {
            folder.watch_files();
        }
    }

    /// Whether the client tells of changed files.
    pub fn is_client_watching(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// The packs that the client was sent.
    pub fn sent_packs(&self) -> Arc<Mutex<SentPacks>> {
        Arc::clone(&self.sent)
    }

    /// What this client's use teaches.
    pub fn session_learning(&self) -> Arc<SessionLearning> {
        Arc::clone(&self.learning)
    }

    /// Notes that the client asked to shut down.
    pub fn shut_down(&self) {
        self.shut_down.store(true, Ordering::SeqCst);
        self.stop_folders();
    }

    fn stop_folders(&self) {
        for folder in self.served_folders() {
            if let Some(thread) = folder.stop_threads() {
                let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
                ending.push((folder.root_path().to_owned(), thread));
            }
        }
    }

    /// Stops serving all folders and waits until their databases are closed: who closes a database last leaves nothing beside
    /// it. Waits no longer than `limit`; what is not written by then is written by the next session.
    pub async fn close_databases(&self, limit: Duration) {
        self.stop_folders();
        let is_closed = || {
            let ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
            ending.iter().all(|(_, thread)| thread.is_finished())
        };
        let deadline = Instant::now() + limit;
        while !is_closed() && Instant::now() < deadline {
            tokio::time::sleep(CLOSING_INTERVAL).await;
        }
    }

    /// Whether the client asked to shut down.
    pub fn is_shut_down(&self) -> bool {
        self.shut_down.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests;
