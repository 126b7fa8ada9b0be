//! Tests of requests: each gets its own answer, in whatever order the answers arrive, and is
//! cancelled when its caller is gone.

use super::{Echo, LIMIT, connect, connect_with_answers, echo_requests, send_echo};
use crate::client::language_server::run_handshake;
use crate::client::{ClientAnswers, ClientError};
use kenning_graph::positions::PositionEncoding;
use lsp_types::{Uri, WorkspaceFolder};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn immediate_answers_reach_their_requests() {
    let (client, server) = connect();
    tokio::spawn(echo_requests(server));
    for value in 0..500 {
        assert_eq!(send_echo(&client, value).await, Ok(value));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn five_thousand_requests_at_once_each_get_their_own_answer() {
    let (client, server) = connect();
    tokio::spawn(echo_requests(server));
    let mut tasks = tokio::task::JoinSet::new();
    for value in 0..5000 {
        let client = client.clone();
        tasks.spawn(async move { (value, send_echo(&client, value).await) });
    }
    let mut answered = 0;
    while let Some(done) = tasks.join_next().await {
        let (value, answer) = done.unwrap();
        assert_eq!(answer, Ok(value));
        answered += 1;
    }
    assert_eq!(answered, 5000);
}

#[tokio::test]
async fn answers_may_be_out_of_order_duplicated_or_unrequested() {
    let (client, mut server) = connect();
    tokio::spawn(async move {
        let (first, second) = (server.next_message().await.unwrap(), server.next_message().await.unwrap());
        server.send_answer(&json!(4711), json!(0)).await;
        server.send_answer(&json!("no number"), json!(0)).await;
        server.send_answer(&second["id"], second["params"].clone()).await;
        server.send_answer(&second["id"], json!(99)).await;
        server.send_answer(&first["id"], first["params"].clone()).await;
        echo_requests(server).await;
    });
    let both = tokio::join!(send_echo(&client, 1), send_echo(&client, 2));
    assert_eq!(both, (Ok(1), Ok(2)));
    assert_eq!(send_echo(&client, 3).await, Ok(3), "the connection stays open");
}

#[tokio::test(start_paused = true)]
async fn a_request_times_out_and_is_cancelled_at_the_server() {
    let (client, mut server) = connect();
    let limit = Duration::from_secs(10);
    let outcome = client.send_request::<Echo>(json!(1), limit).await;
    assert_eq!(outcome, Err(ClientError::Timeout { method: "test/echo", limit }));
    let request = server.next_message().await.unwrap();
    let cancelled = server.next_message().await.unwrap();
    assert_eq!(
        cancelled,
        json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": request["id"]}})
    );
    server.send_answer(&request["id"], json!(1)).await;
    tokio::spawn(echo_requests(server));
    assert_eq!(send_echo(&client, 2).await, Ok(2), "the late answer is ignored");
}

#[tokio::test]
async fn only_a_request_dropped_before_its_answer_is_cancelled() {
    let (client, mut server) = connect();
    {
        let request = client.send_request::<Echo>(json!(1), LIMIT);
        tokio::pin!(request);
        tokio::select! {
            biased;
            done = &mut request => panic!("{done:?}"),
            message = server.next_message() => assert_eq!(message.unwrap()["params"], 1),
        }
    }
    assert_eq!(server.next_message().await.unwrap()["method"], "$/cancelRequest");
    let (answer, ()) = tokio::join!(send_echo(&client, 2), async {
        let request = server.next_message().await.unwrap();
        server.send_answer(&request["id"], json!(2)).await;
    });
    assert_eq!(answer, Ok(2));
    drop(client);
    assert_eq!(server.next_message().await, None, "nothing was cancelled");
}

#[tokio::test]
async fn error_responses_and_malformed_answers_name_the_method() {
    let (client, mut server) = connect();
    tokio::spawn(async move {
        let request = server.next_message().await.unwrap();
        server
            .send_message(json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32803, "message": "not now"}}))
            .await;
        let request = server.next_message().await.unwrap();
        server.send_answer(&request["id"], json!("text")).await;
    });
    let refused = send_echo(&client, 1).await.unwrap_err();
    assert_eq!(refused.to_string(), "the language server answered test/echo with error -32803: not now");
    let malformed = send_echo(&client, 2).await.unwrap_err();
    assert!(malformed.to_string().starts_with("cannot read the answer to test/echo: "), "{malformed}");
}

#[tokio::test]
async fn requests_from_the_server_are_answered() {
    let settings = json!({"python": {"analysis": {"mode": "open"}}});
    let (_client, mut server) = connect_with_answers(ClientAnswers { settings, ..ClientAnswers::default() });
    let cases = [
        (
            "workspace/configuration",
            json!({"items": [{"section": "python.analysis"}, {"section": "other"}, {}]}),
            json!([{"mode": "open"}, null, {"python": {"analysis": {"mode": "open"}}}]),
        ),
        ("client/registerCapability", json!({"registrations": []}), json!(null)),
        ("window/workDoneProgress/create", json!({"token": 1}), json!(null)),
        ("window/showMessageRequest", json!({"type": 1, "message": "sure?"}), json!(null)),
        ("workspace/workspaceFolders", json!(null), json!([])),
    ];
    for (id, (method, params, expected)) in cases.into_iter().enumerate() {
        server.send_message(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        assert_eq!(
            server.next_message().await.unwrap(),
            json!({"jsonrpc": "2.0", "id": id, "result": expected}),
            "{method}"
        );
    }
    server
        .send_message(json!({"jsonrpc": "2.0", "id": "e", "method": "workspace/applyEdit", "params": {}}))
        .await;
    assert_eq!(server.next_message().await.unwrap()["result"]["applied"], false);
    server.send_message(json!({"jsonrpc": "2.0", "id": "u", "method": "some/thing"})).await;
    let unknown = server.next_message().await.unwrap();
    assert_eq!((&unknown["id"], &unknown["error"]["code"]), (&json!("u"), &json!(-32601)));
}

#[tokio::test]
async fn columns_use_the_encoding_that_the_server_chose() {
    for (chosen, expected) in [
        (json!("utf-8"), PositionEncoding::Utf8),
        (json!("utf-32"), PositionEncoding::Utf32),
        (json!(null), PositionEncoding::Utf16),
    ] {
        let (client, mut server) = connect();
        let script = async {
            let request = server.next_message().await.unwrap();
            let offered = &request["params"]["capabilities"]["general"]["positionEncodings"];
            assert_eq!(*offered, json!(["utf-8", "utf-16", "utf-32"]));
            server.send_answer(&request["id"], json!({"capabilities": {"positionEncoding": chosen}})).await;
            assert_eq!(server.next_message().await.unwrap()["method"], "initialized");
        };
        let uri: Uri = "file:///w".parse().unwrap();
        let folder = WorkspaceFolder { uri, name: "w".to_owned() };
        let (handshake, ()) = tokio::join!(run_handshake(&client, folder, None.into(), LIMIT), script);
        assert_eq!(handshake.unwrap().encoding, expected);
    }
}
