//! `kenning.restartServers`: starts language servers anew, those that were given up as well.

use super::status::{self, SessionStatus};
use super::{Call, Command, TextDocument, folder};
use crate::lsp::to_proto;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

/// Starts the language servers anew that confirm edges, those that were given up as well; answers with the status.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arguments {
    /// With several folders open it chooses the folder; without it the first one is meant.
    text_document: Option<TextDocument>,
    /// Only the server of this name.
    server: Option<String>,
}

/// See [`Arguments`].
pub struct RestartServers;

impl Command for RestartServers {
    const NAME: &'static str = "kenning.restartServers";
    type Arguments = Arguments;
    type Result = SessionStatus;

    async fn run(call: Call, arguments: Arguments) -> Result<Value> {
        let folder = folder(&call.session, arguments.text_document.as_ref())?;
        if !folder.servers().restart(arguments.server.as_deref()) {
            return Err(to_proto::failed(
                "no language server is used here: the folder is not indexed yet, or another process serves it",
            ));
        }
        status::of_session(&call.session).await
    }
}
