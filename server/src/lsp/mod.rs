//! The language server: from a pair of byte streams to a session and back.

mod arguments;
mod capabilities;
mod client_process;
mod commands;
mod configuration;
mod folder_documents;
mod framing;
mod from_proto;
mod guard;
mod log;
mod progress;
mod requests;
mod server;
mod show;
mod to_proto;
mod trace;

use crate::config::trust::TrustStore;
use crate::log::ClientLog;
use crate::session::{ServersOptions, Session, SetLogLevel};
use guard::ServiceGuard;
use kenning_indexing::workspace::WorkspaceOptions;
use server::LanguageServer;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower_lsp::{LspService, LspServiceBuilder, Server};
use trace::MessageTrace;

/// Requests that may run at the same time. A cancellation takes one of these places too, so that a low number
/// would let it wait for the very request it cancels.
const CONCURRENCY: usize = 256;

/// How a session is to be run.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// For every folder; a named database belongs to the first.
    pub workspace: WorkspaceOptions,
    /// The folder to serve when the client names none.
    pub root: Option<PathBuf>,
    /// The client's process, when it is known before `initialize` names it.
    pub client_process: Option<u32>,
    /// The workspaces that the person trusts; none where there is no such list.
    pub trust: Option<TrustStore>,
    /// The way of the log to the client, where the process's subscriber has one.
    pub log: Option<ClientLog>,
    /// How language servers confirm edges; none do by default.
    pub servers: Option<ServersOptions>,
    /// The input is the process's standard input: its end is seen even while messages before it cannot be handled.
    pub standard_input: bool,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// By `exit` after `shutdown`.
    Orderly,
    /// By `exit` without `shutdown`, by a closed stream, or because the parent process is gone.
    Abrupt,
}

/// Bytes that may wait between the check of a message and its handling.
const PIPE: usize = 1 << 16;

/// How long answers may still be written after the client said `exit` or closed its end. A client that does not read
/// would hold the server for ever.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// How long the databases are waited for at the end: longer than a step of indexing takes between two looks whether to stop.
const CLOSING: Duration = Duration::from_secs(3);

/// Serves one client until it says `exit`, its stream ends or its process is gone.
pub async fn serve_client<I, O>(input: I, output: O, options: ServeOptions) -> SessionEnd
where
    I: AsyncRead + Unpin,
    O: AsyncWrite,
{
    serve_with(input, output, options, |builder| builder).await
}

/// [`serve_client`] with more methods.
async fn serve_with<I, O>(
    input: I,
    output: O,
    options: ServeOptions,
    more: impl FnOnce(LspServiceBuilder<LanguageServer>) -> LspServiceBuilder<LanguageServer>,
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
        LanguageServer::new(client, service_session, options.root, received, options.log, orphaned)
    })
    .custom_method("window/workDoneProgress/cancel", LanguageServer::cancel_progress);
    let (service, socket) = more(builder).finish();
    let trace = trace.into_inner().expect("the service was built with a client");
    let service = ServiceGuard::new(service, trace, closed);
    let (messages, checked) = tokio::io::duplex(PIPE);
    let serving = Server::new(checked, output, socket).concurrency_level(CONCURRENCY).serve(service);
    tokio::select! {
        () = serving => {}
        () = feed_messages(input, messages) => tracing::warn!("the client closed its end and does not read the last answers"),
        () = wait_after_exit(&mut hung_up) => tracing::warn!("the client does not read the last answers"),
        Some(()) = orphan.recv() => tracing::warn!("the client's process is gone"),
    }
    let end = if session.is_shut_down() { SessionEnd::Orderly } else { SessionEnd::Abrupt };
    session.close_databases(CLOSING).await;
    end
}

/// Copies the client's messages to the end of the input; then the server sees the end of its own and goes, unless
/// the client does not read the last message.
async fn feed_messages(input: impl AsyncRead + Unpin, messages: impl AsyncWrite + Unpin) {
    if let Err(error) = framing::copy_messages(input, messages).await {
        tracing::warn!(%error, "the client's stream broke");
    }
    tokio::time::sleep(LAST_WORDS).await;
}

/// Ends a while after the client said `exit` or closed its end, however many messages wait before that end.
async fn wait_after_exit(hung_up: &mut mpsc::UnboundedReceiver<()>) {
    if hung_up.recv().await.is_none() {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(LAST_WORDS).await;
}

#[cfg(test)]
mod tests;
