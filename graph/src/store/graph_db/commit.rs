//! Writes files, symbols and edges to `graph.db`, inside one transaction.
//!
//! In: a snapshot, and the paths of the files that changed, that have other edges, or that were
//! removed. Out: rows that have the state of the snapshot. Removes files first, then writes all
//! changed files with their symbols, and then the edges, whose ends must have rows.
//!
//! The first commit to an empty database drops the indexes of `symbols`, creates them again at the
//! end, and looks up no existing rows, which makes it several times faster.
//!
//! Invariants: a symbol that stays keeps the id of its row, because edges of other files refer to
//! it. The checksum of each file and the digests of the tables agree with the rows.

use super::rows::{
    FileRow, ResolutionChecksum, end_checksum, outside_checksum, removed_checksum, with_file_row,
};
use crate::FileId;
use crate::snapshot::{Snapshot, SymbolId, identity, overlay::StoredEdge};
use crate::store::row_checksums::TableDigest;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use rustc_hash::FxHashMap;

/// The indexes of `symbols`. Creating them after the first commit is several times faster than
/// updating them during it.
const SYMBOL_INDEXES: [(&str, &str); 3] = [
    ("symbols_by_hash", "CREATE UNIQUE INDEX symbols_by_hash ON symbols (hash)"),
    ("symbols_by_file", "CREATE INDEX symbols_by_file ON symbols (file_id, position)"),
    ("symbols_by_name", "CREATE INDEX symbols_by_name ON symbols (name)"),
];

/// The numbers of edges that one statement inserts. Edges are split into as many full batches of
/// each size as possible, the largest size first.
const BATCH_SIZES: [usize; 4] = [64, 16, 4, 1];

/// Whether a database has neither files nor symbols.
pub(super) fn is_database_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let query = "SELECT NOT EXISTS (SELECT 1 FROM files) AND NOT EXISTS (SELECT 1 FROM symbols)";
    connection.query_row(query, [], |row| row.get(0))
}

/// The state of one commit.
pub(super) struct CommitWriter<'a> {
    transaction: &'a Transaction<'a>,
    snapshot: &'a Snapshot,
    revision: u64,
    /// Whether the database was empty. Every row is then new, and `symbols` has no indexes for
    /// lookups.
    fresh: bool,
    /// The rows of symbols that are known so far.
    ids: FxHashMap<SymbolId, SymbolRow>,
    /// The digest of `files` after the commit.
    files: TableDigest,
    /// The digest of `removed_files` after the commit.
    removed: TableDigest,
}

/// The origin of a file's row in `files`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileRowOrigin {
    /// This commit wrote the row, which has no checksum yet.
    ThisCommit,
    /// An earlier commit wrote the row and its checksum.
    EarlierCommit,
}

/// The row of a symbol, and the checksum of the symbol as an end of an edge.
#[derive(Clone, Copy)]
struct SymbolRow {
    id: i64,
    sum: i64,
}

/// An edge with the rows of its source and target.
type EdgeRow = (SymbolRow, SymbolRow, StoredEdge);

impl<'a> CommitWriter<'a> {
    /// Starts a commit of `snapshot` with the number `revision`. `fresh` says whether the database
    /// is empty.
    pub fn new(
        transaction: &'a Transaction<'a>,
        snapshot: &'a Snapshot,
        revision: u64,
        fresh: bool,
    ) -> rusqlite::Result<Self> {
        let files = TableDigest::load_stored(transaction, "files")?;
        let removed = TableDigest::load_stored(transaction, "removed_files")?;
        Ok(Self { transaction, snapshot, revision, fresh, ids: FxHashMap::default(), files, removed })
    }

    /// Removes the files in `removed`, writes the files in `changed` with their symbols and edges,
    /// and writes only the edges of the files in `resolved`.
    pub fn write_files(
        &mut self,
        changed: &[String],
        resolved: &[String],
        removed: &[String],
    ) -> rusqlite::Result<()> {
        for path in removed {
            self.remove_file(path)?;
        }
        if self.fresh {
            for (index, _) in SYMBOL_INDEXES {
                self.transaction.execute(&format!("DROP INDEX {index}"), [])?;
            }
        }
        for path in changed {
            self.insert_file(path)?;
        }
        for path in changed {
            self.insert_file_edges(path, FileRowOrigin::ThisCommit)?;
        }
        for path in resolved {
            self.insert_file_edges(path, FileRowOrigin::EarlierCommit)?;
        }
        if self.fresh {
            for (_, create) in SYMBOL_INDEXES {
                self.transaction.execute(create, [])?;
            }
        }
        self.files.save_for_table(self.transaction, "files")?;
        self.removed.save_for_table(self.transaction, "removed_files")
    }

    fn remove_file(&mut self, path: &str) -> rusqlite::Result<()> {
        self.transaction
            .execute("DELETE FROM edges WHERE owner = (SELECT id FROM files WHERE path = ?)", [path])?;
        if let Some(sum) = with_file_row(self.transaction, path, |_, sum| sum)? {
            self.files.remove_row(sum);
        }
        self.transaction.execute("DELETE FROM files WHERE path = ?", [path])?;
        self.delete_removal_record(path)?;
        let (revision, sum) = (self.revision as i64, removed_checksum(path, self.revision as i64));
        self.transaction
            .execute("INSERT INTO removed_files VALUES (?, ?, ?)", params![path, revision, sum])?;
        self.removed.add_row(sum);
        Ok(())
    }

    /// Deletes the row of a removed file, because the file exists again or is removed again.
    fn delete_removal_record(&mut self, path: &str) -> rusqlite::Result<()> {
        let deleted: Option<i64> = self
            .transaction
            .prepare_cached("DELETE FROM removed_files WHERE path = ? RETURNING sum")?
            .query_row([path], |row| row.get(0))
            .optional()?;
        if let Some(sum) = deleted {
            self.removed.remove_row(sum);
        }
        Ok(())
    }

    fn insert_file(&mut self, path: &str) -> rusqlite::Result<()> {
        let Some(id) = self.snapshot.file_by_path(path) else { return Ok(()) };
        let Some(file) = self.snapshot.file(id) else { return Ok(()) };
        if !self.fresh {
            self.delete_removal_record(path)?;
            if let Some(sum) = with_file_row(self.transaction, path, |_, sum| sum)? {
                self.files.remove_row(sum);
            }
        }
        // `insert_file_edges` sets the checksums.
        self.transaction
            .prepare_cached(
                "INSERT INTO files (path, language, package, content_hash, size, mtime_ns, lines, revision,
                     resolution, sum, lookups)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, 0, x'')
                 ON CONFLICT (path) DO UPDATE SET language = ?2, package = ?3, content_hash = ?4, size = ?5,
                     mtime_ns = ?6, lines = ?7, revision = ?8",
            )?
            .execute(params![
                file.path,
                file.language,
                file.package,
                file.content_hash.0,
                file.size as i64,
                file.mtime_ns,
                file.lines,
                self.revision as i64,
            ])?;
        let file_id: i64 = self
            .transaction
            .prepare_cached("SELECT id FROM files WHERE path = ?")?
            .query_row([path], |row| row.get(0))?;
        if self.fresh {
            return self.insert_symbols(id, file_id);
        }
        // Symbols that stay keep the ids of their rows, because edges of other files point to them.
        self.transaction
            .prepare_cached("UPDATE symbols SET position = -1 - position WHERE file_id = ?")?
            .execute([file_id])?;
        self.insert_symbols(id, file_id)?;
        self.transaction
            .prepare_cached("DELETE FROM symbols WHERE file_id = ? AND position < 0")?
            .execute([file_id])?;
        Ok(())
    }

    fn insert_symbols(&mut self, file: FileId, file_id: i64) -> rusqlite::Result<()> {
        // `insert` returns the id of a new row. `RETURNING` would cost a temporary table per row.
        let on_conflict = if self.fresh {
            ""
        } else {
            "ON CONFLICT (hash) DO UPDATE SET file_id = ?1, position = ?2, parent = ?4, name = ?5, container = ?6,
                 kind = ?7, signature = ?8, doc = ?9, start_line = ?10, end_line = ?11, visibility = ?12, is_test = ?13
             RETURNING id"
        };
        let mut insert = self.transaction.prepare_cached(&format!(
            "INSERT INTO symbols (file_id, position, hash, parent, name, container, kind, signature, doc, start_line,
                 end_line, visibility, is_test)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) {on_conflict}"
        ))?;
        let symbols = self.snapshot.file_symbol_refs(file);
        let positions: FxHashMap<SymbolId, usize> =
            symbols.iter().enumerate().map(|(position, symbol)| (symbol.id, position)).collect();
        for (position, symbol) in symbols.iter().enumerate() {
            let values = params![
                file_id,
                position as i64,
                symbol.hash.0,
                symbol.parent.and_then(|p| positions.get(&p)).map(|&p| p as i64),
                symbol.name,
                symbol.container,
                symbol.kind.as_str(),
                symbol.signature_text(),
                symbol.doc_text(),
                symbol.span.start_line,
                symbol.span.end_line,
                symbol.visibility.as_str(),
                symbol.is_test,
            ];
            let row = if self.fresh {
                insert.insert(values)?
            } else {
                insert.query_row(values, |row| row.get(0))?
            };
            self.ids.insert(symbol.id, SymbolRow { id: row, sum: end_checksum(&symbol.hash, None) });
        }
        Ok(())
    }

    /// Writes the edges of a file, and the checksum of its row.
    fn insert_file_edges(&mut self, path: &str, origin: FileRowOrigin) -> rusqlite::Result<()> {
        let Some(file) = self.snapshot.file_by_path(path) else { return Ok(()) };
        let Some(entry) = self.snapshot.file(file) else { return Ok(()) };
        let owner: i64 = self
            .transaction
            .prepare_cached("SELECT id FROM files WHERE path = ?")?
            .query_row([path], |row| row.get(0))?;
        if !self.fresh {
            self.transaction.prepare_cached("DELETE FROM edges WHERE owner = ?")?.execute([owner])?;
        }
        let rows = self.collect_edge_rows(file)?;
        let lookups: Vec<u8> =
            self.snapshot.file_lookups(file).iter().flat_map(|key| key.to_le_bytes()).collect();
        let mut resolution = ResolutionChecksum::new(path, &entry.calls, &lookups);
        for (source, target, edge) in &rows {
            let labels = [edge.kind.number(), edge.provenance.number(), edge.confidence];
            resolution.add_edge([source.sum, target.sum], labels, edge_line(edge));
        }
        let (revision, resolution) = (self.revision as i64, resolution.finish());
        let sum = if origin == FileRowOrigin::ThisCommit {
            let row = FileRow {
                path: entry.path,
                language: entry.language,
                package: entry.package,
                content_hash: entry.content_hash,
                size: entry.size as i64,
                mtime_ns: entry.mtime_ns,
                lines: entry.lines,
                revision,
                resolution,
            };
            row.row_checksum()
        } else {
            // Keep the other columns of the stored row, which may be newer than the snapshot.
            let sums = with_file_row(self.transaction, path, |row, before| {
                (before, FileRow { revision, resolution, ..row }.row_checksum())
            })?;
            let (before, sum) = sums.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            self.files.remove_row(before);
            sum
        };
        self.files.add_row(sum);
        self.transaction
            .prepare_cached(
                "UPDATE files SET revision = ?, resolution = ?, sum = ?, lookups = ?, calls_resolved = ?,
                        calls_ambiguous = ?, calls_external = ?, calls_unresolved = ? WHERE id = ?",
            )?
            .execute(params![
                revision,
                resolution,
                sum,
                lookups,
                entry.calls.resolved,
                entry.calls.ambiguous,
                entry.calls.external,
                entry.calls.unresolved,
                owner,
            ])?;
        let mut rest = rows.as_slice();
        for size in BATCH_SIZES {
            while let Some((batch, remaining)) = rest.split_at_checked(size) {
                self.insert_edges(owner, batch)?;
                rest = remaining;
            }
        }
        Ok(())
    }

    /// Returns the edges that a file shows, sorted by their rows.
    fn collect_edge_rows(&mut self, file: FileId) -> rusqlite::Result<Vec<EdgeRow>> {
        let mut rows: Vec<EdgeRow> = Vec::new();
        for edge in self.snapshot.edges_shown_by(file) {
            if let (Some(source), Some(target)) =
                (self.ensure_symbol_row(edge.source)?, self.ensure_symbol_row(edge.target)?)
            {
                rows.push((source, target, edge));
            }
        }
        rows.sort_unstable_by_key(|(source, target, edge)| (source.id, edge.kind, target.id));
        rows.dedup_by_key(|(source, target, edge)| (source.id, edge.kind, target.id));
        Ok(rows)
    }

    /// Inserts edges with one statement. `OR REPLACE` would make SQLite keep a journal for each
    /// row.
    fn insert_edges(&self, owner: i64, rows: &[EdgeRow]) -> rusqlite::Result<()> {
        let values = ["(?1, ?, ?, ?, ?, ?, ?)"].repeat(rows.len()).join(", ");
        let mut insert = self.transaction.prepare_cached(&format!("INSERT INTO edges VALUES {values}"))?;
        insert.raw_bind_parameter(1, owner)?;
        let mut next = 2;
        for (source, target, edge) in rows {
            let line = edge_line(edge).map(i64::from);
            let (kind, provenance) = (i64::from(edge.kind.number()), i64::from(edge.provenance.number()));
            let columns = [
                Some(source.id),
                Some(target.id),
                Some(kind),
                Some(provenance),
                Some(edge.confidence.into()),
                line,
            ];
            for column in columns {
                insert.raw_bind_parameter(next, column)?;
                next += 1;
            }
        }
        insert.raw_execute()?;
        Ok(())
    }

    /// Returns the row of a symbol; inserts one for a phantom without a row. Returns `None` if the
    /// snapshot has no such symbol.
    fn ensure_symbol_row(&mut self, id: SymbolId) -> rusqlite::Result<Option<SymbolRow>> {
        if let Some(&row) = self.ids.get(&id) {
            return Ok(Some(row));
        }
        let Some(symbol) = self.snapshot.symbol(id) else { return Ok(None) };
        let known: Option<i64> = if self.fresh {
            None
        } else {
            self.transaction
                .prepare_cached("SELECT id FROM symbols WHERE hash = ?")?
                .query_row([symbol.hash.0], |row| row.get(0))
                .optional()?
        };
        let row = match known {
            Some(row) => row,
            None => self
                .transaction
                .prepare_cached(
                    "INSERT INTO symbols (file_id, position, hash, name, container, kind, signature, doc,
                         start_line, end_line, visibility, is_test)
                     VALUES (NULL, 0, ?, ?, ?, ?, '', '', 0, 0, 'public', 0)",
                )?
                .insert(params![symbol.hash.0, symbol.name, symbol.path, symbol.kind.as_str()])?,
        };
        debug_assert!(
            symbol.file.is_some()
                || symbol.hash == identity::phantom_hash(symbol.kind, symbol.path, symbol.name)
        );
        let sum = match symbol.file {
            Some(_) => end_checksum(&symbol.hash, None),
            None => outside_checksum(&symbol.hash, symbol.kind, symbol.path, symbol.name),
        };
        let row = SymbolRow { id: row, sum };
        self.ids.insert(id, row);
        Ok(Some(row))
    }
}

/// Returns the 0-based line of an edge's first site; `None` for edges without a site.
fn edge_line(edge: &StoredEdge) -> Option<u32> {
    (edge.line != u32::MAX).then_some(edge.line)
}
