//! The part of `graph.db` that keeps what language servers said, over a connection of its own: answers come while the disk
//! is indexed.

use super::{AtPath, StoreError, graph_db, migrate};
use crate::hash::Hash;
use crate::verdicts::{Answer, Sent, ServerId, Verdict};
use rusqlite::{Connection, TransactionBehavior, params};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// States of one symbol's text whose answers are kept: those of a few branches.
const KEPT_BODIES: u32 = 4;

/// The place under which discoveries are kept.
const DISCOVERY: i64 = -1;

/// The verdicts of one workspace.
#[derive(Debug)]
pub struct VerdictStore {
    path: PathBuf,
    connection: Connection,
    /// Answers by other rules are not read: they count references otherwise.
    rules: u32,
    /// The last row that was read or written.
    seen: i64,
}

/// What is not in columns of its own.
#[derive(Serialize, Deserialize)]
struct Rest {
    ground: u64,
    answer: Answer,
    sent: Sent,
}

impl VerdictStore {
    /// Opens the verdicts in the database of a graph, which is made when it is not there. `rules` is the number of the rules
    /// by which references are found and counted.
    ///
    /// # Errors
    /// Those of the database.
    pub fn open(path: &Path, rules: u32) -> Result<Self, StoreError> {
        let connection = migrate::open(path, graph_db::STEPS)?;
        Ok(Self { path: path.to_owned(), connection, rules, seen: 0 })
    }

    /// The verdicts that came since this was asked last, by this process or another, in their order; at first all of them.
    /// What is damaged is left out: it can be asked again.
    ///
    /// # Errors
    /// Those of the database.
    pub fn unread(&mut self) -> Result<Vec<Verdict>, StoreError> {
        let servers = self.servers()?;
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT id, subject, body, server, data FROM verdicts WHERE id > ? AND rules = ? ORDER BY id",
            )
            .at(&self.path)?;
        let mut rows = statement.query(params![self.seen, self.rules]).at(&self.path)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().at(&self.path)? {
            self.seen = row.get(0).at(&self.path)?;
            let data = row.get_ref(4).and_then(|value| Ok(value.as_blob()?)).at(&self.path)?;
            let Ok(Rest { ground, answer, sent }) = postcard::from_bytes(data) else { continue };
            let Some(server) = servers.get(&row.get(3).at(&self.path)?) else { continue };
            let (subject, body) = (Hash(row.get(1).at(&self.path)?), row.get::<_, i64>(2).at(&self.path)?);
            let server = Arc::clone(server);
            found.push(Verdict { server, subject, body: body.cast_unsigned(), ground, answer, sent });
        }
        Ok(found)
    }

    /// From here on everything is unread again.
    pub fn rewind(&mut self) {
        self.seen = 0;
    }

    fn servers(&self) -> Result<FxHashMap<i64, Arc<ServerId>>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT id, name, version FROM verdict_servers").at(&self.path)?;
        let rows = statement
            .query_map([], |row| {
                let (name, version): (String, String) = (row.get(1)?, row.get(2)?);
                Ok((row.get(0)?, Arc::new(ServerId { name: name.into(), version: version.into() })))
            })
            .at(&self.path)?;
        rows.collect::<rusqlite::Result<_>>().at(&self.path)
    }

    /// Keeps verdicts, in one transaction. A later answer of a server about the same reference in the same text replaces
    /// its earlier one; of each symbol the texts that were asked about last are kept.
    ///
    /// # Errors
    /// Those of the database; then nothing was kept.
    pub fn put(&mut self, verdicts: &[Verdict]) -> Result<(), StoreError> {
        let (path, rules) = (&self.path, self.rules);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).at(path)?;
        let mut last = self.seen;
        {
            let mut insert = transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO verdicts (subject, body, nth, server, rules, data)
                     VALUES (?, ?, ?, (SELECT id FROM verdict_servers WHERE name = ? AND version = ?), ?, ?)",
                )
                .at(path)?;
            let mut forget = transaction
                .prepare_cached(
                    "DELETE FROM verdicts WHERE subject = ?1 AND body NOT IN
                     (SELECT body FROM verdicts WHERE subject = ?1 GROUP BY body ORDER BY max(id) DESC LIMIT ?2)",
                )
                .at(path)?;
            for verdict in verdicts {
                let Verdict { server, subject, body, ground, answer, sent } = verdict;
                let (name, version) = (&*server.name, &*server.version);
                transaction
                    .prepare_cached("INSERT OR IGNORE INTO verdict_servers (name, version) VALUES (?, ?)")
                    .and_then(|mut statement| statement.execute(params![name, version]))
                    .at(path)?;
                let nth = match answer {
                    Answer::Reference { reference, .. } => i64::from(reference.nth),
                    Answer::Discovered { .. } => DISCOVERY,
                };
                let rest = Rest { ground: *ground, answer: answer.clone(), sent: *sent };
                let data = postcard::to_stdvec(&rest).unwrap_or_default();
                insert
                    .execute(params![subject.0, body.cast_signed(), nth, name, version, rules, data])
                    .at(path)?;
                last = transaction.last_insert_rowid();
                forget.execute(params![subject.0, KEPT_BODIES]).at(path)?;
            }
        }
        transaction.commit().at(path)?;
        self.seen = last;
        Ok(())
    }

    /// Forgets everything that one server said, or all of them.
    ///
    /// # Errors
    /// Those of the database.
    pub fn forget(&mut self, server: Option<&str>) -> Result<usize, StoreError> {
        let known = "SELECT id FROM verdict_servers WHERE ?1 IS NULL OR name = ?1";
        self.connection
            .execute(&format!("DELETE FROM verdicts WHERE server IN ({known})"), [server])
            .at(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts::{Asked, Resolution, Target};

    fn server(version: &str) -> Arc<ServerId> {
        Arc::new(ServerId { name: "toyls".into(), version: version.into() })
    }

    fn verdict(subject: u8, body: u64, nth: u32, target: u8, version: &str) -> Verdict {
        let target = Target { symbol: Hash::of_content(&[target]), signature: 7 };
        let reference = Asked { nth, name: "x".into(), line: 1, makes: Vec::new(), guesses: Vec::new() };
        Verdict {
            server: server(version),
            subject: Hash::of_content(&[subject]),
            body,
            ground: u64::MAX,
            answer: Answer::Reference { reference, is: Resolution::Confirmed(target) },
            sent: Sent::default(),
        }
    }

    fn opened(dir: &tempfile::TempDir, rules: u32) -> VerdictStore {
        VerdictStore::open(&dir.path().join("graph.db"), rules).expect("opens")
    }

    #[test]
    fn what_was_said_is_read_again_in_its_order_once() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = opened(&dir, 1);
        let first = [verdict(1, u64::MAX, 0, 5, "1"), verdict(1, u64::MAX, 1, 6, "1")];
        store.put(&first).expect("stored");
        assert_eq!(store.unread().expect("read"), [], "one's own are known");
        let mut other = opened(&dir, 1);
        assert_eq!(other.unread().expect("read"), first);
        assert_eq!(other.unread().expect("read"), []);
        let again = [verdict(1, u64::MAX, 0, 9, "1"), verdict(1, u64::MAX, 0, 8, "2")];
        store.put(&again).expect("stored");
        assert_eq!(other.unread().expect("read"), again);
        assert_eq!(
            opened(&dir, 1).unread().expect("read").len(),
            3,
            "a later answer replaces an earlier one"
        );
        assert_eq!(opened(&dir, 2).unread().expect("read"), [], "other rules count otherwise");
    }

    #[test]
    fn of_each_symbol_a_few_texts_are_kept() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = opened(&dir, 1);
        for body in 0..6 {
            store.put(&[verdict(1, body, 0, 5, "1"), verdict(2, 0, 0, 5, "1")]).expect("stored");
        }
        let bodies = |store: &mut VerdictStore| {
            let all = store.unread().expect("read").into_iter();
            let mut bodies: Vec<u64> =
                all.filter(|v| v.subject == Hash::of_content(&[1])).map(|v| v.body).collect();
            bodies.sort_unstable();
            bodies
        };
        assert_eq!(bodies(&mut opened(&dir, 1)), [2, 3, 4, 5]);
        assert_eq!(store.forget(Some("another")).expect("done"), 0);
        assert_eq!(store.forget(Some("toyls")).expect("done"), 5);
        assert_eq!(opened(&dir, 1).unread().expect("read"), []);
    }
}
