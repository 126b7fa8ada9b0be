//! The editor's settings: asking for them, and reading its messages about them.

use super::capabilities;
use crate::config::option_table;
use crate::session::Session;
use lsp_types::{ConfigurationItem, Registration, Uri};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::Client;

/// The section of Kenning in an editor's settings.
const SECTION: &str = "kenning";

/// How long the first indexing waits for the editor's settings, which may leave files out. A late answer counts too.
const WAIT_FOR_SETTINGS: Duration = Duration::from_secs(1);

/// Registers for notifications of changes, and asks for the settings themselves.
pub async fn register_and_pull(client: &Client, can: capabilities::ClientFeatures, session: &Arc<Session>) {
    if can.configuration_changes {
        let registration = Registration {
            id: "kenning/configuration".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(json!({ "section": SECTION })),
        };
        let client = client.clone();
        tokio::spawn(async move {
            if let Err(error) = client.register_capability(vec![registration]).await {
                tracing::warn!(%error, "the client refused to tell of changed settings");
            }
        });
    }
    pull_settings(client, can, session, false).await;
}

/// Takes a message about changed settings: what it says, and what the editor answers when it is asked.
pub async fn handle_changed_settings(
    client: &Client,
    can: capabilities::ClientFeatures,
    session: &Arc<Session>,
    settings: &Value,
) {
    let section = kenning_section(settings);
    if section.is_some() || !can.configuration {
        session.replace_settings(section);
    }
    pull_settings(client, can, session, section.is_none()).await;
}

/// Asks the editor for the settings of each folder, if it answers such questions, and waits a little for the answer.
pub async fn pull_settings(
    client: &Client,
    can: capabilities::ClientFeatures,
    session: &Arc<Session>,
    takes_back: bool,
) {
    if !can.configuration {
        return;
    }
    let pull = session.begin_settings_request(takes_back);
    let roots: Vec<_> = session.served_folders().iter().map(|folder| folder.root_path().to_owned()).collect();
    let items = roots.iter().map(|root| ConfigurationItem {
        scope_uri: Uri::from_file_path(root),
        section: Some(SECTION.to_owned()),
    });
    let (client, session, items) = (client.clone(), Arc::clone(session), items.collect::<Vec<_>>());
    let asked = tokio::spawn(async move {
        if items.is_empty() {
            return;
        }
        match client.configuration(items).await {
            Ok(answers) => session.take_settings_answers(pull, roots.into_iter().zip(answers)),
            Err(error) => tracing::warn!(%error, "the client does not say its settings"),
        }
    });
    // What is not answered in time is taken whenever it comes.
    let _ = tokio::time::timeout(WAIT_FOR_SETTINGS, asked).await;
}

/// What a message says of Kenning: its section, or the options themselves. Some editors send the settings of every
/// server to every server.
fn kenning_section(settings: &Value) -> Option<&Value> {
    let fields = settings.as_object()?;
    if let Some(section) = fields.get(SECTION) {
        return section.is_object().then_some(section);
    }
    let is_ours = |key: &str| {
        let parts: Vec<&str> = key.split('.').collect();
        let own = parts.strip_prefix(&[SECTION][..]).unwrap_or(&parts);
        !own.is_empty() && option_table::all_options().iter().any(|option| option.starts_with(own))
    };
    fields.keys().any(|key| is_ours(key)).then_some(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_said_of_kenning_counts() {
        let said = json!({ "hover": { "enabled": false } });
        for settings in
            [said.clone(), json!({ "kenning.hover.enabled": false }), json!({ "hover.enabled": 1 })]
        {
            assert_eq!(kenning_section(&settings), Some(&settings));
        }
        assert_eq!(kenning_section(&json!({ "kenning": said, "gopls": {} })), Some(&said));
        assert_eq!(kenning_section(&json!({ "kenning": {} })), Some(&json!({})));
        for nothing in
            [json!(null), json!({}), json!({ "gopls": { "x": 1 } }), json!({ "kenning": null }), json!([])]
        {
            assert_eq!(kenning_section(&nothing), None, "{nothing}");
        }
    }
}
