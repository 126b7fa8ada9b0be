//! `kenning mcp`: the MCP server, over standard input and output or over HTTP on this machine.

use super::args::McpArgs;
use super::serve::session_options;
use crate::lsp::ServeOptions;
use crate::mcp::{McpOptions, serve_agents};
use crate::session_sockets::SessionKind;
use anyhow::Context;
use kenning_indexing::reader_threads::READER_STACK_BYTES;

/// The environment variable with the token that clients must send over HTTP.
const TOKEN_VARIABLE: &str = "KENNING_MCP_TOKEN";

/// Serves until standard input ends, or over HTTP until the process is stopped.
pub fn run_mcp(args: McpArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(READER_STACK_BYTES)
        .build()
        .context("the MCP server cannot start its threads")?;
    let token = std::env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty());
    let options = McpOptions {
        root: args.root,
        session: ServeOptions { offered_as: Some(SessionKind::Agent), ..session_options(args.database) },
        structured_output: args.structured,
        http: args.http.map(|endpoint| endpoint.with_token(token)),
    };
    let served = runtime.block_on(serve_agents(options));
    // A pending read of standard input may never return and must not keep the process alive.
    runtime.shutdown_background();
    served
}
