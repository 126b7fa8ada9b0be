//! `textDocument/hover`: shows the blast radius of the symbol under the pointer.

use super::hover_documents::render_documents;
use super::hover_text::{self, BlastHover, HoverMarkup};
use super::{RequestContext, is_pending, position_lookup, run_blocking, was_never_indexed};
use crate::lsp::linked_entries::LinkedEntries;
use crate::lsp::{from_proto, reader_actions, to_proto};
use crate::session::FolderView;
use kenning_graph::facts::NameSpan;
use kenning_graph::positions::{PositionEncoding, TextPosition};
use kenning_graph::{Hash, SymbolId};
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use std::ops::Range;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// Returns the hover at a position; `None` if there is no name of a symbol or hovers are disabled.
pub async fn hover_at(context: RequestContext, params: HoverParams) -> Result<Option<Hover>> {
    let position_params = params.text_document_position_params;
    let Some(document) = context.find_document(&position_params.text_document.uri) else { return Ok(None) };
    let config = context.session.folder_config(&document.folder);
    if !config.hover.enabled {
        return Ok(None);
    }
    let view = document.wait_for_view().await;
    let markup = if context.capabilities.markdown_hover { HoverMarkup::Markdown } else { HoverMarkup::Plain };
    let (position, encoding) =
        (from_proto::text_position(position_params.position), context.session.position_encoding());
    let folder = Arc::clone(&document.folder);
    run_blocking(move || {
        let prioritize = |symbols: &[SymbolId]| {
            folder.language_servers().prioritize_symbols(&view.state.snapshot, symbols.iter().copied());
            reader_actions::note_visited(&context.session, &folder, &view.state, symbols);
        };
        let linked_lines = |symbols: &[SymbolId]| {
            let entries = LinkedEntries::read_current(&folder, &config, &view.state);
            let symbols = symbols.iter().filter_map(|&id| view.state.snapshot.symbol(id));
            let symbols: Vec<Hash> = symbols.map(|symbol| symbol.hash).collect();
            entries.map_or_else(Vec::new, |e| e.hover_lines(&symbols, markup))
        };
        let document_line = |symbols: &[SymbolId]| {
            render_documents(&view.state.snapshot, folder.root_path(), symbols, markup)
        };
        let hooks = HoverHooks { prioritize, linked_lines, document_line };
        build_hover(&view, &document.path, position, encoding, markup, hooks)
    })
    .await
}

/// The callbacks of a hover for the symbols at its position.
struct HoverHooks<P, L, D> {
    /// Makes language servers check the symbols first.
    prioritize: P,
    /// Returns the lines about notes, tasks and skills that are linked to the symbols.
    linked_lines: L,
    /// Returns the line about the documents that explain the symbols.
    document_line: D,
}

/// Builds the hover at a position.
fn build_hover(
    view: &FolderView,
    path: &str,
    position: TextPosition,
    encoding: PositionEncoding,
    markup: HoverMarkup,
    hooks: HoverHooks<
        impl FnOnce(&[SymbolId]),
        impl FnOnce(&[SymbolId]) -> Vec<String>,
        impl FnOnce(&[SymbolId]) -> Option<String>,
    >,
) -> Option<Hover> {
    let state = &view.state;
    let (text, name, source) = if was_never_indexed(view) {
        // Before the first index exists, the text of an open document shows which definitions it
        // declares.
        let open = state.open_file(path)?;
        let facts = open.facts.as_ref()?;
        let offset = u32::try_from(open.lines.offset_at(&open.text, position, encoding)?).ok()?;
        let name = name_bytes(facts.symbols[position_lookup::find_declaration_at(facts, offset)?].name_span);
        (hover_text::render_not_indexed(&state.phase, markup), name, (open.text.clone(), open.lines.clone()))
    } else if let Some(open) = state.open_file(path).filter(|open| open.too_large) {
        let name =
            position_lookup::word_range(&open.text, open.lines.offset_at(&open.text, position, encoding)?)?;
        (hover_text::render_too_large(markup), name, (open.text.clone(), open.lines.clone()))
    } else {
        let resolved = position_lookup::resolve_position(state, path, position, encoding)?;
        (hooks.prioritize)(&resolved.symbols);
        let hover = BlastHover {
            snapshot: &state.snapshot,
            symbols: &resolved.symbols,
            has_name_in_title: resolved.is_use,
            freshness: &view.freshness,
            is_pending: is_pending(view),
            markup,
        };
        let mut text = hover.render();
        let linked = (hooks.linked_lines)(&resolved.symbols);
        if let Some(documents) = (hooks.document_line)(&resolved.symbols) {
            text = format!("{text}\n\n{documents}");
        }
        if !linked.is_empty() {
            text = format!("{text}\n\n{}", markup.join_lines(&linked));
        }
        let source = state.source_file(path)?;
        (text, name_bytes(resolved.name), (source.text, source.lines))
    };
    let kind = match markup {
        HoverMarkup::Markdown => MarkupKind::Markdown,
        HoverMarkup::Plain => MarkupKind::PlainText,
    };
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind, value: text }),
        range: Some(to_proto::byte_range(&source.0, &source.1, name, encoding)),
    })
}

fn name_bytes(name: NameSpan) -> Range<usize> {
    name.start as usize..(name.start + name.len) as usize
}
