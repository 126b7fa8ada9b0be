//! The texts of declarations, line by line.

use super::count_tokens;
use crate::text_source::TextSource;
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolKind, credentials};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// The texts that packing reads. Each text is read once, even if a pack is filled several times.
pub(crate) struct PackTexts<'a> {
    snapshot: &'a Snapshot,
    source: &'a dyn TextSource,
    files: RefCell<FxHashMap<FileId, Option<Arc<str>>>>,
    symbols: RefCell<FxHashMap<SymbolId, Option<Rc<DeclarationText>>>>,
}

impl<'a> PackTexts<'a> {
    /// Creates an empty cache.
    pub fn new(snapshot: &'a Snapshot, source: &'a dyn TextSource) -> Self {
        Self { snapshot, source, files: RefCell::default(), symbols: RefCell::default() }
    }

    /// Returns the declaration of a symbol, or the whole text of a file. Returns `None` if the text
    /// is not available or does not match the snapshot.
    pub fn read_symbol(&self, symbol: SymbolId) -> Option<Rc<DeclarationText>> {
        if let Some(known) = self.symbols.borrow().get(&symbol) {
            return known.clone();
        }
        let text = self.read_declaration(symbol).map(Rc::new);
        self.symbols.borrow_mut().insert(symbol, text.clone());
        text
    }

    fn read_declaration(&self, symbol: SymbolId) -> Option<DeclarationText> {
        let symbol = self.snapshot.symbol(symbol)?;
        let text = self.read_file(symbol.file?)?;
        if symbol.kind == SymbolKind::File {
            return DeclarationText::from_text(&text, 1);
        }
        let (start, end) = (symbol.span.start as usize, symbol.span.end as usize);
        let body = text.get(start..end)?;
        // Start at the beginning of the line, so that the shown lines equal the lines of the file.
        let before = text.get(..start)?;
        let indentation = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let indentation = if indentation.trim().is_empty() { indentation } else { "" };
        DeclarationText::from_text(&format!("{indentation}{body}"), symbol.span.start_line + 1)
    }

    fn read_file(&self, id: FileId) -> Option<Arc<str>> {
        if let Some(known) = self.files.borrow().get(&id) {
            return known.clone();
        }
        let file = self.snapshot.file(id)?;
        let text = self.source.read_text(file.path, &file.content_hash);
        self.files.borrow_mut().insert(id, text.clone());
        text
    }
}

/// The lines of a declaration, exactly as in the file except that credentials are masked.
#[derive(Debug)]
pub(crate) struct DeclarationText {
    /// The lines, without line breaks. Never empty.
    pub lines: Vec<String>,
    /// 1-based number of the first line.
    pub first_line: u32,
    /// The tokens of each line, counted on first use.
    costs: Vec<OnceCell<usize>>,
    /// The relevance of each line for the pack, computed on first use.
    pub values: OnceCell<Vec<f64>>,
}

/// An inclusive range of 1-based lines.
pub type LineRange = (u32, u32);

impl DeclarationText {
    /// Masks credentials and splits the text into lines. Returns `None` for a blank text.
    pub(super) fn from_text(text: &str, first_line: u32) -> Option<Self> {
        let text = text.trim_end();
        let lines: Vec<String> = credentials::mask_credentials(text).lines().map(str::to_owned).collect();
        let costs = vec![OnceCell::new(); lines.len()];
        (!lines.is_empty()).then_some(Self { lines, first_line, costs, values: OnceCell::new() })
    }

    /// Returns the 1-based number of the line at `index`.
    pub fn line_number(&self, index: usize) -> u32 {
        self.first_line + u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// Returns the 1-based numbers of the lines that are not blank.
    pub fn code_lines(&self) -> impl Iterator<Item = u32> {
        let is_code = |&index: &usize| !self.lines[index].trim().is_empty();
        (0..self.lines.len()).filter(is_code).map(|index| self.line_number(index))
    }

    /// Returns the tokens of the line at `index` with its line break. The sum over several lines is
    /// close to the tokens of their text.
    pub fn line_cost(&self, index: usize) -> usize {
        *self.costs[index].get_or_init(|| count_tokens(&self.lines[index]) + 1)
    }
}
