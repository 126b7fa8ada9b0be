//! The live part of a workspace: the texts of open documents over the latest graph of the disk.
//!
//! A [`LiveIndex`] receives buffers from the editor, [`DiskState`]s from the disk's part and
//! verdicts from language servers. It returns snapshots that combine all three. An edit resolves
//! the edited file immediately and other files only if they are few (`MAX_IMMEDIATE_FILES`); the
//! rest is deferred until the caller finds the editor idle and calls
//! [`LiveIndex::resolve_deferred`].

use super::WorkspaceOptions;
use super::apply_changes::{ExtraFiles, GraphChanges, apply_in_steps, apply_within_limit};
use super::buffer::{Buffer, TreeEdit};
use super::facts_source::FactsSource;
use super::run_log::RunLog;
use super::text_provider::{OpenBuffers, TextProvider};
use super::verdict_log::VerdictLog;
use crate::languages::LanguageRegistry;
use crate::project::{Project, ProjectDifference};
use crate::walk::{WalkOptions, accepts_path};
use kenning_graph::snapshot::{FileChange, HistoryLayer, VerdictOverlayBuilder};
use kenning_graph::store::MemoryLocation;
use kenning_graph::verdicts::Verdict;
use kenning_graph::{FileFacts, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Number of edits after which the overlay is rebuilt from the buffers, because deleted names leave
/// unused ids behind.
const EDITS_UNTIL_REBUILD: usize = 256;

/// Maximum number of other files that one edit resolves immediately. Removing a definition, even
/// while its line is being retyped, can affect hundreds of files. These are resolved when the
/// typing pauses.
const MAX_IMMEDIATE_FILES: usize = 4;

/// The graph of the disk at one moment, and its context. Cheap to clone.
#[derive(Clone)]
pub struct DiskState {
    pub(super) root: Arc<Path>,
    pub(super) options: WorkspaceOptions,
    pub(super) facts: Option<Arc<FactsSource>>,
    /// The stored verdicts of language servers; `None` if the options disable them.
    pub verdicts: Option<Arc<VerdictLog>>,
    /// The graph of the files on disk.
    pub snapshot: Snapshot,
    /// The contents of the manifests.
    pub project: Arc<Project>,
    /// Time of the last refresh that changed the graph; `None` before the first one.
    pub indexed_at: Option<SystemTime>,
    /// The commit that was checked out at the last refresh of the whole tree.
    pub head: Option<String>,
    /// Whether this process writes the graph.
    pub is_writer: bool,
    /// The path of `graph.db`.
    pub db_path: PathBuf,
}

impl DiskState {
    /// Whether a file at this path belongs in the graph, according to ignore rules, attributes and
    /// language. Reads the disk if the graph does not know the file. The file itself need not
    /// exist.
    pub fn accepts_path(&self, path: &str) -> bool {
        self.snapshot.file_by_path(path).is_some() || {
            let candidate = |path: &str| LanguageRegistry::get().find_by_path(path).is_some();
            let claimed =
                |path: &str, text: &[u8]| LanguageRegistry::get().find_by_beginning(path, text).is_some();
            let mut options = WalkOptions::new(&candidate);
            options.first_bytes = Some(&claimed);
            options.max_file_bytes = self.options.max_file_size;
            options.exclude.clone_from(&self.options.exclude);
            accepts_path(&self.root, &options, path)
        }
    }

    /// Returns the location of the database with the feedback for this workspace.
    pub fn memory_location(&self) -> MemoryLocation {
        MemoryLocation {
            path: super::memory_path_for_graph(&self.db_path),
            is_in_cache: self.options.db.is_none(),
        }
    }

    /// Whether a damaged cache was set aside since the workspace was opened. The new cache has no
    /// history until the commits are read again.
    pub(super) fn cache_was_replaced(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.was_replaced())
    }

    /// Whether the disk's graph has exactly the text of a buffer.
    fn has_text(&self, buffer: &Buffer) -> bool {
        shows_buffer(&self.snapshot, buffer)
    }
}

/// Whether a graph shows exactly the text of a buffer.
fn shows_buffer(snapshot: &Snapshot, buffer: &Buffer) -> bool {
    let file = snapshot.file_by_path(buffer.file_path()).and_then(|id| snapshot.file(id));
    file.is_some_and(|file| file.content_hash == buffer.content_hash())
}

/// The files that open buffers add to the graph of the disk or remove from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct UnsavedPaths {
    added: BTreeSet<String>,
    removed: BTreeSet<String>,
}

/// Open buffers over the graph of the disk. No change to a buffer reads the disk, with one
/// exception: if a buffer adds a file that is not on disk, the manifests are read again.
pub struct LiveIndex {
    disk: DiskState,
    /// The graph of the texts: the disk with the buffers over it.
    snapshot: Snapshot,
    verdicts: VerdictOverlayBuilder,
    /// The graph of [`Self::snapshot`] with the verdicts of language servers applied.
    shown: Snapshot,
    buffers: OpenBuffers,
    /// The manifests, evaluated for the files of [`Self::snapshot`].
    project: Arc<Project>,
    /// The difference between the files that [`Self::project`] was read for and the files on disk.
    unsaved_paths: UnsavedPaths,
    /// The history layer: facts that do not come from the text.
    layer: Arc<HistoryLayer>,
    /// The recorded runs of tests and traces.
    runs: RunLog,
    /// Number of edits since the overlay was last rebuilt.
    edits: usize,
    /// Number of files whose edges do not reflect the buffers yet.
    deferred: usize,
}

impl LiveIndex {
    /// Creates a live index that shows the disk's graph without buffers.
    pub fn new(disk: DiskState) -> Self {
        let (snapshot, buffers) = (disk.snapshot.clone(), OpenBuffers::default());
        let mut live = Self {
            shown: snapshot.clone(),
            project: Arc::clone(&disk.project),
            unsaved_paths: UnsavedPaths::default(),
            snapshot,
            verdicts: VerdictOverlayBuilder::default(),
            runs: RunLog::open(super::runs_path_for_graph(&disk.db_path)),
            disk,
            buffers,
            layer: Arc::default(),
            edits: 0,
            deferred: 0,
        };
        if let Some(log) = &live.disk.verdicts {
            live.verdicts.record_verdicts(&log.load_all());
        }
        live.rebuild_verdict_overlay(usize::MAX);
        live
    }

    /// Adds the verdicts that another process has stored.
    fn read_new_verdicts(&mut self) {
        if let Some(log) = &self.disk.verdicts {
            self.verdicts.record_verdicts(&log.load_unread());
        }
    }

    /// Adds verdicts of language servers and shows them in the graph.
    pub fn apply_verdicts(&mut self, verdicts: &[Verdict]) {
        self.verdicts.record_verdicts(verdicts);
        self.rebuild_verdict_overlay(MAX_IMMEDIATE_FILES);
    }

    fn rebuild_verdict_overlay(&mut self, limit: usize) {
        self.shown = self.verdicts.compose_snapshot(&self.snapshot, limit);
    }

    /// Returns the state of the disk under the buffers.
    pub fn disk_state(&self) -> &DiskState {
        &self.disk
    }

    /// Replaces the state of the disk and puts the buffers over it again.
    pub fn set_disk_state(&mut self, disk: DiskState) {
        let is_unchanged =
            disk.snapshot.is_same_as(&self.disk.snapshot) && Arc::ptr_eq(&disk.project, &self.disk.project);
        self.disk = disk;
        self.runs.reload_if_changed();
        if !is_unchanged {
            // Reset even if the paths are the same, so that the manifests are read again: one may
            // have changed with the graph.
            self.unsaved_paths = UnsavedPaths::default();
            self.project = Arc::clone(&self.disk.project);
        }
        if !self.disk.is_writer {
            self.read_new_verdicts();
        }
        if !is_unchanged {
            self.overlay_buffers();
        }
        self.rebuild_verdict_overlay(MAX_IMMEDIATE_FILES);
    }

    /// Returns the graph of the disk with the buffers, the verdicts, the history layer and the
    /// recorded runs over it.
    pub fn current_snapshot(&self) -> Snapshot {
        self.shown.clone().with_layer(Arc::clone(&self.layer)).with_runs(Arc::clone(self.runs.layer()))
    }

    /// Reads the recorded runs again if another process has imported some.
    pub fn reload_runs(&mut self) {
        self.runs.reload_if_changed();
    }

    /// Returns the history layer.
    pub fn history_layer(&self) -> &Arc<HistoryLayer> {
        &self.layer
    }

    /// Replaces the history layer. The layer survives changes to the text, because each of its
    /// entries is valid for one body of a symbol.
    pub fn set_history_layer(&mut self, layer: Arc<HistoryLayer>) {
        self.layer = layer;
    }

    /// Returns the buffer at a path.
    pub fn find_buffer(&self, path: &str) -> Option<&Arc<Buffer>> {
        self.buffers.get(path)
    }

    /// Whether a buffer gives the graph a text other than the one on disk.
    pub fn is_unsaved(&self, buffer: &Buffer) -> bool {
        !buffer.is_large() && !self.disk.has_text(buffer)
    }

    /// Whether a buffer differs from the disk but is too long to be parsed before it is saved.
    pub fn awaits_save(&self, buffer: &Buffer) -> bool {
        buffer.is_large() && !self.disk.has_text(buffer)
    }

    /// Returns the number of buffers that give the graph a text other than the one on disk.
    pub fn unsaved_count(&self) -> usize {
        self.buffers.values().filter(|buffer| self.is_unsaved(buffer)).count()
    }

    /// Returns the unsaved texts of open documents, by path.
    pub fn unsaved_texts(&self) -> BTreeMap<String, Arc<str>> {
        let unsaved = self.buffers.values().filter(|buffer| self.is_unsaved(buffer));
        unsaved.map(|buffer| (buffer.file_path().to_owned(), Arc::clone(buffer.buffer_text()))).collect()
    }

    /// Returns the contents of the manifests, evaluated for the files of the texts: a file that is
    /// not on disk yet can make a folder a package.
    pub fn current_project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Whether the graph shows exactly the text of a buffer.
    pub fn shows_text(&self, buffer: &Buffer) -> bool {
        shows_buffer(&self.snapshot, buffer)
    }

    /// Returns the source of texts and facts: buffers first, then the disk, always checked by
    /// content hash.
    pub fn text_source(&self) -> Arc<TextProvider> {
        Arc::new(TextProvider::new(self.disk.root.clone(), self.buffers.clone(), self.disk.facts.clone()))
    }

    /// Replaces the text of a file with the whole text of an open document.
    pub fn set_text(&mut self, path: &str, text: &str) {
        let limit = self.disk.options.max_file_size;
        let buffer = match self.buffers.get(path) {
            Some(known) => {
                let edit = TreeEdit::between_texts(known.buffer_text().as_bytes(), text.as_bytes());
                known.with_edits(text.into(), &[edit], limit)
            }
            None => Buffer::new(path, text.into(), limit),
        };
        self.set_buffer(Arc::new(buffer));
    }

    /// Replaces the text of a file with that of an open document. A text that would not be indexed
    /// on disk (too long, generated, binary) is removed from the graph. A text in an unknown
    /// language changes nothing. For a text that is [too large](Buffer::is_large) to be parsed on
    /// every edit, the graph keeps the version on disk.
    pub fn set_buffer(&mut self, buffer: Arc<Buffer>) {
        let provisional = self.buffers.get(buffer.file_path()).filter(|known| known.is_provisional());
        // The text may be the same, but confirming its facts may change them.
        let facts_changed =
            provisional.is_some_and(|provisional| provisional.file_facts() != buffer.file_facts());
        let is_shown = self.shows_text(&buffer) && !facts_changed;
        let is_saved = self.disk.has_text(&buffer);
        let change = self.live_change(&buffer);
        let path: Arc<str> = buffer.file_path().into();
        Arc::make_mut(&mut self.buffers).insert(Arc::clone(&path), buffer);
        self.edits += 1;
        if is_shown {
            return;
        }
        if is_saved || self.edits >= EDITS_UNTIL_REBUILD || self.has_outgrown_limit(&path) {
            // The file is saved or too large, or the overlay has many unused ids: rebuild the overlay
            // from the buffers.
            self.overlay_buffers();
        } else if let Some(change) = change {
            let difference = self.update_project();
            let extra = ExtraFiles::Files(difference.affected_files(&self.snapshot));
            let changes = GraphChanges { files: vec![change], extra };
            let (snapshot, deferred) = self.apply_with_limit(&self.snapshot, changes);
            self.snapshot = snapshot;
            self.deferred = self.deferred.max(deferred);
        }
        self.rebuild_verdict_overlay(MAX_IMMEDIATE_FILES);
    }

    /// Whether the buffer at a path has become too large, so that the graph shows an earlier,
    /// smaller text.
    fn has_outgrown_limit(&self, path: &str) -> bool {
        let shown_hash = |snapshot: &Snapshot| {
            let file = snapshot.file_by_path(path).and_then(|id| snapshot.file(id));
            file.map(|file| file.content_hash)
        };
        self.buffers.get(path).is_some_and(|buffer| buffer.is_large())
            && shown_hash(&self.snapshot) != shown_hash(&self.disk.snapshot)
    }

    /// Drops the text of a document, so that the graph shows the file on disk again.
    pub fn close_buffer(&mut self, path: &str) {
        let Some(buffer) = self.buffers.get(path).cloned() else { return };
        Arc::make_mut(&mut self.buffers).remove(path);
        if !self.disk.has_text(&buffer) {
            self.overlay_buffers();
            self.rebuild_verdict_overlay(MAX_IMMEDIATE_FILES);
        }
    }

    /// Returns the number of files whose edges are older than the last edits, because definitions
    /// that they refer to were added, removed or changed.
    pub fn deferred_count(&self) -> usize {
        self.deferred + self.verdicts.pending_count()
    }

    /// Resolves the files that earlier edits deferred. Returns false if `interrupted` stopped it
    /// before the end.
    pub fn resolve_deferred(&mut self, interrupted: &mut dyn FnMut() -> bool) -> bool {
        if self.deferred == 0 {
            if self.verdicts.pending_count() > 0 {
                self.rebuild_verdict_overlay(usize::MAX);
            }
            return true;
        }
        let changes = self.unsaved_changes();
        let facts = self.stored_facts();
        let resolved = apply_in_steps(&self.disk.snapshot, &self.project, changes, &facts, interrupted);
        let Some(snapshot) = resolved else { return false };
        drop(facts);
        self.snapshot = snapshot;
        (self.edits, self.deferred) = (0, 0);
        self.rebuild_verdict_overlay(usize::MAX);
        true
    }

    /// Rebuilds the graph from the disk's graph and all buffers.
    fn overlay_buffers(&mut self) {
        self.edits = 0;
        self.update_project();
        let changes = self.unsaved_changes();
        (self.snapshot, self.deferred) = if changes.files.is_empty() {
            (self.disk.snapshot.clone(), 0)
        } else {
            self.apply_with_limit(&self.disk.snapshot, changes)
        };
    }

    /// Returns all changes that the buffers make to the graph of the disk.
    fn unsaved_changes(&self) -> GraphChanges {
        let difference = self.project_difference(&self.disk.project);
        let extra = ExtraFiles::Files(difference.affected_files(&self.disk.snapshot));
        let unsaved = self.buffers.values().filter(|buffer| !self.disk.has_text(buffer));
        GraphChanges { files: unsaved.filter_map(|buffer| self.disk_change(buffer)).collect(), extra }
    }

    /// Reads the manifests again if the buffers add or remove other files than before. Returns the
    /// difference between the old and the new project.
    fn update_project(&mut self) -> ProjectDifference {
        let before = Arc::clone(&self.project);
        let unsaved = self.buffers.values().filter(|buffer| !self.disk.has_text(buffer));
        let mut paths = UnsavedPaths::default();
        for change in unsaved.filter_map(|buffer| self.disk_change(buffer)) {
            match change {
                FileChange::Remove { path } => _ = paths.removed.insert(path),
                FileChange::Put { path, .. } if self.disk.snapshot.file_by_path(&path).is_none() => {
                    paths.added.insert(path);
                }
                FileChange::Put { .. } => {}
            }
        }
        if paths != self.unsaved_paths {
            self.unsaved_paths = paths;
            self.project = self.read_project();
        }
        self.project_difference(&before)
    }

    /// Reads the manifests for the files of the texts.
    fn read_project(&self) -> Arc<Project> {
        if self.unsaved_paths == UnsavedPaths::default() {
            return Arc::clone(&self.disk.project);
        }
        let mut paths = self.file_paths();
        paths.retain(|path| !self.unsaved_paths.removed.contains(path));
        let text = |path: &str| {
            let buffer = self.buffers.get(path).filter(|buffer| buffer.is_indexable());
            buffer.map(|buffer| Arc::clone(buffer.buffer_text()))
        };
        Arc::new(Project::load_with_unsaved(&self.disk.root, &paths, &text))
    }

    /// Returns the paths of the disk's graph and the paths that the buffers add, sorted.
    fn file_paths(&self) -> Vec<String> {
        let disk = &self.disk.snapshot;
        let on_disk =
            disk.files().into_iter().filter_map(|id| disk.file(id)).map(|file| file.path.to_owned());
        let mut paths: Vec<String> = on_disk.chain(self.unsaved_paths.added.iter().cloned()).collect();
        paths.sort_unstable();
        paths
    }

    fn project_difference(&self, before: &Arc<Project>) -> ProjectDifference {
        if Arc::ptr_eq(before, &self.project) {
            return ProjectDifference::no_difference();
        }
        ProjectDifference::between_projects(before, &self.project, &self.file_paths())
    }

    /// Returns a function that loads the facts of unchanged files.
    fn stored_facts(&self) -> impl Fn(&str, &str, &kenning_graph::Hash) -> Option<Arc<FileFacts>> + Sync {
        let disk = self.disk.clone();
        move |path, language, hash| disk.facts.as_ref()?.facts_of_file(&disk.root, path, language, hash)
    }

    fn apply_with_limit(&self, snapshot: &Snapshot, changes: GraphChanges) -> (Snapshot, usize) {
        apply_within_limit(snapshot, &self.project, changes, MAX_IMMEDIATE_FILES, &self.stored_facts())
    }

    /// Returns the change that a buffer makes to the graph of the texts.
    fn live_change(&self, buffer: &Buffer) -> Option<FileChange> {
        Self::change_against(&self.snapshot, buffer)
    }

    /// Returns the change that a buffer makes to the graph of the disk.
    fn disk_change(&self, buffer: &Buffer) -> Option<FileChange> {
        Self::change_against(&self.disk.snapshot, buffer)
    }

    /// Returns the change that a buffer makes to a graph.
    fn change_against(snapshot: &Snapshot, buffer: &Buffer) -> Option<FileChange> {
        if buffer.is_large() {
            return None;
        }
        let path = buffer.file_path().to_owned();
        match buffer.file_facts().filter(|_| buffer.is_indexable()) {
            Some(facts) => Some(FileChange::Put {
                path,
                content_hash: buffer.content_hash(),
                size: buffer.buffer_text().len() as u64,
                mtime_ns: 0,
                facts: facts.clone(),
            }),
            None => snapshot.file_by_path(&path).map(|_| FileChange::Remove { path }),
        }
    }
}

#[cfg(test)]
mod tests;
