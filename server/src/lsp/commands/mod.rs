//! `workspace/executeCommand`: which commands there are, and what they have in common.

mod explain;
mod file_context;
mod reindex;
mod status;
mod task_context;

use super::arguments::Arguments;
use super::{from_proto, to_proto};
use crate::answer::{self, ConfigName, Question, QuestionError};
use crate::format::{Format, json};
use crate::session::{Arrival, Folder, Phase, Session, View};
use crate::timings::Timings;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use tower_lsp::jsonrpc::{Error, Result};

/// The commands of this server.
pub const COMMANDS: &[&str] =
    &["kenning.taskContext", "kenning.fileContext", "kenning.explain", "kenning.status", "kenning.reindex"];

/// Runs a command.
///
/// # Errors
/// `InvalidParams` naming what is wrong; `RequestFailed` when there is no index; `InternalError` on a fault.
pub async fn run(session: &Session, command: &str, arguments: Vec<Value>) -> Result<Value> {
    let arguments = Arguments::new(arguments)?;
    match command {
        "kenning.taskContext" => task_context::run(session, &arguments).await,
        "kenning.fileContext" => file_context::run(session, &arguments).await,
        "kenning.explain" => explain::run(session, &arguments).await,
        "kenning.status" => status::run(session).await,
        "kenning.reindex" => reindex::run(session, &arguments).await,
        _ => Err(Error::invalid_params(format!(
            "command: {command} is unknown; the commands are {}",
            COMMANDS.join(", ")
        ))),
    }
}

/// The folder that a command is about: that of its `textDocument`, else the first.
fn folder(session: &Session, arguments: &Arguments) -> Result<Arc<Folder>> {
    if let Some(document) = arguments.optional_object("textDocument")? {
        let uri = document.text("uri")?;
        if let Some((folder, _)) = file(&uri)?.and_then(|file| session.locate(&file)) {
            return Ok(folder);
        }
    }
    let first = session.folders().into_iter().next();
    first.ok_or_else(|| to_proto::failed("no folder is open; open a folder and ask again"))
}

/// The file that a URI argument names; `None` for documents that are no files.
fn file(uri: &str) -> Result<Option<PathBuf>> {
    let parsed = uri.parse().map_err(|_| Error::invalid_params(format!("uri: {uri:?} is not a URI")))?;
    Ok(from_proto::file(&parsed))
}

/// The text form that a command wants beside its data.
fn format(arguments: &Arguments) -> Result<Option<Format>> {
    let Some(name) = arguments.optional_text("format")? else { return Ok(None) };
    let unknown =
        || Error::invalid_params(format!("format: {name:?} is unknown; it must be markdown or json"));
    Format::parse(&name).map(Some).ok_or_else(unknown)
}

/// Runs ranking off the reactor. A panic in it is the fault of this request only.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a request failed on a fault");
        Err(to_proto::internal("the request failed on a fault of Kenning itself; the log has the details"))
    })
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

/// Answers a question from the folder's state after the changes of `arrival`.
async fn answer_pack(
    session: &Session,
    folder: Arc<Folder>,
    arrival: Arrival,
    question: Question,
    pack_root: Option<String>,
    format: Option<Format>,
) -> Result<Value> {
    let sent = session.sent_packs();
    let mut timings = Timings::start();
    timings.begin("refresh");
    let view = usable(&folder, folder.view(arrival).await)?;
    timings.end();
    blocking(move || {
        let (state, freshness) = (&view.state, &view.freshness);
        let text = state.text.as_deref();
        if freshness.pending_files == 0 {
            answer::check_known(&state.snapshot, &question.about)
                .map_err(|e| to_proto::question_error(&e))?;
        }
        let answer = answer::answer(&state.snapshot, text, &question, &mut timings)
            .map_err(|e: QuestionError| to_proto::question_error(&e))?;
        let value = serde_json::to_value(json::PackJson::new(&answer, freshness, Some(&timings)));
        let mut value = value.map_err(|e| to_proto::internal(e.to_string()))?;
        if let (Some(format), Value::Object(fields)) = (format, &mut value) {
            let text =
                format.pack(&answer, freshness, None).map_err(|e| to_proto::internal(e.to_string()))?;
            fields.insert("text".to_owned(), Value::String(text));
        }
        let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(sent.answer(pack_root.as_deref(), value))
    })
    .await
}

/// A question with the usual configuration.
fn question(about: answer::About, arguments: &Arguments) -> Result<Question> {
    let budget = arguments.optional_count("budget")?;
    let question = Question { about, budget, no_learning: false, config: ConfigName::Default };
    answer::check(&question.about).map_err(|e| to_proto::question_error(&e))?;
    Ok(question)
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
