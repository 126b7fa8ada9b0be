//! Why a workspace cannot be opened or indexed, in sentences for people.

use super::options::DatabasePaths;
use kenning_graph::store::{StoreError, WriterLock, is_kenning_database, set_aside};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Why a workspace cannot be opened or indexed. Each message is one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The root is not a folder that can be walked.
    #[error(transparent)]
    Walk(#[from] crate::walk::WalkError),
    /// A database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No database folder can be named: neither `HOME` nor `XDG_CACHE_HOME` is set.
    #[error(
        "there is no cache folder for the database (HOME and XDG_CACHE_HOME are not set): name one with --db"
    )]
    NoCacheHome,
    /// A damaged database that cannot be moved, or that the user named and that may be somebody else's file.
    #[error("{0}: move it away, or name another database with --db")]
    DamagedByName(StoreError),
    /// The databases were closed: the workspace is no longer served.
    #[error("the workspace was closed meanwhile; ask again when it is open")]
    Closed,
    /// The writer lock cannot be made.
    #[error(
        "cannot make the lock file beside {path} ({reason}): make its folder writable, or name another with --db"
    )]
    Lock {
        /// The database.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// Nothing to index.
    #[error(
        "there is no source file in a known language under {0}: give the folder that holds the code (files that git ignores are left out)"
    )]
    NoSource(PathBuf),
    /// The image of the graph cannot be written.
    #[error(
        "cannot write {path} ({reason}): make its folder writable and free some space, then run the command again"
    )]
    Image {
        /// The image.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The caller asked to stop.
    #[error("stopped; what was read so far is kept, and the next run goes on from there")]
    Cancelled,
}

/// Whether the database itself is unusable, rather than its place or its lock.
pub(super) fn is_damage(error: &StoreError) -> bool {
    error.is_damage()
}

/// What becomes of a damaged graph.
pub(super) enum DamageOutcome {
    /// It was set aside: a new one can be made in its place. What to tell.
    Aside(String),
    /// Another process writes it, and is to find the damage itself: this one goes on without it. What to tell.
    Held(String),
}

/// Whether an error means that the graph of these places is damaged. In the cache there are no databases of other programs:
/// one that seems to be is damaged.
pub(super) fn is_damaged_graph(error: &WorkspaceError, places: &DatabasePaths) -> bool {
    let WorkspaceError::Store(error) = error else { return false };
    match error {
        StoreError::Damaged { path, .. } => *path == places.graph,
        StoreError::Foreign { path } => *path == places.graph && !places.named_by_user,
        _ => false,
    }
}

/// Sets a damaged graph aside, so that a new one can be made; only who holds the writer lock does, which `is_writer` says that
/// the caller does. A file that the user named and that is not seen to be a database of Kenning is left alone.
///
/// # Errors
/// When it is left alone, or cannot be moved.
pub(super) fn set_graph_aside(
    error: WorkspaceError,
    places: &DatabasePaths,
    is_writer: bool,
) -> Result<DamageOutcome, WorkspaceError> {
    let WorkspaceError::Store(error) = error else { return Err(error) };
    if places.named_by_user && !is_kenning_database(&places.graph) {
        return Err(WorkspaceError::DamagedByName(error));
    }
    let lock =
        if is_writer { None } else { WriterLock::try_acquire(&places.graph).map_err(lock_error(places))? };
    if !is_writer && lock.is_none() {
        return Ok(DamageOutcome::Held(format!(
            "{error}: another process keeps it, so this one reads the files without it"
        )));
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let Ok(aside) = set_aside(&places.graph, seconds) else {
        return Err(WorkspaceError::DamagedByName(error));
    };
    Ok(DamageOutcome::Aside(format!("{error}: it was set aside as {} and is made anew", aside.display())))
}

/// The error of a lock that cannot be made.
pub(super) fn lock_error(places: &DatabasePaths) -> impl Fn(std::io::Error) -> WorkspaceError {
    |error| WorkspaceError::Lock { path: places.graph.clone(), reason: error.to_string() }
}
