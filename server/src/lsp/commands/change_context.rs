//! `kenning.changeContext`: the pack for a change.

use super::packs::{GcfSessionPart, PackAnswer, PackOptions, PackRequest, answer_pack};
use super::{CommandCall, LspCommand, TextDocument, folder_for_document, request_sequence};
use crate::format::PackFormat;
use crate::ranking_choice::RankConfigName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use tower_lsp::jsonrpc::Result;

/// Returns the code that matters for a change: the symbols that it touches and the code close to
/// them. The change is the difference that git shows between the base and the working tree
/// (commits, index, working tree, untracked files), including the unsaved text of open documents.
/// The answer lists its files under `change`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeContextArguments {
    /// The revision to compare with: a branch, a tag or a commit. The change starts at the merge
    /// base of that revision and the checked-out commit. Defaults to the remote's default branch,
    /// else `main` or `master`, else `HEAD`.
    base: Option<String>,
    /// Maximum size of the pack in tokens; the pack may be smaller. Defaults to the option
    /// `pack.changeBudget`.
    budget: Option<NonZeroUsize>,
    /// The ranking configuration. Defaults to the option `ranking.configuration`.
    configuration: Option<RankConfigName>,
    /// Adds the pack in this format, as `text`.
    format: Option<PackFormat>,
    /// Adds the pack as `text` in the format of the option `pack.format`, as the command line prints
    /// it. `format` names another format.
    text: Option<bool>,
    /// Adds the reasons for the ranking to the fields of the answer: score components, channels,
    /// evidence, whole ids. They do not count in the budget. `text` does not change.
    explain: Option<bool>,
    /// The `pack_root` of a pack that the client has, or the root in a GCF text. The answer is then a
    /// note that the pack is unchanged, or the difference if that has at most 60 percent of the tokens
    /// of the whole pack. A session remembers the last 16 packs that it sent; for any other root the
    /// answer is the whole pack.
    pack_root: Option<String>,
    /// Only for `format` `gcf`: the part of a session of GCF that the text belongs to. In a session,
    /// the text only refers to symbols that earlier texts of the session had. Start a new one when the
    /// reader no longer has the earlier texts.
    gcf_session: Option<GcfSessionPart>,
    /// A document that selects the folder if several folders are open. Defaults to the first
    /// folder.
    text_document: Option<TextDocument>,
    /// Neither uses nor records feedback or recently shown symbols, so that the same request returns
    /// the same bytes.
    no_learning: Option<bool>,
    /// Ignores the symbols that the session showed recently, so that the answer does not depend on
    /// earlier questions of the session. Feedback counts.
    ignore_shown: Option<bool>,
}

/// The command `kenning.changeContext`; see [`ChangeContextArguments`].
pub struct GetChangeContext;

impl LspCommand for GetChangeContext {
    const NAME: &'static str = "kenning.changeContext";
    type Arguments = ChangeContextArguments;
    type Result = PackAnswer;

    async fn run_command(call: CommandCall, arguments: ChangeContextArguments) -> Result<Value> {
        let folder = folder_for_document(&call.session, arguments.text_document.as_ref())?;
        let arrival = request_sequence(&call.session, &folder);
        let title = "Kenning: context for a change";
        let options = PackOptions {
            title,
            format: arguments.format,
            text: arguments.text.unwrap_or(false),
            configuration: arguments.configuration,
            explain: arguments.explain.unwrap_or(false),
            pack_root: arguments.pack_root,
            gcf_session: arguments.gcf_session,
            no_learning: arguments.no_learning.unwrap_or(false),
            ignore_shown: arguments.ignore_shown.unwrap_or(false),
        };
        let request = PackRequest::Change { base: arguments.base, budget: arguments.budget };
        answer_pack(&call, folder, arrival, request, options).await
    }
}
