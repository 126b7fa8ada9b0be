//! The disk's part of a workspace: its databases, the writer lock, and the graph of the files on
//! disk.
//!
//! [`DiskIndex::open`] loads the stored graph, [`DiskIndex::refresh_within`] updates it from the
//! files, [`DiskIndex::compact_if_due`] writes a new base image, and [`DiskIndex::current_state`]
//! returns the graph. A process without the lock keeps its refreshed graph in memory, rereads
//! the graph when the writer has committed, and takes over when the writer is gone.
//!
//! A damaged database is set aside and replaced with a new one, which the next refresh fills from
//! the files. Only the process that holds the lock does that; any other process continues with a
//! private graph in memory.

use super::Buffer;
use super::error::{self, DamageOutcome};
use super::facts_cache::{ConnectionUse, FactsCache};
use super::facts_source::FactsSource;
use super::live_index::DiskState;
use super::repairs::RepairLog;
use super::verdict_log::VerdictLog;
use super::{TreeFindings, WorkspaceError, WorkspaceOptions, graph_image, options};
use crate::project::Project;
use kenning_graph::Snapshot;
use kenning_graph::derived::DerivedFiles;
use kenning_graph::store::{GraphMeta, GraphStore, UseLock, WriterLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The databases of a workspace and the graph of its files, without unsaved text. Its operations
/// are slow, but the state that it returns ([`DiskIndex::current_state`]) is cheap to clone.
pub struct DiskIndex {
    pub(super) root: PathBuf,
    pub(super) options: WorkspaceOptions,
    pub(super) store: GraphStore,
    pub(super) facts: FactsSource,
    /// The same cache over another connection, so that readers never wait while indexing stores a
    /// batch.
    reader_facts: Arc<FactsSource>,
    cache: Arc<FactsCache>,
    verdicts: Arc<VerdictLog>,
    /// The writer lock, if this process holds it.
    pub(super) lock: Option<WriterLock>,
    /// The locks that keep other processes from removing the databases.
    use_locks: Vec<UseLock>,
    pub(super) meta: GraphMeta,
    /// The database's `data_version` when it was last read, by which a reader detects commits of
    /// the writer.
    pub(super) data_version: i64,
    pub(super) snapshot: Snapshot,
    /// The files that no one edits.
    pub(super) derived: DerivedFiles,
    pub(super) project: Arc<Project>,
    pub(super) head: Option<String>,
    /// Reports of repaired damage.
    pub(super) repairs: RepairLog,
    /// Whether the graph or the image was damaged and has yet to be rebuilt from the files.
    pub(super) has_to_be_rebuilt: bool,
    /// Whether the graph exists only in the memory of this process, because the file is damaged and
    /// another process holds its lock.
    is_private: bool,
    /// Damage that was found by code that cannot rebuild anything. The next refresh handles it
    /// first.
    pub(super) damage: Option<WorkspaceError>,
    /// Paths whose stored facts could not be loaded. The next refresh reads them from the disk.
    pub(super) unloadable: Vec<String>,
    /// Whether the whole tree was read since the graph was loaded. From then on, single files can
    /// be refreshed.
    pub(super) tree_was_read: bool,
    pub(super) image: graph_image::ImageState,
    /// The findings of the last walk of the whole tree.
    pub(super) findings: TreeFindings,
    /// The graph before it is loaded.
    pub(super) unloaded: Option<graph_image::UnloadedGraph>,
}

/// The time at which the graph is loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoadTiming {
    /// While the databases are opened.
    Now,
    /// By the refresh that follows, before any answer needs the graph.
    ByRefresh,
}

impl DiskIndex {
    /// Opens the databases of the workspace at `root`, creates missing ones, and loads the stored
    /// graph. Indexes nothing yet. Sets damaged databases aside and creates new ones, which the
    /// next refresh fills.
    ///
    /// # Errors
    /// Returns an error if the root cannot be read, or if a database or the lock cannot be used.
    pub fn open(root: &Path, options: WorkspaceOptions) -> Result<Self, WorkspaceError> {
        let root = crate::walk::check_root(root)?;
        Self::open_repaired(root, options, RepairLog::default(), LoadTiming::Now)
    }

    /// Does the same as [`DiskIndex::open`] for a caller that refreshes before it reads the graph:
    /// the image is read while the tree is walked.
    pub(super) fn open_to_refresh(root: &Path, options: WorkspaceOptions) -> Result<Self, WorkspaceError> {
        let root = crate::walk::check_root(root)?;
        Self::open_repaired(root, options, RepairLog::default(), LoadTiming::ByRefresh)
    }

    fn open_repaired(
        root: PathBuf,
        options: WorkspaceOptions,
        repairs: RepairLog,
        load: LoadTiming,
    ) -> Result<Self, WorkspaceError> {
        let paths = options.database_paths(&root)?;
        let opened = Self::open_databases(root.clone(), options.clone(), repairs.clone(), None);
        let opened = opened.and_then(|mut disk| {
            if load == LoadTiming::Now {
                disk.ensure_loaded()?;
            }
            Ok(disk)
        });
        match opened {
            Err(error) if error::is_damaged_graph(&error, &paths) => {
                let replaced = error::set_graph_aside(error, &paths, false)?;
                Self::open_replaced(root, options, repairs, replaced)
            }
            other => other,
        }
    }

    /// Opens the databases after a damaged graph was replaced.
    fn open_replaced(
        root: PathBuf,
        options: WorkspaceOptions,
        repairs: RepairLog,
        replaced: DamageOutcome,
    ) -> Result<Self, WorkspaceError> {
        let mut disk = Self::open_databases(root, options, repairs, Some(replaced))?;
        disk.ensure_loaded()?;
        Ok(disk)
    }

    /// Opens the databases and starts reading the image. `replaced` is the outcome for a graph that
    /// was damaged.
    fn open_databases(
        root: PathBuf,
        options: WorkspaceOptions,
        repairs: RepairLog,
        replaced: Option<DamageOutcome>,
    ) -> Result<Self, WorkspaceError> {
        let paths = options.database_paths(&root)?;
        paths.check_companions()?;
        paths.restrict_permissions();
        // If the folder cannot be written, opening the database reports it.
        let use_locks = paths.acquire_use_locks(&root);
        let unloaded = graph_image::UnloadedGraph::start_reading(&paths);
        let has_to_be_rebuilt = replaced.is_some();
        let is_private = matches!(replaced, Some(DamageOutcome::WriterElsewhere(_)));
        if let Some(DamageOutcome::MovedAside(note) | DamageOutcome::WriterElsewhere(note)) = replaced {
            repairs.record_repair(note);
        }
        let (store, verdicts) = if is_private {
            let store = GraphStore::open_in_memory(&paths.graph, options::new_lineage())?;
            (store, VerdictLog::open_in_memory(&paths.graph)?)
        } else {
            let store = GraphStore::open(&paths.graph, options::new_lineage())?;
            (store, VerdictLog::open(&paths.graph)?)
        };
        let cache = Arc::new(FactsCache::open(&paths, repairs.clone())?);
        let facts = FactsSource::new(&cache, ConnectionUse::Indexing);
        let reader_facts = Arc::new(FactsSource::new(&cache, ConnectionUse::Answering));
        let lock = if is_private {
            None
        } else {
            WriterLock::try_acquire(&paths.graph).map_err(error::lock_error(&paths))?
        };
        let use_locks = use_locks.map_err(error::lock_error(&paths))?;
        Ok(Self {
            head: crate::git::head_commit(&root),
            root,
            options,
            store,
            facts,
            reader_facts,
            cache,
            verdicts: Arc::new(verdicts),
            lock,
            use_locks,
            meta: GraphMeta::default(),
            data_version: 0,
            snapshot: Snapshot::empty(),
            derived: DerivedFiles::default(),
            project: Arc::default(),
            repairs,
            has_to_be_rebuilt,
            is_private,
            damage: None,
            unloadable: Vec::new(),
            tree_was_read: false,
            image: graph_image::ImageState::default(),
            findings: TreeFindings::default(),
            unloaded: Some(unloaded),
        })
    }

    /// Sets the graph aside and continues with a new one, after damage was found in an open
    /// database.
    pub(super) fn start_over(&mut self, error: WorkspaceError) -> Result<(), WorkspaceError> {
        let paths = self.options.database_paths(&self.root)?;
        let is_writer = self.lock.is_some();
        // Closing a database removes the write-ahead log at its path, so the old one is closed
        // before a new one is created there.
        self.close_databases();
        let replaced = error::set_graph_aside(error, &paths, is_writer)?;
        // Reopening acquires the lock again.
        self.lock = None;
        let (root, options, repairs) = (self.root.clone(), self.options.clone(), self.repairs.clone());
        *self = Self::open_replaced(root, options, repairs, replaced)?;
        Ok(())
    }

    /// Opens the databases again if this process has a private graph and the lock is free.
    pub(super) fn leave_private_graph(&mut self) -> Result<(), WorkspaceError> {
        if self.is_private
            && WriterLock::try_acquire(&self.options.database_paths(&self.root)?.graph)
                .is_ok_and(|lock| lock.is_some())
        {
            let (root, options, repairs) = (self.root.clone(), self.options.clone(), self.repairs.clone());
            *self = Self::open_repaired(root, options, repairs, LoadTiming::Now)?;
        }
        Ok(())
    }

    /// Whether the graph exists only in the memory of this process.
    pub(super) fn is_private(&self) -> bool {
        self.is_private
    }

    /// Takes the damage that no refresh has handled yet.
    pub(super) fn take_damage(&mut self) -> Option<WorkspaceError> {
        self.damage.take().or_else(|| self.verdicts.take_damage().map(WorkspaceError::Store))
    }

    /// Closes the databases, even while [`DiskState`]s are in use. When the last process closes
    /// them, SQLite removes the files next to them. Later queries are answered from the source
    /// files, or fail.
    pub fn close_databases(&mut self) {
        self.verdicts.close_database();
        self.cache.close_connections();
        match GraphStore::open_in_memory(self.store.database_path(), self.meta.lineage) {
            Ok(empty) => self.store = empty,
            Err(error) => tracing::warn!("cannot close the database before the process ends: {error}"),
        }
        self.use_locks.clear();
    }

    /// Whether damage was found and the graph has yet to be rebuilt by
    /// [`DiskIndex::refresh_within`].
    pub fn needs_rebuild(&self) -> bool {
        self.has_to_be_rebuilt || self.damage.is_some()
    }

    /// Takes the reports of damage that was repaired since the last call.
    pub fn take_repairs(&self) -> Vec<String> {
        self.repairs.take_reports()
    }

    /// Reads the manifests in the folders of the graph's files.
    pub fn read_manifests(&mut self) {
        let files = self.snapshot.files().into_iter().filter_map(|id| self.snapshot.file(id));
        let paths: Vec<String> = files.map(|file| file.path.to_owned()).collect();
        self.project = Arc::new(Project::load_manifests(&self.root, &paths));
    }

    /// Returns the current graph of the disk and its context.
    pub fn current_state(&self) -> DiskState {
        DiskState {
            root: self.root.as_path().into(),
            options: self.options.clone(),
            snapshot: self.snapshot.clone(),
            project: Arc::clone(&self.project),
            facts: Some(Arc::clone(&self.reader_facts)),
            verdicts: self.options.verdicts.then(|| Arc::clone(&self.verdicts)),
            indexed_at: self.indexed_at(),
            head: self.head.clone(),
            is_writer: self.is_writer(),
            db_path: self.store.database_path().to_owned(),
        }
    }

    /// Changes the limits of indexing: threads, file size, exclude patterns, marks. They take effect
    /// with the next refresh. The databases stay at their paths.
    pub fn set_limits(&mut self, options: &WorkspaceOptions) {
        self.options.threads = options.threads;
        self.options.max_file_size = options.max_file_size;
        self.options.exclude.clone_from(&options.exclude);
        self.options.mark_derived = options.mark_derived;
    }

    /// Replaces the texts whose facts are already extracted. A file with one of these texts is not
    /// parsed.
    pub fn set_extracted_texts<'b>(&self, buffers: impl IntoIterator<Item = &'b Buffer>) {
        let extracted = buffers
            .into_iter()
            .filter_map(|buffer| Some((buffer.content_hash(), Arc::clone(buffer.file_facts()?))));
        self.facts.set_extracted_facts(extracted);
    }

    /// Returns the canonical path of the workspace.
    pub fn root_path(&self) -> &Path {
        &self.root
    }

    /// Returns the path of `graph.db`.
    pub fn db_path(&self) -> &Path {
        self.store.database_path()
    }

    /// Returns the path of the base image.
    pub fn image_path(&self) -> PathBuf {
        graph_image::image_path(self.store.database_path())
    }

    /// Returns the path of `facts.db`.
    pub fn facts_path(&self) -> &Path {
        self.facts.cache_path()
    }

    /// Whether this process writes the graph. Other processes only read it.
    pub fn is_writer(&self) -> bool {
        self.lock.is_some()
    }

    /// Returns the time of the last refresh that changed the graph, or `None` before the first one.
    pub fn indexed_at(&self) -> Option<SystemTime> {
        (self.meta.indexed_at > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(self.meta.indexed_at))
    }
}
