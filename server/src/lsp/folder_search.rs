//! The search in a folder of the session, for the command and for `workspace/symbol`.

use super::to_proto;
use crate::answer::{AnswerSources, workspace_facts};
use crate::cancel::CancelToken;
use crate::config::Config;
use crate::session::{FolderState, ServedFolder};
use crate::workspace_search::{SearchQuestion, search_workspace};
use kenning_retrieval::search::SearchAnswer;
use tower_lsp::jsonrpc::Result;

/// Searches one state of a folder. Lists the files of the folder, so call it on a blocking thread.
///
/// # Errors
/// Returns `InvalidParams` if the question is not valid, and `RequestCancelled` if it was cancelled.
pub fn search_folder(
    folder: &ServedFolder,
    state: &FolderState,
    config: &Config,
    question: &SearchQuestion,
    cancel: &CancelToken,
) -> Result<SearchAnswer> {
    let facts = workspace_facts(&state.project, config);
    let sources = AnswerSources {
        text: state.text.as_deref(),
        workspace: Some(&facts),
        history: state.history.as_deref(),
        ..AnswerSources::default()
    };
    let (root, exclude) = (folder.root_path(), &config.index.exclude);
    search_workspace(root, exclude, &state.snapshot, sources, question, cancel)
        .map_err(|error| to_proto::question_error(&error))
}
