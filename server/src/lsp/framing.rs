//! Checks incoming messages before the protocol library, which ends the session at the first one
//! that it cannot read.
//!
//! A message that is not JSON-RPC affects only itself, because its header gives its length. It is
//! replaced with a request that [`super::guard`] answers with the error.

use super::guard::{UNREADABLE, unreadable_params};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};

/// Maximum size of a message in bytes. Editors send whole files, but none is nearly this large.
const MAX_MESSAGE_BYTES: u64 = 1 << 30;

/// Maximum size in bytes of a buffer that is reused for the next message. A client can open a
/// document of many megabytes.
const MAX_RETAINED_CAPACITY: usize = 1 << 20;

/// Maximum number of bytes that are read as one header line. The rest of a longer line is read as
/// further lines.
const MAX_HEADER_LINE_BYTES: u64 = 4096;

/// Copies messages until the input ends.
///
/// # Errors
/// Returns an error if a stream breaks or a message is longer than [`MAX_MESSAGE_BYTES`].
pub async fn copy_messages(
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut body = Vec::new();
    while let Some(length) = next_length(&mut input).await? {
        if length > MAX_MESSAGE_BYTES {
            return Err(io::Error::other(format!(
                "the client announced a message of {length} bytes, which is too large"
            )));
        }
        body.clear();
        if (&mut input).take(length).read_to_end(&mut body).await? as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        replace_lone_surrogates(&mut body);
        let message =
            if is_message(&body) { Cow::Borrowed(&body) } else { Cow::Owned(substitute_message(&body)) };
        output.write_all(format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes()).await?;
        output.write_all(&message).await?;
        output.flush().await?;
        if body.capacity() > MAX_RETAINED_CAPACITY {
            body = Vec::new();
        }
    }
    Ok(())
}

/// Replaces each escaped lone surrogate with `\ufffd`. JavaScript clients send such texts, and a
/// Rust string cannot hold them. The length of the message does not change.
fn replace_lone_surrogates(body: &mut [u8]) {
    /// Returns the code unit of an escape `\uXXXX` at the index `at`; `None` if there is none.
    fn escaped_unit(body: &[u8], at: usize) -> Option<u16> {
        let escape = body.get(at..at + 6)?;
        let digits = escape.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
    let mut at = 0;
    while let Some(step) = body[at..].iter().position(|&b| b == b'\\') {
        at += step;
        match escaped_unit(body, at) {
            Some(0xd800..=0xdbff) if matches!(escaped_unit(body, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                body[at..at + 6].copy_from_slice(b"\\ufffd");
                at += 6;
            }
            // This is another escape, whose second byte may be a backslash.
            _ => at = (at + 2).min(body.len()),
        }
    }
}

/// Whether the protocol library can parse this message as a request, a notification or an answer.
fn is_message(body: &[u8]) -> bool {
    // The library parses a message without a method as a request with an empty method.
    std::str::from_utf8(body).is_ok()
        && (serde_json::from_slice::<Request>(body).is_ok_and(|request| !request.method().is_empty())
            || serde_json::from_slice::<Response>(body).is_ok())
}

/// Builds the replacement of a message that the protocol library cannot read: an error answer for a
/// broken answer, and otherwise a request that is answered with the error. The message is not
/// logged, because it may contain a document.
fn substitute_message(body: &[u8]) -> Vec<u8> {
    let (id, code, reason) = match serde_json::from_slice::<Value>(body) {
        Err(error) => (Value::Null, ErrorCode::ParseError, format!("the message is not JSON: {error}")),
        Ok(Value::Array(_)) => {
            let reason = "batches of messages are not part of the Language Server Protocol";
            (Value::Null, ErrorCode::InvalidRequest, reason.to_owned())
        }
        Ok(value) => {
            let is_valid_id = |id: &&Value| id.is_string() || id.is_i64();
            let id = value.get("id").filter(is_valid_id).cloned().unwrap_or_default();
            let is_response = value.get("result").is_some() || value.get("error").is_some();
            if is_response && value.get("method").is_none() {
                tracing::warn!(%id, "a response of the client is unreadable and is treated as an error");
                let error = json!({ "code": -32603, "message": "the client's response is unreadable" });
                return json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string().into_bytes();
            }
            let error = serde_json::from_value::<Request>(value).err();
            let error = error.map_or_else(|| "it has no method".to_owned(), |error| error.to_string());
            (id, ErrorCode::InvalidRequest, format!("the message is not a JSON-RPC 2.0 request: {error}"))
        }
    };
    tracing::warn!(length = body.len(), code = code.code(), reason, "answering a message with an error");
    let error = Error { code, message: reason.into(), data: None };
    let params = unreadable_params(&error);
    json!({ "jsonrpc": "2.0", "id": id, "method": UNREADABLE, "params": params }).to_string().into_bytes()
}

/// Returns the length of the next message; `None` at the end of the input. Skips lines that are not
/// headers.
async fn next_length(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<u64>> {
    let mut length = None;
    loop {
        let Some(line) = header_line(input).await? else { return Ok(None) };
        if line.is_empty() {
            if length.is_some() {
                return Ok(length);
            }
            continue;
        }
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok();
                if length.is_none() {
                    tracing::warn!(value, "skipping a message whose length is not a number");
                }
            }
            // Other headers are ignored: a message is JSON in UTF-8, whatever its content type.
            Some(_) => {}
            None => tracing::warn!(length = line.len(), "skipping a line between two messages"),
        }
    }
}

/// Returns a header line without its line break; `None` at the end of the input.
async fn header_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if (&mut *input).take(MAX_HEADER_LINE_BYTES).read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&line);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn copy(input: &[u8]) -> (String, bool) {
        let mut output = Vec::new();
        let succeeded = copy_messages(input, &mut output).await.is_ok();
        (String::from_utf8(output).unwrap(), succeeded)
    }

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// Returns the bodies of frames, one per line.
    fn bodies(mut frames: &str) -> String {
        let mut text = String::new();
        while let Some((header, rest)) = frames.split_once("\r\n\r\n") {
            let length: usize = header.strip_prefix("Content-Length: ").unwrap().parse().unwrap();
            text += &rest[..length];
            text.push('\n');
            frames = &rest[length..];
        }
        text
    }

    #[tokio::test]
    async fn messages_pass_and_everything_else_is_replaced() {
        let (request, answer) =
            (r#"{"jsonrpc":"2.0","method":"x"}"#, r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        let input = ["{", request, "[]", answer, r#"{"jsonrpc":"2.0","id":"a"}"#].map(frame).concat();
        let (output, succeeded) = copy(input.as_bytes()).await;
        assert!(succeeded);
        expect_test::expect![[r#"
            {"jsonrpc":"2.0","id":null,"method":"$/kenning/unreadable","params":{"code":-32700,"message":"the message is not JSON: EOF while parsing an object at line 1 column 1"}}
            {"jsonrpc":"2.0","method":"x"}
            {"jsonrpc":"2.0","id":null,"method":"$/kenning/unreadable","params":{"code":-32600,"message":"batches of messages are not part of the Language Server Protocol"}}
            {"jsonrpc":"2.0","id":1,"result":null}
            {"jsonrpc":"2.0","id":"a","method":"$/kenning/unreadable","params":{"code":-32600,"message":"the message is not a JSON-RPC 2.0 request: it has no method"}}
        "#]]
        .assert_eq(&bodies(&output));
    }

    #[test]
    fn an_unreadable_answer_fails_its_request() {
        let broken = br#"{"jsonrpc":"2.0","id":7,"error":"no"}"#;
        let substitute: Value = serde_json::from_slice(&substitute_message(broken)).unwrap();
        assert_eq!((&substitute["id"], &substitute["error"]["code"]), (&json!(7), &json!(-32603)));
    }

    #[test]
    fn the_library_can_read_every_message_that_passes_the_check() {
        // The library stops at 128 levels, so the check must do the same.
        for depth in 100..140 {
            let params = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let body = format!(r#"{{"jsonrpc":"2.0","method":"x","params":{params}}}"#);
            let is_readable = serde_json::from_str::<Value>(&body).is_ok();
            assert_eq!(is_message(body.as_bytes()), is_readable, "{depth}");
        }
        assert!(!is_message(b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":\"\xff\"}"));
        assert!(!is_message(br#"{"jsonrpc":"2.0","method":"x","method":"y"}"#));
        assert!(!is_message(br#"{"jsonrpc":"1.0","method":"x"}"#));
        assert!(!is_message(br#"{"jsonrpc":"2.0","method":"","id":1}"#));
    }

    #[test]
    fn halves_of_surrogate_pairs_become_replacement_characters() {
        let replaced = |text: &str| {
            let mut body = text.as_bytes().to_vec();
            replace_lone_surrogates(&mut body);
            String::from_utf8(body).unwrap()
        };
        assert_eq!(replaced(r#"a\ud83d b"#), r#"a\ufffd b"#);
        assert_eq!(replaced(r#"\ud83d\ude00 \ude00"#), r#"\ud83d\ude00 \ufffd"#);
        assert_eq!(replaced(r#"\\ud83d \n\"#), r#"\\ud83d \n\"#);
        assert_eq!(replaced(r#"\ud83d\ud83d\ude00"#), r#"\ufffd\ud83d\ude00"#);
    }

    #[tokio::test]
    async fn headers_are_read_leniently() {
        let body = r#"{"jsonrpc":"2.0","method":"x"}"#;
        let input =
            format!("junk\n\ncontent-length:{}\nContent-Type: a; charset=latin1\n\n{body}", body.len());
        assert_eq!(copy(input.as_bytes()).await, (frame(body), true));
    }

    #[tokio::test]
    async fn a_broken_stream_ends_the_copy() {
        assert_eq!(copy(b"").await, (String::new(), true));
        assert_eq!(copy(b"Content-Length: 9\r\n\r\n{}").await, (String::new(), false));
        assert_eq!(copy(b"Content-Length: 99999999999\r\n\r\n{}").await, (String::new(), false));
        assert_eq!(copy(&[0xff; 10_000]).await, (String::new(), true));
    }
}
