//! The change to a folder, including the unsaved text of its open documents, with the users of the
//! definitions that it removed.

use crate::answer::QuestionError;
use crate::cancel::CancelToken;
use crate::change::WorkspaceChange;
use crate::lsp::to_proto;
use crate::session::{FolderState, ServedFolder};
use kenning_indexing::git;
use std::collections::BTreeMap;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// Returns the change from `base` to the text in the graph of this state. Reads the disk.
pub fn changes_since(
    folder: &ServedFolder,
    state: &FolderState,
    base: Option<&str>,
    cancel: &CancelToken,
) -> Result<WorkspaceChange> {
    let change_set =
        git::collect_changes(folder.root_path(), base, &unsaved_texts(state), &cancel.shared_flag())
            .map_err(|error| to_proto::question_error(&QuestionError::from(error)))?;
    Ok(WorkspaceChange::new(change_set, &state.snapshot, &state.project, state.text.as_deref()))
}

/// Returns the texts of the open documents that are in the graph.
fn unsaved_texts(state: &FolderState) -> BTreeMap<String, Arc<str>> {
    let open = state.open.values().filter(|open| open.is_in_graph);
    open.map(|open| (open.path.clone(), Arc::clone(&open.text))).collect()
}
