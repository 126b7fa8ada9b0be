//! What language servers said, as the workspace keeps it: read when it is opened, added to while it is enriched.

use super::WorkspaceError;
use crate::extract::EXTRACTOR_VERSION;
use crate::resolve::{RESOLVER_VERSION, is_test_file};
use kenning_graph::Snapshot;
use kenning_graph::store::{StoreError, VerdictStore};
use kenning_graph::verdicts::{ServerResolution, Verdict, VerdictAnswer};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// References are counted by the extractor, and the edges that they make are the resolver's.
const RULES: u32 = EXTRACTOR_VERSION * 1000 + RESOLVER_VERSION;

/// The verdicts in the database of a workspace.
pub struct VerdictLog {
    /// None once the workspace is closed.
    store: Mutex<Option<VerdictStore>>,
    /// What was read when it was opened, until it is asked for.
    opened_with: Mutex<Option<Vec<Verdict>>>,
    /// Damage that was found since.
    damage: Mutex<Option<StoreError>>,
}

impl VerdictLog {
    /// Opens the verdicts and reads all of them: damage is to be found before anything is answered from them.
    pub(super) fn open(path: &Path) -> Result<Self, WorkspaceError> {
        Self::from_store(VerdictStore::open(path, RULES)?)
    }

    /// Verdicts in the memory of this process.
    pub(super) fn open_in_memory(path: &Path) -> Result<Self, WorkspaceError> {
        Self::from_store(VerdictStore::open_in_memory(path, RULES)?)
    }

    fn from_store(mut store: VerdictStore) -> Result<Self, WorkspaceError> {
        let opened_with = Mutex::new(Some(store.load_unread()?));
        Ok(Self { store: Mutex::new(Some(store)), opened_with, damage: Mutex::default() })
    }

    /// The verdicts since the last call; none where they cannot be read, which is reported.
    pub(super) fn load_unread(&self) -> Vec<Verdict> {
        let unread =
            lock_mutex(&self.store).as_mut().map_or_else(|| Ok(Vec::new()), VerdictStore::load_unread);
        unread.unwrap_or_else(|error| {
            tracing::warn!("what language servers said is not read: {error}");
            *lock_mutex(&self.damage) = Some(error).filter(StoreError::is_damage);
            Vec::new()
        })
    }

    /// Everything that is kept.
    pub(super) fn load_all(&self) -> Vec<Verdict> {
        if let Some(verdicts) = lock_mutex(&self.opened_with).take() {
            return verdicts;
        }
        if let Some(store) = &mut *lock_mutex(&self.store) {
            store.mark_all_unread();
        }
        self.load_unread()
    }

    /// Damage that was found since this was asked last.
    pub(super) fn take_damage(&self) -> Option<StoreError> {
        lock_mutex(&self.damage).take()
    }

    /// Closes the database, whoever still holds the log.
    pub(super) fn close_database(&self) {
        *lock_mutex(&self.store) = None;
    }

    fn with_store<T>(
        &self,
        ask: impl FnOnce(&mut VerdictStore) -> Result<T, StoreError>,
    ) -> Result<T, WorkspaceError> {
        Ok(ask(lock_mutex(&self.store).as_mut().ok_or(WorkspaceError::Closed)?)?)
    }

    /// Keeps what language servers said; the graph shows it after [`super::LiveIndex::apply_verdicts`].
    ///
    /// # Errors
    /// Those of the database; then nothing was kept.
    pub fn insert_verdicts(&self, verdicts: &[Verdict]) -> Result<(), WorkspaceError> {
        self.with_store(|store| store.insert_verdicts(verdicts))
    }

    /// Forgets what one language server said, or all of them; takes effect when the workspace is opened again. Returns the
    /// number of answers.
    ///
    /// # Errors
    /// Those of the database.
    pub fn forget_verdicts(&self, server: Option<&str>) -> Result<usize, WorkspaceError> {
        self.with_store(|store| store.forget_verdicts(server))
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes from a verdict the edges that only targets outside of test code get, where its target is test code: only the rules
/// of the language know which files hold it.
pub fn remove_test_only_edges(snapshot: &Snapshot, verdict: &mut Verdict) {
    let VerdictAnswer::Reference {
        reference,
        is: ServerResolution::Confirmed(target) | ServerResolution::Retargeted(target),
    } = &mut verdict.answer
    else {
        return;
    };
    let symbol = snapshot.symbol_by_hash(&target.symbol).and_then(|id| snapshot.symbol(id));
    if symbol.is_some_and(|symbol| symbol.is_test || is_test_file(symbol.language, symbol.path)) {
        reference.makes.retain(|made| !made.not_to_tests);
    }
}
