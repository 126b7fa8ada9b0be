//! Checks of git's own files before the git library opens them by itself.
//!
//! The library reads whatever has the right name: it waits for a pipe, reads a device forever and
//! loads a file of any size into memory. If a repository has such a file where git never puts one,
//! the whole repository is refused, and the problem names the file. Links are followed, because
//! tools that share a repository between working trees build `.git` folders out of links.

use crate::named_file::{FileProblem, FileRefusal, LinkRule, check_file, read_text};
use std::collections::BTreeSet;
use std::fs::FileType;
use std::path::{Path, PathBuf};

/// Size limit in bytes of files that hold one path: `.git` if it is a file, `commondir` and
/// `gitdir`. The git library refuses longer ones, too.
const MAX_POINTER: u64 = 64 << 10;

/// Size limit in bytes of a branch or `HEAD`, which holds a hash or one name.
const MAX_REFERENCE: u64 = 64 << 10;

/// Size limit in bytes of `config` and the files it includes. Those that people and tools write
/// have some KB; one with a thousand remotes has 200 KB.
const MAX_CONFIG: u64 = 4 << 20;

/// Size limit in bytes of `index`. For a working tree of four million files it has 400 MB.
const MAX_INDEX: u64 = 1 << 30;

/// Size limit in bytes of `packed-refs`, `shallow` and lists of alternates: four million branches
/// of 64 bytes.
const MAX_LIST: u64 = 256 << 20;

/// Size limit in bytes of the log of a branch (`logs`), which only `branch@{...}` reads: two
/// million entries.
const MAX_LOG: u64 = 256 << 20;

/// Files of a repository that are read as a whole, with their limits. They are in the git directory
/// and in the one that worktrees share.
const FILES: [(&str, u64); 10] = [
    ("HEAD", MAX_REFERENCE),
    ("ORIG_HEAD", MAX_REFERENCE),
    ("commondir", MAX_POINTER),
    ("gitdir", MAX_POINTER),
    ("config", MAX_CONFIG),
    ("config.worktree", MAX_CONFIG),
    ("index", MAX_INDEX),
    ("packed-refs", MAX_LIST),
    ("shallow", MAX_LIST),
    ("objects/info/alternates", MAX_LIST),
];

/// Pattern files of a repository.
const PATTERN_FILES: [&str; 2] = ["info/exclude", "info/attributes"];

/// Maximum depth of nested folders. Branches have few levels, and links may form a cycle.
const MAX_DEPTH: usize = 32;

/// Maximum number of repositories from which one borrows objects, directly or indirectly. Git stops
/// at five levels.
const MAX_ALTERNATES: usize = 100;

/// Maximum number of files that a configuration includes, directly or indirectly. The git library
/// stops at ten levels.
const MAX_INCLUDES: usize = 100;

/// Minimum size of an index in bytes: its header and the checksum at its end.
const LEAST_INDEX: u64 = 12 + 20;

/// Checks the repository that the git library would find around `root`: the files that are read for
/// `HEAD`, branches and configuration. With `objects`, also checks the files that are read for
/// history.
///
/// # Errors
/// Returns the problem of the first file that must not be opened.
pub(super) fn check_repository(root: &Path, objects: bool) -> Result<(), FileProblem> {
    let Some((folder, own)) = discover_repository(root)? else { return Ok(()) };
    let checker = RepositoryChecker { root, folder: &folder };
    checker.check_git_dir(&own)?;
    let common = common_dir_of(&own);
    if common != own {
        checker.check_git_dir(&common)?;
    }
    if objects {
        checker.check_tree(&common.join("logs"), Some(MAX_LOG), 0)?;
        checker.check_index(&own.join("index"))?;
        checker.check_objects(&common.join("objects"))?;
    }
    Ok(())
}

/// Returns the path of the `info/exclude` that applies in `folder`, if that is the top of a working
/// tree.
pub(crate) fn find_exclude_file(folder: &Path) -> Option<PathBuf> {
    let own = find_git_dir(folder).ok().flatten()?;
    Some(common_dir_of(&own).join("info/exclude"))
}

/// Checks the file that the git library reads for a revision with the name of a file
/// (`FETCH_HEAD`).
pub(super) fn check_reference(root: &Path, own: &Path, revision: &str) -> Result<(), FileProblem> {
    RepositoryChecker { root, folder: root }.check_file(&own.join(revision), MAX_LIST)
}

/// Checks what the git library reads of a repository inside another one's working tree, where it
/// only determines whether there is one.
pub(super) fn check_nested(root: &Path, folder: &Path) -> Result<(), FileProblem> {
    let Some(own) =
        find_git_dir(folder).map_err(|refusal| refusal_problem(root, &folder.join(".git"), &refusal))?
    else {
        return Ok(());
    };
    let checker = RepositoryChecker { root, folder };
    for name in ["HEAD", "commondir", "gitdir", "config"] {
        checker.check_file(&own.join(name), MAX_CONFIG)?;
    }
    Ok(())
}

/// Returns the nearest folder at or above `root` that has a repository, and its git directory.
fn discover_repository(root: &Path) -> Result<Option<(PathBuf, PathBuf)>, FileProblem> {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    for folder in real.ancestors() {
        let dot_git = folder.join(".git");
        let own = find_git_dir(folder).map_err(|refusal| refusal_problem(root, &dot_git, &refusal))?;
        // A bare repository has no folder `.git`.
        let bare = || {
            let is_bare = ["objects", "refs"].iter().all(|name| folder.join(name).is_dir());
            (is_bare && folder.join("HEAD").symlink_metadata().is_ok()).then(|| folder.to_owned())
        };
        if let Some(own) = own.or_else(bare) {
            return Ok(Some((folder.to_owned(), own)));
        }
    }
    Ok(None)
}

/// Returns the git directory of the working tree whose top is `folder`.
fn find_git_dir(folder: &Path) -> Result<Option<PathBuf>, FileRefusal> {
    let dot_git = folder.join(".git");
    match read_text(&dot_git, MAX_POINTER, LinkRule::Follow) {
        Ok(None) => Ok(None),
        Ok(Some(text)) => {
            let target = text.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty());
            Ok(target.map(|target| folder.join(target)))
        }
        // A folder with `HEAD` is a repository; without, the search continues above.
        Err(FileRefusal::Folder) => Ok(dot_git.join("HEAD").symlink_metadata().is_ok().then_some(dot_git)),
        Err(FileRefusal::NotUtf8) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Returns the folder that all worktrees of a repository share.
fn common_dir_of(own: &Path) -> PathBuf {
    match read_text(&own.join("commondir"), MAX_POINTER, LinkRule::Follow) {
        Ok(Some(text)) if !text.trim().is_empty() => own.join(text.trim()),
        _ => own.to_owned(),
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
    fn record_refusal(&self, path: &Path, refusal: &FileRefusal) -> FileProblem {
        let path = match (path.strip_prefix(self.folder), self.root.strip_prefix(self.folder)) {
            // The path is shown in the form in which the user gave the root.
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
            Err(refusal) => Err(self.record_refusal(path, &refusal)),
        }
    }

    fn check_git_dir(&self, own: &Path) -> Result<(), FileProblem> {
        for (name, limit) in FILES {
            self.check_file(&own.join(name), limit)?;
        }
        for name in PATTERN_FILES {
            self.check_file(&own.join(name), crate::named_file::MAX_PATTERN_FILE)?;
        }
        self.check_includes(&own.join("config"))?;
        self.check_tree(&own.join("refs"), Some(MAX_REFERENCE), 0)?;
        // A revision may name any file in this folder (`FETCH_HEAD`).
        visit_entries(own, |path, kind, _| self.check_file_kind(path, kind))
    }

    /// Checks the size of the index, because the git library panics on one that is too short.
    fn check_index(&self, path: &Path) -> Result<(), FileProblem> {
        match path.metadata() {
            Ok(metadata) if metadata.is_file() && metadata.len() < LEAST_INDEX => {
                let message = "is damaged (truncated); git reset creates a new one".to_owned();
                Err(FileProblem::new(self.root, path, message))
            }
            _ => Ok(()),
        }
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
            let text = match read_text(&path, MAX_CONFIG, LinkRule::Follow) {
                Ok(Some(text)) => text,
                Err(refusal @ FileRefusal::TooLarge(_)) => return Err(self.record_refusal(&path, &refusal)),
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
        if depth == MAX_DEPTH {
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

    /// Checks the objects of a repository and of those that it borrows from.
    fn check_objects(&self, objects: &Path) -> Result<(), FileProblem> {
        let mut waiting = vec![objects.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(objects) = waiting.pop() {
            if seen.len() == MAX_ALTERNATES || !seen.insert(objects.clone()) {
                continue;
            }
            self.check_tree(&objects, None, MAX_DEPTH - 3)?;
            let alternates = objects.join("info/alternates");
            self.check_file(&alternates, MAX_LIST)?;
            if let Ok(Some(text)) = read_text(&alternates, MAX_LIST, LinkRule::Follow) {
                let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
                waiting.extend(lines.map(|line| objects.join(line.trim_matches('"'))));
            }
        }
        Ok(())
    }

    /// Refuses files on which a reader never ends or waits. Sockets, such as that of git's file
    /// system monitor, are accepted because opening one fails immediately.
    #[cfg(unix)]
    fn check_file_kind(&self, path: &Path, kind: FileType) -> Result<(), FileProblem> {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() || kind.is_char_device() || kind.is_block_device() {
            return Err(self.record_refusal(path, &FileRefusal::NotRegular));
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

/// Returns the paths in the `include` and `includeIf` sections of a configuration, whatever their
/// conditions are.
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
