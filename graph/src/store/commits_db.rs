//! The part of `facts.db` for history: the data of commits, and the commits in the history of each
//! workspace.
//!
//! In: the commits that were read from git, and the order in which the history of a workspace has
//! them. Out: the same commits, without asking git. The worktrees of a repository share the data
//! of commits; a commit that is in no history is deleted.
//!
//! Invariant: a history and its commits match their checksums, else reading them is an error. A
//! history that lacks a commit is marked, so that it is read again.

use super::facts_db::FactsStore;
use super::row_checksums::{RowChecksum, checksum_mismatch, expect_checksum, read_consistently};
use super::{StoreError, WithDatabasePath};
use crate::commits::CommitFacts;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::collections::BTreeMap;

/// The maximum number of workspaces (worktrees of one repository) whose histories are kept. Tools
/// create a new worktree for each task.
const MAX_WORKSPACES: u32 = 16;

/// A workspace, and the commit from which its history is read.
#[derive(Clone, Copy, Debug)]
pub struct HistoryKey<'a> {
    /// The id of the workspace.
    pub workspace: &'a str,
    /// A text with the id of the commit and with the rules and the limit for reading its history.
    pub head: &'a str,
}

impl FactsStore {
    /// Returns the ids of the commits that were read with the rules of `version`, each with whether
    /// its lines were read.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn load_known_commits(&self, version: u32) -> Result<BTreeMap<String, bool>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, lines FROM commits WHERE version = ?")
            .with_path(&self.path)?;
        let rows =
            statement.query_map([version], |row| Ok((row.get(0)?, row.get(1)?))).with_path(&self.path)?;
        rows.collect::<rusqlite::Result<_>>().with_path(&self.path)
    }

    /// Stores commits that were read with the rules of `version`, each with whether its lines were
    /// read.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub fn insert_commits(
        &mut self,
        version: u32,
        commits: &[(CommitFacts, bool)],
    ) -> Result<(), StoreError> {
        let path = &self.path;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).with_path(path)?;
        {
            let mut insert = transaction
                .prepare_cached("INSERT OR REPLACE INTO commits VALUES (?, ?, ?, ?, ?)")
                .with_path(path)?;
            for (commit, lines) in commits {
                let data = postcard::to_stdvec(commit).unwrap_or_default();
                let sum = commit_checksum(&commit.id, version, *lines, &data);
                insert.execute(params![commit.id, version, lines, sum, data]).with_path(path)?;
            }
        }
        transaction.commit().with_path(path)
    }

    /// Returns the head from which the history of a workspace was last read, as stored by
    /// [`FactsStore::replace_history`]. Returns `None` if there is no history.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if the history does not match its checksum.
    pub fn load_history_head(&self, workspace: &str) -> Result<Option<String>, StoreError> {
        let read = read_consistently(&self.connection, || load_checked_history(&self.connection, workspace));
        Ok(read.with_path(&self.path)?.map(|(head, _)| head))
    }

    /// Returns the number of commits in the history of a workspace.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn load_history_length(&self, workspace: &str) -> Result<usize, StoreError> {
        self.connection
            .prepare_cached("SELECT COUNT(*) FROM history WHERE workspace = ?")
            .and_then(|mut s| s.query_row([workspace], |row| row.get::<_, u32>(0)))
            .map(|count| count as usize)
            .with_path(&self.path)
    }

    /// Replaces the history of a workspace: its commits, newest first, as seen from `head` at `now`
    /// (seconds since the Unix epoch). Deletes commits that are not in any history. If another
    /// worktree has deleted a commit of `commits` meanwhile, leaves the commit out and marks the
    /// history as incomplete.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub fn replace_history(
        &mut self,
        key: HistoryKey<'_>,
        now: u64,
        commits: &[String],
    ) -> Result<(), StoreError> {
        let HistoryKey { workspace, head } = key;
        let path = &self.path;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).with_path(path)?;
        transaction.execute("DELETE FROM histories WHERE workspace = ?", [workspace]).with_path(path)?;
        let stored = filter_stored_commits(&transaction, commits).with_path(path)?;
        let mark = if stored.len() < commits.len() { format!("{head} in part") } else { head.to_owned() };
        transaction
            .execute(
                "INSERT INTO histories VALUES (?, ?, ?, ?)",
                params![workspace, mark, now as i64, history_checksum(workspace, &mark, &stored)],
            )
            .with_path(path)?;
        {
            let mut insert =
                transaction.prepare_cached("INSERT INTO history VALUES (?, ?, ?)").with_path(path)?;
            for (position, id) in stored.iter().enumerate() {
                insert.execute(params![workspace, position as i64, id]).with_path(path)?;
            }
        }
        transaction
            .execute(
                "DELETE FROM histories WHERE workspace NOT IN
                 (SELECT workspace FROM histories ORDER BY used DESC, workspace LIMIT ?)",
                [MAX_WORKSPACES],
            )
            .with_path(path)?;
        transaction
            .execute(
                "DELETE FROM commits WHERE NOT EXISTS (SELECT 1 FROM history WHERE history.id = commits.id)",
                [],
            )
            .with_path(path)?;
        transaction.commit().with_path(path)
    }

    /// Returns the commits in the history of a workspace that were read with the rules of
    /// `version`, newest first; an empty list if there is no history.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if the history or one of its commits does not match its
    /// checksum.
    pub fn load_history(&self, workspace: &str, version: u32) -> Result<Vec<CommitFacts>, StoreError> {
        let read = || {
            let Some((_, ids)) = load_checked_history(&self.connection, workspace)? else {
                return Ok(Vec::new());
            };
            let mut statement = self
                .connection
                .prepare_cached("SELECT version, lines, sum, data FROM commits WHERE id = ?")?;
            let mut found = Vec::with_capacity(ids.len());
            for id in ids {
                let commit = statement.query_row([&id], |row| {
                    let (row_version, data) = (row.get(0)?, row.get_ref(3)?.as_blob()?);
                    expect_checksum(
                        "commits",
                        row.get(2)?,
                        commit_checksum(&id, row_version, row.get(1)?, data),
                    )?;
                    let commit = || postcard::from_bytes(data).map_err(|_| checksum_mismatch("commits"));
                    // Skip a commit that another worktree read with other rules; it is read again.
                    (row_version == version).then(commit).transpose()
                })?;
                found.extend(commit);
            }
            Ok(found)
        };
        read_consistently(&self.connection, read).with_path(&self.path)
    }

    /// Verifies all histories and their commits.
    pub(super) fn check_histories(&self) -> Result<(), StoreError> {
        let workspaces = || -> rusqlite::Result<Vec<String>> {
            self.connection
                .prepare("SELECT workspace FROM histories")?
                .query_map([], |row| row.get(0))?
                .collect()
        };
        workspaces()
            .with_path(&self.path)?
            .iter()
            .try_for_each(|workspace| self.load_history(workspace, 0).map(drop))
    }
}

/// Returns the commits of `commits` that are stored, in the same order.
fn filter_stored_commits(connection: &Connection, commits: &[String]) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM commits WHERE id = ?")?;
    let mut stored = Vec::with_capacity(commits.len());
    for id in commits {
        if statement.exists([id])? {
            stored.push(id.clone());
        }
    }
    Ok(stored)
}

/// Returns the head and the commits of a workspace's history, newest first.
fn load_checked_history(
    connection: &Connection,
    workspace: &str,
) -> rusqlite::Result<Option<(String, Vec<String>)>> {
    let stored: Option<(String, i64)> = connection
        .prepare_cached("SELECT head, sum FROM histories WHERE workspace = ?")?
        .query_row([workspace], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((head, sum)) = stored else { return Ok(None) };
    let mut statement =
        connection.prepare_cached("SELECT id FROM history WHERE workspace = ? ORDER BY place")?;
    let ids: Vec<String> =
        statement.query_map([workspace], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    expect_checksum("histories", sum, history_checksum(workspace, &head, &ids))?;
    Ok(Some((head, ids)))
}

/// Computes the checksum of a history: the workspace, the head, and the commits in their order.
fn history_checksum(workspace: &str, head: &str, commits: &[String]) -> i64 {
    let mut sum = RowChecksum::new("histories");
    sum.add_text(workspace).add_text(head);
    for id in commits {
        sum.add_text(id);
    }
    sum.finish()
}

/// Computes the checksum of a commit.
fn commit_checksum(id: &str, version: u32, lines: bool, data: &[u8]) -> i64 {
    let mut sum = RowChecksum::new("commits");
    sum.add_text(id).add_number(i64::from(version)).add_number(i64::from(lines)).add_bytes(data).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(id: &str) -> (CommitFacts, bool) {
        (CommitFacts { id: id.into(), subject: format!("about {id}").into(), ..CommitFacts::default() }, true)
    }

    fn ids(store: &FactsStore, workspace: &str) -> Vec<String> {
        let found = store.load_history(workspace, 1).expect("read");
        found.into_iter().map(|commit| commit.id.into_string()).collect()
    }

    #[test]
    fn a_commit_is_kept_while_a_history_contains_it() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = FactsStore::open(&dir.path().join("facts.db"), 1).expect("opens");
        store.insert_commits(1, &["a", "b", "c"].map(commit)).expect("stored");
        let list = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        store
            .replace_history(HistoryKey { workspace: "/one", head: "c" }, 1, &list(&["c", "b", "a"]))
            .expect("stored");
        store
            .replace_history(HistoryKey { workspace: "/two", head: "b" }, 2, &list(&["b", "a"]))
            .expect("stored");
        assert_eq!(ids(&store, "/one"), ["c", "b", "a"]);
        assert_eq!(store.load_history_head("/one").expect("read").as_deref(), Some("c"));

        // Rewriting the first history deletes `c`. The commits of the second history stay.
        store.insert_commits(1, &[commit("d")]).expect("stored");
        store.replace_history(HistoryKey { workspace: "/one", head: "d" }, 3, &list(&["d"])).expect("stored");
        assert_eq!(ids(&store, "/one"), ["d"]);
        assert_eq!(ids(&store, "/two"), ["b", "a"]);
        let known: Vec<String> = store.load_known_commits(1).expect("read").into_keys().collect();
        assert_eq!(known, ["a", "b", "d"]);
        assert!(store.load_known_commits(2).expect("read").is_empty(), "commits of other rules are unknown");
    }

    #[test]
    fn a_commit_that_another_worktree_deleted_makes_the_history_incomplete() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = FactsStore::open(&dir.path().join("facts.db"), 1).expect("opens");
        let list = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        store.insert_commits(1, &[commit("a")]).expect("stored");
        // No history contains `a` yet, so this deletes it.
        store.replace_history(HistoryKey { workspace: "/two", head: "x" }, 1, &[]).expect("stored");
        store.insert_commits(1, &[commit("b")]).expect("stored");
        store
            .replace_history(HistoryKey { workspace: "/one", head: "b" }, 2, &list(&["b", "a"]))
            .expect("stored");
        assert_eq!(ids(&store, "/one"), ["b"]);
        assert_eq!(store.load_history_head("/one").expect("read").as_deref(), Some("b in part"));
    }

    #[test]
    fn the_most_recently_used_workspaces_keep_their_histories() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = FactsStore::open(&dir.path().join("facts.db"), 1).expect("opens");
        for n in 0..=MAX_WORKSPACES {
            let id = n.to_string();
            store.insert_commits(1, &[commit(&id)]).expect("stored");
            store
                .replace_history(
                    HistoryKey { workspace: &format!("/{n}"), head: &id },
                    u64::from(n),
                    std::slice::from_ref(&id),
                )
                .expect("stored");
        }
        assert!(ids(&store, "/0").is_empty());
        assert_eq!(ids(&store, "/1"), ["1"]);
    }

    #[test]
    fn a_history_that_differs_from_its_checksum_is_damage() {
        let list = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        for damage in [
            "UPDATE commits SET lines = 0 WHERE id = 'a'",
            "UPDATE commits SET version = 2 WHERE id = 'a'",
            "UPDATE commits AS c SET data = (SELECT data FROM commits WHERE id = 'a') WHERE id = 'b'",
            "DELETE FROM commits WHERE id = 'b'",
            "DELETE FROM history WHERE place = 1",
            "UPDATE history SET id = 'a' WHERE place = 0",
            "UPDATE histories SET head = 'another'",
        ] {
            let dir = tempfile::tempdir().expect("a temporary folder");
            let mut store = FactsStore::open(&dir.path().join("facts.db"), 1).expect("opens");
            store.insert_commits(1, &["a", "b"].map(commit)).expect("stored");
            store
                .replace_history(HistoryKey { workspace: "/one", head: "b" }, 1, &list(&["b", "a"]))
                .expect("stored");
            assert!(store.check_histories().is_ok());
            store.connection.execute(damage, []).expect("the damage is written");
            assert!(
                store.load_history("/one", 1).expect_err("the damage is detected").is_damage(),
                "{damage}"
            );
            assert!(store.check_histories().expect_err("the damage is detected").is_damage(), "{damage}");
        }
    }
}
