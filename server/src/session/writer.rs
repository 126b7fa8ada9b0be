//! The one writer of a folder: applies queued changes in order and publishes the state after them.

use super::documents::{Document, OpenFile};
use super::folder::{Arrival, Change, Message, Phase, State};
use super::lines::Encoding;
use super::progress::IndexProgress;
use kenning_indexing::walk::Excludes;
use kenning_indexing::workspace::{Buffer, IndexReport, Progress, TreeEdit, Workspace, WorkspaceOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// Everything the writer thread owns or shares with its [`super::Folder`].
pub(super) struct Writer {
    pub root: PathBuf,
    pub options: WorkspaceOptions,
    pub encoding: Encoding,
    pub inbox: mpsc::UnboundedReceiver<Message>,
    pub publish: watch::Sender<Arc<State>>,
    pub documents: BTreeMap<String, OpenDocument>,
    pub progress: Arc<IndexProgress>,
    /// The person cancelled the last indexing: only they begin it again.
    pub cancelled: bool,
    /// Files that the configuration leaves out, compiled from the options.
    pub excludes: Option<Excludes>,
    /// Open documents on the disk that are not in the graph.
    pub left_out: BTreeSet<String>,
}

/// An open document and what was read from its text.
pub(super) struct OpenDocument {
    document: Document,
    buffer: Arc<Buffer>,
    /// Edits of the document that the buffer does not have yet.
    edits: Vec<TreeEdit>,
}

/// Changes that were queued together, reduced to what the graph must be told.
#[derive(Default)]
struct Batch {
    done: Arrival,
    /// Documents that were opened or edited.
    changed: BTreeSet<String>,
    /// Documents that were closed, or whose edits could not be followed.
    dropped: BTreeSet<String>,
    look_at_disk: bool,
    configured: bool,
    replies: Vec<oneshot::Sender<Result<Arc<IndexReport>, String>>>,
}

impl Writer {
    /// Works until the queue is closed.
    pub fn run(mut self) {
        let mut workspace = None;
        let first = Batch { look_at_disk: true, ..Batch::default() };
        self.apply_guarded(&mut workspace, first);
        while let Some(message) = self.inbox.blocking_recv() {
            let mut batch = Batch::default();
            self.take(&mut batch, message);
            while let Ok(message) = self.inbox.try_recv() {
                self.take(&mut batch, message);
            }
            self.apply_guarded(&mut workspace, batch);
        }
    }

    /// Applies a change to the open documents and notes what the graph must be told.
    fn take(&mut self, batch: &mut Batch, message: Message) {
        match message.change {
            Change::Refresh { .. } | Change::Configure(_) | Change::Reindex(_) => {
                batch.done.disk = message.sequence;
            }
            _ => batch.done.edits = message.sequence,
        }
        let limit = self.options.max_file_size;
        match message.change {
            Change::Open { path, version, text } => {
                let buffer = Arc::new(Buffer::new(&path, text.as_str().into(), limit));
                let document = Document::new(version, text);
                let opened = OpenDocument { document, buffer, edits: Vec::new() };
                if self.documents.insert(path.clone(), opened).is_some() {
                    tracing::warn!(
                        path,
                        version,
                        "a document was opened again without being closed; the later text counts"
                    );
                }
                batch.dropped.remove(&path);
                batch.changed.insert(path);
            }
            Change::Edit { path, version, edits } => {
                let Some(open) = self.documents.get_mut(&path) else {
                    tracing::warn!(path, version, "an edit of a document that is not open is ignored");
                    return;
                };
                let before = open.document.desynchronised();
                match open.document.apply(version, edits, self.encoding) {
                    Ok(edits) => {
                        open.edits.extend(edits);
                        batch.dropped.remove(&path);
                        batch.changed.insert(path);
                    }
                    Err(reason) => {
                        if before.is_none() {
                            tracing::warn!(path, %reason, "edits are ignored until the whole text comes");
                            // Some edits may have been applied; the tree knows nothing of them.
                            let text = open.document.text().into();
                            open.buffer = Arc::new(Buffer::new(&path, text, limit));
                            open.edits.clear();
                        }
                        batch.changed.remove(&path);
                        batch.dropped.insert(path);
                    }
                }
            }
            Change::Close { path } => {
                if self.documents.remove(&path).is_none() {
                    tracing::warn!(path, "a document was closed that is not open");
                }
                batch.changed.remove(&path);
                batch.dropped.insert(path);
            }
            Change::Refresh { .. } => batch.look_at_disk |= !self.cancelled,
            Change::Configure(options) => {
                self.options = options;
                self.excludes = None;
                for (path, open) in &mut self.documents {
                    // Another limit of size may let its facts come or go.
                    let text = open.document.text().into();
                    open.buffer = Arc::new(Buffer::new(path, text, self.options.max_file_size));
                    open.edits.clear();
                }
                batch.configured = true;
                batch.look_at_disk |= !self.cancelled;
            }
            Change::Reindex(reply) => {
                self.cancelled = false;
                batch.look_at_disk = true;
                batch.replies.push(reply);
            }
        }
    }

    /// Applies a batch; a panic in it costs the open database, never the session.
    fn apply_guarded(&mut self, workspace: &mut Option<Workspace>, mut batch: Batch) {
        let replies = std::mem::take(&mut batch.replies);
        let done = batch.done;
        let outcome = catch_unwind(AssertUnwindSafe(|| self.apply(workspace, batch))).unwrap_or_else(|_| {
            *workspace = None;
            Err("indexing failed on a fault of Kenning itself; the log has the details".to_owned())
        });
        if let Err(message) = &outcome {
            let root = self.root.display();
            self.cancelled = self.progress.cancelled();
            if self.cancelled {
                tracing::info!(%root, "{message}");
            } else {
                tracing::error!(%root, "{message}");
            }
            self.progress.end(message.clone());
            self.update(done, |state| match workspace {
                Some(_) => state.phase = Phase::Ready,
                None => state.phase = Phase::Failed(message.clone()),
            });
        }
        for reply in replies {
            let report = self.publish.borrow().report.clone();
            let result = outcome.clone().and_then(|()| report.ok_or_else(|| "nothing was indexed".into()));
            // The request may have been cancelled; then nobody listens.
            let _ = reply.send(result);
        }
    }

    /// Brings the buffers of edited documents up to their texts: one parse each, however many edits there were.
    fn read_edited(&mut self, paths: &BTreeSet<String>) {
        let limit = self.options.max_file_size;
        for path in paths {
            let Some(open) = self.documents.get_mut(path) else { continue };
            let text = open.document.text();
            if !open.edits.is_empty() || &**open.buffer.text() != text {
                open.buffer = Arc::new(open.buffer.edited(text.into(), &open.edits, limit));
                open.edits.clear();
            }
        }
    }

    fn apply(&mut self, slot: &mut Option<Workspace>, mut batch: Batch) -> Result<(), String> {
        self.read_edited(&batch.changed);
        let touched: BTreeSet<String> = batch.changed.union(&batch.dropped).cloned().collect();
        if slot.is_none() {
            // What was read from open documents can be asked for before there is a graph.
            self.update(Arrival::default(), |state| self.show_open(state, None, &touched));
            let opened = Workspace::open(&self.root, self.options.clone()).map_err(|e| e.to_string())?;
            *slot = Some(opened);
            batch.look_at_disk = true;
            batch.changed.extend(self.open_paths());
        }
        let Some(workspace) = slot.as_mut() else { return Ok(()) };
        if batch.configured {
            workspace.set_limits(&self.options);
            // Each open document is judged anew.
            for path in self.open_paths() {
                self.left_out.remove(&path);
                workspace.close_buffer(&path);
                batch.changed.insert(path);
            }
        }
        for path in &batch.dropped {
            self.left_out.remove(path);
            workspace.close_buffer(path);
        }
        let mut undecided = false;
        for path in &batch.changed {
            if self.may_be_indexed(workspace, path) {
                self.set_buffer(workspace, path);
            } else {
                // Perhaps the file is new on the disk; perhaps it is ignored. One look tells.
                undecided |= self.left_out.insert(path.clone()) && !self.cancelled;
            }
        }
        batch.look_at_disk |= undecided;
        if !batch.look_at_disk {
            self.publish_from(workspace, batch.done, &touched, Phase::Ready, None);
            return Ok(());
        }
        // Unsaved text is in the graph before the slow part begins.
        let first = workspace.indexed_at().is_none();
        let edits = if undecided { Arrival::default() } else { Arrival { disk: 0, ..batch.done } };
        self.publish_from(workspace, edits, &touched, Phase::Indexing, None);
        self.progress.begin(first);
        let report = workspace.refresh(self.progress.as_ref()).map_err(|e| e.to_string())?;
        for path in std::mem::take(&mut self.left_out) {
            if self.may_be_indexed(workspace, &path) {
                self.set_buffer(workspace, &path);
            } else {
                self.left_out.insert(path);
            }
        }
        let message = format!("{} files, {} symbols", report.files, report.symbols);
        let all = self.documents.keys().cloned().collect();
        self.publish_from(workspace, batch.done, &all, Phase::Ready, Some(Arc::new(report)));
        self.progress.end(message);
        Ok(())
    }

    /// Whether the text of an open document belongs in the graph: its file is there already, or it is not on the disk
    /// yet. What is on the disk and not in the graph was left out for a reason (ignored, generated, too large).
    fn may_be_indexed(&mut self, workspace: &Workspace, path: &str) -> bool {
        if self.excludes.is_none() {
            // Patterns were checked where they were said; the walk fails on others with a sentence.
            self.excludes = Excludes::new(workspace.root(), &self.options.exclude).ok();
        }
        if self.excludes.as_ref().is_some_and(|excludes| excludes.cover(path)) {
            return false;
        }
        workspace.snapshot().file_by_path(path).is_some() || !self.root.join(path).exists()
    }

    /// Puts the text of an open document over the disk's, or takes it away when it has grown too large to index.
    fn set_buffer(&self, workspace: &mut Workspace, path: &str) {
        let Some(open) = self.documents.get(path) else { return };
        if open.buffer.text().len() as u64 > self.options.max_file_size {
            workspace.close_buffer(path);
        } else {
            workspace.put_buffer(Arc::clone(&open.buffer));
        }
    }

    /// Paths of the documents that the graph should take from their buffers.
    fn open_paths(&self) -> Vec<String> {
        let followed = self.documents.iter().filter(|(_, open)| open.document.desynchronised().is_none());
        followed.map(|(path, _)| path.clone()).collect()
    }

    /// Brings the published open documents up to what is known of those at `touched`.
    fn show_open(&self, state: &mut State, workspace: Option<&Workspace>, touched: &BTreeSet<String>) {
        if touched.is_empty() {
            return;
        }
        let open = Arc::make_mut(&mut state.open);
        for path in touched {
            match self.documents.get(path) {
                Some(known) => {
                    let in_graph = workspace.is_some_and(|workspace| workspace.shows(&known.buffer));
                    open.insert(path.clone(), Arc::new(known.show(path, in_graph)));
                }
                None => {
                    open.remove(path);
                }
            }
        }
    }

    fn publish_from(
        &self,
        workspace: &Workspace,
        done: Arrival,
        touched: &BTreeSet<String>,
        phase: Phase,
        report: Option<Arc<IndexReport>>,
    ) {
        self.update(done, |state| {
            state.snapshot = workspace.snapshot();
            state.text = Some(workspace.text_source());
            state.project = workspace.project();
            state.indexed_at = workspace.indexed_at();
            state.head = workspace.head();
            state.unsaved_files = workspace.unsaved_files();
            state.writer = Some(workspace.is_writer());
            state.db_path = Some(workspace.db_path().to_owned());
            state.phase = phase;
            if report.is_some() {
                state.report = report;
            }
            self.show_open(state, Some(workspace), touched);
        });
    }

    /// Publishes the last state with changes; the numbers of what is done never go back.
    fn update(&self, done: Arrival, change: impl FnOnce(&mut State)) {
        let mut state = State::clone(&self.publish.borrow());
        state.done.edits = state.done.edits.max(done.edits);
        state.done.disk = state.done.disk.max(done.disk);
        change(&mut state);
        self.publish.send_replace(Arc::new(state));
    }
}

impl OpenDocument {
    fn show(&self, path: &str, in_graph: bool) -> OpenFile {
        let problem = self.document.desynchronised();
        OpenFile {
            path: path.to_owned(),
            version: self.document.version(),
            text: self.buffer.text().clone(),
            lines: Arc::new(self.document.lines().clone()),
            facts: self.buffer.facts().cloned(),
            in_graph: in_graph && problem.is_none(),
            desynchronised: problem.is_some(),
            problem,
        }
    }
}
