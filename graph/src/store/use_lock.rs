//! The lock that shows that a process uses the data of a workspace, and the record that names the
//! workspace. Both are in one file next to a database, `<database>.workspace`.
//!
//! Every process that opens a database holds a shared lock on the file until it closes the database
//! ([`UseLock`]). A process that removes the database takes the lock exclusively ([`RemovalLock`]).
//! A process that opens the database meanwhile waits, then finds that the file at the path has been
//! removed or replaced, and starts again with a new file. Therefore no process removes data in use,
//! and no process continues with a removed file.
//!
//! Earlier versions of Kenning hold only the writer lock, so a [`RemovalLock`] includes it.

use super::lock::{WriterLock, is_writer_active};
use crate::private_files;
use same_file::Handle;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The longest time to wait for a process that removes the data.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The pause between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);
/// The maximum size of a record in bytes. The longest part is a path; `PATH_MAX` on Linux is 4,096.
const MAX_RECORD_BYTES: u64 = 1 << 16;

/// The record of the workspace whose data a database holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceRecord {
    /// The canonical path of the workspace. Characters that are not Unicode are replaced.
    pub root: String,
    /// The hash of the path's bytes, by which equal paths are recognized.
    pub id: String,
    /// The cache folder that has the facts of the workspace's files; `None` if the user chose the
    /// location of the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<String>,
}

impl WorkspaceRecord {
    /// Reads the record next to `database`. Returns `None` if there is no valid record.
    pub fn read_beside(database: &Path) -> Option<Self> {
        let path = lock_file_path(database);
        if !std::fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut text = String::new();
        File::open(path).ok()?.take(MAX_RECORD_BYTES).read_to_string(&mut text).ok()?;
        toml::from_str(&text).ok()
    }

    /// Whether the database is in Kenning's cache folder, where all databases are Kenning's, rather
    /// than at a path that the user chose.
    pub fn is_in_cache(&self) -> bool {
        self.facts.is_some()
    }

    /// Returns the path of the workspace; `None` if it cannot be represented in a record.
    pub fn root_path(&self) -> Option<PathBuf> {
        (!self.root.contains(char::REPLACEMENT_CHARACTER)).then(|| PathBuf::from(&self.root))
    }
}

/// A shared lock on the data next to a database. It is held until dropped; the operating system
/// releases it when the process dies.
#[derive(Debug)]
pub struct UseLock {
    _file: File,
}

impl UseLock {
    /// Takes the lock next to `database`, and creates the folder and the file if they are missing.
    /// The first process writes the record. Waits while another process removes the data.
    ///
    /// # Errors
    /// Fails if the file cannot be created or locked.
    pub fn acquire(database: &Path, record: &WorkspaceRecord) -> io::Result<Self> {
        let text = toml::to_string(record).map_err(io::Error::other)?;
        let deadline = Instant::now() + LONGEST_WAIT;
        loop {
            if let Some(lock) = Self::try_acquire(&lock_file_path(database), &text)? {
                return Ok(lock);
            }
            if Instant::now() > deadline {
                return Err(io::Error::new(ErrorKind::TimedOut, "another process is removing the data"));
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
    }

    /// Takes the lock. Returns `None` if another process writes the record or removes the data.
    fn try_acquire(path: &Path, record: &str) -> io::Result<Option<Self>> {
        if let Some(folder) = path.parent() {
            private_files::create_folder(folder)?;
        }
        let mut file = match private_files::open_or_create_readable(path) {
            // The folder has just been removed.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let _ = private_files::tighten_permissions(path);
        // Only a process with the exclusive lock changes the file.
        if is_lock_taken(file.try_lock())? {
            write_record(&mut file, record)?;
            file.unlock()?;
        }
        if !is_lock_taken(file.try_lock_shared())? || !is_at_path(&file, path)? {
            return Ok(None);
        }
        // Record the time of the last use. If this fails, the time of the last change counts.
        let _ = file.set_modified(SystemTime::now());
        Ok(Some(Self { _file: file }))
    }
}

/// An exclusive lock on the data next to a database, for removing it. It is held until dropped.
#[derive(Debug)]
pub struct RemovalLock {
    _file: File,
    _writer: WriterLock,
}

impl RemovalLock {
    /// Takes the lock next to `database`; returns `Ok(None)` if another process uses the data or is
    /// removing it.
    ///
    /// # Errors
    /// Fails if a lock file cannot be created or locked, or is a link.
    pub fn try_acquire(database: &Path) -> io::Result<Option<Self>> {
        let path = lock_file_path(database);
        for lock in [&path, &database.with_extension("lock")] {
            if let Ok(metadata) = std::fs::symlink_metadata(lock)
                && !metadata.is_file()
            {
                let kind = if metadata.is_symlink() { "a link" } else { "not a file" };
                return Err(io::Error::other(format!("{} is {kind}", lock.display())));
            }
        }
        let file = private_files::open_or_create_readable(&path)?;
        if !is_lock_taken(file.try_lock())? || !is_at_path(&file, &path)? {
            return Ok(None);
        }
        let writer = WriterLock::try_acquire(database)?;
        Ok(writer.map(|writer| Self { _file: file, _writer: writer }))
    }
}

/// Whether another process uses the data next to `database`. Creates nothing.
pub fn is_in_use(database: &Path) -> bool {
    match private_files::open_existing(&lock_file_path(database)) {
        // A program of this version waits for this lock before it takes the writer lock.
        Ok(file) => file.try_lock().is_err() || is_writer_active(database),
        Err(error) => error.kind() != ErrorKind::NotFound || is_writer_active(database),
    }
}

/// Whether a text is that of a file with the lock: empty, or a record.
pub(super) fn is_record_text(text: &str) -> bool {
    text.is_empty() || toml::from_str::<WorkspaceRecord>(text).is_ok()
}

/// Returns the path of the file with the lock and the record.
fn lock_file_path(database: &Path) -> PathBuf {
    database.with_extension("workspace")
}

/// Whether the lock was taken; `false` if another process holds it.
fn is_lock_taken(result: Result<(), TryLockError>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether the open file is still the one at `path`.
fn is_at_path(file: &File, path: &Path) -> io::Result<bool> {
    match Handle::from_path(path) {
        Ok(current) => Ok(current == Handle::from_file(file.try_clone()?)?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes the record unless the file has it already.
fn write_record(file: &mut File, record: &str) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.take(MAX_RECORD_BYTES).read_to_end(&mut bytes)?;
    if bytes != record.as_bytes() {
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(record.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(root: &str) -> WorkspaceRecord {
        WorkspaceRecord { root: root.into(), id: root.len().to_string(), facts: Some("facts-1".into()) }
    }

    #[test]
    fn data_in_use_cannot_be_removed_and_several_processes_may_use_it() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let database = dir.path().join("a/graph.db");
        assert!(!is_in_use(&database));
        let first = UseLock::acquire(&database, &record("/w")).expect("the lock is free");
        let second = UseLock::acquire(&database, &record("/other")).expect("the lock is shared");
        assert_eq!(WorkspaceRecord::read_beside(&database), Some(record("/w")), "the first one writes");
        drop(first);
        assert!(is_in_use(&database));
        assert!(RemovalLock::try_acquire(&database).expect("readable").is_none());
        drop(second);
        assert!(!is_in_use(&database));
        assert!(RemovalLock::try_acquire(&database).expect("readable").is_some());
        drop(UseLock::acquire(&database, &record("/other")).expect("the lock is free"));
        assert_eq!(WorkspaceRecord::read_beside(&database), Some(record("/other")));
    }

    #[test]
    fn a_writer_of_an_earlier_version_also_uses_the_data() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let database = dir.path().join("graph.db");
        let writer = WriterLock::try_acquire(&database).expect("the lock file opens");
        assert!(is_in_use(&database));
        assert!(RemovalLock::try_acquire(&database).expect("readable").is_none());
        drop(writer);
        assert!(RemovalLock::try_acquire(&database).expect("readable").is_some());
    }

    #[test]
    fn a_process_that_opens_removed_data_starts_with_a_new_file() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let database = dir.path().join("a/graph.db");
        drop(UseLock::acquire(&database, &record("/w")).expect("the lock is free"));
        let removal = RemovalLock::try_acquire(&database).expect("readable").expect("the lock is free");
        let opened = std::thread::spawn({
            let database = database.clone();
            move || UseLock::acquire(&database, &record("/w"))
        });
        std::thread::sleep(RETRY_INTERVAL * 3);
        assert!(!opened.is_finished(), "the other thread waits");
        std::fs::remove_dir_all(dir.path().join("a")).expect("removed");
        std::thread::sleep(RETRY_INTERVAL * 3);
        drop(removal);
        let lock = opened.join().expect("no panic").expect("the lock is free");
        assert!(is_in_use(&database));
        drop(lock);
    }

    #[test]
    fn paths_that_are_not_unicode_are_only_compared_by_their_hash() {
        let odd = WorkspaceRecord { root: "/w\u{fffd}".into(), ..record("/w") };
        assert_eq!(odd.root_path(), None);
        assert_eq!(record("/w\n\"x").root_path(), Some(PathBuf::from("/w\n\"x")));
        let text = toml::to_string(&record("/w\n\"x")).expect("serialized");
        assert_eq!(toml::from_str::<WorkspaceRecord>(&text).expect("parsed"), record("/w\n\"x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_locked_for_removal() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let database = dir.path().join("graph.db");
        std::os::unix::fs::symlink(dir.path().join("target"), lock_file_path(&database)).expect("linked");
        assert!(RemovalLock::try_acquire(&database).is_err());
        assert!(!dir.path().join("target").exists());
    }
}
