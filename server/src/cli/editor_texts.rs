//! Overlays the files on disk with the unsaved text of an editor that has the workspace open, so
//! that the command line answers about the text that the user sees.

use super::output;
use crate::format::wording::render_quantity;
use crate::lsp::{ServeOptions, UnsavedTexts};
use crate::session_link::SessionLink;
use kenning_indexing::workspace::{Workspace, WorkspaceOptions};
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// The maximum wait for an editor's session. A session that is busy for longer must not delay a
/// command.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// Overlays the graph with the unsaved texts, and reports their number on standard error. Changes
/// nothing if no editor has the workspace open, or if everything is saved.
pub fn overlay_unsaved_texts(workspace: &mut Workspace, database: Option<PathBuf>) {
    let texts = match read_unsaved_texts(workspace, database) {
        Ok(texts) => texts,
        Err(error) => {
            return output::print_warning(&format!("ignoring the editor's unsaved text: {error:#}"));
        }
    };
    for file in &texts.files {
        workspace.set_buffer(&file.path, &file.text);
    }
    if workspace.unsaved_count() > 0 {
        let files = render_quantity(workspace.unsaved_count(), "file");
        output::print_note(&format!("the results include the unsaved text of {files} in the editor"));
    }
}

fn read_unsaved_texts(workspace: &Workspace, database: Option<PathBuf>) -> anyhow::Result<UnsavedTexts> {
    let options = WorkspaceOptions { db: database, ..WorkspaceOptions::default() };
    let options = ServeOptions { workspace: options, ..ServeOptions::default() };
    let link = SessionLink::new(workspace.root_path().to_owned(), options)?;
    if !link.has_editor() {
        return Ok(UnsavedTexts::default());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let asked = link.ask_editor("kenning.unsavedTexts", json!({}));
    let answer = runtime.block_on(async { tokio::time::timeout(ANSWER_LIMIT, asked).await });
    match answer {
        Ok(Some(answer)) => Ok(UnsavedTexts::deserialize(answer?)?),
        Ok(None) => Ok(UnsavedTexts::default()),
        Err(_) => anyhow::bail!("its session did not answer within {} seconds", ANSWER_LIMIT.as_secs()),
    }
}
