//! `kenning.taskContext`: the pack for a task.

use super::packs::{
    GcfSessionPart, PackAnswer, PackOptions, PackRequest, answer_pack, build_question, editor_context,
};
use super::{CommandCall, LspCommand, Position, TextDocument, folder_for_document, request_sequence};
use crate::answer::QuestionSubject;
use crate::format::PackFormat;
use crate::ranking_choice::RankConfigName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// Returns the code that matters for a task, ranked and within a budget of tokens.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskContextArguments {
    /// The task in words: a line, a commit message, a pasted issue or log.
    task: String,
    /// Maximum size of the pack in tokens; the pack may be smaller. Defaults to the option
    /// `pack.budget`.
    budget: Option<NonZeroUsize>,
    /// The ranking configuration. Defaults to the option `ranking.configuration`.
    configuration: Option<RankConfigName>,
    /// Adds the pack in this format, as `text`.
    format: Option<PackFormat>,
    /// Adds the pack as `text` in the format of the option `pack.format`, as the command line
    /// prints it. `format` names another format.
    text: Option<bool>,
    /// Adds the reasons for the ranking to the fields of the answer: score components, channels,
    /// evidence, whole ids. They do not count in the budget. `text` does not change.
    explain: Option<bool>,
    /// The `pack_root` of a pack that the client has, or the root in a GCF text. The answer is then
    /// a note that the pack is unchanged, or the difference if that has at most 60 percent of the
    /// tokens of the whole pack. A session remembers the last 16 packs that it sent; for any other
    /// root the answer is the whole pack.
    pack_root: Option<String>,
    /// Only for `format` `gcf`: the part of a session of GCF that the text belongs to. In a
    /// session, the text only refers to symbols that earlier texts of the session had. Start a new
    /// one when the reader no longer has the earlier texts.
    gcf_session: Option<GcfSessionPart>,
    /// The document of `position`. It also selects the folder if several folders are open. Defaults
    /// to the first folder.
    text_document: Option<TextDocument>,
    /// The position of the cursor in `textDocument`. The symbol there and its file have a small
    /// weight in the ranking, as channel `editor`. Ignored if the document is not in the index.
    position: Option<Position>,
    /// The ids of symbols that the pack shows before all others, or at least their first 8 digits.
    /// Ids that are no longer in the index are ignored.
    pinned: Option<Vec<String>>,
    /// The ids of symbols that the pack omits, or at least their first 8 digits.
    excluded: Option<Vec<String>>,
    /// Whether the pack may have sections of documents. Defaults to the option `pack.documents`.
    documents: Option<bool>,
    /// Neither uses nor records feedback or recently shown symbols, so that the same request
    /// returns the same bytes.
    no_learning: Option<bool>,
    /// Ignores the symbols that the session showed recently, so that the answer does not depend on
    /// earlier questions of the session. Feedback counts.
    ignore_shown: Option<bool>,
}

/// The command `kenning.taskContext`; see [`TaskContextArguments`].
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
        let mut config = Arc::unwrap_or_clone(call.session.folder_config(&folder));
        config.pack.documents = arguments.documents.unwrap_or(config.pack.documents);
        question.documents = config.pack_documents();
        let arrival = request_sequence(&call.session, &folder);
        let options = PackOptions {
            title: "Kenning: context for a task",
            format: arguments.format,
            text: arguments.text.unwrap_or(false),
            configuration: arguments.configuration,
            explain: arguments.explain.unwrap_or(false),
            pack_root: arguments.pack_root,
            gcf_session: arguments.gcf_session,
            no_learning: arguments.no_learning.unwrap_or(false),
            ignore_shown: arguments.ignore_shown.unwrap_or(false),
        };
        answer_pack(&call, folder, arrival, PackRequest::Question(question), options).await
    }
}
