//! What changed in a workspace since a commit: working tree, index and commits together, with the changed lines.

use super::line_diff::{self, LineDiff};
use super::panic_guard::catch_panic;
use super::removed_names::{self, FileBefore};
use super::renames;
use super::{change_base, repository_check, worktree_check};
use crate::named_file::{self, FileProblem, FileRefusal, LinkRule};
use gix::bstr::{BString, ByteSlice};
use gix::objs::tree::EntryKind;
use gix::status::{Submodule, UntrackedFiles, tree_index::TrackRenames};
use gix::{ObjectId, Repository};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Larger files are listed without their lines, in bytes.
const MAX_COMPARED: u64 = 16 << 20;

/// Changed files whose old and new text are read for what they declare, in the order of their paths.
const MAX_READ: usize = 1000;

/// What changed since the base.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeSet {
    /// The revision that the change is measured against, as it was asked for or chosen.
    pub base: String,
    /// The commit that the revision and the checked out one have in common, as hex; `None` before the first commit.
    pub merge_base: Option<String>,
    /// The changed files by path.
    pub files: Vec<ChangedFile>,
    /// More files changed than are read for what they declare: more names may have been removed.
    pub removed_truncated: bool,
}

/// A changed file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedFile {
    /// Path in the workspace, with `/`; of a deleted file the path that it had.
    pub path: String,
    /// What happened to it.
    pub status: ChangeStatus,
    /// The path that a renamed file had.
    pub old_path: Option<String>,
    /// It is no text: a NUL byte, a link, or too large to compare.
    pub binary: bool,
    /// Added and changed lines, first and last, 1-based; of a new file all.
    pub lines: Vec<(u32, u32)>,
    /// 1-based lines behind which lines were removed and nothing was put in their place; 0: before the first.
    pub removed_after: Vec<u32>,
    /// Names inside the file (`Class.method`) that it declared and declares no more, sorted; of a deleted file all.
    pub removed: Vec<String>,
    /// The file as it was, where names or its path are gone and its language is known.
    pub before: Option<Arc<FileBefore>>,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeStatus {
    /// It is new.
    Added,
    /// Its content or its mode is another.
    #[default]
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path, and perhaps other lines.
    Renamed,
}

impl ChangeStatus {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
        }
    }
}

/// Why it cannot be said what changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangesError {
    /// Nothing to compare with.
    #[error("{0} is in no git repository, so there is no change to look at; ask for files instead")]
    NoRepository(PathBuf),
    /// No such revision.
    #[error("{0:?} names no commit of this repository; give a branch, a tag or a commit")]
    UnknownBase(String),
    /// No common history.
    #[error(
        "{0:?} and the checked out commit have no known commit in common; fetch more history (git fetch --unshallow) or give another"
    )]
    Unrelated(String),
    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A file of the repository or its working tree must not be opened.
    #[error("what changed cannot be found: {0}")]
    Refused(FileProblem),
    /// The repository cannot be read.
    #[error("the git repository of {root} cannot be read ({reason}); git fsck says what is wrong with it")]
    Unreadable {
        /// The workspace.
        root: PathBuf,
        /// The first problem.
        reason: String,
    },
}

/// What changed in the workspace at `root` between `base` and the working tree with the texts of `buffers` (by path)
/// in place of what is on the disk. `base` is any revision that names a commit; the change begins where `HEAD` left
/// it. Without one it is the remote's default branch, else `main` or `master`, else `HEAD`.
///
/// Untracked files count unless they are ignored; submodules do not. No program that a configuration names is run.
pub fn collect_changes(
    root: &Path,
    base: Option<&str>,
    buffers: &BTreeMap<String, Arc<str>>,
    cancelled: &Arc<AtomicBool>,
) -> Result<ChangeSet, ChangesError> {
    catch_panic(|| collect_changes_unguarded(root, base, buffers, cancelled))
        .unwrap_or_else(|reason| Err(ChangesError::Unreadable { root: root.to_owned(), reason }))
}

fn collect_changes_unguarded(
    root: &Path,
    base: Option<&str>,
    buffers: &BTreeMap<String, Arc<str>>,
    cancelled: &Arc<AtomicBool>,
) -> Result<ChangeSet, ChangesError> {
    let no_repository = || ChangesError::NoRepository(root.to_owned());
    repository_check::check_repository(root, true).map_err(ChangesError::Refused)?;
    let repository = super::open_checked(root).map_err(|reason| match reason {
        Some(reason) => ChangesError::Unreadable { root: root.to_owned(), reason },
        None => no_repository(),
    })?;
    let scope = RepositoryScope::new(root, repository).ok_or_else(no_repository)?;
    scope.check_files(base)?;
    let base = change_base::find_base(&scope.repository, base)?;
    let tree = match base.commit {
        Some(commit) => scope.tree_of(commit)?,
        None => scope.repository.empty_tree().id,
    };
    let mut paths = scope.differing_paths(tree, cancelled)?;
    paths.extend(buffers.keys().map(|path| scope.repository_path(path)));
    let mut files = Vec::new();
    for path in paths {
        if cancelled.load(Ordering::Relaxed) {
            return Err(ChangesError::Cancelled);
        }
        files.extend(scope.find_change(tree, &path, buffers)?);
    }
    let mut joined = renames::join_renames(files);
    joined.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    let removed_truncated = joined.len() > MAX_READ;
    let told = |(at, (change, old)): (usize, (ContentChange, Option<(String, FileVersion)>))| {
        let read = at < MAX_READ && !cancelled.load(Ordering::Relaxed);
        change.into_changed_file(old, read)
    };
    let files = joined.into_par_iter().enumerate().map(told).collect();
    if cancelled.load(Ordering::Relaxed) {
        return Err(ChangesError::Cancelled);
    }
    let merge_base = base.commit.map(|id| id.to_hex().to_string());
    Ok(ChangeSet { base: base.name, merge_base, files, removed_truncated })
}

/// A file that is not what it was, with both contents where they are text.
pub(super) struct ContentChange {
    pub path: String,
    pub before: Option<FileVersion>,
    pub after: Option<FileVersion>,
}

/// The file at one time.
pub(super) struct FileVersion {
    /// The content, unless it is no text.
    pub text: Option<Vec<u8>>,
}

impl FileVersion {
    fn new(content: Vec<u8>) -> Self {
        let is_text = content.len() as u64 <= MAX_COMPARED && !line_diff::is_binary(&content);
        Self { text: is_text.then_some(content) }
    }
}

impl ContentChange {
    /// The change as it is reported; `old` is where a renamed file was. With `read`, also what is no longer declared.
    fn into_changed_file(self, old: Option<(String, FileVersion)>, read: bool) -> ChangedFile {
        let (old_path, before) = match old {
            Some((path, side)) => (Some(path), Some(side)),
            None => (None, self.before),
        };
        let status = match (&before, &self.after, &old_path) {
            (_, Some(_), Some(_)) => ChangeStatus::Renamed,
            (None, _, _) => ChangeStatus::Added,
            (_, None, _) => ChangeStatus::Deleted,
            _ => ChangeStatus::Modified,
        };
        let text = |side: &Option<FileVersion>| match side {
            Some(side) => side.text.clone(),
            None => Some(Vec::new()),
        };
        let (binary, lines) = match (text(&before), text(&self.after)) {
            _ if status == ChangeStatus::Deleted => (false, LineDiff::default()),
            (Some(before), Some(after)) => (false, line_diff::diff_lines(&before, &after)),
            _ => (true, LineDiff::default()),
        };
        let LineDiff { changed: lines, removed_after } = lines;
        let (removed, before) = match before.as_ref().and_then(|side| side.text.as_deref()) {
            Some(text) if read => {
                let after = self.after.as_ref().and_then(|side| side.text.as_deref());
                removed_names::compare_names(
                    (old_path.as_deref().unwrap_or(&self.path), text),
                    (&self.path, after),
                )
            }
            _ => (Vec::new(), None),
        };
        ChangedFile { path: self.path, status, old_path, binary, lines, removed_after, removed, before }
    }
}

/// The part of a repository that a workspace is.
struct RepositoryScope {
    repository: Repository,
    workdir: PathBuf,
    /// Path of the workspace in the repository, with `/` at its end; empty when it is the whole.
    prefix: String,
}

impl RepositoryScope {
    fn new(root: &Path, mut repository: Repository) -> Option<Self> {
        disable_programs(&mut repository);
        show_untracked_files(&mut repository);
        let workdir = repository.workdir()?.canonicalize().ok()?;
        let inside = root.canonicalize().ok()?.strip_prefix(&workdir).ok()?.to_str()?.replace('\\', "/");
        let prefix = if inside.is_empty() { inside } else { inside + "/" };
        Some(Self { repository, workdir, prefix })
    }

    /// Checks the files that are opened on the way: by the name of the revision, and in the working tree.
    fn check_files(&self, base: Option<&str>) -> Result<(), ChangesError> {
        if let Some(base) = base {
            repository_check::check_reference(&self.workdir, self.repository.git_dir(), base)
                .map_err(ChangesError::Refused)?;
        }
        let folder = self.workdir.join(self.prefix.trim_end_matches('/'));
        worktree_check::check_worktree(&self.repository, &self.workdir, &folder)
            .map_err(ChangesError::Refused)
    }

    fn repository_path(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    fn unreadable_error(&self, error: impl std::fmt::Display) -> ChangesError {
        ChangesError::Unreadable { root: self.workdir.clone(), reason: error.to_string() }
    }

    fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, ChangesError> {
        let commit = self.repository.find_commit(commit).map_err(|error| self.unreadable_error(error))?;
        Ok(commit.tree_id().map_err(|error| self.unreadable_error(error))?.detach())
    }

    /// The paths in the repository at which tree, index and working tree are not all the same.
    fn differing_paths(
        &self,
        tree: ObjectId,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<BTreeSet<String>, ChangesError> {
        // A look that was stopped ends with an error of its own.
        let interrupted =
            |error| if cancelled.load(Ordering::Relaxed) { ChangesError::Cancelled } else { error };
        let patterns: Vec<BString> = match self.prefix.as_str() {
            "" => Vec::new(),
            prefix => vec![format!(":(top,literal){}", prefix.trim_end_matches('/')).into()],
        };
        let status =
            self.repository.status(gix::progress::Discard).map_err(|error| self.unreadable_error(error))?;
        let items = status
            .head_tree(tree)
            .untracked_files(UntrackedFiles::Files)
            .tree_index_track_renames(TrackRenames::Disabled)
            .index_worktree_rewrites(None)
            .index_worktree_submodules(Submodule::Given {
                ignore: gix::submodule::config::Ignore::All,
                check_dirty: false,
            })
            .should_interrupt_owned(Arc::clone(cancelled))
            .into_iter(patterns)
            .map_err(|error| interrupted(self.unreadable_error(error)))?;
        let mut paths = BTreeSet::new();
        for item in items {
            let item = item.map_err(|error| interrupted(self.unreadable_error(error)))?;
            // Names that are not UTF-8 are in no index of ours either.
            if let Ok(path) = item.location().to_str() {
                paths.insert(path.to_owned());
            }
        }
        if cancelled.load(Ordering::Relaxed) {
            return Err(ChangesError::Cancelled);
        }
        Ok(paths)
    }

    /// How the file at a path of the repository differs from the tree; `None` when it does not, or is no file.
    fn find_change(
        &self,
        tree: ObjectId,
        path: &str,
        buffers: &BTreeMap<String, Arc<str>>,
    ) -> Result<Option<ContentChange>, ChangesError> {
        let Some(inside) = path.strip_prefix(&self.prefix) else { return Ok(None) };
        let (before, is_submodule) = self.content_in_tree(tree, path)?;
        if is_submodule {
            return Ok(None);
        }
        let after = match buffers.get(inside) {
            Some(text) => Some(FileVersion::new(text.as_bytes().to_vec())),
            None => self.content_in_worktree(path),
        };
        let same = match (&before, &after) {
            (None, None) => true,
            // A text that was saved with other line ends is another file, but none of its lines is another.
            (Some(before), Some(after)) if buffers.contains_key(inside) => before.text == after.text,
            _ => false,
        };
        Ok((!same).then(|| ContentChange { path: inside.to_owned(), before, after }))
    }

    fn content_in_tree(
        &self,
        tree: ObjectId,
        path: &str,
    ) -> Result<(Option<FileVersion>, bool), ChangesError> {
        let tree = self.repository.find_tree(tree).map_err(|error| self.unreadable_error(error))?;
        let found = tree.lookup_entry_by_path(path);
        let Ok(Some(entry)) = found else {
            // Below a submodule its repository knows, not this one; a look there finds nothing to read.
            let mut folders =
                Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
            let is_submodule = folders.any(|folder| {
                let entry = tree.lookup_entry_by_path(folder).ok().flatten();
                entry.is_some_and(|entry| entry.mode().kind() == EntryKind::Commit)
            });
            return match found {
                Err(error) if !is_submodule => Err(self.unreadable_error(error)),
                _ => Ok((None, is_submodule)),
            };
        };
        match entry.mode().kind() {
            EntryKind::Commit => Ok((None, true)),
            EntryKind::Tree => Ok((None, false)),
            EntryKind::Link => Ok((Some(FileVersion { text: None }), false)),
            EntryKind::Blob | EntryKind::BlobExecutable => {
                let header = self.repository.find_header(entry.object_id());
                if header.map_err(|error| self.unreadable_error(error))?.size() > MAX_COMPARED {
                    return Ok((Some(FileVersion { text: None }), false));
                }
                let blob = entry.object().map_err(|error| self.unreadable_error(error))?;
                Ok((Some(FileVersion::new(blob.data.clone())), false))
            }
        }
    }

    /// The file in the working tree.
    fn content_in_worktree(&self, path: &str) -> Option<FileVersion> {
        let file = self.workdir.join(path);
        match named_file::read_bytes(&file, MAX_COMPARED, LinkRule::Refuse) {
            Ok(bytes) => bytes.map(FileVersion::new),
            Err(FileRefusal::SymbolicLink | FileRefusal::TooLarge(_)) => Some(FileVersion { text: None }),
            Err(_) => None,
        }
    }
}

/// Forgets the programs that a configuration names for filtering and comparing: a workspace is not trusted to have
/// programs run just because someone asked what changed in it.
pub(super) fn disable_programs(repository: &mut Repository) {
    let mut config = repository.config_snapshot_mut();
    for name in ["filter", "diff", "merge"] {
        let ids: Vec<_> = match config.sections_and_ids_by_name(name) {
            Some(sections) => sections
                .filter(|(section, _)| section.header().subsection_name().is_some())
                .map(|(_, id)| id)
                .collect(),
            None => Vec::new(),
        };
        for id in ids {
            config.remove_section_by_id(id);
        }
    }
    if let Err(error) = config.commit() {
        tracing::debug!(%error, "git's configuration cannot be reduced");
    }
}

/// Has untracked files listed also where the person's configuration hides them from `git status`.
fn show_untracked_files(repository: &mut Repository) {
    let mut config = repository.config_snapshot_mut();
    if let Err(error) = config.set_raw_value("status.showUntrackedFiles", "all") {
        tracing::debug!(%error, "git's configuration cannot be changed in memory");
    }
    if let Err(error) = config.commit() {
        tracing::debug!(%error, "git's configuration cannot be changed in memory");
    }
}

#[cfg(test)]
mod tests;
