//! `kenning.blastRadius`: what depends on a symbol.

use super::target::{Target, depth};
use super::{Call, Command, Position, Running, TextDocument, arrival, blocking, json, usable};
use crate::format::Format;
use crate::format::blast::BlastJson;
use crate::format::json as data;
use crate::lsp::locations::Documents;
use crate::lsp::to_proto;
use kenning_retrieval::features::{BlastOptions, TEST_HOPS, blast_radius};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

/// What depends on a symbol: direct callers, dependents by hops, tests that reach it, and on what evidence that is known.
/// The symbol is named, or it is what stands at a position: the definition there, or what the name there refers to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arguments {
    /// The symbol: `Class.method`, `path::Class.method`, a simple name, an id, or the path of a file.
    symbol: Option<String>,
    /// The document of `position`; with `symbol` it chooses the folder.
    text_document: Option<TextDocument>,
    /// A place in the document.
    position: Option<Position>,
    /// Hops of the dependents that are listed, 1 to 6; without it the option `blastRadius.depth`. The numbers do not
    /// depend on it.
    depth: Option<u8>,
    /// The answer also holds this form, as `text`.
    format: Option<Format>,
    /// The server itself shows the answer, for clients that can only send commands.
    #[expect(dead_code, reason = "it is read where all commands are run")]
    show: Option<bool>,
}

/// See [`Arguments`].
pub struct GetBlastRadius;

impl Command for GetBlastRadius {
    const NAME: &'static str = "kenning.blastRadius";
    type Arguments = Arguments;
    type Result = BlastJson<'static>;

    async fn run(call: Call, arguments: Arguments) -> Result<Value> {
        let document = arguments.text_document.as_ref();
        let (folder, target) = Target::new(&call.session, arguments.symbol, document, arguments.position)?;
        let usual = call.session.config_of(&folder).blast_radius.depth.clamp(1, u32::from(TEST_HOPS)) as u8;
        let depth = depth(arguments.depth, usual, TEST_HOPS)?;
        let arrival = arrival(&call.session, &folder);
        let running = Running::begin(&call, "Kenning: blast radius");
        let view = usable(&folder, folder.view(arrival).await)?;
        let encoding = call.session.encoding();
        let value = blocking(move || {
            let (state, freshness) = (&view.state, &view.freshness);
            let documents = Documents::new(folder.root(), state, encoding);
            let found = target.find(state, &documents)?;
            let options = BlastOptions { depth, ..BlastOptions::default() };
            let blast = blast_radius(&state.snapshot, &found[..1], &options);
            let answer = BlastJson::new(&state.snapshot, &blast, &found[1..], freshness, &documents);
            let mut answer =
                answer.ok_or_else(|| to_proto::failed("the symbol is no longer in the index"))?;
            answer.text = match arguments.format {
                None => None,
                Some(Format::Markdown) => Some(answer.markdown()),
                Some(Format::Json) => {
                    Some(data::text(&answer).map_err(|error| to_proto::internal(error.to_string()))?)
                }
            };
            json(&answer)
        })
        .await;
        running.finish().await;
        value
    }
}
