//! Reads the data files of coverage.py, which are SQLite databases. Other programs write them, so
//! Kenning opens them read-only and checks every line number.
//!
//! coverage.py documents the schema ("coverage.py database schema", version 7): `line_bits` has for
//! each file and context a bitmap of the lines that ran, and `arc` has pairs of lines instead if
//! branches were measured.

use super::{StoreError, WithDatabasePath};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;

/// The limit for line numbers; rows with this or a larger number are ignored. A damaged row can
/// have any number.
const MAX_LINE: u32 = 10_000_000;

/// The lines that ran, according to a data file of coverage.py.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageDatabase {
    /// The contexts; the empty context has the lines that ran outside tests.
    pub contexts: Vec<String>,
    /// For each file, by path, the 1-based lines and the index of the context in which they ran.
    pub files: BTreeMap<String, Vec<(u32, u32)>>,
}

impl CoverageDatabase {
    /// Reads a data file. Changes nothing.
    ///
    /// # Errors
    /// Returns the errors of SQLite, including for a database without the tables of coverage.py.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).with_path(path)?;
        read_tables(&connection).with_path(path)
    }
}

fn read_tables(connection: &Connection) -> rusqlite::Result<CoverageDatabase> {
    let mut coverage = CoverageDatabase::default();
    let mut context_index = BTreeMap::new();
    let mut statement = connection.prepare("SELECT id, context FROM context ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        context_index.insert(row.get::<_, i64>(0)?, coverage.contexts.len() as u32);
        coverage.contexts.push(row.get(1)?);
    }
    let mut paths = BTreeMap::new();
    let mut statement = connection.prepare("SELECT id, path FROM file")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, path): (i64, String) = (row.get(0)?, row.get(1)?);
        coverage.files.entry(path.clone()).or_default();
        paths.insert(id, path);
    }
    let mut add = |file: i64, context: i64, line: u32| {
        let (Some(path), Some(&context)) = (paths.get(&file), context_index.get(&context)) else { return };
        if let Some(lines) = coverage.files.get_mut(path) {
            lines.push((line, context));
        }
    };
    let mut statement = connection.prepare("SELECT file_id, context_id, numbits FROM line_bits")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (file, context) = (row.get(0)?, row.get(1)?);
        for (byte_index, byte) in row.get_ref(2)?.as_blob()?.iter().enumerate() {
            for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
                let line = byte_index.saturating_mul(8) as u32 + bit;
                if (1..MAX_LINE).contains(&line) && byte_index < MAX_LINE as usize {
                    add(file, context, line);
                }
            }
        }
    }
    let mut statement = connection.prepare("SELECT file_id, context_id, fromno, tono FROM arc")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (file, context) = (row.get(0)?, row.get(1)?);
        for column in [2, 3] {
            // A negative number stands for the entry or exit of a function.
            let line =
                u32::try_from(row.get::<_, i64>(column)?).ok().filter(|line| (1..MAX_LINE).contains(line));
            if let Some(line) = line {
                add(file, context, line);
            }
        }
    }
    for lines in coverage.files.values_mut() {
        lines.sort_unstable();
        lines.dedup();
    }
    Ok(coverage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_arcs_are_read_with_their_contexts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".coverage");
        Connection::open(&path)
            .unwrap()
            .execute_batch(
                "CREATE TABLE context (id INTEGER PRIMARY KEY, context TEXT);
                 CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT);
                 CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER, numbits BLOB);
                 CREATE TABLE arc (file_id INTEGER, context_id INTEGER, fromno INTEGER, tono INTEGER);
                 INSERT INTO context VALUES (1, ''), (2, 'test_a');
                 INSERT INTO file VALUES (1, '/w/a.py'), (2, '/w/b.py');
                 INSERT INTO line_bits VALUES (1, 1, x'02'), (1, 2, x'0001');
                 INSERT INTO arc VALUES (2, 2, -1, 4), (2, 2, 4, 5);",
            )
            .unwrap();
        let read = CoverageDatabase::read(&path).unwrap();
        assert_eq!(read.contexts, ["", "test_a"]);
        assert_eq!(read.files["/w/a.py"], [(1, 0), (8, 1)]);
        assert_eq!(read.files["/w/b.py"], [(4, 1), (5, 1)]);
        std::fs::write(&path, "no database").unwrap();
        assert!(CoverageDatabase::read(&path).is_err());
    }
}
