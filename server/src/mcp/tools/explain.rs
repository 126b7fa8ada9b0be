//! `explain`: the reasons for a rank, and the state of the index.

use super::AgentTool;
use crate::mcp::tool_call::{ToolAnswer, ToolCall, ToolFailure};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The arguments of `explain`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ExplainCall {
    /// The subject of the explanation. Defaults to `rank`.
    #[serde(default)]
    op: ExplainSubject,
    /// For `op` `rank`: the task that was passed to task_context.
    task: Option<String>,
    /// For `op` `rank`: the symbol whose rank to explain.
    symbol: Option<String>,
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

/// The tool `explain`.
pub struct ExplainTool;

impl AgentTool for ExplainTool {
    const NAME: &'static str = "explain";
    type Arguments = ExplainCall;

    async fn answer_call(call: ToolCall, arguments: ExplainCall) -> Result<ToolAnswer, ToolFailure> {
        match (arguments.op, &arguments.task, &arguments.symbol) {
            (ExplainSubject::Rank, Some(task), Some(symbol)) => {
                let fields =
                    json!({ "task": task, "symbol": symbol, "ignoreShown": true, "format": "markdown" });
                call.answer_by_command("kenning.explain", fields).await
            }
            (ExplainSubject::Rank, ..) => {
                let reason = "task and symbol: both are needed to explain a rank; or use op index";
                Err(ToolFailure::BadArguments(reason.to_owned()))
            }
            (ExplainSubject::Index, ..) => {
                let fields = json!({ "format": "markdown" });
                call.answer_by_command("kenning.status", fields).await
            }
        }
    }
}
