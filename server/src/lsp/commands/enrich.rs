//! `kenning.enrich`: has language servers asked about everything that they were not asked about yet.

use super::status::{self, SessionStatus};
use super::{Call, Command, Running, TextDocument, folder};
use crate::lsp::to_proto;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

/// Has the language servers asked about everything that they were not asked about yet, in the background; answers with the
/// status, at once or when nothing is left to be asked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arguments {
    /// With several folders open it chooses the folder; without it the first one is meant.
    text_document: Option<TextDocument>,
    /// At most so many questions. Default: all.
    limit: Option<u64>,
    /// Answer when nothing is left to be asked. Cancelling the request ends the waiting, not the asking.
    #[serde(default)]
    wait: bool,
}

/// See [`Arguments`].
pub struct Enrich;

impl Command for Enrich {
    const NAME: &'static str = "kenning.enrich";
    type Arguments = Arguments;
    type Result = SessionStatus;

    async fn run(call: Call, arguments: Arguments) -> Result<Value> {
        let folder = folder(&call.session, arguments.text_document.as_ref())?;
        if !folder.servers().sweep(arguments.limit) {
            return Err(to_proto::failed(
                "no language server is used here: the folder is not indexed yet, or another process serves it",
            ));
        }
        if !arguments.wait {
            return status::of_session(&call.session).await;
        }
        let running = Running::begin(&call, "Kenning: asking language servers");
        let answer = tokio::select! {
            () = folder.enriched() => status::of_session(&call.session).await,
            () = running.cancelled() => Err(to_proto::cancelled()),
        };
        running.finish().await;
        answer
    }
}
