//! A workspace: its databases, its snapshot, and the one way in which changed text becomes a changed graph.
//!
//! Two parts: [`Disk`] brings its graph up to the disk and keeps it in SQLite, which holds only what is on the disk;
//! [`Live`] puts the unsaved texts of open documents over that graph. A server runs each on a thread of its own; a
//! [`Workspace`] is both, for one command. Both go through `settle`: new facts, then resolution of the files that
//! changed or looked up what changed.

mod before;
mod buffer;
mod commits;
mod disk;
mod emptied;
mod error;
mod facts;
mod facts_cache;
mod given_up;
mod history;
mod live;
mod load;
mod look;
mod options;
mod refresh;
mod repairs;
mod settle;
mod text;
mod verdicts;

pub use before::{LeftBehind, User, left_behind};
pub use buffer::{Buffer, MAX_LIVE_BYTES, TreeEdit};
pub use commits::CommitsReport;
pub use disk::Disk;
pub use error::WorkspaceError;
pub use history::HistoryReport;
pub use live::{DiskState, Live};
pub use look::{Look, folders};
pub use options::{Places, WorkspaceOptions, default_cache_home};
pub use refresh::{IndexReport, NoProgress, Progress};
pub use text::TextProvider;
pub use verdicts::{VerdictLog, without_tests_of_tests};

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
    disk: Disk,
    live: Live,
}

/// Where `memory.db` is, beside a graph's database.
pub fn memory_beside(database: &Path) -> PathBuf {
    database.with_file_name("memory.db")
}

impl Workspace {
    /// Opens the workspace at `root` and its databases, making them where there are none, and loads the graph that
    /// they hold. Nothing is indexed yet.
    pub fn open(root: &Path, options: WorkspaceOptions) -> Result<Self, WorkspaceError> {
        let disk = Disk::open(root, options)?;
        let live = Live::new(disk.state());
        Ok(Self { disk, live })
    }

    /// Opens the workspace at `root` and brings its graph up to the disk: faster than one after the other.
    ///
    /// # Errors
    /// Those of [`Workspace::open`] and of [`Workspace::refresh`].
    pub fn open_refreshed(
        root: &Path,
        options: WorkspaceOptions,
        progress: &dyn Progress,
    ) -> Result<(Self, IndexReport), WorkspaceError> {
        let mut disk = Disk::open_to_refresh(root, options)?;
        let report = refresh(&mut disk, &Look::Whole, progress)?;
        let live = Live::new(disk.state());
        Ok((Self { disk, live }, report))
    }

    /// Brings the graph up to the disk; the first time, that is the whole index. A process that is not the writer
    /// keeps the result to itself.
    pub fn refresh(&mut self, progress: &dyn Progress) -> Result<IndexReport, WorkspaceError> {
        self.look(&Look::Whole, progress)
    }

    /// Brings the graph up to the disk as far as `look` says.
    pub fn look(&mut self, look: &Look, progress: &dyn Progress) -> Result<IndexReport, WorkspaceError> {
        let report = refresh(&mut self.disk, look, progress);
        // What was read is answered from, even where it could not be stored.
        self.set_disk();
        report
    }

    /// Whether damage was found in what the workspace keeps, and the graph has yet to be made anew: a refresh does it.
    pub fn has_to_be_rebuilt(&self) -> bool {
        self.disk.has_to_be_rebuilt()
    }

    /// What was found damaged and made anew since this was asked last, or since the last refresh reported it; sentences.
    pub fn take_repairs(&self) -> Vec<String> {
        self.disk.take_repairs()
    }

    /// Reads the manifests of the graph as it was loaded, where nothing is brought up to the disk.
    pub fn read_manifests(&mut self) {
        self.disk.read_manifests();
        self.set_disk();
    }

    fn set_disk(&mut self) {
        self.live.set_disk(self.disk.state());
        self.live.follow(&mut || false);
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
        let found = self.disk.state().history(self.live.layer(), interrupted)?;
        Ok(found.map(|(layer, report)| {
            self.live.set_layer(layer);
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
        self.disk.state().read_commits(interrupted)
    }

    /// Keeps what language servers said and shows it in the graph.
    ///
    /// # Errors
    /// Those of the database; the graph shows it all the same.
    pub fn take_verdicts(&mut self, verdicts: &[Verdict]) -> Result<(), WorkspaceError> {
        let kept = self.disk.state().verdicts.map_or(Ok(()), |log| log.keep(verdicts));
        self.live.take_verdicts(verdicts);
        self.live.follow(&mut || false);
        kept
    }

    /// Everything that language servers said and that is kept, stale or not.
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.disk.state().verdicts.map_or_else(Vec::new, |log| log.all())
    }

    /// What is known of the commits ([`DiskState::commits`]). Where the cache was damaged, they are read again first.
    ///
    /// # Errors
    /// Those of the cache.
    pub fn commits(&self) -> Result<Vec<CommitFacts>, WorkspaceError> {
        let state = self.disk.state();
        let commits = state.commits()?;
        if !state.cache_was_replaced() {
            return Ok(commits);
        }
        state.read_commits(&mut || false)?;
        state.commits()
    }

    /// The canonical path of the workspace.
    pub fn root(&self) -> &Path {
        self.disk.root()
    }

    /// Where `graph.db` is.
    pub fn db_path(&self) -> &Path {
        self.disk.db_path()
    }

    /// Where the image of the graph is.
    pub fn base_path(&self) -> PathBuf {
        self.disk.base_path()
    }

    /// Where `facts.db` is.
    pub fn facts_path(&self) -> &Path {
        self.disk.facts_path()
    }

    /// Where `memory.db` is; it is made when something is learned.
    pub fn memory_path(&self) -> PathBuf {
        self.memory().path
    }

    /// What use taught about the workspace.
    pub fn memory(&self) -> MemoryLocation {
        self.disk.state().memory()
    }

    /// Whether this process writes the graph. Others answer from it and leave it alone.
    pub fn is_writer(&self) -> bool {
        self.disk.is_writer()
    }

    /// The graph of the disk with the open buffers over it.
    pub fn snapshot(&self) -> Snapshot {
        self.live.snapshot()
    }

    /// Number of open buffers whose text differs from the disk's.
    pub fn unsaved_files(&self) -> usize {
        self.live.unsaved_files()
    }

    /// What the manifests say, as of the last refresh, for the files of the disk and of the open buffers.
    pub fn project(&self) -> Arc<Project> {
        Arc::clone(self.live.project())
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
    pub fn head(&self) -> Option<String> {
        self.live.disk().head.clone()
    }

    /// Where texts and facts of this workspace come from: open buffers first, then the disk, always checked by hash.
    pub fn text_source(&self) -> Arc<TextProvider> {
        self.live.text_source()
    }

    /// Puts the text of an open document over the disk's. Text in no known language changes nothing.
    pub fn set_buffer(&mut self, path: &str, text: &str) -> Snapshot {
        self.live.put_text(path, text);
        self.live.follow(&mut || false);
        self.snapshot()
    }

    /// Drops the text of a document that was closed: the disk's counts again.
    pub fn close_buffer(&mut self, path: &str) -> Snapshot {
        self.live.close(path);
        self.live.follow(&mut || false);
        self.snapshot()
    }
}

/// Brings the disk's graph up to the disk, and its image up to the graph.
fn refresh(disk: &mut Disk, look: &Look, progress: &dyn Progress) -> Result<IndexReport, WorkspaceError> {
    let report = disk.refresh(look, progress)?;
    disk.compact_if_due(&mut || false)?;
    if !disk.has_to_be_rebuilt() {
        return Ok(report);
    }
    // Damage was found while the image was written.
    disk.refresh(&Look::Whole, progress)
}
