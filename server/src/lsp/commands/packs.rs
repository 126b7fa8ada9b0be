//! The shared part of the commands that return packs.
//!
//! [`answer_pack`] waits for a view of the folder, gathers the inputs of the question, takes the
//! answer from the cache or computes it, and records it as served. The reply is the whole pack, or
//! its difference from a pack that the client has. Its fields are JSON; a request can add a text in
//! another format.

use super::question_inputs::QuestionInputs;
use super::{
    CommandCall, Position, RunningCommand, TextDocument, changes, ensure_usable, locate_document,
    run_blocking,
};
use crate::answer::{self, PackForm, PackQuestion, QuestionSubject};
use crate::format::delta::{PackReply, choose_reply};
use crate::format::delta_json::{DeltaJson, UnchangedJson};
use crate::format::gcf::{GcfSession, render_session};
use crate::format::json::PackJson;
use crate::format::sent_pack::{ClientPacks, SentPack};
use crate::format::{PackFormat, PackView, RenderedPack};
use crate::freshness::Freshness;
use crate::lsp::to_proto;
use crate::ranking_choice::{RankConfigName, choose_ranking};
use crate::session::{AnswerKey, ChangeSequence, ServedFolder, Session};
use crate::timings::StageTimings;
use kenning_retrieval::EditorPosition;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tower_lsp::jsonrpc::{Error, Result};

/// The result of a request for a pack: the pack, or its difference from a pack that the client has.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used: packs become JSON before they are compared")]
pub enum PackAnswer {
    /// The whole pack.
    Pack(Box<PackJson<'static>>),
    /// The difference from the pack that the client has.
    Delta(Box<DeltaJson<'static>>),
    /// The client has exactly this pack.
    Unchanged(Box<UnchangedJson<'static>>),
}

/// The options of a command that returns a pack.
pub struct PackOptions {
    /// The title of the command's progress.
    pub title: &'static str,
    /// The format of an additional text.
    pub format: Option<PackFormat>,
    /// Whether to add a text in the format of the options if `format` is absent.
    pub text: bool,
    /// Whether the fields of the answer explain the ranking. The text never does.
    pub explain: bool,
    /// The ranking configuration; `None` for that of the options.
    pub configuration: Option<RankConfigName>,
    /// The root of the pack that the client has.
    pub pack_root: Option<String>,
    /// The part of the client's session of GCF that the text belongs to.
    pub gcf_session: Option<GcfSessionPart>,
    /// Whether to neither use nor record feedback and recently shown symbols.
    pub no_learning: bool,
    /// Whether to ignore the symbols that the session showed recently.
    pub ignore_shown: bool,
}

impl PackOptions {
    /// Chooses the format of the text, which is `configured` if the request wants a text and names
    /// none.
    fn with_text_format(mut self, configured: PackFormat) -> Self {
        if self.text {
            self.format = self.format.or(Some(configured));
        }
        self
    }
}

/// The part of a session of GCF that an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GcfSessionPart {
    /// The beginning: every symbol is written in full.
    New,
    /// A later answer: symbols of earlier answers are only referred to.
    Continue,
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
///
/// # Errors
/// Returns `InvalidParams` if the options or the question are invalid, `RequestFailed` if the
/// folder has no index, and `RequestCancelled` if the request was cancelled.
pub async fn answer_pack(
    call: &CommandCall,
    folder: Arc<ServedFolder>,
    arrival: ChangeSequence,
    request: PackRequest,
    options: PackOptions,
) -> Result<Value> {
    if options.gcf_session.is_some() && options.format != Some(PackFormat::Gcf) {
        return Err(Error::invalid_params("gcfSession: a session needs the format gcf"));
    }
    let sent = call.session.sent_packs();
    let config = call.session.folder_config(&folder);
    let options = options.with_text_format(config.pack.format);
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
        question.config = Arc::new(choose_ranking(options.configuration, &config));
        question.no_learning = options.no_learning;
        if freshness.pending_files == 0 {
            answer::check_files_indexed(&state.snapshot, &question.subject)
                .map_err(|error| to_proto::question_error(&error))?;
        }
        let form = Some(PackForm {
            format: options.format.unwrap_or(PackFormat::Json),
            // Explanations of the ranking are for the editor, and do not count in the budget.
            explain: false,
        });
        let mut inputs = QuestionInputs::read_current(&folder, state, &config, &question, &learning, &cancel);
        if options.ignore_shown {
            inputs.ignore_shown_symbols();
        }
        let freshness = &Freshness { vectors_pending: inputs.vectors_pending, ..freshness.clone() };
        let sources = inputs.as_sources(state, form);
        let key = AnswerKey::new(&state.snapshot, &sources, state.history.as_ref(), &question);
        let compute = || answer::answer_question(&state.snapshot, sources, &question, &mut timings, &cancel);
        let answer = folder
            .answer_cache()
            .find_or_compute(key, compute)
            .map_err(|error| to_proto::question_error(&error))?;
        let (root, memory) = (folder.root_path(), state.memory.as_ref());
        learning.record_served(root, memory, &state.snapshot, &question, &answer.pack, Instant::now());
        folder
            .language_servers()
            .prioritize_symbols(&state.snapshot, answer.pack.symbols.iter().map(|packed| packed.symbol));
        let view = PackView { answer: &answer, freshness, timings: Some(&timings), explain: options.explain };
        build_reply(&sent, &options, view).map_err(|error| to_proto::internal_error(error.to_string()))
    })
    .await;
    running.finish_progress().await;
    value
}

/// Builds the reply to a client, and records that the client received the pack.
fn build_reply(
    sent: &Mutex<ClientPacks>,
    options: &PackOptions,
    view: PackView<'_>,
) -> std::result::Result<Value, serde_json::Error> {
    let current = Arc::new(SentPack::from_answer(view.answer));
    let known = options.pack_root.as_deref();
    let mut client = sent.lock().unwrap_or_else(PoisonError::into_inner);
    let base = known.and_then(|root| client.packs.find_pack(root));
    let format = options.format.unwrap_or(PackFormat::Json);
    // A model reads the text, so it stays short even if the fields explain the ranking.
    let as_text = |view| PackView { timings: None, explain: false, ..view };
    let counted = format.count_used_tokens(&if options.format.is_some() { as_text(view) } else { view })?;
    let view = PackView { answer: &counted, ..view };
    let text_view = as_text(view);
    let reply_view = if options.format.is_some() { text_view } else { view };
    let reply = choose_reply(known, base.as_deref(), &current, reply_view, format)?;
    let text = match (options.format, &reply, options.gcf_session) {
        (None, ..) => None,
        (Some(PackFormat::Gcf), PackReply::Whole, Some(part)) => {
            if part == GcfSessionPart::New {
                client.gcf_session = Some(GcfSession::default());
            }
            Some(render_session(&text_view, &mut client.gcf_session))
        }
        (Some(format), ..) => reply.render(format, &current, &text_view)?.map(RenderedPack::into_text),
    };
    let value = match reply {
        PackReply::Unchanged => {
            let mut unchanged = UnchangedJson::new(&current, &view);
            unchanged.text = text;
            serde_json::to_value(unchanged)
        }
        PackReply::Delta(mut delta) => {
            delta.view = view;
            let mut delta = DeltaJson::new(&delta);
            delta.text = text;
            serde_json::to_value(delta)
        }
        PackReply::Whole => {
            let mut pack = PackJson::new(&view);
            pack.text = text;
            serde_json::to_value(pack)
        }
    }?;
    client.packs.record_pack(current);
    Ok(value)
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
