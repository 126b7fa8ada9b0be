//! `kenning.reindex`: brings the index up to the disk now and answers when that is done.

use super::status::{self, SessionStatus};
use super::{Call, Command, Running, TextDocument, folder};
use crate::lsp::to_proto;
use crate::session::Change;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::Result;

/// Brings the index up to the disk now; answers with the status when that is done. Cancelling the request ends the
/// waiting; the indexing has progress of its own, which can be cancelled.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arguments {
    /// With several folders open it chooses the folder; without it the first one is indexed.
    text_document: Option<TextDocument>,
}

/// See [`Arguments`].
pub struct Reindex;

impl Command for Reindex {
    const NAME: &'static str = "kenning.reindex";
    type Arguments = Arguments;
    type Result = SessionStatus;

    async fn run(call: Call, arguments: Arguments) -> Result<Value> {
        let (reply, done) = oneshot::channel();
        folder(&call.session, arguments.text_document.as_ref())?.push(Change::Reindex(reply));
        let running = Running::begin(&call, "Kenning: bringing the index up to the disk");
        let done = tokio::select! {
            done = done => Some(done),
            () = running.cancelled() => None,
        };
        let answer = match done {
            Some(Ok(Ok(_))) => status::of_session(&call.session).await,
            Some(Ok(Err(reason))) => Err(to_proto::failed(reason)),
            Some(Err(_)) => Err(to_proto::failed("the folder was closed before it was indexed")),
            None => Err(to_proto::cancelled()),
        };
        running.finish().await;
        answer
    }
}
