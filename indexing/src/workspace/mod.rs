//! A workspace: its databases, its snapshot, and the one way in which changed text becomes a changed graph.
//!
//! Two parts: [`DiskIndex`] brings its graph up to the disk and keeps it in SQLite, which holds only what is on the disk;
//! [`LiveIndex`] puts the unsaved texts of open documents over that graph. A server runs each on a thread of its own; a
//! [`Workspace`] is both, for one command. Both go through `settle`: new facts, then resolution of the files that
//! changed or looked up what changed.

mod abandoned_parses;
mod apply_changes;
mod buffer;
mod commits;
mod dangling_uses;
mod disk_index;
mod empty_file_wait;
mod error;
mod facts_cache;
mod facts_source;
mod graph_image;
mod history;
mod live_index;
mod options;
mod refresh;
mod refresh_scope;
mod repairs;
mod text_provider;
mod verdict_log;

pub use buffer::{Buffer, MAX_LIVE_BYTES, TreeEdit};
pub use commits::CommitsReport;
pub use dangling_uses::{DanglingUses, RemovedNameUser, find_dangling_uses};
pub use disk_index::DiskIndex;
pub use error::WorkspaceError;
pub use history::HistoryReport;
pub use live_index::{DiskState, LiveIndex};
pub use options::{DatabasePaths, WorkspaceOptions, default_cache_home};
pub use refresh::{IndexProgress, IndexReport, NoProgress};
pub use refresh_scope::{RefreshScope, walked_folders};
pub use text_provider::TextProvider;
pub use verdict_log::{VerdictLog, remove_test_only_edges};

use crate::named_file::FileProblem;
use crate::project::Project;
use kenning_graph::Snapshot;
use kenning_graph::commits::CommitFacts;
use kenning_graph::store::MemoryLocation;
use kenning_graph::verdicts::Verdict;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// An opened workspace: the disk's graph and the open buffers over it.
pub struct Workspace {
    disk: DiskIndex,
    live: LiveIndex,
}

/// Where `memory.db` is, beside a graph's database.
pub fn memory_path_beside(database: &Path) -> PathBuf {
    database.with_file_name("memory.db")
}

impl Workspace {
    /// Opens the workspace at `root` and its databases, making them where there are none, and loads the graph that
    /// they hold. Nothing is indexed yet.
    pub fn open(root: &Path, options: WorkspaceOptions) -> Result<Self, WorkspaceError> {
        let disk = DiskIndex::open(root, options)?;
        let live = LiveIndex::new(disk.current_state());
        Ok(Self { disk, live })
    }

    /// Opens the workspace at `root` and brings its graph up to the disk: faster than one after the other.
    ///
    /// # Errors
    /// Those of [`Workspace::open`] and of [`Workspace::refresh_all`].
    pub fn open_refreshed(
        root: &Path,
        options: WorkspaceOptions,
        progress: &dyn IndexProgress,
    ) -> Result<(Self, IndexReport), WorkspaceError> {
        let mut disk = DiskIndex::open_to_refresh(root, options)?;
        let report = refresh_and_compact(&mut disk, &RefreshScope::Whole, progress)?;
        let live = LiveIndex::new(disk.current_state());
        Ok((Self { disk, live }, report))
    }

    /// Brings the graph up to the disk; the first time, that is the whole index. A process that is not the writer
    /// keeps the result to itself.
    pub fn refresh_all(&mut self, progress: &dyn IndexProgress) -> Result<IndexReport, WorkspaceError> {
        self.refresh_within(&RefreshScope::Whole, progress)
    }

    /// Brings the graph up to the disk as far as `look` says.
    pub fn refresh_within(
        &mut self,
        look: &RefreshScope,
        progress: &dyn IndexProgress,
    ) -> Result<IndexReport, WorkspaceError> {
        let report = refresh_and_compact(&mut self.disk, look, progress);
        // What was read is answered from, even where it could not be stored.
        self.update_live_index();
        report
    }

    /// Whether damage was found in what the workspace keeps, and the graph has yet to be rebuilt by a refresh.
    pub fn needs_rebuild(&self) -> bool {
        self.disk.needs_rebuild()
    }

    /// Reports of damage that was repaired since the last call, or since the last refresh reported it; sentences.
    pub fn take_repairs(&self) -> Vec<String> {
        self.disk.take_repairs()
    }

    /// Reads the manifests of the graph as it was loaded, where nothing is brought up to the disk.
    pub fn read_manifests(&mut self) {
        self.disk.read_manifests();
        self.update_live_index();
    }

    fn update_live_index(&mut self) {
        self.live.set_disk_state(self.disk.current_state());
        self.live.resolve_deferred(&mut || false);
    }

    /// Reads who last changed each symbol from the history of the repository, until `interrupted` says so; what is known from
    /// before is there in any case. `None` without a git repository.
    ///
    /// # Errors
    /// Those of the cache.
    pub fn read_history(
        &mut self,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<HistoryReport>, WorkspaceError> {
        let found = self.disk.current_state().read_history(self.live.history_layer(), interrupted)?;
        Ok(found.map(|(layer, report)| {
            self.live.set_history_layer(layer);
            report
        }))
    }

    /// Reads the newest commits that are not known yet ([`DiskState::read_commits`]).
    ///
    /// # Errors
    /// Those of the cache.
    pub fn read_commits(
        &self,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<CommitsReport>, WorkspaceError> {
        self.disk.current_state().read_commits(interrupted)
    }

    /// Keeps what language servers said and shows it in the graph.
    ///
    /// # Errors
    /// Those of the database; the graph shows it all the same.
    pub fn insert_verdicts(&mut self, verdicts: &[Verdict]) -> Result<(), WorkspaceError> {
        let kept = self.disk.current_state().verdicts.map_or(Ok(()), |log| log.insert_verdicts(verdicts));
        self.live.apply_verdicts(verdicts);
        self.live.resolve_deferred(&mut || false);
        kept
    }

    /// Everything that language servers said and that is kept, stale or not.
    pub fn all_verdicts(&self) -> Vec<Verdict> {
        self.disk.current_state().verdicts.map_or_else(Vec::new, |log| log.load_all())
    }

    /// What is known of the commits ([`DiskState::load_commits`]). Where the cache was damaged, they are read again first.
    ///
    /// # Errors
    /// Those of the cache.
    pub fn load_commits(&self) -> Result<Vec<CommitFacts>, WorkspaceError> {
        let state = self.disk.current_state();
        let commits = state.load_commits()?;
        if !state.cache_was_replaced() {
            return Ok(commits);
        }
        state.read_commits(&mut || false)?;
        state.load_commits()
    }

    /// The canonical path of the workspace.
    pub fn root_path(&self) -> &Path {
        self.disk.root_path()
    }

    /// Where `graph.db` is.
    pub fn db_path(&self) -> &Path {
        self.disk.db_path()
    }

    /// Where the image of the graph is.
    pub fn image_path(&self) -> PathBuf {
        self.disk.image_path()
    }

    /// Where `facts.db` is.
    pub fn facts_path(&self) -> &Path {
        self.disk.facts_path()
    }

    /// Where `memory.db` is; it is made when something is learned.
    pub fn memory_path(&self) -> PathBuf {
        self.memory_location().path
    }

    /// What use taught about the workspace.
    pub fn memory_location(&self) -> MemoryLocation {
        self.disk.current_state().memory_location()
    }

    /// Whether this process writes the graph. Others answer from it and leave it alone.
    pub fn is_writer(&self) -> bool {
        self.disk.is_writer()
    }

    /// The graph of the disk with the open buffers over it.
    pub fn current_snapshot(&self) -> Snapshot {
        self.live.current_snapshot()
    }

    /// Number of open buffers whose text differs from the disk's.
    pub fn unsaved_count(&self) -> usize {
        self.live.unsaved_count()
    }

    /// What the manifests say, as of the last refresh, for the files of the disk and of the open buffers.
    pub fn current_project(&self) -> Arc<Project> {
        Arc::clone(self.live.current_project())
    }

    /// What is wrong now with the files that say what is indexed, and with the repository. Walks the tree; reads no source file.
    ///
    /// # Errors
    /// Those of the walk.
    pub fn find_problems(&self) -> Result<Vec<FileProblem>, WorkspaceError> {
        self.disk.find_problems()
    }

    /// When the graph was last brought up to the disk; `None` before the first time.
    pub fn indexed_at(&self) -> Option<SystemTime> {
        self.disk.indexed_at()
    }

    /// The commit that is checked out, as of the last refresh.
    pub fn head_commit(&self) -> Option<String> {
        self.live.disk_state().head.clone()
    }

    /// Where texts and facts of this workspace come from: open buffers first, then the disk, always checked by hash.
    pub fn text_source(&self) -> Arc<TextProvider> {
        self.live.text_source()
    }

    /// Puts the text of an open document over the disk's. Text in no known language changes nothing.
    pub fn set_buffer(&mut self, path: &str, text: &str) -> Snapshot {
        self.live.set_text(path, text);
        self.live.resolve_deferred(&mut || false);
        self.current_snapshot()
    }

    /// Drops the text of a document that was closed: the disk's counts again.
    pub fn close_buffer(&mut self, path: &str) -> Snapshot {
        self.live.close_buffer(path);
        self.live.resolve_deferred(&mut || false);
        self.current_snapshot()
    }
}

/// Brings the disk's graph up to the disk, and its image up to the graph.
fn refresh_and_compact(
    disk: &mut DiskIndex,
    look: &RefreshScope,
    progress: &dyn IndexProgress,
) -> Result<IndexReport, WorkspaceError> {
    let report = disk.refresh_within(look, progress)?;
    disk.compact_if_due(&mut || false)?;
    if !disk.needs_rebuild() {
        return Ok(report);
    }
    // Damage was found while the image was written.
    disk.refresh_within(&RefreshScope::Whole, progress)
}
