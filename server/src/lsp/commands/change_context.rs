//! `kenning.changeContext`: the pack for a change.

use super::packs::{PackOptions, PackRequest, answer_pack};
use super::{CommandCall, LspCommand, TextDocument, folder_for_document, request_sequence};
use crate::format::PackFormat;
use crate::format::json::PackJson;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use tower_lsp::jsonrpc::Result;

/// The code that matters for a change: the symbols that it touches and what is close to them. The change is what git
/// shows between the base and the working tree (commits, index, working tree, untracked files) with the unsaved text of
/// open documents; the answer lists its files under `change`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeContextArguments {
    /// The revision to compare with: a branch, a tag or a commit. The change begins at the commit that it and the
    /// checked out one have in common. Without it: the remote's default branch, else `main` or `master`, else `HEAD`.
    base: Option<String>,
    /// Tokens that the pack may use: a ceiling, not a target. Without it the option `pack.changeBudget`.
    budget: Option<NonZeroUsize>,
    /// The pack also holds this form, as `text`.
    format: Option<PackFormat>,
    /// With several folders open it chooses the folder; without it the first one answers.
    text_document: Option<TextDocument>,
    /// Neither read nor keep what use teaches: two equal questions then give equal bytes.
    no_learning: Option<bool>,
}

/// See [`ChangeContextArguments`].
pub struct GetChangeContext;

impl LspCommand for GetChangeContext {
    const NAME: &'static str = "kenning.changeContext";
    type Arguments = ChangeContextArguments;
    type Result = PackJson<'static>;

    async fn run_command(call: CommandCall, arguments: ChangeContextArguments) -> Result<Value> {
        let folder = folder_for_document(&call.session, arguments.text_document.as_ref())?;
        let arrival = request_sequence(&call.session, &folder);
        let title = "Kenning: context for a change";
        let wanted = PackOptions {
            title,
            format: arguments.format,
            pack_root: None,
            no_learning: arguments.no_learning.unwrap_or(false),
        };
        let asked = PackRequest::Change { base: arguments.base, budget: arguments.budget };
        answer_pack(&call, folder, arrival, asked, wanted).await
    }
}
