//! The place of one server for one folder: what it is to be asked, and its process while there is one.

use super::connect::{Connect, Start};
use super::queue::{Queue, Wish};
use super::state::{Board, ServerStatus, State};
use crate::ask::{Change, Documents};
use crate::servers::{Found, LanguageServers};
use crate::tally::Tally;
use crate::workspace::{Text, VerdictSink, Workspace};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// What all servers of a workspace have in common.
pub(crate) struct Terms {
    pub workspace: Arc<dyn Workspace>,
    pub sink: Arc<dyn VerdictSink>,
    pub connect: Arc<dyn Connect>,
    pub trusted: bool,
    pub downloads: bool,
    /// Also what the text resolves is asked about.
    pub verify: bool,
    /// After so long without a question a server is stopped.
    pub idle: Duration,
    /// Questions that the sweep may still ask.
    pub budget: AtomicI64,
    /// Everything is to end.
    pub ending: watch::Sender<bool>,
}

/// The place of one server for one folder.
pub(crate) struct Seat {
    pub terms: Arc<Terms>,
    pub language: &'static LanguageServers,
    pub found: Found,
    /// Relative to the workspace.
    pub root: String,
    pub queue: Queue,
    pub board: Board,
    pub restart: Notify,
    live: Mutex<Live>,
}

/// What the editor has open, and the server that is told of it.
#[derive(Default)]
struct Live {
    buffers: BTreeMap<String, Text>,
    documents: Option<Arc<Documents>>,
}

impl Seat {
    pub fn new(
        terms: Arc<Terms>,
        language: &'static LanguageServers,
        found: Found,
        root: String,
        changed: watch::Sender<u64>,
    ) -> Self {
        let status = ServerStatus {
            name: found.server.name.clone(),
            language: language.id.clone(),
            root: root.clone(),
            state: State::Stopped,
            ..ServerStatus::default()
        };
        let board = Board::new(status, changed);
        let (queue, restart, live) = (Queue::default(), Notify::new(), Mutex::default());
        Self { terms, language, found, root, queue, board, restart, live }
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to start.
    pub(super) fn start(&self) -> Start {
        let folder: PathBuf = self.terms.workspace.root().join(&self.root);
        let project = self.language.project(&folder);
        let setup = self.found.setup(self.terms.trusted, self.terms.downloads, &project);
        Start { found: self.found.clone(), folder, setup }
    }

    /// Changes the numbers.
    pub(super) fn count(&self, change: impl FnOnce(&mut Tally)) {
        change(&mut self.board.tally.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// A server runs: it is told what the editor has open, and from now on of every change.
    pub(super) fn attach(&self, documents: &Arc<Documents>) {
        let mut live = self.live();
        for (path, text) in &live.buffers {
            tell(documents.buffer(path, Some(text)));
        }
        live.documents = Some(Arc::clone(documents));
    }

    /// No server runs.
    pub(super) fn detach(&self) {
        self.live().documents = None;
    }

    /// Tells of the text of a document that the editor has open; `None`: it has it open no more.
    pub fn buffer(&self, path: &str, text: Option<&Text>) {
        let mut live = self.live();
        if let Some(documents) = &live.documents {
            tell(documents.buffer(path, text));
        }
        match text {
            Some(text) => drop(live.buffers.insert(path.to_owned(), text.clone())),
            None => drop(live.buffers.remove(path)),
        }
    }

    /// Tells of files that changed on the disk.
    pub fn changed(&self, events: &[(String, Change)]) {
        if let Some(documents) = &self.live().documents {
            tell(documents.changed(events));
        }
    }

    /// Asks about these before everything else.
    pub fn demand(&self, wishes: Vec<Wish>) {
        self.queue.demand(wishes);
    }

    /// Everything that is told of it.
    pub fn status(&self) -> ServerStatus {
        ServerStatus { waiting: self.queue.len(), ..self.board.read() }
    }
}

/// A server that is gone is noticed elsewhere.
fn tell(told: Result<(), crate::lsp::ClientError>) {
    if let Err(error) = told {
        tracing::debug!(%error, "a language server could not be told");
    }
}
