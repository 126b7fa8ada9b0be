//! Keeps messages that cannot be read away from the protocol library, which ends the session at the first of them.
//!
//! A message that is no JSON-RPC costs only itself; its place in the stream is known from its header.

use std::io;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tower_lsp::jsonrpc::{Request, Response};

/// Bytes of a message that are read; editors send whole files, and none is nearly as large.
const MAX_MESSAGE: u64 = 1 << 30;

/// Bytes of a header line that are looked at; the rest of a longer one is passed over.
const MAX_HEADER_LINE: u64 = 4096;

/// Copies messages until the input ends.
///
/// # Errors
/// When a stream breaks, or a message is too long to be one.
pub async fn copy_messages(
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut body = Vec::new();
    while let Some(length) = next_length(&mut input).await? {
        if length > MAX_MESSAGE {
            return Err(io::Error::other(format!("a message of {length} bytes is announced")));
        }
        body.clear();
        if (&mut input).take(length).read_to_end(&mut body).await? as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        replace_lone_surrogates(&mut body);
        if is_message(&body) {
            output.write_all(format!("Content-Length: {length}\r\n\r\n").as_bytes()).await?;
            output.write_all(&body).await?;
            output.flush().await?;
        } else {
            let start = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
            tracing::warn!(length, start, "a message that is no JSON-RPC 2.0 is ignored");
        }
    }
    Ok(())
}

/// Writes `\ufffd` over each escaped half of a surrogate pair that stands alone: JavaScript clients send such texts,
/// and Rust has no strings for them. The length stays the same.
fn replace_lone_surrogates(body: &mut [u8]) {
    /// The code unit of an escape `\uXXXX` at `at`.
    fn unit(body: &[u8], at: usize) -> Option<u16> {
        let escape = body.get(at..at + 6)?;
        let digits = escape.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
    let mut at = 0;
    while let Some(step) = body[at..].iter().position(|&b| b == b'\\') {
        at += step;
        match unit(body, at) {
            Some(0xd800..=0xdbff) if matches!(unit(body, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                body[at..at + 6].copy_from_slice(b"\\ufffd");
                at += 6;
            }
            // Another escape: its second byte may be a backslash.
            _ => at = (at + 2).min(body.len()),
        }
    }
}

/// Whether the protocol library can read this.
fn is_message(body: &[u8]) -> bool {
    serde_json::from_slice::<Response>(body).is_ok() || serde_json::from_slice::<Request>(body).is_ok()
}

/// The length of the next message; `None` at the end of the input. Lines that are no header are passed over.
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
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        if name.trim().eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok();
        }
        if length.is_none() {
            tracing::warn!(line, "a header without the length of a message is ignored");
        }
    }
}

/// A header line without its end; `None` at the end of the input.
async fn header_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if (&mut *input).take(MAX_HEADER_LINE).read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&line);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn copied(input: &[u8]) -> (String, bool) {
        let mut output = Vec::new();
        let whole = copy_messages(input, &mut output).await.is_ok();
        (String::from_utf8(output).unwrap(), whole)
    }

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn only_messages_pass() {
        let (request, answer) =
            (r#"{"jsonrpc":"2.0","method":"x"}"#, r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        let mut input = String::new();
        for body in ["", "{", request, "[]", "{}", "nonsense", answer, r#"{"jsonrpc":"1.0","method":"x"}"#] {
            input += &frame(body);
        }
        assert_eq!(copied(input.as_bytes()).await, (frame(request) + &frame(answer), true));
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
        assert_eq!(copied(input.as_bytes()).await, (frame(body), true));
    }

    #[tokio::test]
    async fn a_broken_stream_ends_the_copy() {
        assert_eq!(copied(b"").await, (String::new(), true));
        assert_eq!(copied(b"Content-Length: 9\r\n\r\n{}").await, (String::new(), false));
        assert_eq!(copied(b"Content-Length: 99999999999\r\n\r\n{}").await, (String::new(), false));
        assert_eq!(copied(&[0xff; 10_000]).await, (String::new(), true));
    }
}
