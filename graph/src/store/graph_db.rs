//! `graph.db`: files, symbols and edges as they stand on the disk, each file stamped with the revision that last
//! touched it, so that a base image of an earlier revision can be brought up to date.

mod commit;

use super::{AtPath, StoreError, migrate};
use crate::hash::Hash;
use crate::snapshot::{CallStats, EdgeTarget, FileEdges, NewEdge, Snapshot};
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use commit::CommitWriter;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// The schema of `graph.db`.
pub(super) const STEPS: &[&str] = &[
    include_str!("../../../migrations/graph/0001_initial.sql"),
    include_str!("../../../migrations/graph/0002_verdicts.sql"),
];

/// The graph of one workspace.
#[derive(Debug)]
pub struct GraphStore {
    path: PathBuf,
    connection: Connection,
}

/// A time of reading; see [`GraphStore::reading`].
#[derive(Debug)]
pub struct Reading<'a> {
    _transaction: Transaction<'a>,
}

/// Single values of the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphMeta {
    /// Drawn when the database is made; a base image belongs to one lineage.
    pub lineage: u64,
    /// Grows with every commit; 0: nothing was ever indexed.
    pub revision: u64,
    /// Extractor version of the facts the graph was made from.
    pub extractor: u32,
    /// Fingerprint of the manifests that resolution used.
    pub project: String,
    /// When this revision was made, in seconds since the Unix epoch.
    pub indexed_at: u64,
    /// When the graph was last compared with the disk, in seconds since the Unix epoch.
    pub checked_at: u64,
}

/// What was last seen of a file on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since the Unix epoch.
    pub mtime_ns: i64,
    /// SHA-256 of the bytes.
    pub content_hash: Hash,
}

/// A file that a commit touched.
#[derive(Clone, Debug)]
pub struct StoredFile {
    /// Workspace-relative path.
    pub path: String,
    /// Language id.
    pub language: String,
    /// Size, time and content.
    pub stat: FileStat,
}

impl GraphStore {
    /// Opens or creates the database. `lineage` is used when it is new.
    pub fn open(path: &Path, lineage: u64) -> Result<Self, StoreError> {
        let store = Self { path: path.to_owned(), connection: migrate::open(path, STEPS)? };
        store.fill_names()?;
        // The first of several processes that make the database names it.
        store
            .connection
            .execute("INSERT OR IGNORE INTO meta VALUES ('lineage', ?)", [lineage.to_string()])
            .at(path)?;
        Ok(store)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins to read: until the result is dropped, everything read is of one moment, whatever others commit.
    pub fn reading(&self) -> Result<Reading<'_>, StoreError> {
        Ok(Reading { _transaction: self.connection.unchecked_transaction().at(&self.path)? })
    }

    fn fill_names(&self) -> Result<(), StoreError> {
        let known: i64 =
            self.connection.query_row("SELECT count(*) FROM edge_kinds", [], |r| r.get(0)).at(&self.path)?;
        if known == EdgeKind::ALL.len() as i64 {
            return Ok(());
        }
        for kind in EdgeKind::ALL {
            self.connection
                .execute(
                    "INSERT OR IGNORE INTO edge_kinds VALUES (?, ?)",
                    params![kind.number(), kind.as_str()],
                )
                .at(&self.path)?;
        }
        for provenance in Provenance::ALL {
            self.connection
                .execute(
                    "INSERT OR IGNORE INTO provenances VALUES (?, ?)",
                    params![provenance.number(), provenance.as_str()],
                )
                .at(&self.path)?;
        }
        Ok(())
    }

    fn value(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.connection
            .query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0))
            .optional()
            .at(&self.path)
    }

    fn set_values(&self, connection: &Connection, values: &[(&str, String)]) -> Result<(), StoreError> {
        for (key, value) in values {
            connection
                .execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", params![key, value])
                .at(&self.path)?;
        }
        Ok(())
    }

    /// The single values.
    pub fn meta(&self) -> Result<GraphMeta, StoreError> {
        fn number<T: std::str::FromStr + Default>(text: Option<String>) -> T {
            text.and_then(|t| t.parse().ok()).unwrap_or_default()
        }
        Ok(GraphMeta {
            lineage: number(self.value("lineage")?),
            revision: number(self.value("revision")?),
            extractor: number(self.value("extractor")?),
            project: self.value("project")?.unwrap_or_default(),
            indexed_at: number(self.value("indexed_at")?),
            checked_at: number(self.value("checked_at")?),
        })
    }

    /// What is known of every file, by path.
    pub fn stats(&self) -> Result<FxHashMap<String, FileStat>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT path, size, mtime_ns, content_hash FROM files").at(&self.path)?;
        let rows = statement
            .query_map([], |row| {
                let stat = FileStat {
                    size: row.get::<_, i64>(1)? as u64,
                    mtime_ns: row.get(2)?,
                    content_hash: Hash(row.get(3)?),
                };
                Ok((row.get(0)?, stat))
            })
            .at(&self.path)?;
        rows.collect::<rusqlite::Result<_>>().at(&self.path)
    }

    /// Notes a new modification time of files whose content is the same.
    pub fn set_mtimes(&mut self, times: &[(String, i64)]) -> Result<(), StoreError> {
        let path = &self.path;
        let transaction = self.connection.transaction().at(path)?;
        for (file, mtime_ns) in times {
            transaction
                .execute("UPDATE files SET mtime_ns = ? WHERE path = ?", params![mtime_ns, file])
                .at(path)?;
        }
        transaction.commit().at(path)
    }

    /// Notes that the graph was compared with the disk and nothing had changed.
    pub fn set_checked_at(&self, seconds: u64) -> Result<(), StoreError> {
        self.set_values(&self.connection, &[("checked_at", seconds.to_string())])
    }

    /// A number that changes when another process commits.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        self.connection.pragma_query_value(None, "data_version", |row| row.get(0)).at(&self.path)
    }

    /// Files that commits after `revision` touched, sorted by path, and the paths that went since.
    pub fn touched_since(&self, revision: u64) -> Result<(Vec<StoredFile>, Vec<String>), StoreError> {
        let mut statement = self
            .connection
            .prepare(
                "SELECT path, language, size, mtime_ns, content_hash FROM files WHERE revision > ? ORDER BY path",
            )
            .at(&self.path)?;
        let rows = statement
            .query_map([revision as i64], |row| {
                Ok(StoredFile {
                    path: row.get(0)?,
                    language: row.get(1)?,
                    stat: FileStat {
                        size: row.get::<_, i64>(2)? as u64,
                        mtime_ns: row.get(3)?,
                        content_hash: Hash(row.get(4)?),
                    },
                })
            })
            .at(&self.path)?;
        let files = rows.collect::<rusqlite::Result<_>>().at(&self.path)?;
        let mut statement = self
            .connection
            .prepare("SELECT path FROM removed_files WHERE revision > ? ORDER BY path")
            .at(&self.path)?;
        let rows = statement.query_map([revision as i64], |row| row.get(0)).at(&self.path)?;
        Ok((files, rows.collect::<rusqlite::Result<_>>().at(&self.path)?))
    }

    /// The stored edges of one file, with ends looked up in `snapshot`; ends that are not there are left out.
    pub fn edges_of(&self, path: &str, snapshot: &Snapshot) -> Result<FileEdges, StoreError> {
        let mut out = FileEdges { path: path.to_owned(), ..FileEdges::default() };
        let Some((id, lookups, calls)) = self.resolution_of(path)? else { return Ok(out) };
        out.lookups =
            lookups.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap_or_default())).collect();
        out.calls = calls;
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT inside.hash, outside.hash, outside.file_id IS NULL, outside.kind, outside.container,
                        outside.name, e.kind, e.provenance, e.confidence, e.line
                   FROM edges e JOIN symbols s ON s.id = e.source
                        JOIN symbols inside ON inside.id = iif(s.file_id IS NULL, e.target, e.source)
                        JOIN symbols outside ON outside.id = iif(s.file_id IS NULL, e.source, e.target)
                  WHERE e.owner = ?",
            )
            .at(&self.path)?;
        let mut rows = statement.query([id]).at(&self.path)?;
        while let Some(row) = rows.next().at(&self.path)? {
            let edge = stored_edge(row, snapshot).at(&self.path)?;
            out.edges.extend(edge);
        }
        Ok(out)
    }

    fn resolution_of(&self, path: &str) -> Result<Option<(i64, Vec<u8>, CallStats)>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id, lookups, calls_resolved, calls_ambiguous, calls_external, calls_unresolved
                   FROM files WHERE path = ?",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([path], |row| {
                        let calls = CallStats {
                            resolved: row.get(2)?,
                            ambiguous: row.get(3)?,
                            external: row.get(4)?,
                            unresolved: row.get(5)?,
                        };
                        Ok((row.get(0)?, row.get(1)?, calls))
                    })
                    .optional()
            })
            .at(&self.path)
    }

    /// Writes what changed, in one transaction: files with new content (`changed`), files with new edges only
    /// (`resolved`), files that are gone; and sets the single values.
    pub fn commit(
        &mut self,
        snapshot: &Snapshot,
        changed: &[String],
        resolved: &[String],
        removed: &[String],
        meta: &GraphMeta,
    ) -> Result<(), StoreError> {
        let path = &self.path;
        // An empty database is filled with rows that refer to one another only, and nothing goes with what it refers to:
        // looking each reference up is left out. No transaction may change this.
        let fresh = removed.is_empty() && commit::is_empty(&self.connection).at(path)?;
        self.connection.pragma_update(None, "foreign_keys", !fresh).at(path)?;
        let written = (|| {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            let fresh = fresh && commit::is_empty(&transaction)?;
            CommitWriter::new(&transaction, snapshot, meta.revision, fresh)
                .run(changed, resolved, removed)?;
            for (key, value) in [
                ("revision", meta.revision.to_string()),
                ("extractor", meta.extractor.to_string()),
                ("project", meta.project.clone()),
                ("indexed_at", meta.indexed_at.to_string()),
                ("checked_at", meta.checked_at.to_string()),
            ] {
                transaction.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", params![key, value])?;
            }
            transaction.commit()
        })();
        self.connection.pragma_update(None, "foreign_keys", true).at(path)?;
        written.at(path)
    }

    /// Forgets removed paths that every base image of at least `revision` already shows.
    pub fn forget_removed(&self, revision: u64) -> Result<(), StoreError> {
        self.connection
            .execute("DELETE FROM removed_files WHERE revision <= ?", [revision as i64])
            .at(&self.path)?;
        Ok(())
    }
}

/// An edge as [`NewEdge`] gives it: one that starts outside from its end in the workspace.
fn stored_edge(row: &rusqlite::Row<'_>, snapshot: &Snapshot) -> rusqlite::Result<Option<NewEdge>> {
    let hash = Hash(row.get(0)?);
    let target = if row.get(2)? {
        let kind: String = row.get(3)?;
        EdgeTarget::Phantom {
            kind: SymbolKind::parse(&kind).unwrap_or(SymbolKind::External),
            package: row.get(4)?,
            name: row.get(5)?,
        }
    } else {
        let Some(id) = snapshot.symbol_by_hash(&Hash(row.get(1)?)) else { return Ok(None) };
        EdgeTarget::Symbol(id)
    };
    let (Some(source), Some(kind), Some(provenance)) = (
        snapshot.symbol_by_hash(&hash),
        EdgeKind::from_number(row.get(6)?),
        Provenance::from_number(row.get(7)?),
    ) else {
        return Ok(None);
    };
    let confidence = f32::from(row.get::<_, u8>(8)?) / 100.0;
    Ok(Some(NewEdge { source, target, kind, provenance, confidence, line: row.get(9)? }))
}
