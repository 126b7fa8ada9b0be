//! The SQLite databases. All SQL of the project is in this folder and in `migrations/`.
//!
//! * `graph.db` has files, symbols and edges of the files on disk, and the verdicts of language
//!   servers. It can be rebuilt from the files.
//! * `facts.db` caches extraction results by content hash, and commits and blame. It can be rebuilt
//!   from the files and from git.
//! * `memory.db` has the user's feedback and the records of how packs were used. It cannot be
//!   rebuilt, so each entry is on disk before it is acknowledged.
//! * `runs.db` has recorded test runs and traces. Importing them again restores it.
//! * `vectors.db` has the vectors of symbols. It can be rebuilt from the files and the model.
//!
//! `coverage_db` reads the databases that coverage.py writes.
//!
//! `migrate` opens a database and applies the missing steps of its schema. Checksums cover all data
//! that Kenning reads back, and `graph.db` and `memory.db` have a digest per table
//! (`row_checksums`). A mismatch is reported as [`StoreError::Damaged`]; no answer comes from
//! damaged rows. One process holds the [`WriterLock`] of a workspace and writes its graph; all
//! others only read it. Every process that has the data of a workspace open holds a [`UseLock`], so
//! that no process removes data in use. `kenning_files` recognizes the files that may be removed or
//! overwritten.

mod blame_db;
mod commits_db;
mod coverage_db;
mod database_header;
mod facts_db;
mod graph_db;
mod integrity_check;
mod kenning_files;
mod lock;
mod memory_db;
mod migrate;
mod row_checksums;
mod runs_db;
mod use_lock;
mod vectors_db;
mod verdicts_db;

pub use blame_db::BlameKey;
pub use commits_db::HistoryKey;
pub use coverage_db::CoverageDatabase;
pub use database_header::{DatabaseHeader, is_kenning_database};
pub use facts_db::{DEFAULT_MAX_FACTS_BYTES, FactsStore, decode_facts, encode_facts};
pub use graph_db::{FileStat, GraphMeta, GraphStore, ReadTransaction, StoredFile};
pub use integrity_check::{DatabaseCheck, DatabaseKind, verify_database};
pub(crate) use kenning_files::UNFINISHED_PREFIX;
pub use kenning_files::{KenningFile, is_unused_database};
pub use lock::{CommitRecord, WriterLock};
pub use memory_db::{
    Feedback, FeedbackSum, ForgottenRows, MemoryLocation, MemoryStore, RememberedSymbol, RootedSymbol,
    SalvageReport, SymbolUse, TaskEvent, UseEvent, WordAssociation,
};
pub use runs_db::RunStore;
pub use use_lock::{RemovalLock, UseLock, WorkspaceRecord, is_in_use};
pub use vectors_db::{VectorBlocks, VectorStore};
pub use verdicts_db::VerdictStore;

use std::path::{Path, PathBuf};

/// The reason why a database cannot be used. Each message is one sentence; all except that of
/// [`StoreError::Damaged`] say what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or file cannot be created or opened.
    #[error("cannot open the database {path}: {reason}; choose another location with --db")]
    Open {
        /// The database.
        path: PathBuf,
        /// The reason given by the operating system or by SQLite.
        reason: String,
    },
    /// The file is damaged or is not a SQLite database.
    #[error("the database {path} is damaged or not a Kenning database ({reason})")]
    Damaged {
        /// The database.
        path: PathBuf,
        /// SQLite's reason.
        reason: String,
    },
    /// The database belongs to another program.
    #[error("the database {path} belongs to another program and was not changed; choose another with --db")]
    Foreign {
        /// The database.
        path: PathBuf,
    },
    /// A newer version of Kenning wrote the database.
    #[error(
        "the database {path} was written by a newer version of Kenning (schema {found}, this one supports {known}); update Kenning, or choose another database with --db"
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// The schema number of the database.
        found: u32,
        /// The newest schema that this program knows.
        known: u32,
    },
    /// The database or its folder cannot be written.
    #[error("the database {path} is read-only; make it writable, or choose another location with --db")]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// Another process has held the database for too long.
    #[error("the database {path} is locked by another process; try again when that process has finished")]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("no space left for the database {path}; free some disk space and run the command again")]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// The disk below the database fails.
    #[error(
        "the database {path} cannot be read or written ({reason}); free some disk space, check the disk, and run the command again"
    )]
    Io {
        /// The database.
        path: PathBuf,
        /// SQLite's reason.
        reason: String,
    },
    /// Any other error that SQLite reports.
    #[error(
        "error in the database {path}: {reason}; check it with kenning doctor, or choose another with --db"
    )]
    Sql {
        /// The database.
        path: PathBuf,
        /// SQLite's reason.
        reason: String,
    },
}

impl StoreError {
    /// Whether the file itself is unusable, rather than its location or its lock.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }

    /// Classifies an error of SQLite by its remedy.
    fn from_sql(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let (path, reason) = (path.to_owned(), error_reason(error));
        match error_code(error) {
            Some(Code::NotADatabase | Code::DatabaseCorrupt) => Self::Damaged { path, reason },
            // All statements are part of the program and match the data that it writes. If a table,
            // a row or a value conflicts with a statement, the file contains other data.
            Some(Code::Unknown | Code::ConstraintViolation | Code::TypeMismatch | Code::TooBig) => {
                Self::Damaged { path, reason }
            }
            Some(Code::SystemIoFailure) if is_short_read(error) => Self::Damaged { path, reason },
            Some(Code::FileLockingProtocolFailed) => Self::Busy { path },
            Some(Code::ReadOnly) => Self::ReadOnly { path },
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy { path },
            Some(Code::DiskFull) => Self::Full { path },
            Some(Code::SystemIoFailure) => Self::Io { path, reason },
            // A row has a value that Kenning never writes.
            None if is_conversion_error(error) => Self::Damaged { path, reason },
            Some(Code::CannotOpen | Code::PermissionDenied) => Self::Open { path, reason },
            _ => Self::Sql { path, reason },
        }
    }
}

/// Returns SQLite's code of an error.
fn error_code(error: &rusqlite::Error) -> Option<rusqlite::ErrorCode> {
    match error {
        rusqlite::Error::SqlInputError { error, .. } => Some(error.code),
        error => error.sqlite_error_code(),
    }
}

/// Returns SQLite's description of an error, or that of a checksum mismatch.
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

/// Whether the file is shorter than the range to read (`SQLITE_IOERR_SHORT_READ`).
fn is_short_read(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|code| code.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ)
}

/// Whether a value has an unexpected type, or a required row is missing.
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

/// Adds the path of the database to errors of SQLite.
trait WithDatabasePath<T> {
    fn with_path(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> WithDatabasePath<T> for rusqlite::Result<T> {
    fn with_path(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::from_sql(path, &error))
    }
}

/// Returns the schema number of a database, without changing it.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn schema_version(path: &Path) -> Result<u32, StoreError> {
    use rusqlite::OpenFlags;
    let connection =
        rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).with_path(path)?;
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).with_path(path)
}

/// Renames an unusable database and its write-ahead log, so that nothing is lost and a new database
/// can be created. Returns the new path. `seconds` is the time for the new name, in seconds since
/// the Unix epoch.
///
/// # Errors
/// Fails if a file cannot be renamed.
pub fn set_aside(path: &Path, seconds: u64) -> std::io::Result<PathBuf> {
    let suffixed = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
    // Never overwrite a file that was set aside earlier.
    let mut target = suffixed(&format!(".damaged-{seconds}"));
    let mut suffixes = 1..1000;
    while target.exists() {
        let number = suffixes.next().ok_or(std::io::ErrorKind::AlreadyExists)?;
        target = suffixed(&format!(".damaged-{seconds}-{number}"));
    }
    std::fs::rename(path, &target)?;
    for suffix in ["-wal", "-shm"] {
        if suffixed(suffix).exists() {
            std::fs::rename(suffixed(suffix), format!("{}{suffix}", target.display()))?;
        }
    }
    Ok(target)
}
