//! The learning of one client's session, and the packs that the session was sent.

use super::{LearnedEvidence, RecentlyShown, ServedPack, ServedPacks};
use crate::answer::PackQuestion;
use kenning_graph::Snapshot;
use kenning_graph::store::MemoryLocation;
use kenning_retrieval::Pack;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The learning of one session. Sessions do not share it: explicit feedback goes to `memory.db`,
/// and the rest ends with the session.
#[derive(Debug, Default)]
pub struct SessionLearning {
    recent: Mutex<BTreeMap<PathBuf, RecentlyShown>>,
    served: Mutex<ServedPacks>,
}

impl SessionLearning {
    /// Returns the evidence for a question about a folder at this moment; `None` for a question
    /// without learning. If the database cannot be read, a warning is logged and only the session's
    /// own evidence is used.
    pub fn evidence_for_question(
        &self,
        folder: &Path,
        memory: Option<&MemoryLocation>,
        snapshot: &Snapshot,
        question: &PackQuestion,
        now: Instant,
    ) -> Option<LearnedEvidence> {
        if question.no_learning {
            return None;
        }
        let cluster = question.feedback_cluster();
        let read = memory
            .map(|location| LearnedEvidence::read_for_cluster(location, cluster.as_ref(), snapshot))
            .transpose();
        let learned = read.unwrap_or_else(|error| {
            tracing::warn!(%error, "a pack does not use learned feedback");
            None
        });
        if let Some(salvage) = learned.as_ref().and_then(LearnedEvidence::salvage_report) {
            tracing::warn!("{salvage}");
        }
        let config = question.config.rank_config().evidence;
        let boosts = lock_mutex(&self.recent)
            .get(folder)
            .map(|recent| recent.boosts_for_cluster(cluster, now, &config));
        Some(learned.unwrap_or_default().with_session_boosts(boosts.unwrap_or_default()))
    }

    /// Records that the client was sent a pack, unless its question excluded learning.
    pub fn record_served(&self, folder: &Path, question: &PackQuestion, pack: &Pack, now: Instant) {
        if question.no_learning {
            return;
        }
        let config = question.config.rank_config().evidence;
        let symbols = pack.symbols.iter().map(|symbol| symbol.id);
        let cluster = question.feedback_cluster();
        let mut recent = lock_mutex(&self.recent);
        recent.entry(folder.to_owned()).or_default().record_shown(symbols, cluster, now, &config);
        drop(recent);
        if let Some(cluster) = cluster {
            let pack = ServedPack { root: pack.pack_root, folder: folder.to_owned(), cluster };
            lock_mutex(&self.served).record_pack(pack);
        }
    }

    /// Returns the recently sent pack that a root, or its prefix, identifies.
    pub fn find_pack(&self, root: &str) -> Option<ServedPack> {
        lock_mutex(&self.served).find_by_root(root).cloned()
    }

    /// Removes the record of shown symbols of a folder that is no longer served. Sent packs remain
    /// recorded.
    pub fn forget_folder(&self, folder: &Path) {
        lock_mutex(&self.recent).remove(folder);
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
