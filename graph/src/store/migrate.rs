//! Opening a database and bringing its schema up to date: numbered, append-only steps under `user_version`.

use super::{AtPath, StoreError};
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// How long a transaction waits for another process.
const BUSY: Duration = Duration::from_secs(5);

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
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).at(path)?;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    if connection.is_readonly("main").at(path)? {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    connection.pragma_update(None, "journal_mode", "WAL").at(path)?;
    connection.pragma_update(None, "synchronous", "NORMAL").at(path)?;
    connection.pragma_update(None, "foreign_keys", true).at(path)?;
    if found < known {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive).at(path)?;
        // Another process may have migrated between the first look and the lock.
        let found: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).at(path)?;
        for step in steps.get(found as usize..).unwrap_or(&[]) {
            transaction.execute_batch(step).at(path)?;
        }
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
    fn what_is_no_database_is_called_damaged() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("t.db");
        std::fs::write(&path, "not a database, but long enough to be read as a header".repeat(40))
            .expect("written");
        assert!(matches!(open(&path, &["CREATE TABLE a (x)"]), Err(StoreError::Damaged { .. })));
    }
}
