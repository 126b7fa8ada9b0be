//! The reports of damage that was found and repaired while a workspace was open.

use std::sync::{Arc, Mutex, PoisonError};

/// A list of reports, one sentence each, shared by everything that can find damage.
#[derive(Clone, Default)]
pub(super) struct RepairLog(Arc<Mutex<Vec<String>>>);

impl RepairLog {
    /// Adds a report that names the damaged file and the repair, and logs it.
    pub fn record_repair(&self, sentence: String) {
        tracing::warn!("{sentence}");
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sentence);
    }

    /// Takes the reports that were added since the last call.
    pub fn take_reports(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
