//! The symbol that a command is about: named, or standing at a position.

use super::{Position, TextDocument, folder_for_document, locate_document};
use crate::answer;
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::requests::resolve_position;
use crate::lsp::to_proto;
use crate::session::{FolderState, ServedFolder, Session};
use kenning_graph::SymbolId;
use kenning_retrieval::features::symbol_at;
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};

/// A symbol as a command names it, before it is looked up in the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandTarget {
    /// By its name or id.
    Symbol(String),
    /// By a place in a document of the folder.
    Place {
        /// Path in the folder.
        path: String,
        /// The client's position.
        position: Position,
    },
}

impl CommandTarget {
    /// The target of these arguments and the folder that it is in.
    ///
    /// # Errors
    /// `InvalidParams` when there is neither a symbol nor a place, or both, or the document is no file of a folder.
    pub fn new(
        session: &Session,
        symbol: Option<String>,
        document: Option<&TextDocument>,
        position: Option<Position>,
    ) -> Result<(Arc<ServedFolder>, Self)> {
        let invalid = |message: String| Err(Error::invalid_params(message));
        match (symbol, document, position) {
            (Some(_), _, Some(_)) => invalid("symbol: name a symbol or give a position, not both".to_owned()),
            (Some(symbol), document, None) => {
                Ok((folder_for_document(session, document)?, Self::Symbol(symbol)))
            }
            (None, Some(document), Some(position)) => {
                match locate_document(session, &document.uri, "textDocument.uri")? {
                    Some((folder, path)) => Ok((folder, Self::Place { path, position })),
                    None => invalid(format!("textDocument: {} is no file of an open folder", document.uri)),
                }
            }
            (None, None, Some(_)) => invalid(
                "textDocument: missing; a position is a place in a document, so name the document too"
                    .to_owned(),
            ),
            (None, Some(_), None) => {
                invalid("position: missing; give a position in the document, or name a symbol".to_owned())
            }
            (None, None, None) => {
                invalid("symbol: missing; name a symbol, or give textDocument and position".to_owned())
            }
        }
    }

    /// The symbols that the target may mean, the likeliest first; at least one.
    ///
    /// # Errors
    /// `InvalidParams` when the name fits none or several; `RequestFailed` when nothing stands at the place.
    pub fn find_symbols(
        &self,
        state: &FolderState,
        documents: &FolderDocuments<'_>,
    ) -> Result<Vec<SymbolId>> {
        let snapshot = &state.snapshot;
        match self {
            Self::Symbol(name) => {
                let found = answer::find_symbol(snapshot, name);
                Ok(vec![found.map_err(|error| to_proto::question_error(&error))?])
            }
            Self::Place { path, position } => {
                let Some(file) = snapshot.file_by_path(path) else {
                    return Err(to_proto::request_failed(format!("{path} is not in the index (yet)")));
                };
                let Position { line, character } = *position;
                let place = TextPosition { line, character };
                // The definition whose name is there, or what the name there stands for.
                if let Some(meant) = resolve_position(state, path, place, documents.position_encoding()) {
                    return Ok(meant.symbols);
                }
                let offset = documents.offset_at(path, place);
                let found = offset.and_then(|offset| symbol_at(snapshot, file, offset));
                let nothing =
                    || to_proto::request_failed(format!("no symbol stands at line {} of {path}", line + 1));
                Ok(vec![found.ok_or_else(nothing)?.symbol_id()])
            }
        }
    }
}

/// Checks a depth that was asked for.
///
/// # Errors
/// `InvalidParams` naming the field when it is not in 1 to `most`.
pub fn check_depth(asked: Option<u8>, usual: u8, most: u8) -> Result<u8> {
    match asked {
        None => Ok(usual),
        Some(depth) if (1..=most).contains(&depth) => Ok(depth),
        Some(depth) => Err(Error::invalid_params(format!("depth: must be from 1 to {most}, not {depth}"))),
    }
}
