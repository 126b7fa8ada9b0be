//! The git repository of a workspace: its head commit, the changes against a base, the history, and
//! the folder that its worktrees share. Nothing else in the project uses git.
//!
//! The git library (`gix`) reads repositories that may be hostile or damaged, so each access has
//! three safeguards:
//!
//! * `repository_check.rs` and `worktree_check.rs` check git's own files before the library opens
//!   them.
//! * `open_checked` sets limits that the repository's configuration cannot lift.
//! * `panic_guard.rs` turns a panic of the library into an error of that repository.
//!
//! No program runs, not even one that a configuration names (`disable_programs`). A repository that
//! is refused has no history, and indexing continues without it; [`find_problem`] reports why.

mod base_tree;
mod blame;
mod bounded_objects;
mod change_base;
mod changes;
mod commit_log;
#[cfg(test)]
pub(crate) mod git_command;
mod hunk_headers;
mod index_check;
mod line_diff;
mod panic_guard;
mod removed_names;
mod renames;
mod repository_check;
mod tree_changes;
mod worktree_check;

pub use blame::Blamer;
pub use changes::{ChangeSet, ChangeStatus, ChangedFile, ChangesError, collect_changes};
pub use commit_log::{CommitLog, RULES_VERSION as COMMIT_RULES_VERSION, ReadLines};
pub use removed_names::BaseFile;
use repository_check::RepositoryFiles;
pub(crate) use repository_check::find_exclude_file;

use crate::named_file::FileProblem;
use panic_guard::catch_panic;
use std::path::{Path, PathBuf};

/// Maximum size of an inflated object: 32 MiB. Kenning compares texts of at most 16 MiB, and the
/// largest trees (folders with half a million files) have 20 MiB. The limit is needed because a
/// deflated object can be a thousandth of its inflated size.
const MAX_OBJECT_BYTES: usize = 32 << 20;

/// Size in bytes from which contents are compared by their hash alone, because [`MAX_OBJECT_BYTES`]
/// would refuse them.
const BIG_FILE_BYTES: usize = 16 << 20;

/// Number of threads that read an index. Without this override, the library would obey the number
/// in a configuration, however large it is. Several threads would start at offsets that the index
/// states, which may make them read the same entries many times.
const INDEX_THREADS: usize = 1;

/// Returns the commit that `HEAD` points to in the repository around `root`, as lower-case hex.
/// Returns `None` without a repository, without commits, or if the repository cannot be read.
pub fn head_commit(root: &Path) -> Option<String> {
    read_guarded(|| {
        let repository = open_repository(root)?;
        // `head_id` would open the commit, which a partial clone may not have.
        let id = repository.head().ok()?.id()?;
        Some(id.to_hex().to_string())
    })
}

/// Returns the canonical path of the folder that all worktrees of the repository around `root`
/// share (`.git` of the main checkout). Returns `None` without a repository.
pub fn common_git_dir(root: &Path) -> Option<PathBuf> {
    read_guarded(|| open_repository(root)?.common_dir().canonicalize().ok())
}

/// Returns the folders in which a file `HEAD` changes when another commit is checked out or created
/// in the worktree around `root`: its git directory (a linked worktree has one of its own) and the
/// folder `logs` in it. Empty without a repository.
pub fn head_folders(root: &Path) -> Vec<PathBuf> {
    let Some(git_dir) = read_guarded(|| open_repository(root)?.git_dir().canonicalize().ok()) else {
        return Vec::new();
    };
    let logs = git_dir.join("logs");
    [git_dir, logs].into_iter().filter(|folder| folder.is_dir()).collect()
}

/// Returns the path of a workspace in its repository, with a trailing `/`; empty if the workspace
/// is the whole repository. Returns `None` without a repository or a working tree, and if the path
/// is not UTF-8.
pub fn folder_in_repository(root: &Path) -> Option<String> {
    read_guarded(|| folder_in_worktree(&open_repository(root)?, root))
}

/// Returns the problem that keeps Kenning from reading the repository around `root`. Returns `None`
/// if it can be read or there is no repository.
pub fn find_problem(root: &Path) -> Option<FileProblem> {
    if let Err(problem) = repository_check::check_repository(root, RepositoryFiles::ReferencesAndHistory) {
        return Some(problem);
    }
    let git_problem = |message: String| FileProblem { path: ".git".to_owned(), message };
    match catch_panic(|| open_checked(root)) {
        Ok(Ok(_)) => None,
        Ok(Err(Some(reason))) => {
            Some(git_problem(format!("{reason}; Kenning ignores the history of this repository")))
        }
        Ok(Err(None)) => None,
        Err(reason) => Some(git_problem(reason)),
    }
}

fn folder_in_worktree(repository: &gix::Repository, root: &Path) -> Option<String> {
    let worktree = repository.workdir()?.canonicalize().ok()?;
    let below = root.canonicalize().ok()?.strip_prefix(&worktree).ok()?.to_owned();
    let mut folder = below.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    if !folder.is_empty() {
        folder.push('/');
    }
    Some(folder)
}

/// Returns the result of a reader, or `None` if the git library panics on a damaged repository.
fn read_guarded<T>(read: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_panic(read).unwrap_or_default()
}

/// Opens the repository around a folder to read its references and configuration. Returns `None`
/// without one, and if one of its files must not be opened ([`find_problem`]).
fn open_repository(root: &Path) -> Option<gix::Repository> {
    if let Err(problem) = repository_check::check_repository(root, RepositoryFiles::References) {
        tracing::debug!(root = %root.display(), %problem, "the git repository is not opened");
        return None;
    }
    open_checked(root).ok()
}

/// Opens the repository around a folder to read its objects, too. Returns `None` in the same cases
/// as [`open_repository`].
fn open_history(root: &Path) -> Option<gix::Repository> {
    if let Err(problem) = repository_check::check_repository(root, RepositoryFiles::ReferencesAndHistory) {
        tracing::debug!(root = %root.display(), %problem, "the git repository is not opened");
        return None;
    }
    open_checked(root).ok()
}

/// Opens a repository whose files were checked, within limits that its configuration cannot lift.
///
/// # Errors
/// Returns the reason why the repository cannot be opened, or `None` if there is no repository.
fn open_checked(root: &Path) -> Result<gix::Repository, Option<String>> {
    let with_limits = |options: gix::open::Options| {
        options.config_overrides([
            format!("gitoxide.objects.allocLimit={MAX_OBJECT_BYTES}"),
            format!("core.bigFileThreshold={BIG_FILE_BYTES}"),
            format!("index.threads={INDEX_THREADS}"),
        ])
    };
    let options = gix::sec::trust::Mapping {
        full: with_limits(gix::sec::trust::DefaultForLevel::default_for_level(gix::sec::Trust::Full)),
        reduced: with_limits(gix::sec::trust::DefaultForLevel::default_for_level(gix::sec::Trust::Reduced)),
    };
    match gix::ThreadSafeRepository::discover_opts(root, gix::discover::upwards::Options::default(), options)
    {
        Ok(repository) => Ok(repository.to_thread_local()),
        Err(error) => {
            tracing::debug!(root = %root.display(), %error, "no readable git repository");
            let is_broken = matches!(error, gix::discover::Error::Open(_));
            Err(is_broken.then(|| crate::named_file::shorten_text(&error.to_string())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Creates the smallest repository that git accepts.
    fn create_repository(root: &Path) {
        write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
        write(&root.join(".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
        fs::create_dir_all(root.join(".git/objects")).unwrap();
        fs::create_dir_all(root.join(".git/refs/heads")).unwrap();
    }

    #[test]
    fn a_repository_without_commits_has_no_head() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(head_commit(folder.path()), None);
        create_repository(folder.path());
        assert_eq!(head_commit(folder.path()), None);
        assert_eq!(common_git_dir(folder.path()), Some(folder.path().join(".git").canonicalize().unwrap()));
    }

    #[test]
    fn a_subfolder_has_the_head_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        create_repository(folder.path());
        write(&folder.path().join(".git/refs/heads/main"), &format!("{COMMIT}\n"));
        write(&folder.path().join("a/b/c.txt"), "");
        assert_eq!(head_commit(&folder.path().join("a/b")).as_deref(), Some(COMMIT));
    }

    #[test]
    fn a_worktree_shares_the_folder_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = (folder.path().join("main"), folder.path().join("tree"));
        create_repository(&main);
        write(&main.join(".git/refs/heads/side"), &format!("{COMMIT}\n"));
        let worktree_git_dir = main.join(".git/worktrees/tree");
        write(&worktree_git_dir.join("HEAD"), "ref: refs/heads/side\n");
        write(&worktree_git_dir.join("commondir"), "../..\n");
        write(&worktree_git_dir.join("gitdir"), &format!("{}\n", tree.join(".git").display()));
        write(&tree.join(".git"), &format!("gitdir: {}\n", worktree_git_dir.display()));
        assert_eq!(head_commit(&tree).as_deref(), Some(COMMIT));
        assert_eq!(common_git_dir(&tree), common_git_dir(&main));
        assert!(common_git_dir(&tree).is_some());
        assert_eq!(
            head_folders(&tree),
            [worktree_git_dir.canonicalize().unwrap()],
            "each worktree has its own HEAD"
        );
        assert_eq!(head_folders(&main), [main.join(".git").canonicalize().unwrap()]);
    }
}
