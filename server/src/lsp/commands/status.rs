//! `kenning.status`: what is indexed, how true it is, and which document versions it covers.

use super::blocking;
use crate::lsp::to_proto;
use crate::session::{Folder, Phase, Session};
use crate::status::Status;
use kenning_graph::Hash;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;

/// No arguments. The first folder's status, and under `folders` that of each.
pub async fn run(session: &Session) -> Result<Value> {
    let mut statuses = Vec::new();
    for folder in session.folders() {
        statuses.push(blocking(move || of_folder(&folder)).await?);
    }
    let mut first = statuses.first().cloned().unwrap_or_else(|| json!({}));
    if let Value::Object(fields) = &mut first {
        fields.insert("folders".to_owned(), Value::Array(statuses));
    }
    Ok(first)
}

fn of_folder(folder: &Folder) -> Result<Value> {
    let view = folder.view_now();
    let status = Status::new(
        folder.root(),
        view.state.db_path.as_deref(),
        view.state.writer,
        &view.state.snapshot,
        view.freshness,
    );
    let mut value = serde_json::to_value(&status).map_err(|error| to_proto::internal(error.to_string()))?;
    if let Value::Object(fields) = &mut value {
        let (phase, problem) = match &view.state.phase {
            Phase::Opening => ("opening", None),
            Phase::Indexing => ("indexing", None),
            Phase::Ready => ("ready", None),
            Phase::Failed(reason) => ("failed", Some(reason.as_str())),
        };
        fields.insert("phase".to_owned(), json!(phase));
        fields.insert("problem".to_owned(), json!(problem));
        let documents = view.state.open.values().map(|open| {
            let reason = open.problem.map(|problem| problem.to_string());
            let sha256 = Hash::of_content(open.text.as_bytes()).to_hex();
            json!({ "path": open.path, "version": open.version, "sha256": sha256, "desynchronised": reason })
        });
        fields.insert("documents".to_owned(), documents.collect());
    }
    Ok(value)
}
