//! `kenning.graph`: the neighbourhood of a symbol, for a picture.

use super::target::{Target, depth};
use super::{Call, Command, Position, Running, TextDocument, arrival, blocking, json, usable};
use crate::format::graph::{GraphFormat, GraphJson, MAX_NODES, USUAL_DEPTH, USUAL_NODES};
use crate::lsp::locations::Documents;
use crate::lsp::to_proto;
use kenning_retrieval::features::{TEST_HOPS, neighbourhood};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use tower_lsp::jsonrpc::{Error, Result};

/// The symbols around one, in both directions, and the edges among them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arguments {
    /// The symbol: `Class.method`, `path::Class.method`, a simple name, an id, or the path of a file.
    symbol: Option<String>,
    /// The document of `position`; with `symbol` it chooses the folder.
    text_document: Option<TextDocument>,
    /// A place in the document.
    position: Option<Position>,
    /// Hops, 1 to 6; without it 2.
    depth: Option<u8>,
    /// Nodes, at most 1000; without it 60.
    limit: Option<NonZeroUsize>,
    /// The answer also holds this form, as `text`.
    format: Option<GraphFormat>,
}

/// See [`Arguments`].
pub struct GetGraph;

impl Command for GetGraph {
    const NAME: &'static str = "kenning.graph";
    type Arguments = Arguments;
    type Result = GraphJson<'static>;

    async fn run(call: Call, arguments: Arguments) -> Result<Value> {
        let depth = depth(arguments.depth, USUAL_DEPTH, TEST_HOPS)?;
        let limit = arguments.limit.map_or(USUAL_NODES, NonZeroUsize::get);
        if limit > MAX_NODES {
            return Err(Error::invalid_params(format!("limit: must be from 1 to {MAX_NODES}, not {limit}")));
        }
        let document = arguments.text_document.as_ref();
        let (folder, target) = Target::new(&call.session, arguments.symbol, document, arguments.position)?;
        let arrival = arrival(&call.session, &folder);
        let running = Running::begin(&call, "Kenning: neighbours of a symbol");
        let view = usable(&folder, folder.view(arrival).await)?;
        let encoding = call.session.encoding();
        let value = blocking(move || {
            let state = &view.state;
            let documents = Documents::new(folder.root(), state, encoding);
            let found = target.find(state, &documents)?;
            let around = neighbourhood(&state.snapshot, found[0], depth, limit);
            let mut answer = GraphJson::new(&state.snapshot, &around, &view.freshness, &documents);
            if let Some(format) = arguments.format {
                let text = answer.print(format).map_err(|error| to_proto::internal(error.to_string()))?;
                answer.text = Some(text);
            }
            json(&answer)
        })
        .await;
        running.finish().await;
        value
    }
}
