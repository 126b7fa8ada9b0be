//! The learning of one client's session, and the packs that the session sent.

use super::task_memory::remember_pack;
use super::{
    LearnedEvidence, PackUse, ReaderAction, RecentlyShown, ServedPack, ServedPacks, build_use_event,
    detect_used,
};
use crate::answer::PackQuestion;
use kenning_graph::Snapshot;
use kenning_graph::store::MemoryLocation;
use kenning_retrieval::Pack;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The learning of one session. Sessions do not share it: feedback and uses go to `memory.db`, and
/// the rest ends with the session.
#[derive(Debug, Default)]
pub struct SessionLearning {
    recent: Mutex<BTreeMap<PathBuf, RecentlyShown>>,
    served: Mutex<ServedPacks>,
}

impl SessionLearning {
    /// Returns the evidence for a question about a folder at this moment; `None` for a question
    /// without learning. If the database cannot be read, logs a warning and uses only the session's
    /// own evidence.
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
        let key = question.learning_key();
        let read =
            memory.map(|location| LearnedEvidence::read_for_question(location, &key, snapshot)).transpose();
        let learned = read.unwrap_or_else(|error| {
            tracing::warn!(%error, "a pack does not use learned feedback");
            None
        });
        if let Some(salvage) = learned.as_ref().and_then(LearnedEvidence::salvage_report) {
            tracing::warn!("{salvage}");
        }
        let config = question.config.evidence;
        let boosts = lock_mutex(&self.recent)
            .get(folder)
            .map(|recent| recent.boosts_for_cluster(key.cluster, now, &config));
        Some(learned.unwrap_or_default().with_session_boosts(boosts.unwrap_or_default()))
    }

    /// Records that the client was sent a pack, unless its question excluded learning. Stores which
    /// symbols of the last pack for similar tasks the reader left unused.
    pub fn record_served(
        &self,
        folder: &Path,
        memory: Option<&MemoryLocation>,
        snapshot: &Snapshot,
        question: &PackQuestion,
        pack: &Pack,
        now: Instant,
    ) {
        if question.no_learning {
            return;
        }
        let config = question.config.evidence;
        let symbols = pack.symbols.iter().map(|symbol| symbol.id);
        let key = question.learning_key();
        let mut recent = lock_mutex(&self.recent);
        recent.entry(folder.to_owned()).or_default().record_shown(symbols, key.cluster, now, &config);
        drop(recent);
        if let Err(error) = remember_pack(memory, snapshot, question, pack) {
            tracing::warn!(%error, "the task memory does not remember a pack");
        }
        let Some(cluster) = key.cluster else { return };
        let served = ServedPack {
            root: pack.pack_root,
            folder: folder.to_owned(),
            cluster,
            keywords: key.keywords,
            symbols: pack.symbols.iter().map(|symbol| symbol.id).collect(),
            used: BTreeSet::new(),
            at: now,
        };
        let unused = lock_mutex(&self.served).record_pack(served);
        store_uses(memory, snapshot, unused.as_slice());
    }

    /// Whether an action in the folder can use a symbol of a pack. This is cheap, so that editing
    /// costs nothing while no pack is in use.
    pub fn awaits_use(&self, folder: &Path, now: Instant) -> bool {
        !lock_mutex(&self.served).pending_symbols(folder, now).is_empty()
    }

    /// Records the symbols of recent packs that an action of the client uses, each once per pack.
    pub fn record_action(
        &self,
        folder: &Path,
        memory: Option<&MemoryLocation>,
        snapshot: &Snapshot,
        action: &ReaderAction,
        now: Instant,
    ) {
        let pending = lock_mutex(&self.served).pending_symbols(folder, now);
        let used = detect_used(snapshot, &pending, action);
        if !used.is_empty() {
            let uses = lock_mutex(&self.served).mark_used(folder, &used, now);
            store_uses(memory, snapshot, &uses);
        }
    }

    /// Returns the recently sent pack that a root, or its prefix, identifies.
    pub fn find_pack(&self, root: &str) -> Option<ServedPack> {
        lock_mutex(&self.served).find_by_root(root).cloned()
    }

    /// Removes the record of shown symbols of a folder that is no longer served. Sent packs remain
    /// recorded, so that feedback on them is possible.
    pub fn forget_folder(&self, folder: &Path) {
        lock_mutex(&self.recent).remove(folder);
        lock_mutex(&self.served).forget_symbols(folder);
    }
}

/// Stores uses, one transaction per pack. Logs a failure, because it must not fail the request that
/// showed the use.
fn store_uses(memory: Option<&MemoryLocation>, snapshot: &Snapshot, uses: &[PackUse]) {
    let events: Vec<_> = uses.iter().filter_map(|pack_use| build_use_event(snapshot, pack_use)).collect();
    let (Some(memory), false) = (memory, events.is_empty()) else { return };
    let store_events = || {
        let (mut store, salvage) = memory.open_store()?;
        if let Some(salvage) = salvage {
            tracing::warn!("{salvage}");
        }
        events.iter().try_for_each(|event| store.record_use(event))
    };
    if let Err(error) = store_events() {
        tracing::warn!(%error, "the use of a pack is not remembered");
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
