//! Converts positions of the graph to positions in the client's documents.

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

/// The documents of a folder in one state. Reads files, so use it on a blocking thread.
pub struct FolderDocuments<'a> {
    root: &'a Path,
    state: &'a FolderState,
    encoding: PositionEncoding,
    /// The texts that were read; `None` if a text is no longer that of the graph.
    sources: RefCell<BTreeMap<String, Option<SourceFile>>>,
}

impl<'a> FolderDocuments<'a> {
    /// Creates the documents of the folder at `root`.
    pub fn new(root: &'a Path, state: &'a FolderState, encoding: PositionEncoding) -> Self {
        Self { root, state, encoding, sources: RefCell::default() }
    }

    /// Returns the byte offset of a client's position in a file of the graph; `None` if the file
    /// does not have the line or its text is no longer that of the graph.
    pub fn offset_at(&self, path: &str, position: TextPosition) -> Option<u32> {
        let source = self.source_file(path)?;
        let offset = source.lines.offset_at(&source.text, position, self.encoding)?;
        u32::try_from(offset).ok()
    }

    /// Returns the unit of the client's positions.
    pub fn position_encoding(&self) -> PositionEncoding {
        self.encoding
    }

    /// Returns the state that these documents belong to.
    pub fn folder_state(&self) -> &'a FolderState {
        self.state
    }

    fn source_file(&self, path: &str) -> Option<SourceFile> {
        let mut sources = self.sources.borrow_mut();
        sources.entry(path.to_owned()).or_insert_with(|| self.state.source_file(path)).clone()
    }

    /// Returns the range of a name. If the text is no longer that of the graph, the columns are 0,
    /// because any other value could be wrong.
    pub fn name_range(&self, path: &str, name: NameSpan) -> lsp_types::Range {
        match self.source_file(path) {
            Some(source) => to_proto::name_to_range(&source.text, &source.lines, name, self.encoding),
            None => to_proto::line_start(name.line),
        }
    }

    /// Returns the range of a line without its indentation, or the line's start if the text is no
    /// longer that of the graph.
    fn line_range(&self, path: &str, line: u32) -> lsp_types::Range {
        let inner = self.source_file(path).and_then(|source| {
            let offset_at_column = |character| {
                source.lines.offset_at(&source.text, TextPosition { line, character }, PositionEncoding::Utf8)
            };
            let (first, last) = (offset_at_column(0)?, offset_at_column(u32::MAX)?);
            let indent = source.text.get(first..last).map_or(0, |line| line.len() - line.trim_start().len());
            let (start, len) = ((first + indent) as u32, (last - first - indent) as u32);
            let span = NameSpan { start, len, ..NameSpan::default() };
            Some(to_proto::name_to_range(&source.text, &source.lines, span, self.encoding))
        });
        inner.unwrap_or_else(|| to_proto::line_start(line))
    }

    /// Returns the URI of a file of the folder; `None` if the path cannot be written as a URI.
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
