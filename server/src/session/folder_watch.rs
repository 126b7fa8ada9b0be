//! Watches one folder of the workspace. The checked-out commit is always watched; files are watched
//! only if the client does not report them.
//!
//! Each folder that indexing walks is watched individually, so that `node_modules`, build output
//! and git objects cost nothing. New folders are added as they appear. Changes are collected for a
//! moment, because a build or a checkout touches many files at once.

use super::folder_change::FolderChange;
use crate::config::config_file;
use kenning_indexing::git;
use kenning_indexing::workspace::{RefreshScope, walked_folders};
use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time without an event after which the collected events are reported.
const QUIET_TIME: Duration = Duration::from_millis(50);
/// Maximum time for which events are collected. A build writes files for minutes without a pause.
const MAX_COLLECT_TIME: Duration = Duration::from_millis(500);

/// A message to the watching thread.
enum WatchMessage {
    Event(notify::Result<Event>),
    WatchFiles,
    Stop,
}

/// The state of a folder's watch.
#[derive(Default)]
pub(super) struct WatchStatus {
    /// Whether every folder that indexing walks is watched.
    all_files: AtomicBool,
    /// The last problem, in one sentence.
    problem: Mutex<Option<String>>,
}

/// The watch of one folder; ends when it is dropped.
pub(super) struct FolderWatch {
    messages: Sender<WatchMessage>,
    status: Arc<WatchStatus>,
}

impl FolderWatch {
    /// Starts watching the checked-out commit of the folder at `root`, a canonical path.
    /// `report_change` receives the changes.
    pub fn start_watching(root: PathBuf, report_change: Box<dyn Fn(FolderChange) + Send>) -> Self {
        let (messages, inbox) = channel();
        let status = Arc::new(WatchStatus::default());
        let events = messages.clone();
        let shared = Arc::clone(&status);
        let spawned = std::thread::Builder::new().name("kenning-watch".into()).spawn(move || {
            let watcher = notify::recommended_watcher(move |event| {
                // Sending fails only after the thread has ended and dropped the receiver.
                let _ = events.send(WatchMessage::Event(event));
            });
            match watcher {
                Ok(watcher) => {
                    WatchThread { root, watcher, status: shared, report_change, git_folders: Vec::new() }
                        .run_loop(&inbox);
                }
                Err(error) => shared.record_failure(&root, &error),
            }
        });
        if let Err(error) = spawned {
            status.record_problem(format!("cannot start the thread that watches files ({error})"));
        }
        Self { messages, status }
    }

    /// Also starts watching the files, because the client does not report changes.
    pub fn watch_files(&self) {
        let _ = self.messages.send(WatchMessage::WatchFiles);
    }

    /// Whether changes to all files are reported.
    pub fn covers_files(&self) -> bool {
        self.status.all_files.load(Ordering::Relaxed)
    }

    /// Returns why something cannot be watched, in one sentence that states the fix; `None` if all
    /// folders are watched.
    pub fn watch_problem(&self) -> Option<String> {
        self.status.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for FolderWatch {
    fn drop(&mut self) {
        let _ = self.messages.send(WatchMessage::Stop);
    }
}

impl WatchStatus {
    fn record_problem(&self, problem: String) {
        tracing::warn!("{problem}; requests check the disk instead");
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        self.all_files.store(false, Ordering::Relaxed);
    }

    fn record_failure(&self, path: &Path, error: &notify::Error) {
        let path = path.display();
        self.record_problem(match error.kind {
            notify::ErrorKind::MaxFilesWatch => format!(
                "cannot watch {path}: the system's limit is reached; raise fs.inotify.max_user_watches and max_user_instances"
            ),
            _ => format!("cannot watch {path} ({error})"),
        });
    }
}

/// The state of the watching thread.
struct WatchThread {
    root: PathBuf,
    watcher: RecommendedWatcher,
    status: Arc<WatchStatus>,
    report_change: Box<dyn Fn(FolderChange) + Send>,
    /// The git folders in which a file `HEAD` changes when another commit is checked out.
    git_folders: Vec<PathBuf>,
}

impl WatchThread {
    /// Reports changes until the watch is dropped.
    fn run_loop(mut self, inbox: &Receiver<WatchMessage>) {
        self.git_folders = git::head_folders(&self.root);
        for folder in self.git_folders.clone() {
            self.watch_folder(&folder);
        }
        while let Ok(message) = inbox.recv() {
            let mut paths = BTreeSet::new();
            let mut next = Some(message);
            let started = Instant::now();
            while let Some(message) = next {
                match message {
                    WatchMessage::Stop => return,
                    WatchMessage::WatchFiles => self.watch_all_folders(),
                    WatchMessage::Event(event) => self.collect_paths(event, &mut paths),
                }
                next = match inbox
                    .recv_timeout(QUIET_TIME.min(MAX_COLLECT_TIME.saturating_sub(started.elapsed())))
                {
                    Ok(message) => Some(message),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                };
            }
            for path in paths {
                self.report_path(&path);
            }
        }
    }

    /// Watches every folder that indexing walks, and then requests a check of the whole tree to
    /// find changes from before the watch.
    fn watch_all_folders(&mut self) {
        self.status.all_files.store(true, Ordering::Relaxed);
        for folder in walked_folders(&self.root, &self.root) {
            if !self.watch_folder(&folder) {
                return;
            }
        }
        (self.report_change)(FolderChange::Refresh { path: None });
    }

    /// Watches a folder. Returns whether watching may continue: true if the folder is watched or
    /// was deleted in the meantime. Otherwise, records the failure and returns false.
    fn watch_folder(&mut self, folder: &Path) -> bool {
        match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => true,
            Err(_) if !folder.exists() => true,
            Err(error) => {
                self.status.record_failure(folder, &error);
                false
            }
        }
    }

    /// Adds the paths whose change an event reports.
    fn collect_paths(&self, event: notify::Result<Event>, paths: &mut BTreeSet<PathBuf>) {
        match event {
            Ok(event) if event.need_rescan() => {
                paths.insert(self.root.clone());
            }
            Ok(event) => match event.kind {
                // Reading a file, or changing only its metadata, does not change the graph.
                EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => {}
                _ => paths.extend(event.paths),
            },
            Err(error) => self.status.record_failure(&self.root, &error),
        }
    }

    /// Reports a changed path. If it is a new folder, watches it with all its subfolders.
    fn report_path(&mut self, path: &Path) {
        let parent = path.parent().unwrap_or(path);
        if self.git_folders.iter().any(|folder| folder == parent) {
            if path.file_name().is_some_and(|name| name == "HEAD") {
                (self.report_change)(FolderChange::Refresh { path: None });
            }
            return;
        }
        let Ok(relative) = path.strip_prefix(&self.root) else { return };
        let Some(relative) = relative.to_str() else { return };
        if path.is_dir() {
            if self.status.all_files.load(Ordering::Relaxed) {
                for folder in walked_folders(&self.root, path) {
                    self.watch_folder(&folder);
                }
            }
        } else if path.exists()
            && !RefreshScope::can_affect_graph(relative)
            && relative != config_file::FILE_NAME
        {
            return;
        }
        (self.report_change)(FolderChange::Refresh {
            path: (!relative.is_empty()).then(|| relative.replace('\\', "/")),
        });
    }
}
