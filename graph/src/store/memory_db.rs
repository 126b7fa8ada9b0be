//! `memory.db`: what the user taught Kenning. Opened only where learning is on; short transactions; never dropped by
//! a re-index, a migration or a damaged graph.

use super::{AtPath, StoreError, migrate};
use crate::hash::Hash;
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};

const STEPS: &[&str] = &[include_str!("../../../migrations/memory/0001_initial.sql")];

/// The user's feedback and learned vocabulary.
#[derive(Debug)]
pub struct MemoryStore {
    path: PathBuf,
    connection: Connection,
}

/// One answer to "was this symbol useful?" (seed 000, "Feedback").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Identity of the symbol.
    pub symbol: Hash,
    /// Hash of the task's sorted primary keywords: feedback counts for similar tasks only.
    pub cluster: Hash,
    /// The answer.
    pub useful: bool,
    /// Structure root of the symbol's package at that time: feedback expires when the package changes.
    pub package_root: Hash,
    /// Seconds since the Unix epoch.
    pub at: u64,
}

/// How often a symbol was useful and how often not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedbackCount {
    /// Times it was useful.
    pub useful: u32,
    /// Times it was not.
    pub not_useful: u32,
}

impl MemoryStore {
    /// Opens or creates the database.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { path: path.to_owned(), connection: migrate::open(path, STEPS)? })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps an answer.
    pub fn add_feedback(&self, feedback: &Feedback) -> Result<(), StoreError> {
        self.connection
            .execute(
                "INSERT INTO feedback (symbol_hash, cluster, useful, package_root, at) VALUES (?, ?, ?, ?, ?)",
                params![
                    feedback.symbol.0,
                    feedback.cluster.0,
                    feedback.useful,
                    feedback.package_root.0,
                    feedback.at as i64
                ],
            )
            .at(&self.path)?;
        Ok(())
    }

    /// The answers for a symbol in a cluster of tasks that still hold: those given while its package was as it is.
    pub fn feedback(
        &self,
        symbol: &Hash,
        cluster: &Hash,
        package_root: &Hash,
    ) -> Result<FeedbackCount, StoreError> {
        self.connection
            .query_row(
                "SELECT coalesce(sum(useful), 0), coalesce(sum(1 - useful), 0) FROM feedback
                  WHERE symbol_hash = ? AND cluster = ? AND package_root = ?",
                params![symbol.0, cluster.0, package_root.0],
                |row| Ok(FeedbackCount { useful: row.get(0)?, not_useful: row.get(1)? }),
            )
            .at(&self.path)
    }

    /// Erases what was learned of one symbol, or everything; returns how many answers and words went.
    pub fn forget(&mut self, symbol: Option<&Hash>) -> Result<usize, StoreError> {
        let path = &self.path;
        let transaction = self.connection.transaction().at(path)?;
        let mut gone = 0;
        for table in ["feedback", "vocabulary"] {
            gone += match symbol {
                Some(hash) => {
                    transaction.execute(&format!("DELETE FROM {table} WHERE symbol_hash = ?"), [hash.0])
                }
                None => transaction.execute(&format!("DELETE FROM {table}"), []),
            }
            .at(path)?;
        }
        transaction.commit().at(path)?;
        Ok(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feedback_counts_by_cluster_until_the_package_changes_or_it_is_forgotten() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("memory.db");
        let hash = |text: &str| Hash::of_content(text.as_bytes());
        let answer = |useful| Feedback {
            symbol: hash("s"),
            cluster: hash("c"),
            useful,
            package_root: hash("root"),
            at: 7,
        };
        {
            let memory = MemoryStore::open(&path).expect("opens");
            for useful in [true, true, false] {
                memory.add_feedback(&answer(useful)).expect("kept");
            }
        }
        let mut memory = MemoryStore::open(&path).expect("opens again");
        let count = |memory: &MemoryStore, cluster: &str, root: &str| {
            memory.feedback(&hash("s"), &hash(cluster), &hash(root)).expect("read")
        };
        assert_eq!(count(&memory, "c", "root"), FeedbackCount { useful: 2, not_useful: 1 });
        assert_eq!(count(&memory, "other task", "root"), FeedbackCount::default());
        assert_eq!(count(&memory, "c", "changed"), FeedbackCount::default());
        assert_eq!(memory.forget(Some(&hash("another"))).expect("forgets"), 0);
        assert_eq!(memory.forget(Some(&hash("s"))).expect("forgets"), 3);
        assert_eq!(count(&memory, "c", "root"), FeedbackCount::default());
    }
}
