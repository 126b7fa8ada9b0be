//! Checksums of stored data: of each row, and of each table as a whole.
//!
//! SQLite detects neither a flipped bit inside a value nor an older version of a page. Each row
//! therefore has the XXH3 of its key and of all values that Kenning reads from it. A table's
//! [`TableDigest`] (the number of its rows and the sum of their checksums) is stored next to it and
//! updated in the same transaction, so that missing and stale rows are also detected. A mismatch
//! counts as damage of the database; no answer comes from damaged rows.

use crate::snapshot::base::xxh3_checksum;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, params};

/// An unfinished checksum. Text and bytes are preceded by their lengths, so that no two different
/// rows produce the same bytes.
pub(super) struct RowChecksum(Vec<u8>);

impl RowChecksum {
    /// Starts the checksum of a row of a table.
    pub fn new(table: &str) -> Self {
        let mut sum = Self(Vec::with_capacity(256));
        sum.add_text(table);
        sum
    }

    /// Adds a text and its length in bytes.
    pub fn add_text(&mut self, part: &str) -> &mut Self {
        self.add_bytes(part.as_bytes())
    }

    /// Adds bytes and their number.
    pub fn add_bytes(&mut self, part: &[u8]) -> &mut Self {
        self.0.extend_from_slice(&(part.len() as u64).to_le_bytes());
        self.0.extend_from_slice(part);
        self
    }

    /// Adds a number, which needs no length.
    pub fn add_number(&mut self, part: i64) -> &mut Self {
        self.0.extend_from_slice(&part.to_le_bytes());
        self
    }

    /// Returns the checksum as the signed number that SQLite stores.
    pub fn finish(&self) -> i64 {
        xxh3_checksum(&self.0).cast_signed()
    }
}

/// The error that the stored rows of a table differ from the written rows.
#[derive(Debug, thiserror::Error)]
#[error("the checksum of table {0} does not match its contents")]
pub(super) struct ChecksumMismatch(pub &'static str);

/// Returns the error for a row that differs from the written data.
pub(super) fn checksum_mismatch(table: &'static str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Integer, Box::new(ChecksumMismatch(table)))
}

/// Returns an error unless a row has the checksum that was written with it.
pub(super) fn expect_checksum(table: &'static str, stored: i64, found: i64) -> rusqlite::Result<()> {
    if stored == found { Ok(()) } else { Err(checksum_mismatch(table)) }
}

/// The digest of all rows of a table, independent of their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TableDigest {
    rows: i64,
    sum: i64,
}

impl TableDigest {
    /// Adds a row with this checksum.
    pub fn add_row(&mut self, sum: i64) {
        self.rows += 1;
        self.sum = self.sum.wrapping_add(sum);
    }

    /// Removes a row with this checksum.
    pub fn remove_row(&mut self, sum: i64) {
        self.rows -= 1;
        self.sum = self.sum.wrapping_sub(sum);
    }

    /// Loads the stored digest of a table. Returns the digest of an empty table if there is none.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn load_stored(connection: &Connection, table: &str) -> rusqlite::Result<Self> {
        let stored = connection
            .prepare_cached("SELECT rows, sum FROM digests WHERE name = ?")?
            .query_row([table], |row| Ok(Self { rows: row.get(0)?, sum: row.get(1)? }))
            .optional()?;
        Ok(stored.unwrap_or_default())
    }

    /// Stores the digest of a table. Call it inside the transaction that changed the table.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub fn save_for_table(self, connection: &Connection, table: &str) -> rusqlite::Result<()> {
        connection
            .prepare_cached("INSERT OR REPLACE INTO digests VALUES (?, ?, ?)")?
            .execute(params![table, self.rows, self.sum])?;
        Ok(())
    }

    /// Returns an error unless the stored digest of the table equals this digest. Call it inside
    /// the transaction that read the rows.
    pub fn expect_stored(self, connection: &Connection, table: &'static str) -> rusqlite::Result<()> {
        if Self::load_stored(connection, table)? == self { Ok(()) } else { Err(checksum_mismatch(table)) }
    }
}

/// Runs `read` inside a transaction, so that all reads see the same state. Uses the open
/// transaction if there is one.
pub(super) fn read_consistently<T>(
    connection: &Connection,
    read: impl FnOnce() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let _transaction = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose()?;
    read()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_cover_the_boundaries_of_parts_and_digests_ignore_the_order_of_rows() {
        let checksum = |a: &str, b: &str| RowChecksum::new("t").add_text(a).add_text(b).finish();
        assert_ne!(checksum("ab", "c"), checksum("a", "bc"));
        assert_ne!(
            RowChecksum::new("t").add_number(1).finish(),
            RowChecksum::new("u").add_number(1).finish()
        );
        let (mut first, mut second) = (TableDigest::default(), TableDigest::default());
        for sum in [checksum("a", ""), checksum("b", ""), i64::MAX, i64::MIN] {
            first.add_row(sum);
        }
        for sum in [i64::MIN, checksum("b", ""), checksum("c", ""), i64::MAX, checksum("a", "")] {
            second.add_row(sum);
        }
        assert_ne!(first, second);
        second.remove_row(checksum("c", ""));
        assert_eq!(first, second);
    }
}
