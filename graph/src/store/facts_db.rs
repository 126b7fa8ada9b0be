//! `facts.db`: extraction results by content hash. A branch switch, a new worktree or an undo finds
//! the facts of its files here and need not parse them.
//!
//! The key of a row is the content hash, the language and the extractor version. A damaged row
//! counts as missing: the file is parsed again and the row replaced. The same database stores
//! commits (`commits_db`) and blame (`blame_db`).

use super::row_checksums::RowChecksum;
use super::{StoreError, WithDatabasePath, migrate};
use crate::facts::FileFacts;
use crate::hash::Hash;
use crate::snapshot::base::xxh3_checksum;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options of `facts.db`.
pub(super) const OPTIONS: migrate::DatabaseOptions = migrate::DatabaseOptions::from_steps(STEPS);

/// The migrations, in order.
const STEPS: &[&str] = &[
    include_str!("../../../migrations/facts/0001_initial.sql"),
    include_str!("../../../migrations/facts/0002_blame.sql"),
    include_str!("../../../migrations/facts/0003_history.sql"),
    include_str!("../../../migrations/facts/0004_masked_again.sql"),
    include_str!("../../../migrations/facts/0005_checksums.sql"),
];

/// The default for the maximum size of all facts, in bytes. The least recently used facts are
/// deleted first.
pub const DEFAULT_MAX_FACTS_BYTES: u64 = 2 << 30;

/// More than the factor by which LZ4 can compress, which is at most 255.
const MAX_COMPRESSION_FACTOR: usize = 256;

/// The cache of extraction results.
#[derive(Debug)]
pub struct FactsStore {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    version: u32,
}

impl FactsStore {
    /// Opens or creates the cache for facts of one extractor version.
    ///
    /// # Errors
    /// Fails if the database cannot be opened, is damaged or was written by a newer version.
    pub fn open(path: &Path, version: u32) -> Result<Self, StoreError> {
        Ok(Self { path: path.to_owned(), connection: migrate::open_database(path, OPTIONS)?, version })
    }

    /// Wraps a connection without checking or changing its database.
    pub(super) fn from_connection(path: &Path, connection: Connection) -> Self {
        Self { path: path.to_owned(), connection, version: 0 }
    }

    /// Returns the path of the database.
    pub fn database_path(&self) -> &Path {
        &self.path
    }

    /// Returns the encoded facts of a content, which [`decode_facts`] can decode on any thread.
    /// Returns `None` if the facts are missing or damaged; the caller then reads the file again and
    /// replaces them.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn load_encoded(&self, content_hash: &Hash, language: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let stored: Option<(i64, Vec<u8>)> = self
            .connection
            .prepare_cached(
                "SELECT sum, data FROM facts WHERE content_hash = ? AND language = ? AND version = ?",
            )
            .and_then(|mut s| {
                let key = params![content_hash.0, language, self.version];
                s.query_row(key, |row| Ok((row.get(0)?, row.get(1)?))).optional()
            })
            .with_path(&self.path)?;
        let is_undamaged =
            |(sum, data): &(i64, Vec<u8>)| *sum == facts_checksum(content_hash, language, self.version, data);
        Ok(stored.filter(is_undamaged).map(|(_, data)| data))
    }

    /// Verifies the checksums of all facts, of every extractor version.
    pub(super) fn check_facts(&self) -> Result<(), StoreError> {
        let mut statement = self
            .connection
            .prepare("SELECT content_hash, language, version, sum, data FROM facts")
            .with_path(&self.path)?;
        let mut rows = statement.query([]).with_path(&self.path)?;
        while let Some(row) = rows.next().with_path(&self.path)? {
            let check = || {
                let (hash, version) = (Hash(row.get(0)?), row.get(2)?);
                let sum =
                    facts_checksum(&hash, row.get_ref(1)?.as_str()?, version, row.get_ref(4)?.as_blob()?);
                super::row_checksums::expect_checksum("facts", row.get(3)?, sum)
            };
            check().with_path(&self.path)?;
        }
        Ok(())
    }

    /// Stores facts in one transaction. `day` is the current day, in days since the Unix epoch.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub fn insert_facts(&mut self, day: u64, facts: &[(Hash, Arc<FileFacts>)]) -> Result<(), StoreError> {
        let (path, version) = (&self.path, self.version);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).with_path(path)?;
        {
            let mut insert = transaction
                .prepare_cached("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)")
                .with_path(path)?;
            for (hash, facts) in facts {
                let data = encode_facts(facts);
                let (size, sum) = (data.len() as i64, facts_checksum(hash, &facts.language, version, &data));
                insert
                    .execute(params![hash.0, facts.language, version, day as i64, size, sum, data])
                    .with_path(path)?;
            }
        }
        transaction.commit().with_path(path)
    }

    /// Marks these contents as used on `day`, in days since the Unix epoch.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub fn mark_used(&mut self, day: u64, hashes: &[Hash]) -> Result<(), StoreError> {
        let path = &self.path;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).with_path(path)?;
        {
            let mut update = transaction
                .prepare_cached("UPDATE facts SET used = ?1 WHERE content_hash = ?2 AND used < ?1")
                .with_path(path)?;
            for hash in hashes {
                update.execute(params![day as i64, hash.0]).with_path(path)?;
            }
        }
        transaction.commit().with_path(path)
    }

    /// Deletes the facts of older extractor versions and, beyond `max_bytes`, the least recently
    /// used facts. Returns the number of deleted rows.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub fn prune_unused(&mut self, max_bytes: u64) -> Result<usize, StoreError> {
        let path = &self.path;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).with_path(path)?;
        let mut deleted =
            transaction.execute("DELETE FROM facts WHERE version < ?", [self.version]).with_path(path)?;
        let total: i64 = transaction
            .query_row("SELECT coalesce(sum(size), 0) FROM facts", [], |r| r.get(0))
            .with_path(path)?;
        let mut excess = total - max_bytes as i64;
        if excess > 0 {
            let mut oldest =
                transaction.prepare("SELECT rowid, size FROM facts ORDER BY used, rowid").with_path(path)?;
            let mut rows = oldest.query([]).with_path(path)?;
            let mut row_ids = Vec::new();
            while excess > 0 {
                let Some(row) = rows.next().with_path(path)? else { break };
                row_ids.push(row.get::<_, i64>(0).with_path(path)?);
                excess -= row.get::<_, i64>(1).with_path(path)?;
            }
            for rowid in row_ids {
                deleted +=
                    transaction.execute("DELETE FROM facts WHERE rowid = ?", [rowid]).with_path(path)?;
            }
        }
        transaction.commit().with_path(path)?;
        Ok(deleted)
    }
}

/// Computes the checksum of facts, which covers their key and their encoded bytes.
fn facts_checksum(content_hash: &Hash, language: &str, version: u32, data: &[u8]) -> i64 {
    RowChecksum::new("facts")
        .add_bytes(&content_hash.0)
        .add_text(language)
        .add_number(i64::from(version))
        .add_number(xxh3_checksum(data).cast_signed())
        .finish()
}

/// Encodes facts as bytes.
pub fn encode_facts(facts: &FileFacts) -> Vec<u8> {
    lz4_flex::compress_prepend_size(&postcard::to_stdvec(facts).unwrap_or_default())
}

/// Decodes facts from bytes; returns `None` if they are damaged (the file is then read again).
pub fn decode_facts(data: &[u8]) -> Option<FileFacts> {
    // Check the size at the front first, because damaged data must not cause an allocation of
    // gigabytes.
    let size = u32::from_le_bytes(data.get(..4)?.try_into().ok()?) as usize;
    if size > data.len().saturating_mul(MAX_COMPRESSION_FACTOR) {
        return None;
    }
    postcard::from_bytes(&lz4_flex::decompress_size_prepended(data).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(language: &str) -> Arc<FileFacts> {
        Arc::new(FileFacts { language: language.into(), lines: 3, ..FileFacts::default() })
    }

    #[test]
    fn facts_are_found_by_content_language_and_version() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("facts.db");
        let hash = Hash::from_content(b"x");
        let mut store = FactsStore::open(&path, 7).expect("opens");
        store.insert_facts(1, &[(hash, facts("go"))]).expect("stored");
        let data = store.load_encoded(&hash, "go").expect("read").expect("there");
        assert_eq!(decode_facts(&data), Some((*facts("go")).clone()));
        assert_eq!(decode_facts(&data[..data.len() - 1]), None);
        assert_eq!(store.load_encoded(&hash, "rust").expect("read"), None);
        assert_eq!(FactsStore::open(&path, 8).expect("opens").load_encoded(&hash, "go").expect("read"), None);
    }

    #[test]
    fn damaged_facts_and_facts_of_another_text_count_as_missing() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("facts.db");
        let (first, second) = (Hash::from_content(b"x"), Hash::from_content(b"y"));
        let mut store = FactsStore::open(&path, 7).expect("opens");
        let insert = |store: &mut FactsStore| {
            let many = Arc::new(FileFacts { lines: 300, ..(*facts("go")).clone() });
            store.insert_facts(1, &[(first, facts("go")), (second, many)]).expect("stored");
            assert!(store.load_encoded(&first, "go").expect("read").is_some() && store.check_facts().is_ok());
        };
        for damage in [
            "UPDATE facts SET sum = sum + 1",
            "UPDATE facts AS f SET data = (SELECT data FROM facts g WHERE g.content_hash <> f.content_hash)",
            "UPDATE facts AS f SET data = (SELECT data FROM facts g WHERE g.content_hash <> f.content_hash),
                    sum = (SELECT sum FROM facts g WHERE g.content_hash <> f.content_hash)",
            "UPDATE facts SET data = CAST(substr(data, 1, length(data) - 1) || x'55' AS BLOB)",
        ] {
            insert(&mut store);
            store.connection.execute(damage, []).expect("the damage is written");
            assert_eq!(store.load_encoded(&first, "go").expect("read"), None, "{damage}");
            assert!(store.check_facts().expect_err("the damage is detected").is_damage(), "{damage}");
        }
        insert(&mut store);
    }

    #[test]
    fn pruning_deletes_old_versions_and_then_the_least_recently_used_facts() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("facts.db");
        FactsStore::open(&path, 1)
            .expect("opens")
            .insert_facts(1, &[(Hash::from_content(b"v"), facts("go"))])
            .expect("stored");
        let mut store = FactsStore::open(&path, 2).expect("opens");
        let hashes = [b"a", b"b", b"c"].map(|t| Hash::from_content(t));
        for (day, hash) in hashes.iter().enumerate() {
            store.insert_facts(day as u64, &[(*hash, facts("go"))]).expect("stored");
        }
        store.mark_used(9, &hashes[..1]).expect("marked");
        let size = encode_facts(&facts("go")).len() as u64;
        assert_eq!(store.prune_unused(2 * size).expect("pruned"), 2);
        assert!(store.load_encoded(&hashes[0], "go").expect("read").is_some());
        assert!(store.load_encoded(&hashes[1], "go").expect("read").is_none());
    }

    #[test]
    fn the_migration_overwrites_messages_that_were_stored_without_masking() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("facts.db");
        let token = format!("ghp_{}", "Ab3dEf6h".repeat(5));
        let old = migrate::open_database(&path, migrate::DatabaseOptions::from_steps(&STEPS[..3]))
            .expect("an old database");
        old.execute("INSERT INTO commits VALUES ('a', 1, 1, ?)", [token.as_bytes()]).expect("stored");
        old.execute("INSERT INTO blame VALUES ('a.py', x'00', 'h', 1, ?)", [token.as_bytes()])
            .expect("stored");
        drop(old);
        let contains_token = || {
            let bytes = std::fs::read(&path).expect("read");
            bytes.windows(token.len()).any(|part| part == token.as_bytes())
        };
        assert!(contains_token(), "the old database has the token");
        drop(FactsStore::open(&path, 1).expect("opens"));
        assert!(!contains_token());
    }
}
