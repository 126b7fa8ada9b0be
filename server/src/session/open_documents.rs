//! The open documents of a folder: their texts, their parsed buffers, and whether they belong in
//! the graph.
//!
//! An edit changes the text of a document at once. [`OpenDocuments::refresh_buffers`] then parses
//! each edited text once per batch, and [`OpenDocuments::overlay_document`] lays it over the graph
//! of the disk. The buffer of a text with errors is provisional until
//! [`OpenDocuments::confirm_buffers`] has parsed the whole text.

use super::documents::{OpenFile, SyncedDocument, TextEdit};
use kenning_graph::positions::PositionEncoding;
use kenning_indexing::workspace::{Buffer, LiveIndex, RefreshScope, TreeEdit};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A batch of queued changes, reduced to the changes that the graph needs.
#[derive(Default)]
pub(super) struct ChangeBatch {
    /// The number of the last change to a document; 0 for none.
    pub edits: u64,
    /// Documents that were opened or edited.
    pub changed: BTreeSet<String>,
    /// Documents that were closed, or whose edits could not be followed.
    pub dropped: BTreeSet<String>,
}

impl ChangeBatch {
    pub fn is_empty(&self) -> bool {
        self.edits == 0
    }

    /// Returns the paths of all documents in the batch.
    pub fn touched_paths(&self) -> BTreeSet<String> {
        self.changed.union(&self.dropped).cloned().collect()
    }
}

/// Whether a document belongs in the graph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GraphPlacement {
    /// Unknown: the databases are not open, or the rules may have changed.
    Unknown,
    /// The document is a file that is indexed.
    Graph,
    /// The document's path is left out (ignored, vendored or in an unknown language).
    Outside,
}

/// An open document with its parsed buffer.
struct OpenDocument {
    document: SyncedDocument,
    buffer: Arc<Buffer>,
    /// Edits of the document that are not in the buffer yet.
    edits: Vec<TreeEdit>,
    placement: GraphPlacement,
}

/// The open documents by path.
pub(super) struct OpenDocuments {
    documents: BTreeMap<String, OpenDocument>,
    encoding: PositionEncoding,
    /// Maximum size in bytes of a text that is parsed.
    limit: u64,
}

impl OpenDocuments {
    pub fn new(encoding: PositionEncoding, limit: u64) -> Self {
        Self { documents: BTreeMap::new(), encoding, limit }
    }

    /// Adds a document that the client opened.
    pub fn open_document(&mut self, batch: &mut ChangeBatch, path: String, version: i32, text: String) {
        if self.documents.contains_key(&path) {
            tracing::warn!(path, "a document was opened twice; using the second text");
        }
        let buffer = Arc::new(Buffer::new(&path, text.as_str().into(), self.limit));
        let document = SyncedDocument::new(version, text);
        let opened = OpenDocument { document, buffer, edits: Vec::new(), placement: GraphPlacement::Unknown };
        self.documents.insert(path.clone(), opened);
        batch.dropped.remove(&path);
        batch.changed.insert(path);
    }

    /// Applies edits to a document. A document that cannot follow them is dropped from the graph.
    pub fn edit_document(&mut self, batch: &mut ChangeBatch, path: &str, version: i32, edits: Vec<TextEdit>) {
        let Some(open) = self.documents.get_mut(path) else {
            tracing::warn!(path, version, "ignoring an edit of a document that is not open");
            return;
        };
        let before = open.document.desync_reason();
        match open.document.apply_edits(version, edits, self.encoding) {
            Ok(edits) => {
                open.edits.extend(edits);
                batch.dropped.remove(path);
                batch.changed.insert(path.to_owned());
            }
            Err(reason) => {
                if before.is_none() {
                    tracing::warn!(path, %reason, "ignoring edits until the client sends the whole text");
                    // Some edits may have been applied, but the tree does not include them.
                    let text = open.document.current_text().into();
                    open.buffer = Arc::new(Buffer::new(path, text, self.limit));
                    open.edits.clear();
                }
                batch.changed.remove(path);
                batch.dropped.insert(path.to_owned());
            }
        }
    }

    /// Removes a document that the client closed.
    pub fn close_document(&mut self, batch: &mut ChangeBatch, path: &str) {
        if self.documents.remove(path).is_none() {
            tracing::warn!(path, "ignoring the close of a document that is not open");
        }
        batch.changed.remove(path);
        batch.dropped.insert(path.to_owned());
    }

    /// Sets the size limit, in bytes, and rebuilds all buffers: some texts may become too large and
    /// others small enough.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
        for (path, open) in &mut self.documents {
            let text = open.document.current_text().into();
            open.buffer = Arc::new(Buffer::new(path, text, limit));
            open.edits.clear();
        }
    }

    /// Updates the buffers of edited documents to their texts, with one parse per document
    /// regardless of the number of edits. A text with errors is [confirmed](Self::confirm_buffers)
    /// later.
    pub fn refresh_buffers(&mut self, paths: &BTreeSet<String>) {
        for path in paths {
            let Some(open) = self.documents.get_mut(path) else { continue };
            let text = open.document.current_text();
            if !open.edits.is_empty() || &**open.buffer.buffer_text() != text {
                let (text, edits) = (text.into(), &open.edits);
                open.buffer = Arc::new(match open.placement {
                    // A document outside the graph is never confirmed.
                    GraphPlacement::Outside => open.buffer.with_edits(text, edits, self.limit),
                    GraphPlacement::Unknown | GraphPlacement::Graph => {
                        open.buffer.with_typed_edits(text, edits, self.limit)
                    }
                });
                open.edits.clear();
            }
        }
    }

    /// Returns the number of documents that have to be confirmed because their buffer is
    /// provisional ([`Buffer::is_provisional`]).
    pub fn provisional_count(&self) -> usize {
        self.documents.values().filter(|open| open.is_provisional()).count()
    }

    /// Parses again, as a whole, the provisional documents whose paths `is_selected` accepts.
    /// Returns their paths. The caller must pass the new buffers to the graph.
    pub fn confirm_buffers(&mut self, is_selected: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let provisional = self.documents.iter_mut().filter(|(_, open)| open.is_provisional());
        provisional
            .filter(|(path, _)| is_selected(path))
            .map(|(path, open)| {
                open.buffer = Arc::new(open.buffer.with_confirmed_facts(self.limit));
                path.clone()
            })
            .collect()
    }

    /// Returns the confirmed buffers of the documents that a disk check covers.
    pub fn confirmed_buffers(&self, scope: &RefreshScope) -> Vec<Arc<Buffer>> {
        let is_covered = |path: &str| match scope {
            RefreshScope::Whole => true,
            RefreshScope::Files(paths) => paths.contains(path),
        };
        let documents = self.documents.iter().filter(|(path, _)| is_covered(path));
        let buffers = documents.map(|(_, open)| &open.buffer);
        buffers.filter(|buffer| !buffer.is_provisional()).cloned().collect()
    }

    /// Lays a document over the text on disk if it belongs in the graph and its edits could be
    /// followed. Otherwise removes it from the overlay.
    pub fn overlay_document(&mut self, live: &mut LiveIndex, path: &str) {
        let Some(open) = self.documents.get_mut(path) else { return };
        if open.placement == GraphPlacement::Unknown {
            open.placement = if live.disk_state().accepts_path(path) {
                GraphPlacement::Graph
            } else {
                GraphPlacement::Outside
            };
        }
        if open.placement == GraphPlacement::Graph && open.document.desync_reason().is_none() {
            live.set_buffer(Arc::clone(&open.buffer));
        } else {
            live.close_buffer(path);
        }
    }

    /// Resets whether documents belong in the graph, so that it is determined again.
    pub fn reset_placements(&mut self) {
        for open in self.documents.values_mut() {
            open.placement = GraphPlacement::Unknown;
        }
    }

    /// Returns the paths of documents for which it is unknown whether they belong in the graph.
    pub fn unplaced_paths(&self) -> Vec<String> {
        let unplaced = self.documents.iter().filter(|(_, open)| open.placement == GraphPlacement::Unknown);
        unplaced.map(|(path, _)| path.clone()).collect()
    }

    /// Keeps documents out of the graph until the next check of the whole tree.
    pub fn exclude_from_graph(&mut self, paths: &BTreeSet<String>) {
        for path in paths {
            if let Some(open) = self.documents.get_mut(path) {
                open.placement = GraphPlacement::Outside;
            }
        }
    }

    /// Returns the paths of all open documents.
    pub fn open_paths(&self) -> BTreeSet<String> {
        self.documents.keys().cloned().collect()
    }

    /// Returns the number of documents in the graph whose text differs from the graph of the disk.
    pub fn unsaved_count(&self, live: Option<&LiveIndex>) -> usize {
        let Some(live) = live else { return 0 };
        let placed = self.documents.values().filter(|open| open.placement == GraphPlacement::Graph);
        placed.filter(|open| open.document.desync_reason().is_none() && live.is_unsaved(&open.buffer)).count()
    }

    /// Updates the published documents at the `touched` paths.
    pub fn publish_documents(
        &self,
        published: &mut Arc<BTreeMap<String, Arc<OpenFile>>>,
        live: Option<&LiveIndex>,
        touched: &BTreeSet<String>,
    ) {
        if touched.is_empty() {
            return;
        }
        let published = Arc::make_mut(published);
        for path in touched {
            match self.documents.get(path) {
                Some(open) => {
                    let shows_text = live.is_some_and(|live| live.shows_text(&open.buffer));
                    let unsaved = live.is_some_and(|live| live.is_unsaved(&open.buffer));
                    let mut file = open.to_open_file(path, shows_text, unsaved);
                    file.too_large = open.placement == GraphPlacement::Graph
                        && live.is_some_and(|live| live.awaits_save(&open.buffer));
                    published.insert(path.clone(), Arc::new(file));
                }
                None => {
                    published.remove(path);
                }
            }
        }
    }
}

impl OpenDocument {
    /// Whether the buffer has to be confirmed. Buffers of documents outside the graph are left as
    /// they are.
    fn is_provisional(&self) -> bool {
        self.placement != GraphPlacement::Outside && self.buffer.is_provisional()
    }

    /// Returns the document in its published form. `shows_text` says whether the graph contains its
    /// text, and `unsaved` whether that text differs from the file.
    fn to_open_file(&self, path: &str, shows_text: bool, unsaved: bool) -> OpenFile {
        let problem = self.document.desync_reason();
        let is_in_graph = shows_text && problem.is_none();
        let errors = self.buffer.file_facts().is_some_and(|facts| facts.quality.syntax_errors);
        OpenFile {
            path: path.to_owned(),
            version: self.document.last_version(),
            text: self.buffer.buffer_text().clone(),
            lines: Arc::new(self.document.line_index().clone()),
            facts: self.buffer.file_facts().cloned(),
            too_large: false,
            is_in_graph,
            broken: is_in_graph && unsaved && errors,
            desynchronized: problem.is_some(),
            problem,
        }
    }
}
