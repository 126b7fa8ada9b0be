//! `graph.db`: the files, symbols and edges of the files on disk.
//!
//! Each file has the revision of the commit that last changed it, so that a base image of an
//! earlier revision can be brought up to date: [`GraphStore::files_touched_since`] lists the files
//! that changed or disappeared since. A file's row has a checksum over its own columns and over its
//! edges. Symbols have no checksum of their own; edges are checked with the identities of their
//! ends.
//!
//! `commit` writes a commit in one transaction; `rows` reads rows back; `derived_rows` stores which
//! files no one edits.

mod commit;
mod derived_rows;
mod rows;

use super::row_checksums::{TableDigest, checksum_mismatch, expect_checksum, read_consistently};
use super::{StoreError, WithDatabasePath, migrate};
use crate::hash::Hash;
use crate::snapshot::{CallStats, EdgeTarget, FileEdges, NewEdge, Snapshot};
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use commit::CommitWriter;
use rows::{FileRow, ResolutionChecksum, end_checksum, meta_checksum, removed_checksum, with_file_row};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// The options of `graph.db`.
pub(super) const OPTIONS: migrate::DatabaseOptions = migrate::DatabaseOptions::from_steps(&[
    include_str!("../../../migrations/graph/0001_initial.sql"),
    include_str!("../../../migrations/graph/0002_verdicts.sql"),
    include_str!("../../../migrations/graph/0003_checksums.sql"),
    include_str!("../../../migrations/graph/0004_derived_files.sql"),
]);

/// The graph of one workspace.
#[derive(Debug)]
pub struct GraphStore {
    path: PathBuf,
    connection: Connection,
}

/// A consistent view for reading; see [`GraphStore::begin_reading`].
#[derive(Debug)]
pub struct ReadTransaction<'a> {
    _transaction: Transaction<'a>,
}

/// The values in the table `meta`, which concern the graph as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphMeta {
    /// A random number that identifies the database since its creation. A base image belongs to one
    /// lineage.
    pub lineage: u64,
    /// The number of the last commit; it grows with every commit. 0 if nothing was ever indexed.
    pub revision: u64,
    /// The extractor version of the facts from which the graph was made.
    pub extractor: u32,
    /// The fingerprint of the manifests that resolution used.
    pub project: String,
    /// The time of this revision, in seconds since the Unix epoch.
    pub indexed_at: u64,
    /// The time of the last comparison with the disk, in seconds since the Unix epoch.
    pub checked_at: u64,
}

/// The last known state of a file on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// The size in bytes.
    pub size: u64,
    /// The modification time in nanoseconds since the Unix epoch.
    pub mtime_ns: i64,
    /// The SHA-256 of the bytes.
    pub content_hash: Hash,
}

/// A file that a commit touched.
#[derive(Clone, Debug)]
pub struct StoredFile {
    /// The workspace-relative path.
    pub path: String,
    /// The language id.
    pub language: String,
    /// The size, modification time and content hash.
    pub stat: FileStat,
}

impl GraphStore {
    /// Opens or creates the database. A new database gets `lineage`.
    ///
    /// # Errors
    /// Returns the errors of opening, and [`StoreError::Damaged`] if the `meta` values do not match
    /// their checksums.
    pub fn open(path: &Path, lineage: u64) -> Result<Self, StoreError> {
        Self::with_connection(path, migrate::open_database(path, OPTIONS)?, lineage)
    }

    /// Opens a database in the memory of this process, for a process that cannot use the file at
    /// `path`.
    ///
    /// # Errors
    /// Returns the errors of SQLite.
    pub fn open_in_memory(path: &Path, lineage: u64) -> Result<Self, StoreError> {
        Self::with_connection(path, migrate::open_in_memory(path, OPTIONS)?, lineage)
    }

    /// Wraps a connection without checking or changing its database.
    pub(super) fn from_connection(path: &Path, connection: Connection) -> Self {
        Self { path: path.to_owned(), connection }
    }

    pub(super) fn into_connection(self) -> Connection {
        self.connection
    }

    fn with_connection(path: &Path, connection: Connection, lineage: u64) -> Result<Self, StoreError> {
        let store = Self { path: path.to_owned(), connection };
        store.fill_kind_names()?;
        if store.load_meta_values().with_path(path)?.is_empty() {
            let transaction = Transaction::new_unchecked(&store.connection, TransactionBehavior::Immediate)
                .with_path(path)?;
            // The first of several processes that create the database sets the lineage.
            if store.load_meta_values().with_path(path)?.is_empty() {
                set_meta_values(&transaction, &[("lineage", lineage.to_string())]).with_path(path)?;
            }
            transaction.commit().with_path(path)?;
        }
        Ok(store)
    }

    /// Returns the path of the database.
    pub fn database_path(&self) -> &Path {
        &self.path
    }

    /// Starts to read. Until the result is dropped, all reads see the same state, whatever other
    /// processes commit.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn begin_reading(&self) -> Result<ReadTransaction<'_>, StoreError> {
        Ok(ReadTransaction { _transaction: self.connection.unchecked_transaction().with_path(&self.path)? })
    }

    fn fill_kind_names(&self) -> Result<(), StoreError> {
        let known: i64 = self
            .connection
            .query_row("SELECT count(*) FROM edge_kinds", [], |r| r.get(0))
            .with_path(&self.path)?;
        if known == EdgeKind::ALL.len() as i64 {
            return Ok(());
        }
        for kind in EdgeKind::ALL {
            self.connection
                .execute(
                    "INSERT OR IGNORE INTO edge_kinds VALUES (?, ?)",
                    params![kind.number(), kind.as_str()],
                )
                .with_path(&self.path)?;
        }
        for provenance in Provenance::ALL {
            self.connection
                .execute(
                    "INSERT OR IGNORE INTO provenances VALUES (?, ?)",
                    params![provenance.number(), provenance.as_str()],
                )
                .with_path(&self.path)?;
        }
        Ok(())
    }

    fn load_meta_values(&self) -> rusqlite::Result<FxHashMap<String, String>> {
        read_consistently(&self.connection, || query_meta_values(&self.connection))
    }

    /// Loads the `meta` values.
    ///
    /// # Errors
    /// Fails if the database cannot be read or is damaged.
    pub fn load_meta(&self) -> Result<GraphMeta, StoreError> {
        let values = self.load_meta_values().with_path(&self.path)?;
        let number = |key: &str| values.get(key).and_then(|text| text.parse().ok()).unwrap_or_default();
        Ok(GraphMeta {
            lineage: number("lineage"),
            revision: number("revision"),
            extractor: u32::try_from(number("extractor")).unwrap_or_default(),
            project: values.get("project").cloned().unwrap_or_default(),
            indexed_at: number("indexed_at"),
            checked_at: number("checked_at"),
        })
    }

    /// Calls `visit` with every row of `files`. Checks each row and the digest of all rows.
    fn for_each_file(&self, mut visit: impl FnMut(FileRow<'_>)) -> Result<(), StoreError> {
        let read = || {
            // A damaged index would return fewer rows than there are.
            let query = format!("SELECT {} FROM files NOT INDEXED", FileRow::COLUMNS);
            let mut statement = self.connection.prepare_cached(&query)?;
            let (mut rows, mut digest) = (statement.query([])?, TableDigest::default());
            while let Some(row) = rows.next()? {
                let (file, sum) = FileRow::from_row(row)?;
                digest.add_row(sum);
                visit(file);
            }
            digest.expect_stored(&self.connection, "files")
        };
        read_consistently(&self.connection, read).with_path(&self.path)
    }

    /// Loads the last known state of every file, by path.
    ///
    /// # Errors
    /// Fails if the database cannot be read or is damaged.
    pub fn load_file_stats(&self) -> Result<FxHashMap<String, FileStat>, StoreError> {
        let mut stats = FxHashMap::default();
        self.for_each_file(|file| {
            stats.insert(file.path.to_owned(), file.into());
        })?;
        Ok(stats)
    }

    /// Stores the new modification times of files whose content did not change.
    ///
    /// # Errors
    /// Fails if the database cannot be read or written, or is damaged.
    pub fn set_mtimes(&mut self, times: &[(String, i64)]) -> Result<(), StoreError> {
        let write = || {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            let mut digest = TableDigest::load_stored(&transaction, "files")?;
            for (path, mtime_ns) in times {
                let sums = with_file_row(&transaction, path, |file, before| {
                    (before, FileRow { mtime_ns: *mtime_ns, ..file }.row_checksum())
                })?;
                let Some((before, sum)) = sums else { continue };
                transaction
                    .prepare_cached("UPDATE files SET mtime_ns = ?, sum = ? WHERE path = ?")?
                    .execute(params![mtime_ns, sum, path])?;
                digest.remove_row(before);
                digest.add_row(sum);
            }
            digest.save_for_table(&transaction, "files")?;
            transaction.commit()
        };
        write().with_path(&self.path)
    }

    /// Stores the time of a comparison with the disk that found no change.
    ///
    /// # Errors
    /// Fails if the database cannot be read or written, or is damaged.
    pub fn set_checked_at(&self, seconds: u64) -> Result<(), StoreError> {
        let write = || {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            set_meta_values(&transaction, &[("checked_at", seconds.to_string())])?;
            transaction.commit()
        };
        write().with_path(&self.path)
    }

    /// Returns a number that changes when another process commits.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        self.connection.pragma_query_value(None, "data_version", |row| row.get(0)).with_path(&self.path)
    }

    /// Returns the files that commits after `revision` changed, sorted by path, and the paths of
    /// the files that they removed.
    ///
    /// # Errors
    /// Fails if the database cannot be read or is damaged.
    pub fn files_touched_since(&self, revision: u64) -> Result<(Vec<StoredFile>, Vec<String>), StoreError> {
        let revision = revision as i64;
        let mut files = Vec::new();
        self.for_each_file(|file| {
            if file.revision > revision {
                let (path, language) = (file.path.to_owned(), file.language.to_owned());
                files.push(StoredFile { path, language, stat: file.into() });
            }
        })?;
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let mut removed =
            read_consistently(&self.connection, || self.load_removed_files()).with_path(&self.path)?;
        removed.retain(|(_, at)| *at > revision);
        removed.sort_unstable();
        Ok((files, removed.into_iter().map(|(path, _)| path).collect()))
    }

    /// Loads the removed files, each with the revision that removed it.
    fn load_removed_files(&self) -> rusqlite::Result<Vec<(String, i64)>> {
        let mut statement =
            self.connection.prepare_cached("SELECT path, revision, sum FROM removed_files")?;
        let (mut rows, mut removed, mut digest) = (statement.query([])?, Vec::new(), TableDigest::default());
        while let Some(row) = rows.next()? {
            let (path, revision): (String, i64) = (row.get(0)?, row.get(1)?);
            let sum = removed_checksum(&path, revision);
            expect_checksum("removed_files", row.get(2)?, sum)?;
            digest.add_row(sum);
            removed.push((path, revision));
        }
        digest.expect_stored(&self.connection, "removed_files")?;
        Ok(removed)
    }

    /// Loads the edges of one file and finds their ends in `snapshot`. Skips edges with an end that
    /// is not in `snapshot`.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if the file has no row, or if its edges do not match their
    /// checksum.
    pub fn load_file_edges(&self, path: &str, snapshot: &Snapshot) -> Result<FileEdges, StoreError> {
        read_consistently(&self.connection, || self.query_file_edges(path, snapshot)).with_path(&self.path)
    }

    fn query_file_edges(&self, path: &str, snapshot: &Snapshot) -> rusqlite::Result<FileEdges> {
        let mut out = FileEdges { path: path.to_owned(), ..FileEdges::default() };
        let (id, lookups, resolution) = self.query_resolution(path, &mut out.calls)?;
        out.lookups =
            lookups.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap_or_default())).collect();
        let mut computed = ResolutionChecksum::new(path, &out.calls, &lookups);
        let mut statement = self.connection.prepare_cached(
            "SELECT inside.hash, outside.hash, outside.file_id IS NULL, outside.kind, outside.container,
                    outside.name, e.kind, e.provenance, e.confidence, e.line, s.file_id IS NULL
               FROM edges e JOIN symbols s ON s.id = e.source
                    JOIN symbols inside ON inside.id = iif(s.file_id IS NULL, e.target, e.source)
                    JOIN symbols outside ON outside.id = iif(s.file_id IS NULL, e.source, e.target)
              WHERE e.owner = ?",
        )?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            out.edges.extend(parse_edge_row(row, snapshot, &mut computed)?);
        }
        expect_checksum("edges", resolution, computed.finish())?;
        Ok(out)
    }

    /// Loads the id, the lookups and the resolution checksum of a file's row, and fills `calls`.
    fn query_resolution(&self, path: &str, calls: &mut CallStats) -> rusqlite::Result<(i64, Vec<u8>, i64)> {
        self.connection
            .prepare_cached(
                "SELECT id, lookups, calls_resolved, calls_ambiguous, calls_external, calls_unresolved, resolution
                   FROM files WHERE path = ?",
            )?
            .query_row([path], |row| {
                *calls = CallStats {
                    resolved: row.get(2)?,
                    ambiguous: row.get(3)?,
                    external: row.get(4)?,
                    unresolved: row.get(5)?,
                };
                Ok((row.get(0)?, row.get(1)?, row.get(6)?))
            })
    }

    /// Writes a commit in one transaction: files with new content (`changed`), files with new edges
    /// only (`resolved`), removed files (`removed`), and the `meta` values.
    ///
    /// # Errors
    /// Fails if the database cannot be read or written, or is damaged.
    pub fn commit_changes(
        &mut self,
        snapshot: &Snapshot,
        changed: &[String],
        resolved: &[String],
        removed: &[String],
        meta: &GraphMeta,
    ) -> Result<(), StoreError> {
        let path = &self.path;
        // The rows of a first commit refer only to one another, and nothing is deleted, so foreign
        // keys need no checks. The pragma has no effect inside a transaction.
        let fresh = removed.is_empty() && commit::is_database_empty(&self.connection).with_path(path)?;
        self.connection.pragma_update(None, "foreign_keys", !fresh).with_path(path)?;
        let result = (|| {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            let fresh = fresh && commit::is_database_empty(&transaction)?;
            CommitWriter::new(&transaction, snapshot, meta.revision, fresh)?
                .write_files(changed, resolved, removed)?;
            let values = [
                ("revision", meta.revision.to_string()),
                ("extractor", meta.extractor.to_string()),
                ("project", meta.project.clone()),
                ("indexed_at", meta.indexed_at.to_string()),
                ("checked_at", meta.checked_at.to_string()),
            ];
            set_meta_values(&transaction, &values)?;
            transaction.commit()
        })();
        self.connection.pragma_update(None, "foreign_keys", true).with_path(path)?;
        result.with_path(path)
    }

    /// Deletes the records of files that were removed at `revision` or before. Every base image of
    /// at least that revision lacks these files anyway.
    ///
    /// # Errors
    /// Fails if the database cannot be read or written, or is damaged.
    pub fn delete_removal_records(&self, revision: u64) -> Result<(), StoreError> {
        let write = || {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            let mut digest = TableDigest::load_stored(&transaction, "removed_files")?;
            let mut statement =
                transaction.prepare_cached("DELETE FROM removed_files WHERE revision <= ? RETURNING sum")?;
            for sum in statement.query_map([revision as i64], |row| row.get(0))? {
                digest.remove_row(sum?);
            }
            drop(statement);
            digest.save_for_table(&transaction, "removed_files")?;
            transaction.commit()
        };
        write().with_path(&self.path)
    }

    /// Reads, as a check, all data that a graph is built from: each file, its edges, and the `meta`
    /// values.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if anything differs from the written data.
    pub(super) fn check_rows(&self) -> Result<(), StoreError> {
        let _reading = self.begin_reading()?;
        self.load_meta()?;
        self.load_derived_files()?;
        let (files, _) = self.files_touched_since(0)?;
        let empty = Snapshot::empty();
        files.iter().try_for_each(|file| self.load_file_edges(&file.path, &empty).map(drop))
    }
}

impl From<FileRow<'_>> for FileStat {
    fn from(file: FileRow<'_>) -> Self {
        let FileRow { mtime_ns, content_hash, .. } = file;
        Self { size: file.size.cast_unsigned(), mtime_ns, content_hash }
    }
}

/// Loads the rows of `meta`.
fn query_meta_values(connection: &Connection) -> rusqlite::Result<FxHashMap<String, String>> {
    let mut statement = connection.prepare_cached("SELECT key, value, sum FROM meta")?;
    let (mut rows, mut values, mut digest) =
        (statement.query([])?, FxHashMap::default(), TableDigest::default());
    while let Some(row) = rows.next()? {
        let (key, value): (String, String) = (row.get(0)?, row.get(1)?);
        let sum = meta_checksum(&key, &value);
        expect_checksum("meta", row.get(2)?, sum)?;
        digest.add_row(sum);
        values.insert(key, value);
    }
    digest.expect_stored(connection, "meta")?;
    Ok(values)
}

/// Sets rows of `meta` inside a transaction. Also checks the existing rows.
fn set_meta_values(transaction: &Transaction<'_>, new: &[(&str, String)]) -> rusqlite::Result<()> {
    let mut values = query_meta_values(transaction)?;
    for (key, value) in new {
        let sum = meta_checksum(key, value);
        transaction
            .prepare_cached("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)")?
            .execute(params![key, value, sum])?;
        values.insert((*key).to_owned(), value.clone());
    }
    let mut digest = TableDigest::default();
    for (key, value) in &values {
        digest.add_row(meta_checksum(key, value));
    }
    digest.save_for_table(transaction, "meta")
}

/// Parses an edge into the form of [`NewEdge`], in which an edge that starts outside has its end in
/// the workspace as `source`. Adds the edge to `checksum`. Returns `None` if an end is not in
/// `snapshot`.
fn parse_edge_row(
    row: &rusqlite::Row<'_>,
    snapshot: &Snapshot,
    checksum: &mut ResolutionChecksum,
) -> rusqlite::Result<Option<NewEdge>> {
    let text = |at| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_str()?);
    let (inside, outside) = (Hash(row.get(0)?), Hash(row.get(1)?));
    let labels: [u8; 3] = [row.get(6)?, row.get(7)?, row.get(8)?];
    let line: Option<u32> = row.get(9)?;
    let phantom = if row.get(2)? { Some((text(3)?, text(4)?, text(5)?)) } else { None };
    let mut ends = [end_checksum(&inside, None), end_checksum(&outside, phantom)];
    if row.get(10)? {
        ends.reverse();
    }
    checksum.add_edge(ends, labels, line);
    let target = if let Some((kind, package, name)) = phantom {
        let kind = SymbolKind::parse(kind).ok_or_else(|| checksum_mismatch("symbols"))?;
        EdgeTarget::Phantom { kind, package: package.to_owned(), name: name.to_owned() }
    } else {
        let Some(id) = snapshot.symbol_by_hash(&outside) else { return Ok(None) };
        EdgeTarget::Symbol(id)
    };
    let (Some(source), Some(kind), Some(provenance)) = (
        snapshot.symbol_by_hash(&inside),
        EdgeKind::from_number(labels[0]),
        Provenance::from_number(labels[1]),
    ) else {
        return Ok(None);
    };
    Ok(Some(NewEdge { source, target, kind, provenance, confidence: f32::from(labels[2]) / 100.0, line }))
}
