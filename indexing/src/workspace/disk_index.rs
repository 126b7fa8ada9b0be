//! The disk's part of a workspace: its databases, the writer lock, and the graph of what is on the disk.

use super::Buffer;
use super::error::{self, DamageOutcome};
use super::facts_cache::{ConnectionUse, FactsCache};
use super::facts_source::FactsSource;
use super::live_index::DiskState;
use super::repairs::RepairLog;
use super::verdict_log::VerdictLog;
use super::{WorkspaceError, WorkspaceOptions, graph_image, options};
use crate::named_file::FileProblem;
use crate::project::Project;
use kenning_graph::Snapshot;
use kenning_graph::store::{GraphMeta, GraphStore, WriterLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The databases of a workspace and the graph of its files, without unsaved text. Everything slow happens here; what
/// it hands out ([`DiskIndex::current_state`]) is cheap.
pub struct DiskIndex {
    pub(super) root: PathBuf,
    pub(super) options: WorkspaceOptions,
    pub(super) store: GraphStore,
    pub(super) facts: FactsSource,
    /// The same cache over another connection: who reads from it never waits for a batch of the indexing.
    reading: Arc<FactsSource>,
    cache: Arc<FactsCache>,
    verdicts: Arc<VerdictLog>,
    /// Held by the one process that writes.
    pub(super) lock: Option<WriterLock>,
    pub(super) meta: GraphMeta,
    /// `data_version` of the database when it was last read: a reader looks whether the writer committed.
    pub(super) data_version: i64,
    pub(super) snapshot: Snapshot,
    pub(super) project: Arc<Project>,
    pub(super) head: Option<String>,
    /// Reports of damage that was repaired.
    pub(super) repairs: RepairLog,
    /// The graph was damaged, or the image, and has yet to be rebuilt from the files.
    pub(super) has_to_be_rebuilt: bool,
    /// The graph is in the memory of this process alone: the file is damaged, and another process keeps it.
    is_private: bool,
    /// Damage that was found where nothing could be rebuilt: the next refresh begins with that.
    pub(super) damage: Option<WorkspaceError>,
    /// Paths whose stored facts could not be read again: the next refresh reads them from the disk.
    pub(super) doubtful: Vec<String>,
    /// The whole tree was checked since the databases were opened: from here on, single files can be.
    pub(super) looked: bool,
    pub(super) image: graph_image::ImageState,
    /// What the last look at the whole tree found wrong with the files that steer it.
    pub(super) problems: Vec<FileProblem>,
    /// The graph, until it is loaded.
    pub(super) unloaded: Option<graph_image::UnloadedGraph>,
}

/// When the graph is loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoadTiming {
    Now,
    /// By the refresh that follows, before which nothing is asked.
    ByRefresh,
}

impl DiskIndex {
    /// Opens the databases of the workspace at `root`, making them where there are none, and loads the graph that
    /// they hold. Nothing is indexed yet. Damaged databases are set aside, and new ones made: the next refresh fills them.
    pub fn open(root: &Path, options: WorkspaceOptions) -> Result<Self, WorkspaceError> {
        let root = crate::walk::check_root(root)?;
        Self::open_repaired(root, options, RepairLog::default(), LoadTiming::Now)
    }

    /// [`DiskIndex::open`] for a caller that refreshes before it asks for anything: the image is read while the tree is walked.
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
        let places = options.database_paths(&root)?;
        let opened = Self::open_databases(root.clone(), options.clone(), repairs.clone(), None);
        let opened = opened.and_then(|mut disk| {
            if load == LoadTiming::Now {
                disk.ensure_loaded()?;
            }
            Ok(disk)
        });
        match opened {
            Err(error) if error::is_damaged_graph(&error, &places) => {
                let replaced = error::set_graph_aside(error, &places, false)?;
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

    /// Opens the databases, and begins to read the image; `replaced` says what became of a graph that was damaged.
    fn open_databases(
        root: PathBuf,
        options: WorkspaceOptions,
        repairs: RepairLog,
        replaced: Option<DamageOutcome>,
    ) -> Result<Self, WorkspaceError> {
        let places = options.database_paths(&root)?;
        places.restrict_permissions();
        let unloaded = graph_image::UnloadedGraph::start_reading(&places);
        let has_to_be_rebuilt = replaced.is_some();
        let is_private = matches!(replaced, Some(DamageOutcome::Held(_)));
        if let Some(DamageOutcome::Aside(note) | DamageOutcome::Held(note)) = replaced {
            repairs.record_repair(note);
        }
        let (store, verdicts) = if is_private {
            let store = GraphStore::open_in_memory(&places.graph, options::new_lineage())?;
            (store, VerdictLog::open_in_memory(&places.graph)?)
        } else {
            let store = GraphStore::open(&places.graph, options::new_lineage())?;
            (store, VerdictLog::open(&places.graph)?)
        };
        let cache = Arc::new(FactsCache::open(&places, repairs.clone())?);
        let facts = FactsSource::new(&cache, ConnectionUse::Indexing);
        let reading = Arc::new(FactsSource::new(&cache, ConnectionUse::Answering));
        let lock = if is_private {
            None
        } else {
            WriterLock::try_acquire(&places.graph).map_err(error::lock_error(&places))?
        };
        Ok(Self {
            head: crate::git::head_commit(&root),
            root,
            options,
            store,
            facts,
            reading,
            cache,
            verdicts: Arc::new(verdicts),
            lock,
            meta: GraphMeta::default(),
            data_version: 0,
            snapshot: Snapshot::empty(),
            project: Arc::default(),
            repairs,
            has_to_be_rebuilt,
            is_private,
            damage: None,
            doubtful: Vec::new(),
            looked: false,
            image: graph_image::ImageState::default(),
            problems: Vec::new(),
            unloaded: Some(unloaded),
        })
    }

    /// Goes on with a new graph after damage was found in the database while working.
    pub(super) fn start_over(&mut self, error: WorkspaceError) -> Result<(), WorkspaceError> {
        let places = self.options.database_paths(&self.root)?;
        let is_writer = self.lock.is_some();
        // Who closes a database removes the log beside its path: this must not be that of the new one.
        self.close_databases();
        let replaced = error::set_graph_aside(error, &places, is_writer)?;
        // The lock is taken again with the databases.
        self.lock = None;
        let (root, options, repairs) = (self.root.clone(), self.options.clone(), self.repairs.clone());
        *self = Self::open_replaced(root, options, repairs, replaced)?;
        Ok(())
    }

    /// Opens the databases again where this process did without the graph's, and no other process keeps it any more.
    pub(super) fn leave_private_graph(&mut self) -> Result<(), WorkspaceError> {
        if self.is_private
            && WriterLock::try_acquire(&self.options.database_paths(&self.root)?.graph)
                .is_ok_and(|l| l.is_some())
        {
            let (root, options, repairs) = (self.root.clone(), self.options.clone(), self.repairs.clone());
            *self = Self::open_repaired(root, options, repairs, LoadTiming::Now)?;
        }
        Ok(())
    }

    pub(super) fn is_private(&self) -> bool {
        self.is_private
    }

    /// Damage that was found and not reported yet.
    pub(super) fn take_damage(&mut self) -> Option<WorkspaceError> {
        self.damage.take().or_else(|| self.verdicts.take_damage().map(WorkspaceError::Store))
    }

    /// Closes the databases, whoever still holds states of the disk: the last process to do so leaves nothing beside them. What
    /// is asked of them afterwards is answered from the files, or not at all.
    pub fn close_databases(&mut self) {
        self.verdicts.close_database();
        self.cache.close_connections();
        match GraphStore::open_in_memory(self.store.database_path(), self.meta.lineage) {
            Ok(nothing) => self.store = nothing,
            Err(error) => tracing::warn!("the database stays open until the process ends: {error}"),
        }
    }

    /// Whether damage was found, and the graph has yet to be rebuilt by [`DiskIndex::refresh_within`].
    pub fn needs_rebuild(&self) -> bool {
        self.has_to_be_rebuilt || self.damage.is_some()
    }

    /// Reports of damage that was repaired since the last call.
    pub fn take_repairs(&self) -> Vec<String> {
        self.repairs.take_all()
    }

    /// Reads the manifests in the folders of the graph's files.
    pub fn read_manifests(&mut self) {
        let files = self.snapshot.files().into_iter().filter_map(|id| self.snapshot.file(id));
        let paths: Vec<String> = files.map(|file| file.path.to_owned()).collect();
        self.project = Arc::new(Project::load_manifests(&self.root, &paths));
    }

    /// The graph of the disk as it is known now, and what belongs to it.
    pub fn current_state(&self) -> DiskState {
        DiskState {
            root: self.root.as_path().into(),
            options: self.options.clone(),
            snapshot: self.snapshot.clone(),
            project: Arc::clone(&self.project),
            facts: Some(Arc::clone(&self.reading)),
            verdicts: self.options.verdicts.then(|| Arc::clone(&self.verdicts)),
            indexed_at: self.indexed_at(),
            head: self.head.clone(),
            is_writer: self.is_writer(),
            db_path: self.store.database_path().to_owned(),
        }
    }

    /// Takes other limits of indexing: threads, size of files, patterns to leave out. They hold from the next refresh
    /// on; the databases stay where they are.
    pub fn set_limits(&mut self, options: &WorkspaceOptions) {
        self.options.threads = options.threads;
        self.options.max_file_size = options.max_file_size;
        self.options.exclude.clone_from(&options.exclude);
    }

    /// Texts that were read already, instead of those that were given before: a file that holds one of them is not parsed.
    pub fn set_extracted_texts<'b>(&self, buffers: impl IntoIterator<Item = &'b Buffer>) {
        let known = buffers.into_iter().filter_map(|b| Some((b.content_hash(), Arc::clone(b.file_facts()?))));
        self.facts.set_extracted_facts(known);
    }

    /// The canonical path of the workspace.
    pub fn root_path(&self) -> &Path {
        &self.root
    }

    /// Where `graph.db` is.
    pub fn db_path(&self) -> &Path {
        self.store.database_path()
    }

    /// Where the image of the graph is.
    pub fn image_path(&self) -> PathBuf {
        graph_image::image_path(self.store.database_path())
    }

    /// Where `facts.db` is.
    pub fn facts_path(&self) -> &Path {
        self.facts.cache_path()
    }

    /// Whether this process writes the graph. Others answer from it and leave it alone.
    pub fn is_writer(&self) -> bool {
        self.lock.is_some()
    }

    /// When the graph was last brought up to the disk; `None` before the first time.
    pub fn indexed_at(&self) -> Option<SystemTime> {
        (self.meta.indexed_at > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(self.meta.indexed_at))
    }
}
