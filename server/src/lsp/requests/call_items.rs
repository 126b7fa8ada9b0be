//! Converts symbols to items of a call hierarchy.

use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::to_proto;
use kenning_graph::{SymbolId, SymbolKind};
use lsp_types::{CallHierarchyItem, Position, Range};
use serde_json::json;

/// Converts a symbol to an item; `None` for a symbol without text in the workspace.
pub fn call_item(documents: &FolderDocuments, id: SymbolId) -> Option<CallHierarchyItem> {
    let symbol = documents.folder_state().snapshot.symbol(id).filter(|s| s.file.is_some())?;
    let is_file = symbol.kind == SymbolKind::File;
    let selection =
        if is_file { to_proto::line_start(0) } else { documents.name_range(symbol.path, symbol.name_span) };
    let range = Range {
        start: Position { line: symbol.span.start_line, character: 0 },
        // The range includes the whole last line, whatever its length, so it ends at the start of
        // the next line.
        end: Position { line: symbol.span.end_line + 1, character: 0 },
    };
    Some(CallHierarchyItem {
        name: symbol.display_name(),
        kind: to_proto::symbol_kind(symbol.kind),
        tags: None,
        detail: Some(symbol.path.to_owned()),
        uri: documents.file_uri(symbol.path)?,
        range,
        selection_range: selection,
        data: Some(json!({ "symbol": symbol.hash.to_hex() })),
    })
}
