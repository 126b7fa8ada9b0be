//! The table `derived_files`: the files that no one edits, with the evidence.

use super::GraphStore;
use crate::derived::{DerivedEvidence, DerivedFiles, DerivedReason};
use crate::store::row_checksums::{
    RowChecksum, TableDigest, checksum_mismatch, expect_checksum, read_consistently,
};
use crate::store::{StoreError, WithDatabasePath};
use rusqlite::{Transaction, TransactionBehavior, params};

/// The name of the table in checksums and digests.
const TABLE: &str = "derived_files";

impl GraphStore {
    /// Loads the derived files.
    ///
    /// # Errors
    /// Fails if the database cannot be read or is damaged.
    pub fn load_derived_files(&self) -> Result<DerivedFiles, StoreError> {
        read_consistently(&self.connection, || self.query_derived_files()).with_path(&self.path)
    }

    fn query_derived_files(&self) -> rusqlite::Result<DerivedFiles> {
        let query = "SELECT path, evidence, reason, sum FROM derived_files";
        let mut statement = self.connection.prepare_cached(query)?;
        let (mut rows, mut files, mut digest) =
            (statement.query([])?, DerivedFiles::default(), TableDigest::default());
        while let Some(row) = rows.next()? {
            let text = |at| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_str()?);
            let (path, evidence, reason) = (text(0)?, text(1)?, text(2)?);
            let sum = mark_checksum(path, evidence, reason);
            expect_checksum(TABLE, row.get(3)?, sum)?;
            digest.add_row(sum);
            let (Some(evidence), Some(reason)) =
                (DerivedEvidence::parse(evidence), DerivedReason::parse(reason))
            else {
                return Err(checksum_mismatch(TABLE));
            };
            files.set_reason(path, evidence, Some(reason));
        }
        digest.expect_stored(&self.connection, TABLE)?;
        Ok(files)
    }

    /// Replaces the stored derived files.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub fn store_derived_files(&mut self, files: &DerivedFiles) -> Result<(), StoreError> {
        let write = || {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            transaction.execute("DELETE FROM derived_files", [])?;
            let mut digest = TableDigest::default();
            for (path, evidence, reason) in files.marks() {
                let sum = mark_checksum(path, evidence.as_str(), reason.as_str());
                transaction
                    .prepare_cached("INSERT INTO derived_files VALUES (?, ?, ?, ?)")?
                    .execute(params![path, evidence.as_str(), reason.as_str(), sum])?;
                digest.add_row(sum);
            }
            digest.save_for_table(&transaction, TABLE)?;
            transaction.commit()
        };
        write().with_path(&self.path)
    }
}

fn mark_checksum(path: &str, evidence: &str, reason: &str) -> i64 {
    RowChecksum::new(TABLE).add_text(path).add_text(evidence).add_text(reason).finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn derived_files_are_read_back_and_damage_is_detected() {
        let mut store = GraphStore::open_in_memory(Path::new("graph.db"), 1).expect("a database in memory");
        assert!(store.load_derived_files().expect("an empty table").is_empty());
        let mut files = DerivedFiles::default();
        files.set_reason("dist/a.js", DerivedEvidence::Text, Some(DerivedReason::Built));
        files.set_reason("vendor/b.js", DerivedEvidence::Surroundings, Some(DerivedReason::Vendored));
        for _ in 0..2 {
            store.store_derived_files(&files).expect("it is written");
            assert_eq!(store.load_derived_files().expect("it is read"), files);
        }
        for damage in ["UPDATE derived_files SET reason = 'built'", "DELETE FROM derived_files"] {
            store.store_derived_files(&files).expect("it is written");
            store.connection.execute(damage, []).expect("the damage");
            assert!(store.load_derived_files().expect_err("it is detected").is_damage(), "{damage}");
        }
    }
}
