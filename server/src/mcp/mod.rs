//! The MCP server: answers agents over the Model Context Protocol, with the same bytes as the
//! command line and the editors.
//!
//! * `tools` holds the tools, one file for each; each turns its arguments into commands of the
//!   session. `tools.toml` holds their texts, and `tool_texts` reads it.
//! * `tool_call` is the running call: it waits for the index, asks for an answer and describes how
//!   current it is.
//! * `handler` implements the protocol on `rmcp`, and `http_server` serves it over HTTP. No other
//!   module uses that library. `access_token` is the token that HTTP clients send, and
//!   `http_sessions` limits their sessions.
//! * `page_memory` remembers which symbols a pack had, so that its next page continues after them. The
//!   pages of other answers are parts of their text (`format::answer_pages`).
//!
//! The module must not know the graph, the index or ranking: its answers come from commands of the
//! language server. It never writes anything but the protocol to standard output.

mod access_token;
mod handler;
mod http_server;
mod http_sessions;
mod page_memory;
mod tool_call;
mod tool_texts;
mod tools;

use crate::lsp::ServeOptions;
use crate::session_link::SessionLink;
pub use access_token::AccessToken;
use anyhow::Context;
use handler::McpHandler;
pub use http_server::{HttpEndpoint, parse_endpoint};
use rmcp::ServiceExt;
use std::path::PathBuf;
use std::sync::Arc;

/// The options of an MCP server.
#[derive(Clone, Debug)]
pub struct McpOptions {
    /// The folder of the workspace.
    pub root: PathBuf,
    /// The options of a session in this process.
    pub session: ServeOptions,
    /// Whether answers also have a structured form, for clients that do not show it to the model
    /// beside the text.
    pub structured_output: bool,
    /// The address for HTTP; `None` for standard input and output.
    pub http: Option<HttpEndpoint>,
}

/// Serves agents until standard input ends, or over HTTP until the process is stopped.
///
/// # Errors
/// Returns an error if the workspace is not a folder, the address cannot be used, or standard
/// output is closed.
pub async fn serve_agents(options: McpOptions) -> anyhow::Result<()> {
    let link = Arc::new(SessionLink::new(options.root, options.session)?);
    let handler = McpHandler::new(Arc::clone(&link), options.structured_output);
    // The index is brought up to date while the client introduces itself.
    let warming = tokio::spawn({
        let link = Arc::clone(&link);
        async move { link.warm_up().await }
    });
    let served = match options.http {
        Some(endpoint) => http_server::serve_http(handler, &endpoint).await,
        None => serve_standard_streams(handler).await,
    };
    warming.abort();
    link.close().await;
    served
}

async fn serve_standard_streams(handler: McpHandler) -> anyhow::Result<()> {
    let running = match handler.serve(rmcp::transport::stdio()).await {
        Ok(running) => running,
        // A client that only checks whether the program starts closes its end without a message.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error).context("the client did not begin as the protocol requires"),
    };
    running.waiting().await.context("the MCP server ended unexpectedly")?;
    Ok(())
}
