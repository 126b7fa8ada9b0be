//! Conversion of columns between bytes and the unit that client and server agreed on.

/// The unit in which a server counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the default if a server chooses no unit.
    Utf16,
    /// Unicode characters.
    Utf32,
}

impl PositionEncoding {
    /// Returns the names of the units that are offered to a server, best first.
    pub(super) const fn offered_names() -> [&'static str; 3] {
        ["utf-8", "utf-16", "utf-32"]
    }

    /// Returns the unit that a server chose.
    pub(super) fn from_server_choice(kind: Option<&str>) -> Self {
        match kind {
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

    /// Returns the column of a byte of a line. A byte inside a character counts as the start of
    /// that character.
    pub fn column_at_byte(self, line: &str, byte: usize) -> u32 {
        let before = line.char_indices().take_while(|(at, c)| at + c.len_utf8() <= byte);
        before.map(|(_, c)| self.char_width(c)).sum::<usize>() as u32
    }

    /// Returns the byte at a column of a line. A column past the end of the line gives its length.
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

#[cfg(test)]
mod tests {
    use super::PositionEncoding;

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
}
