//! Tests of the server's notifications.

use super::{connect, echo_requests, send_echo};
use serde_json::{Value, json};
use std::time::Duration;

fn progress_message(token: Value, kind: &str) -> Value {
    let value = json!({"kind": kind, "title": "Indexing"});
    json!({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": token, "value": value}})
}

#[tokio::test(start_paused = true)]
async fn a_server_is_idle_after_a_quiet_period_without_work() {
    let (client, mut server) = connect();
    server.send_message(progress_message(json!(1), "begin")).await;
    server.send_message(progress_message(json!("1"), "begin")).await;
    server.send_message(progress_message(json!(7), "end")).await;
    let mut progress = client.server_activity().watch_progress();
    let both = progress.wait_for(|progress| progress.active.len() == 2).await.unwrap().clone();
    assert!(!both.is_idle());
    let quiet = Duration::from_secs(5);
    let work = async {
        server.send_message(progress_message(json!(1), "end")).await;
        server.send_message(progress_message(json!("1"), "end")).await;
        tokio::time::advance(Duration::from_secs(4)).await;
        server.send_message(progress_message(json!(2), "begin")).await;
        tokio::time::advance(Duration::from_secs(60)).await;
        server.send_message(progress_message(json!(2), "end")).await;
    };
    tokio::join!(client.server_activity().wait_for_idle(quiet), work);
    let progress = client.server_activity().current_progress();
    assert_eq!((progress.finished, progress.is_idle()), (3, true));
}

#[tokio::test]
async fn messages_and_the_status_are_recorded() {
    let (client, mut server) = connect();
    for (method, params) in [
        ("experimental/serverStatus", json!({"quiescent": false, "health": "ok"})),
        ("window/logMessage", json!({"type": 3, "message": "loading"})),
        ("telemetry/event", json!({})),
        ("window/logMessage", json!("nonsense")),
    ] {
        server.send_message(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }
    tokio::spawn(echo_requests(server));
    assert_eq!(send_echo(&client, 1).await, Ok(1));
    assert_eq!(client.server_activity().recent_messages(), ["loading"]);
    assert!(!client.server_activity().current_progress().is_idle());
}
