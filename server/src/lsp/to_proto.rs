//! From the session's types to the protocol's.

use crate::answer::QuestionError;
use kenning_graph::facts::NameSpan;
use kenning_graph::positions::{LineIndex, PositionEncoding};
use lsp_types::{Position, PositionEncodingKind, Range};
use tower_lsp::jsonrpc::{Error, ErrorCode};

/// The request was valid but could not be answered (`LSPErrorCodes.RequestFailed`).
const REQUEST_FAILED: i64 = -32803;

/// The name of an encoding.
pub fn position_encoding(encoding: PositionEncoding) -> PositionEncodingKind {
    match encoding {
        PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
        PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
        PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
    }
}

/// Where a name stands in a text.
pub fn name_to_range(text: &str, lines: &LineIndex, name: NameSpan, encoding: PositionEncoding) -> Range {
    let end = (name.start + name.len) as usize;
    byte_range(text, lines, name.start as usize..end, encoding)
}

/// The place of these bytes.
pub fn byte_range(
    text: &str,
    lines: &LineIndex,
    bytes: std::ops::Range<usize>,
    encoding: PositionEncoding,
) -> Range {
    let at = |offset: usize| {
        let position = lines.position_at(text, offset, encoding);
        Position { line: position.line, character: position.character }
    };
    Range { start: at(bytes.start), end: at(bytes.end) }
}

/// The start of a line.
pub fn line_start(line: u32) -> Range {
    let start = Position { line, character: 0 };
    Range { start, end: start }
}

/// A valid request that has no answer.
pub fn request_failed(message: impl Into<String>) -> Error {
    Error { code: ErrorCode::ServerError(REQUEST_FAILED), message: message.into().into(), data: None }
}

/// A request whose progress the person cancelled.
pub fn request_cancelled() -> Error {
    Error { code: ErrorCode::RequestCancelled, message: "cancelled".into(), data: None }
}

/// An internal error.
pub fn internal_error(message: impl Into<String>) -> Error {
    Error { code: ErrorCode::InternalError, message: message.into().into(), data: None }
}

/// A question without an answer; what is wrong with an argument names the argument.
pub fn question_error(error: &QuestionError) -> Error {
    let field = match error {
        QuestionError::Cancelled => return request_cancelled(),
        QuestionError::Change(reason) => return request_failed(reason.clone()),
        QuestionError::Base(_) => "base",
        QuestionError::EmptyTask => "task",
        QuestionError::NoFiles | QuestionError::UnknownFile(_) => "uris",
        QuestionError::EmptySymbol
        | QuestionError::UnknownSymbol(_)
        | QuestionError::AmbiguousSymbol { .. } => "symbol",
    };
    Error::invalid_params(format!("{field}: {error}"))
}
