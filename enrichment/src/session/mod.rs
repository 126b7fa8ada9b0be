//! A session with one running server: questions about the references of files, and verdicts from
//! the answers.
//!
//! 1. `readiness` waits until the server is idle and knows definitions that the text shows.
//! 2. `file_questions` reads a file with its text and references. The file is asked about later if
//!    the graph was built from another text.
//! 3. `document_sync` opens the document at the server and records every text that the server has,
//!    and when files change.
//! 4. `site_resolution` asks for the definition of each reference and decides what it refers to.
//!    `discovery` asks about symbols, for edges that no text shows.
//! 5. Answers are read as places (`locations`, `file_uris`). A place inside the graph is mapped to
//!    a symbol (`position_target`), a place outside to a package and a name (`external_names`).
//!    Places in files that do not exist are dropped (`existing_files`).
//!
//! Every answer is pinned to the texts that the server had. If one of them changes while the server
//! is asked, the answer is discarded and the question is asked again. An empty answer counts only
//! if it is conclusive: the server was idle and had no changes to read.

mod definitions;
mod discovery;
mod document_sync;
mod existing_files;
mod external_names;
mod file_questions;
mod file_uris;
mod import_aliases;
mod locations;
mod position_target;
mod readiness;
mod requests;
mod site_cache;
mod site_resolution;
mod text_cache;

pub use definitions::request_definitions;
pub use document_sync::FileChangeKind;
pub(crate) use document_sync::{ChangeStamp, DocumentSync};
pub(crate) use file_questions::{FileQuestions, UnreadableFile};
#[cfg(test)]
pub(crate) use file_uris::file_from_uri;
pub(crate) use readiness::{NotReady, wait_until_ready};
pub(crate) use site_resolution::AnswerBatch;

use crate::client::{ClientError, LanguageServer, LspClient, WorkProgress};
use crate::server_metrics::ServerMetrics;
use crate::servers::{self, LanguageServers, ServerSpec};
use crate::workspace::WorkspaceSource;
use import_aliases::ImportAliases;
use kenning_graph::positions::PositionEncoding;
use kenning_graph::snapshot::{FileId, Snapshot};
use kenning_graph::verdicts::{NoAnswerReason, ServerId};
use locations::LspLocation;
use lsp_types::request::Request;
use requests::LspPosition;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Time limit for an answer before the server is known to be ready.
const DEADLINE: Duration = Duration::from_secs(10);
/// Time limit for an answer of a server that is ready.
const DEADLINE_READY: Duration = Duration::from_secs(30);
/// Maximum time to wait for a busy server to become idle before a round of questions.
const CALM: Duration = Duration::from_secs(5);
/// Number of consecutive questions without an answer after which the server counts as hung.
const MAX_SILENT: u32 = 8;

/// A running server, with everything needed to read its answers.
pub(crate) struct ServerSession {
    pub workspace: Arc<dyn WorkspaceSource>,
    pub language: &'static LanguageServers,
    pub row: ServerSpec,
    pub id: Arc<ServerId>,
    pub client: LspClient,
    pub documents: Arc<DocumentSync>,
    encoding: PositionEncoding,
    offers: SessionCapabilities,
    inside: file_uris::WorkspacePaths,
    texts: text_cache::TextCache,
    outlines: external_names::OutlineCache,
    real: existing_files::ExistingFiles,
    sites: site_cache::SiteCache,
    aliases: OnceLock<ImportAliases>,
    gate: Semaphore,
    tally: Arc<Mutex<ServerMetrics>>,
    ready: AtomicBool,
    silent: AtomicU32,
}

/// The capabilities of a server that are used.
#[derive(Clone, Copy, Debug)]
struct SessionCapabilities {
    outgoing_calls: bool,
    implementation: bool,
    types: bool,
    references: bool,
    symbols: bool,
}

impl SessionCapabilities {
    fn new(server: &LanguageServer, row: &ServerSpec) -> Self {
        let skips = |request| row.skip.contains(&request);
        Self {
            outgoing_calls: row.outgoing_calls && server.has_capability("callHierarchyProvider"),
            implementation: server.has_capability("implementationProvider")
                && !skips(servers::DiscoveryRequest::Implementation),
            types: server.has_capability("typeHierarchyProvider")
                && !skips(servers::DiscoveryRequest::TypeHierarchy),
            references: server.has_capability("referencesProvider")
                && !skips(servers::DiscoveryRequest::References),
            symbols: server.has_capability("documentSymbolProvider"),
        }
    }
}

/// The reason why a server is given up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct GiveUpReason(pub String);

/// The place that an answer leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AnswerLocation {
    /// A place in a file of the graph.
    Inside { path: String, file: FileId, at: LspPosition },
    /// A place outside of the graph.
    Outside(LspLocation),
}

impl ServerSession {
    /// Creates a session with a server that was initialised.
    pub fn new(
        workspace: Arc<dyn WorkspaceSource>,
        language: &'static LanguageServers,
        row: &ServerSpec,
        server: &LanguageServer,
        tally: Arc<Mutex<ServerMetrics>>,
    ) -> Self {
        let client = server.lsp_client().clone();
        let root = workspace.root_folder().to_owned();
        let id = ServerId { name: row.name.as_str().into(), version: server.server_version().into() };
        Self {
            inside: file_uris::WorkspacePaths::new(&root),
            documents: Arc::new(DocumentSync::new(client.clone(), root, language, row.open)),
            workspace,
            language,
            row: row.clone(),
            id: Arc::new(id),
            client,
            encoding: server.position_encoding(),
            offers: SessionCapabilities::new(server, row),
            texts: text_cache::TextCache::default(),
            outlines: external_names::OutlineCache::default(),
            real: existing_files::ExistingFiles::default(),
            sites: site_cache::SiteCache::default(),
            aliases: OnceLock::new(),
            gate: Semaphore::new(row.in_flight.max(1)),
            tally,
            ready: AtomicBool::new(false),
            silent: AtomicU32::new(0),
        }
    }

    /// Reads a file on a thread that may block.
    pub async fn read_file_questions(&self, path: &str) -> Result<FileQuestions, UnreadableFile> {
        let (workspace, id, path) = (Arc::clone(&self.workspace), Arc::clone(&self.id), path.to_owned());
        let read = tokio::task::spawn_blocking(move || FileQuestions::read_file(&*workspace, &path, &id));
        read.await.unwrap_or(Err(UnreadableFile::Gone))
    }

    /// Changes the counters of the server.
    pub fn update_metrics(&self, change: impl FnOnce(&mut ServerMetrics)) {
        change(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Sends a request. Waits first while the maximum number of requests is in flight.
    async fn ask_server<R: Request>(&self, params: R::Params) -> Result<R::Result, QuestionFailure> {
        let _place = self
            .gate
            .acquire()
            .await
            .map_err(|_| QuestionFailure::Fatal(GiveUpReason("the server was stopped".into())))?;
        self.update_metrics(|tally| tally.requests += 1);
        let limit = if self.ready.load(Ordering::Relaxed) { DEADLINE_READY } else { DEADLINE };
        let answer = self.client.send_request::<R>(params, limit).await;
        if !matches!(answer, Err(ClientError::Timeout { .. })) {
            self.silent.store(0, Ordering::Relaxed);
        }
        answer.map_err(|error| match error {
            ClientError::Gone(reason) => QuestionFailure::Fatal(GiveUpReason(reason)),
            ClientError::Timeout { method, limit } => {
                let silent = self.silent.fetch_add(1, Ordering::Relaxed) + 1;
                if silent >= MAX_SILENT {
                    let reason = format!(
                        "{silent} questions in a row had no answer within {limit:?}, the last one {method}"
                    );
                    QuestionFailure::Fatal(GiveUpReason(reason))
                } else {
                    QuestionFailure::Open(NoAnswerReason::Late)
                }
            }
            error => {
                tracing::debug!(server = &*self.id.name, %error, "a question is not answered");
                QuestionFailure::Open(NoAnswerReason::Refused)
            }
        })
    }

    /// Maps places to files of the graph. Returns each place once.
    fn resolve_locations(&self, snapshot: &Snapshot, places: Vec<LspLocation>) -> Vec<AnswerLocation> {
        let mut led: Vec<AnswerLocation> = places
            .into_iter()
            .map(|place| {
                let path = self.inside.relative_path(&place.uri);
                match path.and_then(|path| Some((snapshot.file_by_path(&path)?, path))) {
                    Some((file, path)) => AnswerLocation::Inside { path, file, at: place.at },
                    None => AnswerLocation::Outside(place),
                }
            })
            .collect();
        led.sort_unstable();
        led.dedup();
        led
    }

    /// Returns what is at a place of a file. Fails with `Changed` if the server's text is not the
    /// one that the graph was built from.
    async fn classify_location(
        &self,
        snapshot: &Snapshot,
        (path, file): (&str, FileId),
        at: LspPosition,
        since: ChangeStamp,
    ) -> Result<position_target::PositionTarget, QuestionFailure> {
        let known = snapshot.file(file).map(|file| file.content_hash);
        let Some(hash) = known else { return Err(QuestionFailure::Open(NoAnswerReason::Changed)) };
        let behind = self.documents.sent_hash(path).is_some_and(|sent| sent != hash);
        let text = self.texts.read_text(&self.workspace, path, hash).await;
        let Some(text) = text.filter(|_| !behind && !self.documents.changed_since(path, since)) else {
            return Err(QuestionFailure::Open(NoAnswerReason::Changed));
        };
        Ok(position_target::classify_position(snapshot, file, &text, (at.line, at.character), self.encoding))
    }

    /// Waits a limited time until the server is idle, before a round of questions.
    async fn wait_for_idle(&self) -> IdleStamp {
        let mut progress = self.client.server_activity().watch_progress();
        let idle = progress.wait_for(WorkProgress::is_idle);
        let idle = self.row.lazy || tokio::time::timeout(CALM, idle).await.is_ok();
        IdleStamp(idle.then(|| self.documents.current_stamp()))
    }

    /// Whether an empty answer is a fact. This is so if the server is idle now, or if it was idle
    /// before the questions and received no change since: any work it does then is caused by the
    /// questions.
    fn is_conclusive(&self, calm: IdleStamp) -> bool {
        self.is_idle() || calm.0.is_some_and(|since| since == self.documents.current_stamp())
    }

    /// Whether the server reports that it has nothing to do.
    fn is_idle(&self) -> bool {
        self.row.lazy || self.client.server_activity().current_progress().is_idle()
    }

    fn import_aliases(&self, snapshot: &Snapshot) -> &ImportAliases {
        self.aliases.get_or_init(|| ImportAliases::new(snapshot))
    }
}

/// The state of the texts when a server was idle before a round of questions; `None` if it was not
/// idle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdleStamp(Option<ChangeStamp>);

/// The number of earlier attempts to ask about a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuestionRound {
    /// Attempts before this one.
    pub before: u32,
    /// Whether this is the last attempt.
    pub last: bool,
}

impl QuestionRound {
    /// Whether a question that failed for this reason is asked again.
    pub fn should_retry(self, why: NoAnswerReason) -> bool {
        match why {
            NoAnswerReason::Changed | NoAnswerReason::Unsure => !self.last,
            NoAnswerReason::Late => self.before == 0,
            _ => false,
        }
    }
}

/// The reason why a question has no usable answer.
#[derive(Clone, Debug)]
pub(crate) enum QuestionFailure {
    /// The server has to be given up.
    Fatal(GiveUpReason),
    /// Only this question failed.
    Open(NoAnswerReason),
}
