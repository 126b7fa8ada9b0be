//! Finds feedback in the bytes of a `memory.db` that SQLite cannot read. Recognizes rows by the
//! format of their records (sqlite.org/fileformat.html, "Record Format") and confirms each by its
//! checksum. It does not find deleted feedback, which SQLite overwrites with zeros.

use super::Feedback;
use crate::Hash;

/// The length of a record's header in bytes: the length itself, the type of the row id, and the
/// types of three blobs of 32 bytes and of three numbers.
const HEADER_BYTES: usize = 8;
/// The record type of a blob of 32 bytes.
const HASH_TYPE: u8 = 2 * 32 + 12;

/// Returns the feedback entries anywhere in these bytes, in the order of their positions.
pub(super) fn find_feedback(bytes: &[u8]) -> Vec<Feedback> {
    let is_record_start =
        |at: &usize| bytes[*at..].starts_with(&[HEADER_BYTES as u8, 0, HASH_TYPE, HASH_TYPE]);
    (0..bytes.len()).filter(is_record_start).filter_map(|at| parse_feedback(&bytes[at..])).collect()
}

/// Returns the feedback entry whose record starts here, if there is one and its checksum matches.
fn parse_feedback(record: &[u8]) -> Option<Feedback> {
    let (header, mut rest) = record.split_at_checked(HEADER_BYTES)?;
    let &[_, _, _, _, useful, HASH_TYPE, at, sum] = header else { return None };
    let symbol = take_hash(&mut rest)?;
    let cluster = take_hash(&mut rest)?;
    let useful = take_number(useful, &mut rest)? != 0;
    let package_root = take_hash(&mut rest)?;
    let at = take_number(at, &mut rest)?.cast_unsigned();
    let entry = Feedback { symbol, cluster, useful, package_root, at };
    (take_number(sum, &mut rest)? == entry.row_checksum()).then_some(entry)
}

fn take_hash(rest: &mut &[u8]) -> Option<Hash> {
    let (hash, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(Hash(*hash))
}

/// Reads a number of a record type, most significant byte first.
fn take_number(record_type: u8, rest: &mut &[u8]) -> Option<i64> {
    let len = match record_type {
        1..=4 => usize::from(record_type),
        5 => 6,
        6 => 8,
        8 | 9 => return Some(i64::from(record_type - 8)),
        _ => return None,
    };
    let (bytes, after) = rest.split_at_checked(len)?;
    *rest = after;
    let sign = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
    Some(bytes.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte)))
}
