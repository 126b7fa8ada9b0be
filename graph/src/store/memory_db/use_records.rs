//! The part of `memory.db` that records use: the symbols of packs that were used ([`SymbolUse`]),
//! and the words of tasks that led to them ([`WordAssociation`]).
//!
//! Each [`UseEvent`] is one transaction, so a killed process loses at most its last event.
//! Rows have checksums and tables have digests, like those of feedback.

use super::MemoryStore;
use crate::hash::Hash;
use crate::store::row_checksums::{RowChecksum, TableDigest, expect_checksum, read_consistently};
use crate::store::{StoreError, WithDatabasePath};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, TransactionBehavior, params};
use std::collections::BTreeMap;

/// The numbers of packs whose readers used and did not use a symbol, for one cluster of tasks and
/// one state of the symbol's package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolUse {
    /// The identity of the symbol.
    pub symbol: Hash,
    /// The cluster of the tasks.
    pub cluster: Hash,
    /// The structure root of the symbol's package. The counts expire when the package changes.
    pub package_root: Hash,
    /// The number of packs whose reader used the symbol.
    pub used: u32,
    /// The number of packs whose reader did not use it.
    pub unused: u32,
    /// The time of the last event, in seconds since the Unix epoch.
    pub at: u64,
}

/// The number of times that a task with a keyword led to the use of a symbol, for one cluster of
/// tasks and one state of the symbol's package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordAssociation {
    /// The keyword, in lower case.
    pub keyword: String,
    /// The identity of the symbol.
    pub symbol: Hash,
    /// The cluster of the tasks.
    pub cluster: Hash,
    /// The structure root of the symbol's package. The count expires when the package changes.
    pub package_root: Hash,
    /// The number of packs for such tasks whose reader used the symbol.
    pub count: u32,
    /// The time of the last event, in seconds since the Unix epoch.
    pub at: u64,
}

/// A symbol of an event, with the structure root of its package at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootedSymbol {
    /// The identity of the symbol.
    pub symbol: Hash,
    /// The structure root of the symbol's package.
    pub package_root: Hash,
}

/// Describes how the reader of one pack used its symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UseEvent {
    /// The cluster of the task.
    pub cluster: Hash,
    /// The keywords of the task that are worth remembering.
    pub keywords: Vec<String>,
    /// The symbols that were used. Each is associated with each keyword.
    pub used: Vec<RootedSymbol>,
    /// The symbols that were not used.
    pub unused: Vec<RootedSymbol>,
    /// The time of the event, in seconds since the Unix epoch.
    pub at: u64,
}

/// A row of one of the learned tables.
pub(super) trait UseRow: Sized {
    /// The table.
    const TABLE: &'static str;
    /// Selects all rows, with the columns that `from_row` reads and then the checksum.
    const SELECT: &'static str;
    /// The columns of the key.
    const KEY: &'static [&'static str];
    /// The column of the checksum in `SELECT`.
    const SUM_COLUMN: usize;

    /// Reads a row of `SELECT`.
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self>;

    /// Computes the checksum of the row.
    fn row_checksum(&self) -> i64;

    /// Loads the stored row with the same key.
    fn load_same_key(&self, transaction: &Transaction<'_>) -> rusqlite::Result<Option<Self>>;

    /// Adds the counts of another row with the same key.
    fn add_counts(&mut self, other: &Self);

    /// Writes the row, replacing the one with the same key.
    fn write(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()>;
}

impl UseRow for SymbolUse {
    const TABLE: &'static str = "uses";
    const SELECT: &'static str = "SELECT symbol_hash, cluster, package_root, used, unused, at, sum FROM uses";
    const KEY: &'static [&'static str] = &["symbol_hash", "cluster", "package_root"];
    const SUM_COLUMN: usize = 6;

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            symbol: Hash(row.get(0)?),
            cluster: Hash(row.get(1)?),
            package_root: Hash(row.get(2)?),
            used: row.get(3)?,
            unused: row.get(4)?,
            at: row.get::<_, i64>(5)?.cast_unsigned(),
        })
    }

    fn row_checksum(&self) -> i64 {
        let Self { symbol, cluster, package_root, used, unused, at } = self;
        let mut sum = RowChecksum::new(Self::TABLE);
        sum.add_bytes(&symbol.0).add_bytes(&cluster.0).add_bytes(&package_root.0);
        sum.add_number(i64::from(*used)).add_number(i64::from(*unused)).add_number(at.cast_signed()).finish()
    }

    fn load_same_key(&self, transaction: &Transaction<'_>) -> rusqlite::Result<Option<Self>> {
        transaction
            .prepare_cached(
                "SELECT symbol_hash, cluster, package_root, used, unused, at, sum FROM uses
                 WHERE symbol_hash = ? AND cluster = ? AND package_root = ?",
            )?
            .query_row([self.symbol.0, self.cluster.0, self.package_root.0], checked_row)
            .optional()
    }

    fn add_counts(&mut self, other: &Self) {
        self.used = self.used.saturating_add(other.used);
        self.unused = self.unused.saturating_add(other.unused);
        self.at = self.at.max(other.at);
    }

    fn write(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let Self { symbol, cluster, package_root, used, unused, at } = self;
        let sum = self.row_checksum();
        transaction
            .prepare_cached("INSERT OR REPLACE INTO uses VALUES (?, ?, ?, ?, ?, ?, ?)")?
            .execute(params![symbol.0, cluster.0, package_root.0, used, unused, at.cast_signed(), sum])?;
        Ok(())
    }
}

impl UseRow for WordAssociation {
    const TABLE: &'static str = "vocabulary";
    const SELECT: &'static str =
        "SELECT keyword, symbol_hash, cluster, package_root, count, at, sum FROM vocabulary";
    const KEY: &'static [&'static str] = &["keyword", "symbol_hash", "cluster", "package_root"];
    const SUM_COLUMN: usize = 6;

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            keyword: row.get(0)?,
            symbol: Hash(row.get(1)?),
            cluster: Hash(row.get(2)?),
            package_root: Hash(row.get(3)?),
            count: row.get(4)?,
            at: row.get::<_, i64>(5)?.cast_unsigned(),
        })
    }

    fn row_checksum(&self) -> i64 {
        let Self { keyword, symbol, cluster, package_root, count, at } = self;
        let mut sum = RowChecksum::new(Self::TABLE);
        sum.add_text(keyword).add_bytes(&symbol.0).add_bytes(&cluster.0).add_bytes(&package_root.0);
        sum.add_number(i64::from(*count)).add_number(at.cast_signed()).finish()
    }

    fn load_same_key(&self, transaction: &Transaction<'_>) -> rusqlite::Result<Option<Self>> {
        transaction
            .prepare_cached(
                "SELECT keyword, symbol_hash, cluster, package_root, count, at, sum FROM vocabulary
                 WHERE keyword = ? AND symbol_hash = ? AND cluster = ? AND package_root = ?",
            )?
            .query_row(params![self.keyword, self.symbol.0, self.cluster.0, self.package_root.0], checked_row)
            .optional()
    }

    fn add_counts(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.at = self.at.max(other.at);
    }

    fn write(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let Self { keyword, symbol, cluster, package_root, count, at } = self;
        let sum = self.row_checksum();
        transaction
            .prepare_cached("INSERT OR REPLACE INTO vocabulary VALUES (?, ?, ?, ?, ?, ?, ?)")?
            .execute(params![keyword, symbol.0, cluster.0, package_root.0, count, at.cast_signed(), sum])?;
        Ok(())
    }
}

/// Reads a row and compares it with its checksum.
pub(super) fn checked_row<R: UseRow>(row: &Row<'_>) -> rusqlite::Result<R> {
    let read = R::from_row(row)?;
    expect_checksum(R::TABLE, row.get(R::SUM_COLUMN)?, read.row_checksum())?;
    Ok(read)
}

/// Adds rows to a table: a row with a stored key adds to the stored counts.
pub(super) fn add_rows<R: UseRow>(
    transaction: &Transaction<'_>,
    rows: impl IntoIterator<Item = R>,
) -> rusqlite::Result<()> {
    let mut digest = TableDigest::load_stored(transaction, R::TABLE)?;
    for mut row in rows {
        if let Some(stored) = row.load_same_key(transaction)? {
            digest.remove_row(stored.row_checksum());
            row.add_counts(&stored);
        }
        row.write(transaction)?;
        digest.add_row(row.row_checksum());
    }
    digest.save_for_table(transaction, R::TABLE)
}

/// Loads and checks every row of a table, in the order of its key.
pub(super) fn load_rows<R: UseRow>(connection: &Connection) -> rusqlite::Result<Vec<R>> {
    read_consistently(connection, || {
        let query = format!("{} ORDER BY {}", R::SELECT, R::KEY.join(", "));
        let mut statement = connection.prepare_cached(&query)?;
        let rows: Vec<R> = statement.query_map([], checked_row)?.collect::<rusqlite::Result<_>>()?;
        let mut digest = TableDigest::default();
        for row in &rows {
            digest.add_row(row.row_checksum());
        }
        digest.expect_stored(connection, R::TABLE)?;
        Ok(rows)
    })
}

/// Returns the rows of a damaged table that can be read and match their checksums. Reads forwards
/// and then backwards, because reading ends at a damaged page.
pub(super) fn readable_rows<R: UseRow>(connection: &Connection) -> Vec<R> {
    let mut found = BTreeMap::new();
    for separator in [", ", " DESC, "] {
        let direction = separator.trim_end_matches(", ");
        let query = format!("{} ORDER BY {}{direction}", R::SELECT, R::KEY.join(separator));
        let Ok(mut statement) = connection.prepare(&query) else { continue };
        let Ok(mut rows) = statement.query([]) else { continue };
        // An error ends the reading. Keep the rows before it.
        while let Ok(Some(row)) = rows.next() {
            if let Ok(read) = checked_row::<R>(row) {
                found.entry(read.row_checksum()).or_insert(read);
            }
        }
    }
    found.into_values().collect()
}

/// The condition of [`delete_rows`] for the rows about one symbol, or for all rows.
pub(super) const ABOUT_SYMBOL: &str = "?1 IS NULL OR symbol_hash = ?1";

/// Deletes the rows of a table that meet a condition with one parameter. Returns their number.
pub(super) fn delete_rows(
    transaction: &Transaction<'_>,
    table: &'static str,
    condition: &'static str,
    parameter: impl ToSql,
) -> rusqlite::Result<usize> {
    let mut digest = TableDigest::load_stored(transaction, table)?;
    let query = format!("DELETE FROM {table} WHERE {condition} RETURNING sum");
    let mut deleted = 0;
    for sum in transaction.prepare(&query)?.query_map([parameter], |row| row.get(0))? {
        digest.remove_row(sum?);
        deleted += 1;
    }
    digest.save_for_table(transaction, table)?;
    Ok(deleted)
}

impl MemoryStore {
    /// Records the reader's use of the symbols of a pack, in one transaction. When this returns,
    /// the event is on disk.
    ///
    /// # Errors
    /// Fails if the database cannot be read or written, or is damaged.
    pub fn record_use(&mut self, event: &UseEvent) -> Result<(), StoreError> {
        let UseEvent { cluster, keywords, used, unused, at } = event;
        let (cluster, at) = (*cluster, *at);
        let count_use = |symbol: &RootedSymbol, used, unused| {
            let RootedSymbol { symbol, package_root } = *symbol;
            SymbolUse { symbol, cluster, package_root, used, unused, at }
        };
        let uses = used.iter().map(|symbol| count_use(symbol, 1, 0));
        let uses = uses.chain(unused.iter().map(|symbol| count_use(symbol, 0, 1)));
        let words = used.iter().flat_map(|&RootedSymbol { symbol, package_root }| {
            keywords.iter().map(move |keyword| WordAssociation {
                keyword: keyword.clone(),
                symbol,
                cluster,
                package_root,
                count: 1,
                at,
            })
        });
        self.add_learned(uses, words)
    }

    /// Adds rows in one transaction.
    pub(super) fn add_learned(
        &mut self,
        uses: impl IntoIterator<Item = SymbolUse>,
        words: impl IntoIterator<Item = WordAssociation>,
    ) -> Result<(), StoreError> {
        let add = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            add_rows(&transaction, uses)?;
            add_rows(&transaction, words)?;
            transaction.commit()
        };
        add(&mut self.connection).with_path(&self.path)
    }

    /// Returns the uses of symbols for a cluster of tasks, or for all clusters, sorted by symbol,
    /// cluster and package root. The caller decides which are still valid.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if a row does not match its checksum, or if one is missing.
    pub fn load_uses(&self, cluster: Option<&Hash>) -> Result<Vec<SymbolUse>, StoreError> {
        let mut uses: Vec<SymbolUse> = load_rows(&self.connection).with_path(&self.path)?;
        uses.retain(|row| cluster.is_none_or(|cluster| *cluster == row.cluster));
        Ok(uses)
    }

    /// Returns the learned vocabulary, sorted by keyword, symbol, cluster and package root. The
    /// caller decides which associations are still valid.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if a row does not match its checksum, or if one is missing.
    pub fn load_vocabulary(&self) -> Result<Vec<WordAssociation>, StoreError> {
        load_rows(&self.connection).with_path(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn hash(text: &str) -> Hash {
        Hash::from_content(text.as_bytes())
    }

    fn rooted(symbol: &str, root: &str) -> RootedSymbol {
        RootedSymbol { symbol: hash(symbol), package_root: hash(root) }
    }

    fn event(cluster: &str, keywords: &[&str], used: &[RootedSymbol], unused: &[RootedSymbol]) -> UseEvent {
        UseEvent {
            cluster: hash(cluster),
            keywords: keywords.iter().map(|&word| word.to_owned()).collect(),
            used: used.to_vec(),
            unused: unused.to_vec(),
            at: 7,
        }
    }

    fn open(folder: &tempfile::TempDir) -> MemoryStore {
        MemoryStore::open(&folder.path().join("memory.db")).expect("opens")
    }

    #[test]
    fn events_add_up_by_keyword_symbol_cluster_and_package_state() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let settle = rooted("settle", "before");
        let print = rooted("print", "before");
        for _ in 0..2 {
            // Each event is in the file when the store is opened again.
            open(&folder).record_use(&event("pay", &["payment"], &[settle], &[print])).expect("stored");
        }
        let mut memory = open(&folder);
        memory.record_use(&event("pay", &["payment"], &[rooted("settle", "after")], &[])).expect("stored");
        memory.record_use(&event("refund", &["payment", "refund"], &[settle], &[])).expect("stored");
        let counts = |cluster: Option<&str>| -> Vec<(u32, u32)> {
            let uses = memory.load_uses(cluster.map(hash).as_ref()).expect("read");
            let mut counts: Vec<(u32, u32)> = uses.iter().map(|row| (row.used, row.unused)).collect();
            counts.sort_unstable();
            counts
        };
        assert_eq!(counts(Some("pay")), [(0, 2), (1, 0), (2, 0)]);
        assert_eq!(counts(None), [(0, 2), (1, 0), (1, 0), (2, 0)]);
        let words = memory.load_vocabulary().expect("read");
        let mut words: Vec<(&str, bool, bool, u32)> = words
            .iter()
            .map(|word| {
                let is_before = word.package_root == hash("before");
                (word.keyword.as_str(), word.cluster == hash("pay"), is_before, word.count)
            })
            .collect();
        words.sort_unstable();
        let expected = [
            ("payment", false, true, 1),
            ("payment", true, false, 1),
            ("payment", true, true, 2),
            ("refund", false, true, 1),
        ];
        assert_eq!(words, expected, "unused symbols have no words");
    }

    #[test]
    fn forgetting_covers_uses_and_words() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut memory = open(&folder);
        let used = [rooted("one", "root"), rooted("two", "root")];
        memory.record_use(&event("c", &["word"], &used, &[rooted("three", "root")])).expect("stored");
        let forgotten = memory.forget_learned(Some(&hash("one"))).expect("deleted");
        assert_eq!((forgotten.feedback, forgotten.uses, forgotten.words), (0, 1, 1));
        assert_eq!(memory.load_vocabulary().expect("read").len(), 1);
        let forgotten = memory.forget_learned(None).expect("deleted");
        assert_eq!((forgotten.feedback, forgotten.uses, forgotten.words), (0, 2, 1));
        assert_eq!(memory.load_uses(None).expect("read"), []);
    }

    #[test]
    fn a_changed_or_lost_row_is_damage_and_the_others_are_recovered() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (number, damage) in [
            "UPDATE uses SET unused = 9 WHERE used = 1",
            "DELETE FROM vocabulary WHERE keyword = 'first'",
            "UPDATE vocabulary SET count = 9 WHERE keyword = 'first'",
        ]
        .into_iter()
        .enumerate()
        {
            let path = folder.path().join(format!("{number}.db"));
            let mut memory = MemoryStore::open(&path).expect("opens");
            let used = [rooted("one", "root")];
            memory.record_use(&event("c", &["first", "second"], &used, &[])).expect("stored");
            memory.connection.execute(damage, []).expect("the damage is written");
            assert!(memory.check_rows().expect_err("the damage is detected").is_damage(), "{damage}");
            drop(memory);
            let location = super::super::MemoryLocation { path, is_in_cache: true };
            let (memory, salvage) = location.open_store().expect("the store opens");
            assert!(salvage.is_some(), "{damage}");
            let words = memory.load_vocabulary().expect("undamaged");
            assert!(words.iter().any(|word| word.keyword == "second"), "{damage}");
        }
    }

    #[test]
    fn a_memory_from_before_uses_keeps_its_feedback() {
        const BEFORE: crate::store::migrate::DatabaseOptions =
            crate::store::migrate::DatabaseOptions::from_steps(&[
                include_str!("../../../../migrations/memory/0001_initial.sql"),
                include_str!("../../../../migrations/memory/0002_feedback_by_cluster.sql"),
                include_str!("../../../../migrations/memory/0003_checksums.sql"),
            ]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path: &Path = &folder.path().join("memory.db");
        let mut before = MemoryStore::from_connection(
            path,
            crate::store::migrate::open_database(path, BEFORE).expect("created"),
        );
        let feedback = super::super::Feedback {
            symbol: hash("s"),
            cluster: hash("c"),
            useful: true,
            package_root: hash("r"),
            at: 1,
        };
        before.insert_feedback(&feedback).expect("stored");
        drop(before);
        let mut memory = MemoryStore::open(path).expect("opens");
        memory.record_use(&event("c", &["word"], &[rooted("s", "r")], &[])).expect("stored");
        assert_eq!(memory.load_feedback(None).expect("read")[0].useful, 1);
        assert_eq!(memory.load_vocabulary().expect("read")[0].count, 1);
    }
}
