//! Finds the symbol at a byte offset of a file.

use kenning_graph::{FileId, Snapshot, SymbolId};

/// The symbol at a byte offset, and whether the offset is on its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolAt {
    /// The name of a definition.
    Name(SymbolId),
    /// The innermost definition around the byte.
    Inside(SymbolId),
}

impl SymbolAt {
    /// Returns the definition.
    pub fn symbol_id(self) -> SymbolId {
        match self {
            Self::Name(id) | Self::Inside(id) => id,
        }
    }
}

/// Returns the definition whose name contains the byte or ends at it, else the innermost definition
/// around it. Returns `None` outside all definitions, and in documents, because nothing calls a
/// section.
pub fn symbol_at(snapshot: &Snapshot, file: FileId, offset: u32) -> Option<SymbolAt> {
    if snapshot.is_document(file) {
        return None;
    }
    let mut name: Option<(u32, SymbolId)> = None;
    let mut inside: Option<(u32, SymbolId)> = None;
    // The first symbol of a file is the file itself.
    for id in snapshot.file_symbols(file).into_iter().skip(1) {
        let Some(symbol) = snapshot.symbol(id) else { continue };
        let name_span = symbol.name_span;
        // A cursor after the end of a name counts as on it, unless the next name begins there.
        if (name_span.start..=name_span.start + name_span.len).contains(&offset)
            && name.is_none_or(|(start, _)| name_span.start > start)
        {
            name = Some((name_span.start, id));
        }
        let length = symbol.span.end.saturating_sub(symbol.span.start);
        let encloses = (symbol.span.start..symbol.span.end).contains(&offset);
        if encloses && inside.is_none_or(|(shortest, _)| length <= shortest) {
            inside = Some((length, id));
        }
    }
    name.map(|(_, id)| SymbolAt::Name(id)).or(inside.map(|(_, id)| SymbolAt::Inside(id)))
}
