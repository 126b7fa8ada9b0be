//! Keeps the vectors of a workspace current with its snapshot.
//!
//! The vectors of a file are identified by its path and content. A refresh takes them from memory,
//! else from `vectors.db`, else from the model. The result does not depend on earlier vectors.
//!
//! Graphs of neighbors speed up searches over many rows. A separate thread builds them, and the
//! next refresh uses them.

use super::model::{EmbeddingModel, ModelError, ModelStamp, model_folder};
use super::vectors_path_for_graph;
use crate::answer::SymbolBodies;
use crate::cancel::CancelToken;
use kenning_graph::hash::HashBuilder;
use kenning_graph::store::{self, StoreError, VectorBlocks, VectorStore};
use kenning_graph::vectors::{VectorBlock, VectorKind};
use kenning_graph::{FileId, FileRef, Hash, Snapshot};
use kenning_indexing::workspace::TextProvider;
use kenning_retrieval::vectors::{EXACT_LIMIT, NeighborGraph, VectorIndex, VectorSearch, embed_file};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use thiserror::Error;

/// The reason why a workspace has no vectors although a model is set.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum VectorsError {
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// The state of a workspace from which its vectors are made.
#[derive(Clone, Copy)]
pub struct VectorSource<'a> {
    /// The root, to which the path of the model may be relative.
    pub root: &'a Path,
    /// The option `vectors.model`; `None` turns vectors off.
    pub model: Option<&'a str>,
    /// The path of `graph.db`; without it the vectors stay in memory.
    pub database: Option<&'a Path>,
    /// The graph.
    pub snapshot: &'a Snapshot,
    /// Access to the texts of the files.
    pub text: Option<&'a TextProvider>,
}

/// The vectors of a snapshot with their model.
pub struct ReadyVectors {
    model: Arc<EmbeddingModel>,
    index: VectorIndex,
    blocks: Arc<VectorBlocks>,
}

impl ReadyVectors {
    /// Borrows the vectors in the form that the ranking takes.
    pub fn as_search(&self) -> VectorSearch<'_> {
        VectorSearch { index: &self.index, embedder: &*self.model }
    }

    /// Returns the identity of the model.
    pub fn model_identity(&self) -> Hash {
        self.model.identity()
    }

    /// Returns the number of symbols and sections that have a vector.
    pub fn symbol_count(&self) -> usize {
        self.index.count_of_kind(VectorKind::Code) + self.index.count_of_kind(VectorKind::Section)
    }
}

/// The model and the vectors of the last snapshot.
#[derive(Default)]
pub struct VectorCache {
    last: Mutex<CacheState>,
    /// The graphs of neighbors that have been built.
    graphs: Mutex<BuiltGraphs>,
    /// Whether a thread builds graphs.
    is_building: AtomicBool,
}

/// Graphs of neighbors, at most one of each kind.
#[derive(Clone, Default)]
struct BuiltGraphs {
    /// The number of graphs that were ever built.
    generation: u64,
    graphs: Vec<Arc<NeighborGraph>>,
}

/// The model and the vectors that the cache holds.
#[derive(Default)]
struct CacheState {
    model: Option<LoadedModel>,
    ready: Option<(SnapshotKey, Arc<ReadyVectors>)>,
}

/// A loaded model with the state of its files.
struct LoadedModel {
    folder: PathBuf,
    stamp: ModelStamp,
    model: Arc<EmbeddingModel>,
}

/// The key of cached vectors: a snapshot, and the generation of the graphs of neighbors.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SnapshotKey {
    graph: (Hash, u64),
    generation: u64,
}

impl VectorCache {
    /// Returns the vectors of a snapshot; `None` if vectors are off. Computes and stores missing
    /// vectors, so call it from a blocking thread.
    ///
    /// # Errors
    /// Returns an error if the model cannot be used, or if the request was cancelled.
    pub fn refresh_vectors(
        &self,
        source: VectorSource<'_>,
        cancel: &CancelToken,
    ) -> Result<Option<Arc<ReadyVectors>>, VectorsError> {
        let Some(option) = source.model else {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = CacheState::default();
            return Ok(None);
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let model = last.load_model(&model_folder(source.root, option))?;
        let built = self.graphs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let graph = (source.snapshot.identity_hash(), source.snapshot.revision());
        let key = SnapshotKey { graph, generation: built.generation };
        if let Some((known, ready)) = &last.ready
            && *known == key
        {
            return Ok(Some(Arc::clone(ready)));
        }
        let before = last.ready.as_ref().map(|(_, ready)| Arc::clone(&ready.blocks));
        let blocks = current_blocks(&source, &model, before.as_deref(), cancel)?;
        let index = VectorIndex::new(blocks.in_order, &built.graphs);
        let ready = Arc::new(ReadyVectors { model, index, blocks: Arc::new(blocks.by_text) });
        last.ready = Some((key, Arc::clone(&ready)));
        Ok(Some(ready))
    }

    /// Builds graphs of neighbors for the kinds of the last vectors that have enough rows, on a
    /// separate thread. Takes seconds to minutes; searches compare all rows meanwhile.
    pub fn build_graphs_in_background(self: &Arc<Self>) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let lacks_graph = |(_, ready): &(SnapshotKey, Arc<ReadyVectors>)| {
            VectorKind::ALL.into_iter().any(|kind| ready.index.lacks_graph(kind, EXACT_LIMIT))
        };
        if !last.ready.as_ref().is_some_and(lacks_graph) || self.is_building.swap(true, Ordering::Relaxed) {
            return;
        }
        let cache = Arc::clone(self);
        std::thread::spawn(move || {
            cache.build_graphs(EXACT_LIMIT);
            cache.is_building.store(false, Ordering::Relaxed);
        });
    }

    /// Builds the graphs of the kinds with more than `limit` rows.
    fn build_graphs(&self, limit: usize) {
        let ready = self.last.lock().unwrap_or_else(PoisonError::into_inner).ready.clone();
        let Some((_, ready)) = ready else { return };
        for kind in VectorKind::ALL {
            if ready.index.lacks_graph(kind, limit)
                && let Some(graph) = NeighborGraph::build(&ready.index, kind)
            {
                let mut built = self.graphs.lock().unwrap_or_else(PoisonError::into_inner);
                built.generation += 1;
                built.graphs.retain(|known| known.kind() != kind);
                built.graphs.push(Arc::new(graph));
            }
        }
    }
}

impl CacheState {
    /// Returns the model in a folder. Loads it again if its files changed.
    fn load_model(&mut self, folder: &Path) -> Result<Arc<EmbeddingModel>, ModelError> {
        let stamp = EmbeddingModel::read_stamp(folder);
        if let Some(loaded) = &self.model
            && loaded.folder == folder
            && loaded.stamp == stamp
        {
            return Ok(Arc::clone(&loaded.model));
        }
        *self = Self::default();
        let model = Arc::new(EmbeddingModel::load_folder(folder)?);
        self.model = Some(LoadedModel { folder: folder.to_owned(), stamp, model: Arc::clone(&model) });
        Ok(model)
    }
}

/// The blocks of a snapshot.
struct CurrentBlocks {
    /// The blocks by file, in the order of the snapshot.
    in_order: Vec<(FileId, Arc<VectorBlock>)>,
    /// The blocks by [`text_identity`].
    by_text: VectorBlocks,
}

/// Returns the identity of the vectors of a file, apart from the model.
fn text_identity(file: &FileRef<'_>) -> Hash {
    let mut identity = HashBuilder::new("vectors of a file");
    identity.add_text(file.path).add_text(file.language).add_hash(&file.content_hash);
    identity.finish()
}

/// Returns the blocks of a snapshot, from memory, from the database or from the model.
fn current_blocks(
    source: &VectorSource<'_>,
    model: &EmbeddingModel,
    before: Option<&VectorBlocks>,
    cancel: &CancelToken,
) -> Result<CurrentBlocks, VectorsError> {
    let snapshot = source.snapshot;
    let refs = snapshot.files().into_iter().filter_map(|file| snapshot.file(file)).collect::<Vec<_>>();
    let files: Vec<(FileId, Hash)> = refs.iter().map(|file| (file.id, text_identity(file))).collect();
    let on_disk = refs.iter().zip(&files).filter(|(file, _)| file.mtime_ns != 0);
    let saved: HashSet<Hash> = on_disk.map(|(_, (_, text))| *text).collect();
    let open = || open_store(&vectors_path_for_graph(source.database?));
    let mut store = if before.is_none() { open() } else { None };
    let stored = store.as_ref().map_or_else(VectorBlocks::new, |store| {
        store.load_blocks(&model.identity()).unwrap_or_else(|error| {
            tracing::warn!(%error, "stored vectors are made again");
            VectorBlocks::new()
        })
    });
    let known = |text: &Hash| before.and_then(|before| before.get(text)).or_else(|| stored.get(text));
    let missing: Vec<(FileId, Hash)> =
        files.iter().copied().filter(|(_, text)| known(text).is_none()).collect();
    let bodies = SymbolBodies(source.text);
    let made: Option<VectorBlocks> = missing
        .par_iter()
        .filter_map(|(file, text)| {
            if cancel.is_cancelled() {
                return Some(None);
            }
            // A file that has just changed on disk gets its vectors with its next version.
            let block = embed_file(snapshot, *file, &bodies, model)?;
            Some(Some((*text, Arc::new(block))))
        })
        .collect();
    let made = made.ok_or(VectorsError::Cancelled)?;
    let mut current = CurrentBlocks { in_order: Vec::new(), by_text: BTreeMap::new() };
    for (file, text) in files {
        if let Some(block) = known(&text).or_else(|| made.get(&text)) {
            current.in_order.push((file, Arc::clone(block)));
            current.by_text.insert(text, Arc::clone(block));
        }
    }
    // The database only stores vectors of files that are on the disk.
    let is_saved = |text: &Hash| saved.contains(text);
    let new: VectorBlocks = made.into_iter().filter(|(text, _)| is_saved(text)).collect();
    let mut old = before.into_iter().flat_map(BTreeMap::keys).chain(stored.keys());
    if new.is_empty() && old.all(|text| current.by_text.contains_key(text)) {
        return Ok(current);
    }
    if let Some(store) = store.as_mut().or(open().as_mut())
        && let Err(error) = store.replace_blocks(&model.identity(), &new, &is_saved)
    {
        tracing::warn!(%error, "vectors are not stored");
    }
    Ok(current)
}

/// Opens the database of vectors. A damaged one is set aside, because vectors can be made again.
fn open_store(path: &Path) -> Option<VectorStore> {
    let opened = VectorStore::open(path).or_else(|error| {
        if !error.is_damage() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_workspace::{TestWorkspace, index_files};
    use crate::vectors::model::tests::write_model;
    use kenning_indexing::workspace::NoProgress;
    use proptest::prelude::*;

    const FILES: [&str; 4] = ["a.py", "b.py", "lib/c.py", "docs/d.md"];
    const WORDS: [&str; 6] = ["cart", "session", "price", "login", "basket", "zebra"];

    /// Returns the text of one version of a file.
    fn version_text(path: &str, version: u8) -> String {
        let word = WORDS[version as usize % WORDS.len()];
        if path.starts_with("docs/") {
            return format!("# {word} guide\n\nAbout the {word} and its cost.\n");
        }
        format!(
            "def {word}_{version}(price):\n    return {word}\n\n\nclass Login{version}:\n    session = 1\n"
        )
    }

    fn refresh(cache: &VectorCache, test: &TestWorkspace) -> Arc<ReadyVectors> {
        let (snapshot, text) = (test.workspace.current_snapshot(), test.workspace.text_source());
        let source = VectorSource {
            root: &test.root,
            model: Some("../model"),
            database: Some(test.workspace.db_path()),
            snapshot: &snapshot,
            text: Some(&text),
        };
        cache.refresh_vectors(source, &CancelToken::default()).unwrap().unwrap()
    }

    fn stored(test: &TestWorkspace, model: &Hash) -> VectorBlocks {
        let path = vectors_path_for_graph(test.workspace.db_path());
        VectorStore::open(&path).unwrap().load_blocks(model).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn changed_vectors_equal_those_of_a_new_workspace(
            edits in prop::collection::vec((0..FILES.len(), prop::option::of(0_u8..8)), 1..8)
        ) {
            let mut test = index_files(&[("always.py", &version_text("always.py", 0))]);
            write_model(&test.root.join("../model"));
            let cache = VectorCache::default();
            refresh(&cache, &test);
            let mut files = BTreeMap::from([("always.py", 0_u8)]);
            for (file, version) in edits {
                let (path, full) = (FILES[file], test.root.join(FILES[file]));
                match version {
                    Some(version) => {
                        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
                        std::fs::write(&full, version_text(path, version)).unwrap();
                        files.insert(path, version);
                    }
                    None => {
                        let _ = std::fs::remove_file(&full);
                        files.remove(path);
                    }
                }
                test.workspace.refresh_all(&NoProgress).unwrap();
                let ready = refresh(&cache, &test);
                let texts: Vec<(&str, String)> =
                    files.iter().map(|(path, version)| (*path, version_text(path, *version))).collect();
                let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
                let new = index_files(&texts);
                write_model(&new.root.join("../model"));
                let rebuilt = refresh(&VectorCache::default(), &new);
                prop_assert_eq!(&ready.blocks, &rebuilt.blocks);
                prop_assert_eq!(ready.symbol_count(), rebuilt.symbol_count());
                // The database has the vectors of the current files, and no others.
                prop_assert_eq!(&stored(&test, &ready.model_identity()), &*ready.blocks);
            }
        }
    }

    #[test]
    fn another_process_takes_the_stored_vectors_and_another_model_replaces_them() {
        let test =
            index_files(&[("a.py", &version_text("a.py", 0)), ("docs/d.md", &version_text("docs/d.md", 1))]);
        write_model(&test.root.join("../model"));
        let first = refresh(&VectorCache::default(), &test);
        assert!(first.symbol_count() >= 3, "{}", first.symbol_count());
        assert_eq!(crate::vectors::count_stored_symbols(test.workspace.db_path()), first.symbol_count());
        assert_eq!(refresh(&VectorCache::default(), &test).blocks, first.blocks);
        let cache = VectorCache::default();
        let before = refresh(&cache, &test);
        assert!(Arc::ptr_eq(&before, &refresh(&cache, &test)), "nothing changed");
        std::fs::write(test.root.join("../model/config.json"), r#"{"normalize": false }"#).unwrap();
        let after = refresh(&cache, &test);
        assert_ne!(after.model_identity(), before.model_identity());
        assert_eq!(stored(&test, &before.model_identity()), VectorBlocks::new());
        assert_eq!(&stored(&test, &after.model_identity()), &*after.blocks);
    }

    #[test]
    fn a_damaged_database_is_set_aside_and_made_again() {
        let test = index_files(&[("a.py", &version_text("a.py", 0))]);
        write_model(&test.root.join("../model"));
        let first = refresh(&VectorCache::default(), &test);
        let path = vectors_path_for_graph(test.workspace.db_path());
        std::fs::write(&path, "no database, but more than a hundred bytes of text".repeat(4)).unwrap();
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
        }
        assert_eq!(refresh(&VectorCache::default(), &test).blocks, first.blocks);
        assert_eq!(&stored(&test, &first.model_identity()), &*first.blocks);
    }

    #[test]
    fn a_cancelled_refresh_makes_nothing_and_no_model_turns_vectors_off() {
        let test = index_files(&[("a.py", &version_text("a.py", 0))]);
        let (snapshot, text) = (test.workspace.current_snapshot(), test.workspace.text_source());
        let source = |model| VectorSource {
            root: &test.root,
            model,
            database: Some(test.workspace.db_path()),
            snapshot: &snapshot,
            text: Some(&text),
        };
        let (cancelled, running) = (CancelToken::default(), CancelToken::default());
        cancelled.cancel();
        let cache = VectorCache::default();
        let refresh =
            |model, cancel| cache.refresh_vectors(source(model), cancel).map(|ready| ready.is_some());
        let error = refresh(Some("../model"), &cancelled).unwrap_err();
        assert!(error.to_string().contains("tokenizer.json does not exist"), "{error}");
        write_model(&test.root.join("../model"));
        assert_eq!(refresh(Some("../model"), &cancelled), Err(VectorsError::Cancelled));
        assert_eq!(refresh(None, &running), Ok(false));
        assert_eq!(refresh(Some("../model"), &running), Ok(true));
    }

    #[test]
    fn graphs_of_neighbors_are_built_for_many_rows_and_used() {
        let test = index_files(&[("a.py", &version_text("a.py", 0)), ("b.py", &version_text("b.py", 1))]);
        write_model(&test.root.join("../model"));
        let cache = VectorCache::default();
        let find = |ready: &ReadyVectors| {
            let search = ready.as_search();
            let question = search.embed_question("trolley").unwrap();
            ready.index.find_nearest(VectorKind::Code, &question, 3)
        };
        let exact = find(&refresh(&cache, &test));
        cache.build_graphs(1);
        let ready = refresh(&cache, &test);
        assert!(!ready.index.lacks_graph(VectorKind::Code, 1));
        assert_eq!(find(&ready), exact);
    }
}
