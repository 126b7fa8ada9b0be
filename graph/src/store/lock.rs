//! The writer lock. One process writes a workspace's graph; all others only read it.
//!
//! In: the path of a database. Out: a lock that the process holds until it drops it or dies.
//!
//! The lock file also records the number of the last commit. A database with a lower number has
//! lost commits, which happens when SQLite silently discards a damaged write-ahead log. Invariant:
//! the database has a commit before the lock file records it.

use super::GraphMeta;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

/// The maximum length of the record in bytes: two numbers on one line.
const MAX_RECORD_BYTES: u64 = 64;

/// An advisory lock on a file next to the database. It is held until dropped; the operating system
/// releases it when the process dies.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
}

/// The last commit of the writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitRecord {
    lineage: u64,
    revision: u64,
}

impl CommitRecord {
    /// Reads the record from the lock file next to `database`. Returns `None` if the file is
    /// missing or unreadable. Call this before reading the database: the writer commits before it
    /// updates the record, so a commit made in between cannot look like a loss.
    pub fn read_for_database(database: &Path) -> Option<Self> {
        let path = database.with_extension("lock");
        let mut text = String::new();
        if !std::fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        File::open(path).ok()?.take(MAX_RECORD_BYTES).read_to_string(&mut text).ok()?;
        let (lineage, revision) = text.trim().split_once(' ')?;
        Some(Self { lineage: lineage.parse().ok()?, revision: revision.parse().ok()? })
    }

    /// Whether a database lacks commits that were recorded, because it has an earlier state or was
    /// deleted.
    pub fn is_lost(&self, meta: &GraphMeta) -> bool {
        if self.lineage == meta.lineage {
            meta.revision < self.revision
        } else {
            meta.revision == 0 && self.revision > 0
        }
    }
}

/// Whether a text is that of a lock file: empty, or the record of a commit.
pub(super) fn is_commit_record(text: &str) -> bool {
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    text.is_empty() || text.trim_end().split_once(' ').is_some_and(|(a, b)| is_number(a) && is_number(b))
}

impl WriterLock {
    /// Records the last commit. Failures are ignored: the record is only a hint.
    pub fn record_commit(&self, meta: &GraphMeta) {
        let mut file = &self.file;
        let line = format!("{} {}\n", meta.lineage, meta.revision);
        let result = file.rewind().and_then(|()| file.write_all(line.as_bytes()));
        let _ = result.and_then(|()| file.set_len(line.len() as u64));
    }

    /// Takes the lock next to `database`; returns `Ok(None)` if another process holds it.
    ///
    /// # Errors
    /// Fails if the lock file cannot be created or locked.
    pub fn try_acquire(database: &Path) -> std::io::Result<Option<Self>> {
        let path = database.with_extension("lock");
        let file = crate::private_files::open_or_create(&path)?;
        // Any process that may write the file can hold the lock, even if another user owns the
        // file.
        let _ = crate::private_files::tighten_permissions(&path);
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Whether another process holds the lock next to `database`. Creates nothing.
pub(super) fn is_writer_active(database: &Path) -> bool {
    match crate::private_files::open_existing(&database.with_extension("lock")) {
        Ok(file) => file.try_lock().is_err(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_holder_has_the_lock() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let database = dir.path().join("graph.db");
        let first = WriterLock::try_acquire(&database).expect("the lock file opens");
        assert!(first.is_some());
        assert!(WriterLock::try_acquire(&database).expect("the lock file opens").is_none());
        drop(first);
        assert!(WriterLock::try_acquire(&database).expect("the lock file opens").is_some());
    }

    #[test]
    fn the_record_shows_whether_a_database_lost_commits() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let database = dir.path().join("graph.db");
        let meta = |lineage, revision| GraphMeta { lineage, revision, ..GraphMeta::default() };
        let lock =
            WriterLock::try_acquire(&database).expect("the lock file opens").expect("the lock is free");
        assert_eq!(CommitRecord::read_for_database(&database), None);
        lock.record_commit(&meta(u64::MAX, 12));
        lock.record_commit(&meta(7, 9));
        let record = CommitRecord::read_for_database(&database).expect("the record is read");
        let lost = |lineage, revision| record.is_lost(&meta(lineage, revision));
        assert!(lost(7, 8) && lost(7, 0) && lost(8, 0));
        assert!(!lost(7, 9) && !lost(7, 10) && !lost(8, 1));
        drop(lock);
        std::fs::write(database.with_extension("lock"), [0xff; 9000]).expect("the damage is written");
        assert_eq!(CommitRecord::read_for_database(&database), None);
    }
}
