//! The table of requests that wait for their answers.

use super::error::ClientError;
use super::message::RpcError;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// The result of a request.
pub(super) enum RequestOutcome {
    Answered(Result<Box<RawValue>, RpcError>),
    /// The connection is closed, for this reason.
    Disconnected(String),
}

/// The table of pending requests. It is closed once, with a reason; later requests fail with that
/// reason.
#[derive(Default)]
pub(super) struct PendingRequests {
    last_id: AtomicI64,
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

    /// Registers a request. Call this before sending the request, because its answer could arrive
    /// immediately. Returns `ClientError::Disconnected` if the table is closed.
    pub fn register_request(&self) -> Result<(i64, oneshot::Receiver<RequestOutcome>), ClientError> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, receiver) = oneshot::channel();
        let mut table = self.lock_table();
        if let Some(reason) = &table.closed {
            return Err(ClientError::Disconnected(reason.clone()));
        }
        table.waiting.insert(id, sender);
        Ok((id, receiver))
    }

    /// Passes an answer to its request. Returns `false` if no such request is pending, because it
    /// was cancelled or answered already.
    pub fn complete_request(&self, id: i64, answer: Result<Box<RawValue>, RpcError>) -> bool {
        let waiting = self.lock_table().waiting.remove(&id);
        waiting.is_some_and(|sender| sender.send(RequestOutcome::Answered(answer)).is_ok())
    }

    /// Removes a request. Returns whether it was still pending.
    pub fn forget_request(&self, id: i64) -> bool {
        self.lock_table().waiting.remove(&id).is_some()
    }

    /// Fails all pending and later requests. Only the first reason is kept.
    pub fn close_all(&self, reason: &str) {
        let mut table = self.lock_table();
        let reason = table.closed.get_or_insert_with(|| reason.to_owned()).clone();
        for (_, sender) in std::mem::take(&mut table.waiting) {
            // The receiver may have given up at this moment.
            let _ = sender.send(RequestOutcome::Disconnected(reason.clone()));
        }
    }

    /// Returns the reason for which the table is closed. Returns `None` while it is open.
    pub fn close_reason(&self) -> Option<String> {
        self.lock_table().closed.clone()
    }
}
