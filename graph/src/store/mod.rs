//! The SQLite databases: `graph.db` (rebuildable), `facts.db` (extraction by content), `memory.db` (what the user
//! taught). All SQL of the project is in this folder and in `migrations/`.

mod blame_db;
mod commits_db;
mod facts_db;
mod graph_db;
mod integrity_check;
mod lock;
mod memory_db;
mod migrate;
mod row_checksums;
mod verdicts_db;

pub use facts_db::{DEFAULT_CAP, FactsStore, decode_facts, encode_facts};
pub use graph_db::{FileStat, GraphMeta, GraphStore, ReadTransaction, StoredFile};
pub use integrity_check::{DatabaseCheck, DatabaseKind, verify_database};
pub use lock::{CommitRecord, WriterLock};
pub use memory_db::{Feedback, FeedbackSum, MemoryLocation, MemoryStore, SalvageReport};
pub use verdicts_db::VerdictStore;

use std::path::{Path, PathBuf};

/// Why a database cannot be used. Each message is one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or file cannot be created or opened.
    #[error("cannot open the database {path}: {reason}; choose another place with --db")]
    Open {
        /// The database.
        path: PathBuf,
        /// The system's or SQLite's reason.
        reason: String,
    },
    /// The file is damaged or is no SQLite database.
    #[error("the database {path} is damaged or not a Kenning database ({reason})")]
    Damaged {
        /// The database.
        path: PathBuf,
        /// SQLite's reason.
        reason: String,
    },
    /// A database of another program.
    #[error("the database {path} belongs to another program and is left alone; name another with --db")]
    Foreign {
        /// The database.
        path: PathBuf,
    },
    /// Written by a newer Kenning.
    #[error(
        "the database {path} was written by a newer Kenning (schema {found}, this one knows {known}); update Kenning, or choose another database with --db"
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest schema this program knows.
        known: u32,
    },
    /// The database or its folder cannot be written.
    #[error("the database {path} is read-only; make it writable, or choose another place with --db")]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// Another process holds it for too long.
    #[error("the database {path} is held by another process; try again when it is done")]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("no space left for the database {path}; free some space and run the command again")]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// The disk under it fails.
    #[error(
        "the database {path} cannot be read or written ({reason}); free some space, check the disk, and run the command again"
    )]
    Io {
        /// The database.
        path: PathBuf,
        /// SQLite's reason.
        reason: String,
    },
    /// Anything else SQLite reports.
    #[error("the database {path} reports: {reason}; kenning doctor checks it, and --db chooses another")]
    Sql {
        /// The database.
        path: PathBuf,
        /// SQLite's reason.
        reason: String,
    },
}

impl StoreError {
    /// Whether the file itself is unusable, rather than its place or its lock.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }

    /// Sorts an error of SQLite by what a person can do about it.
    fn from_sql(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let (path, reason) = (path.to_owned(), error_reason(error));
        match error_code(error) {
            Some(Code::NotADatabase | Code::DatabaseCorrupt) => Self::Damaged { path, reason },
            // Every statement is the program's own and is right for what the program writes: where a table, a row or a
            // value is in its way, something else is in the file.
            Some(Code::Unknown | Code::ConstraintViolation | Code::TypeMismatch | Code::TooBig) => {
                Self::Damaged { path, reason }
            }
            Some(Code::SystemIoFailure) if is_short_read(error) => Self::Damaged { path, reason },
            Some(Code::FileLockingProtocolFailed) => Self::Busy { path },
            Some(Code::ReadOnly) => Self::ReadOnly { path },
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy { path },
            Some(Code::DiskFull) => Self::Full { path },
            Some(Code::SystemIoFailure) => Self::Io { path, reason },
            // Rows that do not hold what was written into them.
            None if is_conversion_error(error) => Self::Damaged { path, reason },
            Some(Code::CannotOpen | Code::PermissionDenied) => Self::Open { path, reason },
            _ => Self::Sql { path, reason },
        }
    }
}

/// SQLite's number for an error.
fn error_code(error: &rusqlite::Error) -> Option<rusqlite::ErrorCode> {
    match error {
        rusqlite::Error::SqlInputError { error, .. } => Some(error.code),
        error => error.sqlite_error_code(),
    }
}

/// SQLite's reason, or that of a checksum.
fn error_reason(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::FromSqlConversionFailure(.., reason)
            if reason.is::<row_checksums::ChecksumMismatch>() =>
        {
            reason.to_string()
        }
        error => error.to_string(),
    }
}

/// Whether the file ends before what is to be read (`SQLITE_IOERR_SHORT_READ`).
fn is_short_read(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|e| e.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ)
}

/// Whether a value that was read is not of the kind that is stored there, or a row is missing that must be there.
fn is_conversion_error(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::QueryReturnedNoRows
    )
}

/// Gives errors of SQLite the path of their database.
trait WithDatabasePath<T> {
    fn with_path(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> WithDatabasePath<T> for rusqlite::Result<T> {
    fn with_path(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::from_sql(path, &error))
    }
}

/// The schema number of a database, without changing it.
pub fn schema_version(path: &Path) -> Result<u32, StoreError> {
    use rusqlite::OpenFlags;
    let connection =
        rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).with_path(path)?;
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).with_path(path)
}

/// Whether the file at a path is seen to be a database of Kenning, damaged as it may be.
pub fn is_kenning_database(path: &Path) -> bool {
    migrate::is_kenning_database(path)
}

/// Renames a database that cannot be used, with its write-ahead log, so that nothing is lost and a new one can be
/// made; returns where it is now.
pub fn set_aside(path: &Path, seconds: u64) -> std::io::Result<PathBuf> {
    let suffixed = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
    // What was set aside before is never written over.
    let mut target = suffixed(&format!(".damaged-{seconds}"));
    let mut others = 1..1000;
    while target.exists() {
        let other = others.next().ok_or(std::io::ErrorKind::AlreadyExists)?;
        target = suffixed(&format!(".damaged-{seconds}-{other}"));
    }
    std::fs::rename(path, &target)?;
    for side in ["-wal", "-shm"] {
        if suffixed(side).exists() {
            std::fs::rename(suffixed(side), format!("{}{side}", target.display()))?;
        }
    }
    Ok(target)
}
