//! Frames of the base protocol: a header with `Content-Length`, an empty line, and a body. All
//! sizes are limited.

use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Maximum size of a body, in bytes; far larger than real answers.
pub const MAX_FRAME: u64 = 256 << 20;
/// Maximum size of a header, in bytes. Stray lines that servers print to their standard output are
/// skipped up to this size.
const MAX_HEADER: u64 = 64 << 10;

/// The reason why no further frame can be read: after each of these, the start of the next frame is
/// unknown.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// Reading failed.
    #[error("reading failed: {0}")]
    Read(#[from] io::Error),
    /// The stream ended inside a frame.
    #[error("the stream ended in the middle of a message")]
    Truncated,
    /// The header exceeded its maximum size without a length.
    #[error("a message header is longer than {MAX_HEADER} bytes")]
    LongHeader,
    /// The length is not a number.
    #[error("the message header `{0}` is unreadable")]
    BadHeader(String),
    /// The body exceeds the maximum size.
    #[error("a message of {0} bytes exceeds the limit of {MAX_FRAME} bytes")]
    TooLarge(u64),
}

/// Encodes a body with its header.
pub(crate) fn encode_frame(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

/// Reads the body of the next frame. Returns `None` if the stream ends between two frames.
pub(crate) async fn read_frame<R: AsyncBufRead + Unpin>(
    reader: &mut R,
) -> Result<Option<Vec<u8>>, FrameError> {
    let Some(length) = read_header(reader).await? else { return Ok(None) };
    if length > MAX_FRAME {
        return Err(FrameError::TooLarge(length));
    }
    // The buffer grows with the data received. A length alone allocates no memory.
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body).await?;
    if body.len() as u64 == length { Ok(Some(body)) } else { Err(FrameError::Truncated) }
}

/// Reads a header and returns the length of its body. Returns `None` at the end of the stream.
async fn read_header<R: AsyncBufRead + Unpin>(reader: &mut R) -> Result<Option<u64>, FrameError> {
    let mut limited = reader.take(MAX_HEADER);
    let (mut length, mut line) = (None, Vec::new());
    loop {
        line.clear();
        limited.read_until(b'\n', &mut line).await?;
        if !line.ends_with(b"\n") {
            return match (limited.limit(), line.is_empty() && length.is_none()) {
                (0, _) => Err(FrameError::LongHeader),
                (_, true) => Ok(None),
                (_, false) => Err(FrameError::Truncated),
            };
        }
        let text = String::from_utf8_lossy(&line);
        match (text.trim(), length) {
            // An empty line ends the header. Before the first length it belongs to stray output.
            ("", Some(length)) => return Ok(Some(length)),
            ("", None) => {}
            (field, known) => length = parse_content_length(field)?.or(known),
        }
    }
}

/// Returns the value of a `Content-Length` field. Returns `None` for any other line.
fn parse_content_length(field: &str) -> Result<Option<u64>, FrameError> {
    match field.split_once(':') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
            let length = value.trim().parse();
            length.map(Some).map_err(|_| FrameError::BadHeader(field.chars().take(80).collect()))
        }
        _ => Ok(None),
    }
}
