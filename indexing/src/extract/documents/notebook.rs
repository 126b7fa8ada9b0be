//! Jupyter notebooks: JSON with cells. Markdown cells are read as Markdown, code cells as blocks of
//! code in the language of the kernel.
//!
//! The source of a cell is a string or a list of strings. Positions are those of the characters in
//! the literals, so a heading is found at its place in the file. A section ends where the next
//! heading begins, so the JSON between two cells belongs to the section before it.

use super::markdown::read_markdown;
use super::outline::{PositionMap, RawDocument};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Maximum length of the language of a kernel in bytes, which is compared for each cell.
const MAX_KERNEL_BYTES: usize = 64;

/// The source of a cell, decoded.
struct NotebookCell {
    text: String,
    /// The position of the beginning of each literal and of the byte after each escape, in the
    /// order of the text. In between, the text is written as it is, so each position is found
    /// without reading the text before it.
    positions: Vec<DecodedPosition>,
    /// Whether the cell has code, in the language of the kernel, and not Markdown.
    is_code: bool,
}

/// A position in the decoded text and in the file.
pub(super) struct DecodedPosition {
    decoded: usize,
    file: usize,
}

#[derive(Deserialize)]
struct Notebook<'t> {
    #[serde(borrow)]
    cells: Vec<&'t RawValue>,
    #[serde(default)]
    metadata: NotebookMetadata,
}

#[derive(Default, Deserialize)]
struct NotebookMetadata {
    kernelspec: Option<KernelSpec>,
    language_info: Option<LanguageInfo>,
}

#[derive(Deserialize)]
struct KernelSpec {
    #[serde(default)]
    language: String,
}

#[derive(Deserialize)]
struct LanguageInfo {
    #[serde(default)]
    name: String,
}

/// A notebook whose cells have been decoded.
pub(super) struct DecodedNotebook {
    cells: Vec<NotebookCell>,
    /// The language of the code cells.
    kernel: String,
}

impl DecodedNotebook {
    /// Adds the content of all cells to a document.
    pub fn read_into<'c>(&'c self, document: &mut RawDocument<'c>) {
        self.cells.iter().for_each(|cell| cell.read_into(&self.kernel, document));
    }
}

#[derive(Deserialize)]
struct RawCell<'t> {
    cell_type: CellType,
    #[serde(borrow)]
    source: &'t RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum CellType {
    Markdown,
    Code,
    #[serde(other)]
    Other,
}

/// Returns the cells with Markdown or code, without invalid ones. Returns `None` if the text is not
/// a notebook.
pub(super) fn decode_notebook(text: &str) -> Option<DecodedNotebook> {
    let notebook: Notebook = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let kernel = notebook.metadata.language_info.map(|info| info.name);
    let mut kernel = kernel.or(notebook.metadata.kernelspec.map(|spec| spec.language)).unwrap_or_default();
    if kernel.len() > MAX_KERNEL_BYTES {
        kernel.clear();
    }
    let cells = notebook.cells.into_iter().filter_map(|cell| {
        let cell: RawCell = serde_json::from_str(cell.get()).ok()?;
        let is_code = match cell.cell_type {
            CellType::Markdown => false,
            CellType::Code => true,
            CellType::Other => return None,
        };
        let mut decoded = NotebookCell { text: String::new(), positions: Vec::new(), is_code };
        match serde_json::from_str::<Vec<&RawValue>>(cell.source.get()) {
            Ok(lines) => lines.into_iter().for_each(|line| decoded.add_literal(line, text)),
            Err(_) => decoded.add_literal(cell.source, text),
        }
        Some(decoded)
    });
    let cells = cells.collect();
    Some(DecodedNotebook { cells, kernel })
}

impl NotebookCell {
    fn add_literal(&mut self, literal: &RawValue, text: &str) {
        let raw = literal.get();
        let Ok(decoded) = serde_json::from_str::<Cow<'_, str>>(raw) else { return };
        // The literal is a part of the text. Its first byte is the quote.
        let file = raw.as_ptr() as usize - text.as_ptr() as usize + 1;
        let content = raw.get(1..raw.len() - 1).unwrap_or("");
        self.add_positions(content, file);
        self.text.push_str(&decoded);
    }

    /// Adds the positions in a literal whose content begins at the byte `file`.
    fn add_positions(&mut self, content: &str, file: usize) {
        let (mut decoded, mut written) = (self.text.len(), 0);
        self.positions.push(DecodedPosition { decoded, file });
        while let Some(plain) = content[written..].find('\\') {
            let (code, width) = escaped_char(&content[written + plain..]);
            decoded += plain + code.len_utf8();
            written = (written + plain + width).min(content.len());
            self.positions.push(DecodedPosition { decoded, file: file + written });
        }
    }

    /// Adds the content of the cell to a document. `kernel` is the language of code.
    fn read_into<'c>(&'c self, kernel: &str, document: &mut RawDocument<'c>) {
        let positions = PositionMap::Literals(&self.positions);
        if self.is_code {
            document.add_code(Cow::Borrowed(&self.text), kernel, |at| positions.file_offset(at));
        } else {
            read_markdown(&self.text, &positions, document);
        }
    }
}

/// Returns the byte of the file at which a byte of the decoded text is written.
pub(super) fn file_offset(positions: &[DecodedPosition], at: usize) -> u32 {
    let Some(before) = positions[..positions.partition_point(|position| position.decoded <= at)].last()
    else {
        return 0;
    };
    (before.file + at - before.decoded) as u32
}

/// Returns the first character of the content of a literal, and the number of bytes in which it is
/// written. The literal is valid JSON.
fn escaped_char(text: &str) -> (char, usize) {
    let unit = |at: usize| text.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match text.as_bytes() {
        [b'\\', b'u', ..] => {
            let high = unit(2).unwrap_or(0xfffd);
            let pair = (0xd800..0xdc00).contains(&high) && text[6.min(text.len())..].starts_with("\\u");
            let low = unit(8).filter(|_| pair);
            match low {
                Some(low) => {
                    let code = 0x10000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
                    (char::from_u32(code).unwrap_or('\u{fffd}'), 12)
                }
                None => (char::from_u32(high).unwrap_or('\u{fffd}'), 6),
            }
        }
        [b'\\', _, ..] => ('\\', 2),
        _ => text.chars().next().map_or((' ', 1), |c| (c, c.len_utf8())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_character_has_its_position_in_the_file() {
        let file = r#"{"cells": [{"cell_type": "markdown",
            "source": ["", "a\n\"é\"\t", "\ud83d\ude00\u00e9\\", "", "ende\n", "\ud800x"]}]}"#;
        let notebook = decode_notebook(file).unwrap();
        let cell = &notebook.cells[0];
        let written = cell.text.char_indices().map(|(at, code)| {
            let offset = file_offset(&cell.positions, at) as usize;
            format!("{code:?} {}", &file[offset..offset + escaped_char(&file[offset..]).1])
        });
        // A half of a surrogate pair is no text, so its literal is left out.
        let expected = [
            r"'a' a",
            r"'\n' \n",
            r#"'"' \""#,
            "'é' é",
            r#"'"' \""#,
            r"'\t' \t",
            r"'😀' \ud83d\ude00",
            r"'é' \u00e9",
            r"'\\' \\",
            "'e' e",
            "'n' n",
            "'d' d",
            "'e' e",
            r"'\n' \n",
        ];
        assert_eq!(written.collect::<Vec<_>>(), expected);
    }
}
