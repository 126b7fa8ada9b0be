//! The requests of editors about a document: the symbol at a position, and its dependents. One file
//! handles each request.
//!
//! Every request first finds its document with [`RequestContext`], which also notes the edits that
//! came before it. It then waits for a view of the folder that includes those edits, for a limited
//! time, and reads the graph on a blocking thread. Titles and numbers from a view that does not
//! include everything yet are marked as such.

mod call_hierarchy;
mod call_items;
mod code_action;
mod code_lens;
mod hover;
mod hover_documents;
mod hover_text;
mod position_lookup;
mod refresh;
mod workspace_symbol;

pub use call_hierarchy::{incoming_calls, outgoing_calls, prepare_call_hierarchy};
pub use code_action::{KIND as ACTION_KIND, code_actions};
pub use code_lens::{code_lenses, resolve_lens};
pub use hover::hover_at;
pub use hover_text::HoverMarkup;
pub use position_lookup::resolve_position;
pub use refresh::{LensRefresher, wait_until_quiet};
pub use workspace_symbol::workspace_symbols;

use super::capabilities;
use super::{from_proto, to_proto};
use crate::session::{ChangeSequence, FolderState, FolderView, ServedFolder, Session};
use lsp_types::Uri;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::jsonrpc::Result;

/// Maximum time that lenses wait for the text of their document while the writer is busy. The first
/// indexing of a large repository takes minutes.
const MAX_TEXT_WAIT: Duration = Duration::from_secs(60);

/// The context of a request.
#[derive(Clone)]
pub struct RequestContext {
    /// The session.
    pub session: Arc<Session>,
    /// The capabilities of the client.
    pub capabilities: capabilities::ClientFeatures,
}

/// The document of a request, and the changes that the graph must include before the request is
/// answered.
struct RequestDocument {
    uri: Uri,
    folder: Arc<ServedFolder>,
    path: String,
    arrival: ChangeSequence,
}

impl RequestContext {
    /// Finds the document at a URI; `None` if it is not in an open folder. Call this before
    /// the first `await`: it notes which edits came before the request.
    fn find_document(&self, uri: &Uri) -> Option<RequestDocument> {
        let (folder, path) = from_proto::file_path(uri).and_then(|file| self.session.locate_file(&file))?;
        let arrival = folder.sequence_for_edits();
        Some(RequestDocument { uri: uri.clone(), folder, path, arrival })
    }
}

impl RequestDocument {
    async fn wait_for_view(&self) -> FolderView {
        self.folder.wait_for_view(self.arrival).await
    }

    /// Returns a view that contains the document's own text, if possible. Waits for a document that
    /// was opened while the writer was busy, because its lenses must not be empty only for that
    /// reason.
    async fn wait_for_text(&self) -> FolderView {
        let view = self.wait_for_view().await;
        let is_included = |state: &FolderState| state.done.edits >= self.arrival.edits;
        if is_included(&view.state) {
            return view;
        }
        let mut states = self.folder.subscribe_states();
        let arrived = states.wait_for(|state| is_included(state) || state.open.contains_key(&self.path));
        // A longer wait loses nothing: the client asks again after a refresh request.
        let _ = tokio::time::timeout(MAX_TEXT_WAIT, arrived).await;
        self.folder.current_view()
    }
}

/// Whether the folder of a view was never indexed. No numbers are known in that case.
fn was_never_indexed(view: &FolderView) -> bool {
    view.state.indexed_at.is_none()
}

/// Whether numbers may still change: some text is not in the graph yet or has syntax errors, or the
/// disk was not checked in this session yet.
fn is_pending(view: &FolderView) -> bool {
    was_never_indexed(view) || view.freshness.is_unsettled() || view.state.report.is_none()
}

/// Runs work that reads the graph or files on a blocking thread. A panic in it fails only this
/// request.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "internal error in a request");
        to_proto::internal_error("Internal error. See the log.")
    })
}
