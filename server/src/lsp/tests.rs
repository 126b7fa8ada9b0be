//! Tests of the guard, with methods that exist only in tests.

use super::*;
use serde_json::{Value, json};
use std::slice::from_ref;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

/// Maximum time that a test waits for an answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

impl LanguageServer {
    #[expect(clippy::unused_async, reason = "custom methods are asynchronous")]
    async fn panicking_request(&self, _: Value) -> tower_lsp::jsonrpc::Result<Value> {
        panic!("an intended panic")
    }

    async fn late_panic(&self, _: Value) -> tower_lsp::jsonrpc::Result<Value> {
        tokio::task::yield_now().await;
        panic!("an intended panic after the first await")
    }

    #[expect(clippy::unused_async, reason = "custom methods are asynchronous")]
    async fn panicking_notification(&self, _: Value) {
        panic!("an intended panic in a notification")
    }

    async fn endless(&self, _: Value) -> tower_lsp::jsonrpc::Result<Value> {
        std::future::pending().await
    }
}

/// Sends messages to a new server, all at once. Returns the server's messages until each request is
/// answered, in order.
async fn send_together(messages: &[Value]) -> Vec<Value> {
    send_in_groups(&[messages]).await
}

/// Sends groups of messages to a new server, then ends the session. Each group is sent at once,
/// after the requests of the previous group are answered. Returns the server's messages before the
/// end, in order.
async fn send_in_groups(groups: &[&[Value]]) -> Vec<Value> {
    let (client_end, server_end) = tokio::io::duplex(1 << 20);
    let (read, write) = tokio::io::split(server_end);
    let server = tokio::spawn(serve_with(read, write, ServeOptions::default(), |builder| {
        builder
            .custom_method("test/panic", LanguageServer::panicking_request)
            .custom_method("test/latePanic", LanguageServer::late_panic)
            .custom_method("test/panicNotified", LanguageServer::panicking_notification)
            .custom_method("test/endless", LanguageServer::endless)
    }));
    let (output, mut input) = tokio::io::split(client_end);
    let (mut output, mut received) = (BufReader::new(output), Vec::new());
    for messages in groups {
        for message in *messages {
            send(&mut input, message).await;
        }
        let mut unanswered = messages.iter().filter(|message| message.get("id").is_some()).count();
        while unanswered > 0 {
            let message = tokio::time::timeout(RESPONSE_TIMEOUT, receive(&mut output))
                .await
                .expect("an answer is missing");
            unanswered -= usize::from(message.get("method").is_none());
            received.push(message);
        }
    }
    if !groups.concat().iter().any(|message| message["method"] == "exit") {
        send(&mut input, &notification("exit", Value::Null)).await;
    }
    let (end, shut_down) = (server.await.unwrap(), groups.concat().iter().any(|m| m["method"] == "shutdown"));
    assert_eq!(end == SessionEnd::Orderly, shut_down);
    received
}

async fn send(input: &mut (impl AsyncWrite + Unpin), message: &Value) {
    let body = message.to_string();
    let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    input.write_all(frame.as_bytes()).await.unwrap();
}

async fn receive(output: &mut (impl AsyncBufRead + Unpin)) -> Value {
    let mut header = String::new();
    output.read_line(&mut header).await.unwrap();
    let length: usize = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
    output.read_line(&mut header).await.unwrap();
    let mut body = vec![0; length];
    output.read_exact(&mut body).await.unwrap();
    serde_json::from_slice(&body).unwrap()
}

fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

fn initialize() -> Value {
    request(0, "initialize", json!({ "capabilities": {} }))
}

/// Returns the id of each answer with the code of its error, or 0 for a result, sorted.
fn outcomes(received: &[Value]) -> Vec<String> {
    let answers = received.iter().filter(|message| message.get("method").is_none());
    let mut outcomes: Vec<String> =
        answers.map(|answer| format!("{} {}", answer["id"], answer["error"]["code"])).collect();
    outcomes.sort();
    outcomes
}

#[tokio::test]
async fn a_panic_is_the_internal_error_of_its_message_only() {
    let received = send_together(&[
        initialize(),
        request(1, "test/panic", json!({})),
        request("two", "test/latePanic", json!({})),
        notification("test/panicNotified", json!({})),
        request(3, "kenning/unknown", json!({})),
    ])
    .await;
    assert_eq!(outcomes(&received), ["\"two\" -32603", "0 null", "1 -32603", "3 -32601"]);
}

#[tokio::test]
async fn the_id_of_a_request_that_panicked_can_be_used_again() {
    let panics = request(1, "test/latePanic", json!({}));
    let received = send_in_groups(&[&[initialize()], from_ref(&panics), from_ref(&panics)]).await;
    let codes: Vec<&Value> =
        received.iter().filter(|answer| answer["id"] == 1).map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(codes, [&json!(-32603), &json!(-32603)]);
}

#[tokio::test]
async fn a_running_request_is_cancelled_and_an_unknown_one_is_ignored() {
    let cancel = |id: Value| notification("$/cancelRequest", json!({ "id": id }));
    let received = send_together(&[
        initialize(),
        request(1, "test/endless", json!({})),
        request("two", "test/endless", json!({})),
        cancel(json!("unknown")),
        cancel(json!("two")),
        cancel(json!(1)),
        cancel(json!(1)),
    ])
    .await;
    assert_eq!(outcomes(&received), ["\"two\" -32800", "0 null", "1 -32800"]);
}

#[tokio::test]
async fn messages_before_the_answer_to_initialize_are_not_lost() {
    let status_request =
        |id: i64| request(id, "workspace/executeCommand", json!({ "command": "kenning.status" }));
    let received =
        send_together(&[status_request(1), initialize(), status_request(2), initialize(), status_request(3)])
            .await;
    assert_eq!(outcomes(&received), ["0 -32600", "0 null", "1 -32002", "2 null", "3 null"]);
}

#[tokio::test]
async fn an_exit_that_comes_with_shutdown_does_not_overtake_its_answer() {
    let shutdown = request("shutdown", "shutdown", Value::Null);
    let received = send_together(&[initialize(), shutdown, notification("exit", Value::Null)]).await;
    assert_eq!(outcomes(&received), ["\"shutdown\" null", "0 null"]);
}

#[tokio::test]
async fn every_stage_of_a_session_has_its_errors() {
    let unknown = |id: &str| request(id, "kenning/unknown", json!({}));
    let received = send_together(&[
        unknown("before"),
        notification("textDocument/didOpen", json!({})),
        request("shutdown before", "shutdown", Value::Null),
        initialize(),
        unknown("running"),
        request("optional", "$/unknown", json!({})),
        notification("$/unknown", json!({})),
        request("wrong params", "workspace/executeCommand", json!({ "command": 7 })),
        request("no params", "workspace/executeCommand", Value::Null),
        request("notification", "textDocument/didOpen", json!({})),
        request("trace", "$/setTrace", json!({ "value": "off" })),
        notification("workspace/executeCommand", json!({ "command": "kenning.status" })),
        request("last", "shutdown", Value::Null),
        unknown("after"),
        request("again", "shutdown", Value::Null),
        request("known after", "workspace/executeCommand", json!({ "command": "kenning.status" })),
    ])
    .await;
    expect_test::expect![[r#"
        "after" -32600
        "again" -32600
        "before" -32002
        "known after" -32600
        "last" null
        "no params" -32602
        "notification" -32600
        "optional" -32601
        "running" -32601
        "shutdown before" -32002
        "trace" -32600
        "wrong params" -32602
        0 null"#]]
    .assert_eq(&outcomes(&received).join("\n"));
}

#[tokio::test]
async fn the_trace_follows_the_level_that_the_client_sets() {
    let status_request =
        |id: &str| request(id, "workspace/executeCommand", json!({ "command": "kenning.status" }));
    let set_trace = |value: &str| notification("$/setTrace", json!({ "value": value }));
    let traced = request(0, "initialize", json!({ "capabilities": {}, "trace": "verbose" }));
    let first = [
        traced,
        status_request("verbose"),
        request("wrong", "workspace/executeCommand", json!({})),
        set_trace("messages"),
        status_request("messages"),
        notification("initialized", json!({})),
        set_trace("nonsense"),
    ];
    let received =
        send_in_groups(&[&first, &[status_request("compact")], &[set_trace("off"), status_request("off")]])
            .await;
    let mut lines: Vec<String> = received
        .iter()
        .filter(|message| message["method"] == "$/logTrace")
        .map(|message| {
            let text = message["params"]["message"].as_str().unwrap();
            // The duration differs on every run.
            let (before, after) = text.split_once(" in ").unwrap();
            let (time, outcome) = after.split_once(" ms").unwrap();
            assert!(time.parse::<f64>().is_ok(), "{text}");
            format!("{before}{outcome} {}", message["params"]["verbose"])
        })
        .collect();
    // The trace of the last request may or may not arrive before the session ends.
    lines.retain(|line| !line.contains("compact"));
    lines.sort();
    expect_test::expect![[r#"
        Handled notification 'initialized' null
        Handled request 'workspace/executeCommand - ("messages")' null
        Handled request 'workspace/executeCommand - ("verbose")' "Params: {\"command\":\"kenning.status\"}"
        Handled request 'workspace/executeCommand - ("wrong")': command: missing (-32602) "Params: {}""#]]
    .assert_eq(&lines.join("\n"));
}
