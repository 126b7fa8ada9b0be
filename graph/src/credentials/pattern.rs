//! The small language in which tables describe tokens: `ghp_{alnum:36+}`.
//!
//! A pattern is a sequence of pieces: literal text, and runs `{class:count}` of characters of one
//! class. A run takes as many characters as it can and never gives any back, so that matching is
//! linear in the text. That suffices for tokens, whose parts are separated by characters that the
//! parts do not contain. A test checks that each row matches the samples that are generated from
//! it.

/// The maximum length of a run whose pattern has no limit. Hostile text may be one run of megabytes
/// in which a prefix occurs every few bytes.
const MAX_RUN: usize = 4096;

/// A set of ASCII characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharClass {
    Digit,
    /// Hexadecimal digits in lower case.
    Hex,
    /// Hexadecimal digits in either case.
    AnyHex,
    /// Upper-case letters and digits.
    UpperAlnum,
    /// Lower-case letters and digits.
    LowerAlnum,
    Alnum,
    Base64,
    Base64Url,
    /// Letters, digits and `-`.
    TokenChar,
    /// Base64 of either alphabet without padding.
    PathChar,
    /// Base64url with `.` and `~`.
    DotChar,
    /// Percent-encoded Base64, as in a URL.
    Percent,
}

impl CharClass {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "digit" => Self::Digit,
            "hex" => Self::Hex,
            "anyhex" => Self::AnyHex,
            "upperalnum" => Self::UpperAlnum,
            "loweralnum" => Self::LowerAlnum,
            "alnum" => Self::Alnum,
            "base64" => Self::Base64,
            "base64url" => Self::Base64Url,
            "tokenchar" => Self::TokenChar,
            "pathchar" => Self::PathChar,
            "dotchar" => Self::DotChar,
            "percent" => Self::Percent,
            _ => return None,
        })
    }

    pub(super) fn contains(self, byte: u8) -> bool {
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::AnyHex => byte.is_ascii_hexdigit(),
            Self::UpperAlnum => matches!(byte, b'0'..=b'9' | b'A'..=b'Z'),
            Self::LowerAlnum => matches!(byte, b'0'..=b'9' | b'a'..=b'z'),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Base64Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::TokenChar => byte.is_ascii_alphanumeric() || byte == b'-',
            Self::PathChar => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-'),
            Self::DotChar => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~'),
            Self::Percent => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'+' | b'/' | b'=' | b'_' | b'-')
            }
        }
    }
}

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatternPiece {
    Literal(Box<[u8]>),
    Run { class: CharClass, min: usize, max: usize },
}

/// The pattern of a token or of a part of one: a sequence of pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TokenPattern(pub(super) Vec<PatternPiece>);

impl TokenPattern {
    /// Parses a pattern of the tables.
    ///
    /// # Errors
    /// Returns the part that is not a valid run.
    pub(super) fn parse(pattern: &str) -> Result<Self, String> {
        let (mut pieces, mut rest) = (Vec::new(), pattern);
        while !rest.is_empty() {
            let literal = rest.find('{').unwrap_or(rest.len());
            if literal > 0 {
                pieces.push(PatternPiece::Literal(rest.as_bytes()[..literal].into()));
                rest = &rest[literal..];
                continue;
            }
            let end = rest.find('}').ok_or_else(|| rest.to_owned())?;
            pieces.push(parse_run(&rest[1..end]).ok_or_else(|| rest[..=end].to_owned())?);
            rest = &rest[end + 1..];
        }
        Ok(Self(pieces))
    }

    /// Returns the end of a match that starts at `at`. The character after it must not belong to
    /// the class of its last run.
    pub(super) fn match_from(&self, text: &[u8], at: usize) -> Option<usize> {
        let mut end = at;
        for piece in &self.0 {
            match piece {
                PatternPiece::Literal(literal) => {
                    end += text.get(end..)?.starts_with(literal).then_some(literal.len())?;
                }
                PatternPiece::Run { class, min, max } => {
                    let run = text.get(end..)?.iter().take(*max).take_while(|&&byte| class.contains(byte));
                    let length = run.count();
                    end += (length >= *min).then_some(length)?;
                }
            }
        }
        let run_continues = match (self.0.last(), text.get(end)) {
            (Some(PatternPiece::Run { class, .. }), Some(&byte)) => class.contains(byte),
            _ => false,
        };
        (!run_continues).then_some(end)
    }

    /// Returns the start of a match that ends at `end`. The character before it must not belong to
    /// the class of its first run.
    pub(super) fn match_before(&self, text: &[u8], end: usize) -> Option<usize> {
        let mut start = end;
        for piece in self.0.iter().rev() {
            match piece {
                PatternPiece::Literal(literal) => {
                    start -= text.get(..start)?.ends_with(literal).then_some(literal.len())?;
                }
                PatternPiece::Run { class, min, max } => {
                    let run = text.get(..start)?.iter().rev().take(*max);
                    let length = run.take_while(|&&byte| class.contains(byte)).count();
                    start -= (length >= *min).then_some(length)?;
                }
            }
        }
        let run_continues = match (self.0.first(), start.checked_sub(1)) {
            (Some(PatternPiece::Run { class, .. }), Some(before)) => class.contains(text[before]),
            _ => false,
        };
        (!run_continues).then_some(start)
    }
}

/// Parses `class:n`, `class:n-m` or `class:n+`.
fn parse_run(run: &str) -> Option<PatternPiece> {
    let (class, count) = run.split_once(':')?;
    let class = CharClass::from_name(class)?;
    let (min, max) = match (count.strip_suffix('+'), count.split_once('-')) {
        (Some(min), _) => (min.parse().ok()?, MAX_RUN),
        (None, Some((min, max))) => (min.parse().ok()?, max.parse().ok()?),
        (None, None) => {
            let count = count.parse().ok()?;
            (count, count)
        }
    };
    (min <= max).then_some(PatternPiece::Run { class, min, max })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn match_end(pattern: &str, text: &str) -> Option<usize> {
        TokenPattern::parse(pattern).expect("the pattern is valid").match_from(text.as_bytes(), 0)
    }

    #[test]
    fn runs_have_the_specified_length_and_end_before_another_class() {
        assert_eq!(match_end("a{digit:3}", "a123-"), Some(4));
        assert_eq!(match_end("a{digit:3}", "a1234"), None);
        assert_eq!(match_end("a{digit:3}", "a12"), None);
        assert_eq!(match_end("{hex:2-4}.{upperalnum:1+}", "abc.XY1z"), Some(7));
        assert_eq!(match_end("{hex:2-4}.{upperalnum:1+}", "abcde.X"), None);
        assert_eq!(match_end("", "x"), Some(0));
    }

    #[test]
    fn a_pattern_before_a_token_is_matched_backwards() {
        let pattern = TokenPattern::parse("{digit:2-3}:").expect("the pattern is valid");
        assert_eq!(pattern.match_before(b"x123:", 5), Some(1));
        assert_eq!(pattern.match_before(b"1234:", 5), None);
        assert_eq!(pattern.match_before(b"1:", 2), None);
    }

    #[test]
    fn invalid_patterns_are_rejected() {
        for invalid in ["{", "{hex}", "{hex:}", "{hexes:3}", "{hex:4-3}", "{hex:-}"] {
            assert!(TokenPattern::parse(invalid).is_err(), "{invalid}");
        }
    }
}
