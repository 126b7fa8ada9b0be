//! `kenning.affectedTests`: the tests that reach changed code.

use super::file_context::locate_files;
use super::text_page::select_page;
use super::{
    CommandCall, LspCommand, RunningCommand, TextDocument, changes, ensure_usable, folder_for_document,
    request_sequence, run_blocking, to_json_value,
};
use crate::answer;
use crate::change::WorkspaceChange;
use crate::format::OutputFormat;
use crate::format::affected::{AffectedJson, FoundTests, MAX_LISTED, TestsSubject};
use crate::format::json as data;
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::to_proto;
use crate::test_commands::TestCommands;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use tower_lsp::jsonrpc::{Error, Result};

/// Returns the tests that reach changed code, each with its call path to the change. The changed
/// code is everything in `uris`, or the change since `base` as `kenning.changeContext` computes it.
/// Without either, it is the change since the default base.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AffectedTestsArguments {
    /// The changed files, as URIs. All must be in one folder, and everything in them counts as
    /// changed.
    uris: Option<Vec<String>>,
    /// The revision to compare with, as for `kenning.changeContext`. It cannot be combined with
    /// `uris`.
    base: Option<String>,
    /// The ids of the tests that the commands of the answer run. Defaults to all of its tests.
    run_only: Option<Vec<String>>,
    /// Adds the answer in this format, as `text`.
    format: Option<OutputFormat>,
    /// Maximum size of the Markdown text in tokens, at least 200. Everything is then on its pages.
    /// Without a budget, the text is whole, with at most 200 tests per list.
    budget: Option<NonZeroUsize>,
    /// The page of the text, from 1, if there is a budget. Defaults to 1.
    page: Option<NonZeroUsize>,
    /// A document that selects the folder if several folders are open and `uris` is absent.
    /// Defaults to the first folder.
    text_document: Option<TextDocument>,
}

/// The command `kenning.affectedTests`; see [`AffectedTestsArguments`].
pub struct GetAffectedTests;

impl LspCommand for GetAffectedTests {
    const NAME: &'static str = "kenning.affectedTests";
    type Arguments = AffectedTestsArguments;
    type Result = AffectedJson<'static>;

    async fn run_command(call: CommandCall, arguments: AffectedTestsArguments) -> Result<Value> {
        let (folder, paths) = match (&arguments.uris, &arguments.base) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid_params("base: give files or a base, not both"));
            }
            (Some(uris), None) => {
                let (folder, paths) = locate_files(&call.session, uris)?;
                (folder, Some(paths))
            }
            (None, _) => (folder_for_document(&call.session, arguments.text_document.as_ref())?, None),
        };
        let arrival = request_sequence(&call.session, &folder);
        let running = RunningCommand::begin_with_progress(&call, "Kenning: affected tests");
        let cancel = running.cancel_token();
        let view = ensure_usable(&folder, folder.wait_for_view(arrival).await)?;
        let encoding = call.session.position_encoding();
        let value = run_blocking(move || {
            let (state, freshness) = (&view.state, &view.freshness);
            let change: WorkspaceChange;
            let subject = match &paths {
                Some(paths) => TestsSubject::Files(paths),
                None => {
                    change = changes::changes_since(&folder, state, arguments.base.as_deref(), &cancel)?;
                    TestsSubject::Change(&change)
                }
            };
            let (targets, tests) =
                answer::find_affected_tests(&state.snapshot, subject, freshness.pending_files > 0)
                    .map_err(|error| to_proto::question_error(&error))?;
            if cancel.is_cancelled() {
                return Err(to_proto::request_cancelled());
            }
            let documents = FolderDocuments::new(folder.root_path(), state, encoding);
            let commands = TestCommands::for_workspace(folder.root_path(), &state.project);
            let (targets, tests, history) = (&targets[..], &tests, state.history.as_deref());
            let found = FoundTests { targets, tests, commands: &commands, history };
            let mut answer = AffectedJson::new(&state.snapshot, subject, found, freshness, &documents);
            if let Some(ids) = &arguments.run_only {
                answer.limit_commands(&state.snapshot, &commands, ids);
            }
            answer.text = match arguments.format {
                None => None,
                Some(OutputFormat::Markdown) => {
                    let max_listed = if arguments.budget.is_some() { usize::MAX } else { MAX_LISTED };
                    let text = answer.render_markdown(subject, max_listed);
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
