//! The files in which two trees differ, within limits.
//!
//! [`TreeComparison`] walks both trees with the git library and passes additions and deletions to
//! its rename tracker. The library's own combination of both (`tree_with_rewrites`) collects all
//! changes before it returns the first one, so a tree that contains another tree many times takes
//! all memory. Here, the walk stops at [`MAX_CHANGES`], [`MAX_PATH_BYTES`] and
//! [`MAX_READ_BYTES`], and a stopped comparison is reported as [`CompareError::TooLarge`].

use super::bounded_objects::{BoundedObjects, ReadBudget};
use gix::bstr::{BStr, BString, ByteSlice as _};
use gix::diff::Rewrites;
use gix::diff::rewrites::Tracker;
use gix::diff::rewrites::tracker::visit::{Destination, Source};
use gix::diff::tree::visit::Change;
use gix::diff::tree::{Error as WalkError, Recorder, Visit};
use gix::objs::tree::EntryMode;
use gix::objs::{FindExt as _, TreeRefIter};
use gix::{ObjectId, Repository};
use std::ops::ControlFlow;

/// Maximum number of changed files and folders of a commit. The import of the Linux kernel, one of
/// the largest known commits, has 90,000.
const MAX_CHANGES: usize = 100_000;

/// Maximum sum of the paths of the changed files and folders of a commit, in bytes. Paths have 60
/// bytes on average.
const MAX_PATH_BYTES: usize = 32 << 20;

/// Maximum sum of the sizes of the trees that are read for a commit, in bytes. The largest trees
/// have 20 MiB, and most commits read less than 1 MiB.
const MAX_READ_BYTES: u64 = 256 << 20;

/// Maximum number of added and deleted files and folders for which renamed files are joined. The
/// rename tracker compares all additions and deletions with equal contents.
const MAX_TRACKED_CHANGES: usize = 10_000;

/// Maximum number of files of a commit that are compared with one another to find files that were
/// renamed and edited. Moving a folder renames thousands.
const MAX_RENAME_CANDIDATES: usize = 200;

/// The limits for all comparisons of a history together. Without them, 2 MB of commits that switch
/// between an empty and an enormous tree take hours. Five thousand commits of a repository with
/// half a million files stay below half of each.
#[derive(Debug)]
pub(super) struct HistoryBudget {
    pub changes: usize,
    pub read_bytes: u64,
}

impl Default for HistoryBudget {
    fn default() -> Self {
        Self { changes: 3_000_000, read_bytes: 16 << 30 }
    }
}

/// A file that differs between a commit and its parent.
pub(super) struct TreeChange {
    pub path: String,
    pub old_path: Option<String>,
    pub before: Option<ObjectId>,
    pub after: Option<ObjectId>,
}

/// The reason why two trees cannot be compared.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CompareError {
    /// The trees differ in more files than a limit permits.
    #[error("the commit changes more files than Kenning compares")]
    TooLarge,
    /// The repository cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

impl CompareError {
    pub(super) fn from_display(error: impl std::fmt::Display) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// The repository, and the buffers and the budget that all comparisons of a history share.
pub(super) struct TreeComparison<'a> {
    pub repository: &'a Repository,
    pub blobs: &'a mut gix::diff::blob::Platform,
    pub state: &'a mut gix::diff::tree::State,
    pub budget: &'a mut HistoryBudget,
}

impl TreeComparison<'_> {
    /// Returns the files in which `new` differs from `old`. Joins renamed files: always if their
    /// contents are equal and, with `compares_contents`, if they are similar.
    ///
    /// # Errors
    /// Returns [`CompareError::TooLarge`] beyond a limit, and the repository's error.
    pub(super) fn changed_files(
        &mut self,
        old: ObjectId,
        new: ObjectId,
        compares_contents: bool,
    ) -> Result<Vec<TreeChange>, CompareError> {
        let read_bytes = MAX_READ_BYTES.min(self.budget.read_bytes);
        let budget = ReadBudget { read_bytes, ..ReadBudget::default() };
        let objects = BoundedObjects::new(&self.repository.objects, budget);
        let mut collector = ChangeCollector::new(MAX_CHANGES.min(self.budget.changes));
        let result = self.walk_trees(&objects, [old, new], &mut collector);
        self.budget.read_bytes = self.budget.read_bytes.saturating_sub(objects.read_bytes());
        self.budget.changes = self.budget.changes.saturating_sub(collector.changes.len());
        if collector.is_exceeded || objects.is_exceeded() {
            return Err(CompareError::TooLarge);
        }
        result?;
        self.join_renames(collector.changes, compares_contents)
    }

    fn walk_trees(
        &mut self,
        objects: &BoundedObjects<'_, gix::OdbHandle>,
        [old, new]: [ObjectId; 2],
        collector: &mut ChangeCollector,
    ) -> Result<(), CompareError> {
        let (mut old_buffer, mut new_buffer) = (Vec::new(), Vec::new());
        let old = find_tree(objects, old, &mut old_buffer)?;
        let new = find_tree(objects, new, &mut new_buffer)?;
        match gix::diff::tree(old, new, &mut *self.state, objects, collector) {
            // The collector stops only beyond a limit.
            Ok(()) | Err(WalkError::Cancelled) => Ok(()),
            Err(error) => Err(CompareError::from_display(error)),
        }
    }

    /// Returns the changed files, with the old path of each renamed file.
    fn join_renames(
        &mut self,
        changes: Vec<(Change, BString)>,
        compares_contents: bool,
    ) -> Result<Vec<TreeChange>, CompareError> {
        let is_move = |change: &Change| !matches!(change, Change::Modification { .. });
        let joins = changes.iter().filter(|(change, _)| is_move(change)).count() <= MAX_TRACKED_CHANGES;
        let mut tracker = Tracker::new(Rewrites {
            copies: None,
            percentage: compares_contents.then_some(0.5),
            limit: MAX_RENAME_CANDIDATES,
            track_empty: false,
        });
        let mut files = Vec::new();
        for (change, path) in changes {
            let other = if joins { tracker.try_push_change(change, path.as_bstr()) } else { Some(change) };
            files.extend(other.and_then(|change| changed_file(&change, path.as_bstr())));
        }
        self.blobs.clear_resource_cache_keep_allocation();
        let add_file = |file: Destination<'_, Change>, source: Option<Source<'_, Change>>| {
            files.extend(match source {
                Some(source) => renamed_file(&file, &source),
                None => changed_file(&file.change, file.location),
            });
            ControlFlow::Continue(())
        };
        let no_other_sources = |_: &mut dyn FnMut(Change, &BStr)| Ok::<_, std::convert::Infallible>(());
        tracker
            .emit(add_file, self.blobs, &self.repository.objects, no_other_sources)
            .map_err(CompareError::from_display)?;
        Ok(files)
    }
}

/// Returns the entries of a tree.
fn find_tree<'b>(
    objects: &BoundedObjects<'_, gix::OdbHandle>,
    id: ObjectId,
    buffer: &'b mut Vec<u8>,
) -> Result<TreeRefIter<'b>, CompareError> {
    // A repository need not contain the empty tree.
    if id == ObjectId::empty_tree(id.kind()) {
        return Ok(TreeRefIter::from_bytes(&[], id.kind()));
    }
    objects.find_tree_iter(&id, buffer).map_err(CompareError::from_display)
}

/// Returns the file that a change concerns. Returns `None` for folders, links and submodules, and
/// for names that are not UTF-8.
fn changed_file(change: &Change, path: &BStr) -> Option<TreeChange> {
    let is_file = |mode: EntryMode| mode.is_blob();
    let (before, after) = match *change {
        Change::Addition { entry_mode, oid, .. } if is_file(entry_mode) => (None, Some(oid)),
        Change::Deletion { entry_mode, oid, .. } if is_file(entry_mode) => (Some(oid), None),
        Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid }
            if is_file(entry_mode) && is_file(previous_entry_mode) && oid != previous_oid =>
        {
            (Some(previous_oid), Some(oid))
        }
        _ => return None,
    };
    Some(TreeChange { path: path.to_str().ok()?.to_owned(), old_path: None, before, after })
}

/// Returns a renamed file, under the same conditions as [`changed_file`].
fn renamed_file(file: &Destination<'_, Change>, source: &Source<'_, Change>) -> Option<TreeChange> {
    let (after, mode) = file.change.oid_and_entry_mode();
    mode.is_blob().then_some(())?;
    Some(TreeChange {
        path: file.location.to_str().ok()?.to_owned(),
        old_path: Some(source.location.to_str().ok()?.to_owned()),
        before: Some(source.id),
        after: Some(after.to_owned()),
    })
}

/// Collects the changes of a walk, with their paths.
struct ChangeCollector {
    recorder: Recorder,
    changes: Vec<(Change, BString)>,
    path_bytes: usize,
    max_changes: usize,
    is_exceeded: bool,
}

impl ChangeCollector {
    fn new(max_changes: usize) -> Self {
        let (recorder, changes) = (Recorder::default(), Vec::new());
        Self { recorder, changes, path_bytes: 0, max_changes, is_exceeded: false }
    }
}

impl Visit for ChangeCollector {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.recorder.pop_front_tracked_path_and_set_current();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.recorder.push_back_tracked_path_component(component);
        // The recorder keeps the path until the walk reaches this folder.
        self.path_bytes += self.recorder.path().len();
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.recorder.push_path_component(component);
    }

    fn pop_path_component(&mut self) {
        self.recorder.pop_path_component();
    }

    fn visit(&mut self, change: Change) -> ControlFlow<()> {
        self.path_bytes += self.recorder.path().len();
        if self.changes.len() == self.max_changes || self.path_bytes > MAX_PATH_BYTES {
            self.is_exceeded = true;
            return ControlFlow::Break(());
        }
        self.changes.push((change, self.recorder.path_clone()));
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
