//! The writer lock: one process writes a workspace's graph, the others read (design `architecture.md`, "Several
//! processes, one workspace").

use std::fs::{File, TryLockError};
use std::path::Path;

/// An advisory lock on a file beside the database, held until dropped, also freed by the system when the process
/// dies.
#[derive(Debug)]
pub struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Takes the lock beside `database`; `Ok(None)` when another process has it.
    pub fn take(database: &Path) -> std::io::Result<Option<Self>> {
        let path = database.with_extension("lock");
        let file = crate::private::open_or_create(&path)?;
        // The lock holds for whoever may write it, also where it is somebody else's.
        let _ = crate::private::tighten(&path);
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_holds_the_lock() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let database = dir.path().join("graph.db");
        let first = WriterLock::take(&database).expect("possible");
        assert!(first.is_some());
        assert!(WriterLock::take(&database).expect("possible").is_none());
        drop(first);
        assert!(WriterLock::take(&database).expect("possible").is_some());
    }
}
