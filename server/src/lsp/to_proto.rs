//! Converts the session's types to the protocol's.

use crate::answer::QuestionError;
use kenning_graph::SymbolKind;
use kenning_graph::facts::NameSpan;
use kenning_graph::positions::{LineIndex, PositionEncoding};
use lsp_types::{Position, PositionEncodingKind, Range};
use tower_lsp::jsonrpc::{Error, ErrorCode};

/// The code of a valid request that cannot be answered (`LSPErrorCodes.RequestFailed`).
const REQUEST_FAILED: i64 = -32803;

/// Converts a position encoding.
pub fn position_encoding(encoding: PositionEncoding) -> PositionEncodingKind {
    match encoding {
        PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
        PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
        PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
    }
}

/// Returns the range of a name in a text.
pub fn name_to_range(text: &str, lines: &LineIndex, name: NameSpan, encoding: PositionEncoding) -> Range {
    let end = (name.start + name.len) as usize;
    byte_range(text, lines, name.start as usize..end, encoding)
}

/// Returns the range of these bytes in a text.
pub fn byte_range(
    text: &str,
    lines: &LineIndex,
    bytes: std::ops::Range<usize>,
    encoding: PositionEncoding,
) -> Range {
    let to_position = |offset: usize| {
        let position = lines.position_at(text, offset, encoding);
        Position { line: position.line, character: position.character }
    };
    Range { start: to_position(bytes.start), end: to_position(bytes.end) }
}

/// Returns the empty range at the start of a line.
pub fn line_start(line: u32) -> Range {
    let start = Position { line, character: 0 };
    Range { start, end: start }
}

/// Builds the error for a valid request that cannot be answered.
pub fn request_failed(message: impl Into<String>) -> Error {
    Error { code: ErrorCode::ServerError(REQUEST_FAILED), message: message.into().into(), data: None }
}

/// Builds the error for a request that the user cancelled.
pub fn request_cancelled() -> Error {
    Error { code: ErrorCode::RequestCancelled, message: "cancelled".into(), data: None }
}

/// Builds an internal error.
pub fn internal_error(message: impl Into<String>) -> Error {
    Error { code: ErrorCode::InternalError, message: message.into().into(), data: None }
}

/// Converts the kind of a symbol.
pub fn symbol_kind(kind: SymbolKind) -> lsp_types::SymbolKind {
    use lsp_types::SymbolKind as Kind;
    match kind {
        SymbolKind::File => Kind::FILE,
        SymbolKind::Method => Kind::METHOD,
        SymbolKind::Constructor => Kind::CONSTRUCTOR,
        SymbolKind::Class | SymbolKind::Record => Kind::CLASS,
        SymbolKind::Struct | SymbolKind::Union | SymbolKind::TypeAlias | SymbolKind::Table => Kind::STRUCT,
        SymbolKind::Enum => Kind::ENUM,
        SymbolKind::Interface | SymbolKind::Trait => Kind::INTERFACE,
        SymbolKind::Module => Kind::MODULE,
        SymbolKind::Field => Kind::FIELD,
        SymbolKind::Property => Kind::PROPERTY,
        SymbolKind::Constant => Kind::CONSTANT,
        SymbolKind::EnumMember => Kind::ENUM_MEMBER,
        SymbolKind::Variable | SymbolKind::EnvVar => Kind::VARIABLE,
        _ => Kind::FUNCTION,
    }
}

/// Converts an error of a question. If an argument is wrong, the message starts with its name.
pub fn question_error(error: &QuestionError) -> Error {
    let field = match error {
        QuestionError::Cancelled => return request_cancelled(),
        QuestionError::Change(reason) => return request_failed(reason.clone()),
        QuestionError::Base(_) => "base",
        QuestionError::EmptyTask => "task",
        QuestionError::EmptyQuery => "query",
        QuestionError::NoKnowledge(_) => "scope",
        QuestionError::NoVectors(_) => "mode",
        QuestionError::BadLimit { .. } => return Error::invalid_params(error.to_string()),
        QuestionError::NoFiles | QuestionError::UnknownFile { .. } | QuestionError::DocumentFile(_) => "uris",
        QuestionError::UnusableId { list, .. } => list,
        QuestionError::EmptySymbol
        | QuestionError::UnknownId(_)
        | QuestionError::UnknownSymbol { .. }
        | QuestionError::AmbiguousSymbol { .. } => "symbol",
    };
    Error::invalid_params(format!("{field}: {error}"))
}
