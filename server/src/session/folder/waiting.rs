//! The changes that a request waits for before it is answered, and the limits of this wait.

use super::{ChangeSequence, FolderChange, FolderView, IndexPhase, ReportPending, ServedFolder};
use std::time::{Duration, Instant};

/// Maximum time that a request waits for the changes that came before it.
pub const WAIT_FOR_WRITES: Duration = Duration::from_millis(100);

/// Age of the last disk check after which a request asks for another one.
const DISK_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Replaces [`DISK_CHECK_INTERVAL`] while the client or Kenning itself watches the files: the check
/// only finds changes that the watch missed.
const WATCHED_DISK_CHECK_INTERVAL: Duration = Duration::from_secs(60);

impl ServedFolder {
    /// Returns the position that a request about the current text (hover, lenses) must wait for:
    /// the edits before it.
    pub fn sequence_for_edits(&self) -> ChangeSequence {
        ChangeSequence { disk: 0, ..self.lock_queue().last }
    }

    /// Returns the position that a request about the whole workspace must wait for: everything that
    /// was queued before it. Queues a disk check if the last one is too long ago. `watched` is true
    /// if the client reports changed files.
    pub fn sequence_for_request(&self, now: Instant, watched: bool) -> ChangeSequence {
        let watched = watched || self.watches_files();
        let interval = if watched { WATCHED_DISK_CHECK_INTERVAL } else { DISK_CHECK_INTERVAL };
        let due = {
            let mut queue = self.lock_queue();
            let due = queue.last_disk_check.is_none_or(|last| now - last >= interval);
            if due {
                queue.last_disk_check = Some(now);
            }
            let state = self.published.borrow();
            // A first indexing that the user cancelled must not restart by itself.
            due && state.phase == IndexPhase::Ready && state.indexed_at.is_some()
        };
        if due { self.push_change(FolderChange::Refresh { path: None }) } else { self.lock_queue().last }
    }

    /// Waits until the changes of `arrival` are published, but at most for [`WAIT_FOR_WRITES`].
    /// Returns the view at that time.
    pub async fn wait_for_view(&self, arrival: ChangeSequence) -> FolderView {
        let mut published = self.published.clone();
        let arrived =
            published.wait_for(|state| state.done.edits >= arrival.edits && state.done.disk >= arrival.disk);
        let _ = tokio::time::timeout(WAIT_FOR_WRITES, arrived).await;
        self.current_view()
    }

    /// Queues a check of the disk, unless the first indexing is still running or was cancelled.
    /// Returns the position of the queue after it. A stored index that is still being opened may
    /// lack later changes, so it is checked as well.
    pub fn request_disk_check(&self) -> ChangeSequence {
        let is_indexed = {
            let state = self.published.borrow();
            state.indexed_at.is_some() || state.phase == IndexPhase::Opening
        };
        if !is_indexed {
            return self.last_sequence();
        }
        // Only the caller waits for this check. Other requests need it no more than before.
        self.queue_change(FolderChange::Refresh { path: None }, ReportPending::No)
    }

    /// Waits until there is an index that includes the changes of `arrival`, with the commits that
    /// earlier sessions read, or until indexing fails, but at most for `limit`. Returns the view at
    /// that time.
    pub async fn wait_until_current(&self, arrival: ChangeSequence, limit: Duration) -> FolderView {
        let mut published = self.published.clone();
        let arrived = published.wait_for(|state| {
            let includes = state.done.edits >= arrival.edits && state.done.disk >= arrival.disk;
            let has_commits = state.history.is_some() || !state.is_history_pending();
            let is_complete = includes && has_commits && state.indexed_at.is_some();
            is_complete || matches!(state.phase, IndexPhase::Failed(_))
        });
        if tokio::time::timeout(limit, arrived).await.is_ok() {
            // The request that follows need not check the disk again.
            self.lock_queue().last_disk_check = Some(Instant::now());
        }
        self.current_view()
    }
}
