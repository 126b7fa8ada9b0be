//! `textDocument/codeLens` and `codeLens/resolve`: the numbers above each definition.
//!
//! The positions of lenses come from the document's own text and are known immediately, even during
//! the first index. `codeLens/resolve` adds the titles. Tests have no lens, because nothing calls
//! them.

use super::hover_text;
use super::{RequestContext, is_pending, run_blocking, was_never_indexed};
use crate::config::Config;
use crate::format::wording::{mark_pending, render_counts};
use crate::lsp::linked_entries::LinkedEntries;
use crate::lsp::{from_proto, to_proto};
use crate::session::{FolderState, FolderView, IndexPhase, ServedFolder};
use kenning_graph::facts::SymbolFact;
use kenning_graph::positions::{LineIndex, PositionEncoding, TextPosition};
use kenning_graph::snapshot::identity::symbol_hashes;
use kenning_graph::{FileFacts, Hash, SymbolId};
use kenning_retrieval::features::{BlastCounts, CountedKind, SymbolAt, blast_counts, symbol_at};
use lsp_types::{CodeLens, CodeLensParams, Command, Uri};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tower_lsp::jsonrpc::Result;

/// The data that a lens carries until it is resolved.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LensData {
    /// The URI of the document.
    uri: Uri,
    /// The identity of the symbol, in hex.
    symbol: String,
    /// The version of the document for which the lens was made; `None` if the document is not open.
    version: Option<i32>,
}

/// The text of a document with lenses.
struct LensText {
    content: Arc<str>,
    lines: Arc<LineIndex>,
    facts: Arc<FileFacts>,
    version: Option<i32>,
}

/// Returns the lenses of a document.
pub async fn code_lenses(context: RequestContext, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let Some(document) = context.find_document(&params.text_document.uri) else { return Ok(None) };
    let config = context.session.folder_config(&document.folder);
    if !config.code_lens.enabled {
        return Ok(Some(Vec::new()));
    }
    let view = document.wait_for_text().await;
    mark_unsettled(&document.folder, &view);
    let encoding = context.session.position_encoding();
    let lenses = move || {
        let Some(text) = lens_text(&view.state, &document.path) else { return Vec::new() };
        let linked = if config.knowledge.lens {
            LinkedEntries::read_current(&document.folder, &config, &view.state)
        } else {
            None
        };
        let hashes = symbol_hashes(&document.path, &text.facts);
        let new_lens = |symbol: &SymbolFact, hash: &Hash| {
            let range = to_proto::name_to_range(&text.content, &text.lines, symbol.name_span, encoding);
            let data = LensData { uri: document.uri.clone(), symbol: hash.to_hex(), version: text.version };
            CodeLens { range, command: None, data: serde_json::to_value(data).ok() }
        };
        let mut lenses = Vec::new();
        for (symbol, hash) in text.facts.symbols.iter().zip(hashes.iter().skip(1)) {
            // Notes are rare and wanted on any definition, also on tests and fields.
            if let Some(title) = linked.as_ref().and_then(|linked| linked.lens_title(hash)) {
                let lens = new_lens(symbol, hash);
                lenses.push(CodeLens {
                    command: Some(entries_command(&document.uri, &hash.to_hex(), title)),
                    data: None,
                    ..lens
                });
            }
            if symbol.is_test
                || !config.code_lens.shows_kind(symbol.kind)
                || !meets_minimums(&view, hash, &config)
            {
                continue;
            }
            let mut lens = new_lens(symbol, hash);
            if !context.capabilities.resolves_lenses {
                let title = lens_title(&view, view.state.snapshot.symbol_by_hash(hash));
                lens.command = Some(lens_command(&context, &document.uri, &hash.to_hex(), &lens, title));
            }
            lenses.push(lens);
        }
        lenses
    };
    run_blocking(lenses).await.map(Some)
}

/// Returns the command for a click on the lens of linked entries: the server shows the list.
fn entries_command(uri: &Uri, symbol: &str, title: String) -> Command {
    let argument = json!({ "op": "about", "textDocument": { "uri": uri }, "symbol": symbol, "show": true });
    Command { title, command: "kenning.knowledge".to_owned(), arguments: Some(vec![argument]) }
}

/// Returns the text of a document that can have lenses; `None` if the graph will never have numbers
/// for it.
fn lens_text(state: &FolderState, path: &str) -> Option<LensText> {
    if let Some(open) = state.open_file(path) {
        let left_out = state.indexed_at.is_some() && !open.is_in_graph;
        if left_out || open.desynchronized {
            return None;
        }
        let facts = open.facts.clone().or_else(|| state.file_facts(path).filter(|_| open.is_in_graph))?;
        let (content, lines) = (open.text.clone(), open.lines.clone());
        return Some(LensText { content, lines, facts, version: Some(open.version) });
    }
    let source = state.source_file(path)?;
    Some(LensText {
        content: source.text,
        lines: source.lines,
        facts: state.file_facts(path)?,
        version: None,
    })
}

/// Whether a definition has the minimum numbers of callers, dependents and tests for a lens. Counts
/// only if a minimum is set. A definition whose numbers are not known yet gets a lens.
fn meets_minimums(view: &FolderView, hash: &Hash, config: &Config) -> bool {
    let lens = &config.code_lens;
    let minimum = [lens.minimum_callers, lens.minimum_dependents, lens.minimum_tests];
    if minimum == [0; 3] || was_never_indexed(view) {
        return true;
    }
    let Some(id) = view.state.snapshot.symbol_by_hash(hash) else { return true };
    let BlastCounts { callers, uses, dependents, tests, kind, .. } =
        blast_counts(&view.state.snapshot, &[id]);
    let callers = if kind == CountedKind::Callable { callers } else { uses };
    [callers, dependents, tests]
        .iter()
        .zip(minimum)
        .all(|(count, minimum)| count.capped || count.value as u64 >= u64::from(minimum))
}

/// Records that titles of this view may change without an edit, so that the server later asks the
/// client to refresh them.
fn mark_unsettled(folder: &ServedFolder, view: &FolderView) {
    if is_pending(view) {
        folder.shown_unsettled().store(true, Ordering::SeqCst);
    }
}

/// Returns the title of a symbol's lens.
fn lens_title(view: &FolderView, symbol: Option<SymbolId>) -> String {
    match symbol {
        Some(id) if !was_never_indexed(view) => {
            let counts = blast_counts(&view.state.snapshot, &[id]);
            render_counts(&if is_pending(view) { mark_pending(counts) } else { counts })
        }
        // A symbol that is missing from the graph will be added soon, or its document will request
        // lenses again.
        None if !was_never_indexed(view) => hover_text::describe_phase(&IndexPhase::Indexing).to_owned(),
        _ => hover_text::describe_phase(&view.state.phase).to_owned(),
    }
}

/// Adds the title to a lens. If its symbol no longer exists, looks for the definition at its
/// position. If there is none, the lens still gets a title, because the client will request new
/// lenses soon.
pub async fn resolve_lens(context: RequestContext, mut lens: CodeLens) -> Result<CodeLens> {
    let data: Option<LensData> = lens.data.clone().and_then(|data| serde_json::from_value(data).ok());
    let located = data.and_then(|data| context.find_document(&data.uri).map(|document| (data, document)));
    let Some((data, document)) = located else {
        let title = hover_text::describe_phase(&IndexPhase::Indexing).to_owned();
        lens.command = Some(Command { title, command: String::new(), arguments: None });
        return Ok(lens);
    };
    let view = document.wait_for_view().await;
    mark_unsettled(&document.folder, &view);
    let encoding = context.session.position_encoding();
    run_blocking(move || {
        let same_symbol =
            Hash::from_hex(&data.symbol).and_then(|hash| view.state.snapshot.symbol_by_hash(&hash));
        let start = from_proto::text_position(lens.range.start);
        let symbol =
            same_symbol.or_else(|| definition_named_at(&view.state, &document.path, start, encoding));
        let hash = symbol.and_then(|id| view.state.snapshot.symbol(id)).map(|s| s.hash.to_hex());
        let title = lens_title(&view, symbol);
        let command = lens_command(&context, &data.uri, &hash.unwrap_or(data.symbol), &lens, title);
        lens.command = Some(command);
        lens
    })
    .await
}

/// Returns the definition whose name is at a position.
fn definition_named_at(
    state: &FolderState,
    path: &str,
    position: TextPosition,
    encoding: PositionEncoding,
) -> Option<SymbolId> {
    let source = state.source_file(path)?;
    let offset = u32::try_from(source.lines.offset_at(&source.text, position, encoding)?).ok()?;
    match symbol_at(&state.snapshot, state.snapshot.file_by_path(path)?, offset)? {
        SymbolAt::Name(id) => Some(id),
        SymbolAt::Inside(_) => None,
    }
}

/// Returns the command for a click on a lens: the client's own command if it has one, otherwise one
/// with which the server shows the blast radius.
fn lens_command(
    context: &RequestContext,
    uri: &Uri,
    symbol: &str,
    lens: &CodeLens,
    title: String,
) -> Command {
    if context.capabilities.commands.show_blast_radius {
        let argument = json!({
            "uri": uri, "position": lens.range.start, "range": lens.range, "symbol": symbol, "title": title,
        });
        let command = "kenning.showBlastRadius".to_owned();
        return Command { title, command, arguments: Some(vec![argument]) };
    }
    let argument = json!({ "textDocument": { "uri": uri }, "symbol": symbol, "show": true });
    Command { title, command: "kenning.blastRadius".to_owned(), arguments: Some(vec![argument]) }
}
