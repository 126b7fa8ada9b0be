//! The one writer of a folder: applies queued changes in order and publishes the state after them.

use super::documents::Document;
use super::folder::{Change, Message, Phase, State};
use super::lines::Encoding;
use super::progress::IndexProgress;
use dashmap::DashMap;
use kenning_indexing::walk::Excludes;
use kenning_indexing::workspace::{IndexReport, Progress, Workspace, WorkspaceOptions};
use std::collections::BTreeSet;
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
    pub documents: Arc<DashMap<String, Document>>,
    pub progress: Arc<IndexProgress>,
    /// The person cancelled the last indexing: only they begin it again.
    pub cancelled: bool,
    /// Files that the configuration leaves out, compiled from the options.
    pub excludes: Option<Excludes>,
    /// Open documents on the disk that are not in the graph.
    pub left_out: BTreeSet<String>,
}

/// Changes that were queued together, reduced to what the graph must be told.
#[derive(Default)]
struct Batch {
    sequence: u64,
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
        batch.sequence = message.sequence;
        match message.change {
            Change::Open { path, version, text } => {
                self.documents.insert(path.clone(), Document::new(version, text));
                batch.dropped.remove(&path);
                batch.changed.insert(path);
            }
            Change::Edit { path, version, edits } => {
                let Some(mut document) = self.documents.get_mut(&path) else {
                    tracing::warn!(path, version, "an edit of a document that is not open is ignored");
                    return;
                };
                let before = document.desynchronised();
                let result = document.apply(version, edits, self.encoding);
                drop(document);
                match result {
                    Ok(()) => {
                        batch.dropped.remove(&path);
                        batch.changed.insert(path);
                    }
                    Err(reason) => {
                        if before.is_none() {
                            tracing::warn!(path, %reason, "edits are ignored until the whole text comes");
                        }
                        batch.changed.remove(&path);
                        batch.dropped.insert(path);
                    }
                }
            }
            Change::Close { path } => {
                self.documents.remove(&path);
                batch.changed.remove(&path);
                batch.dropped.insert(path);
            }
            Change::Refresh { .. } => batch.look_at_disk |= !self.cancelled,
            Change::Configure(options) => {
                self.options = options;
                self.excludes = None;
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
        let sequence = batch.sequence;
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
            self.update(sequence, |state| match workspace {
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

    fn apply(&mut self, slot: &mut Option<Workspace>, mut batch: Batch) -> Result<(), String> {
        if slot.is_none() {
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
        for path in &batch.changed {
            if self.may_be_indexed(workspace, path) {
                self.set_buffer(workspace, path);
            } else {
                // Perhaps the file is new on the disk; perhaps it is ignored. One look tells.
                batch.look_at_disk |= self.left_out.insert(path.clone()) && !self.cancelled;
            }
        }
        if !batch.look_at_disk {
            self.publish_from(workspace, Some(batch.sequence), Phase::Ready, None);
            return Ok(());
        }
        // Unsaved text is in the graph before the slow part begins.
        let first = workspace.indexed_at().is_none();
        self.publish_from(workspace, None, Phase::Indexing, None);
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
        self.publish_from(workspace, Some(batch.sequence), Phase::Ready, Some(Arc::new(report)));
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
        let Some(text) = self.documents.get(path).map(|document| document.text().to_owned()) else { return };
        if text.len() as u64 > self.options.max_file_size {
            workspace.close_buffer(path);
        } else {
            workspace.set_buffer(path, &text);
        }
    }

    /// Paths of the documents that the graph should take from their buffers.
    fn open_paths(&self) -> Vec<String> {
        let followed = self.documents.iter().filter(|d| d.desynchronised().is_none());
        followed.map(|document| document.key().clone()).collect()
    }

    fn publish_from(
        &self,
        workspace: &Workspace,
        sequence: Option<u64>,
        phase: Phase,
        report: Option<Arc<IndexReport>>,
    ) {
        let sequence = sequence.unwrap_or(0);
        self.update(sequence, |state| {
            state.snapshot = workspace.snapshot();
            state.text = Some(workspace.text_source());
            state.indexed_at = workspace.indexed_at();
            state.head = workspace.head();
            state.unsaved_files = workspace.unsaved_files();
            state.writer = Some(workspace.is_writer());
            state.db_path = Some(workspace.db_path().to_owned());
            state.phase = phase;
            if report.is_some() {
                state.report = report;
            }
        });
    }

    /// Publishes the last state with changes; `sequence` never goes back.
    fn update(&self, sequence: u64, change: impl FnOnce(&mut State)) {
        let last = Arc::clone(&self.publish.borrow());
        let mut state = State {
            sequence: sequence.max(last.sequence),
            snapshot: last.snapshot.clone(),
            text: last.text.clone(),
            indexed_at: last.indexed_at,
            head: last.head.clone(),
            unsaved_files: last.unsaved_files,
            phase: last.phase.clone(),
            writer: last.writer,
            db_path: last.db_path.clone(),
            report: last.report.clone(),
        };
        change(&mut state);
        self.publish.send_replace(Arc::new(state));
    }
}
