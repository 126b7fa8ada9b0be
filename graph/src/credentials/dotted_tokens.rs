//! Finds the tokens of Discord bots: three parts separated by dots, of which the first is the
//! encoded number of the bot. It has a hundred possible beginnings of two or three letters, which
//! are parts of many words, so the token is found by its dots and not by the automaton of
//! `tables`.

use std::ops::Range;

/// The lengths of the parts, in bytes.
const NUMBER_BYTES: Range<usize> = 23..29;
const TIME_BYTES: usize = 6;
const CODE_BYTES: Range<usize> = 27..39;

/// Adds the tokens of a text.
pub(super) fn find_bot_tokens(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for (dot, _) in text.match_indices('.') {
        let second = dot + 1 + TIME_BYTES;
        if bytes.get(second) == Some(&b'.') && run_length(&bytes[dot + 1..second]) == TIME_BYTES {
            let number = &bytes[dot - run_length_before(&bytes[..dot])..dot];
            let code = run_length(&bytes[second + 1..]);
            if NUMBER_BYTES.contains(&number.len()) && CODE_BYTES.contains(&code) && is_encoded_number(number)
            {
                found.push(dot - number.len()..second + 1 + code);
            }
        }
    }
}

/// Returns the length of the base64url at the beginning, up to one more than a part can have.
fn run_length(bytes: &[u8]) -> usize {
    bytes.iter().take(CODE_BYTES.end).take_while(|&&byte| is_part_of_token(byte)).count()
}

fn run_length_before(bytes: &[u8]) -> usize {
    bytes.iter().rev().take(NUMBER_BYTES.end).take_while(|&&byte| is_part_of_token(byte)).count()
}

fn is_part_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Whether the first three characters encode digits. A digit is 0x30 to 0x39, so these are the only
/// characters that can encode its bits.
fn is_encoded_number(number: &[u8]) -> bool {
    matches!(
        number,
        [
            b'M'..=b'O',
            b'D' | b'T' | b'j' | b'z',
            b'A' | b'E' | b'I' | b'M' | b'Q' | b'U' | b'Y' | b'c' | b'g' | b'k',
            ..
        ]
    )
}
