//! `kenning.restartServers`: restarts the language servers, including those that Kenning gave up
//! on.

use super::status::{self, SessionStatus};
use super::{CommandCall, LspCommand, TextDocument, folder_for_document};
use crate::lsp::to_proto;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

/// Restarts the language servers that confirm edges, including those that Kenning gave up on, and
/// returns the status.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RestartServersArguments {
    /// A document that selects the folder if several folders are open. Defaults to the first
    /// folder.
    text_document: Option<TextDocument>,
    /// The name of the only server to restart. Defaults to all servers.
    server: Option<String>,
}

/// The command `kenning.restartServers`; see [`RestartServersArguments`].
pub struct RestartServers;

impl LspCommand for RestartServers {
    const NAME: &'static str = "kenning.restartServers";
    type Arguments = RestartServersArguments;
    type Result = SessionStatus;

    async fn run_command(call: CommandCall, arguments: RestartServersArguments) -> Result<Value> {
        let folder = folder_for_document(&call.session, arguments.text_document.as_ref())?;
        if !folder.language_servers().restart_servers(arguments.server.as_deref()) {
            return Err(to_proto::request_failed(
                "no language servers are available: the folder is not indexed yet, or another process serves it",
            ));
        }
        status::session_status(&call.session).await
    }
}
