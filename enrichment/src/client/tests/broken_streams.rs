//! Tests with broken streams: nothing panics or hangs, and every waiting request fails with the
//! reason.

use super::{Echo, LIMIT, connect, echo_requests, gone_reason, send_echo};
use crate::client::MAX_FRAME;
use serde_json::json;

/// Returns the error of a pending request after the server sends these bytes and closes.
async fn gone_reason_after(bytes: &[u8]) -> String {
    let (client, mut server) = connect();
    let (answer, ()) = tokio::join!(send_echo(&client, 1), async move {
        server.next_message().await;
        server.send_bytes(bytes).await;
    });
    let reason = gone_reason(answer);
    assert_eq!(client.wait_until_gone().await, reason);
    assert_eq!(
        gone_reason(client.send_request::<Echo>(json!(2), LIMIT).await),
        reason,
        "later requests fail immediately"
    );
    reason
}

#[tokio::test]
async fn the_end_of_the_stream_fails_every_pending_request() {
    assert_eq!(gone_reason_after(b"").await, "the server closed its output");
    assert_eq!(
        gone_reason_after(b"Content-Length: 10\r\n\r\n{}").await,
        "the stream ended in the middle of a message"
    );
    assert_eq!(
        gone_reason_after(b"Content-Length: 10\r\n").await,
        "the stream ended in the middle of a message"
    );
    assert_eq!(gone_reason_after(b"Content-Le").await, "the stream ended in the middle of a message");
}

#[tokio::test]
async fn unreadable_headers_close_the_connection() {
    let huge = format!("Content-Length: {}\r\n\r\n", MAX_FRAME + 1);
    assert!(gone_reason_after(huge.as_bytes()).await.starts_with("a message of 268435457 bytes exceeds"));
    assert_eq!(
        gone_reason_after(b"Content-Length: many\r\n\r\n").await,
        "the message header `Content-Length: many` is unreadable"
    );
    assert_eq!(
        gone_reason_after(b"Content-Length: -1\r\n\r\n").await,
        "the message header `Content-Length: -1` is unreadable"
    );
    let endless = "x".repeat(100_000);
    assert_eq!(gone_reason_after(endless.as_bytes()).await, "a message header is longer than 65536 bytes");
}

#[tokio::test]
async fn a_length_without_a_body_allocates_no_memory() {
    let almost = format!("Content-Length: {MAX_FRAME}\r\n\r\nshort");
    assert_eq!(gone_reason_after(almost.as_bytes()).await, "the stream ended in the middle of a message");
}

#[tokio::test]
async fn bodies_that_are_not_messages_are_skipped() {
    let (client, mut server) = connect();
    for body in ["{", "[]", "null", "{}", r#"{"id": {}}"#, r#"{"id": 1, "error": 3}"#, "\u{0}"] {
        server.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await;
    }
    server.send_bytes(b"Content-Length: 2\r\n\r\n\xff\xfe").await;
    tokio::spawn(echo_requests(server));
    assert_eq!(send_echo(&client, 1).await, Ok(1));
}

#[tokio::test]
async fn stray_lines_and_other_header_fields_are_skipped() {
    let (client, mut server) = connect();
    server.send_bytes(b"Debugger listening\n\n\ncontent-type: x\r\nCONTENT-LENGTH:2\r\n\r\n{}").await;
    tokio::spawn(echo_requests(server));
    assert_eq!(send_echo(&client, 1).await, Ok(1));
}
