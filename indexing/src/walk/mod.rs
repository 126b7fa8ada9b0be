//! The walk finds the files of a workspace to index, and the reasons for leaving out others.
//!
//! The input is a folder and [`WalkOptions`]. The output is a [`WalkResult`]: files to index,
//! skipped files with their reasons, and problems with the files that control the walk. A file
//! passes these rules:
//!
//! * `ignore_rules.rs`: git's ignore files, `.ignore` files and hidden names;
//! * `excludes.rs`: the patterns of the configuration;
//! * the candidate filter of the options, and the file's kind and size;
//! * `content_rules.rs`: binary and minified contents. The caller applies them after it has read a
//!   file ([`content_skip_reason`]).
//!
//! Files that attributes (`git_attributes.rs`) or a source map beside them show to be derived stay,
//! with a mark.
//!
//! `tree_walk.rs` visits the folders in parallel and never follows a symbolic link.
//! `missing_paths.rs` applies the same rules to a file that does not exist yet, and
//! `listed_files.rs` lists files of every kind.

mod content_rules;
mod excludes;
mod git_attributes;
mod ignore_rules;
mod listed_files;
mod missing_paths;
mod tree_walk;

pub use content_rules::content_skip_reason;
pub use excludes::{ExcludePatterns, check_exclude, fitting_excludes};

use crate::languages::{CLAIM_BYTES, LanguageRegistry};
use crate::named_file::{FileProblem, read_head};
use git_attributes::GitAttributes;
pub(crate) use ignore_rules::RuleFiles;
use ignore_rules::RuleReader;
use kenning_graph::derived::DerivedReason;
pub use listed_files::list_files;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;
use tree_walk::{TreeWalk, WalkEntry};

/// Default size limit in bytes: 2 MiB. Larger files are left out.
pub const DEFAULT_MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;

/// Number of bytes at the start of a file without an extension that are read to find its first
/// line. That line of a minified file has megabytes.
const MAX_LINE_BYTES: usize = 256;

/// Extensions of files beside which build tools write source maps.
const MAPPED_EXTENSIONS: &[&str] = &["js", "mjs", "cjs", "css"];

/// A filter that judges a file by its path and its first bytes.
pub type FirstBytesFilter<'a> = dyn Fn(&str, &[u8]) -> bool + Sync + 'a;

/// The choice of files for a walk.
pub struct WalkOptions<'a> {
    /// Size limit of a file in bytes; larger files are left out.
    pub max_file_bytes: u64,
    /// Returns whether a file at this workspace-relative path is wanted. Others are ignored
    /// silently.
    pub candidate: &'a (dyn Fn(&str) -> bool + Sync),
    /// Returns whether a file that is not a candidate is wanted because of its first bytes. Applies
    /// to the files that [`LanguageRegistry::may_be_claimed`] accepts. With `None`, no such file is
    /// wanted.
    pub first_bytes: Option<&'a FirstBytesFilter<'a>>,
    /// Glob patterns, in gitignore syntax and relative to the root, of files to leave out silently.
    pub exclude: Vec<String>,
}

impl<'a> WalkOptions<'a> {
    /// Returns options with the default limits and this candidate filter.
    pub fn new(candidate: &'a (dyn Fn(&str) -> bool + Sync)) -> Self {
        Self { max_file_bytes: DEFAULT_MAX_FILE_BYTES, candidate, first_bytes: None, exclude: Vec::new() }
    }

    /// Whether the first bytes of a file at this path have to be read.
    fn needs_first_bytes(&self, path: &str) -> bool {
        self.first_bytes.is_some() && LanguageRegistry::get().may_be_claimed(path)
    }
}

/// The result of a walk. All lists are sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkResult {
    /// Files to index, unless [`content_skip_reason`] rejects their contents.
    pub files: Vec<WalkedFile>,
    /// Candidates that are left out.
    pub skipped: Vec<SkippedFile>,
    /// Ignore files and attribute files with patterns that Kenning ignores, with the reasons.
    pub problems: Vec<FileProblem>,
    /// Number of files that are not candidates, by lowercase extension. Files without an extension
    /// are not counted.
    pub other_extensions: BTreeMap<String, usize>,
}

/// A file to index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// The path relative to the root, with `/` as the separator.
    pub path: String,
    /// The absolute path.
    pub absolute: PathBuf,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since the Unix epoch; 0 if the file system has none.
    pub mtime_ns: i64,
    /// Status-change time of the entry (`ctime`) in seconds since the Unix epoch; 0 if the system
    /// has none. Unlike the modification time, no program can set it.
    pub changed: u64,
    /// The reason why no one edits the file, if attributes or a source map beside it give one.
    pub derived: Option<DerivedReason>,
}

/// A candidate that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// The path relative to the root, with `/` as the separator, and with replacement characters
    /// for bytes that are not UTF-8.
    pub path: String,
    /// The reason.
    pub reason: SkipReason,
}

/// The reason why a file is left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The file is larger than the limit.
    TooLarge,
    /// The operating system refused to read the file; holds its message.
    Unreadable(String),
    /// The file contains NUL bytes.
    Binary,
    /// A minifier wrote the file.
    Minified,
    /// The file is a copy of third-party code in Go's `vendor` folder.
    Vendored,
    /// The path is not UTF-8, so it has no name in the index.
    NotUtf8Path,
    /// A symbolic link that leads to a folder or has the name of a wanted file. The walk finds its
    /// target at the target's own path if that is in the workspace.
    SymbolicLink,
    /// A pipe, a socket or a device with the name of a wanted file.
    NotAFile,
    /// The file is indexed but not parsed, because its nesting is too deep or its parser needs too
    /// many steps. Its words can be found, its symbols cannot.
    NotParsed,
}

impl SkipReason {
    /// Returns the stable name under which files are counted.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::TooLarge => "too_large",
            Self::Unreadable(_) => "unreadable",
            Self::Binary => "binary",
            Self::Minified => "minified",
            Self::Vendored => "vendored",
            Self::NotUtf8Path => "not_utf8_path",
            Self::SymbolicLink => "symbolic_link",
            Self::NotAFile => "not_a_file",
            Self::NotParsed => "not_parsed",
        }
    }
}

/// The reason why a workspace cannot be walked.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// Nothing exists at the path.
    #[error("the folder {0} does not exist: check the path of the workspace")]
    RootMissing(PathBuf),
    /// The path is a file.
    #[error("{0} is a file: pass the folder of the workspace")]
    RootIsFile(PathBuf),
    /// The folder cannot be read.
    #[error("cannot read the folder {path} ({message}): check its permissions")]
    RootUnreadable {
        /// The path of the folder.
        path: PathBuf,
        /// The operating system's reason.
        message: String,
    },
    /// A pattern of the `exclude` option is not valid.
    #[error("the exclude pattern {pattern:?} is not a glob ({message}): correct it in the configuration")]
    BadExclude {
        /// The pattern.
        pattern: String,
        /// The reason why it is not valid.
        message: String,
    },
}

/// Lists the files under `root` that `.gitignore`, `.ignore` and the user's global excludes do not
/// leave out.
///
/// Nested repositories and submodules are part of the workspace; hidden files are not. Symbolic
/// links are not followed: a target inside the root is found at its own path, and one outside is
/// not part of the workspace. `.gitignore` files count even without a repository.
///
/// # Errors
/// Returns an error if the root cannot be read, or if an exclude pattern is not valid.
pub fn walk_tree(root: &Path, options: &WalkOptions) -> Result<WalkResult, WalkError> {
    let root = check_root(root)?;
    run_walk(&root, options, &|_, _| true)
}

/// Does the same as [`walk_tree`] for these paths and, if a path is a folder, for everything below
/// it. The paths are relative to the root, with `/` as the separator. Reads only the folders that
/// lead to them.
///
/// # Errors
/// Returns the errors of [`walk_tree`].
pub fn walk_paths(
    root: &Path,
    options: &WalkOptions,
    paths: &BTreeSet<String>,
) -> Result<WalkResult, WalkError> {
    let root = check_root(root)?;
    let requested: BTreeSet<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
    let mut above: BTreeSet<PathBuf> = BTreeSet::new();
    for path in &requested {
        above.extend(
            path.ancestors().skip(1).take_while(|folder| folder.starts_with(&root)).map(Path::to_owned),
        );
    }
    run_walk(&root, options, &|path, _| {
        above.contains(path) || path.ancestors().any(|ancestor| requested.contains(ancestor))
    })
}

/// Returns the folders at and below `below` that [`walk_tree`] enters, sorted.
///
/// # Errors
/// Returns the errors of [`walk_tree`].
pub fn walked_folders(root: &Path, options: &WalkOptions, below: &Path) -> Result<Vec<PathBuf>, WalkError> {
    let root = check_root(root)?;
    let inside = |path: &Path| path.starts_with(below) || below.starts_with(path);
    let mut folders = list_folders(&root, options, &inside)?;
    folders.retain(|folder| folder.starts_with(below));
    Ok(folders)
}

/// Returns the folders that [`walk_tree`] enters if it enters only folders that `is_wanted`
/// accepts. Includes the root; sorted.
fn list_folders(
    root: &Path,
    options: &WalkOptions,
    is_wanted: &(dyn Fn(&Path) -> bool + Sync),
) -> Result<Vec<PathBuf>, WalkError> {
    let visited = Mutex::new(vec![root.to_owned()]);
    let is_wanted = |path: &Path, kind: FileType| kind.is_dir() && is_wanted(path);
    let visit = |entry: WalkEntry<'_>| {
        if let WalkEntry::Entry(entry, _) = entry {
            lock_mutex(&visited).push(entry.path());
        }
    };
    let (rules, excludes) = (RuleReader::new(root), ExcludePatterns::new(root, &options.exclude)?);
    TreeWalk { rules: &rules, excludes: &excludes, wanted: &is_wanted, visit: &visit }.walk_root(root);
    let mut folders = visited.into_inner().unwrap_or_else(PoisonError::into_inner);
    folders.sort_unstable();
    Ok(folders)
}

/// Calls `visit` with each folder that git's own search for untracked files enters, including
/// `root`, and with its rule files.
pub(crate) fn visit_like_git(root: &Path, visit: &(dyn Fn(&Path, RuleFiles) + Sync)) {
    let wanted = |path: &Path, kind: FileType| kind.is_dir() && !path.ends_with(".git");
    let visit = |entry: WalkEntry<'_>| {
        if let WalkEntry::Folder(folder, files) = entry {
            visit(folder, files);
        }
    };
    let (rules, excludes) = (RuleReader::for_git(root), ExcludePatterns::without_patterns());
    TreeWalk { rules: &rules, excludes: &excludes, wanted: &wanted, visit: &visit }.walk_root(root);
}

/// Whether [`walk_tree`] would find a file at this path, which is relative to the root with `/` as
/// the separator. If something exists at the path, the walk decides; otherwise the rules that would
/// apply to the file decide.
pub fn accepts_path(root: &Path, options: &WalkOptions, path: &str) -> bool {
    let Ok(root) = check_root(root) else { return false };
    if !(options.candidate)(path) && !options.needs_first_bytes(path) {
        return false;
    }
    if root.join(path).symlink_metadata().is_ok() {
        let found = walk_paths(&root, options, &BTreeSet::from([path.to_owned()]));
        // A file that is too large on disk may have been shortened in the editor.
        return found.is_ok_and(|walk| {
            walk.files.iter().any(|file| file.path == path)
                || walk.skipped.iter().any(|file| file.path == path && file.reason == SkipReason::TooLarge)
        });
    }
    missing_paths::accepts_missing_path(&root, options, path)
}

fn run_walk(
    root: &Path,
    options: &WalkOptions,
    wanted: &(dyn Fn(&Path, FileType) -> bool + Sync),
) -> Result<WalkResult, WalkError> {
    let result: Mutex<WalkResult> = Mutex::default();
    let visit = |entry: WalkEntry<'_>| {
        let mut local = WalkResult::default();
        visit_entry(root, options, entry, &mut local);
        if local == WalkResult::default() {
            return;
        }
        // The threads push to a shared vector, because rayon has no step that would merge a vector
        // per thread. The lock is held for one push per file.
        let mut all = lock_mutex(&result);
        all.files.append(&mut local.files);
        all.skipped.append(&mut local.skipped);
        for (extension, count) in local.other_extensions {
            *all.other_extensions.entry(extension).or_default() += count;
        }
    };
    let (rules, excludes) = (RuleReader::new(root), ExcludePatterns::new(root, &options.exclude)?);
    TreeWalk { rules: &rules, excludes: &excludes, wanted, visit: &visit }.walk_root(root);
    let mut walk = result.into_inner().unwrap_or_else(PoisonError::into_inner);
    walk.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let mut problems = rules.into_problems();
    if let Some(problem) = excludes.budget_problem() {
        problems.insert(FileProblem { path: "index.exclude".to_owned(), message: problem.to_owned() });
    }
    mark_derived_files(root, &mut walk, &mut problems);
    walk.problems = problems.into_iter().collect();
    walk.skipped.sort_unstable_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
    Ok(walk)
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the canonical path of `root`, or an error if it is not a readable folder.
pub(crate) fn check_root(root: &Path) -> Result<PathBuf, WalkError> {
    let unreadable = |error: std::io::Error| WalkError::RootUnreadable {
        path: root.to_owned(),
        message: error.to_string(),
    };
    match std::fs::metadata(root) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(WalkError::RootMissing(root.to_owned()));
        }
        Err(error) => return Err(unreadable(error)),
        Ok(metadata) if !metadata.is_dir() => return Err(WalkError::RootIsFile(root.to_owned())),
        Ok(_) => {}
    }
    std::fs::read_dir(root).map_err(unreadable)?;
    root.canonicalize().map_err(unreadable)
}

fn visit_entry(root: &Path, options: &WalkOptions, found: WalkEntry<'_>, out: &mut WalkResult) {
    let (entry, kind) = match found {
        WalkEntry::Folder(..) => return,
        WalkEntry::Entry(_, kind) if kind.is_dir() => return,
        WalkEntry::Entry(entry, kind) => (entry, kind),
        WalkEntry::Unreadable(path, error) => {
            let path = path.strip_prefix(root).unwrap_or(Path::new(""));
            let reason = SkipReason::Unreadable(error.kind().to_string());
            out.skipped.push(SkippedFile { path: with_slashes(&path.to_string_lossy()), reason });
            return;
        }
    };
    let absolute = entry.path();
    let Ok(relative) = absolute.strip_prefix(root) else { return };
    let path = with_slashes(&relative.to_string_lossy());
    if !kind.is_file() {
        let reason = if kind.is_symlink() { SkipReason::SymbolicLink } else { SkipReason::NotAFile };
        if (options.candidate)(&path) || (kind.is_symlink() && absolute.is_dir()) {
            out.skipped.push(SkippedFile { path, reason });
        }
        return;
    }
    let is_candidate = (options.candidate)(&path)
        || (options.needs_first_bytes(&path) && is_claimed(options, &path, &absolute));
    if !is_candidate {
        if let Some(extension) = relative.extension().and_then(|extension| extension.to_str()) {
            out.other_extensions.insert(extension.to_ascii_lowercase(), 1);
        }
        return;
    }
    let reason = if relative.to_str().is_none() {
        SkipReason::NotUtf8Path
    } else {
        match entry.metadata() {
            Ok(metadata) if metadata.len() > options.max_file_bytes => SkipReason::TooLarge,
            Ok(metadata) => {
                let (size, mtime_ns) = (metadata.len(), mtime_ns(&metadata));
                let changed = ctime_seconds(&metadata);
                out.files.push(WalkedFile { path, absolute, size, mtime_ns, changed, derived: None });
                return;
            }
            Err(error) => SkipReason::Unreadable(error.kind().to_string()),
        }
    };
    out.skipped.push(SkippedFile { path, reason });
}

/// Whether the first bytes of a file show that it is wanted. A file that cannot be read is not a
/// candidate, like any other file that nothing claims.
fn is_claimed(options: &WalkOptions, path: &str, absolute: &Path) -> bool {
    let Some(first_bytes) = options.first_bytes else { return false };
    let limit = if absolute.extension().is_none() { MAX_LINE_BYTES } else { CLAIM_BYTES };
    read_head(absolute, limit).is_some_and(|head| first_bytes(path, &head))
}

fn mtime_ns(metadata: &std::fs::Metadata) -> i64 {
    let since_epoch = |time: std::time::SystemTime| time.duration_since(UNIX_EPOCH).ok();
    let elapsed = metadata.modified().ok().and_then(since_epoch);
    elapsed.and_then(|elapsed| i64::try_from(elapsed.as_nanos()).ok()).unwrap_or(0)
}

#[cfg(unix)]
fn ctime_seconds(metadata: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    u64::try_from(metadata.ctime()).unwrap_or(0)
}

#[cfg(not(unix))]
fn ctime_seconds(_: &std::fs::Metadata) -> u64 {
    0
}

fn with_slashes(path: &str) -> String {
    if std::path::MAIN_SEPARATOR == '/' {
        path.to_owned()
    } else {
        path.replace(std::path::MAIN_SEPARATOR, "/")
    }
}

/// Moves the files of Go's `vendor` folders from `files` to `skipped`, and marks the files that
/// attributes or a source map beside them show to be derived.
fn mark_derived_files(root: &Path, walk: &mut WalkResult, problems: &mut BTreeSet<FileProblem>) {
    let mut attributes = GitAttributes::new(root);
    let mut vendor_folders: BTreeMap<String, bool> = BTreeMap::new();
    let (mut kept, skipped) = (Vec::with_capacity(walk.files.len()), &mut walk.skipped);
    for mut file in std::mem::take(&mut walk.files) {
        if is_in_go_vendor(root, &file.path, &mut vendor_folders) {
            skipped.push(SkippedFile { path: file.path, reason: SkipReason::Vendored });
            continue;
        }
        let built = || has_source_map(&file.absolute).then_some(DerivedReason::Built);
        file.derived = attributes.derived_reason(&file.path).or_else(built);
        kept.push(file);
    }
    walk.files = kept;
    problems.append(&mut attributes.into_problems());
}

/// Whether a source map is beside the file: `app.js.map` beside `app.js`.
fn has_source_map(file: &Path) -> bool {
    let is_mapped = |extension: &str| MAPPED_EXTENSIONS.contains(&extension);
    if !file.extension().and_then(|extension| extension.to_str()).is_some_and(is_mapped) {
        return false;
    }
    let mut map = file.as_os_str().to_owned();
    map.push(".map");
    Path::new(&map).is_file()
}

/// Whether the path is in a `vendor` folder that the Go tool wrote. Such a folder has a
/// `modules.txt`.
fn is_in_go_vendor(root: &Path, path: &str, known: &mut BTreeMap<String, bool>) -> bool {
    let mut from = 0;
    while let Some(at) = path[from..].find("vendor/") {
        let start = from + at;
        from = start + "vendor/".len();
        if start > 0 && path.as_bytes()[start - 1] != b'/' {
            continue;
        }
        let folder = &path[..from];
        let vendored = match known.get(folder) {
            Some(&vendored) => vendored,
            None => {
                let vendored = root.join(folder).join("modules.txt").is_file();
                known.insert(folder.to_owned(), vendored);
                vendored
            }
        };
        if vendored {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
