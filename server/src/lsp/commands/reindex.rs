//! `kenning.reindex`: brings the index up to date with the disk, and answers when that is done.

use super::status::{self, SessionStatus};
use super::{CommandCall, LspCommand, RunningCommand, TextDocument, folder_for_document};
use crate::lsp::to_proto;
use crate::session::FolderChange;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::Result;

/// Brings the index up to date with the disk, and returns the status when that is done. Cancelling
/// the request ends the wait. The indexing has its own progress, which can be cancelled.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReindexArguments {
    /// A document that selects the folder if several folders are open. Defaults to the first
    /// folder.
    text_document: Option<TextDocument>,
}

/// The command `kenning.reindex`; see [`ReindexArguments`].
pub struct ReindexFolder;

impl LspCommand for ReindexFolder {
    const NAME: &'static str = "kenning.reindex";
    type Arguments = ReindexArguments;
    type Result = SessionStatus;

    async fn run_command(call: CommandCall, arguments: ReindexArguments) -> Result<Value> {
        let (reply, done) = oneshot::channel();
        folder_for_document(&call.session, arguments.text_document.as_ref())?
            .push_change(FolderChange::Reindex(reply));
        let running = RunningCommand::begin_with_progress(&call, "Kenning: updating the index");
        let done = tokio::select! {
            done = done => Some(done),
            () = running.wait_for_cancel() => None,
        };
        let answer = match done {
            Some(Ok(Ok(_))) => status::session_status(&call.session).await,
            Some(Ok(Err(reason))) => Err(to_proto::request_failed(reason)),
            Some(Err(_)) => Err(to_proto::request_failed("the folder was closed before it was indexed")),
            None => Err(to_proto::request_cancelled()),
        };
        running.finish_progress().await;
        answer
    }
}
