//! `tests`: the tests that reach a change.

use super::AgentTool;
use crate::mcp::tool_call::{PageRequest, ToolAnswer, ToolCall, ToolFailure};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::num::NonZeroUsize;

/// The arguments of `tests`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AffectedTestsCall {
    /// The changed files, relative to the workspace; everything in them counts as changed.
    files: Option<Vec<String>>,
    /// Instead of `files`: the branch, tag or commit since which everything counts as changed.
    /// Defaults to the default branch.
    base: Option<String>,
    /// Maximum size of the answer in tokens, at least 200. Defaults to 4,000.
    budget: Option<NonZeroUsize>,
    /// The page of an answer that exceeds the budget, from 1.
    page: Option<NonZeroUsize>,
}

/// The tool `tests`.
pub struct AffectedTestsTool;

impl AgentTool for AffectedTestsTool {
    const NAME: &'static str = "tests";
    const OLD_NAMES: &'static [&'static str] = &["affected_tests", "affected"];
    type Arguments = AffectedTestsCall;

    async fn answer_call(call: ToolCall, arguments: AffectedTestsCall) -> Result<ToolAnswer, ToolFailure> {
        let uris = arguments.files.as_deref().map(|files| call.file_uris(files)).transpose()?;
        let fields =
            json!({ "uris": uris, "base": arguments.base, "budget": u32::MAX, "format": "markdown" });
        let page = PageRequest::new(arguments.budget, arguments.page)?;
        call.answer_by_command("kenning.affectedTests", fields, page).await
    }
}
