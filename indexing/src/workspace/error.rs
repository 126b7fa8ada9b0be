//! Errors of opening and indexing a workspace, with messages for users, and the handling of damaged
//! graphs.

use super::options::DatabasePaths;
use kenning_graph::store::{StoreError, WriterLock, is_kenning_database, set_aside};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// The reason why a workspace cannot be opened or indexed. Each message is one sentence that tells
/// the user what to do.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The root is not a folder that can be walked.
    #[error(transparent)]
    Walk(#[from] crate::walk::WalkError),
    /// A database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no folder for the database: neither `HOME` nor `XDG_CACHE_HOME` is set.
    #[error(
        "no cache folder for the database (HOME and XDG_CACHE_HOME are not set): choose a location with --db"
    )]
    NoCacheHome,
    /// The database that the user chose holds the index of another workspace.
    #[error(
        "{database} holds the index of {indexed}, not of {root}: choose another file with --db or KENNING_DB, or none to use the cache directory; if you no longer need that index, delete the file"
    )]
    OtherWorkspace {
        /// The database.
        database: PathBuf,
        /// The workspace whose index it holds.
        indexed: String,
        /// The workspace to open.
        root: PathBuf,
    },
    /// A file next to the database that the user chose belongs to another program, or is a link.
    #[error(
        "{0} is not a file of Kenning, which would overwrite it: choose another database with --db or KENNING_DB, or move the file away"
    )]
    ForeignFile(PathBuf),
    /// A damaged database cannot be moved, or it may belong to another program, because the user
    /// chose its path.
    #[error("{0}: move it away, or choose another database with --db")]
    DamagedInPlace(StoreError),
    /// The databases were closed because the workspace is no longer served.
    #[error("the workspace was closed; try again when it is open")]
    Closed,
    /// The writer lock cannot be created.
    #[error(
        "cannot create the lock file next to {path} ({reason}): make the folder writable, or choose another database with --db"
    )]
    Lock {
        /// The database.
        path: PathBuf,
        /// The operating system's reason.
        reason: String,
    },
    /// The workspace has no source file to index.
    #[error(
        "no source file in a supported language under {0}: pass the folder that contains the code (files that git ignores are skipped)"
    )]
    NoSource(PathBuf),
    /// The base image cannot be written.
    #[error(
        "cannot write {path} ({reason}): make its folder writable, free some disk space, and run the command again"
    )]
    Image {
        /// The path of the image.
        path: PathBuf,
        /// The operating system's reason.
        reason: String,
    },
    /// The caller asked to stop.
    #[error("stopped; the files read so far are cached, and the next run continues from there")]
    Cancelled,
}

/// Whether the content of the database is unusable, as opposed to its path or its lock.
pub(super) fn is_damage(error: &StoreError) -> bool {
    error.is_damage()
}

/// The result of handling a damaged graph.
pub(super) enum DamageOutcome {
    /// The database was moved aside, so a new one can replace it. Holds the message to report.
    MovedAside(String),
    /// Another process writes the database and has to detect the damage itself; this process
    /// continues without it. Holds the message to report.
    WriterElsewhere(String),
}

/// Whether an error means that the graph database at these paths is damaged. The cache folder holds
/// only Kenning's databases, so a database there that looks like another program's is damaged.
pub(super) fn is_damaged_graph(error: &WorkspaceError, paths: &DatabasePaths) -> bool {
    let WorkspaceError::Store(error) = error else { return false };
    match error {
        StoreError::Damaged { path, .. } => *path == paths.graph,
        StoreError::Foreign { path } => *path == paths.graph && !paths.named_by_user,
        _ => false,
    }
}

/// Moves a damaged graph database aside, so that a new one can replace it. Only the holder of the
/// writer lock does this; `is_writer` shows whether the caller holds it. A file that the user named
/// is moved only if it has the header of a Kenning database.
///
/// # Errors
/// Returns [`WorkspaceError::DamagedInPlace`] if the file is left in place or cannot be moved,
/// `error` itself if it is not an error of the store, and [`WorkspaceError::Lock`] if the lock
/// cannot be created.
pub(super) fn set_graph_aside(
    error: WorkspaceError,
    paths: &DatabasePaths,
    is_writer: bool,
) -> Result<DamageOutcome, WorkspaceError> {
    let WorkspaceError::Store(error) = error else { return Err(error) };
    if paths.named_by_user && !is_kenning_database(&paths.graph) {
        return Err(WorkspaceError::DamagedInPlace(error));
    }
    let lock =
        if is_writer { None } else { WriterLock::try_acquire(&paths.graph).map_err(lock_error(paths))? };
    if !is_writer && lock.is_none() {
        return Ok(DamageOutcome::WriterElsewhere(format!(
            "{error}: another process uses it, so this one reads the files instead"
        )));
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    let Ok(aside) = set_aside(&paths.graph, seconds) else {
        return Err(WorkspaceError::DamagedInPlace(error));
    };
    Ok(DamageOutcome::MovedAside(format!("{error}: Kenning moved it to {} and rebuilds it", aside.display())))
}

/// Returns a function that describes why the lock of a database cannot be created.
pub(super) fn lock_error(paths: &DatabasePaths) -> impl Fn(std::io::Error) -> WorkspaceError {
    |error| WorkspaceError::Lock { path: paths.graph.clone(), reason: error.to_string() }
}
