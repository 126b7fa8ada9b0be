//! Maps a position in a file to the symbol that is declared there.

use super::requests::LspPosition;
use crate::line_index::LineIndexedText;
use kenning_graph::positions::PositionEncoding;
use kenning_graph::snapshot::{FileId, Snapshot, SymbolId, SymbolRef};
use kenning_graph::verdicts::ReferenceSite;
use kenning_graph::vocabulary::SymbolKind;

/// The symbol or reference at a position of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PositionTarget {
    /// The name of a symbol, or the start of its declaration.
    Declares(SymbolId),
    /// An import; the target is declared elsewhere.
    Imports,
    /// The start of a file, which is the module itself.
    Module(SymbolId),
    /// The inside of this symbol, where no other symbol is declared.
    Within(SymbolId),
    /// No symbol or import: the position is outside the text or outside every symbol.
    Nowhere,
}

/// Returns the symbol or import at a position of a file. `text` must be the text that the snapshot
/// was built from.
pub(crate) fn classify_position(
    snapshot: &Snapshot,
    file: FileId,
    text: &LineIndexedText,
    position: LspPosition,
    encoding: PositionEncoding,
) -> PositionTarget {
    let LspPosition { line, character } = position;
    let line_text = text.line_text(line);
    let column = encoding.byte_at_column(line_text, character);
    // A column past the end of its line is not a position of this text.
    let Some(offset) =
        text.byte_offset(line, column).filter(|_| encoding.column_at_byte(line_text, column) == character)
    else {
        return PositionTarget::Nowhere;
    };
    let ids = snapshot.file_symbols(file);
    let symbols = || ids.iter().skip(1).filter_map(|&id| snapshot.symbol(id));
    let names_at_offset = symbols().filter(|s| {
        let name = s.name_span;
        name.line == line && (name.start..=name.start + name.len).contains(&offset)
    });
    // Two names can touch only where one ends and the other starts. Prefer the second name.
    if let Some(symbol) = names_at_offset.max_by_key(|s| s.name_span.start) {
        return PositionTarget::Declares(symbol.id);
    }
    if snapshot.file_imports(file).iter().any(|import| import.at.line == line) {
        return PositionTarget::Imports;
    }
    let enclosing = symbols().filter(|s| s.span.start <= offset && offset < s.span.end);
    // Of several symbols around a position, the shortest is the innermost.
    let innermost = enclosing.min_by_key(|s| s.span.end - s.span.start);
    match (innermost, ids.first()) {
        (Some(symbol), _) if is_in_header(&symbol, offset) || is_value_start(&symbol, text, offset) => {
            PositionTarget::Declares(symbol.id)
        }
        (Some(symbol), _) => PositionTarget::Within(symbol.id),
        (None, Some(&module)) if offset == 0 => PositionTarget::Module(module),
        _ => PositionTarget::Nowhere,
    }
}

/// Whether an offset is at the start of a declaration, or before the name on the name's line.
/// Some servers return such an offset instead of the name.
fn is_in_header(symbol: &SymbolRef, offset: u32) -> bool {
    let (span, name) = (symbol.span, symbol.name_span);
    let is_before_name = offset < name.start;
    offset == span.start || (is_before_name && name.start - offset <= name.column)
}

/// Whether an offset is at the start of the value of a field or variable, as in `run = (a) => ...`.
/// Some servers return the function in such a value.
fn is_value_start(symbol: &SymbolRef, text: &LineIndexedText, offset: u32) -> bool {
    let name = symbol.name_span;
    let between = text.text.get((name.start + name.len) as usize..offset as usize).unwrap_or("");
    let between = between.trim_end();
    let between = between.strip_suffix("async").map_or(between, str::trim_end);
    // If a bracket before the offset is still open, the offset is inside the value.
    let depth = between.chars().fold(0_i32, |depth, c| match c {
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    });
    let is_assignment = between.trim_start().starts_with(':') || !between.contains("=>");
    between.ends_with('=') && depth == 0 && is_assignment && !between.contains(';')
}

/// Returns the declaration that represents all overloads of a symbol that share one body: the
/// declaration that the text resolved to, or else the last.
pub(crate) fn overload_with_body(snapshot: &Snapshot, site: &ReferenceSite, id: SymbolId) -> SymbolId {
    let Some(symbol) = snapshot.symbol(id).filter(|symbol| symbol.kind.is_callable()) else { return id };
    let Some(file) = symbol.file else { return id };
    let declared =
        snapshot.symbols_named_in_file(file, symbol.name).into_iter().filter_map(|id| snapshot.symbol(id));
    let overloads = declared.filter(|s| s.kind.is_callable() && s.container == symbol.container);
    overloads.max_by_key(|s| (site.is_guessed(&s.hash), s.span.start)).map_or(id, |symbol| symbol.id)
}

/// Whether declarations inside a symbol of this kind are local, so that the graph has no symbols
/// for them.
pub(crate) fn hides_locals(kind: SymbolKind) -> bool {
    kind.is_callable() || matches!(kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
}

/// Returns the innermost symbol around a byte of a file. If no other symbol is around it, that is
/// the symbol of the file.
pub(crate) fn innermost_symbol(snapshot: &Snapshot, file: FileId, offset: u32) -> Option<SymbolId> {
    let ids = snapshot.file_symbols(file);
    let symbols = ids.iter().skip(1).filter_map(|&id| snapshot.symbol(id));
    let enclosing = symbols.filter(|s| s.span.start <= offset && offset < s.span.end);
    enclosing.min_by_key(|s| s.span.end - s.span.start).map(|s| s.id).or(ids.first().copied())
}

#[cfg(test)]
mod tests {
    use super::overload_with_body;
    use crate::tests::toy_workspace::ToyWorkspace;
    use crate::workspace::WorkspaceSource;

    #[test]
    fn one_declaration_represents_all_overloads() {
        let files = [("a.go", "def thing\ndef thing\n  x\n"), ("use.go", "def main\n  call thing\n")];
        let toy = ToyWorkspace::new(&files);
        let snapshot = toy.current_snapshot();
        let mut site = toy.reference_sites(&snapshot, "use.go").remove(0);
        let mut overloads = snapshot.symbols_by_name("thing");
        overloads.sort_by_key(|&id| snapshot.symbol(id).map(|symbol| symbol.span.start));
        let [first, last] = overloads[..] else { panic!("two declarations") };
        site.guesses.clear();
        assert_eq!([first, last].map(|id| overload_with_body(&snapshot, &site, id)), [last, last]);
        let mut guess = toy.reference_sites(&snapshot, "use.go").remove(0).guesses.remove(0);
        guess.target = snapshot.symbol(first).unwrap().hash;
        site.guesses.push(guess);
        assert_eq!([first, last].map(|id| overload_with_body(&snapshot, &site, id)), [first, first]);
    }
}
