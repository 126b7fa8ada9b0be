//! An open workspace: its databases, its snapshots, and the path from changed text to a changed
//! graph.
//!
//! Two types do the work. A server runs each on a separate thread; a [`Workspace`] combines both
//! for a single command.
//!
//! * [`DiskIndex`] owns the databases and the writer lock. It compares the files on disk with the
//!   graph, reads and extracts what changed, resolves it, commits it to SQLite and compacts the
//!   base image. SQLite never holds unsaved text.
//! * [`LiveIndex`] overlays the unsaved texts of open documents and the verdicts of language
//!   servers on the graph that [`DiskIndex`] returns as a [`DiskState`].
//!
//! Both change a graph in the same two phases (`apply_changes.rs`): first the facts of changed
//! files replace the old ones, then resolution runs for the changed files and for the files whose
//! recorded lookups changed.
//!
//! Invariants:
//!
//! * One process holds the writer lock and commits. Other processes keep their changes in memory.
//! * A reader holds a [`Snapshot`], which never changes; every change produces a new one.
//! * Damage in a database or image is repaired by the next refresh, which rebuilds the graph from
//!   the files. `repairs.rs` collects the reports.

mod abandoned_parses;
mod apply_changes;
mod buffer;
mod changed_owners;
mod commits;
mod dangling_uses;
mod derived_marks;
mod disk_index;
mod empty_file_wait;
mod error;
mod facts_cache;
mod facts_source;
mod graph_image;
mod history;
mod index_report;
mod live_index;
mod options;
mod refresh;
mod refresh_scope;
mod repairs;
mod run_log;
mod text_provider;
mod tree_findings;
mod verdict_log;

pub use buffer::{Buffer, MAX_LIVE_BYTES, TreeEdit};
pub use commits::CommitsReport;
pub use dangling_uses::{DanglingUses, RemovedNameUser, find_dangling_uses};
pub use disk_index::DiskIndex;
pub use error::WorkspaceError;
pub use history::HistoryReport;
pub use index_report::{IndexProgress, IndexReport, NoProgress};
pub use live_index::{DiskState, LiveIndex};
pub use options::{DatabasePaths, WorkspaceOptions, default_cache_home};
pub use refresh_scope::{RefreshScope, walked_folders};
pub use text_provider::TextProvider;
pub use tree_findings::TreeFindings;
pub use verdict_log::{VerdictLog, remove_test_only_edges};

use crate::named_file::FileProblem;
use crate::project::Project;
use kenning_graph::Snapshot;
use kenning_graph::commits::CommitFacts;
use kenning_graph::runs::RunBatch;
use kenning_graph::store::{MemoryLocation, RunStore, StoreError, is_kenning_database};
use kenning_graph::verdicts::Verdict;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// An open workspace: the graph of the disk and the open buffers over it.
pub struct Workspace {
    disk: DiskIndex,
    live: LiveIndex,
}

/// Returns the path of `runs.db` next to the database of a graph.
pub fn runs_path_for_graph(database: &Path) -> PathBuf {
    database.with_file_name("runs.db")
}

/// Returns the path of `memory.db` next to the database of a graph.
pub fn memory_path_for_graph(database: &Path) -> PathBuf {
    database.with_file_name("memory.db")
}

impl Workspace {
    /// Opens the workspace at `root` and its databases, creates missing ones, and loads the stored
    /// graph. Indexes nothing yet.
    ///
    /// # Errors
    /// Returns the errors of [`DiskIndex::open`].
    pub fn open(root: &Path, options: WorkspaceOptions) -> Result<Self, WorkspaceError> {
        let disk = DiskIndex::open(root, options)?;
        let live = LiveIndex::new(disk.current_state());
        Ok(Self { disk, live })
    }

    /// Opens the workspace at `root` and refreshes its graph. This is faster than doing both in
    /// sequence, because the image is read while the tree is walked.
    ///
    /// # Errors
    /// Returns the errors of [`Workspace::open`] and of [`Workspace::refresh_all`].
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

    /// Refreshes the graph from the whole tree; the first call builds the whole index. A process
    /// that is not the writer keeps the result in memory.
    ///
    /// # Errors
    /// Returns the errors of [`DiskIndex::refresh_within`].
    pub fn refresh_all(&mut self, progress: &dyn IndexProgress) -> Result<IndexReport, WorkspaceError> {
        self.refresh_within(&RefreshScope::Whole, progress)
    }

    /// Refreshes the graph from the files that `scope` covers.
    ///
    /// # Errors
    /// Returns the errors of [`DiskIndex::refresh_within`].
    pub fn refresh_within(
        &mut self,
        scope: &RefreshScope,
        progress: &dyn IndexProgress,
    ) -> Result<IndexReport, WorkspaceError> {
        let report = refresh_and_compact(&mut self.disk, scope, progress);
        // Even if the result could not be stored, answers use it.
        self.update_live_index();
        report
    }

    /// Whether damage was found in the databases or the image, and no refresh has rebuilt the graph
    /// yet.
    pub fn needs_rebuild(&self) -> bool {
        self.disk.needs_rebuild()
    }

    /// Takes the reports of repaired damage since the last call or the last refresh, one sentence
    /// each.
    pub fn take_repairs(&self) -> Vec<String> {
        self.disk.take_repairs()
    }

    /// Reads the manifests for the files of the loaded graph. Call this when no refresh follows.
    pub fn read_manifests(&mut self) {
        self.disk.read_manifests();
        self.update_live_index();
    }

    fn update_live_index(&mut self) {
        self.live.set_disk_state(self.disk.current_state());
        self.live.resolve_deferred(&mut || false);
    }

    /// Reads the last author of each symbol from the history of the repository, until `interrupted`
    /// returns true. Keeps known results either way. Returns `None` outside a git repository.
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn read_history(
        &mut self,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<HistoryReport>, WorkspaceError> {
        let result = self.disk.current_state().read_history(self.live.history_layer(), interrupted)?;
        Ok(result.map(|(layer, report)| {
            self.live.set_history_layer(layer);
            report
        }))
    }

    /// Reads the newest commits that are not stored yet ([`DiskState::read_commits`]).
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn read_commits(
        &self,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<CommitsReport>, WorkspaceError> {
        self.disk.current_state().read_commits(interrupted)
    }

    /// Whether the repository has commits that are not stored yet; see
    /// [`DiskState::has_unread_commits`]. If the cache turns out to be damaged and is replaced, reads
    /// the commits again.
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn has_unread_commits(&self) -> Result<bool, WorkspaceError> {
        let state = self.disk.current_state();
        let unread = state.has_unread_commits();
        if !state.cache_was_replaced() {
            return unread;
        }
        state.read_commits(&mut || false)?;
        state.has_unread_commits()
    }

    /// Stores verdicts of language servers and shows them in the graph.
    ///
    /// # Errors
    /// Returns the errors of the database. The graph shows the verdicts nevertheless.
    pub fn insert_verdicts(&mut self, verdicts: &[Verdict]) -> Result<(), WorkspaceError> {
        let stored = self.disk.current_state().verdicts.map_or(Ok(()), |log| log.insert_verdicts(verdicts));
        self.live.apply_verdicts(verdicts);
        self.live.resolve_deferred(&mut || false);
        stored
    }

    /// Stores recorded runs. The graph shows them from the next call to
    /// [`Workspace::current_snapshot`] on.
    ///
    /// # Errors
    /// Returns the errors of the database; nothing is stored then.
    pub fn import_runs(&mut self, batch: RunBatch) -> Result<(), WorkspaceError> {
        RunStore::open(&runs_path_for_graph(self.db_path()))?.add_batch(batch)?;
        self.live.reload_runs();
        Ok(())
    }

    /// Deletes all recorded runs. Returns the number of deleted tests and calls.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub fn forget_runs(&mut self) -> Result<usize, WorkspaceError> {
        let path = runs_path_for_graph(self.db_path());
        if !path.exists() {
            return Ok(0);
        }
        let deleted = match RunStore::open(&path).and_then(|mut store| store.forget_runs()) {
            // A file that the user put next to a named database is left in place.
            Err(error)
                if error.is_damage()
                    && !self.memory_location().is_in_cache
                    && !is_kenning_database(&path) =>
            {
                return Err(WorkspaceError::DamagedInPlace(error));
            }
            // A damaged database has nothing to keep.
            Err(error) if error.is_damage() => {
                let failed = |error: std::io::Error| StoreError::Open {
                    path: path.clone(),
                    reason: error.to_string(),
                };
                std::fs::remove_file(&path).map(|()| 1).map_err(failed)?
            }
            result => result?,
        };
        self.live.reload_runs();
        Ok(deleted)
    }

    /// Returns all stored verdicts of language servers, including stale ones.
    pub fn all_verdicts(&self) -> Vec<Verdict> {
        self.disk.current_state().verdicts.map_or_else(Vec::new, |log| log.load_all())
    }

    /// Returns the problem with commits that are too large ([`DiskState::find_large_commits`]).
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn find_large_commits(&self) -> Result<Option<FileProblem>, WorkspaceError> {
        self.disk.current_state().find_large_commits()
    }

    /// Returns the stored commits ([`DiskState::load_commits`]). Reads them from git again if a
    /// damaged cache was replaced.
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn load_commits(&self) -> Result<Vec<CommitFacts>, WorkspaceError> {
        let state = self.disk.current_state();
        let commits = state.load_commits()?;
        if !state.cache_was_replaced() {
            return Ok(commits);
        }
        state.read_commits(&mut || false)?;
        state.load_commits()
    }

    /// Returns the canonical path of the workspace.
    pub fn root_path(&self) -> &Path {
        self.disk.root_path()
    }

    /// Returns the path of `graph.db`.
    pub fn db_path(&self) -> &Path {
        self.disk.db_path()
    }

    /// Returns the path of the base image.
    pub fn image_path(&self) -> PathBuf {
        self.disk.image_path()
    }

    /// Returns the path of `facts.db`.
    pub fn facts_path(&self) -> &Path {
        self.disk.facts_path()
    }

    /// Returns the path of `memory.db`, which is created when the first feedback is stored.
    pub fn memory_path(&self) -> PathBuf {
        self.memory_location().path
    }

    /// Returns the location of the database with the feedback for this workspace.
    pub fn memory_location(&self) -> MemoryLocation {
        self.disk.current_state().memory_location()
    }

    /// Whether this process writes the graph. Other processes only read it.
    pub fn is_writer(&self) -> bool {
        self.disk.is_writer()
    }

    /// Returns the graph of the disk with the open buffers over it.
    pub fn current_snapshot(&self) -> Snapshot {
        self.live.current_snapshot()
    }

    /// Returns the number of open buffers whose text differs from the file on disk.
    pub fn unsaved_count(&self) -> usize {
        self.live.unsaved_count()
    }

    /// Returns the texts of open buffers that differ from the file on disk, by path.
    pub fn unsaved_texts(&self) -> BTreeMap<String, Arc<str>> {
        self.live.unsaved_texts()
    }

    /// Returns the contents of the manifests as of the last refresh, for the files on disk and the
    /// open buffers.
    pub fn current_project(&self) -> Arc<Project> {
        Arc::clone(self.live.current_project())
    }

    /// Returns the findings of a walk of the whole tree, which reads no source file.
    ///
    /// # Errors
    /// Returns the errors of the walk.
    pub fn inspect_tree(&self) -> Result<TreeFindings, WorkspaceError> {
        self.disk.inspect_tree()
    }

    /// Returns the time of the last refresh that changed the graph, or `None` before the first one.
    pub fn indexed_at(&self) -> Option<SystemTime> {
        self.disk.indexed_at()
    }

    /// Returns the commit that was checked out at the last refresh of the whole tree.
    pub fn head_commit(&self) -> Option<String> {
        self.live.disk_state().head.clone()
    }

    /// Returns the source of texts and facts: open buffers first, then the disk, always checked by
    /// content hash.
    pub fn text_source(&self) -> Arc<TextProvider> {
        self.live.text_source()
    }

    /// Replaces the text of a file with that of an open document. Text in an unknown language
    /// changes nothing.
    pub fn set_buffer(&mut self, path: &str, text: &str) -> Snapshot {
        self.live.set_text(path, text);
        self.live.resolve_deferred(&mut || false);
        self.current_snapshot()
    }

    /// Drops the text of a closed document, so that the graph shows the file on disk again.
    pub fn close_buffer(&mut self, path: &str) -> Snapshot {
        self.live.close_buffer(path);
        self.live.resolve_deferred(&mut || false);
        self.current_snapshot()
    }
}

/// Refreshes the graph from the disk, then compacts it into a new image if that is due.
fn refresh_and_compact(
    disk: &mut DiskIndex,
    scope: &RefreshScope,
    progress: &dyn IndexProgress,
) -> Result<IndexReport, WorkspaceError> {
    let report = disk.refresh_within(scope, progress)?;
    disk.compact_if_due(&mut || false)?;
    if !disk.needs_rebuild() {
        return Ok(report);
    }
    // Writing the image found damage.
    disk.refresh_within(&RefreshScope::Whole, progress)
}
