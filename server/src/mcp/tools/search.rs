//! `search`: finds symbols, documents, files and notes by words.

use super::AgentTool;
use crate::mcp::tool_call::{PageRequest, ToolAnswer, ToolCall, ToolFailure};
use crate::workspace_search::{SearchModeName, SearchScopeName};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::num::NonZeroUsize;

/// The arguments of `search`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SearchCall {
    /// Words, a name, or the name of a file.
    query: String,
    /// The kind of items to search. Defaults to `all`.
    scope: Option<SearchScopeName>,
    /// The ranking mode. Defaults to `hybrid`.
    mode: Option<SearchModeName>,
    /// Maximum number of results. Defaults to 10.
    max_results: Option<usize>,
    /// Maximum size of the answer in tokens, at least 200. Defaults to 4,000.
    budget: Option<NonZeroUsize>,
    /// The page of an answer that exceeds the budget, from 1.
    page: Option<NonZeroUsize>,
}

/// The number of results if the call names none.
const DEFAULT_RESULTS: usize = 10;

/// The tool `search`.
pub struct SearchTool;

impl AgentTool for SearchTool {
    const NAME: &'static str = "search";
    const OLD_NAMES: &'static [&'static str] = &[];
    type Arguments = SearchCall;

    async fn answer_call(call: ToolCall, arguments: SearchCall) -> Result<ToolAnswer, ToolFailure> {
        let SearchCall { query, scope, mode, max_results, budget, page } = arguments;
        let page = PageRequest::new(budget, page)?;
        let fields = json!({
            "query": query,
            "scope": scope,
            "mode": mode,
            "maxResults": max_results.unwrap_or(DEFAULT_RESULTS),
            "format": "markdown",
        });
        call.answer_by_command("kenning.search", fields, page).await
    }
}
