//! The server of a guest: a program that has joined the session of an editor or an agent, to ask
//! about its workspace.
//!
//! A guest can run commands and nothing else: it cannot open documents, change settings or end the
//! session. Each guest has its own record of the packs and symbols that it received.

use super::guard::ServiceGuard;
use super::progress::CancelTokens;
use super::trace::MessageTrace;
use super::{MAX_CONCURRENT_REQUESTS, PIPE_BUFFER_BYTES, capabilities, commands, feed_messages, from_proto};
use crate::session::Session;
use lsp_types::{ExecuteCommandParams, InitializeParams, InitializeResult, LSPAny};
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::{Client, LspService, Server};

/// The server of one guest.
struct GuestServer {
    client: Client,
    session: Arc<Session>,
    cancellations: CancelTokens,
}

impl tower_lsp::LanguageServer for GuestServer {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        self.session.set_encoding(from_proto::negotiate_encoding(&params.capabilities));
        Ok(capabilities::initialize_result(&params.capabilities))
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        let call = commands::CommandCall {
            session: Arc::clone(&self.session),
            client: self.client.clone(),
            capabilities: capabilities::ClientFeatures::default(),
            token: None,
            cancellations: Arc::clone(&self.cancellations),
        };
        commands::dispatch_command(call, &params.command, params.arguments).await.map(Some)
    }
}

/// Serves a guest until it leaves.
pub async fn serve_guest<I, O>(input: I, output: O, session: Arc<Session>)
where
    I: AsyncRead + Unpin,
    O: AsyncWrite,
{
    let trace = OnceLock::new();
    let (service, socket) = LspService::new(|client| {
        let _ = trace.set(Arc::new(MessageTrace::new(client.clone())));
        GuestServer { client, session, cancellations: CancelTokens::default() }
    });
    let trace = trace.into_inner().expect("the service was built with a client");
    let (closed, mut hung_up) = mpsc::unbounded_channel();
    let service = ServiceGuard::new(service, trace, closed);
    let (messages, checked) = tokio::io::duplex(PIPE_BUFFER_BYTES);
    let serving =
        Server::new(checked, output, socket).concurrency_level(MAX_CONCURRENT_REQUESTS).serve(service);
    tokio::select! {
        () = serving => {}
        () = feed_messages(input, messages) => {}
        _ = hung_up.recv() => {}
    }
}
