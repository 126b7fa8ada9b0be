//! `workspace/executeCommand`: which commands there are, and what they have in common.

mod affected_tests;
mod blast_radius;
mod change_context;
mod changes;
mod declaration;
mod enrich;
mod explain;
mod feedback;
mod file_context;
mod graph;
mod packs;
#[cfg(test)]
mod reference;
mod reindex;
mod restart_servers;
mod running;
mod status;
mod target;
mod task_context;

use super::{capabilities, from_proto, progress, to_proto};
use crate::session::{Arrival, Folder, Phase, Session, View};
use declaration::{Command, Entry, entry};
use lsp_types::ProgressToken;
use running::Running;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tower_lsp::Client;
use tower_lsp::jsonrpc::{Error, Result};

/// The commands of this server, in the order in which they are documented.
const COMMANDS: &[Entry] = &[
    entry::<task_context::TaskContext>(),
    entry::<file_context::FileContext>(),
    entry::<change_context::ChangeContext>(),
    entry::<blast_radius::GetBlastRadius>(),
    entry::<affected_tests::GetAffectedTests>(),
    entry::<graph::GetGraph>(),
    entry::<explain::Explain>(),
    entry::<feedback::GiveFeedback>(),
    entry::<status::GetStatus>(),
    entry::<reindex::Reindex>(),
    entry::<enrich::Enrich>(),
    entry::<restart_servers::RestartServers>(),
];

/// The names of the commands.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

/// What a command works with.
#[derive(Clone)]
pub struct Call {
    /// The session.
    pub session: Arc<Session>,
    /// The client, for progress and for what a command shows.
    pub client: Client,
    /// What the client can do.
    pub can: capabilities::Client,
    /// The token under which the client wants to see progress.
    pub token: Option<ProgressToken>,
    /// Where work that can be stopped is registered.
    pub cancellations: progress::Cancellations,
}

/// Runs a command.
///
/// # Errors
/// `InvalidParams` naming what is wrong; `RequestFailed` when there is no index; `RequestCancelled` when its progress
/// was cancelled; `InternalError` on a fault.
pub async fn run(call: Call, command: &str, arguments: Vec<Value>) -> Result<Value> {
    match COMMANDS.iter().find(|known| known.name == command) {
        Some(known) => (known.run)(call, arguments).await,
        None => Err(Error::invalid_params(format!(
            "command: {command} is unknown; the commands are {}",
            names().collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// A document, as the protocol names it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct TextDocument {
    /// Its URI.
    pub uri: String,
}

/// A position in a document, as the protocol counts: both numbers from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// Code units of the agreed encoding from the start of the line.
    pub character: u32,
}

/// The folder that a command is about: that of its `textDocument`, else the first.
fn folder(session: &Session, document: Option<&TextDocument>) -> Result<Arc<Folder>> {
    if let Some(document) = document {
        let located = located(session, &document.uri, "textDocument.uri")?;
        let outside = || format!("textDocument: {} is no file of an open folder", document.uri);
        return located.map(|(folder, _)| folder).ok_or_else(|| Error::invalid_params(outside()));
    }
    let first = session.folders().into_iter().next();
    first.ok_or_else(|| to_proto::failed("no folder is open; open a folder and ask again"))
}

/// Folder and path of a document; `None` when it is no file of an open folder.
///
/// # Errors
/// `InvalidParams` naming `field` when it is no URI at all.
fn located(session: &Session, uri: &str, field: &str) -> Result<Option<(Arc<Folder>, String)>> {
    let parsed = uri.parse().map_err(|_| Error::invalid_params(format!("{field}: {uri:?} is not a URI")))?;
    let file: Option<PathBuf> = from_proto::file(&parsed);
    Ok(file.and_then(|file| session.locate(&file)))
}

/// Runs work off the reactor. A panic in it is the fault of this request only.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a request failed on a fault");
        Err(to_proto::internal("the request failed on a fault of Kenning itself; the log has the details"))
    })
}

/// A result as JSON.
fn json(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| to_proto::internal(error.to_string()))
}

/// A view in which there is, or will be, a graph.
///
/// # Errors
/// The reason for which there is none.
fn usable(folder: &Folder, view: View) -> Result<View> {
    match &view.state.phase {
        Phase::Failed(reason) => {
            Err(to_proto::failed(format!("{} is not indexed: {reason}", folder.root().display())))
        }
        _ => Ok(view),
    }
}

/// What came before this request.
fn arrival(session: &Session, folder: &Folder) -> Arrival {
    folder.arrive(Instant::now(), session.is_watched())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_fault_in_a_request_is_an_internal_error_of_that_request() {
        let answer: Result<()> = blocking(|| panic!("a fault, on purpose")).await;
        assert_eq!(answer.unwrap_err().code, tower_lsp::jsonrpc::ErrorCode::InternalError);
        assert_eq!(blocking(|| Ok(7)).await, Ok(7));
    }
}
