//! `kenning.enrich`: asks language servers about all references that have no answer yet.

use super::status::{self, SessionStatus};
use super::{CommandCall, LspCommand, RunningCommand, TextDocument, folder_for_document};
use crate::lsp::to_proto;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

/// Asks the language servers in the background about all references that have no answer yet.
/// Returns the status, immediately or once no questions are left.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnrichArguments {
    /// A document that selects the folder if several folders are open. Defaults to the first
    /// folder.
    text_document: Option<TextDocument>,
    /// Maximum number of questions. Defaults to no limit.
    limit: Option<u64>,
    /// Delays the answer until no questions are left. Cancelling the request ends the wait, not
    /// the questions.
    #[serde(default)]
    wait: bool,
}

/// The command `kenning.enrich`; see [`EnrichArguments`].
pub struct StartEnrichment;

impl LspCommand for StartEnrichment {
    const NAME: &'static str = "kenning.enrich";
    type Arguments = EnrichArguments;
    type Result = SessionStatus;

    async fn run_command(call: CommandCall, arguments: EnrichArguments) -> Result<Value> {
        let folder = folder_for_document(&call.session, arguments.text_document.as_ref())?;
        if !folder.language_servers().start_sweep(arguments.limit) {
            return Err(to_proto::request_failed(
                "no language servers are available: the folder is not indexed yet, or another process serves it",
            ));
        }
        if !arguments.wait {
            return status::session_status(&call.session).await;
        }
        let running = RunningCommand::begin_with_progress(&call, "Kenning: checking with language servers");
        let answer = tokio::select! {
            () = folder.wait_until_enriched() => status::session_status(&call.session).await,
            () = running.wait_for_cancel() => Err(to_proto::request_cancelled()),
        };
        running.finish_progress().await;
        answer
    }
}
