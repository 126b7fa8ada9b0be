//! Counts tokens as language models do.
//!
//! A pack is filled and measured several times, and packs of one workspace share most of their
//! lines. The tokenizer splits a text into words, and no word contains a line break that text
//! follows. [`count_tokens`] therefore counts a text line by line and caches the counts of lines.

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum size of the lines whose counts are cached, in bytes. When the lines of a long session
/// exceed it, the cache is emptied.
const MAX_CACHED_BYTES: usize = 4 << 20;

/// Maximum length of a line whose count is cached, in bytes. Minified files have longer lines.
const MAX_CACHED_LINE: usize = 64 << 10;

/// A cache of the counts of lines.
#[derive(Default)]
struct LineCounts {
    counts: DashMap<Box<str>, usize, FxBuildHasher>,
    /// Bytes of the lines.
    bytes: AtomicUsize,
}

impl LineCounts {
    /// Returns the number of tokens of a line, from the cache if possible.
    fn count_line(&self, line: &str) -> usize {
        if let Some(count) = self.counts.get(line) {
            return *count;
        }
        let count = bpe_openai::cl100k_base().count(line);
        if line.len() > MAX_CACHED_LINE {
            return count;
        }
        if self.bytes.fetch_add(line.len(), Ordering::Relaxed) > MAX_CACHED_BYTES {
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

/// Splits a text into lines, each with the blank lines that follow it. The lines have together as
/// many tokens as the text, because the tokenizer's words end where the lines end.
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
    fn cached_lines_are_bounded() {
        let counts = LineCounts::default();
        for n in 0..200 {
            counts.count_line(&format!("{n} {}", " x".repeat(20_000)));
        }
        let held: usize = counts.counts.iter().map(|entry| entry.key().len()).sum();
        assert!(held <= MAX_CACHED_BYTES + MAX_CACHED_LINE, "{held}");
    }
}
