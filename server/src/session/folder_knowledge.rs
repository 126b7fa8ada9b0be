//! The notes, tasks and skills of a session's folder, read again when a file or an open document
//! changes.
//!
//! Every request compares the stamp of the folder (names, sizes and times of its files), the open
//! documents in it and the graph with those of the last result, so answers are current even
//! without notifications of changed files.

use super::folder::{FolderState, ServedFolder};
use crate::config::Config;
use crate::knowledge::{CodeView, FolderStamp, KnowledgeFolder, ResolvedKnowledge};
use kenning_graph::Hash;
use kenning_graph::hash::HashBuilder;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Caches the knowledge of a folder until its files, its open documents or the graph change.
#[derive(Default)]
pub struct FolderKnowledgeCache {
    last: Mutex<Option<(KnowledgeCacheKey, Arc<ResolvedKnowledge>)>>,
}

/// The key of the cached result: everything that the result depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KnowledgeCacheKey {
    files: FolderStamp,
    documents: Hash,
    graph: (Hash, u64),
}

impl FolderKnowledgeCache {
    /// Returns a hash that changes whenever an entry of a folder changes; `None` if no knowledge
    /// folder is configured. Reads names and sizes of files, so call it from a blocking thread.
    pub fn compute_fingerprint(folder: &ServedFolder, config: &Config, state: &FolderState) -> Option<Hash> {
        let opened = KnowledgeFolder::open_configured(folder.root_path(), &config.knowledge.folder).ok()?;
        let mut hasher = HashBuilder::new("entries and documents");
        hasher.add_hash(&opened.compute_stamp().as_hash()).add_hash(&hash_documents(&opened, state));
        Some(hasher.finish())
    }

    /// Returns the entries of a folder with the state of their links. Reads files, so call it from
    /// a blocking thread.
    pub fn read_current(
        &self,
        folder: &KnowledgeFolder,
        root: &Path,
        state: &FolderState,
    ) -> Arc<ResolvedKnowledge> {
        let key = KnowledgeCacheKey {
            files: folder.compute_stamp(),
            documents: hash_documents(folder, state),
            graph: (state.snapshot.identity_hash(), state.snapshot.revision()),
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, knowledge)) = &*last
            && *known == key
        {
            return Arc::clone(knowledge);
        }
        let base = folder.read_base(&|path| state.open_file(path).map(|open| Arc::clone(&open.text)));
        let read_text = |path: &str| state.source_file(path).map(|source| source.text);
        let view = CodeView::new(&state.snapshot, root, &read_text);
        let knowledge = Arc::new(ResolvedKnowledge::new(base, Some(&view)));
        *last = Some((key, Arc::clone(&knowledge)));
        knowledge
    }
}

/// Returns a hash of the open documents that are entries.
fn hash_documents(folder: &KnowledgeFolder, state: &FolderState) -> Hash {
    let mut hasher = HashBuilder::new("entries");
    for open in state.open.values().filter(|open| folder.entry_of_path(&open.path).is_some()) {
        hasher.add_text(&open.path).add_text(&open.text);
    }
    hasher.finish()
}
