//! `memory.db`: the user's feedback, as answers to "was this symbol useful?", the uses of the
//! symbols of packs (`use_records`), and the first symbols of packs (`task_memory`).
//!
//! Kenning opens it only if learning is on, and keeps transactions short. A re-index, a migration
//! or a damaged graph never deletes it. Because it cannot be rebuilt, each entry is on disk before
//! it is acknowledged, and `salvage` recovers the readable entries of a damaged file.

mod raw_rows;
mod salvage;
mod task_memory;
mod use_records;

pub use salvage::{MemoryLocation, SalvageReport};
pub use task_memory::{RememberedSymbol, TaskEvent};
pub use use_records::{RootedSymbol, SymbolUse, UseEvent, WordAssociation};

use super::row_checksums::{RowChecksum, TableDigest, expect_checksum, read_consistently};
use super::{StoreError, WithDatabasePath, migrate};
use crate::hash::Hash;
use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use use_records::{ABOUT_SYMBOL, UseRow, delete_rows, load_rows};

/// The options of `memory.db`.
pub(super) const OPTIONS: migrate::DatabaseOptions = migrate::DatabaseOptions {
    steps: &[
        include_str!("../../../migrations/memory/0001_initial.sql"),
        include_str!("../../../migrations/memory/0002_feedback_by_cluster.sql"),
        include_str!("../../../migrations/memory/0003_checksums.sql"),
        include_str!("../../../migrations/memory/0004_uses.sql"),
        include_str!("../../../migrations/memory/0005_task_memory.sql"),
    ],
    durable: true,
    secure_delete: true,
    finish_migration: |transaction, found| if found < 3 { add_checksums(transaction) } else { Ok(()) },
};

/// The table of feedback.
const TABLE: &str = "feedback";

/// The user's feedback and learned vocabulary.
#[derive(Debug)]
pub struct MemoryStore {
    path: PathBuf,
    connection: Connection,
}

/// One feedback entry: the answer to "was this symbol useful?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The identity of the symbol.
    pub symbol: Hash,
    /// The hash of the task's sorted primary keywords. Feedback applies to similar tasks only.
    pub cluster: Hash,
    /// Whether the symbol was useful.
    pub useful: bool,
    /// The structure root of the symbol's package at that time. Feedback expires when the package
    /// changes.
    pub package_root: Hash,
    /// The time of the entry, in seconds since the Unix epoch.
    pub at: u64,
}

/// The feedback entries about a symbol in a cluster of tasks, for one state of its package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackSum {
    /// The identity of the symbol.
    pub symbol: Hash,
    /// The cluster of tasks.
    pub cluster: Hash,
    /// The structure root of the package. The entries are valid only while the package has it.
    pub package_root: Hash,
    /// The number of entries that found the symbol useful.
    pub useful: u32,
    /// The number of entries that found the symbol not useful.
    pub not_useful: u32,
    /// The time of the last entry, in seconds since the Unix epoch.
    pub at: u64,
}

/// The numbers of rows that a deletion removed or would remove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForgottenRows {
    /// The number of feedback entries.
    pub feedback: usize,
    /// The number of use counts, one per symbol and cluster.
    pub uses: usize,
    /// The number of associations of keywords with symbols.
    pub words: usize,
    /// The number of first symbols of packs, by task.
    pub remembered: usize,
}

impl ForgottenRows {
    /// Returns the number of all rows.
    pub fn total(self) -> usize {
        self.feedback + self.uses + self.words + self.remembered
    }
}

impl FeedbackSum {
    /// Returns the share of entries that found the symbol useful, from 0 to 1.
    pub fn useful_share(&self) -> f64 {
        f64::from(self.useful) / f64::from((self.useful + self.not_useful).max(1))
    }
}

impl MemoryStore {
    /// Opens or creates the database.
    ///
    /// # Errors
    /// Fails if the database cannot be opened, is damaged or was written by a newer version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { path: path.to_owned(), connection: migrate::open_database(path, OPTIONS)? })
    }

    /// Wraps a connection without checking or changing its database.
    pub(super) fn from_connection(path: &Path, connection: Connection) -> Self {
        Self { path: path.to_owned(), connection }
    }

    /// Returns the path of the database.
    pub fn database_path(&self) -> &Path {
        &self.path
    }

    /// Stores a feedback entry. When this returns, the entry is on disk.
    ///
    /// # Errors
    /// Fails if the database cannot be read or written, or is damaged.
    pub fn insert_feedback(&mut self, feedback: &Feedback) -> Result<(), StoreError> {
        self.insert_all_feedback(std::slice::from_ref(feedback))
    }

    fn insert_all_feedback(&mut self, entries: &[Feedback]) -> Result<(), StoreError> {
        let add = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut digest = TableDigest::load_stored(&transaction, TABLE)?;
            for feedback in entries {
                let Feedback { symbol, cluster, useful, package_root, at } = feedback;
                let sum = feedback.row_checksum();
                transaction
                    .prepare_cached(
                        "INSERT INTO feedback (symbol_hash, cluster, useful, package_root, at, sum)
                         VALUES (?, ?, ?, ?, ?, ?)",
                    )?
                    .execute(params![symbol.0, cluster.0, useful, package_root.0, *at as i64, sum])?;
                digest.add_row(sum);
            }
            digest.save_for_table(&transaction, TABLE)?;
            transaction.commit()
        };
        add(&mut self.connection).with_path(&self.path)
    }

    /// Returns the sums of the entries for a cluster of tasks, or for all clusters, sorted by
    /// cluster, symbol and package root. The caller must ignore the sums whose package root is not
    /// the current root.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if an entry does not match its checksum or is missing.
    pub fn load_feedback(&self, cluster: Option<&Hash>) -> Result<Vec<FeedbackSum>, StoreError> {
        let mut sums: BTreeMap<(Hash, Hash, Hash), FeedbackSum> = BTreeMap::new();
        for entry in self.load_all_feedback()? {
            if cluster.is_some_and(|cluster| *cluster != entry.cluster) {
                continue;
            }
            let Feedback { symbol, cluster, useful, package_root, at } = entry;
            let empty = FeedbackSum { symbol, cluster, package_root, useful: 0, not_useful: 0, at };
            let sum = sums.entry((cluster, symbol, package_root)).or_insert(empty);
            sum.useful += u32::from(useful);
            sum.not_useful += u32::from(!useful);
            sum.at = sum.at.max(at);
        }
        Ok(sums.into_values().collect())
    }

    /// Loads and checks every entry.
    fn load_all_feedback(&self) -> Result<Vec<Feedback>, StoreError> {
        let connection = &self.connection;
        let read = || {
            let mut statement = connection.prepare_cached(SELECT_FEEDBACK)?;
            let (mut rows, mut entries, mut digest) =
                (statement.query([])?, Vec::new(), TableDigest::default());
            while let Some(row) = rows.next()? {
                let entry = Feedback::from_row(row)?;
                expect_checksum(TABLE, row.get(SUM_COLUMN)?, entry.row_checksum())?;
                digest.add_row(entry.row_checksum());
                entries.push(entry);
            }
            digest.expect_stored(connection, TABLE)?;
            Ok(entries)
        };
        read_consistently(connection, read).with_path(&self.path)
    }

    /// Reads all rows, as a check.
    pub(super) fn check_rows(&self) -> Result<(), StoreError> {
        self.load_all_feedback()?;
        self.load_uses(None)?;
        self.load_vocabulary()?;
        self.load_remembered().map(drop)
    }

    /// Deletes everything that was learned about one symbol, or about all symbols.
    ///
    /// # Errors
    /// Fails if the database cannot be read or written, or is damaged.
    pub fn forget_learned(&mut self, symbol: Option<&Hash>) -> Result<ForgottenRows, StoreError> {
        let symbol = symbol.map(|hash| hash.0);
        let forget = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let forgotten = ForgottenRows {
                feedback: delete_rows(&transaction, TABLE, ABOUT_SYMBOL, symbol)?,
                uses: delete_rows(&transaction, SymbolUse::TABLE, ABOUT_SYMBOL, symbol)?,
                words: delete_rows(&transaction, WordAssociation::TABLE, ABOUT_SYMBOL, symbol)?,
                remembered: delete_rows(&transaction, RememberedSymbol::TABLE, ABOUT_SYMBOL, symbol)?,
            };
            transaction.commit()?;
            Ok(forgotten)
        };
        forget(&mut self.connection).with_path(&self.path)
    }

    /// Counts everything that was learned about one symbol, or about all symbols.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if a row does not match its checksum or is missing.
    pub fn count_learned(&self, symbol: Option<&Hash>) -> Result<ForgottenRows, StoreError> {
        let is_about = |row: &Hash| symbol.is_none_or(|symbol| symbol == row);
        let uses: Vec<SymbolUse> = load_rows(&self.connection).with_path(&self.path)?;
        Ok(ForgottenRows {
            feedback: self.load_all_feedback()?.iter().filter(|entry| is_about(&entry.symbol)).count(),
            uses: uses.iter().filter(|row| is_about(&row.symbol)).count(),
            words: self.load_vocabulary()?.iter().filter(|row| is_about(&row.symbol)).count(),
            remembered: self.load_remembered()?.iter().filter(|row| is_about(&row.symbol)).count(),
        })
    }
}

/// The query for all feedback entries. It uses no index, because a damaged index would return
/// fewer rows than there are.
const SELECT_FEEDBACK: &str =
    "SELECT symbol_hash, cluster, useful, package_root, at, sum, id FROM feedback NOT INDEXED ORDER BY id";

/// The column of the checksum in [`SELECT_FEEDBACK`].
const SUM_COLUMN: usize = 5;

impl Feedback {
    /// Reads an entry from the first columns of [`SELECT_FEEDBACK`].
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            symbol: Hash(row.get(0)?),
            cluster: Hash(row.get(1)?),
            useful: row.get(2)?,
            package_root: Hash(row.get(3)?),
            at: row.get::<_, i64>(4)?.cast_unsigned(),
        })
    }

    /// Computes the checksum of the row.
    fn row_checksum(&self) -> i64 {
        let Self { symbol, cluster, useful, package_root, at } = self;
        let mut sum = RowChecksum::new(TABLE);
        sum.add_bytes(&symbol.0).add_bytes(&cluster.0).add_bytes(&package_root.0);
        sum.add_number(i64::from(*useful)).add_number(at.cast_signed()).finish()
    }
}

/// Adds checksums to the entries of a database from a version without checksums.
fn add_checksums(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut digest = TableDigest::default();
    let mut statement = transaction.prepare(SELECT_FEEDBACK)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (sum, id): (i64, i64) = (Feedback::from_row(row)?.row_checksum(), row.get(SUM_COLUMN + 1)?);
        transaction.prepare_cached("UPDATE feedback SET sum = ? WHERE id = ?")?.execute([sum, id])?;
        digest.add_row(sum);
    }
    digest.save_for_table(transaction, TABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feedback_is_summed_by_cluster_and_package_state_until_it_is_deleted() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("memory.db");
        let hash = |text: &str| Hash::from_content(text.as_bytes());
        let entry = |useful| Feedback {
            symbol: hash("s"),
            cluster: hash("c"),
            useful,
            package_root: hash("root"),
            at: 7,
        };
        {
            let mut memory = MemoryStore::open(&path).expect("opens");
            for useful in [true, true, false] {
                memory.insert_feedback(&entry(useful)).expect("stored");
            }
        }
        let mut memory = MemoryStore::open(&path).expect("opens again");
        let later = Feedback { package_root: hash("changed"), at: 9, ..entry(false) };
        memory.insert_feedback(&later).expect("stored");
        let sums = |memory: &MemoryStore, cluster: Option<&str>| -> Vec<_> {
            let sums = memory.load_feedback(cluster.map(hash).as_ref()).expect("read");
            let state = |root| if root == hash("root") { "before" } else { "after" };
            let mut sums: Vec<_> = sums
                .iter()
                .map(|s| (state(s.package_root), s.useful, s.not_useful, s.at, s.useful_share()))
                .collect();
            sums.sort_by(|a, b| b.0.cmp(a.0));
            sums
        };
        let all = [("before", 2, 1, 7, 2.0 / 3.0), ("after", 0, 1, 9, 0.0)];
        assert_eq!(sums(&memory, Some("c")), all);
        assert_eq!(sums(&memory, None), all);
        assert_eq!(sums(&memory, Some("other task")), []);
        assert_eq!(memory.forget_learned(Some(&hash("another"))).expect("deleted").total(), 0);
        assert_eq!(memory.count_learned(Some(&hash("s"))).expect("counted").feedback, 4);
        assert_eq!(memory.forget_learned(Some(&hash("s"))).expect("deleted").feedback, 4);
        assert_eq!(sums(&memory, None), []);
    }

    #[test]
    fn the_migration_keeps_entries_without_checksums_and_adds_checksums() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("memory.db");
        const BEFORE: migrate::DatabaseOptions = migrate::DatabaseOptions::from_steps(&[
            include_str!("../../../migrations/memory/0001_initial.sql"),
            include_str!("../../../migrations/memory/0002_feedback_by_cluster.sql"),
        ]);
        let hash = Hash::from_content(b"s");
        let insert =
            "INSERT INTO feedback (symbol_hash, cluster, useful, package_root, at) VALUES (?1, ?1, 1, ?1, 7)";
        let before = migrate::open_database(&path, BEFORE).expect("created");
        for _ in 0..3 {
            before.execute(insert, [hash.0]).expect("inserted");
        }
        drop(before);
        let memory = MemoryStore::open(&path).expect("opens");
        let sums = memory.load_feedback(None).expect("read");
        assert_eq!(
            sums.iter().map(|sum| (sum.symbol, sum.useful, sum.at)).collect::<Vec<_>>(),
            [(hash, 3, 7)]
        );
    }

    #[test]
    fn a_changed_lost_or_duplicated_entry_is_damage() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let hash = |text: &str| Hash::from_content(text.as_bytes());
        for (n, damage) in [
            "UPDATE feedback SET useful = 0 WHERE id = 1",
            "UPDATE feedback SET cluster = symbol_hash WHERE id = 2",
            "DELETE FROM feedback WHERE id = 2",
            "INSERT INTO feedback (symbol_hash, cluster, useful, package_root, at, sum)
             SELECT symbol_hash, cluster, useful, package_root, at, sum FROM feedback WHERE id = 1",
        ]
        .into_iter()
        .enumerate()
        {
            let mut memory = MemoryStore::open(&dir.path().join(format!("{n}.db"))).expect("opens");
            for name in ["a", "b"] {
                let (symbol, cluster) = (hash(name), hash("c"));
                let entry = Feedback { symbol, cluster, useful: true, package_root: hash("p"), at: 7 };
                memory.insert_feedback(&entry).expect("stored");
            }
            assert_eq!(memory.load_feedback(None).expect("read").len(), 2);
            memory.connection.execute(damage, []).expect("the damage is written");
            assert!(
                memory.load_feedback(Some(&hash("c"))).expect_err("the damage is detected").is_damage(),
                "{damage}"
            );
        }
    }

    #[test]
    fn an_entry_is_on_disk_before_it_is_acknowledged() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let memory = MemoryStore::open(&dir.path().join("memory.db")).expect("opens");
        let synchronous: u32 = memory
            .connection
            .pragma_query_value(None, "synchronous", |row| row.get(0))
            .expect("the pragma is read");
        assert_eq!(synchronous, 2, "FULL (sqlite.org/pragma.html)");
    }
}
