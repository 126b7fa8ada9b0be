//! A workspace: its databases, its snapshot, and the one way in which changed text becomes a changed graph.
//!
//! `refresh` brings the graph up to the disk; `set_buffer` puts the unsaved text of an open document over it. Both go
//! through [`settle`](settle::settle): new facts, then resolution of the files that changed or looked up what
//! changed. SQLite holds only what is on the disk.

mod buffer;
mod error;
mod facts;
mod load;
mod options;
mod refresh;
mod settle;
mod text;

pub use buffer::{Buffer, TreeEdit};
pub use error::WorkspaceError;
pub use options::{WorkspaceOptions, default_cache_home};
pub use refresh::{IndexReport, NoProgress, Progress};
pub use text::TextProvider;

use crate::project::Project;
use facts::FactsSource;
use kenning_graph::Snapshot;
use kenning_graph::snapshot::FileChange;
use kenning_graph::store::{GraphMeta, GraphStore, WriterLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use text::Buffers;

/// An opened workspace.
pub struct Workspace {
    root: PathBuf,
    options: WorkspaceOptions,
    store: GraphStore,
    facts: FactsSource,
    /// Another connection to the same cache: who reads from it never waits for a batch of the indexing.
    reading: Arc<FactsSource>,
    /// Held by the one process that writes.
    lock: Option<WriterLock>,
    meta: GraphMeta,
    /// `data_version` of the database when it was last read: a reader looks whether the writer committed.
    data_version: i64,
    /// The graph of the disk.
    disk: Snapshot,
    /// The graph of the disk with the open buffers over it.
    live: Snapshot,
    buffers: Buffers,
    project: Arc<Project>,
    head: Option<String>,
    /// Where a damaged database was put, and why.
    rebuilt: Option<String>,
    /// Paths whose stored facts could not be read again: the next refresh reads them from the disk.
    doubtful: Vec<String>,
}

impl Workspace {
    /// Opens the workspace at `root` and its databases, making them where there are none, and loads the graph that
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
        let lock = WriterLock::take(&places.graph)
            .map_err(|e| WorkspaceError::Lock { path: places.graph.clone(), reason: e.to_string() })?;
        let mut workspace = Self {
            head: crate::git::head(&root),
            root,
            options,
            store,
            facts,
            reading,
            lock,
            meta: GraphMeta::default(),
            data_version: 0,
            disk: Snapshot::empty(),
            live: Snapshot::empty(),
            buffers: Buffers::default(),
            project: Arc::default(),
            rebuilt,
            doubtful: Vec::new(),
        };
        workspace.reload()?;
        Ok(workspace)
    }

    /// Goes on after damage was found in the database while working: with a new one where the caller keeps going,
    /// else with a sentence that says where the old one is.
    fn start_over(&mut self, error: kenning_graph::store::StoreError) -> Result<(), WorkspaceError> {
        let places = self.options.places(&self.root)?;
        let note = error::set_damaged_aside(error, &places, self.options.keep_going)?;
        let buffers = std::mem::take(&mut self.buffers);
        // The lock is taken anew with the databases.
        self.lock = None;
        *self = Self::open_databases(self.root.clone(), self.options.clone(), Some(note))?;
        self.buffers = buffers;
        Ok(())
    }

    /// Takes other limits of indexing: threads, size of files, patterns to leave out. They hold from the next refresh
    /// on; the databases stay where they are.
    pub fn set_limits(&mut self, options: &WorkspaceOptions) {
        self.options.threads = options.threads;
        self.options.max_file_size = options.max_file_size;
        self.options.exclude.clone_from(&options.exclude);
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

    /// Where `memory.db` is; it is made when something is learned.
    pub fn memory_path(&self) -> PathBuf {
        self.store.path().with_file_name("memory.db")
    }

    /// Whether this process writes the graph. Others answer from it and leave it alone.
    pub fn is_writer(&self) -> bool {
        self.lock.is_some()
    }

    /// The graph of the disk with the open buffers over it.
    pub fn snapshot(&self) -> Snapshot {
        self.live.clone()
    }

    /// Number of open buffers whose text differs from the disk's.
    pub fn unsaved_files(&self) -> usize {
        self.buffers.values().filter(|buffer| !self.is_saved(buffer)).count()
    }

    /// Whether the graph shows the very text of a buffer.
    pub fn shows(&self, buffer: &Buffer) -> bool {
        let shown = self.live.file_by_path(buffer.path()).and_then(|id| self.live.file(id));
        shown.is_some_and(|file| file.content_hash == buffer.content_hash())
    }

    /// Whether the disk's graph knows a buffer's very text.
    fn is_saved(&self, buffer: &Buffer) -> bool {
        let on_disk = self.disk.file_by_path(buffer.path()).and_then(|id| self.disk.file(id));
        on_disk.is_some_and(|file| file.content_hash == buffer.content_hash())
    }

    /// What the manifests say, as of the last refresh.
    pub fn project(&self) -> Arc<Project> {
        Arc::clone(&self.project)
    }

    /// When the graph was last brought up to the disk; `None` before the first time.
    pub fn indexed_at(&self) -> Option<SystemTime> {
        (self.meta.indexed_at > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(self.meta.indexed_at))
    }

    /// The commit that is checked out, as of the last refresh.
    pub fn head(&self) -> Option<String> {
        self.head.clone()
    }

    /// Where texts and facts of this workspace come from: open buffers first, then the disk, always checked by hash.
    pub fn text_source(&self) -> Arc<TextProvider> {
        Arc::new(TextProvider::new(self.root.clone(), self.buffers.clone(), self.reading.clone()))
    }

    /// Puts the text of an open document over the disk's. Text in no known language, or too long to be indexed,
    /// changes nothing.
    pub fn set_buffer(&mut self, path: &str, text: &str) -> Snapshot {
        let limit = self.options.max_file_size;
        let buffer = match self.buffers.get(path) {
            Some(known) => {
                let edit = TreeEdit::between(known.text().as_bytes(), text.as_bytes());
                known.edited(text.into(), &[edit], limit)
            }
            None => Buffer::new(path, text.into(), limit),
        };
        self.put_buffer(Arc::new(buffer))
    }

    /// Puts an open document over the disk's text, as [`Workspace::set_buffer`] does.
    pub fn put_buffer(&mut self, buffer: Arc<Buffer>) -> Snapshot {
        let path: Arc<str> = buffer.path().into();
        let known = self.live.file_by_path(&path).and_then(|id| self.live.file(id));
        let same = known.is_some_and(|file| file.content_hash == buffer.content_hash());
        let change = buffer_change(&buffer);
        Arc::make_mut(&mut self.buffers).insert(path, buffer);
        if let Some(change) = change.filter(|_| !same) {
            self.live =
                settle::settle(&self.live, &self.project, vec![change], false, &self.facts, &self.root)
                    .snapshot;
        }
        self.snapshot()
    }

    /// Drops the text of a document that was closed: the disk's counts again.
    pub fn close_buffer(&mut self, path: &str) -> Snapshot {
        if Arc::make_mut(&mut self.buffers).remove(path).is_some() {
            self.overlay_buffers();
        }
        self.snapshot()
    }

    /// The disk's graph with every buffer put over it again.
    fn overlay_buffers(&mut self) {
        let unsaved = self.buffers.values().filter(|buffer| !self.is_saved(buffer));
        let changes: Vec<FileChange> = unsaved.filter_map(|buffer| buffer_change(buffer)).collect();
        self.live = if changes.is_empty() {
            self.disk.clone()
        } else {
            settle::settle(&self.disk, &self.project, changes, false, &self.facts, &self.root).snapshot
        };
    }
}

/// The change that an open buffer makes.
fn buffer_change(buffer: &Buffer) -> Option<FileChange> {
    let facts = buffer.facts()?.clone();
    Some(FileChange::Put {
        path: buffer.path().to_owned(),
        content_hash: buffer.content_hash(),
        size: buffer.text().len() as u64,
        mtime_ns: 0,
        facts,
    })
}
