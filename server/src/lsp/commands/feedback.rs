//! `kenning.feedback`: records whether a symbol of a pack was useful.

use super::{CommandCall, LspCommand, ensure_usable, run_blocking, to_json_value};
use crate::format::json::SCHEMA;
use crate::learning::{LearnedEvidence, LearningKey, package_root, seconds_since_epoch};
use crate::lsp::to_proto;
use crate::symbol_names;
use kenning_graph::store::Feedback;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

/// Records whether a symbol of a pack was useful. The feedback is stored on this machine and counts
/// for tasks that name the same things, until the symbol's package changes. `kenning forget`
/// deletes it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedbackArguments {
    /// The `pack_root` of the pack, or its prefix as Markdown shows it. The pack must be one of the
    /// last 64 that this session received with learning enabled.
    pack_root: String,
    /// The symbol: `Class.method`, `path::Class.method`, a simple name, or an id.
    symbol: String,
    /// Whether the symbol was useful.
    useful: bool,
}

/// All valid feedback on this symbol for similar tasks, including the new answer.
#[derive(Serialize, JsonSchema)]
pub struct StoredFeedback {
    /// Version of this format.
    schema: u32,
    /// Always true: feedback that cannot be stored is an error.
    ok: bool,
    /// The symbol's identity.
    symbol: String,
    /// The number of answers that called the symbol useful.
    useful: u32,
    /// The number of answers that called it not useful.
    not_useful: u32,
}

/// The command `kenning.feedback`; see [`FeedbackArguments`].
pub struct GiveFeedback;

impl LspCommand for GiveFeedback {
    const NAME: &'static str = "kenning.feedback";
    type Arguments = FeedbackArguments;
    type Result = StoredFeedback;

    async fn run_command(call: CommandCall, arguments: FeedbackArguments) -> Result<Value> {
        let learning = call.session.session_learning();
        let pack = learning.find_pack(&arguments.pack_root).ok_or_else(|| {
            Error::invalid_params(
                "packRoot: unknown pack; pass the pack_root of a recent pack of this session that was requested \
                 with learning",
            )
        })?;
        let folders = call.session.served_folders();
        let folder = folders.into_iter().find(|folder| folder.root_path() == pack.folder);
        let folder = folder
            .ok_or_else(|| Error::invalid_params("packRoot: the folder of that pack is no longer open"))?;
        let arrival = folder.sequence_for_edits();
        let view = ensure_usable(&folder, folder.wait_for_view(arrival).await)?;
        run_blocking(move || {
            let snapshot = &view.state.snapshot;
            let id = symbol_names::find_symbol(snapshot, &arguments.symbol)
                .map_err(|error| to_proto::question_error(&error))?;
            let symbol =
                snapshot.symbol(id).ok_or_else(|| Error::invalid_params("symbol: it no longer exists"))?;
            let root = package_root(snapshot, &symbol)
                .ok_or_else(|| Error::invalid_params("symbol: it is not declared in the workspace"))?;
            let memory = view.state.memory.as_ref();
            let memory =
                memory.ok_or_else(|| to_proto::request_failed("the database is not open yet; try again"))?;
            let feedback = Feedback {
                symbol: symbol.hash,
                cluster: pack.cluster,
                useful: arguments.useful,
                package_root: root,
                at: seconds_since_epoch(),
            };
            let to_lsp_error =
                |error: kenning_graph::store::StoreError| to_proto::request_failed(error.to_string());
            let (mut store, salvage) = memory.open_store().map_err(to_lsp_error)?;
            if let Some(salvage) = salvage {
                tracing::warn!("{salvage}");
            }
            store.insert_feedback(&feedback).map_err(to_lsp_error)?;
            let key = LearningKey { cluster: Some(pack.cluster), ..LearningKey::default() };
            let learned = LearnedEvidence::read_for_question(memory, &key, snapshot).map_err(to_lsp_error)?;
            let (useful, not_useful) = learned.feedback_counts(&symbol.hash);
            to_json_value(&StoredFeedback {
                schema: SCHEMA,
                ok: true,
                symbol: symbol.hash.to_hex(),
                useful,
                not_useful,
            })
        })
        .await
    }
}
