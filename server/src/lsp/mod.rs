//! The language server: from a pair of byte streams to a session and back.

mod arguments;
mod capabilities;
mod commands;
mod configuration;
mod framing;
mod from_proto;
mod parent;
mod progress;
mod server;
mod to_proto;

use crate::config::trust::TrustStore;
use crate::session::Session;
use kenning_indexing::workspace::WorkspaceOptions;
use server::LanguageServer;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower_lsp::{LspService, Server};

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
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By `exit` after `shutdown`.
    Orderly,
    /// By `exit` without `shutdown`, by a closed stream, or because the parent process is gone.
    Abrupt,
}

/// Bytes that may wait between the check of a message and its handling.
const PIPE: usize = 1 << 16;

/// Copies the client's messages. Never ends: at the end of the input the server sees the end of its own and goes.
async fn feed(input: impl AsyncRead + Unpin, messages: impl AsyncWrite + Unpin) {
    if let Err(error) = framing::copy_messages(input, messages).await {
        tracing::warn!(%error, "the client's stream broke");
    }
    std::future::pending::<()>().await;
}

/// Serves one client until it says `exit`, its stream ends or its process is gone.
pub async fn serve<I, O>(input: I, output: O, options: ServeOptions) -> End
where
    I: AsyncRead + Unpin,
    O: AsyncWrite,
{
    let (events, received) = mpsc::unbounded_channel();
    let session = Arc::new(Session::new(options.workspace, events, options.trust, None));
    let (orphaned, mut orphan) = mpsc::unbounded_channel();
    if let Some(id) = options.client_process {
        tokio::spawn(parent::watch(id, orphaned.clone()));
    }
    let service_session = Arc::clone(&session);
    let (service, socket) = LspService::build(|client| {
        LanguageServer::new(client, service_session, options.root, received, orphaned)
    })
    .custom_method("window/workDoneProgress/cancel", LanguageServer::cancel_progress)
    .finish();
    let (messages, checked) = tokio::io::duplex(PIPE);
    let serving = Server::new(checked, output, socket).concurrency_level(CONCURRENCY).serve(service);
    tokio::select! {
        () = serving => {}
        () = feed(input, messages) => {}
        Some(()) = orphan.recv() => tracing::warn!("the client's process is gone"),
    }
    let end = if session.is_shut_down() { End::Orderly } else { End::Abrupt };
    for folder in session.folders() {
        folder.stop();
    }
    end
}
