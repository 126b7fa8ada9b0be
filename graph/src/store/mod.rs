//! The SQLite databases: `graph.db` (rebuildable), `facts.db` (extraction by content), `memory.db` (what the user
//! taught). All SQL of the project is in this folder and in `migrations/`.

mod blame_db;
mod commits_db;
mod facts_db;
mod graph_db;
mod lock;
mod memory_db;
mod migrate;
mod verdicts_db;

pub use facts_db::{DEFAULT_CAP, FactsStore, decode as decode_facts, encode as encode_facts};
pub use graph_db::{FileStat, GraphMeta, GraphStore, Reading, StoredFile};
pub use lock::WriterLock;
pub use memory_db::{Feedback, FeedbackSum, MemoryStore};
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
    /// Sorts an error of SQLite by what a person can do about it.
    fn from_sql(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let (path, reason) = (path.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(Code::NotADatabase | Code::DatabaseCorrupt) => Self::Damaged { path, reason },
            Some(Code::ReadOnly) => Self::ReadOnly { path },
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy { path },
            Some(Code::DiskFull) => Self::Full { path },
            Some(Code::SystemIoFailure) => Self::Io { path, reason },
            // Rows that do not hold what was written into them.
            None if is_conversion(error) => Self::Damaged { path, reason },
            Some(Code::CannotOpen | Code::PermissionDenied) => Self::Open { path, reason },
            _ => Self::Sql { path, reason },
        }
    }
}

/// Whether a value that was read is not of the kind that is stored there.
fn is_conversion(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

/// Gives errors of SQLite the path of their database.
trait AtPath<T> {
    fn at(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> AtPath<T> for rusqlite::Result<T> {
    fn at(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::from_sql(path, &error))
    }
}

/// What [`check`] found in a database file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseCheck {
    /// Schema number.
    pub schema: u32,
    /// What is wrong; empty when nothing is.
    pub problems: Vec<String>,
}

/// The schema number of a database, without changing it.
pub fn schema(path: &Path) -> Result<u32, StoreError> {
    use rusqlite::OpenFlags;
    let connection =
        rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).at(path)?;
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).at(path)
}

/// Runs SQLite's own integrity check on a database, without changing it.
pub fn check(path: &Path) -> Result<DatabaseCheck, StoreError> {
    use rusqlite::OpenFlags;
    let connection =
        rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).at(path)?;
    let schema = connection.pragma_query_value(None, "user_version", |row| row.get(0)).at(path)?;
    let mut statement = connection.prepare("PRAGMA integrity_check(20)").at(path)?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).at(path)?;
    let mut problems = rows.collect::<rusqlite::Result<Vec<_>>>().at(path)?;
    problems.retain(|line| line != "ok");
    Ok(DatabaseCheck { schema, problems })
}

/// Renames a database that cannot be used, with its write-ahead log, so that nothing is lost and a new one can be
/// made; returns where it is now.
pub fn set_aside(path: &Path, seconds: u64) -> std::io::Result<PathBuf> {
    let suffixed = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
    let target = suffixed(&format!(".damaged-{seconds}"));
    std::fs::rename(path, &target)?;
    for side in ["-wal", "-shm"] {
        if suffixed(side).exists() {
            std::fs::rename(suffixed(side), format!("{}{side}", target.display()))?;
        }
    }
    Ok(target)
}
