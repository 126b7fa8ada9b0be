//! Requests the editor's settings, and handles messages about changed settings.

use super::capabilities;
use crate::config::option_table;
use crate::session::{EmptyAnswer, Session};
use lsp_types::{ConfigurationItem, Registration, Uri};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::Client;

/// Kenning's section in an editor's settings.
const SECTION: &str = "kenning";

/// Maximum time that the first indexing waits for the editor's settings, which may exclude files. A
/// late answer still takes effect.
const WAIT_FOR_SETTINGS: Duration = Duration::from_secs(1);

/// Registers for notifications of changes, and requests the current settings.
pub async fn register_and_pull(
    client: &Client,
    capabilities: capabilities::ClientFeatures,
    session: &Arc<Session>,
) {
    if capabilities.configuration_changes {
        let registration = Registration {
            id: "kenning/configuration".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(json!({ "section": SECTION })),
        };
        let client = client.clone();
        tokio::spawn(async move {
            if let Err(error) = client.register_capability(vec![registration]).await {
                tracing::warn!(%error, "the client refused to report changed settings");
            }
        });
    }
    pull_settings(client, capabilities, session, EmptyAnswer::KeepsSettings).await;
}

/// Handles a message about changed settings: applies its content and requests the current settings.
pub async fn handle_changed_settings(
    client: &Client,
    capabilities: capabilities::ClientFeatures,
    session: &Arc<Session>,
    settings: &Value,
) {
    let section = kenning_section(settings);
    if section.is_some() || !capabilities.configuration {
        session.replace_settings(section);
    }
    let empty_answer =
        if section.is_none() { EmptyAnswer::RevokesSettings } else { EmptyAnswer::KeepsSettings };
    pull_settings(client, capabilities, session, empty_answer).await;
}

/// Requests the settings of each folder, if the editor supports that, and waits for
/// [`WAIT_FOR_SETTINGS`] at most.
pub async fn pull_settings(
    client: &Client,
    capabilities: capabilities::ClientFeatures,
    session: &Arc<Session>,
    empty_answer: EmptyAnswer,
) {
    if !capabilities.configuration {
        return;
    }
    let settings_request = session.begin_settings_request(empty_answer);
    let roots: Vec<_> = session.served_folders().iter().map(|folder| folder.root_path().to_owned()).collect();
    let items = roots.iter().map(|root| ConfigurationItem {
        scope_uri: Uri::from_file_path(root),
        section: Some(SECTION.to_owned()),
    });
    let (client, session, items) = (client.clone(), Arc::clone(session), items.collect::<Vec<_>>());
    let answer = tokio::spawn(async move {
        if items.is_empty() {
            return;
        }
        match client.configuration(items).await {
            Ok(answers) => session.apply_settings_answers(settings_request, roots.into_iter().zip(answers)),
            Err(error) => tracing::warn!(%error, "the client did not return its settings"),
        }
    });
    // A late answer is applied when it arrives.
    let _ = tokio::time::timeout(WAIT_FOR_SETTINGS, answer).await;
}

/// Returns Kenning's part of a message: its section, or the whole message if it contains options of
/// Kenning directly; `None` if there is none. Some editors send the settings of every server to
/// every server.
fn kenning_section(settings: &Value) -> Option<&Value> {
    let fields = settings.as_object()?;
    if let Some(section) = fields.get(SECTION) {
        return section.is_object().then_some(section);
    }
    let is_ours = |key: &str| {
        let parts: Vec<&str> = key.split('.').collect();
        let path = parts.strip_prefix(&[SECTION][..]).unwrap_or(&parts);
        !path.is_empty() && option_table::all_options().iter().any(|option| option.starts_with(path))
    };
    fields.keys().any(|key| is_ours(key)).then_some(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_of_kenning_are_used() {
        let options = json!({ "hover": { "enabled": false } });
        for settings in
            [options.clone(), json!({ "kenning.hover.enabled": false }), json!({ "hover.enabled": 1 })]
        {
            assert_eq!(kenning_section(&settings), Some(&settings));
        }
        assert_eq!(kenning_section(&json!({ "kenning": options, "gopls": {} })), Some(&options));
        assert_eq!(kenning_section(&json!({ "kenning": {} })), Some(&json!({})));
        for other in
            [json!(null), json!({}), json!({ "gopls": { "x": 1 } }), json!({ "kenning": null }), json!([])]
        {
            assert_eq!(kenning_section(&other), None, "{other}");
        }
    }
}
