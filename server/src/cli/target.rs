//! Finds the symbol that the user names: by name, by id, or by a position in a file.

use super::files::workspace_path;
use crate::answer;
use crate::resolve_name::resolve_name_at;
use anyhow::bail;
use kenning_graph::positions::{LineIndex, PositionEncoding, TextPosition};
use kenning_graph::{FileId, Snapshot, SymbolId};
use kenning_indexing::workspace::Workspace;
use kenning_retrieval::features::symbol_at;
use std::path::Path;

/// Returns the symbols that `target` may refer to, the likeliest first. The list is never empty.
///
/// # Errors
/// Returns an error if no symbol has that name or if the position is outside of all definitions.
pub fn find_targets(
    workspace: &Workspace,
    snapshot: &Snapshot,
    target: &str,
) -> anyhow::Result<Vec<SymbolId>> {
    let Some(position) = TargetPosition::parse_position(target) else {
        return Ok(vec![answer::find_symbol(snapshot, target)?]);
    };
    let path = workspace_path(workspace.root_path(), Path::new(position.file))?;
    let Some(file) = snapshot.file_by_path(&path) else {
        bail!("{path} is not in the index; pass a position in a source file of the workspace");
    };
    let symbols = match position.column {
        Some(column) => symbols_at_position(
            workspace,
            snapshot,
            file,
            TextPosition { line: position.line - 1, character: column - 1 },
        ),
        None => symbol_on_line(snapshot, file, position.line - 1).map(|symbol| vec![symbol]),
    };
    match symbols {
        Some(symbols) => Ok(symbols),
        None => bail!("no symbol found at line {} of {path}; pass a line inside a definition", position.line),
    }
}

/// A position as `FILE:LINE` or `FILE:LINE:COLUMN`; line and column start at 1.
#[derive(Debug, PartialEq, Eq)]
struct TargetPosition<'a> {
    file: &'a str,
    line: u32,
    column: Option<u32>,
}

impl<'a> TargetPosition<'a> {
    fn parse_position(text: &'a str) -> Option<Self> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|&n| n > 0);
        let (head, last) = text.rsplit_once(':')?;
        let last = number(last)?;
        let with_column = head.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?)));
        let (file, line, column) = match with_column {
            Some((file, line)) => (file, line, Some(last)),
            None => (head, last, None),
        };
        (!file.is_empty()).then_some(Self { file, line, column })
    }
}

/// Returns the symbols that the name at a position declares or refers to, else the definition that
/// encloses the position. The column counts characters.
fn symbols_at_position(
    workspace: &Workspace,
    snapshot: &Snapshot,
    file: FileId,
    position: TextPosition,
) -> Option<Vec<SymbolId>> {
    let entry = snapshot.file(file)?;
    let provider = workspace.text_source();
    let text = provider.file_text(entry.path, &entry.content_hash)?;
    let offset = LineIndex::new(&text).offset_at(&text, position, PositionEncoding::Utf32)?;
    let offset = u32::try_from(offset).ok()?;
    let stored = || provider.file_facts(entry.path, entry.language, &entry.content_hash);
    let facts = || snapshot.file_facts(file).or_else(stored);
    match resolve_name_at(snapshot, &workspace.current_project(), file, offset, &text, facts) {
        Some(resolved) => Some(resolved.symbols),
        None => Some(vec![symbol_at(snapshot, file, offset)?.symbol_id()]),
    }
}

/// Returns the symbol that a line declares, else the innermost definition that contains it. Lines
/// start at 0.
fn symbol_on_line(snapshot: &Snapshot, file: FileId, line: u32) -> Option<SymbolId> {
    let symbols = snapshot.file_symbols(file).into_iter().skip(1).filter_map(|id| snapshot.symbol(id));
    let enclosing = symbols.filter(|s| (s.span.start_line..=s.span.end_line).contains(&line));
    enclosing
        .min_by_key(|s| (s.name_span.line != line, s.span.end_line - s.span.start_line, s.name_span.start))
        .map(|s| s.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_distinguished_from_names() {
        let position = |text| TargetPosition::parse_position(text).map(|p| (p.file, p.line, p.column));
        assert_eq!(position("src/a.py:12"), Some(("src/a.py", 12, None)));
        assert_eq!(position("src/a.py:12:5"), Some(("src/a.py", 12, Some(5))));
        assert_eq!(position("C:\\a.py:12"), Some(("C:\\a.py", 12, None)));
        assert_eq!(position("a b.py:1"), Some(("a b.py", 1, None)));
        for name in ["Cart.add", "src/a.py::Cart.add", "a.py:0", "a.py:x", ":3", "12", "a.py:"] {
            assert_eq!(position(name), None, "{name}");
        }
    }
}
