//! A text with an index of its lines.

use crate::workspace::DocumentText;
use kenning_graph::Hash;
use std::sync::Arc;

/// A text with the offset of each line, for lookup by line number.
#[derive(Debug)]
pub(crate) struct LineIndexedText {
    pub text: Arc<str>,
    pub hash: Hash,
    starts: Vec<usize>,
}

impl LineIndexedText {
    pub fn new(DocumentText { text, hash }: DocumentText) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { text, hash, starts }
    }

    /// Returns a line without its line ending. Returns an empty text for lines after the last one.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(&start) = self.starts.get(line as usize) else { return "" };
        let end = self.starts.get(line as usize + 1).map_or(self.text.len(), |next| next - 1);
        let line = &self.text[start..end];
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Returns the offset in the text of a byte column of a line. Returns `None` if the line or the
    /// column is out of range.
    pub fn byte_offset(&self, line: u32, column: usize) -> Option<u32> {
        let start = *self.starts.get(line as usize)?;
        (column <= self.line_text(line).len()).then_some((start + column) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::{DocumentText, LineIndexedText};

    #[test]
    fn lines_are_found_whatever_ends_them() {
        let text = LineIndexedText::new(DocumentText::new("a\r\nbc\n\nd"));
        assert_eq!([0, 1, 2, 3, 4].map(|line| text.line_text(line)), ["a", "bc", "", "d", ""]);
        assert_eq!(
            [(1, 2), (1, 3), (3, 1), (4, 0)].map(|(l, c)| text.byte_offset(l, c)),
            [Some(5), None, Some(8), None]
        );
    }
}
