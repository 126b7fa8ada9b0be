//! A running command: its cancellation, and the progress that the client shows.

use super::CommandCall;
use crate::cancel::CancelToken;
use crate::lsp::progress;
use lsp_types::{NumberOrString, ProgressToken};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Delay before progress is shown. If the client sent a token, progress is shown immediately.
const SHOW_AFTER: Duration = Duration::from_millis(200);

/// The number of the next token in this process.
static NEXT_TOKEN: AtomicU32 = AtomicU32::new(0);

/// A running command. Its work is cancelled when it is dropped, because `$/cancelRequest` drops the
/// whole request.
pub struct RunningCommand {
    cancel: CancelToken,
    done: Option<oneshot::Sender<()>>,
    /// The task that shows progress under the client's own token, which is valid only until the
    /// answer is sent.
    progress_task: Option<JoinHandle<()>>,
}

impl RunningCommand {
    /// Starts the progress of a command. The client shows `title`.
    pub fn begin_with_progress(call: &CommandCall, title: &'static str) -> Self {
        let cancel = CancelToken::default();
        let (done, finished) = oneshot::channel();
        let task = match call.token.clone() {
            Some(token) => {
                Some(tokio::spawn(show_progress(call.clone(), token, title, cancel.clone(), finished)))
            }
            None if call.capabilities.work_done_progress => {
                tokio::spawn(show_after_delay(call.clone(), title, cancel.clone(), finished));
                None
            }
            None => None,
        };
        Self { cancel, done: Some(done), progress_task: task }
    }

    /// Returns the token that cancels the work.
    pub fn cancel_token(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// Waits until the user cancels the progress.
    pub async fn wait_for_cancel(&self) {
        self.cancel.wait_for_cancel().await;
    }

    /// Ends the progress, so that it has ended before the answer is sent.
    pub async fn finish_progress(mut self) {
        self.done = None;
        if let Some(progress_task) = self.progress_task.take() {
            let _ = progress_task.await;
        }
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Shows progress under a token that the server creates, if the work takes long enough.
async fn show_after_delay(
    call: CommandCall,
    title: &'static str,
    cancel: CancelToken,
    mut finished: oneshot::Receiver<()>,
) {
    tokio::select! {
        _ = &mut finished => return,
        () = tokio::time::sleep(SHOW_AFTER) => {}
    }
    let number = NEXT_TOKEN.fetch_add(1, Ordering::Relaxed);
    let token = NumberOrString::String(format!("kenning/command/{number}"));
    if call.client.create_work_done_progress(token.clone()).await.is_ok() {
        show_progress(call, token, title, cancel, finished).await;
    }
}

/// Shows progress until the work has ended. `window/workDoneProgress/cancel` for the token cancels
/// the work.
async fn show_progress(
    call: CommandCall,
    token: ProgressToken,
    title: &'static str,
    cancel: CancelToken,
    finished: oneshot::Receiver<()>,
) {
    let key = progress::token_key(&token);
    call.cancellations.insert(key.clone(), cancel);
    let ongoing = call.client.progress(token, title).with_cancel_button().begin().await;
    // The channel is closed both when the work ends and when the request is dropped.
    let _ = finished.await;
    call.cancellations.remove(&key);
    ongoing.finish().await;
}
