//! Places of the graph as places in the client's documents.

use crate::format::symbol_locations::{DocumentLocator, DocumentPoint, Location, Range};
use crate::lsp::to_proto;
use crate::session::{FolderState, SourceFile};
use kenning_graph::SymbolRef;
use kenning_graph::facts::NameSpan;
use kenning_graph::positions::{PositionEncoding, TextPosition};
use lsp_types::Uri;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// The documents of a folder, as one state of it shows them. Reads files: ask off the reactor.
pub struct FolderDocuments<'a> {
    root: &'a Path,
    state: &'a FolderState,
    encoding: PositionEncoding,
    /// Texts that were read; `None` where the text is no longer that of the graph.
    read: RefCell<BTreeMap<String, Option<SourceFile>>>,
}

impl<'a> FolderDocuments<'a> {
    /// The documents of the folder at `root`.
    pub fn new(root: &'a Path, state: &'a FolderState, encoding: PositionEncoding) -> Self {
        Self { root, state, encoding, read: RefCell::default() }
    }

    /// The byte offset of a client's position in a file of the graph; `None` where the file has no such line, or its
    /// text is no longer that of the graph.
    pub fn offset_at(&self, path: &str, position: TextPosition) -> Option<u32> {
        let source = self.source_file(path)?;
        let offset = source.lines.offset_at(&source.text, position, self.encoding)?;
        u32::try_from(offset).ok()
    }

    /// What the client counts in positions.
    pub fn position_encoding(&self) -> PositionEncoding {
        self.encoding
    }

    /// The state whose documents these are.
    pub fn folder_state(&self) -> &'a FolderState {
        self.state
    }

    fn source_file(&self, path: &str) -> Option<SourceFile> {
        let mut read = self.read.borrow_mut();
        read.entry(path.to_owned()).or_insert_with(|| self.state.source_file(path)).clone()
    }

    /// Where a name stands. Where the text is no longer the graph's, the columns are 0 rather than wrong.
    pub fn name_range(&self, path: &str, name: NameSpan) -> lsp_types::Range {
        match self.source_file(path) {
            Some(source) => to_proto::name_to_range(&source.text, &source.lines, name, self.encoding),
            None => to_proto::line_start(name.line),
        }
    }

    /// The text of a line without what it is indented by; its start where the text is no longer the graph's.
    fn line_range(&self, path: &str, line: u32) -> lsp_types::Range {
        let inner = self.source_file(path).and_then(|source| {
            let at = |character| {
                source.lines.offset_at(&source.text, TextPosition { line, character }, PositionEncoding::Utf8)
            };
            let (first, last) = (at(0)?, at(u32::MAX)?);
            let indent = source.text.get(first..last).map_or(0, |line| line.len() - line.trim_start().len());
            let (start, len) = ((first + indent) as u32, (last - first - indent) as u32);
            let span = NameSpan { start, len, ..NameSpan::default() };
            Some(to_proto::name_to_range(&source.text, &source.lines, span, self.encoding))
        });
        inner.unwrap_or_else(|| to_proto::line_start(line))
    }

    /// The URI of a file of the folder.
    pub fn file_uri(&self, path: &str) -> Option<Uri> {
        Uri::from_file_path(self.root.join(path))
    }
}

impl DocumentLocator for FolderDocuments<'_> {
    fn locate_name(&self, symbol: &SymbolRef<'_>) -> Option<Location> {
        self.build_location(symbol.path, self.name_range(symbol.path, symbol.name_span))
    }

    fn locate_line(&self, path: &str, line: u32) -> Option<Location> {
        self.build_location(path, self.line_range(path, line))
    }
}

impl FolderDocuments<'_> {
    fn build_location(&self, path: &str, range: lsp_types::Range) -> Option<Location> {
        let point = |position: lsp_types::Position| DocumentPoint {
            line: position.line,
            character: position.character,
        };
        let range = Range { start: point(range.start), end: point(range.end) };
        Some(Location { uri: self.file_uri(path)?.to_string(), range })
    }
}
