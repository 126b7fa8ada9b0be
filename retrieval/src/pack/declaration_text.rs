//! The text of a symbol's declaration, line by line.

use crate::text_source::TextSource;
use kenning_graph::{Snapshot, SymbolId, SymbolKind, credentials};

/// The lines of a declaration, exactly as in the file except that credentials are masked.
#[derive(Debug)]
pub(crate) struct DeclarationText {
    /// The lines, without line breaks. Never empty.
    pub lines: Vec<String>,
    /// 1-based line of the first one.
    pub first_line: u32,
}

/// An inclusive range of 1-based lines.
pub type LineRange = (u32, u32);

impl DeclarationText {
    /// Reads the declaration of a symbol, or the whole text of a file. Returns `None` if the text is not available or does not
    /// match the snapshot.
    pub fn read_symbol(snapshot: &Snapshot, source: &dyn TextSource, symbol: SymbolId) -> Option<Self> {
        let symbol = snapshot.symbol(symbol)?;
        let file = snapshot.file(symbol.file?)?;
        let text = source.read_text(file.path, &file.content_hash)?;
        if symbol.kind == SymbolKind::File {
            return Self::from_text(&text, 1);
        }
        let (start, end) = (symbol.span.start as usize, symbol.span.end as usize);
        let body = text.get(start..end)?;
        // Start at the beginning of the line, so that the shown lines are exactly those of the file.
        let before = text.get(..start)?;
        let indentation = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let indentation = if indentation.trim().is_empty() { indentation } else { "" };
        let whole = format!("{indentation}{body}");
        Self::from_text(&whole, symbol.span.start_line + 1)
    }

    /// Masks credentials and splits the text into lines. Returns `None` for a blank text.
    fn from_text(text: &str, first_line: u32) -> Option<Self> {
        let text = text.trim_end();
        let lines: Vec<String> = credentials::mask_credentials(text).lines().map(str::to_owned).collect();
        (!lines.is_empty()).then_some(Self { lines, first_line })
    }

    /// Returns the 1-based line of the line at `index`.
    pub fn line_number(&self, index: usize) -> u32 {
        self.first_line + u32::try_from(index).unwrap_or(u32::MAX)
    }
}
