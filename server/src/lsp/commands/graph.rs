//! `kenning.graph`: the neighborhood of a symbol, as data or as a diagram.

use super::target::{CommandTarget, check_depth};
use super::{
    CommandCall, LspCommand, Position, RunningCommand, TextDocument, ensure_usable, request_sequence,
    run_blocking, to_json_value,
};
use crate::format::graph::{DEFAULT_DEPTH, DEFAULT_NODES, GraphFormat, GraphJson, MAX_NODES};
use crate::freshness::Freshness;
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::to_proto;
use kenning_retrieval::features::{MAX_HOPS, build_neighborhood};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use tower_lsp::jsonrpc::{Error, Result};

/// Returns the symbols around a symbol, in both directions, and the edges between them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphArguments {
    /// The symbol: `Class.method`, `path::Class.method`, a simple name, an id, or the path of a
    /// file.
    symbol: Option<String>,
    /// The document of `position`. With `symbol`, a document that selects the folder.
    text_document: Option<TextDocument>,
    /// A position in the document.
    position: Option<Position>,
    /// The number of hops, from 1 to 6. Defaults to 2.
    depth: Option<u8>,
    /// Maximum number of nodes, from 1 to 1000. Defaults to 60.
    limit: Option<NonZeroUsize>,
    /// Adds the answer in this format, as `text`.
    format: Option<GraphFormat>,
}

/// The command `kenning.graph`; see [`GraphArguments`].
pub struct GetGraph;

impl LspCommand for GetGraph {
    const NAME: &'static str = "kenning.graph";
    type Arguments = GraphArguments;
    type Result = GraphJson<'static>;

    async fn run_command(call: CommandCall, arguments: GraphArguments) -> Result<Value> {
        let depth = check_depth(arguments.depth, DEFAULT_DEPTH, MAX_HOPS)?;
        let limit = arguments.limit.map_or(DEFAULT_NODES, NonZeroUsize::get);
        if limit > MAX_NODES {
            return Err(Error::invalid_params(format!("limit: must be from 1 to {MAX_NODES}, not {limit}")));
        }
        let document = arguments.text_document.as_ref();
        let (folder, target) =
            CommandTarget::new(&call.session, arguments.symbol, document, arguments.position)?;
        let arrival = request_sequence(&call.session, &folder);
        let running = RunningCommand::begin_with_progress(&call, "Kenning: graph around a symbol");
        let view = ensure_usable(&folder, folder.wait_for_view(arrival).await)?;
        let encoding = call.session.position_encoding();
        let value = run_blocking(move || {
            let state = &view.state;
            let documents = FolderDocuments::new(folder.root_path(), state, encoding);
            let target = target.find_symbols(state, &documents)?;
            let neighborhood = build_neighborhood(&state.snapshot, target.symbols[0], depth, limit);
            // The graph has no commits.
            let freshness = Freshness { history_pending: false, ..view.freshness };
            let mut answer = GraphJson::new(&state.snapshot, &neighborhood, &freshness, &documents);
            if let Some(format) = arguments.format {
                let text =
                    answer.render_as(format).map_err(|error| to_proto::internal_error(error.to_string()))?;
                answer.text = Some(text);
            }
            to_json_value(&answer)
        })
        .await;
        running.finish_progress().await;
        value
    }
}
