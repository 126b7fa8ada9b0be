//! `kenning mcp`: the MCP server, over standard input and output or over HTTP on this machine.

use super::args::{McpArgs, WorkspaceArgs};
use super::root_guard::confirm_root;
use super::serve::session_options;
use crate::lsp::ServeOptions;
use crate::mcp::{AccessToken, McpOptions, serve_agents};
use crate::session_sockets::SessionKind;
use anyhow::{Context, bail};
use kenning_indexing::reader_threads::READER_STACK_BYTES;

/// The environment variable with the token that clients must send over HTTP.
const TOKEN_VARIABLE: &str = "KENNING_MCP_TOKEN";

/// Serves until standard input ends, or over HTTP until the process is stopped.
pub fn run_mcp(args: McpArgs) -> anyhow::Result<()> {
    // Some clients start their servers in `/` or in the home folder.
    confirm_root(&WorkspaceArgs { root: args.root.clone(), database: args.database.clone() })?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(READER_STACK_BYTES)
        .build()
        .context("the MCP server cannot start its threads")?;
    let token = if args.http.is_some() { read_token()? } else { None };
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

/// Returns the token that the environment sets; `None` if the variable is not set.
///
/// # Errors
/// Returns an error if no client could send the token. An empty variable is the likely sign of a
/// secret that was not found, so it must not turn the token off.
fn read_token() -> anyhow::Result<Option<AccessToken>> {
    let Some(value) = std::env::var_os(TOKEN_VARIABLE) else { return Ok(None) };
    match AccessToken::from_variable(&value) {
        Ok(token) => Ok(Some(token)),
        Err(problem) => bail!(
            "{TOKEN_VARIABLE} {problem}; set it to the token that clients send, or unset it, and Kenning makes a token"
        ),
    }
}
