//! The language server: connects a pair of byte streams to a session.
//!
//! Other programs of the user may join a session as guests: `shared_folders` offers its folders,
//! and `guest_server` answers a guest's commands.
//!
//! The input passes through these stages:
//!
//! * `framing` copies messages from the input to the protocol library (tower-lsp) and replaces
//!   messages that the library cannot read.
//! * `guard` wraps the library's service, so that a panic ends one request instead of the session,
//!   and every request gets one answer with the code that the specification requires.
//! * `server` implements the protocol's messages. Notifications become changes in the queue of a
//!   folder; requests are passed to `requests` and commands to `commands`, with one file for each.
//! * `from_proto` and `to_proto` convert between the protocol's types and the session's.
//!
//! Separate tasks send everything else that reaches the client: progress and warnings (`progress`),
//! the log (`log`), traces (`trace`), requests to refresh lenses (`requests`) and registrations
//! (`configuration`, `server`).
//!
//! A session ends with `exit`, with the end of the input, or when the client's process has ended
//! (`client_process`). The databases are closed before [`serve_client`] returns.

mod arguments;
mod capabilities;
mod client_process;
mod commands;
mod configuration;
mod entry_diagnostics;
mod folder_documents;
mod folder_search;
mod framing;
mod from_proto;
mod guard;
mod guest_server;
mod linked_entries;
mod log;
mod progress;
mod reader_actions;
mod requests;
mod server;
mod shared_folders;
mod show;
mod to_proto;
mod trace;

pub use arguments::parse_arguments;
pub use commands::UnsavedTexts;

use crate::config::trust::TrustStore;
use crate::log::ClientLog;
use crate::ranking_choice::RankConfigName;
use crate::session::{ServersOptions, Session, SetLogLevel};
use crate::session_sockets::SessionKind;
use guard::ServiceGuard;
use kenning_indexing::workspace::WorkspaceOptions;
use serde_json::json;
use server::LanguageServer;
use shared_folders::SharedFolders;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower_lsp::{LspService, LspServiceBuilder, Server};
use trace::MessageTrace;

/// Maximum number of requests that run at the same time. A cancellation uses one of these slots, so
/// with a low limit it could wait for the very request that it cancels.
const MAX_CONCURRENT_REQUESTS: usize = 256;

/// The options of a session.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// The options of every folder. A database that the user named belongs to the first.
    pub workspace: WorkspaceOptions,
    /// The folder to serve when the client names none.
    pub root: Option<PathBuf>,
    /// The process id of the client, if it is known before `initialize` names it.
    pub client_process: Option<u32>,
    /// The ranking configuration of every folder, whatever its options; `None` to follow them.
    pub ranking: Option<RankConfigName>,
    /// The list of workspaces that the user trusts; `None` if there is no such list.
    pub trust: Option<TrustStore>,
    /// The log for the client, if the process's subscriber writes to one.
    pub log: Option<ClientLog>,
    /// The kind under which other programs may join the session; `None` if they may not.
    pub offered_as: Option<SessionKind>,
    /// The options of language servers that confirm edges; `None` to use none.
    pub servers: Option<ServersOptions>,
    /// Whether the input is the process's standard input. Its end is then detected even while
    /// earlier messages cannot be handled.
    pub standard_input: bool,
}

/// The way in which a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client sent `exit` after `shutdown`.
    Orderly,
    /// The client sent `exit` without `shutdown`, the stream was closed, or the client's process is
    /// gone.
    Abrupt,
}

/// Size in bytes of the buffer that holds checked messages until they are handled.
const PIPE_BUFFER_BYTES: usize = 1 << 16;

/// Time in which answers may still be written after the client sent `exit` or closed its end.
/// Without a limit, a client that does not read would keep the server alive forever.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum time to wait for the databases at the end. It is longer than indexing takes between two
/// checks for cancellation.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// Serves one client until it sends `exit`, its stream ends or its process is gone. Returns how the
/// session ended.
pub async fn serve_client<I, O>(input: I, output: O, options: ServeOptions) -> SessionEnd
where
    I: AsyncRead + Unpin,
    O: AsyncWrite,
{
    serve_with(input, output, options, |builder| builder).await
}

/// Serves a client like [`serve_client`], with additional methods.
async fn serve_with<I, O>(
    input: I,
    output: O,
    options: ServeOptions,
    add_methods: impl FnOnce(LspServiceBuilder<LanguageServer>) -> LspServiceBuilder<LanguageServer>,
) -> SessionEnd
where
    I: AsyncRead + Unpin,
    O: AsyncWrite,
{
    let (events, received) = mpsc::unbounded_channel();
    let set_level = |log: &ClientLog| -> SetLogLevel {
        let log = log.clone();
        Arc::new(move |level| log.set_level(level))
    };
    let set_level = options.log.as_ref().map(set_level);
    let session = Arc::new(Session::new(options.workspace, events, options.trust, set_level));
    if let Some(name) = options.ranking {
        session.use_flags(&json!({ "ranking": { "configuration": name } }));
    }
    if let Some(servers) = options.servers {
        session.use_servers(servers);
    }
    let (orphaned, mut orphan) = mpsc::unbounded_channel();
    if let Some(id) = options.client_process {
        tokio::spawn(client_process::watch_process(id, orphaned.clone()));
    }
    let (closed, mut hung_up) = mpsc::unbounded_channel();
    if options.standard_input {
        client_process::watch_standard_input(closed.clone());
    }
    let (service_session, trace) = (Arc::clone(&session), OnceLock::new());
    let builder = LspService::build(|client| {
        let _ = trace.set(Arc::new(MessageTrace::new(client.clone())));
        let shared = SharedFolders::new(options.offered_as);
        LanguageServer::new(client, service_session, options.root, received, options.log, orphaned, shared)
    })
    .custom_method("window/workDoneProgress/cancel", LanguageServer::cancel_progress);
    let (service, socket) = add_methods(builder).finish();
    let trace = trace.into_inner().expect("the service was built with a client");
    let service = ServiceGuard::new(service, trace, closed);
    let (messages, checked) = tokio::io::duplex(PIPE_BUFFER_BYTES);
    let serving =
        Server::new(checked, output, socket).concurrency_level(MAX_CONCURRENT_REQUESTS).serve(service);
    tokio::select! {
        () = serving => {}
        () = feed_messages(input, messages) => tracing::warn!("the client closed the connection and does not read the last responses"),
        () = wait_after_exit(&mut hung_up) => tracing::warn!("the client does not read the last responses"),
        Some(()) = orphan.recv() => tracing::warn!("the client's process has ended"),
    }
    let end = if session.is_shut_down() { SessionEnd::Orderly } else { SessionEnd::Abrupt };
    session.close_databases(CLOSE_TIMEOUT).await;
    end
}

/// Copies the client's messages until the input ends. The server then sees the end of its own input
/// and also ends, unless the client does not read the last message. Waits for [`EXIT_TIMEOUT`]
/// before it returns.
async fn feed_messages(input: impl AsyncRead + Unpin, messages: impl AsyncWrite + Unpin) {
    if let Err(error) = framing::copy_messages(input, messages).await {
        tracing::warn!(%error, "the connection to the client broke");
    }
    tokio::time::sleep(EXIT_TIMEOUT).await;
}

/// Returns [`EXIT_TIMEOUT`] after the client sent `exit` or closed its end, regardless of the
/// messages that are still waiting.
async fn wait_after_exit(hung_up: &mut mpsc::UnboundedReceiver<()>) {
    if hung_up.recv().await.is_none() {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(EXIT_TIMEOUT).await;
}

#[cfg(test)]
mod tests;
