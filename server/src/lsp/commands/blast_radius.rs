//! `kenning.blastRadius`: the dependents of a symbol.

use super::target::{CommandTarget, check_depth};
use super::text_page::select_page;
use super::{
    CommandCall, LspCommand, Position, RunningCommand, TextDocument, ensure_usable, request_sequence,
    run_blocking, to_json_value,
};
use crate::format::OutputFormat;
use crate::format::blast::{BlastJson, MAX_LISTED};
use crate::format::json as data;
use crate::format::other_folders::{OtherFolder, OtherUsers};
use crate::format::package_uses::list_package_uses;
use crate::format::ripple::list_ripple;
use crate::format::users::UserGroupJson;
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::{reader_actions, to_proto};
use crate::session::ServedFolder;
use crate::symbol_names::TargetSymbols;
use kenning_graph::positions::PositionEncoding;
use kenning_graph::{Snapshot, SymbolId};
use kenning_retrieval::features::{BlastOptions, MAX_HOPS, blast_radius, shared_nodes};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// Returns the blast radius of a symbol: direct callers, dependents by number of hops, tests that
/// reach it, and the evidence for all of these. A name or a position selects the symbol: the
/// definition whose name is at the position, or the definition that the name there refers to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlastRadiusArguments {
    /// The symbol: `Class.method`, `path::Class.method`, a simple name, an id, or the path of a
    /// file.
    symbol: Option<String>,
    /// The document of `position`. With `symbol`, a document that selects the folder.
    text_document: Option<TextDocument>,
    /// A position in the document.
    position: Option<Position>,
    /// Maximum distance of listed dependents, from 1 to 6 hops. Defaults to the option
    /// `blastRadius.depth`. The counts do not depend on it.
    depth: Option<u8>,
    /// Adds the answer in this format, as `text`.
    format: Option<OutputFormat>,
    /// Maximum size of the Markdown text in tokens, at least 200. Everything is then on its pages.
    /// Without a budget, the text is whole, with at most 40 entries per list.
    budget: Option<NonZeroUsize>,
    /// The page of the text, from 1, if there is a budget. Defaults to 1.
    page: Option<NonZeroUsize>,
    /// Makes the server show the answer itself, for clients that can only send commands.
    #[expect(dead_code, reason = "the dispatch of commands reads it")]
    show: Option<bool>,
}

/// The command `kenning.blastRadius`; see [`BlastRadiusArguments`].
pub struct GetBlastRadius;

impl LspCommand for GetBlastRadius {
    const NAME: &'static str = "kenning.blastRadius";
    type Arguments = BlastRadiusArguments;
    type Result = BlastJson<'static>;

    async fn run_command(call: CommandCall, arguments: BlastRadiusArguments) -> Result<Value> {
        let document = arguments.text_document.as_ref();
        let (folder, target) =
            CommandTarget::new(&call.session, arguments.symbol, document, arguments.position)?;
        let default_depth =
            call.session.folder_config(&folder).blast_radius.depth.clamp(1, u32::from(MAX_HOPS)) as u8;
        let depth = check_depth(arguments.depth, default_depth, MAX_HOPS)?;
        let arrival = request_sequence(&call.session, &folder);
        let running = RunningCommand::begin_with_progress(&call, "Kenning: blast radius");
        let view = ensure_usable(&folder, folder.wait_for_view(arrival).await)?;
        let encoding = call.session.position_encoding();
        let others = other_folders_of(&folder, call.session.served_folders());
        let session = Arc::clone(&call.session);
        let value = run_blocking(move || {
            let (state, freshness) = (&view.state, &view.freshness);
            let documents = FolderDocuments::new(folder.root_path(), state, encoding);
            let TargetSymbols { symbols, alternatives } = target.find_symbols(state, &documents)?;
            reader_actions::note_visited(&session, &folder, state, &symbols);
            let options = BlastOptions { depth, ..BlastOptions::default() };
            let blast = blast_radius(&state.snapshot, &symbols, &options);
            let answer = BlastJson::new(&state.snapshot, &blast, &alternatives, freshness, &documents);
            let mut answer =
                answer.ok_or_else(|| to_proto::request_failed("the symbol is no longer in the index"))?;
            answer.ripple = list_ripple(&state.snapshot, state.history.as_deref(), &symbols);
            if let Some(group) = list_users_elsewhere(&state.snapshot, &symbols, &others, encoding) {
                answer.add_users_elsewhere(group);
            }
            answer.package = list_package_uses(&state.snapshot, &state.project.packages, symbols[0]);
            answer.text = match arguments.format {
                None => None,
                Some(OutputFormat::Markdown) => {
                    let max_listed = if arguments.budget.is_some() { usize::MAX } else { MAX_LISTED };
                    let text = answer.render_markdown(max_listed);
                    Some(select_page(text, arguments.budget, arguments.page)?)
                }
                Some(OutputFormat::Json) => Some(
                    data::render_json(&answer)
                        .map_err(|error| to_proto::internal_error(error.to_string()))?,
                ),
            };
            to_json_value(&answer)
        })
        .await;
        running.finish_progress().await;
        value
    }
}

/// Returns the folders of a session without one of them.
fn other_folders_of(folder: &Arc<ServedFolder>, mut all: Vec<Arc<ServedFolder>>) -> Vec<Arc<ServedFolder>> {
    all.retain(|other| !Arc::ptr_eq(other, folder));
    all
}

/// Returns the users of symbols in other folders, in their latest published states.
fn list_users_elsewhere(
    snapshot: &Snapshot,
    symbols: &[SymbolId],
    others: &[Arc<ServedFolder>],
    encoding: PositionEncoding,
) -> Option<UserGroupJson> {
    if others.is_empty() {
        return None;
    }
    let nodes = shared_nodes(snapshot, symbols);
    let mut users = OtherUsers::default();
    for other in others {
        let (root, state) = (other.root_path(), other.current_view().state);
        let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned();
        let locator = FolderDocuments::new(root, &state, encoding);
        users.add_folder(&OtherFolder { name, snapshot: &state.snapshot, locator: &locator }, &nodes);
    }
    users.into_group()
}
