//! Counts tokens as language models do.
//!
//! A pack is filled and measured several times, and packs of one workspace share most of their
//! lines. The tokenizer splits a text into words, and no word contains a line break that text
//! follows. So a text is counted line by line, and the count of each line is remembered.

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of lines whose counts are remembered. All are forgotten when the lines take more.
const MAX_REMEMBERED: usize = 4 << 20;

/// Longest line, in bytes, whose count is remembered.
const MAX_LINE: usize = 64 << 10;

/// The counts of lines that were counted before.
#[derive(Default)]
struct LineCounts {
    counts: DashMap<Box<str>, usize, FxBuildHasher>,
    /// Bytes of the lines.
    bytes: AtomicUsize,
}

impl LineCounts {
    /// Counts the tokens of a line, unless that was done before.
    fn count_line(&self, line: &str) -> usize {
        if let Some(count) = self.counts.get(line) {
            return *count;
        }
        let count = bpe_openai::cl100k_base().count(line);
        if line.len() > MAX_LINE {
            return count;
        }
        if self.bytes.fetch_add(line.len(), Ordering::Relaxed) > MAX_REMEMBERED {
            self.counts.clear();
            self.bytes.store(line.len(), Ordering::Relaxed);
        }
        self.counts.insert(line.into(), count);
        count
    }
}

static LINE_COUNTS: LazyLock<LineCounts> = LazyLock::new(LineCounts::default);

/// Counts the tokens of `text` in the `cl100k_base` encoding, which approximates the tokenizers
/// of current models.
///
/// The first call loads the dictionary, which takes about 20 ms (a third of what its successor
/// `o200k_base` takes). A caller with other work to do can make that call on another thread.
pub fn count_tokens(text: &str) -> usize {
    split_lines(text).map(|line| LINE_COUNTS.count_line(line)).sum()
}

/// Splits a text after the line breaks that end a run of white space's last line. The lines of a
/// text have together as many tokens as the text: the tokenizer's words end at these places.
fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (line, after) = rest.split_at(find_line_end(rest));
        rest = after;
        Some(line)
    })
}

/// Returns the length of the first line: up to the last line break before the next text.
fn find_line_end(text: &str) -> usize {
    let mut from = 0;
    while let Some(found) = text[from..].find('\n') {
        let after = from + found + 1;
        let next = text[after..].trim_start();
        let space = &text[after..text.len() - next.len()];
        if next.is_empty() {
            return text.len();
        }
        match space.rfind(['\n', '\r']) {
            None => return after,
            Some(last) => from = after + last,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_end_before_text() {
        let lines = |text| split_lines(text).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines("a\n  b\n\n \n c"), ["a\n", "  b\n\n \n", " c"]);
        assert_eq!(lines("a\r\nb\n \r c\n  "), ["a\r\n", "b\n \r c\n  "]);
        assert_eq!(lines(""), [""; 0]);
    }

    proptest! {
        #[test]
        fn the_lines_of_a_text_have_as_many_tokens_as_the_text(
            text in "([a-c{}'é語0-9.;:(]|[ \t\u{a0}\u{2028}\u{85}]|\n|\r|'s|return |    ){0,60}"
        ) {
            prop_assert_eq!(count_tokens(&text), bpe_openai::cl100k_base().count(&text));
        }
    }

    #[test]
    fn remembered_lines_are_bounded() {
        let counts = LineCounts::default();
        for n in 0..200 {
            counts.count_line(&format!("{n} {}", " x".repeat(20_000)));
        }
        let held: usize = counts.counts.iter().map(|entry| entry.key().len()).sum();
        assert!(held <= MAX_REMEMBERED + MAX_LINE, "{held}");
    }
}
