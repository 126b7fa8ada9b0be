//! Where a workspace keeps its databases, and the limits of indexing.

use super::{WorkspaceError, memory_path_beside};
use kenning_graph::hash::HashBuilder;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// How a workspace is opened.
#[derive(Clone, Debug)]
pub struct WorkspaceOptions {
    /// Path of `graph.db`; `None`: in the cache folder, by the canonical path of the workspace.
    pub db: Option<PathBuf>,
    /// The user's cache folder (`$XDG_CACHE_HOME`); needed when `db` is `None`.
    pub cache_home: Option<PathBuf>,
    /// Threads for reading and resolving; `None`: one per core.
    pub threads: Option<usize>,
    /// Larger files are left out, in bytes.
    pub max_file_size: u64,
    /// Files to leave out: patterns of gitignore syntax, relative to the root.
    pub exclude: Vec<String>,
    /// Whether a server reads the history of the repository when the disk is quiet.
    pub history: bool,
    /// Commits of the history that are read, newest first.
    pub history_commits: usize,
    /// Whether the graph shows what language servers said.
    pub verdicts: bool,
    /// Wait for the first file where there is none (a server does) instead of failing with a sentence that says so.
    pub keep_going: bool,
}

impl Default for WorkspaceOptions {
    fn default() -> Self {
        Self {
            db: None,
            cache_home: default_cache_home(),
            threads: None,
            max_file_size: crate::walk::DEFAULT_MAX_FILE_BYTES,
            exclude: Vec::new(),
            history: true,
            history_commits: 5_000,
            verdicts: true,
            keep_going: false,
        }
    }
}

/// The user's cache folder by the XDG base directory specification: `$XDG_CACHE_HOME` when it is absolute, else
/// `$HOME/.cache`.
pub fn default_cache_home() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}

/// The files of one workspace.
#[derive(Clone, Debug)]
pub struct DatabasePaths {
    /// `graph.db`.
    pub graph: PathBuf,
    /// `facts.db`, which worktrees of one repository share.
    pub facts: PathBuf,
    /// The user named the database: what is there may be somebody else's.
    pub named_by_user: bool,
}

impl DatabasePaths {
    /// The files of the workspace at a root. Nothing is made or opened.
    ///
    /// # Errors
    /// When the root is not a folder, or there is neither a database that was named nor a cache folder.
    pub fn from_root(root: &Path, options: &WorkspaceOptions) -> Result<Self, WorkspaceError> {
        options.database_paths(&crate::walk::check_root(root)?)
    }

    /// The image of the graph.
    pub fn image_path(&self) -> PathBuf {
        self.graph.with_extension("base")
    }

    /// `memory.db`.
    pub fn memory_path(&self) -> PathBuf {
        memory_path_beside(&self.graph)
    }

    /// Takes from others what they may do with the folders of the cache and with the files of Kenning in it. Where somebody
    /// else owns them, they are theirs to protect.
    pub(super) fn restrict_permissions(&self) {
        let mut paths = vec![self.image_path()];
        if !self.named_by_user {
            let folders = [&self.graph, &self.facts].into_iter().filter_map(|file| file.parent());
            paths.extend(folders.clone().map(Path::to_owned));
            paths.extend(folders.filter_map(Path::parent).take(1).map(Path::to_owned));
        }
        for path in paths {
            if let Err(error) = kenning_graph::private_files::tighten_permissions(&path) {
                tracing::warn!(path = %path.display(), "others may read the index: {error}");
            }
        }
    }
}

impl WorkspaceOptions {
    /// The database files for a canonical root. `facts.db` is shared by all worktrees of a git repository; beside
    /// a database that the user named, it stands next to that.
    pub(super) fn database_paths(&self, root: &Path) -> Result<DatabasePaths, WorkspaceError> {
        if let Some(graph) = &self.db {
            let facts = graph.with_file_name("facts.db");
            return Ok(DatabasePaths { graph: graph.clone(), facts, named_by_user: true });
        }
        let home = self.cache_home.as_ref().ok_or(WorkspaceError::NoCacheHome)?.join("kenning");
        let shared = crate::git::common_git_dir(root).unwrap_or_else(|| root.to_owned());
        Ok(DatabasePaths {
            graph: home.join(folder_name(root)).join("graph.db"),
            facts: home.join(format!("facts-{}", short_hash(&shared))).join("facts.db"),
            named_by_user: false,
        })
    }
}

/// `<name>-<hash>`: readable, and one folder per canonical path.
fn folder_name(root: &Path) -> String {
    let name = root.file_name().map_or_else(|| "root".into(), |n| n.to_string_lossy());
    let plain: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' })
        .take(40)
        .collect();
    format!("{plain}-{}", short_hash(root))
}

fn short_hash(path: &Path) -> String {
    let mut hasher = HashBuilder::new("path");
    hasher.add_bytes(path.as_os_str().as_encoded_bytes());
    hasher.finish().to_hex()[..16].to_owned()
}

/// A number for a new database, so that an image of an older one at the same place is not taken for its own.
pub(super) fn new_lineage() -> u64 {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let mut hasher = HashBuilder::new("lineage");
    hasher.add_number(nanos as u64).add_number(u64::from(std::process::id()));
    hasher.finish().sort_prefix()
}
