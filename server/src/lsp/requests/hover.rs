//! `textDocument/hover`: the blast radius of the symbol under the pointer.

use super::words::{self, Markup};
use super::{Ask, is_pending, is_unknown, off_reactor, site};
use crate::lsp::{from_proto, to_proto};
use crate::session::View;
use crate::session::lines::{Encoding, Position};
use kenning_graph::SymbolId;
use kenning_graph::facts::NameSpan;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use std::ops::Range;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// The hover; none for whatever is no name of a symbol.
pub async fn hover(ask: Ask, params: HoverParams) -> Result<Option<Hover>> {
    let place = params.text_document_position_params;
    let Some(document) = ask.document(&place.text_document.uri) else { return Ok(None) };
    if !ask.session.config_of(&document.folder).hover.enabled {
        return Ok(None);
    }
    let view = document.view().await;
    let markup = if ask.can.markdown_hover { Markup::Markdown } else { Markup::Plain };
    let (position, encoding) = (from_proto::position(place.position), ask.session.encoding());
    let folder = Arc::clone(&document.folder);
    off_reactor(move || {
        let wish =
            |symbols: &[SymbolId]| folder.servers().wish(&view.state.snapshot, symbols.iter().copied());
        answer(&view, &document.path, position, encoding, markup, wish)
    })
    .await
}

/// The hover; what is meant is told to `wish`.
fn answer(
    view: &View,
    path: &str,
    position: Position,
    encoding: Encoding,
    markup: Markup,
    wish: impl FnOnce(&[SymbolId]),
) -> Option<Hover> {
    let state = &view.state;
    let (text, name, source) = if is_unknown(view) {
        // Before the first index is there, an open document's own text says what is declared in it.
        let open = state.open_file(path)?;
        let facts = open.facts.as_ref()?;
        let offset = u32::try_from(open.lines.offset(&open.text, position, encoding)?).ok()?;
        let name = span(facts.symbols[site::declared(facts, offset)?].name_span);
        (words::hover_of_unknown(&state.phase, markup), name, (open.text.clone(), open.lines.clone()))
    } else if let Some(open) = state.open_file(path).filter(|open| open.too_large) {
        let name = site::word_range(&open.text, open.lines.offset(&open.text, position, encoding)?)?;
        (words::hover_of_large(markup), name, (open.text.clone(), open.lines.clone()))
    } else {
        let meant = site::meant(state, path, position, encoding)?;
        wish(&meant.symbols);
        let (freshness, pending) = (&view.freshness, is_pending(view));
        let text = words::hover(&state.snapshot, &meant.symbols, meant.is_use, freshness, pending, markup);
        let source = state.source(path)?;
        (text, span(meant.name), (source.text, source.lines))
    };
    let kind = match markup {
        Markup::Markdown => MarkupKind::Markdown,
        Markup::Plain => MarkupKind::PlainText,
    };
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind, value: text }),
        range: Some(to_proto::byte_range(&source.0, &source.1, name, encoding)),
    })
}

fn span(name: NameSpan) -> Range<usize> {
    name.start as usize..(name.start + name.len) as usize
}
