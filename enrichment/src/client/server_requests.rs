//! Answers to the requests that a server sends to its client: settings, the folders of the
//! workspace, and refusals.

use super::message::{METHOD_NOT_FOUND, RpcError};
use lsp_types::WorkspaceFolder;
use serde_json::{Value, json};

/// The data for the client's answers. The default is a client that shows nothing and allows no
/// changes.
#[derive(Clone, Debug, Default)]
pub struct ClientAnswers {
    /// Settings as a JSON object. A section such as `a.b` is found by following its parts through
    /// the nested objects.
    pub settings: Value,
    /// The folders of the workspace.
    pub folders: Vec<WorkspaceFolder>,
}

impl ClientAnswers {
    /// Answers one request from the server.
    pub(super) fn answer_request(&self, method: &str, params: &Value) -> Result<Value, RpcError> {
        match method {
            "workspace/configuration" => {
                let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
                Ok(items
                    .iter()
                    .map(|item| self.setting_for_section(item["section"].as_str().unwrap_or("")))
                    .collect())
            }
            "workspace/workspaceFolders" => Ok(json!(self.folders)),
            // There is no user to choose an action.
            "client/registerCapability"
            | "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "window/showMessageRequest"
            | "workspace/codeLens/refresh"
            | "workspace/semanticTokens/refresh"
            | "workspace/inlayHint/refresh"
            | "workspace/inlineValue/refresh"
            | "workspace/foldingRange/refresh"
            | "workspace/diagnostic/refresh" => Ok(Value::Null),
            "window/showDocument" => Ok(json!({"success": false})),
            "workspace/applyEdit" => Ok(json!({
                "applied": false,
                "failureReason": "this client is read-only",
            })),
            _ => Err(RpcError {
                code: METHOD_NOT_FOUND,
                message: format!("this client does not support {method}"),
                data: None,
            }),
        }
    }

    fn setting_for_section(&self, section: &str) -> Value {
        let parts = section.split('.').filter(|part| !part.is_empty());
        parts.fold(&self.settings, |value, part| &value[part]).clone()
    }
}
