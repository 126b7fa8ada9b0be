//! Reads rows of `graph.db`, and computes their checksums.
//!
//! In: rows of `files`, the results of resolution, and removed paths. Out: the columns, borrowed
//! from the row, and checksums. The reader and the writer of the database compute checksums only
//! here, so that both include the same columns.
//!
//! Invariant: a row that differs from the data that was written is an error.

use crate::hash::Hash;
use crate::snapshot::CallStats;
use crate::store::row_checksums::{RowChecksum, expect_checksum};
use crate::vocabulary::SymbolKind;
use rusqlite::{Connection, OptionalExtension, Row};

/// A row of `files`, with only a checksum of the results of resolution.
#[derive(Clone, Copy)]
pub(super) struct FileRow<'a> {
    pub path: &'a str,
    pub language: &'a str,
    pub package: &'a str,
    pub content_hash: Hash,
    pub size: i64,
    pub mtime_ns: i64,
    pub lines: u32,
    pub revision: i64,
    /// The [`ResolutionChecksum`] of the file.
    pub resolution: i64,
}

impl<'a> FileRow<'a> {
    /// The columns that [`FileRow::from_row`] reads, in its order.
    pub const COLUMNS: &'static str =
        "path, language, package, content_hash, size, mtime_ns, lines, revision, resolution, sum";

    /// Reads the [`FileRow::COLUMNS`] at the start of a row; also returns its checksum.
    ///
    /// # Errors
    /// Returns an error if the row differs from the written data.
    pub fn from_row(row: &'a Row<'_>) -> rusqlite::Result<(Self, i64)> {
        let text = |at| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_str()?);
        let file = Self {
            path: text(0)?,
            language: text(1)?,
            package: text(2)?,
            content_hash: Hash(row.get(3)?),
            size: row.get(4)?,
            mtime_ns: row.get(5)?,
            lines: row.get(6)?,
            revision: row.get(7)?,
            resolution: row.get(8)?,
        };
        let sum = file.row_checksum();
        expect_checksum("files", row.get(9)?, sum)?;
        Ok((file, sum))
    }

    /// Computes the checksum of the row.
    pub fn row_checksum(&self) -> i64 {
        let mut sum = RowChecksum::new("files");
        sum.add_text(self.path)
            .add_text(self.language)
            .add_text(self.package)
            .add_bytes(&self.content_hash.0);
        let numbers = [self.size, self.mtime_ns, i64::from(self.lines), self.revision, self.resolution];
        for number in numbers {
            sum.add_number(number);
        }
        sum.finish()
    }
}

/// Reads the row of a file and returns the result of `read` for the row and its checksum. Returns
/// `None` if there is no such row.
pub(super) fn with_file_row<T>(
    connection: &Connection,
    path: &str,
    read: impl FnOnce(FileRow<'_>, i64) -> T,
) -> rusqlite::Result<Option<T>> {
    let query = format!("SELECT {} FROM files WHERE path = ?", FileRow::COLUMNS);
    connection
        .prepare_cached(&query)?
        .query_row([path], |row| {
            let (file, sum) = FileRow::from_row(row)?;
            Ok(read(file, sum))
        })
        .optional()
}

/// Computes the checksum of a row of `removed_files`.
pub(super) fn removed_checksum(path: &str, revision: i64) -> i64 {
    RowChecksum::new("removed_files").add_text(path).add_number(revision).finish()
}

/// Computes the checksum of a row of `meta`.
pub(super) fn meta_checksum(key: &str, value: &str) -> i64 {
    RowChecksum::new("meta").add_text(key).add_text(value).finish()
}

/// Computes the checksum of one end of an edge. It covers the identity, and for a symbol outside
/// the workspace also kind, container and name.
pub(super) fn end_checksum(hash: &Hash, outside: Option<(&str, &str, &str)>) -> i64 {
    let mut sum = RowChecksum::new(if outside.is_some() { "outside" } else { "inside" });
    sum.add_bytes(&hash.0);
    if let Some((kind, container, name)) = outside {
        sum.add_text(kind).add_text(container).add_text(name);
    }
    sum.finish()
}

/// Computes the [`end_checksum`] of a symbol outside the workspace.
pub(super) fn outside_checksum(hash: &Hash, kind: SymbolKind, container: &str, name: &str) -> i64 {
    end_checksum(hash, Some((kind.as_str(), container, name)))
}

/// The checksum of the resolution of a file. Edges are added one by one, in any order.
pub(super) struct ResolutionChecksum {
    /// The unfinished checksum of the file's own row.
    head: RowChecksum,
    edges: i64,
    sum: i64,
}

impl ResolutionChecksum {
    /// Starts with the values in the file's own row.
    pub fn new(path: &str, calls: &CallStats, lookups: &[u8]) -> Self {
        let mut head = RowChecksum::new("resolution");
        head.add_text(path).add_bytes(lookups);
        for calls in [calls.resolved, calls.ambiguous, calls.external, calls.unresolved] {
            head.add_number(i64::from(calls));
        }
        Self { head, edges: 0, sum: 0 }
    }

    /// Adds an edge: the checksums of its ends, then kind, provenance and confidence in hundredths
    /// (`labels`), and the line.
    pub fn add_edge(&mut self, ends: [i64; 2], labels: [u8; 3], line: Option<u32>) {
        let mut bytes = [0; 27];
        bytes[..8].copy_from_slice(&ends[0].to_le_bytes());
        bytes[8..16].copy_from_slice(&ends[1].to_le_bytes());
        bytes[16..19].copy_from_slice(&labels);
        bytes[19..].copy_from_slice(&line.map_or(-1, i64::from).to_le_bytes());
        self.edges += 1;
        self.sum = self.sum.wrapping_add(crate::snapshot::base::xxh3_checksum(&bytes).cast_signed());
    }

    /// Returns the checksum.
    pub fn finish(mut self) -> i64 {
        self.head.add_number(self.edges).add_number(self.sum).finish()
    }
}
