//! `vectors.db`: the vectors that a model computed for the files of a workspace.
//!
//! The key of a row is the identity of the model and that of the file's text, so that an edit
//! replaces the row of only one file. A damaged row counts as missing, and its vectors are computed
//! again.

use super::row_checksums::{RowChecksum, expect_checksum};
use super::{StoreError, WithDatabasePath, migrate};
use crate::hash::Hash;
use crate::vectors::VectorBlock;
use rusqlite::{Connection, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options of `vectors.db`.
pub(super) const OPTIONS: migrate::DatabaseOptions =
    migrate::DatabaseOptions::from_steps(&[include_str!("../../../migrations/vectors/0001_initial.sql")]);

/// The table of the blocks.
const TABLE: &str = "vectors";

/// The vectors of one workspace.
#[derive(Debug)]
pub struct VectorStore {
    path: PathBuf,
    connection: Connection,
}

/// The blocks of a workspace by the identity of their file's text.
pub type VectorBlocks = BTreeMap<Hash, Arc<VectorBlock>>;

impl VectorStore {
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

    /// Returns the undamaged blocks of a model.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub fn load_blocks(&self, model: &Hash) -> Result<VectorBlocks, StoreError> {
        let load = || -> rusqlite::Result<VectorBlocks> {
            let mut statement = self
                .connection
                .prepare_cached("SELECT file, symbols, sum, data FROM vectors WHERE model = ?")?;
            let (mut rows, mut blocks) = (statement.query([model.0])?, BTreeMap::new());
            while let Some(row) = rows.next()? {
                let (file, symbols, sum) = (Hash(row.get(0)?), row.get(1)?, row.get::<_, i64>(2)?);
                let data = row.get_ref(3)?.as_blob()?;
                if sum == block_checksum(model, &file, symbols, data)
                    && let Some(block) = VectorBlock::from_bytes(data)
                {
                    blocks.insert(file, Arc::new(block));
                }
            }
            Ok(blocks)
        };
        load().with_path(&self.path)
    }

    /// Returns the number of symbols and sections that have a vector.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub fn count_symbols(&self) -> Result<usize, StoreError> {
        let count: i64 = self
            .connection
            .query_row("SELECT coalesce(sum(symbols), 0) FROM vectors", [], |row| row.get(0))
            .with_path(&self.path)?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Replaces the blocks of all models by those of `model`: adds `new`, and deletes the rows
    /// whose file `is_live` rejects.
    ///
    /// # Errors
    /// Returns the errors of the database. On an error, stores nothing.
    pub fn replace_blocks(
        &mut self,
        model: &Hash,
        new: &VectorBlocks,
        is_live: &dyn Fn(&Hash) -> bool,
    ) -> Result<(), StoreError> {
        let replace = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute("DELETE FROM vectors WHERE model <> ?", [model.0])?;
            let stored: Vec<Hash> = {
                let mut statement = transaction.prepare_cached("SELECT file FROM vectors")?;
                let files = statement.query_map([], |row| row.get(0).map(Hash))?;
                files.collect::<rusqlite::Result<_>>()?
            };
            for file in stored.iter().filter(|file| !is_live(file)) {
                transaction.prepare_cached("DELETE FROM vectors WHERE file = ?")?.execute([file.0])?;
            }
            for (file, block) in new {
                let (symbols, data) = (block.symbol_count() as i64, block.to_bytes());
                let sum = block_checksum(model, file, symbols, &data);
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)")?
                    .execute(params![model.0, file.0, symbols, sum, data])?;
            }
            transaction.commit()
        };
        replace(&mut self.connection).with_path(&self.path)
    }

    /// Verifies the checksums of all blocks.
    pub(super) fn check_blocks(&self) -> Result<(), StoreError> {
        let check = || -> rusqlite::Result<()> {
            let mut statement =
                self.connection.prepare("SELECT model, file, symbols, sum, data FROM vectors")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (model, file) = (Hash(row.get(0)?), Hash(row.get(1)?));
                let sum = block_checksum(&model, &file, row.get(2)?, row.get_ref(4)?.as_blob()?);
                expect_checksum(TABLE, row.get(3)?, sum)?;
            }
            Ok(())
        };
        check().with_path(&self.path)
    }
}

fn block_checksum(model: &Hash, file: &Hash, symbols: i64, data: &[u8]) -> i64 {
    RowChecksum::new(TABLE)
        .add_bytes(&model.0)
        .add_bytes(&file.0)
        .add_number(symbols)
        .add_bytes(data)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::{VectorKind, VectorRow};

    fn block(number: u8) -> Arc<VectorBlock> {
        let mut block = VectorBlock::new(2);
        let symbol = Hash::from_content(&[number]);
        block.push_row(VectorRow { symbol, kind: VectorKind::Code, scale: 1.0 }, &[number as i8, 1]);
        Arc::new(block)
    }

    fn blocks(numbers: &[u8]) -> VectorBlocks {
        numbers.iter().map(|&number| (Hash::from_content(&[number, number]), block(number))).collect()
    }

    #[test]
    fn blocks_of_removed_files_and_of_other_models_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.db");
        let (first, second) = (Hash::from_content(b"first"), Hash::from_content(b"second"));
        let mut store = VectorStore::open(&path).unwrap();
        store.replace_blocks(&first, &blocks(&[1, 2]), &|_| true).unwrap();
        let kept = Hash::from_content(&[2, 2]);
        store.replace_blocks(&first, &blocks(&[3]), &|file| *file == kept).unwrap();
        drop(store);
        let mut store = VectorStore::open(&path).unwrap();
        assert_eq!(store.load_blocks(&first).unwrap(), blocks(&[2, 3]));
        assert_eq!(store.count_symbols().unwrap(), 2);
        store.replace_blocks(&second, &blocks(&[1]), &|_| true).unwrap();
        assert_eq!(store.load_blocks(&first).unwrap(), VectorBlocks::new());
        assert_eq!(store.load_blocks(&second).unwrap(), blocks(&[1]));
        store.check_blocks().unwrap();
    }

    #[test]
    fn a_damaged_block_counts_as_missing_and_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.db");
        let model = Hash::from_content(b"model");
        let mut store = VectorStore::open(&path).unwrap();
        store.replace_blocks(&model, &blocks(&[1, 2]), &|_| true).unwrap();
        let damaged = Hash::from_content(&[1, 1]);
        store.connection.execute("UPDATE vectors SET data = x'00' WHERE file = ?", [damaged.0]).unwrap();
        assert_eq!(store.load_blocks(&model).unwrap(), blocks(&[2]));
        assert!(store.check_blocks().unwrap_err().is_damage());
    }
}
