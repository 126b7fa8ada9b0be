//! Keeps the vectors of a workspace current with its snapshot.
//!
//! The vectors of a file are identified by its path and content. A refresh takes them from memory,
//! else from `vectors.db`, else from the model. The result does not depend on earlier vectors.
//!
//! [`VectorCache::refresh_vectors`] computes everything that is missing, which can take minutes for
//! a new model. One refresh runs at a time, it stores what it computes in batches, and it can be
//! cancelled after every file. [`VectorCache::ready_vectors`] never waits for it: it computes the
//! vectors of a few edited files itself, and otherwise reports that the vectors are pending.
//!
//! Graphs of neighbors speed up searches over many rows. A separate thread builds them, and the
//! next refresh uses them.

use super::model::{EmbeddingModel, ModelError, ModelStamp, model_folder};
use super::snapshot_files::SnapshotFiles;
use crate::cancel::CancelToken;
use kenning_graph::store::VectorBlocks;
use kenning_graph::vectors::VectorKind;
use kenning_graph::{Hash, Snapshot};
use kenning_indexing::workspace::TextProvider;
use kenning_retrieval::vectors::{EXACT_LIMIT, NeighborGraph, VectorIndex, VectorSearch};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;
use thiserror::Error;

/// Maximum number of files whose vectors an answer computes itself, such as files with unsaved
/// text. A file takes about a millisecond.
const MAX_FILES_IN_ANSWER: usize = 16;

/// Interval at which a request that waits for another refresh checks whether it was cancelled.
const WAIT_INTERVAL: Duration = Duration::from_millis(10);

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

/// The threads that compute vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingThreads {
    /// All cores, for a user who waits.
    All,
    /// The calling thread, so that background work leaves the other cores to requests.
    Calling,
}

/// The vectors of a workspace for an answer that can do without them.
#[derive(Clone)]
pub enum VectorReadiness {
    /// No model is set.
    Off,
    /// The vectors are not computed yet.
    Pending,
    /// The vectors of the snapshot.
    Ready(Arc<ReadyVectors>),
}

impl VectorReadiness {
    /// Whether the vectors are still to be computed.
    pub fn is_pending(&self) -> bool {
        matches!(self, Self::Pending)
    }

    /// Returns the vectors; `None` if there are none yet.
    pub fn into_vectors(self) -> Option<Arc<ReadyVectors>> {
        match self {
            Self::Ready(ready) => Some(ready),
            Self::Off | Self::Pending => None,
        }
    }
}

/// The vectors of a snapshot with their model.
pub struct ReadyVectors {
    model: Arc<EmbeddingModel>,
    index: VectorIndex,
    blocks: Arc<VectorBlocks>,
    /// The identity of each text that could not be read.
    unreadable: BTreeSet<Hash>,
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
    /// Locked while a refresh loads a model or computes all missing vectors.
    refreshing: Mutex<()>,
    /// Locked only to read or replace the values.
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

/// The result of loading a model, with the state of its files.
struct LoadedModel {
    folder: PathBuf,
    stamp: ModelStamp,
    model: Result<Arc<EmbeddingModel>, ModelError>,
}

/// The key of cached vectors: a snapshot, and the generation of the graphs of neighbors.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SnapshotKey {
    graph: (Hash, u64),
    generation: u64,
}

impl VectorCache {
    /// Returns the vectors of a snapshot; `None` if vectors are off. Computes and stores all missing
    /// vectors, so call it from a blocking thread.
    ///
    /// # Errors
    /// Returns an error if the model cannot be used, or if the work was cancelled.
    pub fn refresh_vectors(
        &self,
        source: VectorSource<'_>,
        threads: EmbeddingThreads,
        cancel: &CancelToken,
    ) -> Result<Option<Arc<ReadyVectors>>, VectorsError> {
        let Some(option) = source.model else {
            *self.lock_state() = CacheState::default();
            return Ok(None);
        };
        let _refreshing = self.wait_for_refresh(cancel)?;
        let model = self.load_model(&model_folder(source.root, option))?;
        let (key, graphs) = self.key_of_snapshot(source.snapshot);
        let before = match &self.lock_state().ready {
            Some((known, ready)) if *known == key => return Ok(Some(Arc::clone(ready))),
            known => known.as_ref().map(|(_, ready)| Arc::clone(&ready.blocks)),
        };
        let mut files = SnapshotFiles::list(&source, before.as_deref());
        files.read_stored(&source, &model, MAX_FILES_IN_ANSWER);
        files.embed_missing(&source, &model, threads, cancel)?;
        Ok(Some(self.publish_vectors(key, files, model, &graphs)))
    }

    /// Returns the vectors of a snapshot if they are known up to a few edited files, whose vectors
    /// it computes. Neither loads a model nor waits for a refresh.
    ///
    /// # Errors
    /// Returns an error if the last refresh could not use the model, or if the request was
    /// cancelled.
    pub fn ready_vectors(
        &self,
        source: VectorSource<'_>,
        cancel: &CancelToken,
    ) -> Result<VectorReadiness, VectorsError> {
        let Some(option) = source.model else {
            *self.lock_state() = CacheState::default();
            return Ok(VectorReadiness::Off);
        };
        let folder = model_folder(source.root, option);
        let (key, graphs) = self.key_of_snapshot(source.snapshot);
        let (model, before) = {
            let last = self.lock_state();
            let Some(loaded) = last.loaded_model(&folder) else { return Ok(VectorReadiness::Pending) };
            let model = loaded?;
            match &last.ready {
                None => return Ok(VectorReadiness::Pending),
                Some((known, ready)) if *known == key => {
                    return Ok(VectorReadiness::Ready(Arc::clone(ready)));
                }
                Some((_, ready)) => (model, Arc::clone(ready)),
            }
        };
        let mut files = SnapshotFiles::list(&source, Some(&before.blocks));
        files.unreadable.clone_from(&before.unreadable);
        if files.missing().len() > MAX_FILES_IN_ANSWER {
            return Ok(VectorReadiness::Pending);
        }
        files.embed_missing(&source, &model, EmbeddingThreads::All, cancel)?;
        Ok(VectorReadiness::Ready(self.publish_vectors(key, files, model, &graphs)))
    }

    fn lock_state(&self) -> MutexGuard<'_, CacheState> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other refresh runs.
    fn wait_for_refresh(&self, cancel: &CancelToken) -> Result<MutexGuard<'_, ()>, VectorsError> {
        loop {
            match self.refreshing.try_lock() {
                Ok(guard) => return Ok(guard),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if cancel.is_cancelled() => {
                    return Err(VectorsError::Cancelled);
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(WAIT_INTERVAL),
            }
        }
    }

    /// Returns the model in a folder. Loads it again if its files changed.
    fn load_model(&self, folder: &Path) -> Result<Arc<EmbeddingModel>, ModelError> {
        if let Some(loaded) = self.lock_state().loaded_model(folder) {
            return loaded;
        }
        let stamp = EmbeddingModel::read_stamp(folder);
        let model = EmbeddingModel::load_folder(folder).map(Arc::new);
        let loaded = LoadedModel { folder: folder.to_owned(), stamp, model: model.clone() };
        *self.lock_state() = CacheState { model: Some(loaded), ready: None };
        model
    }

    fn key_of_snapshot(&self, snapshot: &Snapshot) -> (SnapshotKey, Vec<Arc<NeighborGraph>>) {
        let built = self.graphs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let graph = (snapshot.identity_hash(), snapshot.revision());
        (SnapshotKey { graph, generation: built.generation }, built.graphs)
    }

    /// Makes the vectors of a snapshot the last ones, unless the model was replaced meanwhile.
    fn publish_vectors(
        &self,
        key: SnapshotKey,
        files: SnapshotFiles,
        model: Arc<EmbeddingModel>,
        graphs: &[Arc<NeighborGraph>],
    ) -> Arc<ReadyVectors> {
        let identity = model.identity();
        let SnapshotFiles { files, known, unreadable, .. } = files;
        let mut blocks = VectorBlocks::new();
        let mut in_order = Vec::with_capacity(files.len());
        for (file, text) in files {
            if let Some(block) = known.get(&text) {
                in_order.push((file, Arc::clone(block)));
                blocks.insert(text, Arc::clone(block));
            }
        }
        let index = VectorIndex::new(in_order, graphs);
        let ready = Arc::new(ReadyVectors { model, index, blocks: Arc::new(blocks), unreadable });
        let mut last = self.lock_state();
        let is_current =
            |loaded: &LoadedModel| loaded.model.as_ref().is_ok_and(|current| current.identity() == identity);
        if last.model.as_ref().is_some_and(is_current) {
            last.ready = Some((key, Arc::clone(&ready)));
        }
        ready
    }

    /// Builds graphs of neighbors for the kinds of the last vectors that have enough rows, on a
    /// separate thread. Takes seconds to minutes; searches compare all rows meanwhile.
    pub fn build_graphs_in_background(self: &Arc<Self>) {
        let last = self.lock_state();
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
        let ready = self.lock_state().ready.clone();
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
    /// Returns the result of loading the model in a folder; `None` if it was not loaded yet, or its
    /// files changed.
    fn loaded_model(&self, folder: &Path) -> Option<Result<Arc<EmbeddingModel>, ModelError>> {
        let is_current = |loaded: &&LoadedModel| {
            loaded.folder == folder && loaded.stamp == EmbeddingModel::read_stamp(folder)
        };
        self.model.as_ref().filter(is_current).map(|loaded| loaded.model.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_workspace::{TestWorkspace, index_files};
    use crate::vectors::model::tests::write_model;
    use crate::vectors::vectors_path_for_graph;
    use kenning_graph::store::VectorStore;
    use kenning_indexing::workspace::NoProgress;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

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

    /// Returns the state of a test workspace, with the model beside its root.
    fn source_of_test<'a>(
        test: &'a TestWorkspace,
        snapshot: &'a Snapshot,
        text: &'a TextProvider,
    ) -> VectorSource<'a> {
        VectorSource {
            root: &test.root,
            model: Some("../model"),
            database: Some(test.workspace.db_path()),
            snapshot,
            text: Some(text),
        }
    }

    fn refresh(cache: &VectorCache, test: &TestWorkspace) -> Arc<ReadyVectors> {
        let (snapshot, text) = (test.workspace.current_snapshot(), test.workspace.text_source());
        let source = source_of_test(test, &snapshot, &text);
        cache.refresh_vectors(source, EmbeddingThreads::All, &CancelToken::default()).unwrap().unwrap()
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
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.truncate(200);
        std::fs::write(&path, bytes).unwrap();
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
        }
        assert_eq!(refresh(&VectorCache::default(), &test).blocks, first.blocks);
        assert_eq!(&stored(&test, &first.model_identity()), &*first.blocks);
    }

    #[test]
    fn a_file_next_to_a_named_database_that_is_not_kennings_is_left_in_place() {
        let test = index_files(&[("a.py", &version_text("a.py", 0))]);
        write_model(&test.root.join("../model"));
        let path = vectors_path_for_graph(test.workspace.db_path());
        std::fs::write(&path, "my notes").unwrap();
        assert!(refresh(&VectorCache::default(), &test).symbol_count() > 0);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "my notes");
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
        let refresh = |model, cancel| {
            cache.refresh_vectors(source(model), EmbeddingThreads::All, cancel).map(|ready| ready.is_some())
        };
        let error = refresh(Some("../model"), &cancelled).unwrap_err();
        assert!(error.to_string().contains("tokenizer.json does not exist"), "{error}");
        write_model(&test.root.join("../model"));
        assert_eq!(refresh(Some("../model"), &cancelled), Err(VectorsError::Cancelled));
        assert_eq!(refresh(None, &running), Ok(false));
        assert_eq!(refresh(Some("../model"), &running), Ok(true));
    }

    #[test]
    fn an_answer_computes_the_vectors_of_a_few_files_and_never_waits_for_more() {
        let mut test = index_files(&[("a.py", &version_text("a.py", 0))]);
        write_model(&test.root.join("../model"));
        let cache = VectorCache::default();
        let ready = |test: &TestWorkspace| {
            let (snapshot, text) = (test.workspace.current_snapshot(), test.workspace.text_source());
            let source = source_of_test(test, &snapshot, &text);
            cache.ready_vectors(source, &CancelToken::default()).unwrap()
        };
        let add_files = |test: &mut TestWorkspace, names: std::ops::Range<usize>| {
            for n in names {
                std::fs::write(test.root.join(format!("f{n}.py")), version_text("f.py", n as u8)).unwrap();
            }
            test.workspace.refresh_all(&NoProgress).unwrap();
        };
        assert!(ready(&test).is_pending(), "no model is loaded");
        let first = refresh(&cache, &test);
        let refreshing = cache.refreshing.lock().unwrap();
        assert!(Arc::ptr_eq(&ready(&test).into_vectors().unwrap(), &first));
        add_files(&mut test, 0..MAX_FILES_IN_ANSWER);
        let edited = ready(&test).into_vectors().unwrap();
        add_files(&mut test, MAX_FILES_IN_ANSWER..2 * MAX_FILES_IN_ANSWER + 1);
        assert!(ready(&test).is_pending(), "too many files");
        let cancelled = CancelToken::default();
        cancelled.cancel();
        assert!(matches!(cache.wait_for_refresh(&cancelled), Err(VectorsError::Cancelled)));
        drop(refreshing);
        let all = refresh(&cache, &test);
        assert!(Arc::ptr_eq(&ready(&test).into_vectors().unwrap(), &all));
        assert_eq!(edited.blocks.len(), first.blocks.len() + MAX_FILES_IN_ANSWER);
        assert_eq!(&stored(&test, &all.model_identity()), &*all.blocks);
        // Another model is loaded in the background as well.
        std::fs::write(test.root.join("../model/config.json"), r#"{"normalize": false }"#).unwrap();
        assert!(ready(&test).is_pending());
    }

    #[test]
    fn one_thread_computes_the_same_vectors_as_all_and_an_unusable_model_is_reported() {
        let test = index_files(&[("a.py", &version_text("a.py", 0)), ("b.py", &version_text("b.py", 1))]);
        let (snapshot, text) = (test.workspace.current_snapshot(), test.workspace.text_source());
        let source = VectorSource {
            root: &test.root,
            model: Some("../model"),
            database: None,
            snapshot: &snapshot,
            text: Some(&text),
        };
        let (cache, cancel) = (VectorCache::default(), CancelToken::default());
        assert!(cache.ready_vectors(source, &cancel).unwrap().is_pending());
        let error = cache.refresh_vectors(source, EmbeddingThreads::Calling, &cancel).err();
        assert_eq!(cache.ready_vectors(source, &cancel).err(), error);
        assert!(error.is_some_and(|error| error.to_string().contains("tokenizer.json does not exist")));
        write_model(&test.root.join("../model"));
        assert!(cache.ready_vectors(source, &cancel).unwrap().is_pending());
        let ready = cache.refresh_vectors(source, EmbeddingThreads::Calling, &cancel).unwrap().unwrap();
        assert_eq!(ready.blocks, refresh(&VectorCache::default(), &test).blocks);
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
