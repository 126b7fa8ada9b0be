//! Tests that the check of the server's messages finds violations of the protocol.

use crate::support::meta_model::{find_method, find_violations, type_named};
use crate::support::validator::Validator;
use serde_json::{Value, json};

fn hover_violations(value: &Value) -> Vec<String> {
    find_violations(&find_method("requests", "textDocument/hover").unwrap()["result"], value)
}

#[test]
fn values_of_their_type_have_no_violation() {
    let start = json!({ "line": 0, "character": 7 });
    let range = json!({ "start": start, "end": start });
    let markup = json!({ "kind": "markdown", "value": "**x**" });
    assert!(hover_violations(&json!(null)).is_empty());
    assert!(hover_violations(&json!({ "contents": markup, "range": range })).is_empty());
    assert!(hover_violations(&json!({ "contents": ["a", { "language": "rust", "value": "b" }] })).is_empty());
}

#[test]
fn every_kind_of_violation_is_found_with_its_path() {
    let position = json!({ "line": -1, "character": 4_294_967_295u32 });
    let range = json!({ "start": position, "end": { "line": 0 } });
    let wrong = json!({ "contents": "x", "range": range, "extra": 1 });
    let mut found = hover_violations(&wrong);
    found.sort();
    assert_eq!(
        found,
        [
            ".extra: unknown in Hover",
            ".range.end.character: missing in Position",
            ".range.start.character: 4294967295 is not of type uinteger",
            ".range.start.line: -1 is not of type uinteger",
        ]
    );
    assert_eq!(hover_violations(&json!({})), [".contents: missing in Hover"]);
    assert_eq!(
        hover_violations(&json!({ "contents": "x", "range": null })),
        [".range: null is not of type Range"]
    );
    let lens = json!([{ "range": { "start": { "line": 0, "character": 0 }, "end": 1 }, "command": {} }]);
    let lenses = &find_method("requests", "textDocument/codeLens").unwrap()["result"];
    assert_eq!(
        find_violations(lenses, &lens),
        [
            "[0].range.end: 1 is not of type Position",
            "[0].command.title: missing in Command",
            "[0].command.command: missing in Command",
        ]
    );
    assert_eq!(
        find_violations(&type_named("Location"), &json!({ "uri": "src/x.rs", "range": null })),
        [".uri: \"src/x.rs\" is not a URI", ".range: null is not of type Range"]
    );
    assert_eq!(
        find_violations(&type_named("MarkupKind"), &json!("html")),
        [": \"html\" is not of type MarkupKind"]
    );
}

/// Creates the validator of a session with these client capabilities, after `initialize`.
fn initialized_validator(capabilities: Value) -> Validator {
    let mut validator = Validator::default();
    let params = json!({ "capabilities": capabilities });
    validator.client_sends(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
    validator.server_sends(&json!({ "jsonrpc": "2.0", "id": 1, "result": { "capabilities": {} } }));
    validator
}

/// Returns the first violation in a message that violates the protocol.
fn first_violation(mut validator: Validator, message: Value) -> String {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| validator.server_sends(&message)));
    let panic = outcome.expect_err("the message passed");
    let text = panic.downcast_ref::<String>().expect("an assertion");
    text.lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn messages_that_follow_the_protocol_pass() {
    let mut validator = initialized_validator(json!({
        "window": { "workDoneProgress": true },
        "workspace": { "codeLens": { "refreshSupport": true }, "didChangeWatchedFiles": { "dynamicRegistration": true } },
    }));
    let watchers = json!({ "watchers": [{ "globPattern": "**/*" }] });
    let registration =
        json!({ "id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": watchers });
    let progress = |value: Value| json!({ "token": "t", "value": value });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "window/workDoneProgress/create", "params": { "token": "t" } }),
        json!({ "jsonrpc": "2.0", "method": "$/progress", "params": progress(json!({ "kind": "begin", "title": "x" })) }),
        json!({ "jsonrpc": "2.0", "method": "$/progress", "params": progress(json!({ "kind": "end" })) }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "workspace/codeLens/refresh" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "client/registerCapability", "params": { "registrations": [registration] } }),
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "no JSON" } }),
    ] {
        validator.server_sends(&message);
    }
}

#[test]
fn violations_of_the_protocol_are_described() {
    let message =
        |method: &str, params: Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });
    let request = |method: &str| json!({ "jsonrpc": "2.0", "id": 9, "method": method });
    let fresh = Validator::default();
    let trace = message("$/logTrace", json!({ "message": "x" }));
    assert_eq!(first_violation(fresh, trace), "$/logTrace before the answer to initialize");
    let bare = || initialized_validator(json!({}));
    assert_eq!(
        first_violation(bare(), request("workspace/codeLens/refresh")),
        "workspace/codeLens/refresh needs the client's /workspace/codeLens/refreshSupport"
    );
    assert_eq!(
        first_violation(bare(), json!({ "jsonrpc": "2.0", "id": 5, "result": null })),
        "no request has the id 5"
    );
    assert_eq!(
        first_violation(bare(), message("textDocument/didOpen", json!({}))),
        ".textDocument: missing in DidOpenTextDocumentParams"
    );
    assert_eq!(
        first_violation(bare(), message("kenning/news", json!({}))),
        "kenning/news is not among the protocol's notifications"
    );
    let progress = json!({ "token": "t", "value": { "kind": "begin", "title": "x" } });
    assert_eq!(first_violation(bare(), message("$/progress", progress)), "unknown progress token \"t\"");
    let mut validator = bare();
    let params = json!({ "command": "x", "workDoneToken": "t" });
    validator.client_sends(
        &json!({ "jsonrpc": "2.0", "id": 2, "method": "workspace/executeCommand", "params": params }),
    );
    let report = json!({ "token": "t", "value": { "kind": "report", "percentage": 5 } });
    assert_eq!(
        first_violation(validator, message("$/progress", report)),
        "WorkDoneProgressReport at the wrong time for \"t\""
    );
    let registration = json!({ "id": "w", "method": "workspace/didChangeWatchedFiles" });
    let mut registering = request("client/registerCapability");
    registering["params"] = json!({ "registrations": [registration] });
    assert_eq!(
        first_violation(bare(), registering),
        "registering workspace/didChangeWatchedFiles needs the client's /workspace/didChangeWatchedFiles/dynamicRegistration"
    );
}
