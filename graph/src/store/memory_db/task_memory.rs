//! The part of `memory.db` that remembers the first symbols of packs, by the keywords of their task
//! ([`RememberedSymbol`]). It is empty unless the user turned the task memory on.

use super::MemoryStore;
use super::use_records::{RootedSymbol, UseRow, add_rows, checked_row, delete_rows, load_rows};
use crate::hash::Hash;
use crate::store::row_checksums::RowChecksum;
use crate::store::{StoreError, WithDatabasePath};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

/// A symbol that was among the first symbols of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RememberedSymbol {
    /// The keywords of the task, sorted and separated by spaces.
    pub keywords: String,
    /// The identity of the symbol.
    pub symbol: Hash,
    /// The structure root of the symbol's package. The memory expires when the package changes.
    pub package_root: Hash,
    /// The time of the last such pack, in seconds since the Unix epoch.
    pub at: u64,
}

/// The first symbols of a pack for one task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskEvent {
    /// The keywords of the task.
    pub keywords: Vec<String>,
    /// The symbols.
    pub symbols: Vec<RootedSymbol>,
    /// The time of the pack, in seconds since the Unix epoch.
    pub at: u64,
    /// The age in seconds at which a remembered symbol is deleted.
    pub max_age: u64,
}

impl UseRow for RememberedSymbol {
    const TABLE: &'static str = "task_memory";
    const SELECT: &'static str = "SELECT keywords, symbol_hash, package_root, at, sum FROM task_memory";
    const KEY: &'static [&'static str] = &["keywords", "symbol_hash", "package_root"];
    const SUM_COLUMN: usize = 4;

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            keywords: row.get(0)?,
            symbol: Hash(row.get(1)?),
            package_root: Hash(row.get(2)?),
            at: row.get::<_, i64>(3)?.cast_unsigned(),
        })
    }

    fn row_checksum(&self) -> i64 {
        let Self { keywords, symbol, package_root, at } = self;
        let mut sum = RowChecksum::new(Self::TABLE);
        sum.add_text(keywords).add_bytes(&symbol.0).add_bytes(&package_root.0);
        sum.add_number(at.cast_signed()).finish()
    }

    fn load_same_key(&self, transaction: &Transaction<'_>) -> rusqlite::Result<Option<Self>> {
        transaction
            .prepare_cached(
                "SELECT keywords, symbol_hash, package_root, at, sum FROM task_memory
                 WHERE keywords = ? AND symbol_hash = ? AND package_root = ?",
            )?
            .query_row(params![self.keywords, self.symbol.0, self.package_root.0], checked_row)
            .optional()
    }

    fn add_counts(&mut self, other: &Self) {
        self.at = self.at.max(other.at);
    }

    fn write(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let Self { keywords, symbol, package_root, at } = self;
        let sum = self.row_checksum();
        transaction
            .prepare_cached("INSERT OR REPLACE INTO task_memory VALUES (?, ?, ?, ?, ?)")?
            .execute(params![keywords, symbol.0, package_root.0, at.cast_signed(), sum])?;
        Ok(())
    }
}

impl MemoryStore {
    /// Remembers the first symbols of a pack, and deletes expired rows, in one transaction.
    ///
    /// # Errors
    /// Fails if the database cannot be read or written, or is damaged.
    pub fn remember_task(&mut self, event: &TaskEvent) -> Result<(), StoreError> {
        let TaskEvent { keywords, symbols, at, max_age } = event;
        let mut keywords = keywords.clone();
        keywords.sort_unstable();
        let keywords = keywords.join(" ");
        let rows = symbols.iter().map(|&RootedSymbol { symbol, package_root }| RememberedSymbol {
            keywords: keywords.clone(),
            symbol,
            package_root,
            at: *at,
        });
        let oldest = i64::try_from(at.saturating_sub(*max_age)).unwrap_or(i64::MAX);
        let write = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            delete_rows(&transaction, RememberedSymbol::TABLE, "at < ?1", oldest)?;
            add_rows(&transaction, rows)?;
            transaction.commit()
        };
        write(&mut self.connection).with_path(&self.path)
    }

    /// Adds remembered symbols in one transaction.
    pub(super) fn add_remembered(
        &mut self,
        rows: impl IntoIterator<Item = RememberedSymbol>,
    ) -> Result<(), StoreError> {
        let add = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            add_rows(&transaction, rows)?;
            transaction.commit()
        };
        add(&mut self.connection).with_path(&self.path)
    }

    /// Returns the remembered symbols, sorted by keywords, symbol and package root. The caller
    /// decides which are still valid.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if a row does not match its checksum, or if one is missing.
    pub fn load_remembered(&self) -> Result<Vec<RememberedSymbol>, StoreError> {
        load_rows(&self.connection).with_path(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryLocation;

    fn hash(text: &str) -> Hash {
        Hash::from_content(text.as_bytes())
    }

    fn event(keywords: &[&str], symbols: &[&str], at: u64) -> TaskEvent {
        let rooted = |symbol: &&str| RootedSymbol { symbol: hash(symbol), package_root: hash("root") };
        TaskEvent {
            keywords: keywords.iter().map(|&word| word.to_owned()).collect(),
            symbols: symbols.iter().map(rooted).collect(),
            at,
            max_age: 100,
        }
    }

    fn remembered_tasks(memory: &MemoryStore) -> Vec<(String, u64)> {
        let rows = memory.load_remembered().expect("undamaged");
        rows.into_iter().map(|row| (row.keywords, row.at)).collect()
    }

    #[test]
    fn a_task_is_remembered_once_and_until_it_is_too_old() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("memory.db");
        let mut memory = MemoryStore::open(&path).expect("opens");
        memory.remember_task(&event(&["refund", "payment"], &["settle"], 10)).expect("stored");
        memory.remember_task(&event(&["payment", "refund"], &["settle"], 20)).expect("stored");
        memory.remember_task(&event(&["order"], &["settle"], 110)).expect("stored");
        drop(memory);
        let mut memory = MemoryStore::open(&path).expect("opens");
        assert_eq!(remembered_tasks(&memory), [("order".to_owned(), 110), ("payment refund".to_owned(), 20)]);
        memory.remember_task(&event(&["order"], &["print"], 121)).expect("stored");
        let left = [("order".to_owned(), 110), ("order".to_owned(), 121)];
        let mut found = remembered_tasks(&memory);
        found.sort_unstable();
        assert_eq!(found, left, "the row from time 20 has expired");
        assert_eq!(memory.count_learned(None).expect("read").remembered, 2);
        let forgotten = memory.forget_learned(Some(&hash("print"))).expect("deleted");
        assert_eq!((forgotten.remembered, forgotten.total()), (1, 1));
        assert_eq!(memory.forget_learned(None).expect("deleted").remembered, 1);
        assert_eq!(remembered_tasks(&memory), []);
    }

    #[test]
    fn a_changed_row_is_damage_and_the_others_are_recovered() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("memory.db");
        let mut memory = MemoryStore::open(&path).expect("opens");
        memory.remember_task(&event(&["first"], &["a"], 1)).expect("stored");
        memory.remember_task(&event(&["second"], &["b"], 2)).expect("stored");
        memory.connection.execute("UPDATE task_memory SET at = 9 WHERE at = 1", []).expect("written");
        assert!(memory.check_rows().expect_err("the damage is detected").is_damage());
        drop(memory);
        let location = MemoryLocation { path, is_in_cache: true };
        let (memory, salvage) = location.open_store().expect("the store opens");
        assert!(salvage.is_some());
        assert_eq!(remembered_tasks(&memory), [("second".to_owned(), 2)]);
    }
}
