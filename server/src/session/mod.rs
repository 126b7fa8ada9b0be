//! Language-server sessions: the folders that a client has open, their documents, and the threads
//! that work for each folder.
//!
//! A `Session` lives from `initialize` to `exit`. It has one `ServedFolder` per workspace folder,
//! the settings of each, and the data that concerns only its client: the packs that the client was
//! sent and the symbols that it was shown recently.
//!
//! Handlers pass changes to [`ServedFolder::push_change`], which never waits. Two threads per
//! folder process them:
//!
//! * The writer thread (`writer`) applies edits of open documents in order, lays the unsaved text
//!   over the latest graph of the disk, and publishes a `FolderState` after each batch.
//! * The disk thread (`disk_worker`) owns the databases, reads changed files, and sends each new
//!   graph to the writer's queue.
//!
//! Requests read the last published state and never block the writer. A request notes the position
//! of the queue (`ChangeSequence`) before its first `await`. It then waits for a limited time until
//! a published state includes that position. Its answer reports the changes that are still missing
//! as `Freshness`.
//!
//! The other modules serve these two threads: `open_documents` keeps the texts of the editor,
//! `folder_watch` reports changed files, `history_reader` reads commits, `folder_vectors` computes
//! vectors, `folder_servers` runs the language servers, `folder_knowledge` reads notes, tasks and
//! skills, and `settings` computes the configuration of each folder.

mod answer_cache;
mod disk_worker;
pub mod documents;
mod folder;
mod folder_change;
mod folder_knowledge;
mod folder_servers;
mod folder_vectors;
mod folder_watch;
mod history_reader;
mod index_progress;
mod open_documents;
mod settings;
mod writer;

pub use answer_cache::{AnswerCache, AnswerKey};
pub use documents::OpenFile;
pub use folder::{FolderState, FolderView, IndexPhase, ServedFolder, SourceFile};
pub use folder_change::{ChangeSequence, FolderChange};
pub use folder_knowledge::FolderKnowledgeCache;
pub use folder_servers::{FolderServers, ServersOptions};
pub use index_progress::{EventSender, SessionEvent};
pub use settings::{EmptyAnswer, SetLogLevel, SettingsRequest};

use crate::config::trust::TrustStore;
use crate::format::sent_pack::ClientPacks;
use crate::learning::SessionLearning;
use kenning_graph::positions::PositionEncoding;
use kenning_indexing::workspace::WorkspaceOptions;
use settings::SessionSettings;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Interval at which the end of a session checks whether the databases are closed.
const CLOSING_INTERVAL: Duration = Duration::from_millis(5);

/// The state of a language-server session, from `initialize` to `exit`.
pub struct Session {
    options: WorkspaceOptions,
    settings: Arc<SessionSettings>,
    events: EventSender,
    encoding: OnceLock<PositionEncoding>,
    folders: RwLock<Vec<Arc<ServedFolder>>>,
    /// Disk threads of folders that are no longer served. Some may still be running.
    ending_threads: Mutex<Vec<(PathBuf, JoinHandle<()>)>>,
    shut_down: AtomicBool,
    client_watches: Arc<AtomicBool>,
    watches_itself: AtomicBool,
    /// The packs that this client was sent, so that it can be sent differences. Sessions do not
    /// share them.
    sent: Arc<Mutex<ClientPacks>>,
    /// The options of language servers. Unset by default: no language server runs.
    servers: OnceLock<ServersOptions>,
    /// The symbols that this client was shown recently. Sessions do not share them.
    learning: Arc<SessionLearning>,
}

impl Session {
    /// Creates a session without folders. `events` receives the messages for the client. Without
    /// `trust`, the list of trusted workspaces, only the editor decides about trust.
    pub fn new(
        options: WorkspaceOptions,
        events: EventSender,
        trust: Option<TrustStore>,
        log_level: Option<SetLogLevel>,
    ) -> Self {
        Self {
            options,
            settings: Arc::new(SessionSettings::new(trust, log_level)),
            events,
            encoding: OnceLock::new(),
            folders: RwLock::default(),
            ending_threads: Mutex::default(),
            shut_down: AtomicBool::new(false),
            client_watches: Arc::default(),
            watches_itself: AtomicBool::new(false),
            sent: Arc::default(),
            servers: OnceLock::new(),
            learning: Arc::default(),
        }
    }

    /// Creates the session of a guest on a folder of this session. It shares the folder and the
    /// settings, but has its own record of sent packs and shown symbols. Nothing that a guest does
    /// may change the folder, so only commands are answered from it.
    pub fn open_guest(&self, folder: Arc<ServedFolder>) -> Self {
        Self {
            options: self.options.clone(),
            settings: Arc::clone(&self.settings),
            events: self.events.clone(),
            encoding: OnceLock::new(),
            folders: RwLock::new(vec![folder]),
            ending_threads: Mutex::default(),
            shut_down: AtomicBool::new(false),
            client_watches: Arc::clone(&self.client_watches),
            watches_itself: AtomicBool::new(false),
            sent: Arc::default(),
            servers: OnceLock::new(),
            learning: Arc::default(),
        }
    }

    /// Sets the unit of the client's positions. Only the first call has an effect.
    pub fn set_encoding(&self, encoding: PositionEncoding) {
        let _ = self.encoding.set(encoding);
    }

    /// Enables language servers for folders that start from now on. Only the first call has an
    /// effect.
    pub fn use_servers(&self, options: ServersOptions) {
        let _ = self.servers.set(options);
    }

    /// Returns the unit of the client's positions.
    pub fn position_encoding(&self) -> PositionEncoding {
        self.encoding.get().copied().unwrap_or_default()
    }

    /// Returns the folder for generated documents; `None` if the user has no cache folder.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.options.cache_folder()
    }

    /// Adds folders that are not served yet. [`Session::start_folders`] starts their indexing.
    pub fn add_folders(&self, roots: impl IntoIterator<Item = PathBuf>) {
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        for root in roots {
            if folders.iter().any(|folder| folder.root_path() == root) {
                continue;
            }
            let mut options = self.settings.add_folder(&root, self.options.clone());
            if !folders.is_empty() {
                // A database that the user named on the command line belongs to the first folder.
                options.db = None;
            }
            let encoding = self.encoding.get().copied().unwrap_or_default();
            folders.push(Arc::new(ServedFolder::new(root, options, encoding, self.events.clone())));
        }
        drop(folders);
        self.apply_settings();
    }

    /// Starts the threads and the language servers of all folders that do not have them yet.
    pub fn start_folders(&self) {
        for folder in self.served_folders() {
            folder.start_threads(|| {
                let mut ending_threads = self.ending_threads.lock().unwrap_or_else(PoisonError::into_inner);
                ending_threads.retain(|(_, thread)| !thread.is_finished());
                let index = ending_threads.iter().position(|(root, _)| root == folder.root_path())?;
                Some(ending_threads.swap_remove(index).1)
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
                let mut ending_threads = self.ending_threads.lock().unwrap_or_else(PoisonError::into_inner);
                ending_threads.push((root.to_owned(), thread));
            }
            keep
        });
    }

    /// Returns the folders in the order in which the client named them.
    pub fn served_folders(&self) -> Vec<Arc<ServedFolder>> {
        self.folders.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the innermost folder that contains `file`, and the path of `file` in it; `None` if
    /// no folder does.
    pub fn locate_file(&self, file: &Path) -> Option<(Arc<ServedFolder>, String)> {
        let located = self.served_folders().into_iter().filter_map(|folder| {
            let path = folder.path_in_folder(file)?;
            Some((folder, path))
        });
        // The path is shortest in the innermost folder.
        located.min_by_key(|(_, path)| path.len())
    }

    /// Records that the client reports changed files.
    pub fn record_client_watching(&self) {
        self.client_watches.store(true, Ordering::Relaxed);
    }

    /// Records that the client does not report changed files, and watches the folders instead.
    pub fn watch_files(&self) {
        self.watches_itself.store(true, Ordering::Relaxed);
        for folder in self.served_folders() {
            folder.watch_files();
        }
    }

    /// Whether the client reports changed files.
    pub fn is_client_watching(&self) -> bool {
        self.client_watches.load(Ordering::Relaxed)
    }

    /// Returns the packs that the client was sent.
    pub fn sent_packs(&self) -> Arc<Mutex<ClientPacks>> {
        Arc::clone(&self.sent)
    }

    /// Returns the learning of this session.
    pub fn session_learning(&self) -> Arc<SessionLearning> {
        Arc::clone(&self.learning)
    }

    /// Records that the client asked to shut down, and stops all folders.
    pub fn shut_down(&self) {
        self.shut_down.store(true, Ordering::SeqCst);
        self.stop_folders();
    }

    fn stop_folders(&self) {
        for folder in self.served_folders() {
            if let Some(thread) = folder.stop_threads() {
                let mut ending_threads = self.ending_threads.lock().unwrap_or_else(PoisonError::into_inner);
                ending_threads.push((folder.root_path().to_owned(), thread));
            }
        }
    }

    /// Stops all folders and waits until their databases are closed: the process that closes a
    /// database last leaves no other files next to it. Waits at most for `limit`; the next session
    /// writes whatever is not written by then.
    pub async fn close_databases(&self, limit: Duration) {
        self.stop_folders();
        let is_closed = || {
            let ending_threads = self.ending_threads.lock().unwrap_or_else(PoisonError::into_inner);
            ending_threads.iter().all(|(_, thread)| thread.is_finished())
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
