//! `workspace/executeCommand`: the commands of this server, and their shared parts.
//!
//! Each command has its own file and implements `LspCommand`, which declares its name, its argument
//! and its result. The table `COMMANDS` drives dispatch, error messages and
//! `docs/lsp-extensions.md`. A command parses its argument, notes the position of the folder's
//! queue before its first `await`, waits for a view that includes that position, and then works on
//! a blocking thread while `RunningCommand` shows progress and handles cancellation.

mod affected_tests;
mod blast_radius;
mod change_context;
mod changes;
#[cfg(test)]
mod client_types;
mod declaration;
mod enrich;
mod explain;
mod feedback;
mod file_context;
mod graph;
mod knowledge;
mod packs;
mod question_inputs;
#[cfg(test)]
mod reference;
mod reindex;
mod restart_servers;
mod running_command;
mod search;
mod status;
mod target;
mod task_context;
mod text_page;
mod unsaved_texts;
mod wait_for_index;

pub use unsaved_texts::UnsavedTexts;

use super::{capabilities, from_proto, progress, to_proto};
use crate::session::{ChangeSequence, FolderView, IndexPhase, ServedFolder, Session};
use declaration::{CommandEntry, LspCommand, command_entry};
use lsp_types::ProgressToken;
use running_command::RunningCommand;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tower_lsp::Client;
use tower_lsp::jsonrpc::{Error, Result};

/// The commands of this server, in the order in which they are documented.
const COMMANDS: &[CommandEntry] = &[
    command_entry::<task_context::GetTaskContext>(),
    command_entry::<search::SearchFolder>(),
    command_entry::<file_context::GetFileContext>(),
    command_entry::<change_context::GetChangeContext>(),
    command_entry::<blast_radius::GetBlastRadius>(),
    command_entry::<affected_tests::GetAffectedTests>(),
    command_entry::<graph::GetGraph>(),
    command_entry::<explain::ExplainSymbol>(),
    command_entry::<feedback::GiveFeedback>(),
    command_entry::<knowledge::UseKnowledge>(),
    command_entry::<status::GetStatus>(),
    command_entry::<wait_for_index::WaitForIndex>(),
    command_entry::<unsaved_texts::GetUnsavedTexts>(),
    command_entry::<reindex::ReindexFolder>(),
    command_entry::<enrich::StartEnrichment>(),
    command_entry::<restart_servers::RestartServers>(),
];

/// Returns the names of the commands.
pub fn command_names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

/// The context of a command.
#[derive(Clone)]
pub struct CommandCall {
    /// The session.
    pub session: Arc<Session>,
    /// The client, for progress and for the results that a command shows.
    pub client: Client,
    /// The capabilities of the client.
    pub capabilities: capabilities::ClientFeatures,
    /// The token under which the client wants to see progress.
    pub token: Option<ProgressToken>,
    /// The tokens of work that can be cancelled.
    pub cancellations: progress::CancelTokens,
}

/// Runs a command.
///
/// # Errors
/// Returns `InvalidParams` with the name of the wrong argument, `RequestFailed` if there is no
/// index, `RequestCancelled` if the progress was cancelled, and `InternalError` after a panic.
pub async fn dispatch_command(call: CommandCall, command: &str, arguments: Vec<Value>) -> Result<Value> {
    match COMMANDS.iter().find(|entry| entry.name == command) {
        Some(entry) => (entry.run)(call, arguments).await,
        None => Err(Error::invalid_params(format!(
            "command: {command} is unknown; the commands are {}",
            command_names().collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// A document in the form of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct TextDocument {
    /// The document's URI.
    pub uri: String,
}

/// A position in a document in the form of the protocol; both numbers are 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// Code units of the negotiated encoding from the start of the line.
    pub character: u32,
}

/// Returns the folder of a command's `textDocument`; without one, the first folder.
fn folder_for_document(session: &Session, document: Option<&TextDocument>) -> Result<Arc<ServedFolder>> {
    if let Some(document) = document {
        let located = locate_document(session, &document.uri, "textDocument.uri")?;
        let problem = || format!("textDocument: {} is not in an open folder", document.uri);
        return located.map(|(folder, _)| folder).ok_or_else(|| Error::invalid_params(problem()));
    }
    let first = session.served_folders().into_iter().next();
    first.ok_or_else(|| to_proto::request_failed("no folder is open; open a folder and try again"))
}

/// Returns the folder of a document and its path in it; `None` if it is not in an open
/// folder.
///
/// # Errors
/// Returns `InvalidParams` with the name `field` if the text is not a URI.
fn locate_document(session: &Session, uri: &str, field: &str) -> Result<Option<(Arc<ServedFolder>, String)>> {
    let parsed = uri.parse().map_err(|_| Error::invalid_params(format!("{field}: {uri:?} is not a URI")))?;
    let file: Option<PathBuf> = from_proto::file_path(&parsed);
    Ok(file.and_then(|file| session.locate_file(&file)))
}

/// Runs work on a blocking thread. A panic in it fails only this request.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "internal error in a request");
        Err(to_proto::internal_error("Internal error. See the log."))
    })
}

/// Converts a result to JSON.
fn to_json_value(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| to_proto::internal_error(error.to_string()))
}

/// Returns the view if its folder has a graph or will have one.
///
/// # Errors
/// Returns `RequestFailed` with the reason if there is no graph.
fn ensure_usable(folder: &ServedFolder, view: FolderView) -> Result<FolderView> {
    match &view.state.phase {
        IndexPhase::Failed(reason) => Err(to_proto::request_failed(format!(
            "{} is not indexed: {reason}",
            folder.root_path().display()
        ))),
        _ => Ok(view),
    }
}

/// Returns the position of the folder's queue that a request about the whole workspace waits for.
fn request_sequence(session: &Session, folder: &ServedFolder) -> ChangeSequence {
    folder.sequence_for_request(Instant::now(), session.is_client_watching())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_in_a_request_is_an_internal_error_of_that_request() {
        let answer: Result<()> = run_blocking(|| panic!("an intended panic")).await;
        assert_eq!(answer.unwrap_err().code, tower_lsp::jsonrpc::ErrorCode::InternalError);
        assert_eq!(run_blocking(|| Ok(7)).await, Ok(7));
    }
}
