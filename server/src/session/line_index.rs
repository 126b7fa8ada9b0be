//! Line starts of a text, and the conversion between byte offsets and positions of the protocol.

/// The unit of [`TextPosition::character`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Bytes of UTF-8.
    Utf8,
    /// UTF-16 code units, which every client supports. This is the default if nothing is
    /// negotiated.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

/// A position in the client's units. Both numbers are 0-based.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// The line.
    pub line: u32,
    /// Code units of the negotiated [`PositionEncoding`] from the start of the line.
    pub character: u32,
}

/// The byte offsets at which the lines of a text start. Lines end with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// Finds the line starts of `text`.
    pub fn new(text: &str) -> Self {
        let mut index = Self { starts: vec![0] };
        index.scan_lines(text, 0);
        index
    }

    /// Returns the number of lines. A text that ends with a line break has an empty last line.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Always false: every text has a first line.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Updates the index after `text` was edited at byte `from` or later.
    pub fn update_from(&mut self, text: &str, from: usize) {
        // A `\r` directly before the edit may have become a line break of its own, or no longer be
        // one. The line start at `from` itself is therefore not kept.
        let keep = self.starts.partition_point(|&start| start < from).max(1);
        self.starts.truncate(keep);
        let start = self.starts.last().copied().unwrap_or(0);
        self.scan_lines(text, start);
    }

    fn scan_lines(&mut self, text: &str, from: usize) {
        let bytes = text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            let next = match bytes[at] {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => at + 2,
                b'\r' | b'\n' => at + 1,
                _ => {
                    at += 1;
                    continue;
                }
            };
            self.starts.push(next);
            at = next;
        }
    }

    /// Returns the byte offset of a position. A character past the end of its line gives the line's
    /// end, and one inside a code point gives the start of that code point. The line after the last
    /// one gives the end of the text, because clients replace whole texts with such a range.
    /// Returns `None` for any later line.
    pub fn offset_at(&self, text: &str, position: TextPosition, encoding: PositionEncoding) -> Option<usize> {
        let line = position.line as usize;
        if line == self.starts.len() {
            return Some(text.len());
        }
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text[start..end].trim_end_matches(['\r', '\n']);
        Some(start + byte_column(content, position.character as usize, encoding))
    }

    /// Returns the position of a byte offset; the inverse of [`LineIndex::offset_at`]. An offset
    /// inside a code point gives the start of that code point, one inside a line break gives the
    /// end of its line, and one past the text gives its end.
    pub fn position_at(&self, text: &str, offset: usize, encoding: PositionEncoding) -> TextPosition {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text.get(start..end).unwrap_or("").trim_end_matches(['\r', '\n']);
        let passed = content.char_indices().take_while(|&(at, c)| start + at + c.len_utf8() <= offset);
        let character = passed.map(|(_, c)| char_width(c, encoding)).sum::<usize>();
        TextPosition { line: line as u32, character: character as u32 }
    }
}

/// Returns the number of code units of a character.
fn char_width(c: char, encoding: PositionEncoding) -> usize {
    match encoding {
        PositionEncoding::Utf8 => c.len_utf8(),
        PositionEncoding::Utf16 => c.len_utf16(),
        PositionEncoding::Utf32 => 1,
    }
}

/// Returns the byte column that follows `units` code units of `line`.
fn byte_column(line: &str, units: usize, encoding: PositionEncoding) -> usize {
    let mut passed = 0;
    for (at, c) in line.char_indices() {
        passed += char_width(c, encoding);
        if passed > units {
            return at;
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(text: &str, line: u32, character: u32, encoding: PositionEncoding) -> Option<usize> {
        LineIndex::new(text).offset_at(text, TextPosition { line, character }, encoding)
    }

    #[test]
    fn every_kind_of_line_break_starts_a_line() {
        assert_eq!(LineIndex::new("a\nb\r\nc\rd").starts, [0, 2, 5, 7]);
        assert_eq!(LineIndex::new("").starts, [0]);
        assert_eq!(LineIndex::new("a\n").starts, [0, 2]);
        assert_eq!(LineIndex::new("\r\r\n\n").starts, [0, 1, 3, 4]);
    }

    #[test]
    fn characters_are_counted_in_the_agreed_encoding() {
        let text = "é😀x\n";
        assert_eq!(offset(text, 0, 3, PositionEncoding::Utf16), Some(6));
        assert_eq!(offset(text, 0, 6, PositionEncoding::Utf8), Some(6));
        assert_eq!(offset(text, 0, 2, PositionEncoding::Utf32), Some(6));
    }

    #[test]
    fn a_position_inside_a_code_point_is_its_start() {
        assert_eq!(offset("😀x", 0, 1, PositionEncoding::Utf16), Some(0));
        assert_eq!(offset("😀x", 0, 3, PositionEncoding::Utf8), Some(0));
    }

    #[test]
    fn a_character_past_the_line_end_is_the_line_end() {
        assert_eq!(offset("ab\r\ncd", 0, 99, PositionEncoding::Utf16), Some(2));
        assert_eq!(offset("ab\r\ncd", 1, 99, PositionEncoding::Utf16), Some(6));
    }

    #[test]
    fn offsets_and_positions_are_inverse_in_every_encoding() {
        let text = "fn é😀x()\r\n\t漢字\rlast\n\n😀";
        let lines = LineIndex::new(text);
        for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
                    continue;
                }
                let position = lines.position_at(text, offset, encoding);
                assert_eq!(lines.offset_at(text, position, encoding), Some(offset), "{offset} {position:?}");
            }
        }
        let at = |offset| lines.position_at(text, offset, PositionEncoding::Utf16);
        assert_eq!(at(6), TextPosition { line: 0, character: 4 }, "inside 😀");
        assert_eq!(at(13), TextPosition { line: 0, character: 9 }, "between \\r and \\n");
        assert_eq!(at(999), TextPosition { line: 4, character: 2 }, "behind the end");
    }

    #[test]
    fn only_the_line_after_the_last_one_stands_for_the_end() {
        assert_eq!(offset("ab\ncd", 2, 7, PositionEncoding::Utf16), Some(5));
        assert_eq!(offset("ab\ncd", 3, 0, PositionEncoding::Utf16), None);
    }
}
