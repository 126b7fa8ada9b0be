//! Checks whether a server follows the protocol through a whole session: types, directions,
//! answers, client capabilities.

use super::meta_model::{find_method, find_violations, type_named};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A checker of one session, which receives every message from the client and the server.
#[derive(Debug, Default)]
pub struct Validator {
    /// The capabilities of the client; null before `initialize`.
    capabilities: Value,
    initialized: bool,
    /// Methods of the client's unanswered requests, by id. An id that is used twice has two
    /// entries.
    unanswered: BTreeMap<String, Vec<String>>,
    /// Ids of the server's requests.
    server_ids: Vec<Value>,
    /// Whether work-done progress has begun, by token. Tokens come from the client, or the server
    /// had the client create them.
    progress: BTreeMap<String, bool>,
    /// Tokens for partial results that the client gave.
    partial: Vec<Value>,
}

impl Validator {
    /// Records a message from the client. Ignores values that are not messages.
    pub fn client_sends(&mut self, message: &Value) {
        let Some(method) = message["method"].as_str() else { return };
        let params = &message["params"];
        if let Some(id) = message.get("id") {
            self.unanswered.entry(id.to_string()).or_default().push(method.to_owned());
            if method == "initialize" {
                self.capabilities = params["capabilities"].clone();
            }
        }
        if let Some(token) = params.get("workDoneToken") {
            self.progress.insert(token.to_string(), false);
        }
        self.partial.extend(params.get("partialResultToken").cloned());
    }

    /// Checks a message from the server.
    ///
    /// # Panics
    /// Panics if the message violates the protocol, with all violations and the message.
    pub fn server_sends(&mut self, message: &Value) {
        let violations = match (message.get("method").and_then(Value::as_str), message.get("id")) {
            (None, _) => self.check_answer(message),
            (Some(method), None) => self.check_notification(method, &message["params"]),
            (Some(method), Some(id)) => self.check_request(method, id, message),
        };
        let version = if message["jsonrpc"] == "2.0" { None } else { Some("jsonrpc is not 2.0".to_owned()) };
        let violations: Vec<String> = violations.into_iter().chain(version).collect();
        assert!(
            violations.is_empty(),
            "the server breaks the protocol:\n{}\n{message}",
            violations.join("\n")
        );
    }

    fn check_answer(&mut self, message: &Value) -> Vec<String> {
        let id = &message["id"];
        let Some(unanswered) =
            self.unanswered.get_mut(&id.to_string()).filter(|unanswered| !unanswered.is_empty())
        else {
            // A message that could not be read has no known id.
            let code = &message["error"]["code"];
            let unreadable = code == -32700 || code == -32600;
            return if unreadable {
                error_violations(&message["error"])
            } else {
                vec![format!("no request has the id {id}")]
            };
        };
        // If two requests have one id, it is unknown which of them is answered, so neither result
        // is checked.
        let method = if unanswered.len() == 1 { unanswered.pop() } else { unanswered.pop().and(None) };
        match (message.get("result"), message.get("error")) {
            (None, Some(error)) => error_violations(error),
            (Some(result), None) => {
                self.initialized |= method.as_deref() == Some("initialize");
                let Some(method) = method else { return Vec::new() };
                let Some(declared) = find_method("requests", &method) else {
                    return vec![format!("{method} is not a request of the protocol but has a result")];
                };
                find_violations(&declared["result"], result)
            }
            _ => vec!["an answer has either a result or an error".to_owned()],
        }
    }

    fn check_notification(&mut self, method: &str, params: &Value) -> Vec<String> {
        let mut violations_found = check_server_message("notifications", method, params);
        let early = ["window/showMessage", "window/logMessage", "telemetry/event", "$/progress"];
        if !self.initialized && !early.contains(&method) {
            violations_found.push(format!("{method} before the answer to initialize"));
        }
        if method == "$/progress" {
            violations_found.extend(self.check_progress(&params["token"], &params["value"]));
        }
        violations_found
    }

    fn check_progress(&mut self, token: &Value, value: &Value) -> Vec<String> {
        if self.partial.contains(token) {
            return Vec::new();
        }
        let Some(has_begun) = self.progress.get_mut(&token.to_string()) else {
            return vec![format!("unknown progress token {token}")];
        };
        let (kind, order) = match value["kind"].as_str() {
            Some("begin") => ("WorkDoneProgressBegin", !*has_begun),
            Some("report") => ("WorkDoneProgressReport", *has_begun),
            Some("end") => ("WorkDoneProgressEnd", *has_begun),
            _ => return vec![format!("{value} is not work-done progress")],
        };
        *has_begun = true;
        if kind == "WorkDoneProgressEnd" {
            self.progress.remove(&token.to_string());
        }
        let mut violations_found = find_violations(&type_named(kind), value);
        if !order {
            violations_found.push(format!("{kind} at the wrong time for {token}"));
        }
        violations_found
    }

    fn check_request(&mut self, method: &str, id: &Value, message: &Value) -> Vec<String> {
        let params = &message["params"];
        let mut violations_found = check_server_message("requests", method, params);
        if self.server_ids.contains(id) {
            violations_found.push(format!("the id {id} is used again"));
        }
        self.server_ids.push(id.clone());
        if !self.initialized {
            violations_found.push(format!("{method} before the answer to initialize"));
        }
        if method == "window/workDoneProgress/create" {
            self.progress.insert(params["token"].to_string(), false);
        }
        if method == "client/registerCapability" {
            for registration in params["registrations"].as_array().into_iter().flatten() {
                violations_found.extend(self.check_registration(registration));
            }
        } else if let Some(capability) = needed_capability(method)
            && self.capabilities.pointer(&capability) != Some(&json!(true))
        {
            violations_found.push(format!("{method} needs the client's {capability}"));
        }
        violations_found
    }

    fn check_registration(&self, registration: &Value) -> Vec<String> {
        let method = registration["method"].as_str().unwrap_or_default();
        let capability = format!("/{method}/dynamicRegistration");
        let mut violations_found = Vec::new();
        if self.capabilities.pointer(&capability) != Some(&json!(true)) {
            violations_found.push(format!("registering {method} needs the client's {capability}"));
        }
        let declared = find_method("requests", method).or_else(|| find_method("notifications", method));
        match (
            declared.and_then(|declared| declared.get("registration")),
            registration.get("registerOptions"),
        ) {
            (Some(kind), Some(options)) => violations_found.extend(find_violations(kind, options)),
            (None, Some(options)) => {
                violations_found.push(format!("{method} takes no options like {options}"));
            }
            (_, None) => {}
        }
        violations_found
    }
}

/// Returns the violations in a message that the server sends under a method.
fn check_server_message(kind: &str, method: &str, params: &Value) -> Vec<String> {
    let Some(declared) = find_method(kind, method) else {
        return vec![format!("{method} is not among the protocol's {kind}")];
    };
    let mut violations_found = match declared.get("params") {
        Some(kind) => find_violations(kind, params),
        None if params.is_null() => Vec::new(),
        None => vec![format!("{method} takes no parameters")],
    };
    if declared["direction"] == "clientToServer" {
        violations_found.push(format!("{method} may be sent only by clients"));
    }
    violations_found
}

fn error_violations(error: &Value) -> Vec<String> {
    let is_error = error["code"].is_i64() && error["message"].as_str().is_some_and(|text| !text.is_empty());
    if is_error { Vec::new() } else { vec![format!("{error} is not an error")] }
}

/// Returns the path of the client capability that a request needs.
fn needed_capability(method: &str) -> Option<String> {
    match method {
        "window/showMessageRequest" | "client/unregisterCapability" => None,
        "window/workDoneProgress/create" => Some("/window/workDoneProgress".to_owned()),
        "window/showDocument" => Some("/window/showDocument/support".to_owned()),
        "workspace/diagnostic/refresh" => Some("/workspace/diagnostics/refreshSupport".to_owned()),
        _ => match method.strip_suffix("/refresh") {
            Some(feature) => Some(format!("/{feature}/refreshSupport")),
            None => Some(format!("/{method}")),
        },
    }
}
