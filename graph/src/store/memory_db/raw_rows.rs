//! Finds answers in the bytes of a `memory.db` that SQLite cannot read. Recognises them by the form
//! of their records (sqlite.org/fileformat.html, "Record Format") and confirms each by its
//! checksum. Forgotten answers are not found, because they were overwritten with zeros.

use super::Feedback;
use crate::Hash;

/// The length of a record's header: the length itself, an id that is stored elsewhere, and the
/// types of three blobs of 32 bytes and of three numbers.
const HEADER: usize = 8;
/// The type of a blob of 32 bytes.
const HASH: u8 = 2 * 32 + 12;

/// Returns the answers anywhere in these bytes, in their order.
pub(super) fn find_answers(bytes: &[u8]) -> Vec<Feedback> {
    let begins = |at: &usize| bytes[*at..].starts_with(&[HEADER as u8, 0, HASH, HASH]);
    (0..bytes.len()).filter(begins).filter_map(|at| parse_answer(&bytes[at..])).collect()
}

/// Returns the answer whose record starts here, if there is one and its checksum matches.
fn parse_answer(record: &[u8]) -> Option<Feedback> {
    let (header, mut rest) = record.split_at_checked(HEADER)?;
    let &[_, _, _, _, useful, HASH, at, sum] = header else { return None };
    let symbol = take_hash(&mut rest)?;
    let cluster = take_hash(&mut rest)?;
    let useful = take_number(useful, &mut rest)? != 0;
    let package_root = take_hash(&mut rest)?;
    let at = take_number(at, &mut rest)?.cast_unsigned();
    let answer = Feedback { symbol, cluster, useful, package_root, at };
    (take_number(sum, &mut rest)? == answer.row_checksum()).then_some(answer)
}

fn take_hash(rest: &mut &[u8]) -> Option<Hash> {
    let (hash, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(Hash(*hash))
}

/// Reads a number of the given type, most significant byte first.
fn take_number(of_type: u8, rest: &mut &[u8]) -> Option<i64> {
    let len = match of_type {
        1..=4 => usize::from(of_type),
        5 => 6,
        6 => 8,
        8 | 9 => return Some(i64::from(of_type - 8)),
        _ => return None,
    };
    let (bytes, behind) = rest.split_at_checked(len)?;
    *rest = behind;
    let sign = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
    Some(bytes.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte)))
}
