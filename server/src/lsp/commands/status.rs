//! `kenning.status`: what is indexed, how true it is, and which document versions it covers.

use super::{Call, Command, blocking, json};
use crate::lsp::to_proto;
use crate::session::documents::TOO_LARGE;
use crate::session::{Arrival, Folder, Phase, Session, View};
use crate::status::Status;
use kenning_graph::Hash;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// What is indexed, how true it is, and which document versions it covers.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {}

/// The status of the first folder, and under `folders` that of each.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SessionStatus {
    #[serde(flatten)]
    first: Option<FolderStatus>,
    /// Each folder in the order in which the client named them.
    folders: Vec<FolderStatus>,
}

/// The status of a folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FolderStatus {
    #[serde(flatten)]
    status: Status,
    /// `opening`, `indexing`, `ready`, `cancelled` (the first indexing was) or `failed`.
    phase: &'static str,
    /// Why the last indexing failed; null where it did not.
    problem: Option<String>,
    /// Why changes on the disk are not told to the server as they happen, if so; requests then look at the disk themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    watch_problem: Option<String>,
    /// The open documents, sorted by path.
    documents: Vec<DocumentStatus>,
}

/// An open document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DocumentStatus {
    /// Path in the folder, with `/`.
    path: String,
    /// The last version that the client sent.
    version: i32,
    /// SHA-256 of its text as the server has it, so that a client can tell whether both have the same.
    sha256: String,
    /// Why its edits could not be followed; null when they could. The text on disk counts until the whole text comes.
    desynchronised: Option<String>,
    /// Why its unsaved text is not in the graph although the file is; null otherwise. The text on disk counts until it is saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'static str>,
}

/// See [`Arguments`].
pub struct GetStatus;

impl Command for GetStatus {
    const NAME: &'static str = "kenning.status";
    type Arguments = Arguments;
    type Result = SessionStatus;

    async fn run(call: Call, _: Arguments) -> Result<Value> {
        of_session(&call.session).await
    }
}

/// The status of all folders.
pub async fn of_session(session: &Session) -> Result<Value> {
    // What came before the request is noted before the first wait.
    let arrived: Vec<(Arc<Folder>, Arrival)> =
        session.folders().into_iter().map(|folder| (folder.clone(), folder.arrive_for_edits())).collect();
    // All wait at once: the bound is that of a single folder.
    let waiting: Vec<_> = arrived
        .into_iter()
        .map(|(folder, arrival)| {
            tokio::spawn(async move {
                let view = folder.view(arrival).await;
                blocking(move || Ok(of_folder(&folder, view))).await
            })
        })
        .collect();
    let mut folders = Vec::new();
    for status in waiting {
        folders.push(status.await.map_err(|error| to_proto::internal(error.to_string()))??);
    }
    json(&SessionStatus { first: folders.first().cloned(), folders })
}

fn of_folder(folder: &Folder, view: View) -> FolderStatus {
    let status = Status::new(
        folder.root(),
        view.state.db_path.as_deref(),
        view.state.writer,
        (&view.state.snapshot, view.state.history.as_ref().map_or(0, |history| history.len())),
        view.freshness,
        folder.servers().report(&view.state.snapshot),
    );
    let (phase, problem) = match &view.state.phase {
        Phase::Opening => ("opening", None),
        Phase::Indexing => ("indexing", None),
        Phase::Ready if view.state.indexed_at.is_some() => ("ready", view.state.failure.clone()),
        // The first indexing failed, or the person cancelled it.
        Phase::Ready if view.state.failure.is_some() => ("failed", view.state.failure.clone()),
        Phase::Ready => ("cancelled", None),
        Phase::Failed(reason) => ("failed", Some(reason.clone())),
    };
    let documents = view.state.open.values().map(|open| DocumentStatus {
        path: open.path.clone(),
        version: open.version,
        sha256: Hash::of_content(open.text.as_bytes()).to_hex(),
        desynchronised: open.problem.map(|problem| problem.to_string()),
        left_out: open.too_large.then_some(TOO_LARGE),
    });
    let documents = documents.collect();
    let problems = view.state.report.as_ref().map_or(&[][..], |report| &report.problems);
    let status = status.with_problems(problems, &view.state.project.issues);
    FolderStatus { status, phase, problem, watch_problem: folder.watch_problem(), documents }
}
