//! What one client's session taught, and what it was handed out.

use super::{Learned, Recent, Served, ServedPack};
use crate::answer::Question;
use kenning_graph::Snapshot;
use kenning_graph::store::MemoryPlace;
use kenning_retrieval::Pack;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The learning of one session. No session sees another's: what is explicit goes to `memory.db`, the rest ends with it.
#[derive(Debug, Default)]
pub struct SessionLearning {
    recent: Mutex<BTreeMap<PathBuf, Recent>>,
    served: Mutex<Served>,
}

impl SessionLearning {
    /// What counts for a question about a folder at this moment; `None` for a question without learning. A database
    /// that cannot be read is told of in the log; the session's own part counts still.
    pub fn for_question(
        &self,
        folder: &Path,
        memory: Option<&MemoryPlace>,
        snapshot: &Snapshot,
        question: &Question,
        now: Instant,
    ) -> Option<Learned> {
        if question.no_learning {
            return None;
        }
        let cluster = question.cluster();
        let read = memory.map(|place| Learned::read(place, cluster.as_ref(), snapshot)).transpose();
        let learned = read.unwrap_or_else(|error| {
            tracing::warn!(%error, "a pack is without the feedback that was given");
            None
        });
        if let Some(salvage) = learned.as_ref().and_then(Learned::salvage) {
            tracing::warn!("{salvage}");
        }
        let config = question.config.config().evidence;
        let boosts = lock(&self.recent).get(folder).map(|recent| recent.boosts(cluster, now, &config));
        Some(learned.unwrap_or_default().with_session(boosts.unwrap_or_default()))
    }

    /// Notes that a client was given a pack, unless it was asked for without learning.
    pub fn served(&self, folder: &Path, question: &Question, pack: &Pack, now: Instant) {
        if question.no_learning {
            return;
        }
        let config = question.config.config().evidence;
        let shown = pack.symbols.iter().map(|symbol| symbol.id);
        let cluster = question.cluster();
        let mut recent = lock(&self.recent);
        recent.entry(folder.to_owned()).or_default().record(shown, cluster, now, &config);
        drop(recent);
        if let Some(cluster) = cluster {
            let pack = ServedPack { root: pack.pack_root, folder: folder.to_owned(), cluster };
            lock(&self.served).note(pack);
        }
    }

    /// The pack that a client means by a root.
    pub fn find(&self, root: &str) -> Option<ServedPack> {
        lock(&self.served).find(root).cloned()
    }

    /// Forgets what belongs to a folder that is no longer served.
    pub fn forget(&self, folder: &Path) {
        lock(&self.recent).remove(folder);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
