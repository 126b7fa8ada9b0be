//! Positions in a text: line starts, and columns in the units of the language server protocol.
//!
//! As in the protocol, a line ends with `\n`, `\r\n` or a single `\r`. Kenning as a server, Kenning
//! as a client of other servers, and extraction all use this module for lines and columns.

/// The unit of [`TextPosition::character`], negotiated with the other side of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Bytes of UTF-8.
    Utf8,
    /// UTF-16 code units: supported by every client and server, and the default.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl PositionEncoding {
    /// The names of the encodings in the protocol, in Kenning's order of preference as a client.
    pub const NAMES: [&'static str; 3] = ["utf-8", "utf-16", "utf-32"];

    /// Returns the encoding that a server chose; UTF-16 if it chose none or an encoding that
    /// Kenning did not offer.
    pub fn from_server_choice(name: Option<&str>) -> Self {
        match name {
            Some("utf-8") => Self::Utf8,
            Some("utf-32") => Self::Utf32,
            _ => Self::Utf16,
        }
    }

    const fn char_width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// Returns the column of a byte of a line. For a byte inside a character, returns the column of
    /// that character; for a byte past the end of the line, the column of the end.
    pub fn column_at_byte(self, line: &str, byte: usize) -> u32 {
        let before = line.char_indices().take_while(|(at, c)| at + c.len_utf8() <= byte);
        before.map(|(_, c)| self.char_width(c)).sum::<usize>() as u32
    }

    /// Returns the byte of a column of a line; the inverse of [`PositionEncoding::column_at_byte`].
    /// For a column inside a character, returns the start of that character; for a column past the
    /// end of the line, the end.
    pub fn byte_at_column(self, line: &str, column: u32) -> usize {
        let mut units = 0;
        for (at, c) in line.char_indices() {
            units += self.char_width(c);
            if units > column as usize {
                return at;
            }
        }
        line.len()
    }
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

    /// Whether there are no lines. Always false, because every text has a first line.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Updates the index after `text` was edited at byte `from` or later.
    pub fn update_from(&mut self, text: &str, from: usize) {
        // A `\r` just before the edit may have become, or ceased to be, a line break of its own, so
        // the line start at `from` is computed again.
        let unchanged = self.starts.partition_point(|&start| start < from).max(1);
        self.starts.truncate(unchanged);
        let start = self.starts.last().copied().unwrap_or(0);
        self.scan_lines(text, start);
    }

    fn scan_lines(&mut self, text: &str, from: usize) {
        let Some(rest) = text.get(from..) else { return };
        // Most texts have no carriage return, and searching for one byte is much faster than for
        // two.
        if !rest.contains('\r') {
            self.starts.extend(rest.match_indices('\n').map(|(at, _)| from + at + 1));
            return;
        }
        let bytes = rest.as_bytes();
        let ends_line = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        let ends = rest.match_indices(['\r', '\n']).map(|(at, _)| at).filter(ends_line);
        self.starts.extend(ends.map(|at| from + at + 1));
    }

    /// Returns the start of a line and its content without the line break; `None` past the last
    /// line.
    pub fn find_line<'t>(&self, text: &'t str, line: u32) -> Option<(usize, &'t str)> {
        let line = line as usize;
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        Some((start, text.get(start..end).unwrap_or("").trim_end_matches(['\r', '\n'])))
    }

    /// Returns a line without its line break; empty past the last line.
    pub fn line_text<'t>(&self, text: &'t str, line: u32) -> &'t str {
        self.find_line(text, line).map_or("", |(_, content)| content)
    }

    /// Returns the number of lines as editors count them: a final line break does not start another
    /// line, and an empty text has one line.
    pub fn count_lines(&self, text: &str) -> u32 {
        let count = self.starts.len() as u32;
        if text.ends_with(['\n', '\r']) { count - 1 } else { count }
    }

    /// Returns the line and the byte column of a byte offset, both 0-based.
    pub fn line_and_column(&self, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= offset as usize).saturating_sub(1);
        (line as u32, offset - self.starts.get(line).map_or(0, |&start| start as u32))
    }

    /// Returns the byte offset of a position. For a position past the end of its line, returns the
    /// end of the line; for a position inside a code point, the start of that code point. For the
    /// line after the last line, returns the end of the text, because clients replace whole texts
    /// with such a range. Returns `None` for any later line.
    pub fn offset_at(&self, text: &str, position: TextPosition, encoding: PositionEncoding) -> Option<usize> {
        if position.line as usize == self.starts.len() {
            return Some(text.len());
        }
        let (start, content) = self.find_line(text, position.line)?;
        Some(start + encoding.byte_at_column(content, position.character))
    }

    /// Returns the position of a byte offset; the inverse of [`LineIndex::offset_at`]. For an
    /// offset inside a code point, returns the start of that code point; for an offset inside a
    /// line break, the end of the line; for an offset past the text, the end of the text.
    pub fn position_at(&self, text: &str, offset: usize, encoding: PositionEncoding) -> TextPosition {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1) as u32;
        let (start, content) = self.find_line(text, line).unwrap_or((0, ""));
        TextPosition { line, character: encoding.column_at_byte(content, offset - start) }
    }
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
    fn characters_are_counted_in_the_negotiated_encoding() {
        let text = "é😀x\n";
        assert_eq!(offset(text, 0, 3, PositionEncoding::Utf16), Some(6));
        assert_eq!(offset(text, 0, 6, PositionEncoding::Utf8), Some(6));
        assert_eq!(offset(text, 0, 2, PositionEncoding::Utf32), Some(6));
    }

    #[test]
    fn a_position_inside_a_code_point_maps_to_its_start() {
        assert_eq!(offset("😀x", 0, 1, PositionEncoding::Utf16), Some(0));
        assert_eq!(offset("😀x", 0, 3, PositionEncoding::Utf8), Some(0));
    }

    #[test]
    fn a_character_past_the_line_end_maps_to_the_line_end() {
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
        assert_eq!(at(999), TextPosition { line: 4, character: 2 }, "past the end");
    }

    #[test]
    fn only_the_line_after_the_last_line_maps_to_the_end_of_the_text() {
        assert_eq!(offset("ab\ncd", 2, 7, PositionEncoding::Utf16), Some(5));
        assert_eq!(offset("ab\ncd", 3, 0, PositionEncoding::Utf16), None);
    }

    #[test]
    fn columns_and_bytes_agree_in_every_unit() {
        let line = "aé🙂b";
        for (encoding, columns) in [
            (PositionEncoding::Utf8, [0, 1, 3, 7, 8]),
            (PositionEncoding::Utf16, [0, 1, 2, 4, 5]),
            (PositionEncoding::Utf32, [0, 1, 2, 3, 4]),
        ] {
            for (byte, column) in [0, 1, 3, 7, 8].into_iter().zip(columns) {
                assert_eq!(encoding.column_at_byte(line, byte), column, "{encoding:?}");
                assert_eq!(encoding.byte_at_column(line, column), byte, "{encoding:?}");
            }
            assert_eq!(encoding.byte_at_column(line, 99), 8);
            assert_eq!(encoding.column_at_byte(line, 2), 1, "inside a character");
        }
    }

    #[test]
    fn lines_have_texts_numbers_and_byte_columns() {
        let text = "a\r\nbc\n\nd";
        let lines = LineIndex::new(text);
        assert_eq!([0, 1, 2, 3, 4].map(|line| lines.line_text(text, line)), ["a", "bc", "", "d", ""]);
        assert_eq!([0, 3, 5].map(|offset| lines.line_and_column(offset)), [(0, 0), (1, 0), (1, 2)]);
        let count = |text| LineIndex::new(text).count_lines(text);
        assert_eq!([count(text), count("ab\né x\n"), count(""), count("\n")], [4, 2, 1, 1]);
    }
}
