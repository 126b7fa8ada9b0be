//! Places of the graph as places in the client's documents.

use crate::format::places::{Locate, Location, Point, Range};
use crate::session::State;
use crate::session::lines::{Encoding, LineIndex, Position};
use kenning_graph::SymbolRef;
use lsp_types::Uri;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The documents of a folder, as one state of it shows them. Reads files: ask off the reactor.
pub struct Documents<'a> {
    root: &'a Path,
    state: &'a State,
    encoding: Encoding,
    /// Texts that were read, with their lines; `None` where the text is no longer that of the graph.
    read: RefCell<BTreeMap<String, Option<Arc<Source>>>>,
}

struct Source {
    text: Arc<str>,
    lines: LineIndex,
}

impl<'a> Documents<'a> {
    /// The documents of the folder at `root`.
    pub fn new(root: &'a Path, state: &'a State, encoding: Encoding) -> Self {
        Self { root, state, encoding, read: RefCell::default() }
    }

    /// The byte offset of a client's position in a file of the graph; `None` where the file has no such line, or its
    /// text is no longer that of the graph.
    pub fn offset(&self, path: &str, position: Position) -> Option<u32> {
        let source = self.source(path)?;
        let offset = source.lines.offset(&source.text, position, self.encoding)?;
        u32::try_from(offset).ok()
    }

    /// What the client counts in positions.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    fn source(&self, path: &str) -> Option<Arc<Source>> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let snapshot = &self.state.snapshot;
        let hash = snapshot.file_by_path(path).and_then(|id| snapshot.file(id)).map(|file| file.content_hash);
        let text = hash.and_then(|hash| self.state.text.as_ref()?.text(path, &hash));
        let source = text.map(|text| Arc::new(Source { lines: LineIndex::new(&text), text }));
        self.read.borrow_mut().insert(path.to_owned(), source.clone());
        source
    }

    /// From byte `start` to byte `end` of one line. Without the text the columns are 0: nothing false is said.
    fn range(
        &self,
        path: &str,
        line: u32,
        bytes: impl FnOnce(&str, usize, usize) -> (usize, usize),
    ) -> Range {
        let columns = self.source(path).and_then(|source| {
            let at =
                |character| source.lines.offset(&source.text, Position { line, character }, Encoding::Utf8);
            let (first, last) = (at(0)?, at(u32::MAX)?);
            let (start, end) = bytes(&source.text, first, last);
            let column = |end: usize| source.text.get(first..end).map(|text| units(text, self.encoding));
            Some((column(start)?, column(end)?))
        });
        let (start, end) = columns.unwrap_or((0, 0));
        Range { start: Point { line, character: start }, end: Point { line, character: end } }
    }

    fn uri(&self, path: &str) -> Option<String> {
        Uri::from_file_path(self.root.join(path)).map(|uri| uri.to_string())
    }
}

impl Locate for Documents<'_> {
    fn name(&self, symbol: &SymbolRef<'_>) -> Option<Location> {
        let span = symbol.name_span;
        let (start, end) = (span.start as usize, (span.start + span.len) as usize);
        let range = self.range(symbol.path, span.line, |_, _, _| (start, end));
        Some(Location { uri: self.uri(symbol.path)?, range })
    }

    fn line(&self, path: &str, line: u32) -> Option<Location> {
        let range = self.range(path, line, |text, first, last| {
            let indent = text.get(first..last).map_or(0, |line| line.len() - line.trim_start().len());
            (first + indent, last)
        });
        Some(Location { uri: self.uri(path)?, range })
    }
}

/// Code units of a text.
fn units(text: &str, encoding: Encoding) -> u32 {
    let count = match encoding {
        Encoding::Utf8 => text.len(),
        Encoding::Utf16 => text.encode_utf16().count(),
        Encoding::Utf32 => text.chars().count(),
    };
    u32::try_from(count).unwrap_or(u32::MAX)
}
