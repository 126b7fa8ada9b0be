//! Damage that was found and repaired while a workspace was open, kept until it is reported.

use std::sync::{Arc, Mutex, PoisonError};

/// Sentences about damage, shared by all that may find some.
#[derive(Clone, Default)]
pub(super) struct RepairLog(Arc<Mutex<Vec<String>>>);

impl RepairLog {
    /// Notes what was damaged and what became of it.
    pub fn record_repair(&self, sentence: String) {
        tracing::warn!("{sentence}");
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sentence);
    }

    /// What was noted since this was asked last.
    pub fn take_all(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
