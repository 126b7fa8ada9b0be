//! Asking one running server about the references of files, and reading its answers.

mod definitions;
mod discover;
mod documents;
mod external;
mod locate;
mod names;
mod places;
mod ready;
mod real_places;
mod requests;
mod sheet;
mod texts;
mod upgrade;
mod uris;
mod uses;

pub use definitions::definitions;
pub use documents::Change;
pub(crate) use documents::{Documents, Moment};
pub(crate) use ready::{NotReady, until_ready};
pub(crate) use sheet::{Sheet, Unreadable};
pub(crate) use upgrade::Answers;
#[cfg(test)]
pub(crate) use uris::file_of;

use crate::lsp::{Client, ClientError, Encoding, LanguageServer, Progress};
use crate::servers::{self, LanguageServers, Server};
use crate::tally::Tally;
use crate::workspace::Workspace;
use kenning_graph::snapshot::{FileId, Snapshot};
use kenning_graph::verdicts::{ServerId, Unresolved};
use lsp_types::request::Request;
use names::Aliases;
use places::Place;
use requests::Position;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// How long an answer is waited for before the server is known to be ready.
const DEADLINE: Duration = Duration::from_secs(10);
/// How long after that.
const DEADLINE_READY: Duration = Duration::from_secs(30);
/// How long a server that is busy is waited for before a round of questions.
const CALM: Duration = Duration::from_secs(5);
/// So many questions without an answer, one after the other, and the server counts as hung.
const MAX_SILENT: u32 = 8;

/// A running server, with everything that its answers are read with.
pub(crate) struct Asker {
    pub workspace: Arc<dyn Workspace>,
    pub language: &'static LanguageServers,
    pub row: Server,
    pub id: Arc<ServerId>,
    pub client: Client,
    pub documents: Arc<Documents>,
    encoding: Encoding,
    offers: Offers,
    inside: uris::Inside,
    texts: texts::Texts,
    outlines: external::Outlines,
    real: real_places::RealFiles,
    sites: uses::Sites,
    aliases: OnceLock<Aliases>,
    gate: Semaphore,
    tally: Arc<Mutex<Tally>>,
    ready: AtomicBool,
    silent: AtomicU32,
}

/// What a server says that it can do, as far as it is asked for it.
#[derive(Clone, Copy, Debug)]
struct Offers {
    outgoing_calls: bool,
    implementation: bool,
    types: bool,
    references: bool,
    symbols: bool,
}

impl Offers {
    fn new(server: &LanguageServer, row: &Server) -> Self {
        let skips = |request| row.skip.contains(&request);
        Self {
            outgoing_calls: row.outgoing_calls && server.offers("callHierarchyProvider"),
            implementation: server.offers("implementationProvider")
                && !skips(servers::Request::Implementation),
            types: server.offers("typeHierarchyProvider") && !skips(servers::Request::TypeHierarchy),
            references: server.offers("referencesProvider") && !skips(servers::Request::References),
            symbols: server.offers("documentSymbolProvider"),
        }
    }
}

/// Why a server is given up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct GivenUp(pub String);

/// Where an answer leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Led {
    /// To a place in a file of the graph.
    Inside { path: String, file: FileId, at: Position },
    /// Out of the graph.
    Outside(Place),
}

impl Asker {
    /// Around a server that has just been initialised.
    pub fn new(
        workspace: Arc<dyn Workspace>,
        language: &'static LanguageServers,
        row: &Server,
        server: &LanguageServer,
        tally: Arc<Mutex<Tally>>,
    ) -> Self {
        let client = server.client().clone();
        let root = workspace.root().to_owned();
        let id = ServerId { name: row.name.as_str().into(), version: server.version().into() };
        Self {
            inside: uris::Inside::new(&root),
            documents: Arc::new(Documents::new(client.clone(), root, language, row.open)),
            workspace,
            language,
            row: row.clone(),
            id: Arc::new(id),
            client,
            encoding: server.encoding(),
            offers: Offers::new(server, row),
            texts: texts::Texts::default(),
            outlines: external::Outlines::default(),
            real: real_places::RealFiles::default(),
            sites: uses::Sites::default(),
            aliases: OnceLock::new(),
            gate: Semaphore::new(row.in_flight.max(1)),
            tally,
            ready: AtomicBool::new(false),
            silent: AtomicU32::new(0),
        }
    }

    /// Reads a file on a thread that may block.
    pub async fn sheet(&self, path: &str) -> Result<Sheet, Unreadable> {
        let (workspace, id, path) = (Arc::clone(&self.workspace), Arc::clone(&self.id), path.to_owned());
        let read = tokio::task::spawn_blocking(move || Sheet::read(&*workspace, &path, &id));
        read.await.unwrap_or(Err(Unreadable::Gone))
    }

    /// Changes the numbers of the server.
    pub fn count(&self, change: impl FnOnce(&mut Tally)) {
        change(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Asks, when not too many questions wait already.
    async fn ask<R: Request>(&self, params: R::Params) -> Result<R::Result, Failure> {
        let _place =
            self.gate.acquire().await.map_err(|_| Failure::Fatal(GivenUp("it was stopped".into())))?;
        self.count(|tally| tally.requests += 1);
        let limit = if self.ready.load(Ordering::Relaxed) { DEADLINE_READY } else { DEADLINE };
        let answer = self.client.request::<R>(params, limit).await;
        if !matches!(answer, Err(ClientError::Timeout { .. })) {
            self.silent.store(0, Ordering::Relaxed);
        }
        answer.map_err(|error| match error {
            ClientError::Gone(reason) => Failure::Fatal(GivenUp(reason)),
            ClientError::Timeout { method, limit } => {
                let silent = self.silent.fetch_add(1, Ordering::Relaxed) + 1;
                if silent >= MAX_SILENT {
                    let reason = format!("{silent} questions in a row were not answered within {limit:?} each, the last {method}");
                    Failure::Fatal(GivenUp(reason))
                } else {
                    Failure::Open(Unresolved::Late)
                }
            }
            error => {
                tracing::debug!(server = &*self.id.name, %error, "a question is not answered");
                Failure::Open(Unresolved::Refused)
            }
        })
    }

    /// Where places are, seen from a state of the graph; each once.
    fn led(&self, snapshot: &Snapshot, places: Vec<Place>) -> Vec<Led> {
        let mut led: Vec<Led> = places
            .into_iter()
            .map(|place| {
                let path = self.inside.path_of(&place.uri);
                match path.and_then(|path| Some((snapshot.file_by_path(&path)?, path))) {
                    Some((file, path)) => Led::Inside { path, file, at: place.at },
                    None => Led::Outside(place),
                }
            })
            .collect();
        led.sort_unstable();
        led.dedup();
        led
    }

    /// What stands at a place of a file, if the server had the text that the graph was made of.
    async fn spot(
        &self,
        snapshot: &Snapshot,
        (path, file): (&str, FileId),
        at: Position,
        since: Moment,
    ) -> Result<locate::Spot, Failure> {
        let known = snapshot.file(file).map(|file| file.content_hash);
        let Some(hash) = known else { return Err(Failure::Open(Unresolved::Changed)) };
        let behind = self.documents.sent(path).is_some_and(|sent| sent != hash);
        let text = self.texts.get(&self.workspace, path, hash).await;
        let Some(text) = text.filter(|_| !behind && !self.documents.changed_since(path, since)) else {
            return Err(Failure::Open(Unresolved::Changed));
        };
        Ok(locate::spot(snapshot, file, &text, (at.line, at.character), self.encoding))
    }

    /// Waits a while until the server has nothing to do, before a round of questions.
    async fn calm(&self) -> Calm {
        let mut progress = self.client.observed().watch_progress();
        let idle = progress.wait_for(Progress::is_idle);
        let idle = self.row.lazy || tokio::time::timeout(CALM, idle).await.is_ok();
        Calm(idle.then(|| self.documents.moment()))
    }

    /// Whether "nothing" is a fact: the server does nothing now, or did nothing before the questions and was told of no
    /// change since, so that whatever it does is about the questions.
    fn is_sure(&self, calm: Calm) -> bool {
        self.is_idle() || calm.0.is_some_and(|since| since == self.documents.moment())
    }

    /// Whether the server says that it has nothing to do.
    fn is_idle(&self) -> bool {
        self.row.lazy || self.client.observed().progress().is_idle()
    }

    fn aliases(&self, snapshot: &Snapshot) -> &Aliases {
        self.aliases.get_or_init(|| Aliases::new(snapshot))
    }
}

/// When a server had nothing to do before a round of questions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calm(Option<Moment>);

/// How often a file was asked about in vain before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// Rounds before this one.
    pub before: u32,
    /// There will be no further one.
    pub last: bool,
}

impl Round {
    /// Whether a question without an answer is asked once more; in the end it counts as answered.
    pub fn asks_again(self, why: Unresolved) -> bool {
        match why {
            Unresolved::Changed | Unresolved::Unsure => !self.last,
            Unresolved::Late => self.before == 0,
            _ => false,
        }
    }
}

/// Why a question has no answer that can be used.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The server is to be given up.
    Fatal(GivenUp),
    /// This question only.
    Open(Unresolved),
}
