//! `kenning.status`: the state of the index, its freshness, and the versions of open documents.

use super::{CommandCall, LspCommand, run_blocking, to_json_value};
use crate::config::Config;
use crate::format::OutputFormat;
use crate::format::json as data;
use crate::lsp::to_proto;
use crate::session::documents::TOO_LARGE_MESSAGE;
use crate::session::{ChangeSequence, FolderView, IndexPhase, ServedFolder, Session};
use crate::status::IndexStatus;
use kenning_graph::Hash;
use kenning_retrieval::pack::escape_control_chars;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// Returns the state of the index, its freshness, and the versions of open documents.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct StatusArguments {
    /// Adds the status of the first folder in this format, as `text`.
    format: Option<OutputFormat>,
}

/// The status of the first folder, and the status of every folder under `folders`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SessionStatus {
    #[serde(flatten)]
    first: Option<FolderStatus>,
    /// The status of each folder, in the order in which the client named the folders.
    folders: Vec<FolderStatus>,
    /// The answer in the format that the request's `format` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl SessionStatus {
    /// Renders the status of the first folder; `None` if no folder is open.
    fn render_as(&self, format: OutputFormat) -> Result<Option<String>> {
        let Some(FolderStatus { status, .. }) = &self.first else { return Ok(None) };
        let text = match format {
            OutputFormat::Markdown => escape_control_chars(&status.to_string()).into_owned(),
            OutputFormat::Json => {
                data::render_json(status).map_err(|error| to_proto::internal_error(error.to_string()))?
            }
        };
        Ok(Some(text))
    }
}

/// The status of a folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FolderStatus {
    #[serde(flatten)]
    status: IndexStatus,
    /// `opening`, `indexing`, `ready`, `cancelled` (if the user cancelled the first indexing) or
    /// `failed`.
    phase: &'static str,
    /// The reason why the last indexing failed; null if it did not fail.
    problem: Option<String>,
    /// The reason why the server cannot watch the files of the folder; absent if it can. If it
    /// cannot, requests check the disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    watch_problem: Option<String>,
    /// The open documents, sorted by path.
    documents: Vec<DocumentStatus>,
}

/// The status of an open document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DocumentStatus {
    /// The document's path in the folder, with `/` as the separator.
    path: String,
    /// The last version that the client sent.
    version: i32,
    /// SHA-256 of the document's text in the server, with which a client can check that both have
    /// the same text.
    sha256: String,
    /// The reason why the server could not apply the document's edits; null if it applied them all.
    /// Until the client sends the whole text, answers use the text on disk.
    desynchronized: Option<String>,
    /// The reason why the document's unsaved text is not in the graph although its file is; absent
    /// otherwise. Until the document is saved, answers use the text on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'static str>,
}

/// The command `kenning.status`; see [`StatusArguments`].
pub struct GetStatus;

impl LspCommand for GetStatus {
    const NAME: &'static str = "kenning.status";
    type Arguments = StatusArguments;
    type Result = SessionStatus;

    async fn run_command(call: CommandCall, arguments: StatusArguments) -> Result<Value> {
        let mut status = collect_status(&call.session).await?;
        status.text = arguments.format.map_or(Ok(None), |format| status.render_as(format))?;
        to_json_value(&status)
    }
}

/// Returns the status of all folders as JSON.
pub async fn session_status(session: &Session) -> Result<Value> {
    to_json_value(&collect_status(session).await?)
}

async fn collect_status(session: &Session) -> Result<SessionStatus> {
    // The positions of the queues are noted before the first `await`.
    let arrivals: Vec<(Arc<ServedFolder>, ChangeSequence)> = session
        .served_folders()
        .into_iter()
        .map(|folder| (folder.clone(), folder.sequence_for_edits()))
        .collect();
    // All folders wait at the same time, so that the limit is that of one folder.
    let tasks: Vec<_> = arrivals
        .into_iter()
        .map(|(folder, arrival)| {
            let config = session.folder_config(&folder);
            tokio::spawn(async move {
                let view = folder.wait_for_view(arrival).await;
                run_blocking(move || Ok(folder_status(&folder, view, &config))).await
            })
        })
        .collect();
    let mut folders = Vec::new();
    for status in tasks {
        folders.push(status.await.map_err(|error| to_proto::internal_error(error.to_string()))??);
    }
    Ok(SessionStatus { first: folders.first().cloned(), folders, text: None })
}

fn folder_status(folder: &ServedFolder, view: FolderView, config: &Config) -> FolderStatus {
    let status = IndexStatus::new(
        folder.root_path(),
        view.state.db_path.as_deref(),
        view.state.writer,
        &view.state.snapshot,
        view.state.history.as_ref().map_or(0, |history| history.len()),
        view.freshness,
        folder.language_servers().collect_reports(&view.state.snapshot),
    );
    let (phase, problem) = match &view.state.phase {
        IndexPhase::Opening => ("opening", None),
        IndexPhase::Indexing => ("indexing", None),
        IndexPhase::Ready if view.state.indexed_at.is_some() => ("ready", view.state.failure.clone()),
        // The first indexing failed or was cancelled by the user.
        IndexPhase::Ready if view.state.failure.is_some() => ("failed", view.state.failure.clone()),
        IndexPhase::Ready => ("cancelled", None),
        IndexPhase::Failed(reason) => ("failed", Some(reason.clone())),
    };
    let documents = view.state.open.values().map(|open| DocumentStatus {
        path: open.path.clone(),
        version: open.version,
        sha256: Hash::from_content(open.text.as_bytes()).to_hex(),
        desynchronized: open.problem.map(|problem| problem.to_string()),
        left_out: open.too_large.then_some(TOO_LARGE_MESSAGE),
    });
    let documents = documents.collect();
    let report = view.state.report.as_ref();
    let mut problems = report.map(|report| report.problems.clone()).unwrap_or_default();
    problems.extend(view.state.history_problem.clone());
    let unknown_extensions = report.map(|report| report.unknown_extensions.clone()).unwrap_or_default();
    let status = status
        .with_problems(&problems, &view.state.project.issues)
        .with_unknown_extensions(unknown_extensions)
        .with_ranking(config.ranking.configuration)
        .with_vectors(config.vectors.model.as_deref(), view.state.db_path.as_deref());
    FolderStatus { status, phase, problem, watch_problem: folder.watch_problem(), documents }
}
