//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and
//! `callHierarchy/outgoingCalls`, which are answered only if the configuration enables them.

use super::call_items::call_item;
use super::{RequestContext, RequestDocument, position_lookup, run_blocking};
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::from_proto;
use crate::lsp::reader_actions;
use crate::lsp::to_proto;
use crate::session::FolderState;
use kenning_graph::facts::NameSpan;
use kenning_graph::{Edge, EdgeKind, Hash, SymbolId};
use kenning_indexing::resolve::calls_in_symbol;
use kenning_retrieval::features::{BlastOptions, blast_radius};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
};
use tower_lsp::jsonrpc::Result;

/// Returns the items at a position; `None` if there are none or the call hierarchy is disabled.
pub async fn prepare_call_hierarchy(
    context: RequestContext,
    params: CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>> {
    let position_params = params.text_document_position_params;
    let Some(document) = enabled_document(&context, &position_params.text_document.uri) else {
        return Ok(None);
    };
    let (position, encoding) =
        (from_proto::text_position(position_params.position), context.session.position_encoding());
    let view = document.wait_for_view().await;
    run_blocking(move || {
        let documents = FolderDocuments::new(document.folder.root_path(), &view.state, encoding);
        let resolved = position_lookup::resolve_position(&view.state, &document.path, position, encoding)?;
        reader_actions::note_visited(&context.session, &document.folder, &view.state, &resolved.symbols);
        Some(resolved.symbols.into_iter().filter_map(|id| call_item(&documents, id)).collect())
    })
    .await
}

/// Returns the callers of an item, with the ranges of the calls.
pub async fn incoming_calls(
    context: RequestContext,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let Some(document) = enabled_document(&context, &params.item.uri) else { return Ok(None) };
    let encoding = context.session.position_encoding();
    let view = document.wait_for_view().await;
    run_blocking(move || {
        let documents = FolderDocuments::new(document.folder.root_path(), &view.state, encoding);
        let target = symbol_of_item(&view.state, &params.item)?;
        let blast = blast_radius(&view.state.snapshot, &[target], &BlastOptions::default());
        let call = |caller: &kenning_retrieval::features::DirectCaller| {
            let from_ranges = call_ranges(&documents, caller.symbol, caller.callee, caller.line);
            Some(CallHierarchyIncomingCall { from: call_item(&documents, caller.symbol)?, from_ranges })
        };
        Some(blast.callers.iter().filter_map(call).collect())
    })
    .await
}

/// Returns the symbols that an item calls, with the ranges of the calls.
pub async fn outgoing_calls(
    context: RequestContext,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
    let Some(document) = enabled_document(&context, &params.item.uri) else { return Ok(None) };
    let encoding = context.session.position_encoding();
    let view = document.wait_for_view().await;
    run_blocking(move || {
        let documents = FolderDocuments::new(document.folder.root_path(), &view.state, encoding);
        let caller = symbol_of_item(&view.state, &params.item)?;
        let edges = view.state.snapshot.out_edges(caller);
        let mut calls: Vec<Edge> = edges.into_iter().filter(|e| e.kind == EdgeKind::Calls).collect();
        calls.sort_by_key(|edge| edge.line);
        let call = |edge: Edge| {
            let from_ranges = call_ranges(&documents, caller, edge.target, edge.line);
            Some(CallHierarchyOutgoingCall { to: call_item(&documents, edge.target)?, from_ranges })
        };
        Some(calls.into_iter().filter_map(call).collect())
    })
    .await
}

/// Returns the document at a URI if the call hierarchy is enabled in its folder.
fn enabled_document(context: &RequestContext, uri: &lsp_types::Uri) -> Option<RequestDocument> {
    let document = context.find_document(uri)?;
    context.session.folder_config(&document.folder).call_hierarchy.enabled.then_some(document)
}

/// Returns the symbol that an item represents; `None` if it is no longer in the graph.
fn symbol_of_item(state: &FolderState, item: &CallHierarchyItem) -> Option<SymbolId> {
    let id = item.data.as_ref()?.get("symbol")?.as_str()?;
    state.snapshot.symbol_by_hash(&Hash::from_hex(id)?)
}

/// Returns the ranges in which a caller calls a symbol. Falls back to the line that the graph knows
/// if the text is not available or shows no such call.
fn call_ranges(
    documents: &FolderDocuments,
    caller: SymbolId,
    callee: SymbolId,
    known_line: Option<u32>,
) -> Vec<Range> {
    let state = documents.folder_state();
    let ranges = state.snapshot.symbol(caller).and_then(|caller| {
        let facts = state.file_facts(caller.path)?;
        let sites = calls_in_symbol(&state.snapshot, &state.project, caller.file?, &facts, caller.id);
        let calls = sites.into_iter().filter(|site| site.candidates.iter().any(|c| c.symbol == callee));
        let names: Vec<NameSpan> = calls.map(|site| site.name).collect();
        Some(names.into_iter().map(|name| documents.name_range(caller.path, name)).collect::<Vec<Range>>())
    });
    match ranges {
        Some(ranges) if !ranges.is_empty() => ranges,
        _ => known_line.map(to_proto::line_start).into_iter().collect(),
    }
}
