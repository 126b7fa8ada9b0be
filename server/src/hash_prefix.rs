//! The short form of a hash: its first hexadecimal digits.
//!
//! Answers show ids and roots with [`SHORT_DIGITS`] digits. Requests may name them with any number
//! of digits from a minimum on, in either case.

use kenning_graph::Hash;

/// Number of digits that answers show.
const SHORT_DIGITS: usize = 12;

/// Returns the first digits of a hash, as answers show it.
pub fn short_hex(hash: &Hash) -> String {
    let mut hex = hash.to_hex();
    hex.truncate(SHORT_DIGITS);
    hex
}

/// Returns the first digits of a hash that is written in hexadecimal, as answers show it.
pub fn short_digits(hex: &str) -> &str {
    hex.get(..SHORT_DIGITS).unwrap_or(hex)
}

/// The first digits of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashPrefix<'t> {
    digits: &'t [u8],
}

impl<'t> HashPrefix<'t> {
    /// Reads `minimum` to 64 hexadecimal digits; returns `None` for anything else.
    pub fn parse(text: &'t str, minimum: usize) -> Option<Self> {
        let digits = text.as_bytes();
        let is_prefix = (minimum..=64).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
        is_prefix.then_some(Self { digits })
    }

    /// Whether the hash begins with these digits.
    pub fn matches(self, hash: &Hash) -> bool {
        self.digits.iter().enumerate().all(|(at, &digit)| {
            let byte = hash.0[at / 2];
            let half = if at % 2 == 0 { byte >> 4 } else { byte & 0xf };
            (digit as char).to_digit(16) == Some(u32::from(half))
        })
    }

    /// Returns the hash if all its digits are given.
    pub fn whole_hash(self) -> Option<Hash> {
        Hash::from_hex(str::from_utf8(self.digits).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_matches_digit_by_digit_in_either_case() {
        let hash = Hash::from_content(b"abc");
        assert_eq!(short_hex(&hash), "ba7816bf8f01");
        let matches = |text: &str| HashPrefix::parse(text, 3).map(|prefix| prefix.matches(&hash));
        assert_eq!(matches("ba7816bf8"), Some(true));
        assert_eq!(matches("BA7816BF8F01"), Some(true));
        assert_eq!(matches(&hash.to_hex()), Some(true));
        assert_eq!((matches("ba8"), matches("ca7")), (Some(false), Some(false)));
        for other in ["ba", "", "xyz", "ba7816é", &"a".repeat(65)] {
            assert_eq!(matches(other), None, "{other}");
        }
    }
}
