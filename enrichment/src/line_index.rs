//! A document with the index of its lines.

use crate::workspace::DocumentText;
use kenning_graph::Hash;
use kenning_graph::positions::LineIndex;
use std::sync::Arc;

/// A text with the offset of each line, for lookup by line number.
#[derive(Debug)]
pub(crate) struct LineIndexedText {
    pub text: Arc<str>,
    pub hash: Hash,
    lines: LineIndex,
}

impl LineIndexedText {
    /// Indexes the lines of a document.
    pub fn new(DocumentText { text, hash }: DocumentText) -> Self {
        let lines = LineIndex::new(&text);
        Self { text, hash, lines }
    }

    /// Returns a line without its line break; empty past the last line.
    pub fn line_text(&self, line: u32) -> &str {
        self.lines.line_text(&self.text, line)
    }

    /// Returns the byte offset of a byte column of a line; `None` past the last line or the end of
    /// the line.
    pub fn byte_offset(&self, line: u32, column: usize) -> Option<u32> {
        let (start, content) = self.lines.find_line(&self.text, line)?;
        (column <= content.len()).then_some((start + column) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::{DocumentText, LineIndexedText};

    #[test]
    fn lines_may_end_with_lf_or_crlf() {
        let text = LineIndexedText::new(DocumentText::new("a\r\nbc\n\nd"));
        assert_eq!([0, 1, 2, 3, 4].map(|line| text.line_text(line)), ["a", "bc", "", "d", ""]);
        assert_eq!(
            [(1, 2), (1, 3), (3, 1), (4, 0)].map(|(l, c)| text.byte_offset(l, c)),
            [Some(5), None, Some(8), None]
        );
    }
}
