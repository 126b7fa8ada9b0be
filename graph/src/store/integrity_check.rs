//! Checks a whole database without changing it, and finds every problem that could affect a
//! command.
//!
//! In: the path of a database and its kind. Out: its schema number, and its problems. First SQLite
//! checks the structure of the file; then the program and the schema that wrote the file are
//! checked; last, the rows are compared with their checksums. A later phase runs only if the phases
//! before it found no problem.

use super::facts_db::{self, FactsStore};
use super::graph_db::{self, GraphStore};
use super::memory_db::{self, MemoryStore};
use super::runs_db::{self, RunStore};
use super::vectors_db::{self, VectorStore};
use super::verdicts_db::VerdictStore;
use super::{StoreError, WithDatabasePath, migrate};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// The maximum number of lines that SQLite's own check reports. A badly damaged file has thousands.
const MAX_REPORTED_LINES: u32 = 20;

/// The kind of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseKind {
    /// `graph.db`.
    Graph,
    /// `facts.db`.
    Facts,
    /// `memory.db`.
    Memory,
    /// `runs.db`.
    Runs,
    /// `vectors.db`.
    Vectors,
}

impl DatabaseKind {
    /// Returns the newest schema number that this version knows.
    pub fn newest_schema(self) -> u32 {
        self.database_options().steps.len() as u32
    }

    /// Whether some version of Kenning may have written this schema number. Other numbers are
    /// damage.
    pub fn is_plausible_schema(self, schema: u32) -> bool {
        schema <= self.newest_schema() + migrate::MAX_SCHEMA_DISTANCE
    }

    fn database_options(self) -> migrate::DatabaseOptions {
        match self {
            Self::Graph => graph_db::OPTIONS,
            Self::Facts => facts_db::OPTIONS,
            Self::Memory => memory_db::OPTIONS,
            Self::Runs => runs_db::OPTIONS,
            Self::Vectors => vectors_db::OPTIONS,
        }
    }
}

/// The result of [`verify_database`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseCheck {
    /// The schema number.
    pub schema: u32,
    /// The problems that were found; empty if there are none.
    pub problems: Vec<String>,
}

/// Runs SQLite's own integrity check on a database and compares every row with its checksum.
/// Changes nothing.
///
/// # Errors
/// Returns an error if the file cannot be read at all, [`StoreError::Foreign`] if it is a valid
/// database that belongs to another program, and [`StoreError::Newer`] if a newer version wrote it.
pub fn verify_database(path: &Path, kind: DatabaseKind) -> Result<DatabaseCheck, StoreError> {
    // This writes nothing, but a read-only connection would leave its log file behind.
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .or_else(|_| Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY))
        .with_path(path)?;
    let schema: u32 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).with_path(path)?;
    let mut problems = Vec::new();
    let known = kind.newest_schema();
    let run_integrity_check = || -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MAX_REPORTED_LINES})"))?;
        statement.query_map([], |row| row.get(0))?.collect()
    };
    match run_integrity_check().with_path(path) {
        Ok(lines) => problems.extend(lines.into_iter().filter(|line| line != "ok")),
        Err(StoreError::Damaged { reason, .. }) => problems.push(reason),
        Err(error) => return Err(error),
    }
    // Ask the connection, because a session may have written the header only to its log.
    let application: i32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).with_path(path)?;
    if application != migrate::APPLICATION_ID && problems.is_empty() {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    if schema > known && problems.is_empty() {
        if kind.is_plausible_schema(schema) {
            return Err(StoreError::Newer { path: path.to_owned(), found: schema, known });
        }
        problems.push(format!("its schema number is {schema}"));
    }
    // An older database is migrated or rebuilt when it is used.
    if schema == known && problems.is_empty() {
        match check_rows(path, kind, connection) {
            Ok(()) => {}
            Err(StoreError::Damaged { reason, .. }) => problems.push(reason),
            Err(error) => return Err(error),
        }
    }
    Ok(DatabaseCheck { schema, problems })
}

fn check_rows(path: &Path, kind: DatabaseKind, connection: Connection) -> Result<(), StoreError> {
    match kind {
        DatabaseKind::Graph => {
            let store = GraphStore::from_connection(path, connection);
            store.check_rows()?;
            VerdictStore::from_connection(path, store.into_connection()).load_unread().map(drop)
        }
        DatabaseKind::Facts => {
            let store = FactsStore::from_connection(path, connection);
            store.check_facts()?;
            store.check_histories()
        }
        DatabaseKind::Memory => MemoryStore::from_connection(path, connection).check_rows(),
        DatabaseKind::Runs => RunStore::from_connection(path, connection).load_batches().map(drop),
        DatabaseKind::Vectors => VectorStore::from_connection(path, connection).check_blocks(),
    }
}
