//! `memory.db`: what the user taught Kenning. Opened only where learning is on; short transactions; never dropped by
//! a re-index, a migration or a damaged graph.

use super::{AtPath, StoreError, migrate};
use crate::hash::Hash;
use rusqlite::{Connection, params, params_from_iter};
use std::path::{Path, PathBuf};

const STEPS: &[&str] = &[
    include_str!("../../../migrations/memory/0001_initial.sql"),
    include_str!("../../../migrations/memory/0002_feedback_by_cluster.sql"),
];

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

/// The answers for a symbol in a cluster of tasks while its package was in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackSum {
    /// Identity of the symbol.
    pub symbol: Hash,
    /// The cluster of tasks.
    pub cluster: Hash,
    /// Structure root of the package: the answers hold while it has this one.
    pub package_root: Hash,
    /// Times it was useful.
    pub useful: u32,
    /// Times it was not.
    pub not_useful: u32,
    /// Seconds since the Unix epoch of the last answer.
    pub at: u64,
}

impl FeedbackSum {
    /// Share of the answers that found it useful, 0..=1.
    pub fn share(&self) -> f64 {
        f64::from(self.useful) / f64::from((self.useful + self.not_useful).max(1))
    }
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

    /// The answers for a cluster of tasks, or all; by cluster, symbol and package root. Whether they still hold is for
    /// the reader to see: those given while the symbol's package was as it is.
    pub fn feedback(&self, cluster: Option<&Hash>) -> Result<Vec<FeedbackSum>, StoreError> {
        let filter = if cluster.is_some() { "WHERE cluster = ?" } else { "" };
        let text = format!(
            "SELECT symbol_hash, cluster, package_root, sum(useful), sum(1 - useful), max(at) FROM feedback {filter}
              GROUP BY cluster, symbol_hash, package_root ORDER BY cluster, symbol_hash, package_root"
        );
        let read = || -> rusqlite::Result<Vec<FeedbackSum>> {
            let mut statement = self.connection.prepare(&text)?;
            let rows = statement.query_map(params_from_iter(cluster.map(|cluster| cluster.0)), |row| {
                Ok(FeedbackSum {
                    symbol: Hash(row.get(0)?),
                    cluster: Hash(row.get(1)?),
                    package_root: Hash(row.get(2)?),
                    useful: row.get(3)?,
                    not_useful: row.get(4)?,
                    at: row.get::<_, i64>(5)?.try_into().unwrap_or(0),
                })
            })?;
            rows.collect()
        };
        read().at(&self.path)
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
    fn feedback_counts_by_cluster_and_state_of_the_package_until_it_is_forgotten() {
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
        let later = Feedback { package_root: hash("changed"), at: 9, ..answer(false) };
        memory.add_feedback(&later).expect("kept");
        let sums = |memory: &MemoryStore, cluster: Option<&str>| -> Vec<_> {
            let sums = memory.feedback(cluster.map(hash).as_ref()).expect("read");
            let state = |root| if root == hash("root") { "before" } else { "after" };
            let mut sums: Vec<_> = sums
                .iter()
                .map(|s| (state(s.package_root), s.useful, s.not_useful, s.at, s.share()))
                .collect();
            sums.sort_by(|a, b| b.0.cmp(a.0));
            sums
        };
        let all = [("before", 2, 1, 7, 2.0 / 3.0), ("after", 0, 1, 9, 0.0)];
        assert_eq!(sums(&memory, Some("c")), all);
        assert_eq!(sums(&memory, None), all);
        assert_eq!(sums(&memory, Some("other task")), []);
        assert_eq!(memory.forget(Some(&hash("another"))).expect("forgets"), 0);
        assert_eq!(memory.forget(Some(&hash("s"))).expect("forgets"), 4);
        assert_eq!(sums(&memory, None), []);
    }
}
