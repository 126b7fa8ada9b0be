//! Requests and notifications over a pair of streams, and the answers that come back.

use super::answers::Answers;
use super::error::ClientError;
use super::message::{self, Incoming};
use super::observed::Observed;
use super::pending::{Outcome, Pending};
use super::process::StderrTail;
use super::transport::{frame, read_frame};
use lsp_types::notification::Notification;
use lsp_types::request::Request;
use serde_json::json;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};

/// One end of a connection to a language server. Cheap to clone; when the last clone goes, the connection is closed.
#[derive(Clone)]
pub struct Client {
    link: Arc<Link>,
}

/// What the tasks that read and write share with the clients.
struct Link {
    pending: Pending,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    answers: Answers,
    observed: Observed,
    stderr: StderrTail,
    gone: watch::Sender<bool>,
}

impl Client {
    /// Speaks over a pair of streams; needs a tokio runtime around it. `stderr` is quoted when the connection breaks.
    pub fn over<R, W>(reader: R, writer: W, answers: Answers, stderr: StderrTail) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let link = Arc::new(Link {
            pending: Pending::default(),
            outgoing,
            answers,
            observed: Observed::default(),
            stderr,
            gone: watch::Sender::new(false),
        });
        // Both tasks hold the link weakly, so that it goes with its last client.
        tokio::spawn(write(Arc::downgrade(&link), writer, queue));
        tokio::spawn(read(Arc::downgrade(&link), reader));
        Self { link }
    }

    /// Asks, and waits for the answer at most as long as `limit`. A request that is no longer waited for (time is up, the
    /// future was dropped) is cancelled at the server.
    ///
    /// # Errors
    /// [`ClientError`]: the server is gone, silent, refuses, or answers in another form.
    pub async fn request<R: Request>(
        &self,
        params: R::Params,
        limit: Duration,
    ) -> Result<R::Result, ClientError> {
        let method = R::METHOD;
        let form = |error: serde_json::Error| ClientError::Form { method, reason: error.to_string() };
        let params = serde_json::to_value(params).map_err(form)?;
        let (id, answer) = self.link.pending.register()?;
        let waiting = Waiting { link: &self.link, id };
        self.link.send(&message::request(id, method, params))?;
        let outcome =
            tokio::time::timeout(limit, answer).await.map_err(|_| ClientError::Timeout { method, limit })?;
        drop(waiting);
        match outcome {
            Ok(Outcome::Answered(Ok(result))) => serde_json::from_str(result.get()).map_err(form),
            Ok(Outcome::Answered(Err(error))) => {
                let message::RpcError { code, message, data } = error;
                Err(ClientError::Refused { method, code, message, data })
            }
            Ok(Outcome::Gone(reason)) => Err(ClientError::Gone(reason)),
            Err(_) => Err(self.link.why()),
        }
    }

    /// Tells the server something.
    ///
    /// # Errors
    /// When the server is gone, or the parameters are no JSON.
    pub fn notify<N: Notification>(&self, params: N::Params) -> Result<(), ClientError> {
        let params = serde_json::to_value(params)
            .map_err(|error| ClientError::Form { method: N::METHOD, reason: error.to_string() })?;
        self.link.send(&message::notification(N::METHOD, params))
    }

    /// What the server has said on its own.
    pub fn observed(&self) -> &Observed {
        &self.link.observed
    }

    /// Waits until the server is gone, and says why.
    pub async fn gone(&self) -> String {
        // The sender lives in the link, so waiting cannot fail.
        let _ = self.link.gone.subscribe().wait_for(|gone| *gone).await;
        self.link.pending.closed().unwrap_or_default()
    }
}

/// A request that was sent; dropped before its answer came, it is cancelled.
struct Waiting<'a> {
    link: &'a Link,
    id: i64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.link.pending.forget(self.id) {
            // A server that is gone needs no telling.
            let _ = self.link.send(&message::notification("$/cancelRequest", json!({"id": self.id})));
        }
    }
}

impl Link {
    fn send(&self, body: &[u8]) -> Result<(), ClientError> {
        if self.pending.closed().is_some() {
            return Err(self.why());
        }
        self.outgoing.send(frame(body)).map_err(|_| self.why())
    }

    fn why(&self) -> ClientError {
        ClientError::Gone(self.pending.closed().unwrap_or_else(|| "the connection is closed".to_owned()))
    }

    fn receive(&self, body: &[u8]) {
        match Incoming::parse(body) {
            Ok(Incoming::Request { id, method, params }) => {
                let answer = self.answers.answer(&method, &params);
                if self.send(&message::answer(id, answer)).is_err() {
                    tracing::debug!(method, "the server is gone before it was answered");
                }
            }
            Ok(Incoming::Notification { method, params }) => self.observed.notification(&method, &params),
            Ok(Incoming::Response { id, answer }) => {
                if !self.pending.answer(id, answer) {
                    tracing::debug!(id, "an answer that nobody waits for");
                }
            }
            // The frame was whole: the next one can be read.
            Err(reason) => tracing::warn!(reason, "a message of a language server cannot be read"),
        }
    }

    async fn close(&self, reason: String) {
        let last_words = self.stderr.last_words().await;
        let reason = if last_words.is_empty() {
            reason
        } else {
            format!("{reason}; it said: {}", last_words.join(" | "))
        };
        self.pending.close(&reason);
        self.gone.send_replace(true);
    }
}

async fn write<W: AsyncWrite + Unpin>(
    link: Weak<Link>,
    mut writer: W,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
) {
    while let Some(frame) = queue.recv().await {
        let written = async {
            writer.write_all(&frame).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            if let Some(link) = link.upgrade() {
                link.close(format!("writing to it failed: {error}")).await;
            }
            return;
        }
    }
    // The last client is gone: the server sees the end of its input, and may be gone as well.
    let _ = writer.shutdown().await;
}

async fn read<R: AsyncRead + Unpin>(link: Weak<Link>, reader: R) {
    let mut reader = BufReader::new(reader);
    let reason = loop {
        match read_frame(&mut reader).await {
            Ok(Some(body)) => match link.upgrade() {
                Some(link) => link.receive(&body),
                None => return,
            },
            Ok(None) => break "it closed its output".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    if let Some(link) = link.upgrade() {
        link.close(reason).await;
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("closed", &self.link.pending.closed()).finish_non_exhaustive()
    }
}
