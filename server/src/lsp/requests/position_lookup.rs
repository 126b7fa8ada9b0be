//! Resolves a position in a document to a name or to the definition around it.

use crate::resolve_name::{self, ResolvedName};
use crate::session::FolderState;
use kenning_graph::facts::NameSpan;
use kenning_graph::positions::{PositionEncoding, TextPosition};
use kenning_graph::{FileFacts, FileId, SymbolId};
use kenning_retrieval::features::{SymbolAt, symbol_at};
use std::ops::Range;

/// Resolves the name at a position in a file of the graph; `None` if no name of a symbol is there,
/// or if the document's text is not the one in the graph. May read files, so call it from a
/// blocking thread.
pub fn resolve_position(
    state: &FolderState,
    path: &str,
    position: TextPosition,
    encoding: PositionEncoding,
) -> Option<ResolvedName> {
    let (file, offset) = locate_offset(state, path, position, encoding)?;
    let source = state.source_file(path)?;
    resolve_name::resolve_name_at(&state.snapshot, &state.project, file, offset, &source.text, || {
        state.file_facts(path)
    })
}

/// Returns the definition around a position in a file of the graph, for positions where
/// [`resolve_position`] finds no name.
pub fn enclosing_definition(
    state: &FolderState,
    path: &str,
    position: TextPosition,
    encoding: PositionEncoding,
) -> Option<SymbolId> {
    let (file, offset) = locate_offset(state, path, position, encoding)?;
    symbol_at(&state.snapshot, file, offset).map(SymbolAt::symbol_id)
}

/// Returns the file of the graph and the byte offset of a position in it.
fn locate_offset(
    state: &FolderState,
    path: &str,
    position: TextPosition,
    encoding: PositionEncoding,
) -> Option<(FileId, u32)> {
    // The text of this document is not in the graph, so its positions do not fit the graph's text.
    if state.open_file(path).is_some_and(|open| !open.is_in_graph) {
        return None;
    }
    let file = state.snapshot.file_by_path(path)?;
    let source = state.source_file(path)?;
    let offset = source.lines.offset_at(&source.text, position, encoding)?;
    Some((file, u32::try_from(offset).ok()?))
}

/// Returns the byte range of the word of letters, digits and underscores around an offset of a
/// text; `None` between words.
pub fn word_range(text: &str, offset: usize) -> Option<Range<usize>> {
    let (before, after) = text.split_at_checked(offset)?;
    let is_word_char = |c: &char| c.is_alphanumeric() || *c == '_';
    let length = |chars: &mut dyn Iterator<Item = char>| -> usize {
        chars.take_while(is_word_char).map(char::len_utf8).sum()
    };
    let (head, tail) = (length(&mut before.chars().rev()), length(&mut after.chars()));
    (head + tail > 0).then_some(offset - head..offset + tail)
}

/// Returns the definition in an open document whose name is at a byte offset, as an index into its
/// facts. This serves documents that are not in the graph yet.
pub fn find_declaration_at(facts: &FileFacts, offset: u32) -> Option<usize> {
    let contains_offset = |name: &NameSpan| (name.start..=name.start + name.len).contains(&offset);
    facts.symbols.iter().position(|symbol| contains_offset(&symbol.name_span))
}
