//! The connections of a process to `facts.db`. There are two, so that a reader never waits while
//! indexing stores a batch. A damaged cache is immediately set aside and replaced with an empty
//! one, and the failed query is repeated.

use super::error::is_damage;
use super::{DatabasePaths, WorkspaceError, repairs::RepairLog};
use crate::extract::extractor_version;
use kenning_graph::store::{FactsStore, StoreError, is_kenning_database, set_aside};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The purpose of a connection.
#[derive(Clone, Copy)]
pub(super) enum ConnectionUse {
    Indexing,
    Answering,
}

/// The fact cache of one process.
pub(super) struct FactsCache {
    path: PathBuf,
    /// One connection for each [`ConnectionUse`]; `None` once the workspace is closed. Code that
    /// locks both locks them in this order.
    connections: [Mutex<Option<FactsStore>>; 2],
    /// The identity of the open file.
    file: Mutex<FileIdentity>,
    /// The number of times the file was replaced since the process opened it.
    replaced: AtomicU32,
    repairs: RepairLog,
}

impl FactsCache {
    /// Opens or creates the cache at these paths, and sets a damaged one aside. Kenning's cache
    /// folder holds only its own databases, so a file there that looks like another program's is
    /// damaged.
    pub fn open(paths: &DatabasePaths, repairs: RepairLog) -> Result<Self, WorkspaceError> {
        let path = &paths.facts;
        let mut replaced = 0;
        let [indexing, answering] = match open_connections(path) {
            Err(error @ StoreError::Foreign { .. }) if !paths.named_by_user => {
                replaced = 1;
                replace_database(path, error, &repairs)?
            }
            // A file that the user put next to a named database is left in place.
            Err(error) if is_damage(&error) && paths.named_by_user && !is_kenning_database(path) => {
                return Err(WorkspaceError::DamagedInPlace(error));
            }
            Err(error) if is_damage(&error) => {
                replaced = 1;
                replace_database(path, error, &repairs)?
            }
            other => other?,
        };
        Ok(Self {
            path: path.to_owned(),
            connections: [Mutex::new(Some(indexing)), Mutex::new(Some(answering))],
            file: Mutex::new(FileIdentity::from_path(path)),
            replaced: AtomicU32::new(replaced),
            repairs,
        })
    }

    /// Returns the path of the database.
    pub fn database_path(&self) -> &Path {
        &self.path
    }

    /// Whether a damaged cache was set aside since the process opened it. Its contents then have to
    /// be read again.
    pub fn was_replaced(&self) -> bool {
        self.replaced.load(Ordering::Acquire) > 0
    }

    /// Calls `query` with the cache, and calls it again if the cache was damaged and had to be
    /// replaced.
    ///
    /// # Errors
    /// Returns the errors of the database, and [`WorkspaceError::Closed`] after
    /// [`FactsCache::close_connections`].
    pub fn with_store<T>(
        &self,
        purpose: ConnectionUse,
        query: impl Fn(&mut FactsStore) -> Result<T, StoreError>,
    ) -> Result<T, WorkspaceError> {
        let before = self.replaced.load(Ordering::Acquire);
        let result = self.call_store(purpose, &query)?;
        match result {
            Err(error) if is_damage(&error) => {
                self.replace_damaged(before, error)?;
                Ok(self.call_store(purpose, &query)??)
            }
            other => Ok(other?),
        }
    }

    fn call_store<T>(
        &self,
        purpose: ConnectionUse,
        query: impl Fn(&mut FactsStore) -> T,
    ) -> Result<T, WorkspaceError> {
        let mut connection = lock_mutex(&self.connections[purpose as usize]);
        Ok(query(connection.as_mut().ok_or(WorkspaceError::Closed)?))
    }

    /// Sets the damaged cache aside, unless another thread has done so since `before` was read.
    fn replace_damaged(&self, before: u32, error: StoreError) -> Result<(), WorkspaceError> {
        let (mut indexing, mut answering) =
            (lock_mutex(&self.connections[0]), lock_mutex(&self.connections[1]));
        if self.replaced.load(Ordering::Acquire) != before {
            return Ok(());
        }
        // Closing a database removes the write-ahead log at its path. The old connections are
        // closed first, so that they cannot remove the log of the new database.
        (*indexing, *answering) = (None, None);
        let mut file = lock_mutex(&self.file);
        let [new_indexing, new_answering] = if *file == FileIdentity::from_path(&self.path) {
            replace_database(&self.path, error, &self.repairs)?
        } else {
            // Another process has already set the file aside.
            open_connections(&self.path)?
        };
        (*indexing, *answering) = (Some(new_indexing), Some(new_answering));
        *file = FileIdentity::from_path(&self.path);
        self.replaced.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Closes the connections, even while other threads hold the cache. The last process to close
    /// the database leaves no files next to it.
    pub fn close_connections(&self) {
        for connection in &self.connections {
            *lock_mutex(connection) = None;
        }
    }
}

fn open_connections(path: &Path) -> Result<[FactsStore; 2], StoreError> {
    Ok([FactsStore::open(path, extractor_version())?, FactsStore::open(path, extractor_version())?])
}

/// Sets a damaged cache aside and creates a new one.
fn replace_database(
    path: &Path,
    error: StoreError,
    repairs: &RepairLog,
) -> Result<[FactsStore; 2], WorkspaceError> {
    let Ok(aside) = set_aside(path, super::facts_source::now_seconds()) else {
        return Err(WorkspaceError::DamagedInPlace(error));
    };
    repairs.record_repair(format!("{error}: Kenning moved it to {} and rebuilds it", aside.display()));
    Ok(open_connections(path)?)
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The identity of the file at a path, on systems that provide one.
#[derive(PartialEq, Eq)]
struct FileIdentity(Option<(u64, u64)>);

impl FileIdentity {
    #[cfg(unix)]
    fn from_path(path: &Path) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self(std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino())))
    }

    #[cfg(not(unix))]
    fn from_path(_: &Path) -> Self {
        Self(None)
    }
}
