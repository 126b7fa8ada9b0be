//! What language servers said, as the workspace keeps it: read when it is opened, added to while it is enriched.

use super::WorkspaceError;
use crate::extract::EXTRACTOR_VERSION;
use crate::resolve::{RESOLVER_VERSION, is_test_file};
use kenning_graph::Snapshot;
use kenning_graph::store::VerdictStore;
use kenning_graph::verdicts::{Answer, Resolution, Verdict};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// References are counted by the extractor, and the edges that they make are the resolver's.
const RULES: u32 = EXTRACTOR_VERSION * 1000 + RESOLVER_VERSION;

/// The verdicts in the database of a workspace.
pub(super) struct VerdictLog {
    store: Mutex<VerdictStore>,
}

impl VerdictLog {
    pub fn open(path: &Path) -> Result<Self, WorkspaceError> {
        Ok(Self { store: Mutex::new(VerdictStore::open(path, RULES)?) })
    }

    /// What came since this was asked last; nothing where it cannot be read, which is told of.
    pub fn unread(&self) -> Vec<Verdict> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.unread().unwrap_or_else(|error| {
            tracing::warn!("what language servers said is not read: {error}");
            Vec::new()
        })
    }

    /// Everything that is kept.
    pub fn all(&self) -> Vec<Verdict> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner).rewind();
        self.unread()
    }

    pub fn put(&self, verdicts: &[Verdict]) -> Result<(), WorkspaceError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(store.put(verdicts)?)
    }

    pub fn forget(&self, server: Option<&str>) -> Result<usize, WorkspaceError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(store.forget(server)?)
    }
}

/// Takes from a verdict the edges that only targets outside of test code get, where its target is test code: only the rules
/// of the language know which files hold it.
pub fn without_tests_of_tests(snapshot: &Snapshot, verdict: &mut Verdict) {
    let Answer::Reference { reference, is: Resolution::Confirmed(target) | Resolution::Retargeted(target) } =
        &mut verdict.answer
    else {
        return;
    };
    let symbol = snapshot.symbol_by_hash(&target.symbol).and_then(|id| snapshot.symbol(id));
    if symbol.is_some_and(|symbol| symbol.is_test || is_test_file(symbol.language, symbol.path)) {
        reference.makes.retain(|made| !made.not_to_tests);
    }
}
