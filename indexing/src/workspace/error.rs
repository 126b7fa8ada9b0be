//! Why a workspace cannot be opened or indexed, in sentences for people.

use super::options::Places;
use kenning_graph::store::{StoreError, set_aside};
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
    /// A damaged database that the user named: it may be somebody else's file.
    #[error("{0}: move it away, or name another database with --db")]
    DamagedByName(StoreError),
    /// A damaged database in the cache folder was put aside.
    #[error("{error}: it was set aside as {aside}; run the command again to rebuild it from the sources")]
    SetAside {
        /// What is wrong with it.
        error: StoreError,
        /// Where it is now.
        aside: PathBuf,
    },
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
    matches!(error, StoreError::Damaged { .. })
}

/// Puts a damaged database of the cache folder aside. A database that the user named is left alone: it may not
/// be ours. Returns what to tell the user where the caller goes on.
pub(super) fn set_damaged_aside(
    error: StoreError,
    places: &Places,
    keep_going: bool,
) -> Result<String, WorkspaceError> {
    if places.named_by_user {
        return Err(WorkspaceError::DamagedByName(error));
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let Ok(aside) = set_aside(&places.graph, seconds) else {
        return Err(WorkspaceError::DamagedByName(error));
    };
    if keep_going {
        return Ok(format!("{error}: it was set aside as {} and rebuilt", aside.display()));
    }
    Err(WorkspaceError::SetAside { error, aside })
}
