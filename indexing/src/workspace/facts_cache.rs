//! `facts.db` as a process has it open: over two connections, so that who reads never waits for a batch of the indexing. A
//! damaged cache is set aside and rebuilt at once, and what was asked of it is asked again.

use super::error::is_damage;
use super::{DatabasePaths, WorkspaceError, repairs::RepairLog};
use crate::extract::EXTRACTOR_VERSION;
use kenning_graph::store::{FactsStore, StoreError, set_aside};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a connection is for.
#[derive(Clone, Copy)]
pub(super) enum ConnectionUse {
    Indexing,
    Answering,
}

/// The cache of one process.
pub(super) struct FactsCache {
    path: PathBuf,
    /// One for each [`ConnectionUse`]; none once the workspace is closed. Taken in this order where both are.
    connections: [Mutex<Option<FactsStore>>; 2],
    /// The file that is open.
    file: Mutex<FileIdentity>,
    /// How often the file was replaced since the process opened it.
    replaced: AtomicU32,
    repairs: RepairLog,
}

impl FactsCache {
    /// Opens or makes the cache of these places; one that is damaged is set aside. In Kenning's cache folder there are no
    /// databases of other programs: one that seems to be is damaged.
    pub fn open(places: &DatabasePaths, repairs: RepairLog) -> Result<Self, WorkspaceError> {
        let path = &places.facts;
        let mut replaced = 0;
        let [first, second] = match open_connections(path) {
            Err(error @ StoreError::Foreign { .. }) if !places.named_by_user => {
                replaced = 1;
                replace_database(path, error, &repairs)?
            }
            Err(error) if is_damage(&error) => {
                replaced = 1;
                replace_database(path, error, &repairs)?
            }
            other => other?,
        };
        Ok(Self {
            path: path.to_owned(),
            connections: [Mutex::new(Some(first)), Mutex::new(Some(second))],
            file: Mutex::new(FileIdentity::from_path(path)),
            replaced: AtomicU32::new(replaced),
            repairs,
        })
    }

    pub fn database_path(&self) -> &Path {
        &self.path
    }

    /// Whether a damaged cache was set aside since the process opened it: what it held has to be read again.
    pub fn was_replaced(&self) -> bool {
        self.replaced.load(Ordering::Acquire) > 0
    }

    /// Asks the cache, and asks again when it had to be set aside.
    ///
    /// # Errors
    /// Those of the database; [`WorkspaceError::Closed`] after [`FactsCache::close_connections`].
    pub fn with_store<T>(
        &self,
        which: ConnectionUse,
        ask: impl Fn(&mut FactsStore) -> Result<T, StoreError>,
    ) -> Result<T, WorkspaceError> {
        let before = self.replaced.load(Ordering::Acquire);
        let asked = self.call_store(which, &ask)?;
        match asked {
            Err(error) if is_damage(&error) => {
                self.replace_damaged(before, error)?;
                Ok(self.call_store(which, &ask)??)
            }
            other => Ok(other?),
        }
    }

    fn call_store<T>(
        &self,
        which: ConnectionUse,
        ask: impl Fn(&mut FactsStore) -> T,
    ) -> Result<T, WorkspaceError> {
        let mut connection = lock_mutex(&self.connections[which as usize]);
        Ok(ask(connection.as_mut().ok_or(WorkspaceError::Closed)?))
    }

    /// Sets the damaged cache aside, unless another thread did since `before`.
    fn replace_damaged(&self, before: u32, error: StoreError) -> Result<(), WorkspaceError> {
        let (mut first, mut second) = (lock_mutex(&self.connections[0]), lock_mutex(&self.connections[1]));
        if self.replaced.load(Ordering::Acquire) != before {
            return Ok(());
        }
        // Who closes a database removes the log beside its path: this must not be that of the new one.
        (*first, *second) = (None, None);
        let mut file = lock_mutex(&self.file);
        let [one, other] = if *file == FileIdentity::from_path(&self.path) {
            replace_database(&self.path, error, &self.repairs)?
        } else {
            // Another process has set it aside.
            open_connections(&self.path)?
        };
        (*first, *second) = (Some(one), Some(other));
        *file = FileIdentity::from_path(&self.path);
        self.replaced.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Closes the connections, whoever still holds the cache: the last one to be closed leaves nothing beside the database.
    pub fn close_connections(&self) {
        for connection in &self.connections {
            *lock_mutex(connection) = None;
        }
    }
}

fn open_connections(path: &Path) -> Result<[FactsStore; 2], StoreError> {
    Ok([FactsStore::open(path, EXTRACTOR_VERSION)?, FactsStore::open(path, EXTRACTOR_VERSION)?])
}

/// Sets a damaged cache aside and makes a new one.
fn replace_database(
    path: &Path,
    error: StoreError,
    repairs: &RepairLog,
) -> Result<[FactsStore; 2], WorkspaceError> {
    let Ok(aside) = set_aside(path, super::facts_source::now_seconds()) else {
        return Err(WorkspaceError::DamagedByName(error));
    };
    repairs.record_repair(format!("{error}: it was set aside as {} and is made anew", aside.display()));
    Ok(open_connections(path)?)
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which file a path leads to, where the system tells.
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
