//! The header of a database file (sqlite.org/fileformat.html), read without SQLite: SQLite would
//! create files next to a database that no process has open.

use super::migrate::APPLICATION_ID;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The number of bytes that are read. The application id ends here.
const HEADER_BYTES: usize = 72;

/// The first bytes of every SQLite database.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// The end of the header, where the first page of tables begins, in bytes.
const HEADER_END: usize = 100;

/// The number of bytes of the header and of the header of the first page.
const FIRST_PAGE_BYTES: usize = HEADER_END + 8;

/// The first byte of a page that is a leaf of a table.
const LEAF_PAGE: u8 = 0x0d;

/// The content of the header of a database file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseHeader {
    /// There is no file, or it is empty.
    Absent,
    /// The file is not a Kenning database, or it is shorter than its header says.
    Damaged,
    /// A Kenning database with this schema number.
    Schema(u32),
}

impl DatabaseHeader {
    /// Reads the header of the database at `path`. The write-ahead log may hold a newer header.
    pub fn read_from_file(path: &Path) -> Self {
        let length = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        if length == 0 {
            return Self::Absent;
        }
        match read_header(path) {
            Some(header) if is_kenning_header(&header) && length >= stored_length(&header) => {
                Self::Schema(u32_at(&header, 60))
            }
            _ => Self::Damaged,
        }
    }
}

/// Whether a file has the header of a Kenning database, even if it is damaged.
pub fn is_kenning_database(path: &Path) -> bool {
    read_header(path).is_some_and(|header| is_kenning_header(&header))
}

/// Whether a file is a SQLite database without any table that no program has marked as its own.
pub(super) fn is_empty_database(path: &Path) -> bool {
    read_start::<FIRST_PAGE_BYTES>(path).is_some_and(|start| {
        // The first page is a leaf of the table of all tables, and has no cell.
        start.starts_with(SQLITE_MAGIC)
            && u32_at(&start, 68) == 0
            && start[HEADER_END] == LEAF_PAGE
            && start[HEADER_END + 3..HEADER_END + 5] == [0, 0]
    })
}

fn read_header(path: &Path) -> Option<[u8; HEADER_BYTES]> {
    read_start(path)
}

/// Reads the first bytes of a file; `None` if it is shorter, or is not a regular file.
fn read_start<const N: usize>(path: &Path) -> Option<[u8; N]> {
    let mut start = [0; N];
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    File::open(path).ok()?.read_exact(&mut start).ok()?;
    Some(start)
}

fn is_kenning_header(header: &[u8; HEADER_BYTES]) -> bool {
    header.starts_with(SQLITE_MAGIC) && u32_at(header, 68) == APPLICATION_ID as u32
}

/// Returns the length in bytes that the file has according to its header.
fn stored_length(header: &[u8; HEADER_BYTES]) -> u64 {
    // A page of 65,536 bytes is stored as 1.
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    page_size * u64::from(u32_at(header, 28))
}

fn u32_at(header: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrate::{DatabaseOptions, open_database};

    #[test]
    fn the_header_shows_the_schema_and_whether_the_file_is_whole() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("t.db");
        assert_eq!(DatabaseHeader::read_from_file(&path), DatabaseHeader::Absent);
        const STEPS: DatabaseOptions =
            DatabaseOptions::from_steps(&["CREATE TABLE a (x)", "CREATE TABLE b (x)"]);
        drop(open_database(&path, STEPS).expect("created"));
        assert_eq!(DatabaseHeader::read_from_file(&path), DatabaseHeader::Schema(2));
        assert!(is_kenning_database(&path));
        let bytes = std::fs::read(&path).expect("read");
        std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("cut");
        assert_eq!(DatabaseHeader::read_from_file(&path), DatabaseHeader::Damaged);
        std::fs::write(&path, "no database").expect("written");
        assert_eq!(DatabaseHeader::read_from_file(&path), DatabaseHeader::Damaged);
        assert!(!is_kenning_database(&path));
    }
}
