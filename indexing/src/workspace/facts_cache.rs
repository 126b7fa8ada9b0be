//! `facts.db` as a process has it open: over two connections, so that who reads never waits for a batch of the indexing. A
//! damaged cache is set aside and made anew at once, and what was asked of it is asked again.

use super::error::is_damage;
use super::{Places, WorkspaceError, repairs::Repairs};
use crate::extract::EXTRACTOR_VERSION;
use kenning_graph::store::{FactsStore, StoreError, set_aside};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a connection is for.
#[derive(Clone, Copy)]
pub(super) enum Use {
    Indexing,
    Answering,
}

/// The cache of one process.
pub(super) struct FactsCache {
    path: PathBuf,
    /// One for each [`Use`]; none once the workspace is closed. Taken in this order where both are.
    connections: [Mutex<Option<FactsStore>>; 2],
    /// The file that is open.
    file: Mutex<FileIdentity>,
    /// How often the file was replaced since the process opened it.
    replaced: AtomicU32,
    repairs: Repairs,
}

impl FactsCache {
    /// Opens or makes the cache of these places; one that is damaged is set aside. In Kenning's cache folder there are no
    /// databases of other programs: one that seems to be is damaged.
    pub fn open(places: &Places, repairs: Repairs) -> Result<Self, WorkspaceError> {
        let path = &places.facts;
        let mut replaced = 0;
        let [first, second] = match open_both(path) {
            Err(error @ StoreError::Foreign { .. }) if !places.named_by_user => {
                replaced = 1;
                replace(path, error, &repairs)?
            }
            Err(error) if is_damage(&error) => {
                replaced = 1;
                replace(path, error, &repairs)?
            }
            other => other?,
        };
        Ok(Self {
            path: path.to_owned(),
            connections: [Mutex::new(Some(first)), Mutex::new(Some(second))],
            file: Mutex::new(FileIdentity::of(path)),
            replaced: AtomicU32::new(replaced),
            repairs,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a damaged cache was set aside since the process opened it: what it held has to be read again.
    pub fn was_replaced(&self) -> bool {
        self.replaced.load(Ordering::Acquire) > 0
    }

    /// Asks the cache, and asks again when it had to be set aside.
    ///
    /// # Errors
    /// Those of the database; [`WorkspaceError::Closed`] after [`FactsCache::close`].
    pub fn with<T>(
        &self,
        which: Use,
        ask: impl Fn(&mut FactsStore) -> Result<T, StoreError>,
    ) -> Result<T, WorkspaceError> {
        let before = self.replaced.load(Ordering::Acquire);
        let asked = self.ask(which, &ask)?;
        match asked {
            Err(error) if is_damage(&error) => {
                self.replace(before, error)?;
                Ok(self.ask(which, &ask)??)
            }
            other => Ok(other?),
        }
    }

    fn ask<T>(&self, which: Use, ask: impl Fn(&mut FactsStore) -> T) -> Result<T, WorkspaceError> {
        let mut connection = lock(&self.connections[which as usize]);
        Ok(ask(connection.as_mut().ok_or(WorkspaceError::Closed)?))
    }

    /// Sets the damaged cache aside, unless another thread did since `before`.
    fn replace(&self, before: u32, error: StoreError) -> Result<(), WorkspaceError> {
        let (mut first, mut second) = (lock(&self.connections[0]), lock(&self.connections[1]));
        if self.replaced.load(Ordering::Acquire) != before {
            return Ok(());
        }
        // Who closes a database removes the log beside its path: this must not be that of the new one.
        (*first, *second) = (None, None);
        let mut file = lock(&self.file);
        let [one, other] = if *file == FileIdentity::of(&self.path) {
            replace(&self.path, error, &self.repairs)?
        } else {
            // Another process has set it aside.
            open_both(&self.path)?
        };
        (*first, *second) = (Some(one), Some(other));
        *file = FileIdentity::of(&self.path);
        self.replaced.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Closes the connections, whoever still holds the cache: the last one to be closed leaves nothing beside the database.
    pub fn close(&self) {
        for connection in &self.connections {
            *lock(connection) = None;
        }
    }
}

fn open_both(path: &Path) -> Result<[FactsStore; 2], StoreError> {
    Ok([FactsStore::open(path, EXTRACTOR_VERSION)?, FactsStore::open(path, EXTRACTOR_VERSION)?])
}

/// Sets a damaged cache aside and makes a new one.
fn replace(path: &Path, error: StoreError, repairs: &Repairs) -> Result<[FactsStore; 2], WorkspaceError> {
    let Ok(aside) = set_aside(path, super::facts::now_seconds()) else {
        return Err(WorkspaceError::DamagedByName(error));
    };
    repairs.note(format!("{error}: it was set aside as {} and is made anew", aside.display()));
    Ok(open_both(path)?)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which file a path leads to, where the system tells.
#[derive(PartialEq, Eq)]
struct FileIdentity(Option<(u64, u64)>);

impl FileIdentity {
    #[cfg(unix)]
    fn of(path: &Path) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self(std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino())))
    }

    #[cfg(not(unix))]
    fn of(_: &Path) -> Self {
        Self(None)
    }
}
