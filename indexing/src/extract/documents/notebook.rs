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

/// The source of a cell, decoded.
pub(super) struct NotebookCell<'t> {
    text: String,
    literals: Vec<DecodedLiteral<'t>>,
    /// The language tag of a code cell; `None` for Markdown.
    code: Option<String>,
}

/// A string literal of the file.
pub(super) struct DecodedLiteral<'t> {
    /// The byte of the decoded text at which the content begins.
    decoded: usize,
    /// The byte of the file at which the content begins.
    file: usize,
    /// The content as written.
    content: &'t str,
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
pub(super) fn decode_cells(text: &str) -> Option<Vec<NotebookCell<'_>>> {
    let notebook: Notebook = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let kernel = notebook.metadata.language_info.map(|info| info.name);
    let kernel = kernel.or(notebook.metadata.kernelspec.map(|spec| spec.language)).unwrap_or_default();
    let cells = notebook.cells.into_iter().filter_map(|cell| {
        let cell: RawCell = serde_json::from_str(cell.get()).ok()?;
        let code = match cell.cell_type {
            CellType::Markdown => None,
            CellType::Code => Some(kernel.clone()),
            CellType::Other => return None,
        };
        let mut decoded = NotebookCell { text: String::new(), literals: Vec::new(), code };
        match serde_json::from_str::<Vec<&RawValue>>(cell.source.get()) {
            Ok(lines) => lines.into_iter().for_each(|line| decoded.add_literal(line, text)),
            Err(_) => decoded.add_literal(cell.source, text),
        }
        Some(decoded)
    });
    Some(cells.collect())
}

impl<'t> NotebookCell<'t> {
    fn add_literal(&mut self, literal: &'t RawValue, text: &str) {
        let raw = literal.get();
        let Ok(decoded) = serde_json::from_str::<Cow<'_, str>>(raw) else { return };
        // The literal is a part of the text. Its first byte is the quote.
        let file = raw.as_ptr() as usize - text.as_ptr() as usize + 1;
        let content = raw.get(1..raw.len() - 1).unwrap_or("");
        self.literals.push(DecodedLiteral { decoded: self.text.len(), file, content });
        self.text.push_str(&decoded);
    }

    /// Adds the content of the cell to a document.
    pub fn read_into<'c>(&'c self, document: &mut RawDocument<'c>) {
        let positions = PositionMap::Literals(&self.literals);
        match &self.code {
            None => read_markdown(&self.text, &positions, document),
            Some(kernel) => {
                document.add_code(Cow::Borrowed(&self.text), kernel, |at| positions.file_offset(at));
            }
        }
    }
}

/// Returns the byte of the file at which a byte of the decoded text is written.
pub(super) fn file_offset(literals: &[DecodedLiteral<'_>], at: usize) -> u32 {
    let Some(literal) = literals[..literals.partition_point(|literal| literal.decoded <= at)].last() else {
        return 0;
    };
    let wanted = at - literal.decoded;
    let (mut decoded, mut written) = (0, 0);
    let bytes = literal.content.as_bytes();
    while decoded < wanted && written < bytes.len() {
        let (code, width) = escaped_char(&literal.content[written..]);
        decoded += code.len_utf8();
        written += width;
    }
    (literal.file + written.min(bytes.len())) as u32
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
