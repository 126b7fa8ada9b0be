//! `affected_tests`: the tests that reach a change.

use super::AgentTool;
use crate::mcp::tool_call::{ToolAnswer, ToolCall, ToolFailure};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The arguments of `affected_tests`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AffectedTestsCall {
    /// The changed files, relative to the workspace; everything in them counts as changed.
    files: Option<Vec<String>>,
    /// Instead of `files`: the branch, tag or commit since which everything counts as changed.
    /// Defaults to the default branch.
    base: Option<String>,
}

/// The tool `affected_tests`.
pub struct AffectedTestsTool;

impl AgentTool for AffectedTestsTool {
    const NAME: &'static str = "affected_tests";
    type Arguments = AffectedTestsCall;

    async fn answer_call(call: ToolCall, arguments: AffectedTestsCall) -> Result<ToolAnswer, ToolFailure> {
        let uris = arguments.files.as_deref().map(|files| call.file_uris(files)).transpose()?;
        let fields = json!({ "uris": uris, "base": arguments.base, "format": "markdown" });
        call.answer_by_command("kenning.affectedTests", fields).await
    }
}
