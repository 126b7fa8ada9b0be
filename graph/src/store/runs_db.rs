//! `runs.db`: the results of test runs and traces, one row for each import.
//!
//! The first import creates the database. Importing the files again restores it, so Kenning only
//! reports damage and leaves the file to the user.

use super::row_checksums::{RowChecksum, TableDigest, checksum_mismatch, expect_checksum, read_consistently};
use super::{StoreError, WithDatabasePath, migrate};
use crate::runs::RunBatch;
use rusqlite::{Connection, TransactionBehavior, params};
use std::path::{Path, PathBuf};

/// The options of `runs.db`.
pub(super) const OPTIONS: migrate::DatabaseOptions =
    migrate::DatabaseOptions::from_steps(&[include_str!("../../../migrations/runs/0001_initial.sql")]);

/// The table of the imports.
const TABLE: &str = "batches";

/// The recorded runs of one workspace.
#[derive(Debug)]
pub struct RunStore {
    path: PathBuf,
    connection: Connection,
}

impl RunStore {
    /// Opens the database; creates it if it is missing.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::from_connection(path, migrate::open_database(path, OPTIONS)?))
    }

    /// Wraps a connection without checking or changing its database.
    pub(super) fn from_connection(path: &Path, connection: Connection) -> Self {
        Self { path: path.to_owned(), connection }
    }

    /// Returns the batches, oldest first.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if a batch differs from the stored data, or one is missing.
    pub fn load_batches(&self) -> Result<Vec<RunBatch>, StoreError> {
        let read = || load_checked_batches(&self.connection);
        read_consistently(&self.connection, read).with_path(&self.path)
    }

    /// Adds a batch, and removes the records that it replaces from earlier batches.
    ///
    /// # Errors
    /// Returns the errors of the database. On an error, stores nothing.
    pub fn add_batch(&mut self, mut batch: RunBatch) -> Result<(), StoreError> {
        let add = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut batches = load_checked_batches(&transaction)?;
            // Go from the newest batch to the oldest, so that each count of recordings is carried
            // over once.
            for older in batches.iter_mut().rev() {
                older.remove_superseded_by(&mut batch);
            }
            batches.retain(|older| !older.is_empty());
            batches.push(batch);
            replace_batches(&transaction, &batches)?;
            transaction.commit()
        };
        add(&mut self.connection).with_path(&self.path)
    }

    /// Deletes all records. Returns the number of deleted tests and calls.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub fn forget_runs(&mut self) -> Result<usize, StoreError> {
        let forget = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let batches = load_checked_batches(&transaction)?;
            replace_batches(&transaction, &[])?;
            transaction.commit()?;
            Ok(batches.iter().map(|batch| batch.tests.len() + batch.calls.len()).sum())
        };
        forget(&mut self.connection).with_path(&self.path)
    }
}

fn load_checked_batches(connection: &Connection) -> rusqlite::Result<Vec<RunBatch>> {
    let mut statement = connection.prepare_cached("SELECT sum, data FROM batches ORDER BY id")?;
    let (mut rows, mut batches, mut digest) = (statement.query([])?, Vec::new(), TableDigest::default());
    while let Some(row) = rows.next()? {
        let data = row.get_ref(1)?.as_blob()?;
        let sum = batch_checksum(data);
        expect_checksum(TABLE, row.get(0)?, sum)?;
        digest.add_row(sum);
        let batch: RunBatch = postcard::from_bytes(data).map_err(|_| checksum_mismatch(TABLE))?;
        if !batch.is_consistent() {
            return Err(checksum_mismatch(TABLE));
        }
        batches.push(batch);
    }
    digest.expect_stored(connection, TABLE)?;
    Ok(batches)
}

fn replace_batches(connection: &Connection, batches: &[RunBatch]) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM batches", [])?;
    let mut digest = TableDigest::default();
    for batch in batches {
        let data = postcard::to_stdvec(batch).unwrap_or_default();
        let sum = batch_checksum(&data);
        connection
            .prepare_cached("INSERT INTO batches (sum, data) VALUES (?, ?)")?
            .execute(params![sum, data])?;
        digest.add_row(sum);
    }
    digest.save_for_table(connection, TABLE)
}

fn batch_checksum(data: &[u8]) -> i64 {
    RowChecksum::new(TABLE).add_bytes(data).finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::RecordedTest;

    fn batch(names: &[&str], at: i64) -> RunBatch {
        let test = |name: &&str| RecordedTest {
            name: (*name).to_owned(),
            function: None,
            first_seen: at,
            last_seen: at,
            recordings: 1,
        };
        RunBatch { tests: names.iter().map(test).collect(), ..RunBatch::default() }
    }

    #[test]
    fn an_import_replaces_the_tests_that_it_records_again_and_keeps_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let mut store = RunStore::open(&path).unwrap();
        store.add_batch(batch(&["a", "b"], 1)).unwrap();
        store.add_batch(batch(&["b", "c"], 2)).unwrap();
        store.add_batch(batch(&["a"], 3)).unwrap();
        drop(store);
        let mut store = RunStore::open(&path).unwrap();
        let names: Vec<Vec<(String, i64, u32)>> = store
            .load_batches()
            .unwrap()
            .into_iter()
            .map(|batch| {
                batch.tests.into_iter().map(|test| (test.name, test.first_seen, test.recordings)).collect()
            })
            .collect();
        let row = |name: &str, first, recordings| (name.to_owned(), first, recordings);
        assert_eq!(names, [vec![row("b", 1, 2), row("c", 2, 1)], vec![row("a", 1, 2)]]);
        assert_eq!(store.forget_runs().unwrap(), 3);
        assert_eq!(store.load_batches().unwrap(), []);
    }

    #[test]
    fn a_changed_byte_is_reported_as_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let mut store = RunStore::open(&path).unwrap();
        store.add_batch(batch(&["a"], 1)).unwrap();
        store.connection.execute("UPDATE batches SET data = x'00'", []).unwrap();
        assert!(store.load_batches().unwrap_err().is_damage());
    }
}
