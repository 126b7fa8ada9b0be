//! Frames of the base protocol: a header with `Content-Length`, an empty line, a body. Bounded in every direction.

use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Largest body that is read, in bytes: no honest answer comes near it.
pub const MAX_FRAME: u64 = 256 << 20;
/// Longest header, in bytes. Servers print stray lines to their standard output; those are passed over, up to here.
const MAX_HEADER: u64 = 64 << 10;

/// Why no further frame can be read: after any of these it is not known where the next frame begins.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// Reading failed.
    #[error("reading failed: {0}")]
    Read(#[from] io::Error),
    /// The stream ended inside a frame.
    #[error("the stream ended in the middle of a message")]
    Cut,
    /// No length was found in so long a header.
    #[error("a message header is longer than {MAX_HEADER} bytes")]
    LongHeader,
    /// The length is no number, or there are two.
    #[error("the message header `{0}` cannot be read")]
    BadHeader(String),
    /// The body is larger than what is read.
    #[error("a message of {0} bytes is larger than the {MAX_FRAME} that are read")]
    Huge(u64),
}

/// A body with its header.
pub(crate) fn encode_frame(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

/// The body of the next frame; `None` where the stream ends between two frames.
pub(crate) async fn read_frame<R: AsyncBufRead + Unpin>(
    reader: &mut R,
) -> Result<Option<Vec<u8>>, FrameError> {
    let Some(length) = read_header(reader).await? else { return Ok(None) };
    if length > MAX_FRAME {
        return Err(FrameError::Huge(length));
    }
    // Grows with what really comes: a length alone does not make this process ask for memory.
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body).await?;
    if body.len() as u64 == length { Ok(Some(body)) } else { Err(FrameError::Cut) }
}

/// The length of the body that follows; `None` at the end of the stream.
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
                (_, false) => Err(FrameError::Cut),
            };
        }
        let text = String::from_utf8_lossy(&line);
        match (text.trim(), length) {
            // An empty line ends the header; before any field it belongs to stray output.
            ("", Some(length)) => return Ok(Some(length)),
            ("", None) => {}
            (field, known) => length = parse_content_length(field)?.or(known),
        }
    }
}

/// The value of a `Content-Length` field; `None` for any other line.
fn parse_content_length(field: &str) -> Result<Option<u64>, FrameError> {
    match field.split_once(':') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
            let length = value.trim().parse();
            length.map(Some).map_err(|_| FrameError::BadHeader(field.chars().take(80).collect()))
        }
        _ => Ok(None),
    }
}
