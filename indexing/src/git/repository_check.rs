//! Checks of git's own files before the git library opens them.
//!
//! The library reads any file that has the expected name: it waits for a pipe, reads a device
//! forever and loads a file of any size into memory. If a repository has such a file where git
//! never puts one, the whole repository is refused, and the problem names the file. Links are
//! followed, because tools that share a repository between working trees build `.git` folders out
//! of links.

use super::index_check;
use crate::named_file::{FileProblem, FileRefusal, LinkRule, check_file, read_bytes, read_text};
use std::collections::BTreeSet;
use std::fs::FileType;
use std::path::{Path, PathBuf};

/// Size limit in bytes of files that hold one path: `.git` if it is a file, `commondir` and
/// `gitdir`. The git library also refuses longer ones.
const MAX_POINTER_BYTES: u64 = 64 << 10;

/// Size limit in bytes of a branch or `HEAD`, which holds a hash or one name.
const MAX_REFERENCE_BYTES: u64 = 64 << 10;

/// Size limit in bytes of `config` and the files it includes. A typical one has a few KB; one with
/// a thousand remotes has 200 KB.
const MAX_CONFIG_BYTES: u64 = 4 << 20;

/// Size limit in bytes of `index`. For a working tree of four million files it has 400 MB.
const MAX_INDEX_BYTES: u64 = 1 << 30;

/// Size limit in bytes of `packed-refs`, `shallow` and lists of alternates: four million branches
/// of 64 bytes.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// Size limit in bytes of the log of a branch (`logs`), which only `branch@{...}` reads: two
/// million entries.
const MAX_LOG_BYTES: u64 = 256 << 20;

/// Files of a repository that are read as a whole, with their limits. They are in the git directory
/// and in the directory that worktrees share.
const WHOLE_FILES: [(&str, u64); 10] = [
    ("HEAD", MAX_REFERENCE_BYTES),
    ("ORIG_HEAD", MAX_REFERENCE_BYTES),
    ("commondir", MAX_POINTER_BYTES),
    ("gitdir", MAX_POINTER_BYTES),
    ("config", MAX_CONFIG_BYTES),
    ("config.worktree", MAX_CONFIG_BYTES),
    ("index", MAX_INDEX_BYTES),
    ("packed-refs", MAX_LIST_BYTES),
    ("shallow", MAX_LIST_BYTES),
    ("objects/info/alternates", MAX_LIST_BYTES),
];

/// Pattern files of a repository.
const PATTERN_FILES: [&str; 2] = ["info/exclude", "info/attributes"];

/// Maximum depth of nested folders. Branches have few levels, and links may form a cycle.
const MAX_FOLDER_DEPTH: usize = 32;

/// Maximum number of repositories from which a repository borrows objects, directly or indirectly.
/// Git stops at five levels.
const MAX_ALTERNATES: usize = 100;

/// Maximum number of files that a configuration includes, directly or indirectly. The git library
/// stops at ten levels.
const MAX_INCLUDES: usize = 100;

/// Minimum size of an index in bytes: its header and the checksum at its end.
const MIN_INDEX_BYTES: usize = 12 + 20;

/// The files of a repository that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepositoryFiles {
    /// The files of `HEAD`, branches and configuration.
    References,
    /// These files, and those of the history.
    ReferencesAndHistory,
}

/// Checks these files of the repository that the git library would find around `root`.
///
/// # Errors
/// Returns the problem of the first file that must not be opened.
pub(super) fn check_repository(root: &Path, files: RepositoryFiles) -> Result<(), FileProblem> {
    let Some((folder, git_dir)) = discover_repository(root)? else { return Ok(()) };
    let checker = RepositoryChecker { root, folder: &folder };
    checker.check_git_dir(&git_dir)?;
    let common = common_dir_of(&git_dir);
    if common != git_dir {
        checker.check_git_dir(&common)?;
    }
    if files == RepositoryFiles::ReferencesAndHistory {
        checker.check_tree(&common.join("logs"), Some(MAX_LOG_BYTES), 0)?;
        checker.check_index(&git_dir.join("index"))?;
        checker.check_objects(&common.join("objects"))?;
    }
    Ok(())
}

/// Returns the path of the `info/exclude` that applies in `folder`, if `folder` is the top of a
/// working tree.
pub(crate) fn find_exclude_file(folder: &Path) -> Option<PathBuf> {
    let git_dir = find_git_dir(folder).ok().flatten()?;
    Some(common_dir_of(&git_dir).join("info/exclude"))
}

/// Checks the file that the git library reads for a revision with the name of a file
/// (`FETCH_HEAD`).
pub(super) fn check_reference(root: &Path, git_dir: &Path, revision: &str) -> Result<(), FileProblem> {
    RepositoryChecker { root, folder: root }.check_file(&git_dir.join(revision), MAX_LIST_BYTES)
}

/// Checks the files that the git library reads to determine whether a folder in a working tree is a
/// nested repository.
pub(super) fn check_nested(root: &Path, folder: &Path) -> Result<(), FileProblem> {
    let Some(git_dir) =
        find_git_dir(folder).map_err(|refusal| refusal_problem(root, &folder.join(".git"), &refusal))?
    else {
        return Ok(());
    };
    let checker = RepositoryChecker { root, folder };
    for name in ["HEAD", "commondir", "gitdir", "config"] {
        checker.check_file(&git_dir.join(name), MAX_CONFIG_BYTES)?;
    }
    Ok(())
}

/// Returns the nearest folder at or above `root` that has a repository, and its git directory.
fn discover_repository(root: &Path) -> Result<Option<(PathBuf, PathBuf)>, FileProblem> {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    for folder in real.ancestors() {
        let dot_git = folder.join(".git");
        let git_dir = find_git_dir(folder).map_err(|refusal| refusal_problem(root, &dot_git, &refusal))?;
        // A bare repository has no folder `.git`.
        let bare_repository = || {
            let is_bare = ["objects", "refs"].iter().all(|name| folder.join(name).is_dir());
            (is_bare && folder.join("HEAD").symlink_metadata().is_ok()).then(|| folder.to_owned())
        };
        if let Some(git_dir) = git_dir.or_else(bare_repository) {
            return Ok(Some((folder.to_owned(), git_dir)));
        }
    }
    Ok(None)
}

/// Returns the git directory of the working tree whose top is `folder`.
fn find_git_dir(folder: &Path) -> Result<Option<PathBuf>, FileRefusal> {
    let dot_git = folder.join(".git");
    match read_text(&dot_git, MAX_POINTER_BYTES, LinkRule::Follow) {
        Ok(None) => Ok(None),
        Ok(Some(text)) => {
            let target = text.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty());
            Ok(target.map(|target| folder.join(target)))
        }
        // A folder `.git` with `HEAD` is a repository. Without it, the search continues in the
        // folders above.
        Err(FileRefusal::Folder) => Ok(dot_git.join("HEAD").symlink_metadata().is_ok().then_some(dot_git)),
        Err(FileRefusal::NotUtf8) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Returns the folder that all worktrees of a repository share.
fn common_dir_of(git_dir: &Path) -> PathBuf {
    match read_text(&git_dir.join("commondir"), MAX_POINTER_BYTES, LinkRule::Follow) {
        Ok(Some(text)) if !text.trim().is_empty() => git_dir.join(text.trim()),
        _ => git_dir.to_owned(),
    }
}

fn refusal_problem(root: &Path, path: &Path, refusal: &FileRefusal) -> FileProblem {
    FileProblem::new(root, path, format!("{refusal}; Kenning ignores the history of this repository"))
}

/// A checker of the files of one repository.
struct RepositoryChecker<'a> {
    /// The workspace; problems name paths relative to it.
    root: &'a Path,
    folder: &'a Path,
}

impl RepositoryChecker<'_> {
    fn problem_at_path(&self, path: &Path, refusal: &FileRefusal) -> FileProblem {
        let path = match (path.strip_prefix(self.folder), self.root.strip_prefix(self.folder)) {
            // Shows the path in the form in which the user passed the root.
            (Ok(below), Ok(inside)) if inside.as_os_str().is_empty() => self.root.join(below),
            _ => path.to_owned(),
        };
        refusal_problem(self.root, &path, refusal)
    }

    /// Checks a file that is read as a whole. Accepts a folder of that name and a file that the
    /// system does not open, because the git library reports those itself.
    fn check_file(&self, path: &Path, limit: u64) -> Result<(), FileProblem> {
        match check_file(path, limit, LinkRule::Follow) {
            Ok(_) | Err(FileRefusal::Folder | FileRefusal::Unreadable(_)) => Ok(()),
            Err(refusal) => Err(self.problem_at_path(path, &refusal)),
        }
    }

    fn check_git_dir(&self, git_dir: &Path) -> Result<(), FileProblem> {
        for (name, limit) in WHOLE_FILES {
            self.check_file(&git_dir.join(name), limit)?;
        }
        for name in PATTERN_FILES {
            self.check_file(&git_dir.join(name), crate::named_file::MAX_PATTERN_FILE)?;
        }
        self.check_includes(&git_dir.join("config"))?;
        self.check_tree(&git_dir.join("refs"), Some(MAX_REFERENCE_BYTES), 0)?;
        // A revision may name any file in this folder (`FETCH_HEAD`).
        visit_entries(git_dir, |path, kind, _| self.check_file_kind(path, kind))
    }

    /// Checks the index and the file with the rest of its entries.
    fn check_index(&self, path: &Path) -> Result<(), FileProblem> {
        let Some(shared) = self.check_index_content(path)? else { return Ok(()) };
        let shared = path.with_file_name(shared);
        self.check_file(&shared, MAX_INDEX_BYTES)?;
        match self.check_index_content(&shared)? {
            // Git never does this, and the library would follow any number of such files.
            Some(_) => Err(self.index_problem(&shared, "does not contain all entries of the index")),
            None => Ok(()),
        }
    }

    /// Checks the size of an index, because the git library panics on one that is too short, and
    /// its content. Returns the name of the file with the rest of its entries.
    fn check_index_content(&self, path: &Path) -> Result<Option<String>, FileProblem> {
        // Other refusals were reported before, or the library reports them.
        let Ok(Some(bytes)) = read_bytes(path, MAX_INDEX_BYTES, LinkRule::Follow) else { return Ok(None) };
        if bytes.len() < MIN_INDEX_BYTES {
            return Err(self.index_problem(path, "is damaged (truncated)"));
        }
        index_check::check_content(&bytes).map_err(|refusal| self.index_problem(path, &refusal.to_string()))
    }

    fn index_problem(&self, path: &Path, reason: &str) -> FileProblem {
        FileProblem::new(self.root, path, format!("{reason}; git reset creates a new one"))
    }

    /// Checks the files that a configuration includes. The git library skips pipes and devices
    /// there, but not large files.
    fn check_includes(&self, config: &Path) -> Result<(), FileProblem> {
        let mut waiting = vec![config.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(path) = waiting.pop() {
            if seen.len() == MAX_INCLUDES || !seen.insert(path.clone()) {
                continue;
            }
            let text = match read_text(&path, MAX_CONFIG_BYTES, LinkRule::Follow) {
                Ok(Some(text)) => text,
                Err(refusal @ FileRefusal::TooLarge(_)) => return Err(self.problem_at_path(&path, &refusal)),
                Ok(None) | Err(_) => continue,
            };
            let folder = path.parent().unwrap_or(Path::new("/"));
            waiting.extend(included_paths(&text).map(|target| match target.strip_prefix("~/") {
                Some(target) => std::env::home_dir().unwrap_or_default().join(target),
                None => folder.join(target),
            }));
        }
        Ok(())
    }

    /// Checks all files below a folder: none may be a pipe or a device, or be larger than `limit`
    /// bytes.
    fn check_tree(&self, folder: &Path, limit: Option<u64>, depth: usize) -> Result<(), FileProblem> {
        if depth == MAX_FOLDER_DEPTH {
            return Ok(());
        }
        visit_entries(folder, |path, kind, is_folder| {
            if is_folder {
                return self.check_tree(path, limit, depth + 1);
            }
            self.check_file_kind(path, kind)?;
            limit.map_or(Ok(()), |limit| self.check_file(path, limit))
        })
    }

    /// Checks the objects of a repository and of the repositories from which it borrows objects.
    fn check_objects(&self, objects: &Path) -> Result<(), FileProblem> {
        let mut waiting = vec![objects.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(objects) = waiting.pop() {
            if seen.len() == MAX_ALTERNATES || !seen.insert(objects.clone()) {
                continue;
            }
            self.check_tree(&objects, None, MAX_FOLDER_DEPTH - 3)?;
            let alternates = objects.join("info/alternates");
            self.check_file(&alternates, MAX_LIST_BYTES)?;
            if let Ok(Some(text)) = read_text(&alternates, MAX_LIST_BYTES, LinkRule::Follow) {
                let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
                waiting.extend(lines.map(|line| objects.join(line.trim_matches('"'))));
            }
        }
        Ok(())
    }

    /// Refuses files that a reader would wait for or read forever. Sockets, such as that of git's
    /// file system monitor, are accepted because opening one fails immediately.
    #[cfg(unix)]
    fn check_file_kind(&self, path: &Path, kind: FileType) -> Result<(), FileProblem> {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() || kind.is_char_device() || kind.is_block_device() {
            return Err(self.problem_at_path(path, &FileRefusal::NotRegular));
        }
        Ok(())
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "other systems have no such files")]
    fn check_file_kind(&self, _: &Path, _: FileType) -> Result<(), FileProblem> {
        Ok(())
    }
}

/// Calls `visit` for each entry of a folder with its path, its kind after following links, and
/// whether it is a folder. Treats a folder that cannot be listed as empty, because the git library
/// cannot read it either.
fn visit_entries(
    folder: &Path,
    mut visit: impl FnMut(&Path, FileType, bool) -> Result<(), FileProblem>,
) -> Result<(), FileProblem> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten() {
        let Ok(mut kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_symlink() {
            let Ok(target) = path.metadata() else { continue };
            kind = target.file_type();
        }
        visit(&path, kind, kind.is_dir())?;
    }
    Ok(())
}

/// Returns the paths in the `include` and `includeIf` sections of a configuration, regardless of
/// their conditions.
fn included_paths(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().map(str::trim).filter_map(move |line| {
        let mut rest = line;
        if let Some(header) = line.strip_prefix('[') {
            let name = header.trim_start();
            inside = name.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("include"));
            // The line of the header may also contain a value.
            rest = header.rsplit_once(']').map_or("", |(_, rest)| rest.trim());
        }
        let (key, value) = rest.split_once('=')?;
        (inside && key.trim().eq_ignore_ascii_case("path")).then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests;
