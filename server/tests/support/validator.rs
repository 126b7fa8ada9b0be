//! Checks whether a server follows the protocol through a whole session: types, directions,
//! answers, client capabilities.

use super::meta_model::{faults, method, named};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Follows one session; every message of the client and the server goes through it.
#[derive(Debug, Default)]
pub struct Validator {
    /// The capabilities of the client; null before `initialize`.
    capabilities: Value,
    initialized: bool,
    /// Methods of the client's unanswered requests, by id. An id that is used twice has two
    /// entries.
    asked: BTreeMap<String, Vec<String>>,
    /// Ids of the server's requests.
    server_ids: Vec<Value>,
    /// Whether work-done progress has begun, by token. Tokens come from the client, or the server
    /// had the client create them.
    progress: BTreeMap<String, bool>,
    /// Tokens for partial results that the client gave.
    partial: Vec<Value>,
}

impl Validator {
    /// Records a message of the client. Anything that is not a message is ignored.
    pub fn client_sends(&mut self, message: &Value) {
        let Some(method) = message["method"].as_str() else { return };
        let params = &message["params"];
        if let Some(id) = message.get("id") {
            self.asked.entry(id.to_string()).or_default().push(method.to_owned());
            if method == "initialize" {
                self.capabilities = params["capabilities"].clone();
            }
        }
        if let Some(token) = params.get("workDoneToken") {
            self.progress.insert(token.to_string(), false);
        }
        self.partial.extend(params.get("partialResultToken").cloned());
    }

    /// Checks a message of the server.
    ///
    /// # Panics
    /// Panics if the message violates the protocol, with all violations and the message.
    pub fn server_sends(&mut self, message: &Value) {
        let faults = match (message.get("method").and_then(Value::as_str), message.get("id")) {
            (None, _) => self.answer(message),
            (Some(method), None) => self.notification(method, &message["params"]),
            (Some(method), Some(id)) => self.request(method, id, message),
        };
        let version = if message["jsonrpc"] == "2.0" { None } else { Some("jsonrpc is not 2.0".to_owned()) };
        let faults: Vec<String> = faults.into_iter().chain(version).collect();
        assert!(faults.is_empty(), "the server breaks the protocol:\n{}\n{message}", faults.join("\n"));
    }

    fn answer(&mut self, message: &Value) -> Vec<String> {
        let id = &message["id"];
        let Some(asked) = self.asked.get_mut(&id.to_string()).filter(|asked| !asked.is_empty()) else {
            // A message that could not be read has no known id.
            let code = &message["error"]["code"];
            let unreadable = code == -32700 || code == -32600;
            return if unreadable {
                error_faults(&message["error"])
            } else {
                vec![format!("nobody asked {id}")]
            };
        };
        // With two requests of one id it is unknown which one is answered, so neither result is
        // checked.
        let method = if asked.len() == 1 { asked.pop() } else { asked.pop().and(None) };
        match (message.get("result"), message.get("error")) {
            (None, Some(error)) => error_faults(error),
            (Some(result), None) => {
                self.initialized |= method.as_deref() == Some("initialize");
                let Some(method) = method else { return Vec::new() };
                let Some(described) = self::method("requests", &method) else {
                    return vec![format!("{method} is no request of the protocol and has a result")];
                };
                faults(&described["result"], result)
            }
            _ => vec!["an answer has either a result or an error".to_owned()],
        }
    }

    fn notification(&mut self, method: &str, params: &Value) -> Vec<String> {
        let mut found = sent_by_server("notifications", method, params);
        let early = ["window/showMessage", "window/logMessage", "telemetry/event", "$/progress"];
        if !self.initialized && !early.contains(&method) {
            found.push(format!("{method} before the answer to initialize"));
        }
        if method == "$/progress" {
            found.extend(self.progressed(&params["token"], &params["value"]));
        }
        found
    }

    fn progressed(&mut self, token: &Value, value: &Value) -> Vec<String> {
        if self.partial.contains(token) {
            return Vec::new();
        }
        let Some(begun) = self.progress.get_mut(&token.to_string()) else {
            return vec![format!("nobody knows the progress token {token}")];
        };
        let (kind, order) = match value["kind"].as_str() {
            Some("begin") => ("WorkDoneProgressBegin", !*begun),
            Some("report") => ("WorkDoneProgressReport", *begun),
            Some("end") => ("WorkDoneProgressEnd", *begun),
            _ => return vec![format!("{value} is no work-done progress")],
        };
        *begun = true;
        if kind == "WorkDoneProgressEnd" {
            self.progress.remove(&token.to_string());
        }
        let mut found = faults(&named(kind), value);
        if !order {
            found.push(format!("{kind} at the wrong time for {token}"));
        }
        found
    }

    fn request(&mut self, method: &str, id: &Value, message: &Value) -> Vec<String> {
        let params = &message["params"];
        let mut found = sent_by_server("requests", method, params);
        if self.server_ids.contains(id) {
            found.push(format!("the id {id} is used again"));
        }
        self.server_ids.push(id.clone());
        if !self.initialized {
            found.push(format!("{method} before the answer to initialize"));
        }
        if method == "window/workDoneProgress/create" {
            self.progress.insert(params["token"].to_string(), false);
        }
        if method == "client/registerCapability" {
            for registration in params["registrations"].as_array().into_iter().flatten() {
                found.extend(self.registered(registration));
            }
        } else if let Some(capability) = needed(method)
            && self.capabilities.pointer(&capability) != Some(&json!(true))
        {
            found.push(format!("{method} needs the client's {capability}"));
        }
        found
    }

    fn registered(&self, registration: &Value) -> Vec<String> {
        let method = registration["method"].as_str().unwrap_or_default();
        let capability = format!("/{method}/dynamicRegistration");
        let mut found = Vec::new();
        if self.capabilities.pointer(&capability) != Some(&json!(true)) {
            found.push(format!("registering {method} needs the client's {capability}"));
        }
        let described = self::method("requests", method).or_else(|| self::method("notifications", method));
        match (
            described.and_then(|described| described.get("registration")),
            registration.get("registerOptions"),
        ) {
            (Some(kind), Some(options)) => found.extend(faults(kind, options)),
            (None, Some(options)) => found.push(format!("{method} takes no options like {options}")),
            (_, None) => {}
        }
        found
    }
}

/// Returns the violations in a message that the server sends under a method.
fn sent_by_server(kind: &str, method: &str, params: &Value) -> Vec<String> {
    let Some(described) = self::method(kind, method) else {
        return vec![format!("{method} is not among the protocol's {kind}")];
    };
    let mut found = match described.get("params") {
        Some(kind) => faults(kind, params),
        None if params.is_null() => Vec::new(),
        None => vec![format!("{method} takes no parameters")],
    };
    if described["direction"] == "clientToServer" {
        found.push(format!("{method} is not for servers to send"));
    }
    found
}

fn error_faults(error: &Value) -> Vec<String> {
    let is_error = error["code"].is_i64() && error["message"].as_str().is_some_and(|text| !text.is_empty());
    if is_error { Vec::new() } else { vec![format!("{error} is no error")] }
}

/// Returns the path of the client capability that a request needs.
fn needed(method: &str) -> Option<String> {
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
