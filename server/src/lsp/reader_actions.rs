//! Reports a client's actions on documents and symbols to the learning of its session.
//!
//! A notification returns at once: a task waits for the state that includes the edit, so that the
//! changed lines and the roots of packages are those of the new text. No task is spawned unless a
//! symbol of a recent pack is still unused.

use crate::learning::ReaderAction;
use crate::session::documents::TextEdit;
use crate::session::{ChangeSequence, FolderState, ServedFolder, Session};
use kenning_graph::SymbolId;
use kenning_retrieval::ChangedFile;
use std::sync::Arc;
use std::time::Instant;

/// Notes that a document was opened.
pub fn note_opened(
    session: &Arc<Session>,
    folder: &Arc<ServedFolder>,
    path: String,
    arrival: ChangeSequence,
) {
    record_after_arrival(session, folder, ReaderAction::Opened(path), arrival);
}

/// Notes that lines of a document were edited, as pairs of their first and last line.
pub fn note_edited(
    session: &Arc<Session>,
    folder: &Arc<ServedFolder>,
    path: String,
    lines: Vec<(u32, u32)>,
    arrival: ChangeSequence,
) {
    // A client that sends whole texts does not say which lines it changed.
    if !lines.is_empty() {
        let file = ChangedFile { path, lines, removed_after: Vec::new() };
        let action = ReaderAction::Edited { files: vec![file], text: String::new() };
        record_after_arrival(session, folder, action, arrival);
    }
}

/// Notes that a request asked about symbols. Writes to disk, so call it from a blocking thread.
pub fn note_visited(session: &Session, folder: &ServedFolder, state: &FolderState, symbols: &[SymbolId]) {
    record_action(session, folder, state, &ReaderAction::Visited(symbols.to_vec()));
}

/// Returns the lines that edits change, 1-based as they are after each edit. Edits that replace the
/// whole text are left out.
pub fn edited_lines(edits: &[TextEdit]) -> Vec<(u32, u32)> {
    let changed_lines = |edit: &TextEdit| {
        let TextEdit::Range { start, text, .. } = edit else { return None };
        let first = start.line.saturating_add(1);
        let added = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
        Some((first, first.saturating_add(added)))
    };
    edits.iter().filter_map(changed_lines).collect()
}

/// Records an action in a task, once the state of the folder includes `arrival`.
fn record_after_arrival(
    session: &Arc<Session>,
    folder: &Arc<ServedFolder>,
    action: ReaderAction,
    arrival: ChangeSequence,
) {
    if !session.session_learning().awaits_use(folder.root_path(), Instant::now()) {
        return;
    }
    let (session, folder) = (Arc::clone(session), Arc::clone(folder));
    tokio::spawn(async move {
        let view = folder.wait_for_view(arrival).await;
        let record = move || record_action(&session, &folder, &view.state, &action);
        if let Err(error) = tokio::task::spawn_blocking(record).await {
            tracing::error!(%error, "internal error while recording the use of a pack");
        }
    });
}

fn record_action(session: &Session, folder: &ServedFolder, state: &FolderState, action: &ReaderAction) {
    let (root, memory) = (folder.root_path(), state.memory.as_ref());
    session.session_learning().record_action(root, memory, &state.snapshot, action, Instant::now());
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_graph::positions::TextPosition;

    #[test]
    fn the_lines_of_an_edit_are_those_of_its_new_text() {
        let position = |line| TextPosition { line, character: 3 };
        let edit = |line, text: &str| TextEdit::Range {
            start: position(line),
            end: position(line + 4),
            text: text.to_owned(),
        };
        let edits =
            [edit(0, "x"), TextEdit::Whole("a\nb".to_owned()), edit(9, "a\nb\n"), edit(u32::MAX - 4, "\n")];
        assert_eq!(edited_lines(&edits), [(1, 1), (10, 12), (u32::MAX - 3, u32::MAX - 2)]);
    }
}
