//! A session with one running server: questions about the references of files, and verdicts from
//! the answers.
//!
//! 1. `readiness` waits until the server is idle and knows definitions that are visible in the
//!    text.
//! 2. `file_questions` reads a file with its text and references. The file is asked about later if
//!    the graph was built from another text.
//! 3. `document_sync` opens the document at the server and records every text that the server has,
//!    and when files change.
//! 4. `site_resolution` asks for the definition of each reference and decides what it refers to.
//!    `discovery` asks about symbols, to find edges that the text does not show.
//! 5. Answers are read as locations (`locations`, `file_uris`). A location inside the graph is
//!    mapped to a symbol (`position_target`), a location outside to a package and a name
//!    (`external_names`). Locations in files that do not exist are dropped (`existing_files`).
//!
//! Every answer is pinned to the texts that the server had. If one of them changes while the server
//! is asked, the answer is discarded and the question is asked again. An empty answer counts only
//! if it is conclusive: the server was idle and had no changes to read.

mod declared_targets;
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

pub use definitions::{DefinitionLocation, request_definitions};
pub use document_sync::FileChangeKind;
pub(crate) use document_sync::{ChangeStamp, DocumentSync};
pub(crate) use file_questions::{FileQuestions, UnreadableFile};
#[cfg(test)]
pub(crate) use file_uris::file_from_uri;
pub(crate) use readiness::{MAX_READ_FILES, NotReady, wait_until_ready};
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
const LOADING_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for an answer from a server that is ready.
const READY_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time to wait for a busy server to become idle before a round of questions.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Number of consecutive questions without an answer after which the server counts as hung. A slow
/// server misses single answers.
const MAX_CONSECUTIVE_TIMEOUTS: u32 = 8;

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
    paths: file_uris::WorkspacePaths,
    texts: text_cache::TextCache,
    outlines: external_names::OutlineCache,
    existing_files: existing_files::ExistingFiles,
    sites: site_cache::SiteCache,
    aliases: OnceLock<ImportAliases>,
    /// Limits the number of requests in flight.
    request_permits: Semaphore,
    metrics: Arc<Mutex<ServerMetrics>>,
    /// Whether the server is known to be ready.
    ready: AtomicBool,
    consecutive_timeouts: AtomicU32,
}

/// The requests that Kenning sends to a server, according to the server's capabilities and its row
/// of the table.
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

/// The reason why Kenning gives up on a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct GiveUpReason(pub String);

/// A location in an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AnswerLocation {
    /// A location in a file of the graph.
    Inside { path: String, file: FileId, at: LspPosition },
    /// A location outside the graph.
    Outside(LspLocation),
}

impl ServerSession {
    /// Creates a session with an initialized server.
    pub fn new(
        workspace: Arc<dyn WorkspaceSource>,
        language: &'static LanguageServers,
        row: &ServerSpec,
        server: &LanguageServer,
        metrics: Arc<Mutex<ServerMetrics>>,
    ) -> Self {
        let client = server.lsp_client().clone();
        let root = workspace.root_folder().to_owned();
        let id = ServerId { name: row.name.as_str().into(), version: server.server_version().into() };
        Self {
            paths: file_uris::WorkspacePaths::new(&root),
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
            existing_files: existing_files::ExistingFiles::default(),
            sites: site_cache::SiteCache::default(),
            aliases: OnceLock::new(),
            request_permits: Semaphore::new(row.in_flight.max(1)),
            metrics,
            ready: AtomicBool::new(false),
            consecutive_timeouts: AtomicU32::new(0),
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
        change(&mut self.metrics.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Sends a request. Waits first while the maximum number of requests is in flight.
    async fn ask_server<R: Request>(&self, params: R::Params) -> Result<R::Result, QuestionFailure> {
        let _permit = self
            .request_permits
            .acquire()
            .await
            .map_err(|_| QuestionFailure::Fatal(GiveUpReason("the server was stopped".into())))?;
        self.update_metrics(|metrics| metrics.requests += 1);
        let limit = if self.ready.load(Ordering::Relaxed) { READY_TIMEOUT } else { LOADING_TIMEOUT };
        let answer = self.client.send_request::<R>(params, limit).await;
        if !matches!(answer, Err(ClientError::Timeout { .. })) {
            self.consecutive_timeouts.store(0, Ordering::Relaxed);
        }
        answer.map_err(|error| match error {
            ClientError::Disconnected(reason) => QuestionFailure::Fatal(GiveUpReason(reason)),
            ClientError::Timeout { method, limit } => {
                let timeouts = self.consecutive_timeouts.fetch_add(1, Ordering::Relaxed) + 1;
                if timeouts >= MAX_CONSECUTIVE_TIMEOUTS {
                    let reason = format!(
                        "{timeouts} questions in a row had no answer within {limit:?}, the last one {method}"
                    );
                    QuestionFailure::Fatal(GiveUpReason(reason))
                } else {
                    QuestionFailure::Unanswered(NoAnswerReason::TimedOut)
                }
            }
            error => {
                tracing::debug!(server = &*self.id.name, %error, "the server refused a question");
                QuestionFailure::Unanswered(NoAnswerReason::Refused)
            }
        })
    }

    /// Maps locations to files of the graph. Returns each location once.
    fn resolve_locations(&self, snapshot: &Snapshot, locations: Vec<LspLocation>) -> Vec<AnswerLocation> {
        let mut locations: Vec<AnswerLocation> = locations
            .into_iter()
            .map(|location| {
                let path = self.paths.relative_path(&location.uri);
                match path.and_then(|path| Some((snapshot.file_by_path(&path)?, path))) {
                    Some((file, path)) => AnswerLocation::Inside { path, file, at: location.at },
                    None => AnswerLocation::Outside(location),
                }
            })
            .collect();
        locations.sort_unstable();
        locations.dedup();
        locations
    }

    /// Returns the symbol or import at a location of a file. Fails with `Changed` if the server
    /// does not have the text that the graph was built from.
    async fn classify_location(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        at: LspPosition,
        since: ChangeStamp,
    ) -> Result<position_target::PositionTarget, QuestionFailure> {
        let known = snapshot.file(file).map(|file| (file.path, file.content_hash));
        let Some((path, hash)) = known else {
            return Err(QuestionFailure::Unanswered(NoAnswerReason::Changed));
        };
        let is_outdated = self.documents.sent_hash(path).is_some_and(|sent| sent != hash);
        let text = self.texts.read_text(&self.workspace, path, hash).await;
        let Some(text) = text.filter(|_| !is_outdated && !self.documents.changed_since(path, since)) else {
            return Err(QuestionFailure::Unanswered(NoAnswerReason::Changed));
        };
        Ok(position_target::classify_position(snapshot, file, &text, at, self.encoding))
    }

    /// Waits a limited time until the server is idle, before a round of questions.
    async fn wait_for_idle(&self) -> IdleStamp {
        let mut progress = self.client.server_activity().watch_progress();
        let idle = progress.wait_for(WorkProgress::is_idle);
        let idle = self.row.lazy || tokio::time::timeout(IDLE_TIMEOUT, idle).await.is_ok();
        IdleStamp(idle.then(|| self.documents.current_stamp()))
    }

    /// Whether an empty answer is conclusive. This is so if the server is idle now, or if it was
    /// idle before the questions and received no change since: the questions then cause all its
    /// work.
    fn is_conclusive(&self, idle: IdleStamp) -> bool {
        self.is_idle() || idle.0.is_some_and(|since| since == self.documents.current_stamp())
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

/// The state of the server and its texts when a round of questions starts.
#[derive(Clone, Copy, Debug)]
struct RoundStart {
    /// A text that changes after this moment invalidates the answers.
    since: ChangeStamp,
    idle: IdleStamp,
}

/// An attempt to ask about a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuestionRound {
    /// Number of earlier attempts.
    pub earlier_attempts: u32,
    /// Whether this is the last attempt.
    pub is_last: bool,
}

impl QuestionRound {
    /// Whether a question that failed for this reason is asked again.
    pub fn should_retry(self, reason: NoAnswerReason) -> bool {
        match reason {
            NoAnswerReason::Changed | NoAnswerReason::ServerBusy => !self.is_last,
            NoAnswerReason::TimedOut => self.earlier_attempts == 0,
            _ => false,
        }
    }
}

/// The reason why a question has no usable answer.
#[derive(Clone, Debug)]
pub(crate) enum QuestionFailure {
    /// The server is unusable. Kenning gives up on it.
    Fatal(GiveUpReason),
    /// Only this question failed.
    Unanswered(NoAnswerReason),
}
