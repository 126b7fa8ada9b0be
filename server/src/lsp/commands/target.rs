//! The symbol of a command, given by name or by a position.

use super::{Position, TextDocument, folder_for_document, locate_document};
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::requests::resolve_position;
use crate::lsp::to_proto;
use crate::session::{FolderState, ServedFolder, Session};
use crate::symbol_names::{self, TargetSymbols};
use crate::written_position::WrittenPosition;
use kenning_graph::Snapshot;
use kenning_graph::positions::TextPosition;
use kenning_retrieval::features::symbol_at;
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};

/// The symbol that a command names, before the graph is searched for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandTarget {
    /// A name or an id.
    Symbol(String),
    /// A position in a document of the folder.
    AtPosition {
        /// The document's path in the folder.
        path: String,
        /// The position in the client's units.
        position: Position,
    },
}

impl CommandTarget {
    /// Builds the target from the arguments of a command, and returns it with its folder.
    ///
    /// # Errors
    /// Returns `InvalidParams` if the arguments name neither a symbol nor a position, or both, or
    /// if the document is not in an open folder.
    pub fn new(
        session: &Session,
        symbol: Option<String>,
        document: Option<&TextDocument>,
        position: Option<Position>,
    ) -> Result<(Arc<ServedFolder>, Self)> {
        let invalid = |message: String| Err(Error::invalid_params(message));
        match (symbol, document, position) {
            (Some(_), _, Some(_)) => invalid("symbol: pass a symbol or a position, not both".to_owned()),
            (Some(symbol), document, None) => {
                Ok((folder_for_document(session, document)?, Self::Symbol(symbol)))
            }
            (None, Some(document), Some(position)) => {
                match locate_document(session, &document.uri, "textDocument.uri")? {
                    Some((folder, path)) => Ok((folder, Self::AtPosition { path, position })),
                    None => invalid(format!("textDocument: {} is not in an open folder", document.uri)),
                }
            }
            (None, None, Some(_)) => {
                invalid("textDocument: missing; pass the document of the position".to_owned())
            }
            (None, Some(_), None) => {
                invalid("position: missing; pass a position in the document, or a symbol".to_owned())
            }
            (None, None, None) => {
                invalid("symbol: missing; pass a symbol, or textDocument and position".to_owned())
            }
        }
    }

    /// Returns the symbols that the target refers to.
    ///
    /// # Errors
    /// Returns `InvalidParams` if no symbol or several symbols fit the name, and `RequestFailed` if
    /// the file is not in the index or there is no symbol at the position.
    pub fn find_symbols(
        &self,
        state: &FolderState,
        documents: &FolderDocuments<'_>,
    ) -> Result<TargetSymbols> {
        let snapshot = &state.snapshot;
        match self {
            Self::Symbol(name) => {
                if let Some(target) = position_target(snapshot, name) {
                    return target.find_symbols(state, documents);
                }
                let symbols = symbol_names::find_overloads(snapshot, name);
                let symbols = symbols.map_err(|error| to_proto::question_error(&error))?;
                Ok(TargetSymbols { symbols, alternatives: Vec::new() })
            }
            Self::AtPosition { path, position } => {
                let Some(file) = snapshot.file_by_path(path) else {
                    return Err(to_proto::request_failed(format!("{path} is not in the index, or not yet")));
                };
                let Position { line, character } = *position;
                let text_position = TextPosition { line, character };
                // The result is the definition whose name is there, or the one that the name refers
                // to.
                let no_symbol =
                    || to_proto::request_failed(format!("no symbol found at line {} of {path}", line + 1));
                let resolved = resolve_position(state, path, text_position, documents.position_encoding());
                let symbols = match resolved {
                    Some(resolved) => resolved.symbols,
                    None => {
                        let offset = documents.offset_at(path, text_position);
                        let offset = offset.map(|offset| skip_indentation(state, path, offset));
                        let symbol = offset.and_then(|offset| symbol_at(snapshot, file, offset));
                        vec![symbol.ok_or_else(no_symbol)?.symbol_id()]
                    }
                };
                TargetSymbols::from_likeliest(symbols).ok_or_else(no_symbol)
            }
        }
    }
}

/// Returns the target for a name that is a position with a column in a file of the index.
fn position_target(snapshot: &Snapshot, name: &str) -> Option<CommandTarget> {
    let WrittenPosition { file, line, column } = WrittenPosition::parse(name.trim())?;
    snapshot.file_by_path(file)?;
    let position = Position { line: line - 1, character: column? - 1 };
    Some(CommandTarget::AtPosition { path: file.to_owned(), position })
}

/// Returns the offset of the first text of a line for an offset in the spaces before it, so that
/// the start of a line means the definition on it. Returns all other offsets unchanged.
fn skip_indentation(state: &FolderState, path: &str, offset: u32) -> u32 {
    let Some(source) = state.source_file(path) else { return offset };
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let (before, after) = source.text.as_bytes().split_at((offset as usize).min(source.text.len()));
    let starts_line = matches!(before.iter().rev().find(|byte| !is_blank(byte)), None | Some(b'\n'));
    let blanks = after.iter().take_while(|byte| is_blank(byte)).count() as u32;
    if starts_line { offset + blanks } else { offset }
}

/// Returns the requested depth, or `default` if none was requested.
///
/// # Errors
/// Returns `InvalidParams` with the name of the field if the depth is not from 1 to `max`.
pub fn check_depth(requested: Option<u8>, default: u8, max: u8) -> Result<u8> {
    match requested {
        None => Ok(default),
        Some(depth) if (1..=max).contains(&depth) => Ok(depth),
        Some(depth) => Err(Error::invalid_params(format!("depth: must be from 1 to {max}, not {depth}"))),
    }
}
