//! Symbols with their locations, as the answers about one symbol show them.

use kenning_graph::{Snapshot, SymbolId, SymbolRef};
use schemars::JsonSchema;
use serde::Serialize;

/// A symbol and its location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "LocatedSymbol")]
pub struct SymbolJson {
    /// The symbol's identity; edits elsewhere do not change it.
    pub id: String,
    /// The symbol's name as `path::Outer.Inner.name`.
    pub qualified_name: String,
    /// The name inside the file.
    pub name: String,
    /// The kind of symbol: `function`, `method`, `class` ...
    pub kind: &'static str,
    /// The path in the workspace, with `/` as the separator. A symbol outside the workspace has its
    /// package instead, or an empty string.
    pub file: String,
    /// 1-based line of the name; 0 for a symbol outside the workspace.
    pub line: u32,
    /// The range of the name in the document; only the language server's answers have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// A range in a document, as in LSP: positions start at 0 and use the negotiated encoding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Location {
    /// URI of the document.
    pub uri: String,
    /// The range in the document.
    pub range: Range,
}

/// A range of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Range {
    /// The first position of the range.
    pub start: DocumentPoint,
    /// The end of the range, exclusive.
    pub end: DocumentPoint,
}

/// A position in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocumentPoint {
    /// The line, from 0.
    pub line: u32,
    /// Code units from the start of the line.
    pub character: u32,
}

/// Translates positions of the graph into locations in documents.
pub trait DocumentLocator {
    /// Returns the location of a symbol's name, or `None` if there is no document for it.
    fn locate_name(&self, symbol: &SymbolRef<'_>) -> Option<Location>;

    /// Returns the location of a whole line (from 0) of the file at a workspace-relative path, or
    /// `None` if there is no document for it.
    fn locate_line(&self, path: &str, line: u32) -> Option<Location>;
}

/// A locator for answers without documents, as on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDocuments;

impl DocumentLocator for NoDocuments {
    fn locate_name(&self, _symbol: &SymbolRef<'_>) -> Option<Location> {
        None
    }

    fn locate_line(&self, _path: &str, _line: u32) -> Option<Location> {
        None
    }
}

/// Builds the JSON form of a symbol. Returns `None` if it is not in the snapshot.
pub fn symbol_json(snapshot: &Snapshot, id: SymbolId, locator: &dyn DocumentLocator) -> Option<SymbolJson> {
    let symbol = snapshot.symbol(id)?;
    let is_external = symbol.kind.is_phantom();
    Some(SymbolJson {
        id: symbol.hash.to_hex(),
        qualified_name: symbol.qualified_name(),
        name: symbol.display_name(),
        kind: symbol.kind.as_str(),
        file: symbol.path.to_owned(),
        line: if is_external { 0 } else { symbol.name_span.line + 1 },
        location: if is_external { None } else { locator.locate_name(&symbol) },
    })
}
