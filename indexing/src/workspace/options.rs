//! The locations of a workspace's databases, and the limits of indexing.

use super::{WorkspaceError, memory_path_for_graph, runs_path_for_graph};
use kenning_graph::hash::HashBuilder;
use kenning_graph::store::{KenningFile, UseLock, WorkspaceRecord};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Options for opening a workspace.
#[derive(Clone, Debug)]
pub struct WorkspaceOptions {
    /// Path of `graph.db`. With `None`, it is in the cache folder, under a name derived from the
    /// canonical path of the workspace.
    pub db: Option<PathBuf>,
    /// The user's cache folder (`$XDG_CACHE_HOME`). Required if `db` is `None`.
    pub cache_home: Option<PathBuf>,
    /// Number of threads for reading and resolving; `None` for one per core.
    pub threads: Option<usize>,
    /// Size limit of an indexed file in bytes; larger files are left out.
    pub max_file_size: u64,
    /// Files to leave out, as patterns in gitignore syntax relative to the root.
    pub exclude: Vec<String>,
    /// Whether generated code, build output and marked copies are marked as derived, so that answers
    /// put them behind source.
    pub mark_derived: bool,
    /// Whether a server reads the repository's history when idle.
    pub history: bool,
    /// Maximum number of commits to read, newest first.
    pub history_commits: usize,
    /// Whether the graph shows the verdicts of language servers.
    pub verdicts: bool,
    /// Whether to open a workspace without source files and wait for the first one, as a server
    /// does. Otherwise a refresh fails with [`WorkspaceError::NoSource`].
    pub wait_for_files: bool,
}

impl Default for WorkspaceOptions {
    fn default() -> Self {
        Self {
            db: None,
            cache_home: default_cache_home(),
            threads: None,
            max_file_size: crate::walk::DEFAULT_MAX_FILE_BYTES,
            exclude: Vec::new(),
            mark_derived: true,
            history: true,
            history_commits: 5_000,
            verdicts: true,
            wait_for_files: false,
        }
    }
}

/// Returns the user's cache folder according to the XDG base directory specification:
/// `$XDG_CACHE_HOME` if it is an absolute path, else `$HOME/.cache`. Windows sets neither; there it
/// is `%LOCALAPPDATA%`. Returns `None` if no variable is an absolute path.
pub fn default_cache_home() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let xdg = absolute("XDG_CACHE_HOME");
    let home = || absolute("HOME").map(|home| home.join(".cache"));
    if cfg!(windows) {
        return xdg.or_else(|| absolute("LOCALAPPDATA")).or_else(home);
    }
    xdg.or_else(home)
}

/// The database files of one workspace.
#[derive(Clone, Debug)]
pub struct DatabasePaths {
    /// Path of `graph.db`.
    pub graph: PathBuf,
    /// Path of `facts.db`, which the worktrees of one repository share.
    pub facts: PathBuf,
    /// Whether the user named the database. An existing file there may belong to another program.
    pub named_by_user: bool,
}

impl DatabasePaths {
    /// Returns the database files of the workspace at `root`. Creates no file and opens no
    /// database.
    ///
    /// # Errors
    /// Returns an error if `root` is not a folder, if the options name neither a database nor a
    /// cache folder, or if the named database holds the index of another workspace.
    pub fn from_root(root: &Path, options: &WorkspaceOptions) -> Result<Self, WorkspaceError> {
        options.database_paths(&crate::walk::check_root(root)?)
    }

    /// Returns the path of the base image.
    pub fn image_path(&self) -> PathBuf {
        self.graph.with_extension("base")
    }

    /// Returns the path of `memory.db`.
    pub fn memory_path(&self) -> PathBuf {
        memory_path_for_graph(&self.graph)
    }

    /// Returns the path of `runs.db`.
    pub fn runs_path(&self) -> PathBuf {
        runs_path_for_graph(&self.graph)
    }

    /// Takes the locks that show that this process uses the databases of the workspace at `root`.
    pub(super) fn acquire_use_locks(&self, root: &Path) -> std::io::Result<Vec<UseLock>> {
        let facts = self.facts.parent().and_then(Path::file_name).filter(|_| !self.named_by_user);
        let record = WorkspaceRecord {
            root: root.to_string_lossy().into_owned(),
            id: short_hash(root),
            facts: facts.map(|name| name.to_string_lossy().into_owned()),
        };
        // The facts next to a database that the user named may belong to several databases.
        let databases = [Some(&self.graph), Some(&self.facts).filter(|_| !self.named_by_user)];
        databases.into_iter().flatten().map(|database| UseLock::acquire(database, &record)).collect()
    }

    /// Checks that no file next to a database that the user named would be overwritten unless it is
    /// Kenning's: `yarn.lock` next to `yarn.db` is a file of another program. A record of the
    /// workspace shows that Kenning has checked this before, so that damaged files are rebuilt; links
    /// are refused nevertheless.
    ///
    /// # Errors
    /// Returns an error with the first file that is not Kenning's.
    pub(super) fn check_companions(&self) -> Result<(), WorkspaceError> {
        if !self.named_by_user {
            return Ok(());
        }
        let Some(name) = self.graph.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
        let is_recorded = WorkspaceRecord::read_beside(&self.graph).is_some();
        let extensions = ["workspace", "lock", "base"].map(|extension| self.graph.with_extension(extension));
        let logs = ["-wal", "-shm", "-journal"].map(|end| self.graph.with_file_name(format!("{name}{end}")));
        for path in extensions.into_iter().chain(logs) {
            let Ok(metadata) = std::fs::symlink_metadata(&path) else { continue };
            let kind = path.file_name().and_then(|file| KenningFile::from_name(file.to_str()?, name));
            let is_known = is_recorded || kind.is_some_and(|kind| kind.is_at(&path));
            // A folder cannot be overwritten by a file: it is reported when that is tried.
            let is_recorded_folder = metadata.is_dir() && is_recorded;
            if !(metadata.is_file() && is_known || is_recorded_folder) {
                return Err(WorkspaceError::ForeignFile(path));
            }
        }
        Ok(())
    }

    /// Removes the permissions of other users from Kenning's folders and files in the cache. Logs a
    /// warning for each path that belongs to another user, whose permissions cannot be changed.
    pub(super) fn restrict_permissions(&self) {
        let mut paths = vec![self.image_path()];
        if !self.named_by_user {
            let folders = [&self.graph, &self.facts].into_iter().filter_map(|file| file.parent());
            paths.extend(folders.clone().map(Path::to_owned));
            paths.extend(folders.filter_map(Path::parent).take(1).map(Path::to_owned));
        }
        for path in paths {
            if let Err(error) = kenning_graph::private_files::tighten_permissions(&path) {
                tracing::warn!(path = %path.display(), "other users may be able to read the index: {error}");
            }
        }
    }
}

/// Returns an error if the database that the user named holds the index of a workspace other than
/// `root`.
fn check_recorded_workspace(database: &Path, root: &Path) -> Result<(), WorkspaceError> {
    if !database.exists() {
        return Ok(());
    }
    match WorkspaceRecord::read_beside(database) {
        Some(record) if record.id != short_hash(root) => Err(WorkspaceError::OtherWorkspace {
            database: database.to_owned(),
            indexed: record.root,
            root: root.to_owned(),
        }),
        _ => Ok(()),
    }
}

impl WorkspaceOptions {
    /// Returns Kenning's folder in the user's cache; `None` if the user has no cache folder.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.cache_home.as_ref().map(|home| home.join("kenning"))
    }

    /// Returns the database files for a canonical root. All worktrees of a git repository share one
    /// `facts.db`; if the user named the database, `facts.db` is in the same folder.
    pub(super) fn database_paths(&self, root: &Path) -> Result<DatabasePaths, WorkspaceError> {
        if let Some(graph) = &self.db {
            check_recorded_workspace(graph, root)?;
            let facts = graph.with_file_name("facts.db");
            return Ok(DatabasePaths { graph: graph.clone(), facts, named_by_user: true });
        }
        let home = self.cache_folder().ok_or(WorkspaceError::NoCacheHome)?;
        let shared = crate::git::common_git_dir(root).unwrap_or_else(|| root.to_owned());
        Ok(DatabasePaths {
            graph: home.join(folder_name(root)).join("graph.db"),
            facts: home.join(format!("facts-{}", short_hash(&shared))).join("facts.db"),
            named_by_user: false,
        })
    }
}

/// Returns `<name>-<hash>`: a readable folder name that is unique for each canonical path.
fn folder_name(root: &Path) -> String {
    let name = root.file_name().map_or_else(|| "root".into(), |name| name.to_string_lossy());
    let safe_name: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' })
        .take(40)
        .collect();
    format!("{safe_name}-{}", short_hash(root))
}

fn short_hash(path: &Path) -> String {
    let mut hasher = HashBuilder::new("path");
    hasher.add_bytes(path.as_os_str().as_encoded_bytes());
    hasher.finish().to_hex()[..16].to_owned()
}

/// Returns a number for a new database, so that the image of an older database at the same path is
/// not mistaken for its own.
pub(super) fn new_lineage() -> u64 {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_nanos());
    let mut hasher = HashBuilder::new("lineage");
    hasher.add_number(nanos as u64).add_number(u64::from(std::process::id()));
    hasher.finish().sort_prefix()
}
