//! The live part of a workspace: the texts of open documents over the latest graph of the disk.

use super::WorkspaceOptions;
use super::apply_changes::{ExtraFiles, GraphChanges, apply_in_steps, apply_within_limit};
use super::buffer::{Buffer, TreeEdit};
use super::facts_source::FactsSource;
use super::text_provider::{OpenBuffers, TextProvider};
use super::verdict_log::VerdictLog;
use crate::languages::LanguageRegistry;
use crate::project::{Project, ProjectDifference};
use crate::walk::{WalkOptions, accepts_path};
use kenning_graph::snapshot::{FileChange, HistoryLayer, VerdictOverlayBuilder};
use kenning_graph::store::MemoryLocation;
use kenning_graph::verdicts::Verdict;
use kenning_graph::{FileFacts, Snapshot};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Edits after which the overlay is rebuilt from the buffers: names that were typed and gone leave numbers behind.
const EDITS_UNTIL_TIDY: usize = 256;

/// Further files that one edit resolves at once. A definition that goes, if only until the line is finished, may have users
/// in hundreds of files: these follow when the typing pauses.
const FOLLOW_AT_ONCE: usize = 4;

/// The graph of the disk at one moment, and what belongs to it. Cheap to clone.
#[derive(Clone)]
pub struct DiskState {
    pub(super) root: Arc<Path>,
    pub(super) options: WorkspaceOptions,
    pub(super) facts: Option<Arc<FactsSource>>,
    /// What language servers said, as it is kept.
    pub verdicts: Option<Arc<VerdictLog>>,
    /// The graph.
    pub snapshot: Snapshot,
    /// What the manifests say.
    pub project: Arc<Project>,
    /// When the graph was last brought up to the disk; `None` before the first time.
    pub indexed_at: Option<SystemTime>,
    /// The commit that was checked out then.
    pub head: Option<String>,
    /// Whether this process writes the graph.
    pub is_writer: bool,
    /// Where `graph.db` is.
    pub db_path: PathBuf,
}

impl DiskState {
    /// Whether a file at this path belongs in the graph: ignore rules, attributes, language. Asks the disk when the graph
    /// does not know the file; the file itself need not exist.
    pub fn accepts_path(&self, path: &str) -> bool {
        self.snapshot.file_by_path(path).is_some() || {
            let candidate = |path: &str| LanguageRegistry::get().find_by_path(path).is_some();
            let script = |text: &[u8]| LanguageRegistry::get().find_by_shebang(text).is_some();
            let mut options = WalkOptions::new(&candidate);
            options.script = Some(&script);
            options.max_file_bytes = self.options.max_file_size;
            options.exclude.clone_from(&self.options.exclude);
            accepts_path(&self.root, &options, path)
        }
    }

    /// Where what use taught is kept.
    pub fn memory_location(&self) -> MemoryLocation {
        MemoryLocation { path: super::memory_path_beside(&self.db_path), in_cache: self.options.db.is_none() }
    }

    /// Whether a damaged cache was set aside since the workspace was opened: it holds no history until that is read again.
    pub(super) fn cache_was_replaced(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.was_replaced())
    }

    /// Whether the disk's graph knows a buffer's very text.
    fn has_text(&self, buffer: &Buffer) -> bool {
        shows_buffer(&self.snapshot, buffer)
    }
}

/// Whether a graph shows the very text of a buffer.
fn shows_buffer(snapshot: &Snapshot, buffer: &Buffer) -> bool {
    let shown = snapshot.file_by_path(buffer.file_path()).and_then(|id| snapshot.file(id));
    shown.is_some_and(|file| file.content_hash == buffer.content_hash())
}

/// Files that open buffers bring into the graph of the disk or take out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct UnsavedPaths {
    added: BTreeSet<String>,
    removed: BTreeSet<String>,
}

/// Open buffers over the graph of the disk. No change of it waits for the disk, except that the manifests are read again when a
/// buffer brings a file that is not on the disk.
pub struct LiveIndex {
    disk: DiskState,
    /// What the texts show.
    snapshot: Snapshot,
    composer: VerdictOverlayBuilder,
    /// The same with what language servers say of it.
    shown: Snapshot,
    buffers: OpenBuffers,
    /// The manifests as they count for the files that the texts show.
    project: Arc<Project>,
    /// The files that [`Self::project`] was read for, as far as they are not the disk's.
    unsaved_paths: UnsavedPaths,
    /// What is known beside the text.
    layer: Arc<HistoryLayer>,
    edits: usize,
    /// Files that have yet to follow the buffers.
    deferred: usize,
}

impl LiveIndex {
    /// The disk's graph without buffers.
    pub fn new(disk: DiskState) -> Self {
        let (snapshot, buffers) = (disk.snapshot.clone(), OpenBuffers::default());
        let mut live = Self {
            shown: snapshot.clone(),
            project: Arc::clone(&disk.project),
            unsaved_paths: UnsavedPaths::default(),
            snapshot,
            composer: VerdictOverlayBuilder::default(),
            disk,
            buffers,
            layer: Arc::default(),
            edits: 0,
            deferred: 0,
        };
        if let Some(log) = &live.disk.verdicts {
            live.composer.record_verdicts(&log.load_all());
        }
        live.rebuild_verdict_overlay(usize::MAX);
        live
    }

    /// Takes what another process keeps of the answers of language servers.
    fn read_new_verdicts(&mut self) {
        if let Some(log) = &self.disk.verdicts {
            self.composer.record_verdicts(&log.load_unread());
        }
    }

    /// Takes what language servers said: from here on the graph shows it.
    pub fn apply_verdicts(&mut self, verdicts: &[Verdict]) {
        self.composer.record_verdicts(verdicts);
        self.rebuild_verdict_overlay(FOLLOW_AT_ONCE);
    }

    fn rebuild_verdict_overlay(&mut self, at_once: usize) {
        self.shown = self.composer.compose_snapshot(&self.snapshot, at_once);
    }

    /// What is known of the disk.
    pub fn disk_state(&self) -> &DiskState {
        &self.disk
    }

    /// Puts the buffers over a newer graph of the disk.
    pub fn set_disk_state(&mut self, disk: DiskState) {
        let same =
            disk.snapshot.is_same_as(&self.disk.snapshot) && Arc::ptr_eq(&disk.project, &self.disk.project);
        self.disk = disk;
        if !same {
            // They are read again in any case: a manifest may have changed with the graph.
            self.unsaved_paths = UnsavedPaths::default();
            self.project = Arc::clone(&self.disk.project);
        }
        if !self.disk.is_writer {
            self.read_new_verdicts();
        }
        if !same {
            self.overlay_buffers();
        }
        self.rebuild_verdict_overlay(FOLLOW_AT_ONCE);
    }

    /// The disk's graph with the buffers over it.
    pub fn current_snapshot(&self) -> Snapshot {
        self.shown.clone().with_layer(Arc::clone(&self.layer))
    }

    /// What is known beside the text.
    pub fn history_layer(&self) -> &Arc<HistoryLayer> {
        &self.layer
    }

    /// Takes what is known beside the text. It stays when the text changes: what it says of a symbol holds for one body.
    pub fn set_history_layer(&mut self, layer: Arc<HistoryLayer>) {
        self.layer = layer;
    }

    /// The buffer at a path.
    pub fn find_buffer(&self, path: &str) -> Option<&Arc<Buffer>> {
        self.buffers.get(path)
    }

    /// Whether a buffer puts another text into the graph than the disk's.
    pub fn is_unsaved(&self, buffer: &Buffer) -> bool {
        !buffer.is_large() && !self.disk.has_text(buffer)
    }

    /// Whether a buffer has another text than the disk, which is too long to be parsed before it is saved.
    pub fn awaits_save(&self, buffer: &Buffer) -> bool {
        buffer.is_large() && !self.disk.has_text(buffer)
    }

    /// Number of buffers that put another text into the graph than the disk's.
    pub fn unsaved_count(&self) -> usize {
        self.buffers.values().filter(|buffer| self.is_unsaved(buffer)).count()
    }

    /// What the manifests say for the files that the texts show: a file that is not on the disk yet may make a package.
    pub fn current_project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Whether the graph shows the very text of a buffer.
    pub fn shows_text(&self, buffer: &Buffer) -> bool {
        shows_buffer(&self.snapshot, buffer)
    }

    /// Where texts and facts come from: buffers first, then the disk, always checked by hash.
    pub fn text_source(&self) -> Arc<TextProvider> {
        Arc::new(TextProvider::new(self.disk.root.clone(), self.buffers.clone(), self.disk.facts.clone()))
    }

    /// Puts the whole text of an open document over the disk's.
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

    /// Puts an open document over the disk's text. What could not be indexed from the disk (too long, generated, binary)
    /// leaves the graph; text in no known language changes nothing; for text that is [too large](Buffer::is_large) to be parsed
    /// on every edit, the disk's counts.
    pub fn set_buffer(&mut self, buffer: Arc<Buffer>) {
        let known = self.buffers.get(buffer.file_path()).filter(|known| known.is_provisional());
        // The same text, and what it says is another when it is read alone.
        let reread = known.is_some_and(|known| known.file_facts() != buffer.file_facts());
        let shown = self.shows_text(&buffer) && !reread;
        let saved = self.disk.has_text(&buffer);
        let change = self.live_change(&buffer);
        let path: Arc<str> = buffer.file_path().into();
        Arc::make_mut(&mut self.buffers).insert(Arc::clone(&path), buffer);
        self.edits += 1;
        if shown {
            return;
        }
        if saved || self.edits >= EDITS_UNTIL_TIDY || self.has_outgrown_limit(&path) {
            // Back to the disk's text: its overlay goes.
            self.overlay_buffers();
        } else if let Some(change) = change {
            let difference = self.update_project();
            let further = ExtraFiles::Files(difference.affected_files(&self.snapshot));
            let changes = GraphChanges { files: vec![change], further };
            let (snapshot, left) = self.apply_with_limit(&self.snapshot, changes);
            self.snapshot = snapshot;
            self.deferred = self.deferred.max(left);
        }
        self.rebuild_verdict_overlay(FOLLOW_AT_ONCE);
    }

    /// Whether the buffer at a path is too large now, and the graph shows a text of it that was not.
    fn has_outgrown_limit(&self, path: &str) -> bool {
        let shown = |snapshot: &Snapshot| {
            let file = snapshot.file_by_path(path).and_then(|id| snapshot.file(id));
            file.map(|file| file.content_hash)
        };
        self.buffers.get(path).is_some_and(|buffer| buffer.is_large())
            && shown(&self.snapshot) != shown(&self.disk.snapshot)
    }

    /// Takes the text of a document away: the disk's counts again.
    pub fn close_buffer(&mut self, path: &str) {
        let Some(buffer) = self.buffers.get(path).cloned() else { return };
        Arc::make_mut(&mut self.buffers).remove(path);
        if !self.disk.has_text(&buffer) {
            self.overlay_buffers();
            self.rebuild_verdict_overlay(FOLLOW_AT_ONCE);
        }
    }

    /// Number of files whose edges still are those from before the last edits: what they refer to came, went or became
    /// something else.
    pub fn deferred_count(&self) -> usize {
        self.deferred + self.composer.pending_count()
    }

    /// Lets the files follow that were left; false when `interrupted` said so before it was done.
    pub fn resolve_deferred(&mut self, interrupted: &mut dyn FnMut() -> bool) -> bool {
        if self.deferred == 0 {
            if self.composer.pending_count() > 0 {
                self.rebuild_verdict_overlay(usize::MAX);
            }
            return true;
        }
        let changes = self.unsaved_changes();
        let facts = self.stored_facts();
        let settled = apply_in_steps(&self.disk.snapshot, &self.project, changes, &facts, interrupted);
        let Some(snapshot) = settled else { return false };
        drop(facts);
        self.snapshot = snapshot;
        (self.edits, self.deferred) = (0, 0);
        self.rebuild_verdict_overlay(usize::MAX);
        true
    }

    /// The disk's graph with every buffer put over it again.
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

    /// All that the buffers change in the graph of the disk.
    fn unsaved_changes(&self) -> GraphChanges {
        let difference = self.project_difference(&self.disk.project);
        let further = ExtraFiles::Files(difference.affected_files(&self.disk.snapshot));
        let unsaved = self.buffers.values().filter(|buffer| !self.disk.has_text(buffer));
        GraphChanges { files: unsaved.filter_map(|buffer| self.disk_change(buffer)).collect(), further }
    }

    /// Reads the manifests again if the buffers bring other files than before. Returns how the project differs from the one
    /// before.
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

    /// The manifests for the files that the texts show.
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

    /// The files of the disk's graph and those that the buffers bring, sorted.
    fn file_paths(&self) -> Vec<String> {
        let disk = &self.disk.snapshot;
        let known = disk.files().into_iter().filter_map(|id| disk.file(id)).map(|file| file.path.to_owned());
        let mut paths: Vec<String> = known.chain(self.unsaved_paths.added.iter().cloned()).collect();
        paths.sort_unstable();
        paths
    }

    fn project_difference(&self, before: &Arc<Project>) -> ProjectDifference {
        if Arc::ptr_eq(before, &self.project) {
            return ProjectDifference::no_difference();
        }
        ProjectDifference::between_projects(before, &self.project, &self.file_paths())
    }

    /// Facts of files that did not change.
    fn stored_facts(&self) -> impl Fn(&str, &str, &kenning_graph::Hash) -> Option<Arc<FileFacts>> + Sync {
        let disk = self.disk.clone();
        move |path, language, hash| disk.facts.as_ref()?.facts_of_file(&disk.root, path, language, hash)
    }

    fn apply_with_limit(&self, snapshot: &Snapshot, changes: GraphChanges) -> (Snapshot, usize) {
        apply_within_limit(snapshot, &self.project, changes, FOLLOW_AT_ONCE, &self.stored_facts())
    }

    /// The change that a buffer makes to the graph that is shown.
    fn live_change(&self, buffer: &Buffer) -> Option<FileChange> {
        Self::change_against(&self.snapshot, buffer)
    }

    /// The change that a buffer makes to the graph of the disk.
    fn disk_change(&self, buffer: &Buffer) -> Option<FileChange> {
        Self::change_against(&self.disk.snapshot, buffer)
    }

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
