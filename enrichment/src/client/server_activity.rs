//! The notifications that a server has sent: the progress of its work, and messages.

use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokio::sync::watch;

/// Maximum number of messages to keep. Servers log thousands while they load a workspace.
const MAX_MESSAGES: usize = 50;

/// The work that a server is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkProgress {
    /// Titles of the work in progress, by token.
    pub active: BTreeMap<String, String>,
    /// Number of finished pieces of work.
    pub finished: u64,
    /// The last `experimental/serverStatus` of rust-analyzer: whether nothing is left to do. `None`
    /// if none was received.
    pub quiescent: Option<bool>,
}

impl WorkProgress {
    /// Whether the server reports that it has nothing to do.
    pub fn is_idle(&self) -> bool {
        self.active.is_empty() && self.quiescent != Some(false)
    }
}

/// Everything that a server has reported so far. Tasks can wait for changes in each part.
#[derive(Default)]
pub struct ServerActivity {
    progress: watch::Sender<WorkProgress>,
    messages: watch::Sender<VecDeque<String>>,
}

impl ServerActivity {
    /// Returns the work that the server is doing now.
    pub fn current_progress(&self) -> WorkProgress {
        self.progress.borrow().clone()
    }

    /// Returns a receiver that follows the work in progress.
    pub fn watch_progress(&self) -> watch::Receiver<WorkProgress> {
        self.progress.subscribe()
    }

    /// Returns the last messages to the user and the log, oldest first.
    pub fn recent_messages(&self) -> Vec<String> {
        self.messages.borrow().iter().cloned().collect()
    }

    /// Waits until the server has had nothing to do for the duration `quiet`, because servers pause
    /// between two pieces of work.
    pub async fn wait_for_idle(&self, quiet: Duration) {
        let mut progress = self.watch_progress();
        loop {
            // The sender lives as long as `self`, so waiting cannot fail.
            if progress.wait_for(WorkProgress::is_idle).await.is_err() {
                return;
            }
            progress.mark_unchanged();
            if tokio::time::timeout(quiet, progress.changed()).await.is_err() {
                return;
            }
        }
    }

    /// Records a notification. Never waits.
    pub(super) fn record_notification(&self, method: &str, params: &Value) {
        match method {
            "$/progress" => self.record_progress(params),
            "experimental/serverStatus" => {
                let quiescent = params["quiescent"].as_bool();
                self.progress.send_modify(|progress| progress.quiescent = quiescent.or(progress.quiescent));
            }
            "window/showMessage" | "window/logMessage" => {
                let Some(text) = params["message"].as_str() else { return };
                self.messages.send_modify(|messages| {
                    if messages.len() == MAX_MESSAGES {
                        messages.pop_front();
                    }
                    messages.push_back(text.to_owned());
                });
            }
            _ => {}
        }
    }

    fn record_progress(&self, params: &Value) {
        // A token is a number or a string. JSON text keeps the two apart.
        let (token, value) = (params["token"].to_string(), &params["value"]);
        match value["kind"].as_str() {
            Some("begin") => {
                let title = value["title"].as_str().unwrap_or("").to_owned();
                self.progress.send_modify(|progress| {
                    progress.active.insert(token, title);
                });
            }
            Some("end") => self.progress.send_modify(|progress| {
                if progress.active.remove(&token).is_some() {
                    progress.finished += 1;
                }
            }),
            _ => {}
        }
    }
}
