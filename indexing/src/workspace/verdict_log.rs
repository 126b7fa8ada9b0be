//! The stored verdicts of language servers. Opening a workspace reads them; enrichment adds
//! verdicts.

use super::WorkspaceError;
use crate::extract::EXTRACTOR_VERSION;
use crate::resolve::{RESOLVER_VERSION, is_test_file};
use kenning_graph::Snapshot;
use kenning_graph::store::{StoreError, VerdictStore};
use kenning_graph::verdicts::{ServerResolution, Verdict, VerdictAnswer};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The version of the rules behind stored verdicts. The extractor numbers the references, and the
/// resolver determines their edges.
const RULES_VERSION: u32 = EXTRACTOR_VERSION * 1000 + RESOLVER_VERSION;

/// The verdicts in the database of a workspace.
pub struct VerdictLog {
    /// The database; `None` once the workspace is closed.
    store: Mutex<Option<VerdictStore>>,
    /// The verdicts that were read when the database was opened, until they are taken.
    initial_verdicts: Mutex<Option<Vec<Verdict>>>,
    /// Damage that was found after opening, until it is taken.
    damage: Mutex<Option<StoreError>>,
}

impl VerdictLog {
    /// Opens the database and reads all verdicts, so that damage is found before any answer uses
    /// them.
    pub(super) fn open(path: &Path) -> Result<Self, WorkspaceError> {
        Self::from_store(VerdictStore::open(path, RULES_VERSION)?)
    }

    /// Opens verdicts that exist only in the memory of this process.
    pub(super) fn open_in_memory(path: &Path) -> Result<Self, WorkspaceError> {
        Self::from_store(VerdictStore::open_in_memory(path, RULES_VERSION)?)
    }

    fn from_store(mut store: VerdictStore) -> Result<Self, WorkspaceError> {
        let initial_verdicts = Mutex::new(Some(store.load_unread()?));
        Ok(Self { store: Mutex::new(Some(store)), initial_verdicts, damage: Mutex::default() })
    }

    /// Returns the verdicts that were added since the last call. Returns none if they cannot be
    /// read; the error is logged, and damage is kept for [`Self::take_damage`].
    pub(super) fn load_unread(&self) -> Vec<Verdict> {
        let unread =
            lock_mutex(&self.store).as_mut().map_or_else(|| Ok(Vec::new()), VerdictStore::load_unread);
        unread.unwrap_or_else(|error| {
            tracing::warn!("cannot read the stored answers of language servers: {error}");
            *lock_mutex(&self.damage) = Some(error).filter(StoreError::is_damage);
            Vec::new()
        })
    }

    /// Returns all stored verdicts.
    pub(super) fn load_all(&self) -> Vec<Verdict> {
        if let Some(verdicts) = lock_mutex(&self.initial_verdicts).take() {
            return verdicts;
        }
        if let Some(store) = &mut *lock_mutex(&self.store) {
            store.mark_all_unread();
        }
        self.load_unread()
    }

    /// Takes the damage that was found since the last call.
    pub(super) fn take_damage(&self) -> Option<StoreError> {
        lock_mutex(&self.damage).take()
    }

    /// Closes the database, even while other threads hold the log.
    pub(super) fn close_database(&self) {
        *lock_mutex(&self.store) = None;
    }

    fn with_store<T>(
        &self,
        query: impl FnOnce(&mut VerdictStore) -> Result<T, StoreError>,
    ) -> Result<T, WorkspaceError> {
        Ok(query(lock_mutex(&self.store).as_mut().ok_or(WorkspaceError::Closed)?)?)
    }

    /// Stores verdicts. The graph shows them after [`super::LiveIndex::apply_verdicts`].
    ///
    /// # Errors
    /// Returns the errors of the database; nothing is stored then.
    pub fn insert_verdicts(&self, verdicts: &[Verdict]) -> Result<(), WorkspaceError> {
        self.with_store(|store| store.insert_verdicts(verdicts))
    }

    /// Deletes the verdicts of one language server, or all of them with `None`. Takes effect when
    /// the workspace is opened again. Returns the number of deleted verdicts.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub fn forget_verdicts(&self, server: Option<&str>) -> Result<usize, WorkspaceError> {
        self.with_store(|store| store.forget_verdicts(server))
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the edges that only targets outside test code may have, if the target of a verdict is
/// test code. The rules of the language decide which files hold tests.
pub fn remove_test_only_edges(snapshot: &Snapshot, verdict: &mut Verdict) {
    let VerdictAnswer::Reference {
        reference,
        resolution: ServerResolution::Confirmed(target) | ServerResolution::Retargeted(target),
    } = &mut verdict.answer
    else {
        return;
    };
    let symbol = snapshot.symbol_by_hash(&target.symbol).and_then(|id| snapshot.symbol(id));
    if symbol.is_some_and(|symbol| symbol.is_test || is_test_file(symbol.language, symbol.path)) {
        reference.target_edges.retain(|edge| !edge.excludes_tests);
    }
}
