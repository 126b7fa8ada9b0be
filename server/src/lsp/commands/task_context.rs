//! `kenning.taskContext`: the pack for a task.

use super::packs::{PackAnswer, PackOptions, PackRequest, answer_pack, build_question, editor_context};
use super::{CommandCall, LspCommand, Position, TextDocument, folder_for_document, request_sequence};
use crate::answer::QuestionSubject;
use crate::format::PackFormat;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use tower_lsp::jsonrpc::Result;

/// The code that matters for a task, ranked and within a budget of tokens.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskContextArguments {
    /// What is to be done, in words: a line, a commit message, a pasted issue or log.
    task: String,
    /// Tokens that the pack may use: a ceiling, not a target. Without it the option `pack.budget`.
    budget: Option<NonZeroUsize>,
    /// The pack also holds this form, as `text`.
    format: Option<PackFormat>,
    /// The `pack_root` of a pack that the client has; the answer is then what is different from it. A session knows
    /// the last 16 packs that it sent; for any other the answer is the whole pack.
    pack_root: Option<String>,
    /// With several folders open it chooses the folder; without it the first one answers.
    text_document: Option<TextDocument>,
    /// Where the person stands in `textDocument`: the symbol there and its file weigh a little in the ranking, as
    /// channel `editor`. A document that is not in the index says nothing.
    position: Option<Position>,
    /// Ids of symbols that the pack shows before all others. What is no longer in the index says nothing.
    pinned: Option<Vec<String>>,
    /// Ids of symbols that the pack does not show.
    excluded: Option<Vec<String>>,
    /// Neither read nor keep what use teaches: two equal questions then give equal bytes.
    no_learning: Option<bool>,
}

/// See [`TaskContextArguments`].
pub struct GetTaskContext;

impl LspCommand for GetTaskContext {
    const NAME: &'static str = "kenning.taskContext";
    type Arguments = TaskContextArguments;
    type Result = PackAnswer;

    async fn run_command(call: CommandCall, arguments: TaskContextArguments) -> Result<Value> {
        let mut question = build_question(QuestionSubject::Task(arguments.task), arguments.budget)?;
        question.editor =
            editor_context(&call.session, arguments.text_document.as_ref(), arguments.position)?;
        question.pinned = arguments.pinned.unwrap_or_default();
        question.excluded = arguments.excluded.unwrap_or_default();
        let folder = folder_for_document(&call.session, arguments.text_document.as_ref())?;
        let arrival = request_sequence(&call.session, &folder);
        let wanted = PackOptions {
            title: "Kenning: context for a task",
            format: arguments.format,
            pack_root: arguments.pack_root,
            no_learning: arguments.no_learning.unwrap_or(false),
        };
        answer_pack(&call, folder, arrival, PackRequest::Question(question), wanted).await
    }
}
