//! Compares two versions of a text: the lines in which the newer one differs, and the share of
//! equal lines. The former gives the names that a commit touched, the latter pairs renamed files.

use gix::diff::blob::{Algorithm, InternedInput, diff_with_slider_heuristics};
use std::borrow::Cow;

/// The difference between two texts, in lines of the newer one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LineDiff {
    /// First and last lines of the added and changed ranges, 1-based.
    pub changed: Vec<(u32, u32)>,
    /// 1-based lines after which lines were removed without a replacement; 0 for the beginning of
    /// the text.
    pub removed_after: Vec<u32>,
}

/// Compares two texts line by line, as git does. Unlike git, treats `\n`, `\r\n` and `\r` as equal
/// line ends: a checkout may convert them, and symbols are found by the lines that editors count.
pub(super) fn diff_lines(before: &[u8], after: &[u8]) -> LineDiff {
    let (before, after) = (unix_line_ends(before), unix_line_ends(after));
    let input = InternedInput::new(before.as_ref(), after.as_ref());
    let mut lines = LineDiff::default();
    for hunk in diff_with_slider_heuristics(Algorithm::Myers, &input).hunks() {
        if hunk.after.is_empty() {
            lines.removed_after.push(hunk.after.start);
        } else {
            lines.changed.push((hunk.after.start + 1, hunk.after.end));
        }
    }
    lines
}

/// Returns the share of equal lines in two texts from 0 to 1, measured in bytes. Returns 0 for
/// texts whose lengths differ so much that the share is below [`MIN_SIMILARITY`], and for empty
/// texts.
pub(super) fn line_similarity(before: &[u8], after: &[u8]) -> f64 {
    let (before, after) = (unix_line_ends(before), unix_line_ends(after));
    let (longer, shorter) = (before.len().max(after.len()), before.len().min(after.len()));
    // The equal part is at most as long as the shorter text.
    if longer == 0 || (shorter as f64) < MIN_SIMILARITY * longer as f64 {
        return 0.0;
    }
    let input = InternedInput::new(before.as_ref(), after.as_ref());
    let diff = diff_with_slider_heuristics(Algorithm::Myers, &input);
    let equal_bytes: usize = input
        .after
        .iter()
        .enumerate()
        .filter(|(number, _)| !diff.is_added(*number as u32))
        .map(|(_, &token)| input.interner[token].len())
        .sum();
    equal_bytes as f64 / longer as f64
}

/// The smallest similarity of two files that count as one renamed file (git's default).
pub(super) const MIN_SIMILARITY: f64 = 0.5;

fn unix_line_ends(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'\r') {
        return Cow::Borrowed(text);
    }
    let kept =
        text.iter().enumerate().filter(|&(at, &byte)| byte != b'\r' || text.get(at + 1) != Some(&b'\n'));
    Cow::Owned(kept.map(|(_, &byte)| if byte == b'\r' { b'\n' } else { byte }).collect())
}

/// Whether git would treat this content as binary: it has a NUL byte in its first 8,000 bytes.
pub(super) fn is_binary(content: &[u8]) -> bool {
    content.iter().take(8000).any(|&byte| byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, changed: &[(u32, u32)], removed_after: &[u32]) {
        let expected = LineDiff { changed: changed.to_vec(), removed_after: removed_after.to_vec() };
        assert_eq!(diff_lines(before.as_bytes(), after.as_bytes()), expected, "{before:?} {after:?}");
    }

    #[test]
    fn lines_are_numbered_in_the_newer_text() {
        check("a\nb\nc\n", "a\nB\nc\n", &[(2, 2)], &[]);
        check("a\nb\nc\n", "a\nx\ny\nb\nc\n", &[(2, 3)], &[]);
        check("a\nb\nc\n", "a\nc\n", &[], &[1]);
        check("a\nb\n", "b\n", &[], &[0]);
        check("", "a\nb", &[(1, 2)], &[]);
        check("a\n", "", &[], &[0]);
        check("a\nb\nc\nd\n", "a\nB\nc\n", &[(2, 2)], &[3]);
    }

    #[test]
    fn different_line_ends_are_no_difference() {
        check("a\nb\n", "a\r\nb\r\n", &[], &[]);
        check("a\r\nb\r\n", "a\nx\n", &[(2, 2)], &[]);
        check("a\rb\rc", "a\rx\rc", &[(2, 2)], &[]);
    }

    #[test]
    fn similarity_is_the_share_of_equal_lines() {
        assert_eq!(line_similarity(b"aa\nbb\n", b"aa\nbb\n"), 1.0);
        assert_eq!(line_similarity(b"aa\nbb\n", b"aa\ncc\n"), 0.5);
        assert_eq!(line_similarity(b"aa\nbb\n", b"cc\ndd\n"), 0.0);
        assert_eq!(line_similarity(b"", b""), 0.0, "empty files are not similar");
    }
}
