//! The files of a snapshot and their vectors: lists what is known, reads what is stored, computes
//! and stores the rest.

use super::model::EmbeddingModel;
use super::refresh::{EmbeddingThreads, VectorSource, VectorsError};
use super::vectors_path_for_graph;
use crate::answer::SymbolBodies;
use crate::cancel::CancelToken;
use kenning_graph::hash::HashBuilder;
use kenning_graph::store::{self, StoreError, VectorBlocks, VectorStore, WorkspaceRecord};
use kenning_graph::vectors::VectorBlock;
use kenning_graph::{FileId, FileRef, Hash};
use kenning_retrieval::vectors::embed_file;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Number of files whose vectors are computed before they are stored, so that a cancelled refresh
/// loses little and a batch needs little memory.
const FILES_PER_BATCH: usize = 256;

/// Returns the identity of the vectors of a file, apart from the model.
fn text_identity(file: &FileRef<'_>) -> Hash {
    let mut identity = HashBuilder::new("vectors of a file");
    identity.add_text(file.path).add_text(file.language).add_hash(&file.content_hash);
    identity.finish()
}

/// The files of a snapshot with the vectors that are known.
pub(super) struct SnapshotFiles {
    /// The files with their [`text_identity`], in the order of the snapshot.
    pub files: Vec<(FileId, Hash)>,
    /// The texts that are on the disk. The database stores only their vectors.
    saved: HashSet<Hash>,
    /// The known vectors, also of other texts.
    pub known: VectorBlocks,
    /// The texts that could not be read.
    pub unreadable: BTreeSet<Hash>,
    /// Whether the database may have vectors of texts that are not on the disk any more.
    has_outdated: bool,
}

impl SnapshotFiles {
    /// Lists the files of a snapshot. `before` has the vectors of an earlier snapshot.
    pub fn list(source: &VectorSource<'_>, before: Option<&VectorBlocks>) -> Self {
        let snapshot = source.snapshot;
        let refs: Vec<FileRef<'_>> =
            snapshot.files().into_iter().filter_map(|file| snapshot.file(file)).collect();
        let files: Vec<(FileId, Hash)> = refs.iter().map(|file| (file.id, text_identity(file))).collect();
        let on_disk = refs.iter().zip(&files).filter(|(file, _)| file.mtime_ns != 0);
        let saved = on_disk.map(|(_, (_, text))| *text).collect();
        let texts: HashSet<Hash> = files.iter().map(|(_, text)| *text).collect();
        let known = before.cloned().unwrap_or_default();
        let has_outdated = known.keys().any(|text| !texts.contains(text));
        Self { files, saved, known, unreadable: BTreeSet::new(), has_outdated }
    }

    /// Returns the files whose vectors are not known.
    pub fn missing(&self) -> Vec<(FileId, Hash)> {
        let is_missing = |text: &Hash| !self.known.contains_key(text) && !self.unreadable.contains(text);
        self.files.iter().copied().filter(|(_, text)| is_missing(text)).collect()
    }

    /// Reads the stored vectors of a model if more than `limit` files have none.
    pub fn read_stored(&mut self, source: &VectorSource<'_>, model: &EmbeddingModel, limit: usize) {
        if !self.known.is_empty() && self.missing().len() <= limit {
            return;
        }
        let Some(store) = source.open_store() else { return };
        let stored = store.load_blocks(&model.identity()).unwrap_or_else(|error| {
            tracing::warn!(%error, "stored vectors are made again");
            VectorBlocks::new()
        });
        let texts: HashSet<Hash> = self.files.iter().map(|(_, text)| *text).collect();
        self.has_outdated |= stored.keys().any(|text| !texts.contains(text));
        self.known.extend(stored);
    }

    /// Computes the missing vectors in batches, and stores each batch.
    ///
    /// # Errors
    /// Returns an error if the work was cancelled. What was computed before that is stored.
    pub fn embed_missing(
        &mut self,
        source: &VectorSource<'_>,
        model: &EmbeddingModel,
        threads: EmbeddingThreads,
        cancel: &CancelToken,
    ) -> Result<(), VectorsError> {
        let missing = self.missing();
        let bodies = SymbolBodies(source.text);
        // A file that has just changed on disk gets its vectors with its next version.
        let embed = |(file, text): &(FileId, Hash)| {
            let block = || embed_file(source.snapshot, *file, &bodies, model).map(Arc::new);
            (!cancel.is_cancelled()).then(|| (*text, block()))
        };
        let mut store = None;
        for batch in missing.chunks(FILES_PER_BATCH) {
            let made: Vec<(Hash, Option<Arc<VectorBlock>>)> = match threads {
                EmbeddingThreads::All => batch.par_iter().filter_map(embed).collect(),
                EmbeddingThreads::Calling => batch.iter().filter_map(embed).collect(),
            };
            let mut new = VectorBlocks::new();
            for (text, block) in made {
                if let Some(block) = block {
                    new.insert(text, block);
                } else {
                    self.unreadable.insert(text);
                }
            }
            self.known.extend(new.iter().map(|(text, block)| (*text, Arc::clone(block))));
            new.retain(|text, _| self.saved.contains(text));
            if !new.is_empty() {
                store = store.or_else(|| source.open_store());
                self.store_blocks(store.as_mut(), model, &new);
            }
            if cancel.is_cancelled() {
                return Err(VectorsError::Cancelled);
            }
        }
        if self.has_outdated {
            store = store.or_else(|| source.open_store());
            self.store_blocks(store.as_mut(), model, &VectorBlocks::new());
        }
        Ok(())
    }

    /// Stores new vectors and deletes those of texts that are not on the disk.
    fn store_blocks(&mut self, store: Option<&mut VectorStore>, model: &EmbeddingModel, new: &VectorBlocks) {
        self.has_outdated = false;
        let is_saved = |text: &Hash| self.saved.contains(text);
        if let Some(store) = store
            && let Err(error) = store.replace_blocks(&model.identity(), new, &is_saved)
        {
            tracing::warn!(%error, "vectors are not stored");
        }
    }
}

impl VectorSource<'_> {
    /// Opens the database of vectors; `None` if the graph has no database, or after a warning.
    fn open_store(&self) -> Option<VectorStore> {
        let graph = self.database?;
        let is_in_cache = WorkspaceRecord::read_beside(graph).is_some_and(|record| record.is_in_cache());
        open_store(&vectors_path_for_graph(graph), is_in_cache)
    }
}

/// Opens the database of vectors. A damaged one is set aside, because vectors can be made again;
/// outside the cache folder only if it has the header of a Kenning database.
fn open_store(path: &Path, is_in_cache: bool) -> Option<VectorStore> {
    let opened = VectorStore::open(path).or_else(|error| {
        if !error.is_damage() || !(is_in_cache || store::is_kenning_database(path)) {
            return Err(error);
        }
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let aside = store::set_aside(path, seconds)
            .map_err(|io| StoreError::Open { path: path.to_owned(), reason: io.to_string() })?;
        tracing::warn!(path = %aside.display(), "damaged vectors were set aside and are made again");
        VectorStore::open(path)
    });
    opened.map_err(|error| tracing::warn!(%error, "vectors are neither read nor stored")).ok()
}
