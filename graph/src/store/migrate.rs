//! Opening a database and bringing its schema up to date: numbered, append-only steps under `user_version`.

use super::{AtPath, StoreError};
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// How long a transaction waits for another process.
const BUSY: Duration = Duration::from_secs(5);

/// Marks a database as Kenning's (`PRAGMA application_id`): "KNNG".
const APPLICATION: i32 = 0x4b4e_4e47;

/// How often a step is tried that SQLite refuses at once while another process makes the same database, and the
/// pause between two tries.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(30);

/// Does `step` until it is not refused because another process holds the database. SQLite's own waiting does not
/// cover the change to write-ahead logging.
fn patiently<T>(path: &Path, mut step: impl FnMut() -> rusqlite::Result<T>) -> Result<T, StoreError> {
    for _ in 1..TRIES {
        match step().at(path) {
            Err(StoreError::Busy { .. }) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    step().at(path)
}

/// A database that holds tables and is not marked as Kenning's belongs to another program.
fn refuse_foreign(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    // Both in one transaction: another process may be making the database right now.
    let (tables, application): (i64, i32) = patiently(path, || {
        let transaction = connection.unchecked_transaction()?;
        let tables = transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        Ok((tables, transaction.pragma_query_value(None, "application_id", |row| row.get(0))?))
    })?;
    if application == APPLICATION || tables == 0 {
        return Ok(());
    }
    Err(StoreError::Foreign { path: path.to_owned() })
}

/// Opens `path`, creating it and its folder if needed, and applies the steps it does not have yet, all in one
/// exclusive transaction.
pub(super) fn open(path: &Path, steps: &[&str]) -> Result<Connection, StoreError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|e| StoreError::Open { path: path.to_owned(), reason: e.to_string() })?;
    }
    let mut connection = Connection::open(path).at(path)?;
    connection.busy_timeout(BUSY).at(path)?;
    let known = steps.len() as u32;
    refuse_foreign(&connection, path)?;
    let found: u32 =
        patiently(path, || connection.pragma_query_value(None, "user_version", |row| row.get(0)))?;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    if connection.is_readonly("main").at(path)? {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    patiently(path, || connection.pragma_update(None, "journal_mode", "WAL"))?;
    connection.pragma_update(None, "synchronous", "NORMAL").at(path)?;
    connection.pragma_update(None, "foreign_keys", true).at(path)?;
    if found < known {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive).at(path)?;
        // Another process may have migrated between the first look and the lock.
        let found: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).at(path)?;
        for step in steps.get(found as usize..).unwrap_or(&[]) {
            transaction.execute_batch(step).at(path)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION).at(path)?;
        transaction.pragma_update(None, "user_version", known.max(found)).at(path)?;
        transaction.commit().at(path)?;
    }
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrating_twice_changes_nothing_and_a_newer_schema_is_refused() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("deep/er/t.db");
        let steps = ["CREATE TABLE a (x)", "CREATE TABLE b (y)"];
        open(&path, &steps[..1])
            .expect("first step")
            .execute("INSERT INTO a VALUES (1)", [])
            .expect("inserted");
        for _ in 0..2 {
            let connection = open(&path, &steps).expect("second step");
            let kept: u32 =
                connection.query_row("SELECT count(*) FROM a, (SELECT 1)", [], |r| r.get(0)).expect("a");
            assert_eq!(kept, 1);
            connection.execute("DELETE FROM b", []).expect("b is there");
        }
        let refused = open(&path, &steps[..1]).expect_err("newer");
        assert!(refused.to_string().contains("newer Kenning (schema 2, this one knows 1); update Kenning"));
    }

    #[test]
    fn a_database_of_another_program_is_left_alone() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("other.db");
        Connection::open(&path).and_then(|c| c.execute_batch("CREATE TABLE t (x)")).expect("made");
        let before = std::fs::read(&path).expect("read");
        let refused = open(&path, &["CREATE TABLE a (x)"]).expect_err("foreign");
        assert!(refused.to_string().contains("belongs to another program"), "{refused}");
        assert_eq!(std::fs::read(&path).expect("read"), before);
    }

    #[test]
    fn processes_that_make_a_database_together_wait_for_one_another() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for round in 0..20 {
            let path = dir.path().join(format!("{round}/t.db"));
            let steps = ["CREATE TABLE a (x)", "CREATE TABLE b (y)"];
            std::thread::scope(|scope| {
                let tries: Vec<_> = (0..4).map(|_| scope.spawn(|| open(&path, &steps).map(drop))).collect();
                for one in tries {
                    one.join().expect("no panic").expect("all open it");
                }
            });
        }
    }

    #[test]
    fn what_is_no_database_is_called_damaged() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("t.db");
        std::fs::write(&path, "not a database, but long enough to be read as a header".repeat(40))
            .expect("written");
        assert!(matches!(open(&path, &["CREATE TABLE a (x)"]), Err(StoreError::Damaged { .. })));
    }
}
