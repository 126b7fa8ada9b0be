//! Checksums of what is stored: of each row, and of each table as a whole.
//!
//! SQLite does not notice a bit that turned inside a value, nor a page that was put back from before. A row carries the
//! XXH3 of what is read of it, with its key; a table's [`TableDigest`] (the number of its rows and the sum of their
//! checksums) is kept beside it and changed in the same transaction, so that a row that is lost or stale is found
//! as well. What is not as it was written counts as damage of the database, and is never answered from.

use crate::snapshot::base::xxh3_checksum;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, params};

/// A checksum in the making. Parts are preceded by their lengths, so that no two different rows give the same bytes.
pub(super) struct RowChecksum(Vec<u8>);

impl RowChecksum {
    /// Begins the checksum of a row of a table.
    pub fn new(table: &str) -> Self {
        let mut sum = Self(Vec::with_capacity(256));
        sum.add_text(table);
        sum
    }

    pub fn add_text(&mut self, part: &str) -> &mut Self {
        self.add_bytes(part.as_bytes())
    }

    pub fn add_bytes(&mut self, part: &[u8]) -> &mut Self {
        self.0.extend_from_slice(&(part.len() as u64).to_le_bytes());
        self.0.extend_from_slice(part);
        self
    }

    pub fn add_number(&mut self, part: i64) -> &mut Self {
        self.0.extend_from_slice(&part.to_le_bytes());
        self
    }

    /// The checksum, as SQLite stores numbers.
    pub fn finish(&self) -> i64 {
        xxh3_checksum(&self.0).cast_signed()
    }
}

/// What is stored is not what was written.
#[derive(Debug, thiserror::Error)]
#[error("a row of {0} is not as it was written")]
pub(super) struct ChecksumMismatch(pub &'static str);

/// The error for a row that is not as it was written.
pub(super) fn checksum_mismatch(table: &'static str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Integer, Box::new(ChecksumMismatch(table)))
}

/// An error unless a row has the checksum that was written with it.
pub(super) fn expect_checksum(table: &'static str, stored: i64, found: i64) -> rusqlite::Result<()> {
    if stored == found { Ok(()) } else { Err(checksum_mismatch(table)) }
}

/// The rows of a table as a whole, whatever their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TableDigest {
    rows: i64,
    sum: i64,
}

impl TableDigest {
    /// A row came, with this checksum.
    pub fn add_row(&mut self, sum: i64) {
        self.rows += 1;
        self.sum = self.sum.wrapping_add(sum);
    }

    /// A row went, with this checksum.
    pub fn remove_row(&mut self, sum: i64) {
        self.rows -= 1;
        self.sum = self.sum.wrapping_sub(sum);
    }

    /// The digest that is kept of a table; that of no rows where none is.
    pub fn load_stored(connection: &Connection, table: &str) -> rusqlite::Result<Self> {
        let kept = connection
            .prepare_cached("SELECT rows, sum FROM digests WHERE name = ?")?
            .query_row([table], |row| Ok(Self { rows: row.get(0)?, sum: row.get(1)? }))
            .optional()?;
        Ok(kept.unwrap_or_default())
    }

    /// Keeps the digest of a table, inside the transaction that changed it.
    pub fn save_for_table(self, connection: &Connection, table: &str) -> rusqlite::Result<()> {
        connection
            .prepare_cached("INSERT OR REPLACE INTO digests VALUES (?, ?, ?)")?
            .execute(params![table, self.rows, self.sum])?;
        Ok(())
    }

    /// An error unless these are all the rows of the table, and no others. To be asked inside the transaction that read
    /// them.
    pub fn expect_stored(self, connection: &Connection, table: &'static str) -> rusqlite::Result<()> {
        if Self::load_stored(connection, table)? == self { Ok(()) } else { Err(checksum_mismatch(table)) }
    }
}

/// Reads inside a transaction, so that all of it is of one moment; inside the one that is open already, if so.
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
    fn parts_of_a_row_cannot_be_shifted_and_rows_count_in_any_order() {
        let of = |a: &str, b: &str| RowChecksum::new("t").add_text(a).add_text(b).finish();
        assert_ne!(of("ab", "c"), of("a", "bc"));
        assert_ne!(
            RowChecksum::new("t").add_number(1).finish(),
            RowChecksum::new("u").add_number(1).finish()
        );
        let (mut one, mut other) = (TableDigest::default(), TableDigest::default());
        for sum in [of("a", ""), of("b", ""), i64::MAX, i64::MIN] {
            one.add_row(sum);
        }
        for sum in [i64::MIN, of("b", ""), of("c", ""), i64::MAX, of("a", "")] {
            other.add_row(sum);
        }
        assert_ne!(one, other);
        other.remove_row(of("c", ""));
        assert_eq!(one, other);
    }
}
