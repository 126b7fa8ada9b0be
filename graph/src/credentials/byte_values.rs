//! Finds keys and salts that are written as bytes: `b"\x9f\x12..."`, `[0x9f, 0x12, ...]`,
//! `new byte[] {-97, 18, ...}`.

use std::ops::Range;

/// The minimum number of bytes of a key or a salt.
const MIN_BYTES: usize = 8;

/// The maximum number of bytes to read of a list. Larger lists are data.
const MAX_LIST_BYTES: usize = 2048;

/// The minimum number of distinct bytes. Zeros and counters are placeholders.
const MIN_DISTINCT: usize = 6;

/// Whether at least three quarters of a literal are escaped bytes.
pub(super) fn is_escaped_bytes(literal: &str) -> bool {
    let mut escapes =
        literal.split("\\x").skip(1).filter_map(|rest| u8::from_str_radix(rest.get(..2)?, 16).ok());
    let bytes: Vec<u8> = escapes.by_ref().collect();
    bytes.len() >= MIN_BYTES && bytes.len() * 4 * 4 >= literal.len() * 3 && is_random(&bytes)
}

/// Returns the numbers of the list of bytes that starts on the rest of the line at `start`, before
/// any literal or call without numbers.
pub(super) fn find_byte_list(text: &str, start: usize, limit: usize) -> Option<Range<usize>> {
    let head = text.as_bytes().get(start..limit.min(text.len()))?;
    let is_head = |byte: u8| byte.is_ascii_alphanumeric() || b" \t_.:;=()[]{}<>&*".contains(&byte);
    let length = head.iter().take_while(|&&byte| is_head(byte)).count();
    // The list is the last bracket before the first comma. A type such as `byte[16]` is before it.
    let open = head[..length].iter().rposition(|byte| matches!(byte, b'[' | b'{' | b'('))?;
    parse_list(text, start + open + 1)
}

/// Parses numbers of one byte, separated by commas, up to the closing bracket.
fn parse_list(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[start..text.len().min(start + MAX_LIST_BYTES)];
    let close = bytes.iter().position(|byte| matches!(byte, b']' | b'}' | b')'))?;
    let list = text.get(start..start + close)?;
    let mut numbers = Vec::new();
    for item in list.split(',').map(str::trim) {
        // A comma may follow the last number.
        if !item.is_empty() {
            numbers.push(parse_byte(item)?);
        }
    }
    let trimmed = list.trim();
    let from = start + list.len() - list.trim_start().len();
    (numbers.len() >= MIN_BYTES && is_random(&numbers)).then_some(from..from + trimmed.len())
}

/// Parses `159`, `-97`, `0x9f`, `0x9fu8` and `(byte) 0x9f`.
fn parse_byte(item: &str) -> Option<u8> {
    let item = item.strip_prefix("(byte)").map_or(item, str::trim_start).trim_end_matches("u8");
    match item.strip_prefix("0x").or_else(|| item.strip_prefix("0X")) {
        Some(hex) => u8::from_str_radix(hex, 16).ok(),
        None => item.parse::<i16>().ok().and_then(|number| {
            u8::try_from(number).ok().or_else(|| i8::try_from(number).ok().map(i8::cast_unsigned))
        }),
    }
}

/// Whether bytes are neither few distinct ones nor a counter.
fn is_random(bytes: &[u8]) -> bool {
    let mut seen = [false; 256];
    let distinct =
        bytes.iter().filter(|&&byte| !std::mem::replace(&mut seen[usize::from(byte)], true)).count();
    let steps = bytes.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) <= 1).count();
    distinct >= MIN_DISTINCT && steps * 2 < bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_of(line: &str) -> Option<&str> {
        find_byte_list(line, 0, line.len()).map(|range| &line[range])
    }

    #[test]
    fn lists_of_random_bytes_are_found() {
        let numbers = "0x9f, 0x12, 0x03, 0xab, 0xcd, 0x77, 0x41, 0xe0";
        for line in
            [format!(" [{numbers}]"), format!(" new byte[] {{ {numbers}, }}"), format!("bytes([{numbers}])")]
        {
            assert!(list_of(&line).is_some_and(|list| list.starts_with(numbers)), "{line}");
        }
        assert_eq!(
            list_of("{-97, 18, 3, -85, -51, 119, 65, -32}"),
            Some("-97, 18, 3, -85, -51, 119, 65, -32")
        );
        assert_eq!(list_of("[1, 2, 3, 4, 5, 6, 7, 8]"), None, "a counter");
        assert_eq!(list_of("[0, 0, 0, 0, 0, 0, 0, 0]"), None, "zeros");
        assert_eq!(list_of("[101, 7592, 2088, 102, 1045, 999, 12, 3]"), None, "numbers of more than a byte");
        assert_eq!(list_of("[a, b, 3]"), None);
    }

    #[test]
    fn literals_of_escaped_bytes_are_recognized() {
        assert!(is_escaped_bytes(r"\x9f\x12\x03\xab\xcd\x77\x41\xe0"));
        assert!(is_escaped_bytes(r"\x9fk\x03\xab\xcd\x77\x41\xe0\x99"));
        assert!(!is_escaped_bytes(r"\x00\x00\x00\x00\x00\x00\x00\x00"));
        assert!(!is_escaped_bytes(r"[\x00-\x1f]"));
    }
}
