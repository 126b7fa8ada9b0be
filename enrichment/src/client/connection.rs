//! Requests and notifications over a pair of streams, and the answers to them.
//!
//! Two tasks serve a connection: one writes queued frames, the other reads frames and dispatches
//! them. Both hold the shared state weakly, so the connection closes when its last [`LspClient`] is
//! dropped. When a stream breaks, the connection is closed with a reason, and every pending and
//! later request fails with it.

use super::error::ClientError;
use super::message::{self, IncomingMessage};
use super::pending_requests::{PendingRequests, RequestOutcome};
use super::process::StderrTail;
use super::server_activity::ServerActivity;
use super::server_requests::ClientAnswers;
use super::transport::{encode_frame, read_frame};
use lsp_types::notification::Notification;
use lsp_types::request::Request;
use serde_json::json;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};

/// One end of a connection to a language server. Cheap to clone; dropping the last clone closes the
/// connection.
#[derive(Clone)]
pub struct LspClient {
    link: Arc<SharedConnection>,
}

/// The state that the reading and writing tasks share with the clients.
struct SharedConnection {
    pending: PendingRequests,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    answers: ClientAnswers,
    activity: ServerActivity,
    stderr: StderrTail,
    /// Becomes `true` when the connection is closed.
    closed: watch::Sender<bool>,
}

impl LspClient {
    /// Connects over a pair of streams. Must be called inside a tokio runtime. If the connection
    /// breaks, the reason quotes `stderr`.
    pub fn from_streams<R, W>(reader: R, writer: W, answers: ClientAnswers, stderr: StderrTail) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let link = Arc::new(SharedConnection {
            pending: PendingRequests::default(),
            outgoing,
            answers,
            activity: ServerActivity::default(),
            stderr,
            closed: watch::Sender::new(false),
        });
        // Both tasks hold the link weakly, so that it is dropped with its last client.
        tokio::spawn(write_frames(Arc::downgrade(&link), writer, queue));
        tokio::spawn(read_frames(Arc::downgrade(&link), reader));
        Self { link }
    }

    /// Sends a request and waits for its answer for at most `limit`. Cancels the request at the
    /// server when the time is up or the future is dropped.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the connection is closed, or the server does not answer in
    /// time, answers with an error, or answers in an unexpected form.
    pub async fn send_request<R: Request>(
        &self,
        params: R::Params,
        limit: Duration,
    ) -> Result<R::Result, ClientError> {
        let method = R::METHOD;
        let params = serde_json::to_value(params)
            .map_err(|error| ClientError::InvalidParams { method, reason: error.to_string() })?;
        let (id, answer) = self.link.pending.register_request()?;
        let in_flight = InFlightRequest { link: &self.link, id };
        self.link.send_message(&message::encode_request(id, method, params))?;
        let outcome =
            tokio::time::timeout(limit, answer).await.map_err(|_| ClientError::Timeout { method, limit })?;
        drop(in_flight);
        match outcome {
            Ok(RequestOutcome::Answered(Ok(result))) => serde_json::from_str(result.get())
                .map_err(|error| ClientError::Malformed { method, reason: error.to_string() }),
            Ok(RequestOutcome::Answered(Err(error))) => {
                let message::RpcError { code, message, data } = error;
                Err(ClientError::ErrorResponse { method, code, message, data })
            }
            Ok(RequestOutcome::Disconnected(reason)) => Err(ClientError::Disconnected(reason)),
            Err(_) => Err(self.link.disconnected_error()),
        }
    }

    /// Sends a notification to the server.
    ///
    /// # Errors
    /// Returns an error if the connection is closed or the parameters cannot be written as JSON.
    pub fn send_notification<N: Notification>(&self, params: N::Params) -> Result<(), ClientError> {
        let params = serde_json::to_value(params)
            .map_err(|error| ClientError::InvalidParams { method: N::METHOD, reason: error.to_string() })?;
        self.link.send_message(&message::encode_notification(N::METHOD, params))
    }

    /// Returns everything that the server has reported on its own.
    pub fn server_activity(&self) -> &ServerActivity {
        &self.link.activity
    }

    /// Whether both ends belong to one connection.
    pub fn is_same_connection(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.link, &other.link)
    }

    /// Waits until the server is gone and returns the reason.
    pub async fn wait_until_gone(&self) -> String {
        // The sender lives in the link, so waiting cannot fail.
        let _ = self.link.closed.subscribe().wait_for(|closed| *closed).await;
        self.link.pending.close_reason().unwrap_or_default()
    }
}

/// A request that was sent. Dropping it before its answer arrives cancels the request at the
/// server.
struct InFlightRequest<'a> {
    link: &'a SharedConnection,
    id: i64,
}

impl Drop for InFlightRequest<'_> {
    fn drop(&mut self) {
        if self.link.pending.forget_request(self.id) {
            // A server that is gone needs no cancellation.
            let _ = self
                .link
                .send_message(&message::encode_notification("$/cancelRequest", json!({"id": self.id})));
        }
    }
}

impl SharedConnection {
    fn send_message(&self, body: &[u8]) -> Result<(), ClientError> {
        if self.pending.close_reason().is_some() {
            return Err(self.disconnected_error());
        }
        self.outgoing.send(encode_frame(body)).map_err(|_| self.disconnected_error())
    }

    fn disconnected_error(&self) -> ClientError {
        ClientError::Disconnected(
            self.pending.close_reason().unwrap_or_else(|| "the connection is closed".to_owned()),
        )
    }

    fn handle_message(&self, body: &[u8]) {
        match IncomingMessage::parse(body) {
            Ok(IncomingMessage::Request { id, method, params }) => {
                let answer = self.answers.answer_request(&method, &params);
                if self.send_message(&message::encode_response(id, answer)).is_err() {
                    tracing::debug!(method, "the server ended before its request was answered");
                }
            }
            Ok(IncomingMessage::Notification { method, params }) => {
                self.activity.record_notification(&method, &params);
            }
            Ok(IncomingMessage::Response { id, result }) => {
                if !self.pending.complete_request(id, result) {
                    tracing::debug!(id, "the answer belongs to no pending request");
                }
            }
            // The frame was complete, so the next one can be read.
            Err(reason) => tracing::warn!(reason, "cannot parse a message of a language server"),
        }
    }

    async fn close_connection(&self, reason: String) {
        let last_lines = self.stderr.wait_for_last_lines().await;
        let reason = if last_lines.is_empty() {
            reason
        } else {
            format!("{reason}; its output: {}", last_lines.join(" | "))
        };
        self.pending.close_all(&reason);
        self.closed.send_replace(true);
    }
}

async fn write_frames<W: AsyncWrite + Unpin>(
    link: Weak<SharedConnection>,
    mut writer: W,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
) {
    while let Some(frame) = queue.recv().await {
        let write = async {
            writer.write_all(&frame).await?;
            writer.flush().await
        };
        if let Err(error) = write.await {
            if let Some(link) = link.upgrade() {
                link.close_connection(format!("cannot write to the server: {error}")).await;
            }
            return;
        }
    }
    // The last client is gone. The server sees the end of its input and may also be gone.
    let _ = writer.shutdown().await;
}

async fn read_frames<R: AsyncRead + Unpin>(link: Weak<SharedConnection>, reader: R) {
    let mut reader = BufReader::new(reader);
    let reason = loop {
        match read_frame(&mut reader).await {
            Ok(Some(body)) => match link.upgrade() {
                Some(link) => link.handle_message(&body),
                None => return,
            },
            Ok(None) => break "the server closed its output".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    if let Some(link) = link.upgrade() {
        link.close_connection(reason).await;
    }
}

impl std::fmt::Debug for LspClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LspClient").field("closed", &self.link.pending.close_reason()).finish_non_exhaustive()
    }
}
