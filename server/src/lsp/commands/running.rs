//! A command at work: its switch to stop it, and the progress that the client sees.

use super::CommandCall;
use crate::cancel::CancelToken;
use crate::lsp::progress;
use lsp_types::{NumberOrString, ProgressToken};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Work that takes less is not shown, unless the client gave a token for it.
const SHOW_AFTER: Duration = Duration::from_millis(200);

/// Numbers the tokens of this process.
static TOKENS: AtomicU32 = AtomicU32::new(0);

/// A running command. When it is dropped (`$/cancelRequest` drops the whole request), its work is cancelled.
pub struct RunningCommand {
    cancel: CancelToken,
    done: Option<oneshot::Sender<()>>,
    /// Shows progress under the client's own token, which is valid only until the answer is sent.
    shown: Option<JoinHandle<()>>,
}

impl RunningCommand {
    /// Work begins; `title` is what the client shows.
    pub fn begin_with_progress(call: &CommandCall, title: &'static str) -> Self {
        let cancel = CancelToken::default();
        let (done, over) = oneshot::channel();
        let task = match call.token.clone() {
            Some(token) => {
                Some(tokio::spawn(show_progress(call.clone(), token, title, cancel.clone(), over)))
            }
            None if call.can.work_done_progress => {
                tokio::spawn(show_after_delay(call.clone(), title, cancel.clone(), over));
                None
            }
            None => None,
        };
        Self { cancel, done: Some(done), shown: task }
    }

    /// The switch that stops the work.
    pub fn cancel_token(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// Returns when the person cancels the progress.
    pub async fn wait_for_cancel(&self) {
        self.cancel.wait_for_cancel().await;
    }

    /// The work is over; the client's progress ends before the answer is sent.
    pub async fn finish_progress(mut self) {
        self.done = None;
        if let Some(shown) = self.shown.take() {
            let _ = shown.await;
        }
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Shows progress under a token that the server makes, if the work takes long enough.
async fn show_after_delay(
    call: CommandCall,
    title: &'static str,
    cancel: CancelToken,
    mut over: oneshot::Receiver<()>,
) {
    tokio::select! {
        _ = &mut over => return,
        () = tokio::time::sleep(SHOW_AFTER) => {}
    }
    let number = TOKENS.fetch_add(1, Ordering::Relaxed);
    let token = NumberOrString::String(format!("kenning/command/{number}"));
    if call.client.create_work_done_progress(token.clone()).await.is_ok() {
        show_progress(call, token, title, cancel, over).await;
    }
}

/// Shows progress until the work is over. `window/workDoneProgress/cancel` for the token stops the work.
async fn show_progress(
    call: CommandCall,
    token: ProgressToken,
    title: &'static str,
    cancel: CancelToken,
    over: oneshot::Receiver<()>,
) {
    let key = progress::token_key(&token);
    call.cancellations.insert(key.clone(), cancel);
    let shown = call.client.progress(token, title).with_cancel_button().begin().await;
    // Both the end of the work and a dropped request close the channel.
    let _ = over.await;
    call.cancellations.remove(&key);
    shown.finish().await;
}
