//! `blast`: the dependents of a symbol.

use super::AgentTool;
use crate::mcp::tool_call::{PageRequest, ToolAnswer, ToolCall, ToolFailure};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::num::{NonZeroU32, NonZeroUsize};

/// The arguments of `blast`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct BlastCall {
    /// The symbol: `Class.method`, `path::name`, a simple name, an id, `path:LINE`,
    /// `path:LINE:COLUMN`, or the path of a file.
    symbol: Option<String>,
    /// Instead of `symbol`: the path of a file, relative to the workspace.
    file: Option<String>,
    /// With `file`: the line of the symbol, from 1. The definition on this line, or around it,
    /// counts.
    line: Option<NonZeroU32>,
    /// Maximum distance of listed dependents in hops, from 1 to 6. Defaults to 3; the counts ignore
    /// it.
    depth: Option<u8>,
    /// Maximum size of the answer in tokens, at least 200. Defaults to 4,000.
    budget: Option<NonZeroUsize>,
    /// The page of an answer that exceeds the budget, from 1.
    page: Option<NonZeroUsize>,
}

/// The tool `blast`.
pub struct BlastTool;

impl AgentTool for BlastTool {
    const NAME: &'static str = "blast";
    const OLD_NAMES: &'static [&'static str] = &["blast_radius", "users", "impact"];
    type Arguments = BlastCall;

    async fn answer_call(call: ToolCall, arguments: BlastCall) -> Result<ToolAnswer, ToolFailure> {
        let mut fields = match (&arguments.symbol, &arguments.file, arguments.line) {
            (Some(symbol), ..) => json!({ "symbol": symbol }),
            (None, Some(file), Some(line)) => json!({
                "textDocument": { "uri": call.file_uri(file)? },
                "position": { "line": line.get() - 1, "character": 0 },
            }),
            (None, Some(file), None) => json!({ "symbol": file }),
            (None, None, _) => {
                let reason = "symbol: missing; name a symbol, or pass file and line";
                return Err(ToolFailure::BadArguments(reason.to_owned()));
            }
        };
        fields["depth"] = json!(arguments.depth);
        fields["format"] = json!("markdown");
        // The whole text, whose pages the call divides.
        fields["budget"] = json!(u32::MAX);
        let page = PageRequest::new(arguments.budget, arguments.page)?;
        call.answer_by_command("kenning.blastRadius", fields, page).await
    }
}
