//! Symbols with their places, as the answers about one symbol show them.

use kenning_graph::{Snapshot, SymbolId, SymbolRef};
use schemars::JsonSchema;
use serde::Serialize;

/// A symbol and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "LocatedSymbol")]
pub struct SymbolJson {
    /// Its identity, stable over edits elsewhere.
    pub id: String,
    /// `path::Outer.Inner.name`.
    pub qualified_name: String,
    /// The name inside the file.
    pub name: String,
    /// What it is: `function`, `method`, `class` ...
    pub kind: &'static str,
    /// Path in the workspace, with `/`; of a symbol outside of it the package or nothing.
    pub file: String,
    /// 1-based line of the name; 0 outside the workspace.
    pub line: u32,
    /// The name in the document, for a client; only the server's answers have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// A range in a document, as LSP has it: positions from 0, in the agreed encoding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Location {
    /// The document.
    pub uri: String,
    /// The range.
    pub range: Range,
}

/// A range of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Range {
    /// Where it begins.
    pub start: DocumentPoint,
    /// Where it ends.
    pub end: DocumentPoint,
}

/// A position in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocumentPoint {
    /// From 0.
    pub line: u32,
    /// Code units from the start of the line.
    pub character: u32,
}

/// Turns places of the graph into places of documents.
pub trait DocumentLocator {
    /// The name of a symbol in its document.
    fn locate_name(&self, symbol: &SymbolRef<'_>) -> Option<Location>;

    /// A whole line, from 0, of the file at a workspace-relative path.
    fn locate_line(&self, path: &str, line: u32) -> Option<Location>;
}

/// For answers without documents: those of the command line.
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

/// A symbol with its place; `None` when it is not in the snapshot.
pub fn symbol_json(snapshot: &Snapshot, id: SymbolId, locate: &dyn DocumentLocator) -> Option<SymbolJson> {
    let symbol = snapshot.symbol(id)?;
    let outside = symbol.kind.is_phantom();
    Some(SymbolJson {
        id: symbol.hash.to_hex(),
        qualified_name: symbol.qualified_name(),
        name: symbol.display_name(),
        kind: symbol.kind.as_str(),
        file: symbol.path.to_owned(),
        line: if outside { 0 } else { symbol.name_span.line + 1 },
        location: if outside { None } else { locate.locate_name(&symbol) },
    })
}
