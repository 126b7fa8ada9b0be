//! The changes in a workspace since a commit, with the changed lines and the names that were
//! removed.
//!
//! [`collect_changes`] finds the base (`change_base.rs`), lists the paths at which the base's tree,
//! the index and the working tree differ, and adds the open buffers, whose texts replace those on
//! disk. It then reads both contents of each path, joins renamed files (`renames.rs`), and compares
//! lines (`line_diff.rs`) and declarations (`removed_names.rs`).

use super::base_tree::{BaseEntry, BaseTree};
use super::line_diff::{self, LineDiff};
use super::panic_guard::catch_panic;
use super::removed_names::{self, BaseFile};
use super::renames;
use super::repository_check::{self, RepositoryFiles};
use super::{change_base, worktree_check};
use crate::named_file::{self, FileProblem, FileRefusal, LinkRule};
use gix::bstr::{BString, ByteSlice};
use gix::status::{Submodule, UntrackedFiles};
use gix::{ObjectId, Repository};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Size in bytes above which a file is listed without its changed lines.
const MAX_COMPARED_BYTES: u64 = 16 << 20;

/// Maximum number of changed files, in the order of their paths, whose old and new texts are
/// compared for removed declarations. A reformatted repository changes every file.
const MAX_PARSED_FILES: usize = 1000;

/// Maximum number of changed files. A working tree without most of its files is not a change.
const MAX_CHANGED_FILES: usize = 100_000;

/// The changes since the base.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeSet {
    /// The revision that the changes are measured against, as requested or chosen.
    pub base: String,
    /// The newest commit that the revision and the checked-out commit have in common, as hex;
    /// `None` before the first commit.
    pub merge_base: Option<String>,
    /// The changed files, sorted by path.
    pub files: Vec<ChangedFile>,
    /// Whether more files changed than are read for their declarations, so that more names may have
    /// been removed.
    pub removed_truncated: bool,
}

/// A changed file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedFile {
    /// The path in the workspace, with `/` as the separator. For a deleted file, the path that it
    /// had.
    pub path: String,
    /// The kind of the change.
    pub status: ChangeStatus,
    /// The path of a renamed file before the change.
    pub old_path: Option<String>,
    /// Whether the file is not text: it has a NUL byte, is a link, or is too large to compare.
    pub binary: bool,
    /// First and last lines of the added and changed ranges, 1-based. For a new file, the range of
    /// all lines.
    pub lines: Vec<(u32, u32)>,
    /// 1-based lines after which lines were removed without a replacement; 0 for the beginning of
    /// the file.
    pub removed_after: Vec<u32>,
    /// Qualified names within the file (`Class.method`) that it declared before and no longer
    /// declares, sorted. For a deleted file, all its names.
    pub removed: Vec<String>,
    /// The file before the change, if names or its path are gone and its language is known.
    pub before: Option<Arc<BaseFile>>,
}

/// The kind of a file's change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeStatus {
    /// The file is new.
    Added,
    /// The content or the mode of the file changed.
    #[default]
    Modified,
    /// The file is gone.
    Deleted,
    /// The file has another path, and possibly other lines.
    Renamed,
}

impl ChangeStatus {
    /// Returns the stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
        }
    }
}

/// The reason why the changes cannot be determined.
#[derive(Debug, thiserror::Error)]
pub enum ChangesError {
    /// The workspace is in no git repository.
    #[error("{0} is not in a git repository, so its changes are unknown; pass files instead")]
    NoRepository(PathBuf),
    /// The requested revision does not exist.
    #[error("{0:?} is not a commit of this repository; pass a branch, a tag or a commit")]
    UnknownBase(String),
    /// The requested revision and the checked-out commit have no common history.
    #[error(
        "{0:?} and the checked-out commit have no known commit in common; fetch more history (git fetch --unshallow) or pass another revision"
    )]
    Unrelated(String),
    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A file of the repository or its working tree must not be opened.
    #[error("cannot determine the changes: {0}")]
    Refused(FileProblem),
    /// The repository cannot be read.
    #[error("cannot read the git repository of {root} ({reason}); run git fsck to find the problem")]
    Unreadable {
        /// The path of the workspace.
        root: PathBuf,
        /// The first problem.
        reason: String,
    },
}

/// Returns the changes in the workspace at `root` between `base` and the working tree, with the
/// texts of `buffers` (by path) instead of the files on disk. `base` is any revision that names a
/// commit; the changes are measured from its merge base with `HEAD`. With `None`, the base is the
/// remote's default branch, else `main`, `master` or `trunk`, else `HEAD`.
///
/// Untracked files count unless they are ignored; submodules do not count. No program that a
/// configuration names runs.
///
/// # Errors
/// Returns a [`ChangesError`] if there is no readable repository, if `base` is not a commit with a
/// common history, or if `cancelled` is set.
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
    repository_check::check_repository(root, RepositoryFiles::ReferencesAndHistory)
        .map_err(ChangesError::Refused)?;
    let repository = super::open_checked(root).map_err(|reason| match reason {
        Some(reason) => ChangesError::Unreadable { root: root.to_owned(), reason },
        None => no_repository(),
    })?;
    let scope = RepositoryScope::new(root, repository).ok_or_else(no_repository)?;
    scope.check_files(base)?;
    let base = change_base::find_base(&scope.repository, base)?;
    let tree = match base.commit {
        Some(commit) => scope.find_commit_tree(commit)?,
        None => scope.repository.empty_tree().id,
    };
    let tree =
        BaseTree::list_files(&scope.repository, tree).map_err(|error| scope.unreadable_error(error))?;
    let mut paths = scope.differing_paths(&tree, cancelled)?;
    paths.extend(buffers.keys().map(|path| scope.repository_path(path)));
    if paths.len() > MAX_CHANGED_FILES {
        let reason = format!("more than {MAX_CHANGED_FILES} files changed; pass a newer base");
        return Err(scope.unreadable_error(reason));
    }
    let mut files = Vec::new();
    let mut texts = TextBudget::default();
    for path in paths {
        if cancelled.load(Ordering::Relaxed) {
            return Err(ChangesError::Cancelled);
        }
        let change = scope.find_change(&tree, &path, buffers, &texts)?;
        files.extend(change.map(|change| texts.limit_change(change)));
    }
    let mut joined = renames::join_renames(files);
    joined.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    let removed_truncated = joined.len() > MAX_PARSED_FILES;
    let files = joined
        .into_par_iter()
        .enumerate()
        .map(|(position, (change, old))| {
            let compare_names = position < MAX_PARSED_FILES && !cancelled.load(Ordering::Relaxed);
            change.into_changed_file(old, compare_names)
        })
        .collect();
    if cancelled.load(Ordering::Relaxed) {
        return Err(ChangesError::Cancelled);
    }
    let merge_base = base.commit.map(|id| id.to_hex().to_string());
    Ok(ChangeSet { base: base.name, merge_base, files, removed_truncated })
}

/// Maximum sum of the texts that are kept to compare lines and names, in bytes. A tree can contain
/// one large file a million times.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// The texts of changed files that may still be kept.
struct TextBudget {
    bytes_left: usize,
}

impl Default for TextBudget {
    fn default() -> Self {
        Self { bytes_left: MAX_TEXT_BYTES }
    }
}

impl TextBudget {
    /// Whether no text is kept any more, so that none needs to be read.
    fn is_spent(&self) -> bool {
        self.bytes_left == 0
    }

    /// Drops the texts of a change beyond the budget, so that it is listed without its lines.
    fn limit_change(&mut self, mut change: ContentChange) -> ContentChange {
        for version in [&mut change.before, &mut change.after].into_iter().flatten() {
            let length = version.text.as_ref().map_or(0, Vec::len);
            match self.bytes_left.checked_sub(length) {
                Some(left) => self.bytes_left = left,
                None => {
                    self.bytes_left = 0;
                    version.text = None;
                }
            }
        }
        change
    }
}

/// A changed file, with both contents if they are text.
pub(super) struct ContentChange {
    pub path: String,
    pub before: Option<FileVersion>,
    pub after: Option<FileVersion>,
}

/// One version of a file.
pub(super) struct FileVersion {
    /// The content; `None` if it is not text or is too large.
    pub text: Option<Vec<u8>>,
}

impl FileVersion {
    fn new(content: Vec<u8>) -> Self {
        let is_text = content.len() as u64 <= MAX_COMPARED_BYTES && !line_diff::is_binary(&content);
        Self { text: is_text.then_some(content) }
    }
}

impl ContentChange {
    /// Turns the change into its public form. `old` is the previous path and content of a renamed
    /// file. With `compare_names`, also finds the names that are no longer declared.
    fn into_changed_file(self, old: Option<(String, FileVersion)>, compare_names: bool) -> ChangedFile {
        let (old_path, before) = match old {
            Some((path, version)) => (Some(path), Some(version)),
            None => (None, self.before),
        };
        let status = match (&before, &self.after, &old_path) {
            (_, Some(_), Some(_)) => ChangeStatus::Renamed,
            (None, _, _) => ChangeStatus::Added,
            (_, None, _) => ChangeStatus::Deleted,
            _ => ChangeStatus::Modified,
        };
        let text_of_version = |version: &Option<FileVersion>| match version {
            Some(version) => version.text.clone(),
            None => Some(Vec::new()),
        };
        let (binary, lines) = match (text_of_version(&before), text_of_version(&self.after)) {
            _ if status == ChangeStatus::Deleted => (false, LineDiff::default()),
            (Some(before), Some(after)) => (false, line_diff::diff_lines(&before, &after)),
            _ => (true, LineDiff::default()),
        };
        let LineDiff { changed: lines, removed_after } = lines;
        let (removed, before) = match before.as_ref().and_then(|version| version.text.as_deref()) {
            Some(text) if compare_names => {
                let after = self.after.as_ref().and_then(|version| version.text.as_deref());
                removed_names::compare_names(
                    old_path.as_deref().unwrap_or(&self.path),
                    text,
                    &self.path,
                    after,
                )
            }
            _ => (Vec::new(), None),
        };
        ChangedFile { path: self.path, status, old_path, binary, lines, removed_after, removed, before }
    }
}

/// The part of a repository that belongs to a workspace.
struct RepositoryScope {
    repository: Repository,
    workdir: PathBuf,
    /// The path of the workspace in the repository, with a trailing `/`; empty for the whole
    /// repository.
    prefix: String,
}

impl RepositoryScope {
    fn new(root: &Path, mut repository: Repository) -> Option<Self> {
        disable_programs(&mut repository);
        show_untracked_files(&mut repository);
        let workdir = repository.workdir()?.canonicalize().ok()?;
        let path_in_workspace =
            root.canonicalize().ok()?.strip_prefix(&workdir).ok()?.to_str()?.replace('\\', "/");
        let prefix = if path_in_workspace.is_empty() { path_in_workspace } else { path_in_workspace + "/" };
        Some(Self { repository, workdir, prefix })
    }

    /// Checks the files that the git library opens because of the name of the revision, and those
    /// in the working tree.
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

    fn find_commit_tree(&self, commit: ObjectId) -> Result<ObjectId, ChangesError> {
        let commit = self.repository.find_commit(commit).map_err(|error| self.unreadable_error(error))?;
        Ok(commit.tree_id().map_err(|error| self.unreadable_error(error))?.detach())
    }

    /// Returns the repository paths at which tree, index and working tree are not all equal.
    fn differing_paths(
        &self,
        tree: &BaseTree,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<BTreeSet<String>, ChangesError> {
        // A cancelled search also ends with an error.
        let cancelled_or =
            |error| if cancelled.load(Ordering::Relaxed) { ChangesError::Cancelled } else { error };
        let patterns: Vec<BString> = match self.prefix.as_str() {
            "" => Vec::new(),
            prefix => vec![format!(":(top,literal){}", prefix.trim_end_matches('/')).into()],
        };
        let status =
            self.repository.status(gix::progress::Discard).map_err(|error| self.unreadable_error(error))?;
        let items = status
            .untracked_files(UntrackedFiles::Files)
            .index_worktree_rewrites(None)
            .index_worktree_submodules(Submodule::Given {
                ignore: gix::submodule::config::Ignore::All,
                check_dirty: false,
            })
            .should_interrupt_owned(Arc::clone(cancelled))
            .into_index_worktree_iter(patterns)
            .map_err(|error| cancelled_or(self.unreadable_error(error)))?;
        let mut paths = BTreeSet::new();
        for item in items {
            let item = item.map_err(|error| cancelled_or(self.unreadable_error(error)))?;
            // The index holds no names that are not UTF-8 either.
            if let Ok(path) = item.rela_path().to_str() {
                paths.insert(path.to_owned());
            }
        }
        let index = self.repository.index_or_empty().map_err(|error| self.unreadable_error(error))?;
        if index.is_sparse() {
            return Err(self.unreadable_error("sparse indexes are not supported"));
        }
        paths.extend(tree.paths_that_differ(&index, &self.prefix).into_iter().map(str::to_owned));
        if cancelled.load(Ordering::Relaxed) {
            return Err(ChangesError::Cancelled);
        }
        Ok(paths)
    }

    /// Returns the change to the file at a repository path against the tree. Returns `None` if
    /// there is none, or if the path is not a file.
    fn find_change(
        &self,
        tree: &BaseTree,
        path: &str,
        buffers: &BTreeMap<String, Arc<str>>,
        texts: &TextBudget,
    ) -> Result<Option<ContentChange>, ChangesError> {
        let Some(path_in_workspace) = path.strip_prefix(&self.prefix) else { return Ok(None) };
        let before = match tree.find_entry(path) {
            Some(BaseEntry::Submodule) => return Ok(None),
            Some(BaseEntry::Link) => Some(FileVersion { text: None }),
            Some(BaseEntry::File(_)) if texts.is_spent() && !buffers.contains_key(path_in_workspace) => {
                Some(FileVersion { text: None })
            }
            Some(BaseEntry::File(id)) => Some(self.content_of_blob(id)?),
            None => None,
        };
        let after = match buffers.get(path_in_workspace) {
            Some(text) => Some(FileVersion::new(text.as_bytes().to_vec())),
            None => self.content_in_worktree(path),
        };
        let same = match (&before, &after) {
            (None, None) => true,
            // Saving an open text with other line ends changes the file, but none of its lines.
            (Some(before), Some(after)) if buffers.contains_key(path_in_workspace) => {
                before.text == after.text
            }
            _ => false,
        };
        Ok((!same).then(|| ContentChange { path: path_in_workspace.to_owned(), before, after }))
    }

    /// Returns the file with the content of a blob.
    fn content_of_blob(&self, id: ObjectId) -> Result<FileVersion, ChangesError> {
        let header = self.repository.find_header(id).map_err(|error| self.unreadable_error(error))?;
        if header.size() > MAX_COMPARED_BYTES {
            return Ok(FileVersion { text: None });
        }
        let blob = self.repository.find_blob(id).map_err(|error| self.unreadable_error(error))?;
        Ok(FileVersion::new(blob.detach().data))
    }

    /// Returns the file in the working tree, or `None` if it is missing or cannot be read.
    fn content_in_worktree(&self, path: &str) -> Option<FileVersion> {
        let file = self.workdir.join(path);
        match named_file::read_bytes(&file, MAX_COMPARED_BYTES, LinkRule::Refuse) {
            Ok(bytes) => bytes.map(FileVersion::new),
            Err(FileRefusal::SymbolicLink | FileRefusal::TooLarge(_)) => Some(FileVersion { text: None }),
            Err(_) => None,
        }
    }
}

/// Removes the programs for filtering, comparing and merging from the configuration in memory. A
/// workspace is not trusted to run programs only because the user asks for its changes.
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

/// Includes untracked files even if the user's configuration hides them from `git status`.
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
