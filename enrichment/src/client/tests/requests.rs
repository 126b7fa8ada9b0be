//! Tests of requests: each gets its own answer in any order, and is cancelled when its caller is
//! gone.

use super::{Echo, LIMIT, ask, connect, connect_with, echo};
use crate::client::language_server::run_handshake;
use crate::client::{ClientAnswers, ClientError};
use kenning_graph::positions::PositionEncoding;
use lsp_types::{Uri, WorkspaceFolder};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_server_that_answers_at_once_is_heard() {
    let (client, server) = connect();
    tokio::spawn(echo(server));
    for value in 0..500 {
        assert_eq!(ask(&client, value).await, Ok(value));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn five_thousand_requests_at_once_each_get_their_own_answer() {
    let (client, server) = connect();
    tokio::spawn(echo(server));
    let mut all = tokio::task::JoinSet::new();
    for value in 0..5000 {
        let client = client.clone();
        all.spawn(async move { (value, ask(&client, value).await) });
    }
    let mut answered = 0;
    while let Some(done) = all.join_next().await {
        let (value, answer) = done.unwrap();
        assert_eq!(answer, Ok(value));
        answered += 1;
    }
    assert_eq!(answered, 5000);
}

#[tokio::test]
async fn answers_may_come_in_any_order_twice_and_to_nothing_that_was_asked() {
    let (client, mut server) = connect();
    tokio::spawn(async move {
        let (first, second) = (server.next().await.unwrap(), server.next().await.unwrap());
        server.answer(&json!(4711), json!(0)).await;
        server.answer(&json!("no number"), json!(0)).await;
        server.answer(&second["id"], second["params"].clone()).await;
        server.answer(&second["id"], json!(99)).await;
        server.answer(&first["id"], first["params"].clone()).await;
        echo(server).await;
    });
    let both = tokio::join!(ask(&client, 1), ask(&client, 2));
    assert_eq!(both, (Ok(1), Ok(2)));
    assert_eq!(ask(&client, 3).await, Ok(3), "the connection goes on");
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_given_up_and_told_so() {
    let (client, mut server) = connect();
    let limit = Duration::from_secs(10);
    let asked = client.send_request::<Echo>(json!(1), limit).await;
    assert_eq!(asked, Err(ClientError::Timeout { method: "test/echo", limit }));
    let request = server.next().await.unwrap();
    let cancelled = server.next().await.unwrap();
    assert_eq!(
        cancelled,
        json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": request["id"]}})
    );
    server.answer(&request["id"], json!(1)).await;
    tokio::spawn(echo(server));
    assert_eq!(ask(&client, 2).await, Ok(2), "the late answer is passed over");
}

#[tokio::test]
async fn a_request_that_is_dropped_is_cancelled_and_an_answered_one_is_not() {
    let (client, mut server) = connect();
    {
        let request = client.send_request::<Echo>(json!(1), LIMIT);
        tokio::pin!(request);
        tokio::select! {
            biased;
            done = &mut request => panic!("{done:?}"),
            message = server.next() => assert_eq!(message.unwrap()["params"], 1),
        }
    }
    assert_eq!(server.next().await.unwrap()["method"], "$/cancelRequest");
    let (answer, ()) = tokio::join!(ask(&client, 2), async {
        let request = server.next().await.unwrap();
        server.answer(&request["id"], json!(2)).await;
    });
    assert_eq!(answer, Ok(2));
    drop(client);
    assert_eq!(server.next().await, None, "nothing was cancelled");
}

#[tokio::test]
async fn errors_and_answers_of_another_form_say_what_was_asked() {
    let (client, mut server) = connect();
    tokio::spawn(async move {
        let request = server.next().await.unwrap();
        server
            .say(json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32803, "message": "not now"}}))
            .await;
        let request = server.next().await.unwrap();
        server.answer(&request["id"], json!("text")).await;
    });
    let refused = ask(&client, 1).await.unwrap_err();
    assert_eq!(refused.to_string(), "the language server answered test/echo with error -32803: not now");
    let form = ask(&client, 2).await.unwrap_err();
    assert!(form.to_string().starts_with("the answer to test/echo is unreadable"), "{form}");
}

#[tokio::test]
async fn what_the_server_asks_is_answered() {
    let settings = json!({"python": {"analysis": {"mode": "open"}}});
    let (_client, mut server) = connect_with(ClientAnswers { settings, ..ClientAnswers::default() });
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
        server.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        assert_eq!(
            server.next().await.unwrap(),
            json!({"jsonrpc": "2.0", "id": id, "result": expected}),
            "{method}"
        );
    }
    server.say(json!({"jsonrpc": "2.0", "id": "e", "method": "workspace/applyEdit", "params": {}})).await;
    assert_eq!(server.next().await.unwrap()["result"]["applied"], false);
    server.say(json!({"jsonrpc": "2.0", "id": "u", "method": "some/thing"})).await;
    let unknown = server.next().await.unwrap();
    assert_eq!((&unknown["id"], &unknown["error"]["code"]), (&json!("u"), &json!(-32601)));
}

#[tokio::test]
async fn the_unit_of_columns_is_the_one_that_the_server_chose() {
    for (chosen, expected) in [
        (json!("utf-8"), PositionEncoding::Utf8),
        (json!("utf-32"), PositionEncoding::Utf32),
        (json!(null), PositionEncoding::Utf16),
    ] {
        let (client, mut server) = connect();
        let script = async {
            let request = server.next().await.unwrap();
            let offered = &request["params"]["capabilities"]["general"]["positionEncodings"];
            assert_eq!(*offered, json!(["utf-8", "utf-16", "utf-32"]));
            server.answer(&request["id"], json!({"capabilities": {"positionEncoding": chosen}})).await;
            assert_eq!(server.next().await.unwrap()["method"], "initialized");
        };
        let uri: Uri = "file:///w".parse().unwrap();
        let folder = WorkspaceFolder { uri, name: "w".to_owned() };
        let (shaken, ()) = tokio::join!(run_handshake(&client, folder, None.into(), LIMIT), script);
        assert_eq!(shaken.unwrap().encoding, expected);
    }
}
