//! `kenning.explain`: why a symbol stands where it stands in the pack for a task.

use super::packs::{editor, question};
use super::{Call, Command, Position, Running, TextDocument, arrival, blocking, folder, json, usable};
use crate::answer::{self, About, Sources};
use crate::format::Format;
use crate::format::explanation::{self, ExplanationJson};
use crate::format::json as data;
use crate::lsp::to_proto;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::time::Instant;
use tower_lsp::jsonrpc::Result;

/// How one symbol fared in the ranking that answers a task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arguments {
    /// The task, as for `kenning.taskContext`.
    task: String,
    /// The symbol: `Class.method`, `path::Class.method`, a simple name, or an id.
    symbol: String,
    /// With several folders open it chooses the folder; without it the first one answers.
    text_document: Option<TextDocument>,
    /// Where the person stands, as for `kenning.taskContext`.
    position: Option<Position>,
    /// As for `kenning.taskContext`.
    pinned: Option<Vec<String>>,
    /// As for `kenning.taskContext`.
    excluded: Option<Vec<String>>,
    /// As for `kenning.taskContext`: explain the ranking without what use taught.
    no_learning: Option<bool>,
    /// The answer also holds this form, as `text`.
    format: Option<Format>,
}

/// See [`Arguments`].
pub struct Explain;

impl Command for Explain {
    const NAME: &'static str = "kenning.explain";
    type Arguments = Arguments;
    type Result = ExplanationJson<'static>;

    async fn run(call: Call, arguments: Arguments) -> Result<Value> {
        let mut question = question(About::Task(arguments.task), None)?;
        question.editor = editor(&call.session, arguments.text_document.as_ref(), arguments.position)?;
        question.pinned = arguments.pinned.unwrap_or_default();
        question.excluded = arguments.excluded.unwrap_or_default();
        question.no_learning = arguments.no_learning.unwrap_or(false);
        let learning = call.session.learning();
        let folder = folder(&call.session, arguments.text_document.as_ref())?;
        let arrival = arrival(&call.session, &folder);
        let running = Running::begin(&call, "Kenning: explaining a ranking");
        let cancel = running.cancel();
        let view = usable(&folder, folder.view(arrival).await)?;
        let config = call.session.config_of(&folder);
        let value = blocking(move || {
            let (state, memory) = (&view.state, view.state.memory.as_ref());
            let learned =
                learning.for_question(folder.root(), memory, &state.snapshot, &question, Instant::now());
            let (text, history) = (state.text.as_deref(), state.history.as_deref());
            let facts = answer::workspace_facts(&state.project, &config);
            let sources = Sources { text, workspace: Some(&facts), learned: learned.as_ref(), history };
            let explained = answer::why(&state.snapshot, sources, &question, &arguments.symbol, &cancel)
                .map_err(|error| to_proto::question_error(&error))?;
            let mut answer = ExplanationJson::new(&explained);
            answer.text = match arguments.format {
                None => None,
                Some(Format::Markdown) => Some(explanation::text(&explained)),
                Some(Format::Json) => {
                    Some(data::text(&answer).map_err(|error| to_proto::internal(error.to_string()))?)
                }
            };
            json(&answer)
        })
        .await;
        running.finish().await;
        value
    }
}
