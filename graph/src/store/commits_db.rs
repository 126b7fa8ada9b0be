//! The part of `facts.db` that keeps what commits say, and which commits the history of each workspace holds.

use super::facts_db::FactsStore;
use super::{AtPath, StoreError};
use crate::commits::CommitFacts;
use rusqlite::{OptionalExtension, TransactionBehavior, params};
use std::collections::BTreeMap;

/// Workspaces (worktrees of one repository) whose histories are kept.
const WORKSPACES: u32 = 16;

impl FactsStore {
    /// The commits that were read by the rules of `version`, with whether their lines were looked at.
    pub fn known_commits(&self, version: u32) -> Result<BTreeMap<String, bool>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, lines FROM commits WHERE version = ?")
            .at(&self.path)?;
        let rows = statement.query_map([version], |row| Ok((row.get(0)?, row.get(1)?))).at(&self.path)?;
        rows.collect::<rusqlite::Result<_>>().at(&self.path)
    }

    /// Stores what commits say, read by the rules of `version`; with `true` where their lines were looked at.
    pub fn put_commits(&mut self, version: u32, commits: &[(CommitFacts, bool)]) -> Result<(), StoreError> {
        let path = &self.path;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).at(path)?;
        {
            let mut insert =
                transaction.prepare_cached("INSERT OR REPLACE INTO commits VALUES (?, ?, ?, ?)").at(path)?;
            for (commit, lines) in commits {
                let data = postcard::to_stdvec(commit).unwrap_or_default();
                insert.execute(params![commit.id, version, lines, data]).at(path)?;
            }
        }
        transaction.commit().at(path)
    }

    /// What the history of a workspace was read from last, as [`FactsStore::set_history`] was told.
    pub fn history_head(&self, workspace: &str) -> Result<Option<String>, StoreError> {
        self.connection
            .prepare_cached("SELECT head FROM histories WHERE workspace = ?")
            .and_then(|mut s| s.query_row([workspace], |row| row.get(0)).optional())
            .at(&self.path)
    }

    /// How many commits the history of a workspace holds.
    pub fn history_length(&self, workspace: &str) -> Result<usize, StoreError> {
        self.connection
            .prepare_cached("SELECT COUNT(*) FROM history WHERE workspace = ?")
            .and_then(|mut s| s.query_row([workspace], |row| row.get::<_, u32>(0)))
            .map(|count| count as usize)
            .at(&self.path)
    }

    /// Says which commits the history of a workspace holds, newest first, as seen from `head` at `now` (seconds since the
    /// Unix epoch). Commits that no history holds any more are forgotten.
    pub fn set_history(
        &mut self,
        (workspace, head): (&str, &str),
        now: u64,
        commits: &[String],
    ) -> Result<(), StoreError> {
        let path = &self.path;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).at(path)?;
        transaction.execute("DELETE FROM histories WHERE workspace = ?", [workspace]).at(path)?;
        transaction
            .execute("INSERT INTO histories VALUES (?, ?, ?)", params![workspace, head, now as i64])
            .at(path)?;
        {
            let mut insert = transaction.prepare_cached("INSERT INTO history VALUES (?, ?, ?)").at(path)?;
            for (place, id) in commits.iter().enumerate() {
                insert.execute(params![workspace, place as i64, id]).at(path)?;
            }
        }
        transaction
            .execute(
                "DELETE FROM histories WHERE workspace NOT IN
                 (SELECT workspace FROM histories ORDER BY used DESC, workspace LIMIT ?)",
                [WORKSPACES],
            )
            .at(path)?;
        transaction
            .execute(
                "DELETE FROM commits WHERE NOT EXISTS (SELECT 1 FROM history WHERE history.id = commits.id)",
                [],
            )
            .at(path)?;
        transaction.commit().at(path)
    }

    /// What is known of the history of a workspace by the rules of `version`, newest commit first. Damaged data counts as
    /// none.
    pub fn history(&self, workspace: &str, version: u32) -> Result<Vec<CommitFacts>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT commits.data FROM history JOIN commits ON commits.id = history.id
                 WHERE history.workspace = ? AND commits.version = ? ORDER BY history.place",
            )
            .at(&self.path)?;
        let mut rows = statement.query(params![workspace, version]).at(&self.path)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().at(&self.path)? {
            let data = row.get_ref(0).and_then(|value| Ok(value.as_blob()?)).at(&self.path)?;
            if let Ok(commit) = postcard::from_bytes(data) {
                found.push(commit);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(id: &str) -> (CommitFacts, bool) {
        (CommitFacts { id: id.into(), subject: format!("about {id}").into(), ..CommitFacts::default() }, true)
    }

    fn ids(store: &FactsStore, workspace: &str) -> Vec<String> {
        let found = store.history(workspace, 1).expect("read");
        found.into_iter().map(|commit| commit.id.into_string()).collect()
    }

    #[test]
    fn a_commit_is_kept_as_long_as_a_history_holds_it() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = FactsStore::open(&dir.path().join("facts.db"), 1).expect("opens");
        store.put_commits(1, &["a", "b", "c"].map(commit)).expect("stored");
        let list = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        store.set_history(("/one", "c"), 1, &list(&["c", "b", "a"])).expect("stored");
        store.set_history(("/two", "b"), 2, &list(&["b", "a"])).expect("stored");
        assert_eq!(ids(&store, "/one"), ["c", "b", "a"]);
        assert_eq!(store.history_head("/one").expect("read").as_deref(), Some("c"));

        // The history of the first is rewritten: `c` is gone, what the other holds stays.
        store.put_commits(1, &[commit("d")]).expect("stored");
        store.set_history(("/one", "d"), 3, &list(&["d"])).expect("stored");
        assert_eq!(ids(&store, "/one"), ["d"]);
        assert_eq!(ids(&store, "/two"), ["b", "a"]);
        let known: Vec<String> = store.known_commits(1).expect("read").into_keys().collect();
        assert_eq!(known, ["a", "b", "d"]);
        assert!(store.known_commits(2).expect("read").is_empty(), "other rules read anew");
    }

    #[test]
    fn the_workspaces_used_last_keep_their_histories() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = FactsStore::open(&dir.path().join("facts.db"), 1).expect("opens");
        for n in 0..=WORKSPACES {
            let id = n.to_string();
            store.put_commits(1, &[commit(&id)]).expect("stored");
            store
                .set_history((&format!("/{n}"), &id), u64::from(n), std::slice::from_ref(&id))
                .expect("stored");
        }
        assert!(ids(&store, "/0").is_empty());
        assert_eq!(ids(&store, "/1"), ["1"]);
    }
}
