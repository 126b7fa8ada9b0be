//! The shared part of the commands that return packs.

use super::{
    CommandCall, Position, RunningCommand, TextDocument, changes, ensure_usable, locate_document,
    run_blocking, to_json_value,
};
use crate::answer::{self, AnswerSources, PackQuestion, QuestionSubject};
use crate::format::PackFormat;
use crate::format::delta::{DeltaJson, UnchangedJson};
use crate::format::json::PackJson;
use crate::lsp::to_proto;
use crate::session::{ChangeSequence, ServedFolder, Session};
use crate::timings::StageTimings;
use kenning_retrieval::EditorPosition;
use schemars::JsonSchema;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use tower_lsp::jsonrpc::{Error, Result};

/// The result of a task: a pack, or its difference from a pack that the client has.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used: packs become JSON before they are compared")]
pub enum PackAnswer {
    /// The whole pack.
    Pack(Box<PackJson<'static>>),
    /// The difference from the pack that the client has.
    Delta(Box<DeltaJson>),
    /// The client has exactly this pack.
    Unchanged(Box<UnchangedJson>),
}

/// The options of a command that returns a pack.
pub struct PackOptions {
    /// The title of the command's progress.
    pub title: &'static str,
    /// The format of an additional text.
    pub format: Option<PackFormat>,
    /// The root of the pack that the client has.
    pub pack_root: Option<String>,
    /// Whether to neither use nor record feedback and recently shown symbols.
    pub no_learning: bool,
}

/// The question of a command that returns a pack.
pub enum PackRequest {
    /// A complete question.
    Question(PackQuestion),
    /// A question about the change since `base`, which must be computed first.
    Change {
        /// The revision; `None` for the default.
        base: Option<String>,
        /// Maximum size of the pack in tokens.
        budget: Option<NonZeroUsize>,
    },
}

/// Builds a question with the default configuration.
///
/// # Errors
/// Returns `InvalidParams` if the subject is empty.
pub fn build_question(subject: QuestionSubject, budget: Option<NonZeroUsize>) -> Result<PackQuestion> {
    let budget = budget.map(NonZeroUsize::get);
    let question = PackQuestion { budget, ..PackQuestion::new(subject) };
    answer::check_subject(&question.subject).map_err(|error| to_proto::question_error(&error))?;
    Ok(question)
}

/// Answers a question from a state of the folder, after waiting for the changes of `arrival`.
/// Records the pack as sent, and moves its symbols to the front of the language servers' queue.
pub async fn answer_pack(
    call: &CommandCall,
    folder: Arc<ServedFolder>,
    arrival: ChangeSequence,
    request: PackRequest,
    options: PackOptions,
) -> Result<Value> {
    let sent = call.session.sent_packs();
    let config = call.session.folder_config(&folder);
    let learning = call.session.session_learning();
    let running = RunningCommand::begin_with_progress(call, options.title);
    let cancel = running.cancel_token();
    let mut timings = StageTimings::start_now();
    timings.begin_stage("refresh");
    let view = ensure_usable(&folder, folder.wait_for_view(arrival).await)?;
    timings.end_stage();
    let value = run_blocking(move || {
        let (state, freshness) = (&view.state, &view.freshness);
        let mut question = match request {
            PackRequest::Question(question) => question,
            PackRequest::Change { base, budget } => {
                timings.begin_stage("git");
                let change = changes::changes_since(&folder, state, base.as_deref(), &cancel)?;
                timings.end_stage();
                build_question(QuestionSubject::Change(change), budget)?
            }
        };
        let default_budget = match question.subject {
            QuestionSubject::Change(_) => config.pack.change_budget,
            QuestionSubject::Task(_) | QuestionSubject::Files(_) => config.pack.budget,
        };
        question.budget.get_or_insert(default_budget as usize);
        question.no_learning = options.no_learning;
        if freshness.pending_files == 0 {
            answer::check_files_indexed(&state.snapshot, &question.subject)
                .map_err(|error| to_proto::question_error(&error))?;
        }
        let (root, memory) = (folder.root_path(), state.memory.as_ref());
        let learned =
            learning.evidence_for_question(root, memory, &state.snapshot, &question, Instant::now());
        let (text, history) = (state.text.as_deref(), state.history.as_deref());
        let facts = answer::workspace_facts(&state.project, &config);
        let sources = AnswerSources { text, workspace: Some(&facts), learned: learned.as_ref(), history };
        let answer = answer::answer_question(&state.snapshot, sources, &question, &mut timings, &cancel)
            .map_err(|error| to_proto::question_error(&error))?;
        learning.record_served(root, memory, &state.snapshot, &question, &answer.pack, Instant::now());
        folder
            .language_servers()
            .prioritize_symbols(&state.snapshot, answer.pack.symbols.iter().map(|packed| packed.symbol));
        let mut pack = PackJson::new(&answer, freshness, Some(&timings));
        if let Some(format) = options.format {
            let text = format.render_pack(&answer, freshness, None);
            pack.text = Some(text.map_err(|error| to_proto::internal_error(error.to_string()))?);
        }
        let value = to_json_value(&pack)?;
        let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.answer_with_delta(options.pack_root.as_deref(), value)
            .map_err(|error| to_proto::internal_error(error.to_string()))
    })
    .await;
    running.finish_progress().await;
    value
}

/// Returns the position of the user's cursor from the arguments of a command; `None` without a
/// position, or if the document is not in an open folder.
///
/// # Errors
/// Returns `InvalidParams` if there is a position without a document, or if the URI is invalid.
pub fn editor_context(
    session: &Session,
    document: Option<&TextDocument>,
    position: Option<Position>,
) -> Result<Option<EditorPosition>> {
    match (document, position) {
        (_, None) => Ok(None),
        (None, Some(_)) => {
            Err(Error::invalid_params("textDocument: missing; pass the document of the position"))
        }
        (Some(document), Some(position)) => {
            let located = locate_document(session, &document.uri, "textDocument.uri")?;
            Ok(located.map(|(_, path)| EditorPosition { path, line: position.line.saturating_add(1) }))
        }
    }
}
