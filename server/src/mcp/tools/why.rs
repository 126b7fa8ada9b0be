//! `why`: the reasons for a rank, and the state of the index.

use super::AgentTool;
use crate::mcp::tool_call::{PageRequest, ToolAnswer, ToolCall, ToolFailure};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::num::NonZeroUsize;

/// The arguments of `why`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct WhyCall {
    /// The subject of the explanation. Defaults to `rank`.
    #[serde(default)]
    op: ExplainSubject,
    /// For `op` `rank`: the task that was passed to `pack`.
    task: Option<String>,
    /// For `op` `rank`: the symbol whose rank to explain.
    symbol: Option<String>,
    /// Maximum size of the answer in tokens, at least 200. Defaults to 4,000.
    budget: Option<NonZeroUsize>,
    /// The page of an answer that exceeds the budget, from 1.
    page: Option<NonZeroUsize>,
}

/// The subject of an explanation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ExplainSubject {
    /// The rank of a symbol in the pack for a task.
    #[default]
    Rank,
    /// The index: its size, its languages, its freshness, its problems.
    Index,
}

/// The tool `why`.
pub struct WhyTool;

impl AgentTool for WhyTool {
    const NAME: &'static str = "why";
    const OLD_NAMES: &'static [&'static str] = &["explain"];
    type Arguments = WhyCall;

    async fn answer_call(call: ToolCall, arguments: WhyCall) -> Result<ToolAnswer, ToolFailure> {
        let page = PageRequest::new(arguments.budget, arguments.page)?;
        match (arguments.op, &arguments.task, &arguments.symbol) {
            (ExplainSubject::Rank, Some(task), Some(symbol)) => {
                let fields =
                    json!({ "task": task, "symbol": symbol, "ignoreShown": true, "format": "markdown" });
                call.answer_by_command("kenning.explain", fields, page).await
            }
            (ExplainSubject::Rank, ..) => {
                let reason = "task and symbol: both are needed to explain a rank; or use op index";
                Err(ToolFailure::BadArguments(reason.to_owned()))
            }
            (ExplainSubject::Index, ..) => {
                let fields = json!({ "format": "markdown" });
                call.answer_by_command("kenning.status", fields, page).await
            }
        }
    }
}
