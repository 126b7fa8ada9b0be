//! `kenning.waitForIndex`: answers when the index includes the current state of the disk.

use super::{CommandCall, LspCommand, RunningCommand, TextDocument, folder_for_document, to_json_value};
use crate::freshness::Freshness;
use crate::lsp::to_proto;
use crate::session::IndexPhase;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use tower_lsp::jsonrpc::Result;

/// Maximum wait if the request names none.
const DEFAULT_LIMIT: Duration = Duration::from_secs(10);

/// Checks the disk, and answers when the index includes every change that is there: files that a
/// program wrote a moment ago, and the whole workspace while it is indexed for the first time. Also
/// waits for the commits that earlier sessions read, which the ranking uses; while more commits are
/// being read, `history_pending` is true. For clients that do not report the files that they
/// change, such as agents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitForIndexArguments {
    /// Maximum wait in milliseconds. Defaults to 10,000.
    limit_ms: Option<u64>,
    /// A document that selects the folder if several folders are open. Defaults to the first
    /// folder.
    text_document: Option<TextDocument>,
}

/// The progress and the freshness of the index.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IndexReadiness<'a> {
    /// Whether the index includes everything that was on the disk when the request came.
    ready: bool,
    /// The number of files that the running stage of the indexing has processed.
    done_files: usize,
    /// The number of files in this stage; 0 if no indexing is running.
    total_files: usize,
    /// The state of the index now.
    freshness: &'a Freshness,
}

/// The command `kenning.waitForIndex`; see [`WaitForIndexArguments`].
pub struct WaitForIndex;

impl LspCommand for WaitForIndex {
    const NAME: &'static str = "kenning.waitForIndex";
    type Arguments = WaitForIndexArguments;
    type Result = IndexReadiness<'static>;

    async fn run_command(call: CommandCall, arguments: WaitForIndexArguments) -> Result<Value> {
        let folder = folder_for_document(&call.session, arguments.text_document.as_ref())?;
        let arrival = folder.request_disk_check();
        let limit = arguments.limit_ms.map_or(DEFAULT_LIMIT, Duration::from_millis);
        let running = RunningCommand::begin_with_progress(&call, "Kenning: waiting for the index");
        let waited = tokio::select! {
            view = folder.wait_until_current(arrival, limit) => Some(view),
            () = running.wait_for_cancel() => None,
        };
        running.finish_progress().await;
        let view = waited.ok_or_else(to_proto::request_cancelled)?;
        if let IndexPhase::Failed(reason) = &view.state.phase {
            let root = folder.root_path().display();
            return Err(to_proto::request_failed(format!("{root} is not indexed: {reason}")));
        }
        let (done_files, total_files) = folder.indexing_progress();
        let freshness = &view.freshness;
        let ready = freshness.indexed_at.is_some() && view.state.done.disk >= arrival.disk;
        to_json_value(&IndexReadiness { ready, done_files, total_files, freshness })
    }
}
