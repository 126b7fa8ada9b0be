//! Builds the views of symbols that are not in the base.

use super::overlay::FileContent;
use super::types::{FileId, SymbolId, SymbolRef, SymbolTexts};
use crate::derived::DerivedReason;
use crate::facts::{NameSpan, Span};
use crate::hash::Hash;
use crate::paths::file_name;
use crate::vocabulary::{SymbolKind, Visibility};

/// Returns a view with this id and without any text.
pub(super) fn blank_symbol<'a>(id: SymbolId) -> SymbolRef<'a> {
    SymbolRef {
        id,
        hash: Hash::default(),
        file: None,
        path: "",
        language: "",
        parent: None,
        name: "",
        container: "",
        kind: SymbolKind::External,
        span: Span::default(),
        name_span: NameSpan::default(),
        arity: None,
        visibility: Visibility::Public,
        is_test: false,
        derived: None,
        body_hash: 0,
        texts: SymbolTexts::None,
    }
}

/// Returns the view of a symbol of a changed file, by its index in the file; 0 is the file itself.
pub(super) fn overlay_symbol(
    content: &FileContent,
    (file, derived): (FileId, Option<DerivedReason>),
    index: u32,
    id: SymbolId,
) -> SymbolRef<'_> {
    let blank = SymbolRef {
        derived,
        hash: content.hashes.get(index as usize).copied().unwrap_or_default(),
        file: Some(file),
        path: &content.path,
        language: &content.facts.language,
        ..blank_symbol(id)
    };
    let Some(i) = (index as usize).checked_sub(1) else {
        return SymbolRef {
            kind: SymbolKind::File,
            name: file_name(&content.path),
            span: Span { end_line: content.facts.lines.saturating_sub(1), ..Span::default() },
            ..blank
        };
    };
    let Some(fact) = content.facts.symbols.get(i) else { return blank };
    SymbolRef {
        parent: fact.parent.and_then(|p| content.ids.get(p as usize + 1).copied()),
        name: &fact.name,
        container: &fact.container,
        kind: fact.kind,
        span: fact.span,
        name_span: fact.name_span,
        arity: fact.arity,
        visibility: fact.visibility,
        is_test: fact.is_test,
        body_hash: fact.body_hash,
        texts: SymbolTexts::Fact(fact, content.bases.get(i).map_or("", |bases| bases)),
        ..blank
    }
}
