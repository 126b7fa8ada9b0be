//! The token that cancels a piece of work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// A token that asks work to stop. It cannot be reset. Its clones share one state.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    flag: Arc<AtomicBool>,
    notify: Arc<Notify>,
}

impl From<Arc<AtomicBool>> for CancelToken {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self { flag, notify: Arc::default() }
    }
}

impl CancelToken {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
        self.notify.notify_waiters();
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::SeqCst)
    }

    /// Returns the state as a plain flag, for code that does not know this type. It is true once
    /// the work must stop.
    pub fn shared_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Waits until the work is asked to stop.
    pub async fn wait_for_cancel(&self) {
        // The waiter is registered before the flag is read, so that no notification is missed in
        // between.
        let notification = self.notify.notified();
        if !self.is_cancelled() {
            notification.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_ends_when_work_is_or_was_cancelled() {
        let cancel = CancelToken::default();
        let waiting = tokio::spawn({
            let cancel = cancel.clone();
            async move { cancel.wait_for_cancel().await }
        });
        assert!(!cancel.is_cancelled());
        cancel.cancel();
        waiting.await.unwrap();
        cancel.wait_for_cancel().await;
        assert!(cancel.is_cancelled());
    }
}
