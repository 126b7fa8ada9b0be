//! Checks git's own files before the git library opens them by itself.
//!
//! The library reads whatever has the right name: it waits for a pipe, never ends on a device and takes a file of any size into
//! memory. A repository that holds such a file in a place where git never puts one is refused as a whole, with the file named.
//! Links are followed: tools that share a repository between working trees build `.git` folders of them.

use crate::named_file::{FileProblem, FileRefusal, LinkRule, check_file, read_text};
use std::collections::BTreeSet;
use std::fs::FileType;
use std::path::{Path, PathBuf};

/// `.git` where it is a file, `commondir`, `gitdir`: each holds one path. The git library refuses longer ones too.
const MAX_POINTER: u64 = 64 << 10;

/// A branch or `HEAD`: a hash or one name.
const MAX_REFERENCE: u64 = 64 << 10;

/// `config` and what it includes. People and tools write some KB; one that lists a thousand remotes has 200.
const MAX_CONFIG: u64 = 4 << 20;

/// `index`: a working tree of four million files has 400 MB.
const MAX_INDEX: u64 = 1 << 30;

/// `packed-refs`, `shallow` and lists of alternates: four million branches of 64 bytes.
const MAX_LIST: u64 = 256 << 20;

/// History of a branch (`logs`), which only `branch@{...}` asks for: two million entries.
const MAX_LOG: u64 = 256 << 20;

/// Files of a repository that are read as a whole, with their limits, in its own folder and in the one it shares.
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

/// Maximum depth of nested folders: branches have few levels, and links may lead back.
const MAX_DEPTH: usize = 32;

/// Repositories whose objects one borrows, and those that they borrow from. Git stops at five levels.
const MAX_ALTERNATES: usize = 100;

/// Files included by a configuration, and by those. The git library stops at ten levels.
const MAX_INCLUDES: usize = 100;

/// The bytes that an index has at least: its header and the checksum at its end.
const LEAST_INDEX: u64 = 12 + 20;

/// Checks the repository that the git library would find around `root`, as far as `HEAD`, branches and configuration go; with
/// `objects`, also what reading history needs.
///
/// # Errors
/// The first file that must not be opened.
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

/// The `info/exclude` that holds in `folder`, if that is the top of a working tree.
pub(crate) fn find_exclude_file(folder: &Path) -> Option<PathBuf> {
    let own = find_git_dir(folder).ok().flatten()?;
    Some(common_dir_of(&own).join("info/exclude"))
}

/// Checks the file by which the git library reads a revision that has the name of one (`FETCH_HEAD`).
pub(super) fn check_reference(root: &Path, own: &Path, revision: &str) -> Result<(), FileProblem> {
    RepositoryChecker { root, folder: root }.check_file(&own.join(revision), MAX_LIST)
}

/// Checks what the git library reads of a repository inside another one's working tree: it only asks whether there is one.
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

/// The nearest folder at or above `root` with a repository, and where its git directory is.
fn discover_repository(root: &Path) -> Result<Option<(PathBuf, PathBuf)>, FileProblem> {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    for folder in real.ancestors() {
        let dot_git = folder.join(".git");
        let own = find_git_dir(folder).map_err(|refusal| refusal_problem(root, &dot_git, &refusal))?;
        // A bare repository has no folder of that name.
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

/// The git directory of the working tree whose top is `folder`.
fn find_git_dir(folder: &Path) -> Result<Option<PathBuf>, FileRefusal> {
    let dot_git = folder.join(".git");
    match read_text(&dot_git, MAX_POINTER, LinkRule::Follow) {
        Ok(None) => Ok(None),
        Ok(Some(text)) => {
            let target = text.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty());
            Ok(target.map(|target| folder.join(target)))
        }
        // `HEAD` makes it one; without, the search goes on above.
        Err(FileRefusal::Folder) => Ok(dot_git.join("HEAD").symlink_metadata().is_ok().then_some(dot_git)),
        Err(FileRefusal::NotUtf8) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// The folder that all worktrees of a repository share.
fn common_dir_of(own: &Path) -> PathBuf {
    match read_text(&own.join("commondir"), MAX_POINTER, LinkRule::Follow) {
        Ok(Some(text)) if !text.trim().is_empty() => own.join(text.trim()),
        _ => own.to_owned(),
    }
}

fn refusal_problem(root: &Path, path: &Path, refusal: &FileRefusal) -> FileProblem {
    FileProblem::new(root, path, format!("{refusal}; this repository's history is not read"))
}

/// Checks the files of one repository.
struct RepositoryChecker<'a> {
    /// The workspace: problems are named relative to it.
    root: &'a Path,
    folder: &'a Path,
}

impl RepositoryChecker<'_> {
    fn record_refusal(&self, path: &Path, refusal: &FileRefusal) -> FileProblem {
        let path = match (path.strip_prefix(self.folder), self.root.strip_prefix(self.folder)) {
            // Named as the person who gave the root names it.
            (Ok(below), Ok(inside)) if inside.as_os_str().is_empty() => self.root.join(below),
            _ => path.to_owned(),
        };
        refusal_problem(self.root, &path, refusal)
    }

    /// A file that is read as a whole. A folder of that name, and one that the system does not open, are errors that the git
    /// library finds itself.
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
        // A revision may name any file here (`FETCH_HEAD`).
        visit_entries(own, |path, kind, _| self.check_file_kind(path, kind))
    }

    /// An index that is too short makes the git library stop.
    fn check_index(&self, path: &Path) -> Result<(), FileProblem> {
        match path.metadata() {
            Ok(metadata) if metadata.is_file() && metadata.len() < LEAST_INDEX => {
                let message = "is damaged (it is cut short); git reset makes a new one".to_owned();
                Err(FileProblem::new(self.root, path, message))
            }
            _ => Ok(()),
        }
    }

    /// The files that a configuration includes. The git library passes over pipes and devices there, not over large files.
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

    /// All files below a folder: none is a pipe or a device, and none has more than `limit` bytes.
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

    /// The objects of a repository and of those that it borrows from.
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

    /// Refuses what never ends or waits. Opening a socket, such as that of git's file monitor, fails at once.
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

/// Passes on what is in a folder: the path, its kind after links, and whether it is a folder. One that cannot be listed is
/// empty: the git library cannot read it either.
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

/// The paths in the sections `include` and `includeIf` of a configuration, whatever their condition is.
fn included_paths(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().map(str::trim).filter_map(move |line| {
        let mut rest = line;
        if let Some(header) = line.strip_prefix('[') {
            let name = header.trim_start();
            inside = name.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("include"));
            // A value may be on the line of the header.
            rest = header.rsplit_once(']').map_or("", |(_, rest)| rest.trim());
        }
        let (key, value) = rest.split_once('=')?;
        (inside && key.trim().eq_ignore_ascii_case("path")).then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests;
