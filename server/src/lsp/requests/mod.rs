//! The requests of editors, one file for each: what stands at a position, and what depends on it.

mod call_hierarchy;
mod call_items;
mod code_action;
mod code_lens;
mod hover;
mod hover_text;
mod position_lookup;
mod refresh;

pub use call_hierarchy::{incoming_calls, outgoing_calls, prepare_call_hierarchy};
pub use code_action::{KIND as ACTION_KIND, code_actions};
pub use code_lens::{code_lenses, resolve_lens};
pub use hover::hover_at;
pub use position_lookup::resolve_position;
pub use refresh::LensRefresher;

use super::capabilities;
use super::{from_proto, to_proto};
use crate::session::{ChangeSequence, FolderState, FolderView, ServedFolder, Session};
use lsp_types::Uri;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::jsonrpc::Result;

/// How long lenses wait for the text of their document while the writer is busy.
const WAIT_FOR_TEXT: Duration = Duration::from_secs(60);

/// What a request works with.
#[derive(Clone)]
pub struct RequestContext {
    /// The session.
    pub session: Arc<Session>,
    /// What the client can do.
    pub can: capabilities::ClientFeatures,
}

/// A document that a request is about, and what must be in the graph before it is answered.
struct RequestDocument {
    uri: Uri,
    folder: Arc<ServedFolder>,
    path: String,
    arrival: ChangeSequence,
}

impl RequestContext {
    /// The document at a URI; `None` when it is no file of an open folder. To be called before the first `await`: it
    /// notes which edits came before the request.
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

    /// A view in which the document's own text is to be found, if it ever is: a document that was opened while the writer
    /// was busy is waited for, since its lenses must not be empty for that.
    async fn wait_for_text(&self) -> FolderView {
        let view = self.wait_for_view().await;
        let known = |state: &FolderState| state.done.edits >= self.arrival.edits;
        if known(&view.state) {
            return view;
        }
        let mut states = self.folder.subscribe_states();
        let arrived = states.wait_for(|state| known(state) || state.open.contains_key(&self.path));
        // Nothing is lost when it takes longer: the client asks again after a refresh request.
        let _ = tokio::time::timeout(WAIT_FOR_TEXT, arrived).await;
        self.folder.current_view()
    }
}

/// Whether the graph of a view was never whole: nothing can be said of numbers.
fn is_unknown(view: &FolderView) -> bool {
    view.state.indexed_at.is_none()
}

/// Whether some text is not in the graph yet or cannot be read as it stands, or the disk was not checked since the session
/// began: numbers may change.
fn is_pending(view: &FolderView) -> bool {
    is_unknown(view) || view.freshness.is_unsettled() || view.state.report.is_none()
}

/// Runs work that reads the graph or files off the reactor. A panic in it fails this request only.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a request failed on a fault");
        to_proto::internal_error("the request failed on a fault of Kenning itself; the log has the details")
    })
}
