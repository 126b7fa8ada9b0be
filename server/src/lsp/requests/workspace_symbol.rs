//! `workspace/symbol`: finds symbols by name for a query of one word, and by task for a longer one.

use super::{RequestContext, run_blocking};
use crate::cancel::CancelToken;
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::folder_search::search_folder;
use crate::lsp::to_proto;
use crate::ranking_choice::choose_ranking;
use crate::session::{FolderState, ServedFolder};
use crate::workspace_search::{SearchQuestion, SearchScopeName};
use kenning_graph::SymbolId;
use kenning_retrieval::search::{LimitOverrides, SearchMode, SearchTarget, find_names};
use lsp_types::{Location, SymbolInformation, WorkspaceSymbolParams, WorkspaceSymbolResponse};
use std::sync::Arc;
use std::time::Instant;
use tower_lsp::jsonrpc::Result;

/// Maximum number of symbols by name. A query of one letter fits most symbols.
const MAX_NAMES: usize = 200;

/// Maximum number of symbols for a task. Editors show them in this order only if they do not sort
/// themselves.
const MAX_RANKED: usize = 50;

/// Returns the symbols of all folders that fit the query: by name if it is one word, else the
/// ranked list of the task that it describes.
pub async fn workspace_symbols(
    context: RequestContext,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>> {
    let query = params.query.trim().to_owned();
    let (session, encoding) = (context.session.clone(), context.session.position_encoding());
    let arrivals: Vec<_> = session
        .served_folders()
        .into_iter()
        .map(|folder| {
            let arrival = folder.sequence_for_request(Instant::now(), session.is_client_watching());
            (folder, arrival)
        })
        .collect();
    let mut found: Vec<SymbolInformation> = Vec::new();
    for (folder, arrival) in arrivals {
        if query.is_empty() {
            break;
        }
        let view = folder.wait_for_view(arrival).await;
        let config = session.folder_config(&folder);
        let query = query.clone();
        let items = run_blocking(move || {
            let question = SearchQuestion {
                query,
                scope: SearchScopeName::Code,
                mode: SearchMode::Hybrid,
                overrides: LimitOverrides {
                    top_k: Some(MAX_RANKED),
                    max_results: Some(MAX_RANKED),
                    bfs_depth: Some(0),
                    min_score: None,
                    bfs_decay: None,
                    rrf_k: None,
                },
                config: Arc::new(choose_ranking(None, &config)),
            };
            let symbols = if question.query.contains(char::is_whitespace) {
                let answer =
                    search_folder(&folder, &view.state, &config, &question, &CancelToken::default())?;
                let targets = answer.answer.hits.into_iter().map(|hit| hit.target);
                targets.filter_map(symbol_of_target).collect()
            } else {
                find_names(&view.state.snapshot, &question.query, MAX_NAMES)
            };
            Ok(describe_symbols(&folder, &view.state, encoding, symbols))
        })
        .await??;
        found.extend(items);
    }
    Ok(Some(WorkspaceSymbolResponse::Flat(found)))
}

fn symbol_of_target(target: SearchTarget) -> Option<SymbolId> {
    match target {
        SearchTarget::Symbol(symbol) => Some(symbol),
        SearchTarget::File(_) | SearchTarget::OtherFile(_) => None,
    }
}

fn describe_symbols(
    folder: &ServedFolder,
    state: &FolderState,
    encoding: kenning_graph::positions::PositionEncoding,
    symbols: Vec<SymbolId>,
) -> Vec<SymbolInformation> {
    let documents = FolderDocuments::new(folder.root_path(), state, encoding);
    let describe = |id: SymbolId| {
        let symbol = state.snapshot.symbol(id)?;
        let range = documents.name_range(symbol.path, symbol.name_span);
        let uri = documents.file_uri(symbol.path)?;
        let container = if symbol.container.is_empty() { symbol.path } else { symbol.container };
        #[expect(deprecated, reason = "the protocol's type has no constructor without the old field")]
        Some(SymbolInformation {
            name: symbol.name.to_owned(),
            kind: to_proto::symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: Location { uri, range },
            container_name: Some(container.to_owned()),
        })
    };
    symbols.into_iter().filter_map(describe).collect()
}
