//! What changed in a folder and what that leaves behind, with the unsaved text of its open documents.

use crate::answer::QuestionError;
use crate::cancel::Cancel;
use crate::change::Change;
use crate::lsp::to_proto;
use crate::session::{Folder, State};
use kenning_indexing::git;
use std::collections::BTreeMap;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;

/// What changed since `base`, up to the text that this state's graph was made from. Reads the disk.
pub fn since(folder: &Folder, state: &State, base: Option<&str>, cancel: &Cancel) -> Result<Change> {
    let seen = git::changes(folder.root(), base, &unsaved(state), &cancel.flag())
        .map_err(|error| to_proto::question_error(&QuestionError::from(error)))?;
    Ok(Change::new(seen, &state.snapshot, &state.project, state.text.as_deref()))
}

/// The texts of the open documents that are in the graph.
fn unsaved(state: &State) -> BTreeMap<String, Arc<str>> {
    let open = state.open.values().filter(|open| open.in_graph);
    open.map(|open| (open.path.clone(), Arc::clone(&open.text))).collect()
}
