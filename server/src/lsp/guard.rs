//! The service between the protocol library and the client: no panic ends the session, and every
//! request has one answer.
//!
//! The library runs all handlers in one task, which a panic would end. It also leaves some requests
//! unanswered, and answers others with a code that the specification does not allow. The guard
//! catches panics, replaces these answers, delays messages that follow `initialize` and `shutdown`
//! until those are answered, and records traces.

use super::trace::MessageTrace;
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_service::Service;

/// The method of the request by which [`super::framing`] replaces a message that could not be read.
/// Its parameters are the error to answer with.
pub const UNREADABLE: &str = "$/kenning/unreadable";

/// The error code of a request before `initialize` (`ErrorCodes.ServerNotInitialized`).
const NOT_INITIALIZED: i64 = -32002;

/// The stage of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionStage {
    Fresh,
    /// `initialize` is being answered. Nothing else is handled until that is done.
    Initializing,
    Running,
    /// `shutdown` is being answered. An `exit` that arrives with it must not overtake the answer.
    ShuttingDown,
    ShutDown,
}

impl SessionStage {
    /// Whether the next message must wait until this stage has ended.
    fn blocks_messages(self) -> bool {
        matches!(self, Self::Initializing | Self::ShuttingDown)
    }
}

/// The state that the guard shares with running requests.
#[derive(Default)]
struct GuardState {
    /// A [`SessionStage`].
    stage: AtomicU8,
    /// The waker of the task that waits until `initialize` or `shutdown` is answered.
    waker: Mutex<Option<Waker>>,
    /// The ids of requests that panicked, which the library still counts as running.
    abandoned: Mutex<Vec<Id>>,
}

impl GuardState {
    fn current_stage(&self) -> SessionStage {
        match self.stage.load(Ordering::SeqCst) {
            0 => SessionStage::Fresh,
            1 => SessionStage::Initializing,
            2 => SessionStage::Running,
            3 => SessionStage::ShuttingDown,
            _ => SessionStage::ShutDown,
        }
    }

    fn set_stage(&self, stage: SessionStage) {
        self.stage.store(stage as u8, Ordering::SeqCst);
        if let Some(waker) = self.waker.lock().unwrap_or_else(PoisonError::into_inner).take() {
            waker.wake();
        }
    }
}

/// A service that wraps the library's.
pub struct ServiceGuard<S> {
    inner: S,
    trace: Arc<MessageTrace>,
    /// Receives a message when `exit` arrives.
    exited: UnboundedSender<()>,
    shared: Arc<GuardState>,
}

impl<S> ServiceGuard<S> {
    /// Creates the guard of `inner`.
    pub fn new(inner: S, trace: Arc<MessageTrace>, exited: UnboundedSender<()>) -> Self {
        Self { inner, trace, exited, shared: Arc::default() }
    }
}

type ResponseFuture<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

impl<S> Service<Request> for ServiceGuard<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        // Some clients do not wait for the answer to `initialize`. The messages that they send
        // after it must not be lost.
        let mut waker = self.shared.waker.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.current_stage().blocks_messages() {
            *waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        drop(waker);
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        self.forget_abandoned();
        let (method, id, stage) =
            (request.method().to_owned(), request.id().cloned(), self.shared.current_stage());
        match method.as_str() {
            UNREADABLE => return ready_response(Some(answer_unreadable(request))),
            "$/setTrace" => {
                self.trace.set_verbosity(request.params().and_then(|params| params.get("value")));
                return ready_response(id.map(|id| Response::from_error(id, Error::invalid_request())));
            }
            "initialize" if stage == SessionStage::Fresh && id.is_some() => {
                self.trace.set_verbosity(request.params().and_then(|params| params.get("trace")));
                self.shared.set_stage(SessionStage::Initializing);
            }
            "shutdown" if stage == SessionStage::Running && id.is_some() => {
                self.shared.set_stage(SessionStage::ShuttingDown);
            }
            "exit" => {
                let _ = self.exited.send(());
            }
            _ => {}
        }
        if let Some(error) = id.is_none().then(|| unreadable_notification(&request)).flatten() {
            // A notification has no answer, so only the log shows the error. The log does not
            // contain the message.
            tracing::warn!(method, %error, "ignoring an unreadable notification");
        }
        // The protocol allows no message before the answer to `initialize`.
        let record = (method != "initialize").then(|| self.trace.begin_record(&request)).flatten();
        let started = Instant::now();
        let (trace, shared) = (Arc::clone(&self.trace), Arc::clone(&self.shared));
        let call_result = catch_unwind(AssertUnwindSafe(|| self.inner.call(request)));
        Box::pin(async move {
            let outcome = match call_result {
                Ok(future) => catch_panics(future).await,
                Err(panic) => Err(panic),
            };
            let answer = match outcome {
                Ok(answer) => answer.map(|answer| complete_response(answer, id.as_ref(), stage)),
                Err(_) => Ok(panic_response(&method, id, &shared)),
            };
            if method == "initialize" && shared.current_stage() == SessionStage::Initializing {
                let done = matches!(&answer, Ok(Some(response)) if response.is_ok());
                shared.set_stage(if done { SessionStage::Running } else { SessionStage::Fresh });
            }
            if method == "shutdown" && shared.current_stage() == SessionStage::ShuttingDown {
                shared.set_stage(SessionStage::ShutDown);
            }
            if let Some(record) = record {
                let error = answer.as_ref().ok().and_then(|answer| answer.as_ref()?.error());
                trace.end_record(record, started.elapsed(), error).await;
            }
            answer
        })
    }
}

impl<S> ServiceGuard<S>
where
    S: Service<Request, Response = Option<Response>>,
{
    /// Tells the library that the panicked requests have ended, so that the client can use their
    /// ids again.
    fn forget_abandoned(&mut self) {
        let ids = std::mem::take(&mut *self.shared.abandoned.lock().unwrap_or_else(PoisonError::into_inner));
        for id in ids {
            let id = match id {
                Id::Number(number) => json!(number),
                Id::String(text) => json!(text),
                Id::Null => continue,
            };
            // A cancellation takes effect when it is called; there is no answer to wait for.
            let cancel = Request::build("$/cancelRequest").params(json!({ "id": id })).finish();
            let mut cancelled = pin!(self.inner.call(cancel));
            let _ = cancelled.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
    }
}

/// Runs a future until it completes or panics.
async fn catch_panics<F: Future>(future: F) -> std::thread::Result<F::Output> {
    let mut future = pin!(future);
    std::future::poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

fn ready_response<E: Send + 'static>(answer: Option<Response>) -> ResponseFuture<E> {
    Box::pin(std::future::ready(Ok(answer)))
}

/// Returns the error in the parameters of a notification about a document, if there is one. The
/// library ignores such notifications silently.
fn unreadable_notification(request: &Request) -> Option<serde_json::Error> {
    let params = request.params().unwrap_or(&Value::Null);
    match request.method() {
        "textDocument/didOpen" => DidOpenTextDocumentParams::deserialize(params).err(),
        "textDocument/didChange" => DidChangeTextDocumentParams::deserialize(params).err(),
        "textDocument/didSave" => DidSaveTextDocumentParams::deserialize(params).err(),
        "textDocument/didClose" => DidCloseTextDocumentParams::deserialize(params).err(),
        _ => None,
    }
}

/// Builds the answer to a message that could not be read.
fn answer_unreadable(request: Request) -> Response {
    let (_, id, params) = request.into_parts();
    let error = params.and_then(|params| serde_json::from_value(params).ok());
    Response::from_error(id.unwrap_or(Id::Null), error.unwrap_or_else(Error::invalid_request))
}

/// Turns the library's answer into the one that the specification requires. Returns `None` for a
/// notification.
fn complete_response(answer: Option<Response>, id: Option<&Id>, stage: SessionStage) -> Option<Response> {
    let id = id?;
    let Some(answer) = answer else {
        // The library does not answer unknown `$/` methods. Such notifications may be ignored, but
        // a request always needs an answer.
        return Some(Response::from_error(id.clone(), Error::method_not_found()));
    };
    let is_unknown_method = answer.error().is_some_and(|error| error.code == ErrorCode::MethodNotFound);
    match stage {
        SessionStage::Fresh | SessionStage::Initializing if is_unknown_method => {
            let code = ErrorCode::ServerError(NOT_INITIALIZED);
            let message = "the server is not initialized; send `initialize` first".into();
            Some(Response::from_error(id.clone(), Error { code, message, data: None }))
        }
        SessionStage::ShutDown if is_unknown_method => {
            Some(Response::from_error(id.clone(), Error::invalid_request()))
        }
        _ => Some(name_error_field(answer, id)),
    }
}

/// Rewrites a library error about unreadable parameters so that it starts with the field, like
/// Kenning's own errors. It starts with `params` if the library does not name the field.
fn name_error_field(answer: Response, id: &Id) -> Response {
    let message = match answer.error() {
        Some(error) if error.code == ErrorCode::InvalidParams => error.message.as_ref(),
        _ => return answer,
    };
    let message = match message.strip_prefix("missing field `").and_then(|rest| rest.split_once('`')) {
        Some((field, _)) => format!("{field}: missing"),
        None if message.starts_with("invalid type: ") || message.starts_with("invalid value: ") => {
            format!("params: {message}")
        }
        None => return answer,
    };
    Response::from_error(id.clone(), Error::invalid_params(message))
}

/// Builds the answer to a request that panicked; `None` for a notification.
fn panic_response(method: &str, id: Option<Id>, shared: &GuardState) -> Option<Response> {
    tracing::error!(method, "internal error while handling a message; the session continues");
    let id = id?;
    shared.abandoned.lock().unwrap_or_else(PoisonError::into_inner).push(id.clone());
    let message = format!("Internal error in {method}. See the log.");
    let error = Error { code: ErrorCode::InternalError, message: message.into(), data: None };
    Some(Response::from_error(id, error))
}

/// Builds the parameters of an [`UNREADABLE`] request.
pub fn unreadable_params(error: &Error) -> Value {
    json!({ "code": error.code.code(), "message": error.message })
}
