//! Shows the session's events to the client: warnings as messages, indexing as work-done progress.

use super::capabilities;
use crate::cancel::CancelToken;
use crate::session::{Session, SessionEvent};
use dashmap::DashMap;
use lsp_types::{MessageType, NumberOrString, ProgressToken};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp::{Bounded, Cancellable, Client, OngoingProgress};

/// The tokens that cancel running work, by progress token.
pub type CancelTokens = Arc<DashMap<String, CancelToken>>;

/// Forwards events to the client until the session ends.
pub async fn forward_events(
    client: Client,
    capabilities: capabilities::ClientFeatures,
    session: Arc<Session>,
    mut events: UnboundedReceiver<SessionEvent>,
    cancellations: CancelTokens,
) {
    let mut running: BTreeMap<PathBuf, (String, OngoingProgress<Bounded, Cancellable>)> = BTreeMap::new();
    let mut count = 0_u32;
    while let Some(event) = events.recv().await {
        match event {
            SessionEvent::Warning(message) => client.show_message(MessageType::WARNING, message).await,
            SessionEvent::SettingsFileChanged(root) => {
                if let Some(folder) =
                    session.served_folders().iter().find(|folder| folder.root_path() == root)
                {
                    session.reload_settings_file(folder);
                }
            }
            SessionEvent::LensesChanged if capabilities.code_lens_refresh => {
                let client = client.clone();
                // The answer has no content, and an editor that does not answer must not delay
                // other events.
                tokio::spawn(async move { client.code_lens_refresh().await });
            }
            SessionEvent::LensesChanged => {}
            SessionEvent::Begin { root, cancel } if capabilities.work_done_progress => {
                count += 1;
                let name = format!("kenning/index/{count}");
                let token: ProgressToken = NumberOrString::String(name.clone());
                cancellations.insert(name.clone(), CancelToken::from(cancel));
                if client.create_work_done_progress(token.clone()).await.is_err() {
                    cancellations.remove(&name);
                    continue;
                }
                let progress = client.progress(token, "Kenning: indexing").with_percentage(0);
                running.insert(root, (name, progress.with_cancel_button().begin().await));
            }
            SessionEvent::Begin { .. } => {}
            SessionEvent::Report { root, stage, done, total } => {
                if let Some((_, progress)) = running.get(&root) {
                    let percentage = (done * 100).checked_div(total).unwrap_or(0).min(100);
                    let message = format!("{} {done}/{total}", describe_stage(stage));
                    progress.report_with_message(message, percentage as u32, Some(true)).await;
                }
            }
            SessionEvent::End { root, message } => {
                if let Some((name, progress)) = running.remove(&root) {
                    cancellations.remove(&name);
                    progress.finish_with_message(message).await;
                }
            }
        }
    }
}

/// Returns the words for a stage of indexing.
fn describe_stage(stage: &str) -> &str {
    match stage {
        "read" => "reading files",
        "resolve" => "resolving references",
        "store" => "saving",
        other => other,
    }
}

/// Returns the key of a progress token in [`CancelTokens`].
pub fn token_key(token: &ProgressToken) -> String {
    match token {
        NumberOrString::String(name) => name.clone(),
        // No string token of this server starts with a NUL character. A client may use both kinds
        // of tokens.
        NumberOrString::Number(number) => format!("\0{number}"),
    }
}

/// Cancels the work that is shown under this token, if it is still running.
pub fn cancel_progress(cancellations: &CancelTokens, token: &ProgressToken) {
    if let Some(cancel) = cancellations.get(&token_key(token)) {
        cancel.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_cancels_only_its_own_work() {
        let tokens = CancelTokens::default();
        let [one, two, three] = [(); 3].map(|()| CancelToken::default());
        tokens.insert("1".into(), one.clone());
        tokens.insert("two".into(), two.clone());
        tokens.insert(token_key(&NumberOrString::Number(3)), three.clone());
        cancel_progress(&tokens, &NumberOrString::String("two".into()));
        cancel_progress(&tokens, &NumberOrString::String("unknown".into()));
        cancel_progress(&tokens, &NumberOrString::Number(1));
        cancel_progress(&tokens, &NumberOrString::Number(3));
        assert!(!one.is_cancelled());
        assert!(two.is_cancelled());
        assert!(three.is_cancelled());
    }
}
