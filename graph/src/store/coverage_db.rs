//! Reads the data files of coverage.py, which are SQLite databases. Other programs write them, so
//! Kenning opens them read-only and checks every line number.
//!
//! coverage.py documents the schema ("coverage.py database schema", version 7): `line_bits` has for
//! each file and context a bitmap of the lines that ran, and `arc` has pairs of lines instead if
//! branches were measured.
//!
//! A hostile file can be a program: a view that never ends, a generated column that makes a value
//! of any size, or pages that contain themselves. So only plain tables are read, each value has a
//! limit, and SQLite may take only as many steps and return only as many bytes as a file of this
//! size can need.

use super::{StoreError, WithDatabasePath};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;

/// The limit for line numbers; rows with this or a larger number are ignored. A damaged row can
/// have any number.
const MAX_LINE: u32 = 10_000_000;

/// Maximum size of a value in bytes. The bitmap of [`MAX_LINE`] lines has 1.25 MB.
const MAX_VALUE_BYTES: i32 = 4 << 20;

/// Maximum number of SQLite's steps for each byte of the file. A row takes at most 10 steps and at
/// least 5 bytes.
const STEPS_PER_BYTE: u64 = 4;

/// Number of steps that a file of any size may take, to read its schema.
const BASE_STEPS: u64 = 1_000_000;

/// Number of steps after which SQLite checks the budget.
const CHECKED_STEPS: i32 = 10_000;

/// The tables to read, with their columns.
const TABLES: [(&str, &[&str]); 4] = [
    ("context", &["id", "context"]),
    ("file", &["id", "path"]),
    ("line_bits", &["file_id", "context_id", "numbits"]),
    ("arc", &["file_id", "context_id", "fromno", "tono"]),
];

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
    /// Returns the errors of SQLite, including for a database without the tables of coverage.py,
    /// and an error for a file that is not a plain database.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).with_path(path)?;
        let size = path.metadata().map_or(0, |metadata| metadata.len());
        let mut read = || {
            restrict_connection(&mut connection, size)?;
            check_tables(&connection)?;
            CoverageReader { connection: &connection, bytes_left: size }.read_tables()
        };
        read().with_path(path)
    }
}

/// Sets the limits of a connection to a file of `size` bytes.
fn restrict_connection(connection: &mut Connection, size: u64) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    let mut checks_left = (BASE_STEPS + size.saturating_mul(STEPS_PER_BYTE)) / CHECKED_STEPS as u64;
    connection.progress_handler(
        CHECKED_STEPS,
        Some(move || {
            let is_over = checks_left == 0;
            checks_left = checks_left.saturating_sub(1);
            is_over
        }),
    )
}

/// Checks that the tables to read are plain ones, and that their columns are stored.
fn check_tables(connection: &Connection) -> rusqlite::Result<()> {
    for (table, columns) in TABLES {
        let (kind, root): (String, i64) = connection
            .query_row(
                "SELECT type, rootpage FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE",
                [table],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .map_err(|error| match error {
                rusqlite::Error::QueryReturnedNoRows => unexpected(&format!("it has no table {table}")),
                error => error,
            })?;
        // A virtual table has no root page.
        if kind != "table" || root <= 0 {
            return Err(unexpected(&format!("{table} is not a plain table")));
        }
        let mut statement = connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1)")?;
        let mut rows = statement.query([table])?;
        while let Some(row) = rows.next()? {
            let (name, hidden): (String, i64) = (row.get(0)?, row.get(1)?);
            let is_read = columns.iter().any(|column| column.eq_ignore_ascii_case(&name));
            if is_read && hidden != 0 {
                return Err(unexpected(&format!("{table}.{name} is a computed column")));
            }
        }
    }
    Ok(())
}

/// Returns an error for a database that coverage.py did not write.
fn unexpected(reason: &str) -> rusqlite::Error {
    let message = format!("this is no data file of coverage.py: {reason}");
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(message))
}

/// Reads the tables of a connection with limits.
struct CoverageReader<'c> {
    connection: &'c Connection,
    /// Number of bytes of texts and bitmaps that may still be read. Their sum exceeds the size of
    /// the file only if rows share pages.
    bytes_left: u64,
}

impl CoverageReader<'_> {
    fn read_tables(mut self) -> rusqlite::Result<CoverageDatabase> {
        let contexts = self.read_names("SELECT id, context FROM context")?;
        let files = self.read_names("SELECT id, path FROM file")?;
        let index = |names: &[(i64, String)]| -> FxHashMap<i64, u32> {
            names.iter().enumerate().map(|(at, &(id, _))| (id, at as u32)).collect()
        };
        let mut lines = RecordedLines {
            file_index: index(&files),
            context_index: index(&contexts),
            lines: vec![Vec::new(); files.len()],
        };
        self.read_bitmaps(&mut lines)?;
        self.read_arcs(&mut lines)?;
        let mut coverage = CoverageDatabase::default();
        coverage.contexts.extend(contexts.into_iter().map(|(_, name)| name));
        for ((_, path), lines) in files.into_iter().zip(lines.lines) {
            coverage.files.entry(path).or_default().extend(lines);
        }
        for lines in coverage.files.values_mut() {
            lines.sort_unstable();
            lines.dedup();
        }
        Ok(coverage)
    }

    /// Returns the rows of a query for ids and names, by id.
    fn read_names(&mut self, query: &str) -> rusqlite::Result<Vec<(i64, String)>> {
        let mut statement = self.connection.prepare(query)?;
        let mut rows = statement.query([])?;
        let mut names = Vec::new();
        while let Some(row) = rows.next()? {
            let (id, name): (i64, String) = (row.get(0)?, row.get(1)?);
            self.count_bytes(name.len())?;
            names.push((id, name));
        }
        names.sort();
        Ok(names)
    }

    fn read_bitmaps(&mut self, lines: &mut RecordedLines) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare("SELECT file_id, context_id, numbits FROM line_bits")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (file, context) = (row.get(0)?, row.get(1)?);
            let bits = row.get_ref(2)?.as_blob()?;
            self.count_bytes(bits.len())?;
            for (byte_index, byte) in bits.iter().enumerate().take(MAX_LINE as usize / 8) {
                for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
                    lines.add_line(file, context, byte_index as u32 * 8 + bit);
                }
            }
        }
        Ok(())
    }

    fn read_arcs(&mut self, lines: &mut RecordedLines) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare("SELECT file_id, context_id, fromno, tono FROM arc")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (file, context) = (row.get(0)?, row.get(1)?);
            // A row needs at least a byte for its header and one for its length.
            self.count_bytes(2)?;
            for column in [2, 3] {
                // A negative number stands for the entry or exit of a function.
                if let Ok(line) = u32::try_from(row.get::<_, i64>(column)?) {
                    lines.add_line(file, context, line);
                }
            }
        }
        Ok(())
    }

    fn count_bytes(&mut self, bytes: usize) -> rusqlite::Result<()> {
        let left = self.bytes_left.checked_sub(bytes as u64);
        self.bytes_left = left.ok_or_else(|| unexpected("its rows have more data than the file"))?;
        Ok(())
    }
}

/// The lines of the files, in the order of the table of files.
struct RecordedLines {
    file_index: FxHashMap<i64, u32>,
    context_index: FxHashMap<i64, u32>,
    lines: Vec<Vec<(u32, u32)>>,
}

impl RecordedLines {
    fn add_line(&mut self, file: i64, context: i64, line: u32) {
        let (file, context) = (self.file_index.get(&file), self.context_index.get(&context));
        if let (Some(&file), Some(&context), 1..MAX_LINE) = (file, context, line) {
            self.lines[file as usize].push((line, context));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of coverage.py.
    const SCHEMA: &str = "CREATE TABLE context (id INTEGER PRIMARY KEY, context TEXT);
        CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT);
        CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER, numbits BLOB);
        CREATE TABLE arc (file_id INTEGER, context_id INTEGER, fromno INTEGER, tono INTEGER);
        INSERT INTO context VALUES (1, ''); INSERT INTO file VALUES (1, '/w/a.py');";

    /// Returns the error for a database that these statements create.
    fn read_error(statements: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".coverage");
        Connection::open(&path).unwrap().execute_batch(&format!("{SCHEMA}{statements}")).unwrap();
        CoverageDatabase::read(&path).unwrap_err().to_string()
    }

    #[test]
    fn a_table_that_computes_its_rows_is_refused() {
        let endless = "DROP TABLE line_bits; CREATE VIEW LINE_BITS (file_id, context_id, numbits) AS
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1, 1, x'02' FROM n;";
        assert!(read_error(endless).contains("line_bits is not a plain table"), "{}", read_error(endless));
        let computed = "DROP TABLE line_bits; CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER,
            numbits BLOB AS (zeroblob(900000000))); INSERT INTO line_bits VALUES (1, 1);";
        assert!(read_error(computed).contains("computed column"), "{}", read_error(computed));
        let foreign = "DROP TABLE file; CREATE VIRTUAL TABLE file USING fts5(id, path);";
        assert!(read_error(foreign).contains("file is not a plain table"), "{}", read_error(foreign));
        assert!(read_error("DROP TABLE arc;").contains("it has no table arc"));
    }

    #[test]
    fn an_enormous_value_is_refused() {
        let large = "INSERT INTO line_bits VALUES (1, 1, zeroblob(5000000));";
        assert!(read_error(large).contains("too big"), "{}", read_error(large));
    }

    #[test]
    fn rows_that_share_pages_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".coverage");
        let connection = Connection::open(&path).unwrap();
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000)
            INSERT INTO arc SELECT 1, 1, i, i FROM n;";
        connection.execute_batch(&format!("PRAGMA page_size = 512;{SCHEMA}{rows}")).unwrap();
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'arc'";
        let root: u32 = connection.query_row(root, [], |row| row.get(0)).unwrap();
        drop(connection);
        assert!(CoverageDatabase::read(&path).is_ok());
        let mut bytes = std::fs::read(&path).unwrap();
        share_pages(&mut bytes, root as usize);
        std::fs::write(&path, bytes).unwrap();
        let error = CoverageDatabase::read(&path).unwrap_err().to_string();
        assert!(error.contains("more data than the file") || error.contains("interrupted"), "{error}");
    }

    /// Makes all references in each inner page of a table lead to the next inner page, and those of
    /// the last one to a leaf: some dozen references in each of six levels.
    fn share_pages(bytes: &mut [u8], root: usize) {
        const PAGE: usize = 512;
        let pages_of_kind = |bytes: &[u8], kind: u8| -> Vec<usize> {
            (2..=bytes.len() / PAGE).filter(|page| bytes[(page - 1) * PAGE] == kind).collect()
        };
        let leaf = pages_of_kind(bytes, 0x0d).into_iter().max().unwrap();
        let mut pages = vec![root];
        pages.extend(pages_of_kind(bytes, 0x05).into_iter().filter(|&page| page != root).take(5));
        for (level, &page) in pages.iter().enumerate() {
            let next = (*pages.get(level + 1).unwrap_or(&leaf) as u32).to_be_bytes();
            let at = (page - 1) * PAGE;
            bytes[at + 8..at + 12].copy_from_slice(&next);
            let cells = usize::from(u16::from_be_bytes([bytes[at + 3], bytes[at + 4]]));
            for cell in 0..cells {
                let pointer = at + 12 + cell * 2;
                let cell = at + usize::from(u16::from_be_bytes([bytes[pointer], bytes[pointer + 1]]));
                bytes[cell..cell + 4].copy_from_slice(&next);
            }
        }
    }

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
