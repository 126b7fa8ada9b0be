//! The disk's part of a workspace: its databases, the writer lock, and the graph of what is on the disk.

use super::Buffer;
use super::facts::FactsSource;
use super::live::DiskState;
use super::verdicts::VerdictLog;
use super::{WorkspaceError, WorkspaceOptions, error, load, options};
use crate::project::Project;
use kenning_graph::Snapshot;
use kenning_graph::store::{GraphMeta, GraphStore, WriterLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The databases of a workspace and the graph of its files, without unsaved text. Everything slow happens here; what
/// it hands out ([`Disk::state`]) is cheap.
pub struct Disk {
    pub(super) root: PathBuf,
    pub(super) options: WorkspaceOptions,
    pub(super) store: GraphStore,
    pub(super) facts: FactsSource,
    /// Another connection to the same cache: who reads from it never waits for a batch of the indexing.
    reading: Arc<FactsSource>,
    verdicts: Arc<VerdictLog>,
    /// Held by the one process that writes.
    pub(super) lock: Option<WriterLock>,
    pub(super) meta: GraphMeta,
    /// `data_version` of the database when it was last read: a reader looks whether the writer committed.
    pub(super) data_version: i64,
    pub(super) snapshot: Snapshot,
    pub(super) project: Arc<Project>,
    pub(super) head: Option<String>,
    /// Where a damaged database was put, and why.
    pub(super) rebuilt: Option<String>,
    /// Paths whose stored facts could not be read again: the next refresh reads them from the disk.
    pub(super) doubtful: Vec<String>,
    /// The whole tree was looked at since the databases were opened: from here on, single files can be.
    pub(super) looked: bool,
    pub(super) image: load::ImageState,
}

impl Disk {
    /// Opens the databases of the workspace at `root`, making them where there are none, and loads the graph that
    /// they hold. Nothing is indexed yet.
    pub fn open(root: &Path, options: WorkspaceOptions) -> Result<Self, WorkspaceError> {
        let root = crate::walk::check_root(root)?;
        match Self::open_databases(root.clone(), options.clone(), None) {
            Err(WorkspaceError::Store(error)) if error::is_damage(&error) => {
                let note = error::set_damaged_aside(error, &options.places(&root)?, options.keep_going)?;
                Self::open_databases(root, options, Some(note))
            }
            other => other,
        }
    }

    fn open_databases(
        root: PathBuf,
        options: WorkspaceOptions,
        rebuilt: Option<String>,
    ) -> Result<Self, WorkspaceError> {
        let places = options.places(&root)?;
        let store = GraphStore::open(&places.graph, options::new_lineage())?;
        let facts = FactsSource::open(&places.facts)?;
        let reading = Arc::new(FactsSource::open(&places.facts)?);
        let verdicts = Arc::new(VerdictLog::open(&places.graph)?);
        let lock = WriterLock::take(&places.graph)
            .map_err(|e| WorkspaceError::Lock { path: places.graph.clone(), reason: e.to_string() })?;
        let mut disk = Self {
            head: crate::git::head(&root),
            root,
            options,
            store,
            facts,
            reading,
            verdicts,
            lock,
            meta: GraphMeta::default(),
            data_version: 0,
            snapshot: Snapshot::empty(),
            project: Arc::default(),
            rebuilt,
            doubtful: Vec::new(),
            looked: false,
            image: load::ImageState::default(),
        };
        disk.reload()?;
        Ok(disk)
    }

    /// Goes on after damage was found in the database while working: with a new one where the caller keeps going,
    /// else with a sentence that says where the old one is.
    pub(super) fn start_over(
        &mut self,
        error: kenning_graph::store::StoreError,
    ) -> Result<(), WorkspaceError> {
        let places = self.options.places(&self.root)?;
        let note = error::set_damaged_aside(error, &places, self.options.keep_going)?;
        // The lock is taken anew with the databases.
        self.lock = None;
        *self = Self::open_databases(self.root.clone(), self.options.clone(), Some(note))?;
        Ok(())
    }

    /// Reads the manifests in the folders of the graph's files.
    pub fn read_manifests(&mut self) {
        let files = self.snapshot.files().into_iter().filter_map(|id| self.snapshot.file(id));
        let paths: Vec<String> = files.map(|file| file.path.to_owned()).collect();
        self.project = Arc::new(Project::load(&self.root, &paths));
    }

    /// The graph of the disk as it is known now, and what belongs to it.
    pub fn state(&self) -> DiskState {
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
            db_path: self.store.path().to_owned(),
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
    pub fn set_read<'b>(&self, buffers: impl IntoIterator<Item = &'b Buffer>) {
        let known = buffers.into_iter().filter_map(|b| Some((b.content_hash(), Arc::clone(b.facts()?))));
        self.facts.set_read(known);
    }

    /// The canonical path of the workspace.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where `graph.db` is.
    pub fn db_path(&self) -> &Path {
        self.store.path()
    }

    /// Where the memory-mapped image of the graph is.
    pub fn base_path(&self) -> PathBuf {
        load::base_path(self.store.path())
    }

    /// Where `facts.db` is.
    pub fn facts_path(&self) -> &Path {
        self.facts.path()
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
