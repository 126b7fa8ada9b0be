//! `kenning.explain`: the reasons for a symbol's rank in the pack for a task.

use super::packs::{build_question, editor_context};
use super::question_inputs::QuestionInputs;
use super::target::CommandTarget;
use super::{
    CommandCall, LspCommand, Position, RunningCommand, TextDocument, ensure_usable, folder_for_document,
    request_sequence, run_blocking, to_json_value,
};
use crate::answer::{self, QuestionSubject};
use crate::format::OutputFormat;
use crate::format::explanation::{self, ExplanationJson};
use crate::format::json as data;
use crate::freshness::Freshness;
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::to_proto;
use crate::ranking_choice::{RankConfigName, choose_ranking};
use crate::symbol_names::id_text;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// Explains the rank of one symbol in the answer to a task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainArguments {
    /// The task, as for `kenning.taskContext`.
    task: String,
    /// The symbol: `Class.method`, `path::Class.method`, a simple name, or an id.
    symbol: String,
    /// The document of `position`. It also selects the folder if several folders are open. Defaults
    /// to the first folder.
    text_document: Option<TextDocument>,
    /// The position of the cursor, as for `kenning.taskContext`.
    position: Option<Position>,
    /// The ids of symbols that are shown first, as for `kenning.taskContext`.
    pinned: Option<Vec<String>>,
    /// The ids of symbols that are omitted, as for `kenning.taskContext`.
    excluded: Option<Vec<String>>,
    /// The ranking configuration, as for `kenning.taskContext`.
    configuration: Option<RankConfigName>,
    /// Explains the ranking without feedback or recently shown symbols, as for
    /// `kenning.taskContext`.
    no_learning: Option<bool>,
    /// Ignores the symbols that the session showed recently, so that the answer does not depend on
    /// earlier questions of the session. Feedback counts.
    ignore_shown: Option<bool>,
    /// Adds the answer in this format, as `text`: in sentences if it is Markdown.
    format: Option<OutputFormat>,
    /// Adds the numbers of every stage to the sentences.
    numbers: Option<bool>,
}

/// The command `kenning.explain`; see [`ExplainArguments`].
pub struct ExplainSymbol;

impl LspCommand for ExplainSymbol {
    const NAME: &'static str = "kenning.explain";
    type Arguments = ExplainArguments;
    type Result = ExplanationJson<'static>;

    async fn run_command(call: CommandCall, arguments: ExplainArguments) -> Result<Value> {
        let mut question = build_question(QuestionSubject::Task(arguments.task), None)?;
        question.editor =
            editor_context(&call.session, arguments.text_document.as_ref(), arguments.position)?;
        question.pinned = arguments.pinned.unwrap_or_default();
        question.excluded = arguments.excluded.unwrap_or_default();
        question.no_learning = arguments.no_learning.unwrap_or(false);
        let learning = call.session.session_learning();
        let folder = folder_for_document(&call.session, arguments.text_document.as_ref())?;
        let arrival = request_sequence(&call.session, &folder);
        let running = RunningCommand::begin_with_progress(&call, "Kenning: explaining the rank");
        let cancel = running.cancel_token();
        let view = ensure_usable(&folder, folder.wait_for_view(arrival).await)?;
        let encoding = call.session.position_encoding();
        let config = call.session.folder_config(&folder);
        question.config = Arc::new(choose_ranking(arguments.configuration, &config));
        let value = run_blocking(move || {
            let state = &view.state;
            let mut inputs =
                QuestionInputs::read_current(&folder, state, &config, &question, &learning, &cancel);
            if arguments.ignore_shown.unwrap_or(false) {
                inputs.ignore_shown_symbols();
            }
            let sources = inputs.as_sources(state, None);
            let documents = FolderDocuments::new(folder.root_path(), state, encoding);
            let target = CommandTarget::Symbol(arguments.symbol).find_symbols(state, &documents)?;
            let symbol = id_text(&state.snapshot, target.symbols[0]);
            let explained = answer::explain_symbol(&state.snapshot, sources, &question, &symbol, &cancel)
                .map_err(|error| to_proto::question_error(&error))?;
            let freshness = Freshness { vectors_pending: inputs.vectors_pending, ..view.freshness.clone() };
            let mut answer = ExplanationJson::new(&explained);
            answer.freshness = Some(&freshness);
            answer.text = match arguments.format {
                None => None,
                Some(OutputFormat::Markdown) => {
                    let mut text = if arguments.numbers.unwrap_or(false) {
                        explanation::render_with_numbers(&explained)
                    } else {
                        explanation::render_explanation(&explained)
                    };
                    if let Some(line) = freshness.render_line() {
                        let _ = writeln!(text, "\n> Freshness: {line}.");
                    }
                    Some(text)
                }
                Some(OutputFormat::Json) => Some(
                    data::render_json(&answer)
                        .map_err(|error| to_proto::internal_error(error.to_string()))?,
                ),
            };
            to_json_value(&answer)
        })
        .await;
        running.finish_progress().await;
        value
    }
}
