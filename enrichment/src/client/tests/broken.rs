//! Tests with broken streams: nothing panics or hangs, and every waiting request fails with the
//! reason.

use super::{Echo, LIMIT, ask, connect, echo, reason};
use crate::client::MAX_FRAME;
use serde_json::json;

/// Returns the error of a pending request after the server sends these bytes and closes.
async fn after(bytes: &[u8]) -> String {
    let (client, mut server) = connect();
    let (answer, ()) = tokio::join!(ask(&client, 1), async move {
        server.next().await;
        server.raw(bytes).await;
    });
    let why = reason(answer);
    assert_eq!(client.wait_until_gone().await, why);
    assert_eq!(
        reason(client.send_request::<Echo>(json!(2), LIMIT).await),
        why,
        "later requests fail at once"
    );
    why
}

#[tokio::test]
async fn the_end_of_the_stream_is_told_to_all_who_wait() {
    assert_eq!(after(b"").await, "the server closed its output");
    assert_eq!(after(b"Content-Length: 10\r\n\r\n{}").await, "the stream ended in the middle of a message");
    assert_eq!(after(b"Content-Length: 10\r\n").await, "the stream ended in the middle of a message");
    assert_eq!(after(b"Content-Le").await, "the stream ended in the middle of a message");
}

#[tokio::test]
async fn headers_that_cannot_be_read_end_the_connection() {
    let huge = format!("Content-Length: {}\r\n\r\n", MAX_FRAME + 1);
    assert!(after(huge.as_bytes()).await.starts_with("a message of 268435457 bytes exceeds"));
    assert_eq!(
        after(b"Content-Length: many\r\n\r\n").await,
        "the message header `Content-Length: many` is unreadable"
    );
    assert_eq!(
        after(b"Content-Length: -1\r\n\r\n").await,
        "the message header `Content-Length: -1` is unreadable"
    );
    let endless = "x".repeat(100_000);
    assert_eq!(after(endless.as_bytes()).await, "a message header is longer than 65536 bytes");
}

#[tokio::test]
async fn a_length_alone_takes_no_memory() {
    let almost = format!("Content-Length: {MAX_FRAME}\r\n\r\nshort");
    assert_eq!(after(almost.as_bytes()).await, "the stream ended in the middle of a message");
}

#[tokio::test]
async fn bodies_that_are_no_messages_are_passed_over() {
    let (client, mut server) = connect();
    for body in ["{", "[]", "null", "{}", r#"{"id": {}}"#, r#"{"id": 1, "error": 3}"#, "\u{0}"] {
        server.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await;
    }
    server.raw(b"Content-Length: 2\r\n\r\n\xff\xfe").await;
    tokio::spawn(echo(server));
    assert_eq!(ask(&client, 1).await, Ok(1));
}

#[tokio::test]
async fn stray_lines_and_other_fields_between_messages_are_passed_over() {
    let (client, mut server) = connect();
    server.raw(b"Debugger listening\n\n\ncontent-type: x\r\nCONTENT-LENGTH:2\r\n\r\n{}").await;
    tokio::spawn(echo(server));
    assert_eq!(ask(&client, 1).await, Ok(1));
}
