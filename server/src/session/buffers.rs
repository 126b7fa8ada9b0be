//! The open documents of a folder: their texts, what was read from each, and their place in the graph.

use super::documents::{Document, OpenFile, TextEdit};
use super::lines::Encoding;
use kenning_indexing::workspace::{Buffer, Live, Look, TreeEdit};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Changes that were queued together, reduced to what the graph must be told.
#[derive(Default)]
pub(super) struct Batch {
    /// Number of the last change of a document; 0 for none.
    pub edits: u64,
    /// Documents that were opened or edited.
    pub changed: BTreeSet<String>,
    /// Documents that were closed, or whose edits could not be followed.
    pub dropped: BTreeSet<String>,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        self.edits == 0
    }

    /// Every document that it is about.
    pub fn touched(&self) -> BTreeSet<String> {
        self.changed.union(&self.dropped).cloned().collect()
    }
}

/// Whether a document belongs in the graph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Not known yet: the databases are not open, or the rules may have changed.
    Unknown,
    /// It is a file that is indexed.
    Graph,
    /// Its path is left out (ignored, vendored, in no known language).
    Outside,
}

/// An open document and what was read from its text.
struct OpenDocument {
    document: Document,
    buffer: Arc<Buffer>,
    /// Edits of the document that the buffer does not have yet.
    edits: Vec<TreeEdit>,
    place: Place,
}

/// The open documents by path.
pub(super) struct OpenDocuments {
    documents: BTreeMap<String, OpenDocument>,
    encoding: Encoding,
    /// Longer texts are not parsed, in bytes.
    limit: u64,
}

impl OpenDocuments {
    pub fn new(encoding: Encoding, limit: u64) -> Self {
        Self { documents: BTreeMap::new(), encoding, limit }
    }

    pub fn open(&mut self, batch: &mut Batch, path: String, version: i32, text: String) {
        if self.documents.contains_key(&path) {
            tracing::warn!(path, "a document was opened twice; the second text counts");
        }
        let buffer = Arc::new(Buffer::new(&path, text.as_str().into(), self.limit));
        let document = Document::new(version, text);
        let opened = OpenDocument { document, buffer, edits: Vec::new(), place: Place::Unknown };
        self.documents.insert(path.clone(), opened);
        batch.dropped.remove(&path);
        batch.changed.insert(path);
    }

    pub fn edit(&mut self, batch: &mut Batch, path: &str, version: i32, edits: Vec<TextEdit>) {
        let Some(open) = self.documents.get_mut(path) else {
            tracing::warn!(path, version, "an edit of a document that is not open is ignored");
            return;
        };
        let before = open.document.desynchronised();
        match open.document.apply(version, edits, self.encoding) {
            Ok(edits) => {
                open.edits.extend(edits);
                batch.dropped.remove(path);
                batch.changed.insert(path.to_owned());
            }
            Err(reason) => {
                if before.is_none() {
                    tracing::warn!(path, %reason, "edits are ignored until the whole text comes");
                    // Some edits may have been applied; the tree knows nothing of them.
                    let text = open.document.text().into();
                    open.buffer = Arc::new(Buffer::new(path, text, self.limit));
                    open.edits.clear();
                }
                batch.changed.remove(path);
                batch.dropped.insert(path.to_owned());
            }
        }
    }

    pub fn close(&mut self, batch: &mut Batch, path: &str) {
        if self.documents.remove(path).is_none() {
            tracing::warn!(path, "a document was closed that was not open");
        }
        batch.changed.remove(path);
        batch.dropped.insert(path.to_owned());
    }

    /// Other texts are too long from now on: some facts may come, others go.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
        for (path, open) in &mut self.documents {
            let text = open.document.text().into();
            open.buffer = Arc::new(Buffer::new(path, text, limit));
            open.edits.clear();
        }
    }

    /// Brings the buffers of edited documents up to their texts: one parse each, however many edits there were. A text
    /// with errors is [confirmed](Self::confirm) later.
    pub fn read(&mut self, paths: &BTreeSet<String>) {
        for path in paths {
            let Some(open) = self.documents.get_mut(path) else { continue };
            let text = open.document.text();
            if !open.edits.is_empty() || &**open.buffer.text() != text {
                let (text, edits) = (text.into(), &open.edits);
                open.buffer = Arc::new(match open.place {
                    // Nobody would confirm it.
                    Place::Outside => open.buffer.edited(text, edits, self.limit),
                    Place::Unknown | Place::Graph => open.buffer.edited_at_once(text, edits, self.limit),
                });
                open.edits.clear();
            }
        }
    }

    /// Number of documents that have to be confirmed: their texts were read as [`Buffer::is_provisional`] says.
    pub fn provisional(&self) -> usize {
        self.documents.values().filter(|open| open.is_provisional()).count()
    }

    /// Confirms those of them that are `wanted` by their paths; gives these. Who has their buffers must be told.
    pub fn confirm(&mut self, wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let provisional = self.documents.iter_mut().filter(|(_, open)| open.is_provisional());
        provisional
            .filter(|(path, _)| wanted(path))
            .map(|(path, open)| {
                open.buffer = Arc::new(open.buffer.confirmed(self.limit));
                path.clone()
            })
            .collect()
    }

    /// What was read from the documents that a look at the disk comes upon, as far as it is confirmed.
    pub fn read_at(&self, look: &Look) -> Vec<Arc<Buffer>> {
        let seen = |path: &str| match look {
            Look::Whole => true,
            Look::Files(paths) => paths.contains(path),
        };
        let documents = self.documents.iter().filter(|(path, _)| seen(path));
        let buffers = documents.map(|(_, open)| &open.buffer);
        buffers.filter(|buffer| !buffer.is_provisional()).cloned().collect()
    }

    /// Puts a document over the disk's text, if its place is in the graph and its edits were followed.
    pub fn put(&mut self, live: &mut Live, path: &str) {
        let Some(open) = self.documents.get_mut(path) else { return };
        if open.place == Place::Unknown {
            open.place = if live.disk().takes(path) { Place::Graph } else { Place::Outside };
        }
        if open.place == Place::Graph && open.document.desynchronised().is_none() {
            live.put(Arc::clone(&open.buffer));
        } else {
            live.close(path);
        }
    }

    /// Forgets where documents belong: it is asked again.
    pub fn place_all(&mut self) {
        for open in self.documents.values_mut() {
            open.place = Place::Unknown;
        }
    }

    /// Documents whose place is to be asked for.
    pub fn unplaced(&self) -> Vec<String> {
        let unplaced = self.documents.iter().filter(|(_, open)| open.place == Place::Unknown);
        unplaced.map(|(path, _)| path.clone()).collect()
    }

    /// Keeps documents out of the graph until the disk is looked at again.
    pub fn give_up(&mut self, paths: &BTreeSet<String>) {
        for path in paths {
            if let Some(open) = self.documents.get_mut(path) {
                open.place = Place::Outside;
            }
        }
    }

    pub fn paths(&self) -> BTreeSet<String> {
        self.documents.keys().cloned().collect()
    }

    /// Number of documents in the graph whose text the disk's graph does not have.
    pub fn unsaved(&self, live: Option<&Live>) -> usize {
        let Some(live) = live else { return 0 };
        let placed = self.documents.values().filter(|open| open.place == Place::Graph);
        placed
            .filter(|open| open.document.desynchronised().is_none() && live.is_unsaved(&open.buffer))
            .count()
    }

    /// Brings the published documents up to those at `touched`.
    pub fn show(
        &self,
        published: &mut Arc<BTreeMap<String, Arc<OpenFile>>>,
        live: Option<&Live>,
        touched: &BTreeSet<String>,
    ) {
        if touched.is_empty() {
            return;
        }
        let published = Arc::make_mut(published);
        for path in touched {
            match self.documents.get(path) {
                Some(open) => {
                    let shown = live.is_some_and(|live| live.shows(&open.buffer));
                    let unsaved = live.is_some_and(|live| live.is_unsaved(&open.buffer));
                    let mut file = open.show(path, shown, unsaved);
                    file.too_large = open.place == Place::Graph
                        && live.is_some_and(|live| live.is_left_to_the_disk(&open.buffer));
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
    /// What is outside of the graph, or was given up, is left as it was read.
    fn is_provisional(&self) -> bool {
        self.place != Place::Outside && self.buffer.is_provisional()
    }

    fn show(&self, path: &str, shown: bool, unsaved: bool) -> OpenFile {
        let problem = self.document.desynchronised();
        let in_graph = shown && problem.is_none();
        let errors = self.buffer.facts().is_some_and(|facts| facts.quality.syntax_errors);
        OpenFile {
            path: path.to_owned(),
            version: self.document.version(),
            text: self.buffer.text().clone(),
            lines: Arc::new(self.document.lines().clone()),
            facts: self.buffer.facts().cloned(),
            too_large: false,
            in_graph,
            broken: in_graph && unsaved && errors,
            desynchronised: problem.is_some(),
            problem,
        }
    }
}
