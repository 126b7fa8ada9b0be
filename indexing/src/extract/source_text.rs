//! The text of a file in the form that the parser receives: valid UTF-8 with the offsets of the
//! original bytes, lines as an editor counts them, and limited nesting.

use std::borrow::Cow;

/// Maximum nesting of brackets. Real code stays below 100, generated tables below 300.
const MAX_BRACKET_DEPTH: u32 = 800;
/// Maximum nesting of indented blocks. The scanners of indentation-based grammars keep their stack
/// in a buffer of 1,024 bytes, which about 250 levels fill.
const MAX_INDENT_DEPTH: usize = 120;

/// Returns the text of `bytes` with [line feeds](normalize_line_ends), and whether the bytes are
/// invalid UTF-8. Each byte that is not part of valid UTF-8 is replaced with one byte (SUBSTITUTE,
/// U+001A), so offsets are those of the original.
pub(crate) fn decode_utf8(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (normalize_line_ends(text), false);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    let normalized = match normalize_line_ends(&text) {
        Cow::Owned(normalized) => Some(normalized),
        Cow::Borrowed(_) => None,
    };
    (Cow::Owned(normalized.unwrap_or(text)), true)
}

/// Replaces every carriage return that has no line feed after it with a line feed. Editors end a
/// line there, as the Language Server Protocol requires. Grammars know only line feeds. With
/// carriage returns, they would read everything after a comment as part of the comment.
pub(crate) fn normalize_line_ends(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_lone = |&(at, _): &(usize, &str)| bytes.get(at + 1) != Some(&b'\n');
    let mut lone_returns = text.match_indices('\r').filter(is_lone).map(|(at, _)| at).peekable();
    if lone_returns.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in lone_returns {
        out.push_str(&text[from..at]);
        out.push('\n');
        from = at + 1;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Whether a text is nested too deeply to be parsed. Brackets in strings and comments also count.
/// This errs on the safe side and needs no knowledge of the language.
pub(crate) fn is_too_deep(text: &str) -> bool {
    has_deep_brackets(text.as_bytes()) || has_deep_indents(text)
}

fn has_deep_brackets(text: &[u8]) -> bool {
    let is_open = |byte: u8| matches!(byte, b'(' | b'[' | b'{');
    // Most files have fewer brackets in total than may be nested.
    if text.iter().filter(|&&byte| is_open(byte)).count() <= MAX_BRACKET_DEPTH as usize {
        return false;
    }
    // The loop has no branches, because the positions of brackets are unpredictable.
    let (mut depth, mut deepest) = (0_i64, 0);
    for &byte in text {
        let is_close = matches!(byte, b')' | b']' | b'}');
        depth = (depth + i64::from(is_open(byte)) - i64::from(is_close)).max(0);
        deepest = deepest.max(depth);
    }
    deepest > i64::from(MAX_BRACKET_DEPTH)
}

fn has_deep_indents(text: &str) -> bool {
    let mut indents: Vec<usize> = Vec::new();
    for line in text.split('\n') {
        let Some(indent) = line.bytes().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) else {
            continue;
        };
        while indents.last().is_some_and(|&outer| outer >= indent) {
            indents.pop();
        }
        indents.push(indent);
        if indents.len() > MAX_INDENT_DEPTH {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_do_not_change_later_offsets() {
        let (text, lossy) = decode_utf8(b"a\xff\xfeb\xc3");
        assert!(lossy);
        assert_eq!(text, "a\u{1a}\u{1a}b\u{1a}");
        assert_eq!(decode_utf8("é".as_bytes()), (Cow::Borrowed("é"), false));
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line() {
        assert!(matches!(decode_utf8(b"a\r\nb\n"), (Cow::Borrowed("a\r\nb\n"), false)));
        assert_eq!(decode_utf8(b"a\rb\r\r\nc\r").0, "a\nb\n\r\nc\n");
        assert_eq!(decode_utf8(b"\xff\ra"), (Cow::Borrowed("\u{1a}\na"), true));
    }

    #[test]
    fn deep_brackets_and_deep_indents_are_refused() {
        assert!(is_too_deep(&"(".repeat(10_000)));
        assert!(!is_too_deep(&"()".repeat(10_000)));
        let deep_indents: String = (0..300).map(|n| [" ".repeat(n), "if x:\n".to_owned()].concat()).collect();
        assert!(is_too_deep(&deep_indents));
        assert!(!is_too_deep(&"    a\n        b\n".repeat(1_000)));
    }
}
