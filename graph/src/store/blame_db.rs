//! The part of `facts.db` for blame: the origins of the lines of committed files.
//!
//! In: the blame of a version of a file, as git computed it. Out: the same blame for the same path
//! and content, without asking git. Old versions of a path are deleted.
//!
//! Invariant: a blame that does not match its checksum is not returned; it is computed again.

use super::facts_db::FactsStore;
use super::row_checksums::RowChecksum;
use super::{StoreError, WithDatabasePath};
use crate::blame::FileBlame;
use crate::hash::Hash;
use rusqlite::{OptionalExtension, TransactionBehavior, params};

/// The maximum number of file versions stored per path. Each commit that changes a file adds one; a
/// few branches need only their latest versions.
const MAX_VERSIONS: u32 = 4;

/// A version of a file, which identifies its blame.
#[derive(Clone, Copy, Debug)]
pub struct BlameKey<'a> {
    /// The path in the repository.
    pub path: &'a str,
    /// The hash of its content.
    pub content_hash: &'a Hash,
}

impl FactsStore {
    /// Returns the stored blame for this version of a file, and the commit that it was computed
    /// from. Returns `None` if no blame is stored or the stored blame is damaged.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn load_blame(
        &self,
        path: &str,
        content_hash: &Hash,
    ) -> Result<Option<(String, FileBlame)>, StoreError> {
        let row: Option<(String, i64, Vec<u8>)> = self
            .connection
            .prepare_cached("SELECT head, sum, data FROM blame WHERE path = ? AND content_hash = ?")
            .and_then(|mut s| {
                let key = params![path, content_hash.0];
                s.query_row(key, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
            })
            .with_path(&self.path)?;
        let undamaged =
            row.filter(|(head, sum, data)| *sum == blame_checksum(path, content_hash, head, data));
        Ok(undamaged.and_then(|(head, _, data)| Some((head, postcard::from_bytes(&data).ok()?))))
    }

    /// Stores the blame of one version of a file, computed from the commit `head` at `now`, in
    /// seconds since the Unix epoch.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub fn insert_blame(
        &mut self,
        key: BlameKey<'_>,
        head: &str,
        now: u64,
        blame: &FileBlame,
    ) -> Result<(), StoreError> {
        let BlameKey { path, content_hash } = key;
        let data = postcard::to_stdvec(blame).unwrap_or_default();
        let (file, sum) = (&self.path, blame_checksum(path, content_hash, head, &data));
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).with_path(file)?;
        transaction
            .execute(
                "INSERT OR REPLACE INTO blame VALUES (?, ?, ?, ?, ?, ?)",
                params![path, content_hash.0, head, now as i64, sum, data],
            )
            .with_path(file)?;
        transaction
            .execute(
                "DELETE FROM blame WHERE path = ?1 AND content_hash NOT IN
                 (SELECT content_hash FROM blame WHERE path = ?1 ORDER BY made DESC, content_hash LIMIT ?2)",
                params![path, MAX_VERSIONS],
            )
            .with_path(file)?;
        transaction.commit().with_path(file)
    }
}

/// Computes the checksum of a stored blame, including its key and commit.
fn blame_checksum(path: &str, content_hash: &Hash, head: &str, data: &[u8]) -> i64 {
    RowChecksum::new("blame")
        .add_text(path)
        .add_bytes(&content_hash.0)
        .add_text(head)
        .add_bytes(data)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blame::{BlameCommit, BlameRun};

    #[test]
    fn the_blame_of_the_latest_contents_of_a_path_is_kept() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = FactsStore::open(&dir.path().join("facts.db"), 1).expect("opens");
        let commit = BlameCommit { time: 7, id: "c".to_owned(), author: "A <a@x>".to_owned() };
        let blame = FileBlame {
            commits: vec![commit],
            runs: vec![BlameRun { first_line: 0, line_count: 3, commit: 0 }],
        };
        let contents: Vec<Hash> = (0..6u8).map(|n| Hash::from_content(&[n])).collect();
        for (at, content) in contents.iter().enumerate() {
            let key = BlameKey { path: "a/b.rs", content_hash: content };
            store.insert_blame(key, "head", at as u64, &blame).expect("stored");
        }
        assert_eq!(store.load_blame("a/b.rs", &contents[5]).expect("read"), Some(("head".to_owned(), blame)));
        let stored =
            contents.iter().filter(|c| store.load_blame("a/b.rs", c).expect("read").is_some()).count();
        assert_eq!(stored, MAX_VERSIONS as usize);
        assert_eq!(store.load_blame("a/b.rs", &contents[0]).expect("read"), None);
        store.connection.execute("UPDATE blame SET head = 'another'", []).expect("the damage is written");
        assert_eq!(
            store.load_blame("a/b.rs", &contents[5]).expect("read"),
            None,
            "damaged blame counts as missing"
        );
        assert_eq!(store.load_blame("b.rs", &contents[5]).expect("read"), None);
    }
}
