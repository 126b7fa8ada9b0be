//! The live part of a workspace: the texts of open documents over the latest graph of the disk.

use super::WorkspaceOptions;
use super::buffer::{Buffer, TreeEdit};
use super::facts::FactsSource;
use super::settle::{Further, GraphChanges, settle_by_steps, settle_within};
use super::text::{Buffers, TextProvider};
use super::verdicts::VerdictLog;
use crate::languages::LanguageRegistry;
use crate::project::{Project, ProjectDifference};
use crate::walk::{WalkOptions, takes};
use kenning_graph::snapshot::{FileChange, HistoryLayer, VerdictOverlayBuilder};
use kenning_graph::store::MemoryLocation;
use kenning_graph::verdicts::Verdict;
use kenning_graph::{FileFacts, Snapshot};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Edits after which the overlay is made anew from the buffers: names that were typed and gone leave numbers behind.
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
    pub fn takes(&self, path: &str) -> bool {
        self.snapshot.file_by_path(path).is_some() || {
            let candidate = |path: &str| LanguageRegistry::get().find_by_path(path).is_some();
            let script = |text: &[u8]| LanguageRegistry::get().find_by_shebang(text).is_some();
            let mut options = WalkOptions::new(&candidate);
            options.script = Some(&script);
            options.max_file_bytes = self.options.max_file_size;
            options.exclude.clone_from(&self.options.exclude);
            takes(&self.root, &options, path)
        }
    }

    /// Where what use taught is kept.
    pub fn memory(&self) -> MemoryLocation {
        MemoryLocation { path: super::memory_beside(&self.db_path), in_cache: self.options.db.is_none() }
    }

    /// Whether a damaged cache was set aside since the workspace was opened: it holds no history until that is read again.
    pub(super) fn cache_was_replaced(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.was_replaced())
    }

    /// Whether the disk's graph knows a buffer's very text.
    fn has(&self, buffer: &Buffer) -> bool {
        shows(&self.snapshot, buffer)
    }
}

/// Whether a graph shows the very text of a buffer.
fn shows(snapshot: &Snapshot, buffer: &Buffer) -> bool {
    let shown = snapshot.file_by_path(buffer.path()).and_then(|id| snapshot.file(id));
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
pub struct Live {
    disk: DiskState,
    /// What the texts show.
    snapshot: Snapshot,
    composer: VerdictOverlayBuilder,
    /// The same with what language servers say of it.
    shown: Snapshot,
    buffers: Buffers,
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

impl Live {
    /// The disk's graph without buffers.
    pub fn new(disk: DiskState) -> Self {
        let (snapshot, buffers) = (disk.snapshot.clone(), Buffers::default());
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
            live.composer.record_verdicts(&log.all());
        }
        live.compose(usize::MAX);
        live
    }

    /// Takes what another process keeps of the answers of language servers.
    fn read_verdicts(&mut self) {
        if let Some(log) = &self.disk.verdicts {
            self.composer.record_verdicts(&log.unread());
        }
    }

    /// Takes what language servers said: from here on the graph shows it.
    pub fn take_verdicts(&mut self, verdicts: &[Verdict]) {
        self.composer.record_verdicts(verdicts);
        self.compose(FOLLOW_AT_ONCE);
    }

    fn compose(&mut self, at_once: usize) {
        self.shown = self.composer.compose_snapshot(&self.snapshot, at_once);
    }

    /// What is known of the disk.
    pub fn disk(&self) -> &DiskState {
        &self.disk
    }

    /// Puts the buffers over a newer graph of the disk.
    pub fn set_disk(&mut self, disk: DiskState) {
        let same =
            disk.snapshot.is_same_as(&self.disk.snapshot) && Arc::ptr_eq(&disk.project, &self.disk.project);
        self.disk = disk;
        if !same {
            // They are read again in any case: a manifest may have changed with the graph.
            self.unsaved_paths = UnsavedPaths::default();
            self.project = Arc::clone(&self.disk.project);
        }
        if !self.disk.is_writer {
            self.read_verdicts();
        }
        if !same {
            self.overlay();
        }
        self.compose(FOLLOW_AT_ONCE);
    }

    /// The disk's graph with the buffers over it.
    pub fn snapshot(&self) -> Snapshot {
        self.shown.clone().with_layer(Arc::clone(&self.layer))
    }

    /// What is known beside the text.
    pub fn layer(&self) -> &Arc<HistoryLayer> {
        &self.layer
    }

    /// Takes what is known beside the text. It stays when the text changes: what it says of a symbol holds for one body.
    pub fn set_layer(&mut self, layer: Arc<HistoryLayer>) {
        self.layer = layer;
    }

    /// The buffer at a path.
    pub fn buffer(&self, path: &str) -> Option<&Arc<Buffer>> {
        self.buffers.get(path)
    }

    /// Whether a buffer puts another text into the graph than the disk's.
    pub fn is_unsaved(&self, buffer: &Buffer) -> bool {
        !buffer.is_large() && !self.disk.has(buffer)
    }

    /// Whether a buffer has another text than the disk, which is too long to be parsed before it is saved.
    pub fn is_left_to_the_disk(&self, buffer: &Buffer) -> bool {
        buffer.is_large() && !self.disk.has(buffer)
    }

    /// Number of buffers that put another text into the graph than the disk's.
    pub fn unsaved_files(&self) -> usize {
        self.buffers.values().filter(|buffer| self.is_unsaved(buffer)).count()
    }

    /// What the manifests say for the files that the texts show: a file that is not on the disk yet may make a package.
    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Whether the graph shows the very text of a buffer.
    pub fn shows(&self, buffer: &Buffer) -> bool {
        shows(&self.snapshot, buffer)
    }

    /// Where texts and facts come from: buffers first, then the disk, always checked by hash.
    pub fn text_source(&self) -> Arc<TextProvider> {
        Arc::new(TextProvider::new(self.disk.root.clone(), self.buffers.clone(), self.disk.facts.clone()))
    }

    /// Puts the whole text of an open document over the disk's.
    pub fn put_text(&mut self, path: &str, text: &str) {
        let limit = self.disk.options.max_file_size;
        let buffer = match self.buffers.get(path) {
            Some(known) => {
                let edit = TreeEdit::between(known.text().as_bytes(), text.as_bytes());
                known.edited(text.into(), &[edit], limit)
            }
            None => Buffer::new(path, text.into(), limit),
        };
        self.put(Arc::new(buffer));
    }

    /// Puts an open document over the disk's text. What could not be indexed from the disk (too long, generated, binary)
    /// leaves the graph; text in no known language changes nothing; for text that is [too large](Buffer::is_large) to be parsed
    /// on every edit, the disk's counts.
    pub fn put(&mut self, buffer: Arc<Buffer>) {
        let known = self.buffers.get(buffer.path()).filter(|known| known.is_provisional());
        // The same text, and what it says is another when it is read alone.
        let reread = known.is_some_and(|known| known.facts() != buffer.facts());
        let shown = self.shows(&buffer) && !reread;
        let saved = self.disk.has(&buffer);
        let change = self.change(&buffer);
        let path: Arc<str> = buffer.path().into();
        Arc::make_mut(&mut self.buffers).insert(Arc::clone(&path), buffer);
        self.edits += 1;
        if shown {
            return;
        }
        if saved || self.edits >= EDITS_UNTIL_TIDY || self.outgrew(&path) {
            // Back to the disk's text: its overlay goes.
            self.overlay();
        } else if let Some(change) = change {
            let difference = self.update_project();
            let further = Further::Files(difference.files_of(&self.snapshot));
            let changes = GraphChanges { files: vec![change], further };
            let (snapshot, left) = self.settled(&self.snapshot, changes);
            self.snapshot = snapshot;
            self.deferred = self.deferred.max(left);
        }
        self.compose(FOLLOW_AT_ONCE);
    }

    /// Whether the buffer at a path is too large now, and the graph shows a text of it that was not.
    fn outgrew(&self, path: &str) -> bool {
        let shown = |snapshot: &Snapshot| {
            let file = snapshot.file_by_path(path).and_then(|id| snapshot.file(id));
            file.map(|file| file.content_hash)
        };
        self.buffers.get(path).is_some_and(|buffer| buffer.is_large())
            && shown(&self.snapshot) != shown(&self.disk.snapshot)
    }

    /// Takes the text of a document away: the disk's counts again.
    pub fn close(&mut self, path: &str) {
        let Some(buffer) = self.buffers.get(path).cloned() else { return };
        Arc::make_mut(&mut self.buffers).remove(path);
        if !self.disk.has(&buffer) {
            self.overlay();
            self.compose(FOLLOW_AT_ONCE);
        }
    }

    /// Number of files whose edges still are those from before the last edits: what they refer to came, went or became
    /// something else.
    pub fn deferred(&self) -> usize {
        self.deferred + self.composer.pending_count()
    }

    /// Lets the files follow that were left; false when `interrupted` said so before it was done.
    pub fn follow(&mut self, interrupted: &mut dyn FnMut() -> bool) -> bool {
        if self.deferred == 0 {
            if self.composer.pending_count() > 0 {
                self.compose(usize::MAX);
            }
            return true;
        }
        let changes = self.unsaved_changes();
        let facts = self.stored();
        let settled = settle_by_steps(&self.disk.snapshot, &self.project, changes, &facts, interrupted);
        let Some(snapshot) = settled else { return false };
        drop(facts);
        self.snapshot = snapshot;
        (self.edits, self.deferred) = (0, 0);
        self.compose(usize::MAX);
        true
    }

    /// The disk's graph with every buffer put over it again.
    fn overlay(&mut self) {
        self.edits = 0;
        self.update_project();
        let changes = self.unsaved_changes();
        (self.snapshot, self.deferred) = if changes.files.is_empty() {
            (self.disk.snapshot.clone(), 0)
        } else {
            self.settled(&self.disk.snapshot, changes)
        };
    }

    /// All that the buffers change in the graph of the disk.
    fn unsaved_changes(&self) -> GraphChanges {
        let difference = self.project_difference(&self.disk.project);
        let further = Further::Files(difference.files_of(&self.disk.snapshot));
        let unsaved = self.buffers.values().filter(|buffer| !self.disk.has(buffer));
        GraphChanges { files: unsaved.filter_map(|buffer| self.change_of_disk(buffer)).collect(), further }
    }

    /// Reads the manifests again if the buffers bring other files than before. Returns how the project differs from the one
    /// before.
    fn update_project(&mut self) -> ProjectDifference {
        let before = Arc::clone(&self.project);
        let unsaved = self.buffers.values().filter(|buffer| !self.disk.has(buffer));
        let mut paths = UnsavedPaths::default();
        for change in unsaved.filter_map(|buffer| self.change_of_disk(buffer)) {
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
        let mut paths = self.paths();
        paths.retain(|path| !self.unsaved_paths.removed.contains(path));
        let text = |path: &str| {
            let buffer = self.buffers.get(path).filter(|buffer| buffer.is_indexable());
            buffer.map(|buffer| Arc::clone(buffer.text()))
        };
        Arc::new(Project::load_with_unsaved(&self.disk.root, &paths, &text))
    }

    /// The files of the disk's graph and those that the buffers bring, sorted.
    fn paths(&self) -> Vec<String> {
        let disk = &self.disk.snapshot;
        let known = disk.files().into_iter().filter_map(|id| disk.file(id)).map(|file| file.path.to_owned());
        let mut paths: Vec<String> = known.chain(self.unsaved_paths.added.iter().cloned()).collect();
        paths.sort_unstable();
        paths
    }

    fn project_difference(&self, before: &Arc<Project>) -> ProjectDifference {
        if Arc::ptr_eq(before, &self.project) {
            return ProjectDifference::none();
        }
        ProjectDifference::between(before, &self.project, &self.paths())
    }

    /// Facts of files that did not change.
    fn stored(&self) -> impl Fn(&str, &str, &kenning_graph::Hash) -> Option<Arc<FileFacts>> + Sync {
        let disk = self.disk.clone();
        move |path, language, hash| disk.facts.as_ref()?.of_file(&disk.root, path, language, hash)
    }

    fn settled(&self, snapshot: &Snapshot, changes: GraphChanges) -> (Snapshot, usize) {
        settle_within(snapshot, &self.project, changes, FOLLOW_AT_ONCE, &self.stored())
    }

    /// The change that a buffer makes to the graph that is shown.
    fn change(&self, buffer: &Buffer) -> Option<FileChange> {
        Self::change_of(&self.snapshot, buffer)
    }

    /// The change that a buffer makes to the graph of the disk.
    fn change_of_disk(&self, buffer: &Buffer) -> Option<FileChange> {
        Self::change_of(&self.disk.snapshot, buffer)
    }

    fn change_of(snapshot: &Snapshot, buffer: &Buffer) -> Option<FileChange> {
        if buffer.is_large() {
            return None;
        }
        let path = buffer.path().to_owned();
        match buffer.facts().filter(|_| buffer.is_indexable()) {
            Some(facts) => Some(FileChange::Put {
                path,
                content_hash: buffer.content_hash(),
                size: buffer.text().len() as u64,
                mtime_ns: 0,
                facts: facts.clone(),
            }),
            None => snapshot.file_by_path(&path).map(|_| FileChange::Remove { path }),
        }
    }
}

#[cfg(test)]
mod tests;
