//! `kenning.search`: searches the symbols and files that a question is about.

use super::{
    CommandCall, LspCommand, RunningCommand, TextDocument, ensure_usable, folder_for_document,
    request_sequence, run_blocking, to_json_value,
};
use crate::format::OutputFormat;
use crate::format::json as data;
use crate::format::search::SearchJson;
use crate::format::search_lines::render_hits;
use crate::freshness::Freshness;
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::folder_search::search_folder;
use crate::lsp::to_proto;
use crate::ranking_choice::choose_ranking;
use crate::terminal::Screen;
use crate::workspace_search::{SearchModeName, SearchQuestion, SearchScopeName, check_question};
use kenning_retrieval::search::LimitOverrides;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// Searches symbols and files, by words, names and places.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchArguments {
    /// The query: words, a name, or the name of a file.
    query: String,
    /// The kind of items to search. Defaults to `all`.
    scope: Option<SearchScopeName>,
    /// The ranking mode. Defaults to `hybrid`.
    mode: Option<SearchModeName>,
    /// Maximum number of results. Defaults to 5, and to 10 for the scopes `files` and `all`.
    max_results: Option<usize>,
    /// Minimum score of a result, from 0 to 1. Defaults to 0.5, and to 0.3 for files.
    min_score: Option<f64>,
    /// The number of best symbols from which to follow edges of the graph. Defaults to
    /// `maxResults`, or to 5 without it.
    top_k: Option<usize>,
    /// The number of edges to follow from each of these symbols, at most 6. Defaults to 1.
    bfs_depth: Option<u32>,
    /// Factor of the score for every edge, from 0 to 1. Defaults to 0.95 for members, 0.85 for
    /// inheritance, and 0.7 for imports and calls.
    bfs_decay: Option<f64>,
    /// The constant k of reciprocal rank fusion. Defaults to 60.
    rrf_k: Option<f64>,
    /// Adds the answer in this format, as `text`; `markdown` adds the lines that the command line
    /// prints.
    format: Option<OutputFormat>,
    /// A document that selects the folder if several folders are open. Defaults to the first
    /// folder.
    text_document: Option<TextDocument>,
}

/// The command `kenning.search`; see [`SearchArguments`].
pub struct SearchFolder;

impl LspCommand for SearchFolder {
    const NAME: &'static str = "kenning.search";
    type Arguments = SearchArguments;
    type Result = SearchJson<'static>;

    async fn run_command(call: CommandCall, arguments: SearchArguments) -> Result<Value> {
        let mut question = SearchQuestion {
            query: arguments.query,
            scope: arguments.scope.unwrap_or_default(),
            mode: arguments.mode.unwrap_or_default().mode(),
            overrides: LimitOverrides {
                top_k: arguments.top_k,
                bfs_depth: arguments.bfs_depth,
                max_results: arguments.max_results,
                min_score: arguments.min_score,
                bfs_decay: arguments.bfs_decay,
                rrf_k: arguments.rrf_k,
            },
            config: Arc::default(),
        };
        check_question(&question).map_err(|error| to_proto::question_error(&error))?;
        let folder = folder_for_document(&call.session, arguments.text_document.as_ref())?;
        let arrival = request_sequence(&call.session, &folder);
        let running = RunningCommand::begin_with_progress(&call, "Kenning: searching");
        let cancel = running.cancel_token();
        let view = ensure_usable(&folder, folder.wait_for_view(arrival).await)?;
        let encoding = call.session.position_encoding();
        let config = call.session.folder_config(&folder);
        question.config = Arc::new(choose_ranking(None, &config));
        let value = run_blocking(move || {
            let found = search_folder(&folder, &view.state, &config, &question, &cancel)?;
            let documents = FolderDocuments::new(folder.root_path(), &view.state, encoding);
            let snapshot = &view.state.snapshot;
            let freshness = Freshness {
                vectors_pending: found.vectors_pending,
                history_pending: view.freshness.history_pending && question.uses_history(),
                ..view.freshness
            };
            let mut answer = SearchJson::new(&question.query, &found, snapshot, &freshness, &documents);
            answer.text = match arguments.format {
                None => None,
                Some(OutputFormat::Markdown) => Some(render_hits(&answer, &Screen::plain())),
                Some(OutputFormat::Json) => Some(
                    data::render_json(&answer)
                        .map_err(|error| to_proto::internal_error(error.to_string()))?,
                ),
            };
            to_json_value(&answer)
        })
        .await;
        running.finish_progress().await;
        value
    }
}
