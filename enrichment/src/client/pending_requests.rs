//! Requests that wait for their answers.

use super::error::ClientError;
use super::message::RpcError;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// What a waiting request gets.
pub(super) enum RequestOutcome {
    Answered(Result<Box<RawValue>, RpcError>),
    /// The server is gone, for this reason.
    Gone(String),
}

/// The table of waiting requests. Closed once, with a reason: what comes after gets that reason.
#[derive(Default)]
pub(super) struct PendingRequests {
    next: AtomicI64,
    table: Mutex<PendingTable>,
}

#[derive(Default)]
struct PendingTable {
    waiting: HashMap<i64, oneshot::Sender<RequestOutcome>>,
    closed: Option<String>,
}

impl PendingRequests {
    fn lock_table(&self) -> MutexGuard<'_, PendingTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for an answer; to be done before the request is sent, or an answer could come too early.
    pub fn register_request(&self) -> Result<(i64, oneshot::Receiver<RequestOutcome>), ClientError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, receiver) = oneshot::channel();
        let mut table = self.lock_table();
        if let Some(reason) = &table.closed {
            return Err(ClientError::Gone(reason.clone()));
        }
        table.waiting.insert(id, sender);
        Ok((id, receiver))
    }

    /// Hands an answer to the request it belongs to; `false` where none waits: it was cancelled, or answered already.
    pub fn complete_request(&self, id: i64, answer: Result<Box<RawValue>, RpcError>) -> bool {
        let waiting = self.lock_table().waiting.remove(&id);
        waiting.is_some_and(|sender| sender.send(RequestOutcome::Answered(answer)).is_ok())
    }

    /// Forgets a request; whether it still waited.
    pub fn forget_request(&self, id: i64) -> bool {
        self.lock_table().waiting.remove(&id).is_some()
    }

    /// Ends all requests, those to come as well. The first reason counts.
    pub fn close_all(&self, reason: &str) {
        let mut table = self.lock_table();
        let reason = table.closed.get_or_insert_with(|| reason.to_owned()).clone();
        for (_, sender) in std::mem::take(&mut table.waiting) {
            // Whoever waited may have given up at this very moment.
            let _ = sender.send(RequestOutcome::Gone(reason.clone()));
        }
    }

    /// Why no request is taken any more.
    pub fn close_reason(&self) -> Option<String> {
        self.lock_table().closed.clone()
    }
}
