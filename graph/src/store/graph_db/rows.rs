//! What is read back of the rows of `graph.db`, and their checksums.

use crate::hash::Hash;
use crate::snapshot::CallStats;
use crate::store::sums::{RowSum, expect_sum};
use crate::vocabulary::SymbolKind;
use rusqlite::{Connection, OptionalExtension, Row};

/// A row of `files`, but for what resolution found.
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
    /// [`ResolutionSum`].
    pub resolution: i64,
}

impl<'a> FileRow<'a> {
    /// The columns that [`FileRow::read`] reads, in its order.
    pub const COLUMNS: &'static str =
        "path, language, package, content_hash, size, mtime_ns, lines, revision, resolution, sum";

    /// Reads the [`FileRow::COLUMNS`] that begin a row, with their checksum.
    ///
    /// # Errors
    /// When the row is not as it was written.
    pub fn read(row: &'a Row<'_>) -> rusqlite::Result<(Self, i64)> {
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
        let sum = file.sum();
        expect_sum("files", row.get(9)?, sum)?;
        Ok((file, sum))
    }

    /// The checksum of the row.
    pub fn sum(&self) -> i64 {
        let mut sum = RowSum::new("files");
        sum.text(self.path).text(self.language).text(self.package).bytes(&self.content_hash.0);
        let numbers = [self.size, self.mtime_ns, i64::from(self.lines), self.revision, self.resolution];
        for number in numbers {
            sum.number(number);
        }
        sum.finish()
    }
}

/// Reads the row of a file and does something with it; `None` where there is no such row.
pub(super) fn with_file<T>(
    connection: &Connection,
    path: &str,
    then: impl FnOnce(FileRow<'_>, i64) -> T,
) -> rusqlite::Result<Option<T>> {
    let query = format!("SELECT {} FROM files WHERE path = ?", FileRow::COLUMNS);
    connection
        .prepare_cached(&query)?
        .query_row([path], |row| {
            let (file, sum) = FileRow::read(row)?;
            Ok(then(file, sum))
        })
        .optional()
}

/// The checksum of a row of `removed_files`.
pub(super) fn removed_sum(path: &str, revision: i64) -> i64 {
    RowSum::new("removed_files").text(path).number(revision).finish()
}

/// The checksum of a row of `meta`.
pub(super) fn meta_sum(key: &str, value: &str) -> i64 {
    RowSum::new("meta").text(key).text(value).finish()
}

/// The checksum of one end of an edge: of a symbol of the workspace its identity, of one outside also what it is.
pub(super) fn end_sum(hash: &Hash, outside: Option<(&str, &str, &str)>) -> i64 {
    let mut sum = RowSum::new(if outside.is_some() { "outside" } else { "inside" });
    sum.bytes(&hash.0);
    if let Some((kind, container, name)) = outside {
        sum.text(kind).text(container).text(name);
    }
    sum.finish()
}

/// [`end_sum`] of what is outside the workspace.
pub(super) fn outside_sum(hash: &Hash, kind: SymbolKind, container: &str, name: &str) -> i64 {
    end_sum(hash, Some((kind.as_str(), container, name)))
}

/// The checksum of what resolution found of a file: its edges come one by one, in any order.
pub(super) struct ResolutionSum {
    head: RowSum,
    edges: i64,
    sum: i64,
}

impl ResolutionSum {
    /// Begins with what is in the file's own row.
    pub fn new(path: &str, calls: &CallStats, lookups: &[u8]) -> Self {
        let mut head = RowSum::new("resolution");
        head.text(path).bytes(lookups);
        for calls in [calls.resolved, calls.ambiguous, calls.external, calls.unresolved] {
            head.number(i64::from(calls));
        }
        Self { head, edges: 0, sum: 0 }
    }

    /// Adds an edge: the checksums of its ends, then kind, provenance, confidence in hundredths and line.
    pub fn add_edge(&mut self, ends: [i64; 2], labels: [u8; 3], line: Option<u32>) {
        let mut bytes = [0; 27];
        bytes[..8].copy_from_slice(&ends[0].to_le_bytes());
        bytes[8..16].copy_from_slice(&ends[1].to_le_bytes());
        bytes[16..19].copy_from_slice(&labels);
        bytes[19..].copy_from_slice(&line.map_or(-1, i64::from).to_le_bytes());
        self.edges += 1;
        self.sum = self.sum.wrapping_add(crate::snapshot::base::checksum(&bytes).cast_signed());
    }

    /// The checksum.
    pub fn finish(mut self) -> i64 {
        self.head.number(self.edges).number(self.sum).finish()
    }
}
