//! The editor's settings: asking for them, and reading its messages about them.

use super::capabilities;
use crate::config::declared;
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

/// Asks to be told of changes, and for the settings themselves.
pub async fn begin(client: &Client, can: capabilities::Client, session: &Arc<Session>) {
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
    ask(client, can, session, false).await;
}

/// Takes a message about changed settings: what it says, and what the editor answers when it is asked.
pub async fn changed(client: &Client, can: capabilities::Client, session: &Arc<Session>, settings: &Value) {
    let section = section(settings);
    if section.is_some() || !can.configuration {
        session.take_settings(section);
    }
    ask(client, can, session, section.is_none()).await;
}

/// Asks the editor for the settings of each folder, if it answers such questions, and waits a little for the answer.
pub async fn ask(client: &Client, can: capabilities::Client, session: &Arc<Session>, takes_back: bool) {
    if !can.configuration {
        return;
    }
    let pull = session.ask_for_settings(takes_back);
    let roots: Vec<_> = session.folders().iter().map(|folder| folder.root().to_owned()).collect();
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
            Ok(answers) => session.take_answers(pull, roots.into_iter().zip(answers)),
            Err(error) => tracing::warn!(%error, "the client does not say its settings"),
        }
    });
    // What is not answered in time is taken whenever it comes.
    let _ = tokio::time::timeout(WAIT_FOR_SETTINGS, asked).await;
}

/// What a message says of Kenning: its section, or the options themselves. Some editors send the settings of every
/// server to every server.
fn section(settings: &Value) -> Option<&Value> {
    let fields = settings.as_object()?;
    if let Some(section) = fields.get(SECTION) {
        return section.is_object().then_some(section);
    }
    let is_ours = |key: &str| {
        let parts: Vec<&str> = key.split('.').collect();
        let own = parts.strip_prefix(&[SECTION][..]).unwrap_or(&parts);
        !own.is_empty() && declared::options().iter().any(|option| option.starts_with(own))
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
            assert_eq!(section(&settings), Some(&settings));
        }
        assert_eq!(section(&json!({ "kenning": said, "gopls": {} })), Some(&said));
        assert_eq!(section(&json!({ "kenning": {} })), Some(&json!({})));
        for nothing in
            [json!(null), json!({}), json!({ "gopls": { "x": 1 } }), json!({ "kenning": null }), json!([])]
        {
            assert_eq!(section(&nothing), None, "{nothing}");
        }
    }
}
