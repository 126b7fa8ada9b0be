//! Stores the verdicts of language servers in `graph.db`. It has its own connection, because answers
//! arrive during indexing.
//!
//! Rows are added and deleted but never updated, so [`VerdictStore::load_unread`] returns the rows
//! after the last one that the store saw, including rows of other processes. A later answer to the
//! same question is a new row that replaces the earlier one. At most [`MAX_BODIES`] body versions
//! of a symbol are kept.
//!
//! Every row and the whole table have a checksum. Data that differs from the written data is
//! reported as damage.

use super::row_checksums::{RowChecksum, TableDigest, checksum_mismatch, expect_checksum, read_consistently};
use super::{StoreError, WithDatabasePath, graph_db, migrate};
use crate::hash::Hash;
use crate::verdicts::{SentHashes, ServerId, Verdict, VerdictAnswer};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum number of body versions per symbol for which answers are kept; enough for a few
/// branches.
const MAX_BODIES: u32 = 4;

/// The reference number under which the answers of discovery about a symbol are stored.
const WHOLE_SYMBOL: i64 = -1;

/// The table of the verdicts.
const TABLE: &str = "verdicts";

/// The verdicts of one workspace.
#[derive(Debug)]
pub struct VerdictStore {
    path: PathBuf,
    connection: Connection,
    /// The version of the rules that number references. Answers under other rules are not read,
    /// because their reference numbers differ.
    rules_version: u32,
    /// The id of the last row that this store read or wrote.
    last_row: i64,
}

/// The part of a verdict that has no columns of its own.
#[derive(Serialize, Deserialize)]
struct VerdictPayload {
    context: u64,
    answer: VerdictAnswer,
    sent: SentHashes,
}

impl VerdictStore {
    /// Opens the verdicts in the database of a graph; creates the database if it is missing.
    /// `rules_version` is the version of the rules that find and number references.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub fn open(path: &Path, rules_version: u32) -> Result<Self, StoreError> {
        Ok(Self::with_connection(path, migrate::open_database(path, graph_db::OPTIONS)?, rules_version))
    }

    /// Opens verdicts in the memory of this process, for a process that cannot use the database at
    /// `path`.
    ///
    /// # Errors
    /// Returns the errors of SQLite.
    pub fn open_in_memory(path: &Path, rules_version: u32) -> Result<Self, StoreError> {
        Ok(Self::with_connection(path, migrate::open_in_memory(path, graph_db::OPTIONS)?, rules_version))
    }

    /// Wraps a connection without checking or changing its database.
    pub(super) fn from_connection(path: &Path, connection: Connection) -> Self {
        Self::with_connection(path, connection, 0)
    }

    fn with_connection(path: &Path, connection: Connection, rules_version: u32) -> Self {
        Self { path: path.to_owned(), connection, rules_version, last_row: 0 }
    }

    /// Returns the verdicts with rows after the last one that this store read or wrote, in their
    /// order. A store that has neither read nor written returns all of them.
    ///
    /// # Errors
    /// Returns the errors of the database, including [`StoreError::Damaged`] if the data differs
    /// from the written data.
    pub fn load_unread(&mut self) -> Result<Vec<Verdict>, StoreError> {
        let (path, connection) = (&self.path, &self.connection);
        let read = || {
            let servers = load_servers(connection)?;
            let mut statement = connection.prepare_cached(
                "SELECT id, subject, body, nth, server, rules, sum, data FROM verdicts WHERE id > ? ORDER BY id",
            )?;
            let mut rows = statement.query([self.last_row])?;
            let (mut found, mut last, mut digest) = (Vec::new(), self.last_row, TableDigest::default());
            while let Some(row) = rows.next()? {
                last = row.get(0)?;
                let server = servers.get(&row.get(4)?).ok_or_else(|| checksum_mismatch("verdict_servers"))?;
                let (subject, body): ([u8; 32], i64) = (row.get(1)?, row.get(2)?);
                let data = row.get_ref(7)?.as_blob()?;
                let (reference_number, rules_version) = (row.get(3)?, row.get(5)?);
                let sum = verdict_checksum(&subject, body, reference_number, rules_version, server, data);
                expect_checksum("verdicts", row.get(6)?, sum)?;
                digest.add_row(sum);
                if rules_version != self.rules_version {
                    continue;
                }
                let payload = postcard::from_bytes(data).map_err(|_| checksum_mismatch("verdicts"))?;
                let VerdictPayload { context, answer, sent } = payload;
                let (server, body) = (Arc::clone(server), body.cast_unsigned());
                found.push(Verdict { server, subject: Hash(subject), body, context, answer, sent });
            }
            if self.last_row == 0 {
                digest.expect_stored(connection, TABLE)?;
            }
            Ok((found, last))
        };
        let (found, last) = read_consistently(connection, read).with_path(path)?;
        self.last_row = last;
        Ok(found)
    }

    /// Marks all verdicts as unread.
    pub fn mark_all_unread(&mut self) {
        self.last_row = 0;
    }

    /// Stores verdicts in one transaction. A later answer from a server about the same reference in
    /// the same body replaces the earlier one. Keeps only the answers about the latest bodies of
    /// each symbol.
    ///
    /// # Errors
    /// Returns the errors of the database. On an error, stores nothing.
    pub fn insert_verdicts(&mut self, verdicts: &[Verdict]) -> Result<(), StoreError> {
        let (path, rules_version) = (&self.path, self.rules_version);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).with_path(path)?;
        let mut last = self.last_row;
        let mut digest = TableDigest::load_stored(&transaction, TABLE).with_path(path)?;
        for verdict in verdicts {
            last = insert_verdict(&transaction, rules_version, verdict, &mut digest).with_path(path)?;
        }
        digest.save_for_table(&transaction, TABLE).with_path(path)?;
        transaction.commit().with_path(path)?;
        self.last_row = last;
        Ok(())
    }

    /// Deletes the verdicts of one server, or of all servers. Returns the number of deleted
    /// verdicts.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub fn forget_verdicts(&mut self, server: Option<&str>) -> Result<usize, StoreError> {
        let forget = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut digest = TableDigest::load_stored(&transaction, TABLE)?;
            let servers = "SELECT id FROM verdict_servers WHERE ?1 IS NULL OR name = ?1";
            let query = format!("DELETE FROM verdicts WHERE server IN ({servers}) RETURNING sum");
            let deleted = delete_rows(&transaction, &query, [server], &mut digest)?;
            digest.save_for_table(&transaction, TABLE)?;
            transaction.commit()?;
            Ok(deleted)
        };
        forget(&mut self.connection).with_path(&self.path)
    }
}

/// Loads the servers, by the ids of their rows.
fn load_servers(connection: &Connection) -> rusqlite::Result<FxHashMap<i64, Arc<ServerId>>> {
    let mut statement = connection.prepare_cached("SELECT id, name, version FROM verdict_servers")?;
    let rows = statement.query_map([], |row| {
        let (name, version): (String, String) = (row.get(1)?, row.get(2)?);
        Ok((row.get(0)?, Arc::new(ServerId { name: name.into(), version: version.into() })))
    })?;
    rows.collect()
}

/// Stores one verdict. Returns the id of its row.
fn insert_verdict(
    transaction: &Transaction<'_>,
    rules_version: u32,
    verdict: &Verdict,
    digest: &mut TableDigest,
) -> rusqlite::Result<i64> {
    let Verdict { server, subject, body, context, answer, sent } = verdict;
    let (name, version, body) = (&*server.name, &*server.version, body.cast_signed());
    transaction
        .prepare_cached("INSERT OR IGNORE INTO verdict_servers (name, version) VALUES (?, ?)")?
        .execute(params![name, version])?;
    let reference_number = match answer {
        VerdictAnswer::Reference { reference, .. } => i64::from(reference.nth),
        VerdictAnswer::Discovered { .. } => WHOLE_SYMBOL,
    };
    let payload = VerdictPayload { context: *context, answer: answer.clone(), sent: *sent };
    let data = postcard::to_stdvec(&payload).unwrap_or_default();
    let sum = verdict_checksum(&subject.0, body, reference_number, rules_version, server, &data);
    let server = "(SELECT id FROM verdict_servers WHERE name = ? AND version = ?)";
    // A later answer replaces the earlier one.
    let delete_earlier = format!(
        "DELETE FROM verdicts WHERE subject = ? AND body = ? AND nth = ? AND server = {server} RETURNING sum"
    );
    delete_rows(
        transaction,
        &delete_earlier,
        params![subject.0, body, reference_number, name, version],
        digest,
    )?;
    let insert = format!(
        "INSERT INTO verdicts (subject, body, nth, server, rules, sum, data) VALUES (?, ?, ?, {server}, ?, ?, ?)"
    );
    let row = transaction.prepare_cached(&insert)?.insert(params![
        subject.0,
        body,
        reference_number,
        name,
        version,
        rules_version,
        sum,
        data
    ])?;
    digest.add_row(sum);
    let delete_old_bodies = "DELETE FROM verdicts WHERE subject = ?1 AND body NOT IN
                  (SELECT body FROM verdicts WHERE subject = ?1 GROUP BY body ORDER BY max(id) DESC LIMIT ?2)
                  RETURNING sum";
    delete_rows(transaction, delete_old_bodies, params![subject.0, MAX_BODIES], digest)?;
    Ok(row)
}

/// Deletes rows and removes their checksums, which the statement returns, from the digest. Returns
/// the number of deleted rows.
fn delete_rows(
    transaction: &Transaction<'_>,
    statement: &str,
    values: impl rusqlite::Params,
    digest: &mut TableDigest,
) -> rusqlite::Result<usize> {
    let mut statement = transaction.prepare_cached(statement)?;
    let mut deleted = 0;
    for sum in statement.query_map(values, |row| row.get(0))? {
        digest.remove_row(sum?);
        deleted += 1;
    }
    Ok(deleted)
}

/// Computes the checksum of a verdict. It covers the subject and its body, the reference number,
/// the version of the rules, the server and the payload.
fn verdict_checksum(
    subject: &[u8; 32],
    body: i64,
    reference_number: i64,
    rules_version: u32,
    server: &ServerId,
    data: &[u8],
) -> i64 {
    let mut sum = RowChecksum::new(TABLE);
    sum.add_bytes(subject).add_number(body).add_number(reference_number).add_number(i64::from(rules_version));
    sum.add_text(&server.name).add_text(&server.version).add_bytes(data).finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts::{AskedReference, ServerResolution, SymbolVersion};

    fn server(version: &str) -> Arc<ServerId> {
        Arc::new(ServerId { name: "toyls".into(), version: version.into() })
    }

    fn verdict(subject: u8, body: u64, reference_number: u32, target: u8, version: &str) -> Verdict {
        let target = SymbolVersion { symbol: Hash::from_content(&[target]), signature: 7 };
        let reference = AskedReference {
            nth: reference_number,
            name: "x".into(),
            line: 1,
            target_edges: Vec::new(),
            guesses: Vec::new(),
        };
        Verdict {
            server: server(version),
            subject: Hash::from_content(&[subject]),
            body,
            context: u64::MAX,
            answer: VerdictAnswer::Reference { reference, resolution: ServerResolution::Confirmed(target) },
            sent: SentHashes::default(),
        }
    }

    fn open_store(dir: &tempfile::TempDir, rules_version: u32) -> VerdictStore {
        VerdictStore::open(&dir.path().join("graph.db"), rules_version).expect("the store opens")
    }

    #[test]
    fn verdicts_are_read_once_in_the_order_of_their_rows() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = open_store(&dir, 1);
        let first = [verdict(1, u64::MAX, 0, 5, "1"), verdict(1, u64::MAX, 1, 6, "1")];
        store.insert_verdicts(&first).expect("stored");
        assert_eq!(store.load_unread().expect("read"), [], "a store does not read its own verdicts");
        let mut other = open_store(&dir, 1);
        assert_eq!(other.load_unread().expect("read"), first);
        assert_eq!(other.load_unread().expect("read"), []);
        let later = [verdict(1, u64::MAX, 0, 9, "1"), verdict(1, u64::MAX, 0, 8, "2")];
        store.insert_verdicts(&later).expect("stored");
        assert_eq!(other.load_unread().expect("read"), later);
        assert_eq!(
            open_store(&dir, 1).load_unread().expect("read").len(),
            3,
            "a later answer replaces an earlier one"
        );
        assert_eq!(
            open_store(&dir, 2).load_unread().expect("read"),
            [],
            "verdicts of other rules are skipped"
        );
    }

    #[test]
    fn answers_about_the_latest_bodies_of_a_symbol_are_kept() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut store = open_store(&dir, 1);
        for body in 0..6 {
            store.insert_verdicts(&[verdict(1, body, 0, 5, "1"), verdict(2, 0, 0, 5, "1")]).expect("stored");
        }
        let bodies = |store: &mut VerdictStore| {
            let verdicts = store.load_unread().expect("read").into_iter();
            let mut bodies: Vec<u64> = verdicts
                .filter(|verdict| verdict.subject == Hash::from_content(&[1]))
                .map(|verdict| verdict.body)
                .collect();
            bodies.sort_unstable();
            bodies
        };
        assert_eq!(bodies(&mut open_store(&dir, 1)), [2, 3, 4, 5]);
        assert_eq!(store.forget_verdicts(Some("another")).expect("deleted"), 0);
        assert_eq!(store.forget_verdicts(Some("toyls")).expect("deleted"), 5);
        assert_eq!(open_store(&dir, 1).load_unread().expect("read"), []);
    }
}
