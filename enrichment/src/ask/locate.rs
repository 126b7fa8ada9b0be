//! From a place in a file to the symbol that is declared there.

use crate::lined::Lined;
use crate::lsp::Encoding;
use kenning_graph::snapshot::{FileId, Snapshot, SymbolId, SymbolRef};
use kenning_graph::vocabulary::SymbolKind;

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// The name of a symbol, or the beginning of its declaration.
    Declares(SymbolId),
    /// An import: what is meant is declared elsewhere.
    Imports,
    /// The beginning of a file: the module itself.
    Module(SymbolId),
    /// The body of this symbol, where nothing is declared that is a symbol.
    Within(SymbolId),
    /// Nothing that is known: outside of the text, or outside of every symbol.
    Nowhere,
}

/// What stands at a position of a file; the text must be the one that the snapshot was made of.
pub(crate) fn spot(
    snapshot: &Snapshot,
    file: FileId,
    text: &Lined,
    (line, character): (u32, u32),
    encoding: Encoding,
) -> Spot {
    let written = text.line(line);
    let column = encoding.byte(written, character);
    // A column behind the end of its line is no place of this text.
    let Some(offset) = text.offset(line, column).filter(|_| encoding.column(written, column) == character)
    else {
        return Spot::Nowhere;
    };
    let ids = snapshot.file_symbols(file);
    let symbols = || ids.iter().skip(1).filter_map(|&id| snapshot.symbol(id));
    let named = symbols().filter(|s| {
        let name = s.name_span;
        name.line == line && (name.start..=name.start + name.len).contains(&offset)
    });
    // Two names can touch one another only where one ends: the one that begins there counts.
    if let Some(symbol) = named.max_by_key(|s| s.name_span.start) {
        return Spot::Declares(symbol.id);
    }
    if snapshot.file_imports(file).iter().any(|import| import.at.line == line) {
        return Spot::Imports;
    }
    let around = symbols().filter(|s| s.span.start <= offset && offset < s.span.end);
    // The innermost: of two that contain the same place, the shorter.
    let innermost = around.min_by_key(|s| s.span.end - s.span.start);
    match (innermost, ids.first()) {
        (Some(symbol), _) if is_header(&symbol, offset) => Spot::Declares(symbol.id),
        (Some(symbol), _) => Spot::Within(symbol.id),
        (None, Some(&module)) if offset == 0 => Spot::Module(module),
        _ => Spot::Nowhere,
    }
}

/// Servers that do not name the name itself name the beginning of a declaration, or a keyword in the line of the name.
fn is_header(symbol: &SymbolRef, offset: u32) -> bool {
    let (span, name) = (symbol.span, symbol.name_span);
    let before = offset < name.start;
    offset == span.start || (before && name.start - offset <= name.column)
}

/// Whether what is declared inside of a symbol lives there only: no symbol of the graph stands for it.
pub(crate) fn hides_locals(kind: SymbolKind) -> bool {
    kind.is_callable() || matches!(kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
}

/// The innermost symbol around a byte of a file; the file's own outside of all.
pub(crate) fn around(snapshot: &Snapshot, file: FileId, offset: u32) -> Option<SymbolId> {
    let ids = snapshot.file_symbols(file);
    let symbols = ids.iter().skip(1).filter_map(|&id| snapshot.symbol(id));
    let around = symbols.filter(|s| s.span.start <= offset && offset < s.span.end);
    around.min_by_key(|s| s.span.end - s.span.start).map(|s| s.id).or(ids.first().copied())
}
