//! Symbols as items of a call hierarchy, and the documents that they stand in.

use crate::lsp::requests::uri_of;
use crate::lsp::to_proto;
use crate::session::lines::Encoding;
use crate::session::{SourceFile, State};
use kenning_graph::facts::NameSpan;
use kenning_graph::{SymbolId, SymbolKind};
use lsp_types::{CallHierarchyItem, Position, Range, SymbolKind as Kind};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// The documents of a folder in one state; each is read once. Reads files: off the reactor.
pub struct Documents<'a> {
    pub root: &'a Path,
    pub state: &'a State,
    pub encoding: Encoding,
    read: RefCell<BTreeMap<String, Option<SourceFile>>>,
}

impl<'a> Documents<'a> {
    pub fn new(root: &'a Path, state: &'a State, encoding: Encoding) -> Self {
        Self { root, state, encoding, read: RefCell::default() }
    }

    /// Where a name stands. Where the text is no longer the graph's, the columns are 0: nothing false is said.
    pub fn name(&self, path: &str, name: NameSpan) -> Range {
        let mut read = self.read.borrow_mut();
        let source = read.entry(path.to_owned()).or_insert_with(|| self.state.source(path));
        match source {
            Some(source) => to_proto::range(&source.text, &source.lines, name, self.encoding),
            None => line(name.line),
        }
    }

    /// A symbol as an item; `None` for what has no text in the workspace.
    pub fn item(&self, id: SymbolId) -> Option<CallHierarchyItem> {
        let symbol = self.state.snapshot.symbol(id).filter(|s| s.file.is_some())?;
        let is_file = symbol.kind == SymbolKind::File;
        let selection = if is_file { line(0) } else { self.name(symbol.path, symbol.name_span) };
        let range = Range {
            start: Position { line: symbol.span.start_line, character: 0 },
            // The last line is there whole, whatever its length: its successor begins behind it.
            end: Position { line: symbol.span.end_line + 1, character: 0 },
        };
        Some(CallHierarchyItem {
            name: symbol.display_name(),
            kind: kind(symbol.kind),
            tags: None,
            detail: Some(symbol.path.to_owned()),
            uri: uri_of(self.root, symbol.path)?,
            range,
            selection_range: selection,
            data: Some(json!({ "symbol": symbol.hash.to_hex() })),
        })
    }
}

/// The start of a line.
pub fn line(line: u32) -> Range {
    let start = Position { line, character: 0 };
    Range { start, end: start }
}

fn kind(kind: SymbolKind) -> Kind {
    match kind {
        SymbolKind::File => Kind::FILE,
        SymbolKind::Method => Kind::METHOD,
        SymbolKind::Constructor => Kind::CONSTRUCTOR,
        SymbolKind::Class | SymbolKind::Record => Kind::CLASS,
        SymbolKind::Struct | SymbolKind::Union | SymbolKind::TypeAlias => Kind::STRUCT,
        SymbolKind::Enum => Kind::ENUM,
        SymbolKind::Interface | SymbolKind::Trait => Kind::INTERFACE,
        SymbolKind::Module => Kind::MODULE,
        SymbolKind::Field => Kind::FIELD,
        SymbolKind::Property => Kind::PROPERTY,
        SymbolKind::Constant => Kind::CONSTANT,
        SymbolKind::EnumMember => Kind::ENUM_MEMBER,
        SymbolKind::Variable | SymbolKind::EnvVar => Kind::VARIABLE,
        _ => Kind::FUNCTION,
    }
}
