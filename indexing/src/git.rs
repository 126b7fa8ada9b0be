//! What version control says about a workspace: its commit, what changed since another, and the folder its worktrees
//! share. Nothing else in the project touches git.

mod base;
mod blame;
mod changes;
mod headers;
mod lines;
mod log;
#[cfg(test)]
pub(crate) mod program;
mod removed;
mod renames;

pub use blame::Blamer;
pub use changes::{ChangedFile, Changes, ChangesError, Status, changes};
pub use log::{CommitLog, RULES as COMMIT_RULES};
pub use removed::Before;

use std::path::{Path, PathBuf};

/// The commit that `HEAD` points to in the repository that holds `root`, as lower-case hex. `None` without a
/// repository, without commits, or when the repository cannot be read.
pub fn head(root: &Path) -> Option<String> {
    let repository = open(root)?;
    // Not `head_id`: that opens the commit, which a partial clone may not hold.
    let id = repository.head().ok()?.id()?;
    Some(id.to_hex().to_string())
}

/// The folder that all worktrees of the repository around `root` share (`.git` of the main checkout),
/// canonical. `None` without a repository.
pub fn common_dir(root: &Path) -> Option<PathBuf> {
    let repository = open(root)?;
    repository.common_dir().canonicalize().ok()
}

/// The folders in which a file `HEAD` changes when another commit is checked out or made in the worktree around `root`:
/// its git directory (a linked worktree has its own) and the logs in it. Empty without a repository.
pub fn head_folders(root: &Path) -> Vec<PathBuf> {
    let Some(repository) = open(root) else { return Vec::new() };
    let Ok(own) = repository.git_dir().canonicalize() else { return Vec::new() };
    let logs = own.join("logs");
    [own, logs].into_iter().filter(|folder| folder.is_dir()).collect()
}

/// The folder of a workspace in its repository, with a `/` behind it; empty for the whole. `None` without a repository or a
/// working tree, and where the path is not UTF-8.
pub fn folder_in_repository(root: &Path) -> Option<String> {
    folder_in(&open(root)?, root)
}

fn folder_in(repository: &gix::Repository, root: &Path) -> Option<String> {
    let whole = repository.workdir()?.canonicalize().ok()?;
    let below = root.canonicalize().ok()?.strip_prefix(&whole).ok()?.to_owned();
    let mut folder = below.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    if !folder.is_empty() {
        folder.push('/');
    }
    Some(folder)
}

fn open(root: &Path) -> Option<gix::Repository> {
    match gix::discover(root) {
        Ok(repository) => Some(repository),
        Err(error) => {
            tracing::debug!(root = %root.display(), %error, "no readable git repository");
            None
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

    /// A repository with the least that git accepts.
    fn repository(root: &Path) {
        write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
        write(&root.join(".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
        fs::create_dir_all(root.join(".git/objects")).unwrap();
        fs::create_dir_all(root.join(".git/refs/heads")).unwrap();
    }

    #[test]
    fn a_repository_without_commits_has_no_head() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(head(folder.path()), None);
        repository(folder.path());
        assert_eq!(head(folder.path()), None);
        assert_eq!(common_dir(folder.path()), Some(folder.path().join(".git").canonicalize().unwrap()));
    }

    #[test]
    fn the_head_of_a_subfolder_is_that_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        repository(folder.path());
        write(&folder.path().join(".git/refs/heads/main"), &format!("{COMMIT}\n"));
        write(&folder.path().join("a/b/c.txt"), "");
        assert_eq!(head(&folder.path().join("a/b")).as_deref(), Some(COMMIT));
    }

    #[test]
    fn a_worktree_shares_the_folder_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = (folder.path().join("main"), folder.path().join("tree"));
        repository(&main);
        write(&main.join(".git/refs/heads/side"), &format!("{COMMIT}\n"));
        let private = main.join(".git/worktrees/tree");
        write(&private.join("HEAD"), "ref: refs/heads/side\n");
        write(&private.join("commondir"), "../..\n");
        write(&private.join("gitdir"), &format!("{}\n", tree.join(".git").display()));
        write(&tree.join(".git"), &format!("gitdir: {}\n", private.display()));
        assert_eq!(head(&tree).as_deref(), Some(COMMIT));
        assert_eq!(common_dir(&tree), common_dir(&main));
        assert!(common_dir(&tree).is_some());
        assert_eq!(head_folders(&tree), [private.canonicalize().unwrap()], "each worktree has its own HEAD");
        assert_eq!(head_folders(&main), [main.join(".git").canonicalize().unwrap()]);
    }
}
