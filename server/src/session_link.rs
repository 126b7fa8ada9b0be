//! The link from this program to a language-server session, which answers its commands.
//!
//! The link prefers the session of an editor, because that has the unsaved text, to the session of
//! another agent. It joins either through a socket. If there is neither, it opens a session in this
//! process, which other programs may join. Before each command, it switches to the session of an
//! editor that has started since. When its session has ended, it joins or opens another one.

use crate::lsp::{ServeOptions, serve_client};
use crate::session_sockets::{SessionKind, SocketFolder};
use anyhow::{Context, bail};
use kenning_enrichment::client::{ClientAnswers, ClientError, LspClient, StderrTail};
use kenning_indexing::workspace::DatabasePaths;
use lsp_types::notification::{Exit, Initialized};
use lsp_types::request::{ExecuteCommand, Initialize, Shutdown};
use lsp_types::{ExecuteCommandParams, InitializeParams, InitializedParams, Uri, WorkspaceFolder};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// Maximum time for a command. The first pack of a change in a huge repository can take minutes. A
/// client that gives up earlier cancels the command.
const COMMAND_LIMIT: Duration = Duration::from_secs(600);

/// Maximum time for beginning or ending a session.
const LIFECYCLE_LIMIT: Duration = Duration::from_secs(10);

/// Size in bytes of the pipes to a session in this process.
const PIPE_BYTES: usize = 1 << 16;

/// The reason why a command has no answer, for the agent to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The session refused the command for this reason.
    #[error("{0}")]
    Refused(String),
    /// There is no session, or it ended before it answered.
    #[error("Kenning cannot answer: {0}")]
    NoSession(String),
}

/// The connection to the session of one workspace.
pub struct SessionLink {
    root: PathBuf,
    options: ServeOptions,
    sockets: SocketFolder,
    open: Mutex<Option<OpenSession>>,
}

/// A session that answers.
struct OpenSession {
    client: LspClient,
    /// The kind of a session that was joined; `None` for a session of this process.
    joined: Option<SessionKind>,
    /// The session of this process.
    serving: Option<JoinHandle<()>>,
}

impl SessionLink {
    /// Creates a link to the workspace at `root` that opens its session with the first command.
    ///
    /// # Errors
    /// Returns an error if `root` is not a folder that can be read.
    pub fn new(root: PathBuf, options: ServeOptions) -> anyhow::Result<Self> {
        let shown = root.display();
        let absolute =
            root.canonicalize().with_context(|| format!("the workspace {shown} cannot be opened"))?;
        if !absolute.is_dir() {
            bail!("the workspace {shown} is not a folder; pass the folder of the workspace with --root");
        }
        let paths = DatabasePaths::from_root(&absolute, &options.workspace)?;
        let sockets = SocketFolder::for_database(&paths.graph);
        Ok(Self { root: absolute, options, sockets, open: Mutex::default() })
    }

    /// Returns the root of the workspace.
    pub fn root_path(&self) -> &Path {
        &self.root
    }

    /// Opens the session, so that its index is brought up to date before the first command.
    pub async fn warm_up(&self) {
        if let Err(error) = self.open_client().await {
            tracing::warn!(%error, "the session cannot be opened yet");
        }
    }

    /// Runs a command of `workspace/executeCommand`. Dropping the future cancels it.
    ///
    /// # Errors
    /// Returns the reason why the session refuses the command, or why there is no session.
    pub async fn run_command(&self, command: &str, arguments: Value) -> Result<Value, CommandError> {
        let params = ExecuteCommandParams {
            command: command.to_owned(),
            arguments: vec![arguments],
            ..ExecuteCommandParams::default()
        };
        let mut was_reopened = false;
        loop {
            let client = self.open_client().await?;
            match client.send_request::<ExecuteCommand>(params.clone(), COMMAND_LIMIT).await {
                Ok(answer) => return Ok(answer.unwrap_or_default()),
                Err(ClientError::ErrorResponse { message, .. }) => {
                    return Err(CommandError::Refused(message));
                }
                // The session has ended, for instance with the editor that it belonged to.
                Err(ClientError::Disconnected(reason)) if !was_reopened => {
                    tracing::info!(reason, "the session has ended; opening another");
                    self.forget_session(&client).await;
                    was_reopened = true;
                }
                Err(error) => return Err(CommandError::NoSession(error.to_string())),
            }
        }
    }

    /// Whether the session of an editor may be open: its socket exists.
    pub fn has_editor(&self) -> bool {
        self.sockets.has_sockets(SessionKind::Editor)
    }

    /// Runs a command in the session of an editor; `None` if no editor has the workspace open.
    /// Opens no session of this process.
    pub async fn ask_editor(&self, command: &str, arguments: Value) -> Option<Result<Value, CommandError>> {
        let session = self.join_session(SessionKind::Editor).await?;
        *self.open.lock().await = Some(session);
        Some(self.run_command(command, arguments).await)
    }

    /// Ends the session of this process, so that its databases are closed. A session that was
    /// joined continues.
    pub async fn close(&self) {
        if let Some(session) = self.open.lock().await.take() {
            session.close().await;
        }
    }

    /// Returns the client of the preferred session. Joins or opens a session if needed.
    async fn open_client(&self) -> Result<LspClient, CommandError> {
        let mut open = self.open.lock().await;
        let is_best = open.as_ref().is_some_and(|session| session.joined == Some(SessionKind::Editor));
        let least = if open.is_some() { SessionKind::Editor } else { SessionKind::Agent };
        if !is_best && let Some(joined) = self.join_session(least).await {
            // The session of this process gives up the databases to the editor.
            if let Some(former) = open.replace(joined) {
                former.close().await;
            }
        }
        if open.is_none() {
            let opened = self.open_own_session().await;
            *open = Some(opened.map_err(|error| CommandError::NoSession(error.to_string()))?);
        }
        let client = open.as_ref().map(|session| session.client.clone());
        client.ok_or_else(|| CommandError::NoSession("the session cannot be opened".to_owned()))
    }

    /// Joins the preferred session among the kinds up to `least`; `None` if there is none.
    #[cfg(unix)]
    async fn join_session(&self, least: SessionKind) -> Option<OpenSession> {
        // A process that is ending may accept one more connection, but not a second one.
        for _ in 0..2 {
            let (kind, stream) = self.sockets.connect_session(least).await?;
            let (reader, writer) = stream.into_split();
            let client = LspClient::from_streams(
                reader,
                writer,
                ClientAnswers::default(),
                StderrTail::without_process(),
            );
            match self.begin_session(&client).await {
                Ok(()) => return Some(OpenSession { client, joined: Some(kind), serving: None }),
                Err(error) => tracing::info!(%error, "the session of another program cannot be joined"),
            }
        }
        None
    }

    #[cfg(not(unix))]
    async fn join_session(&self, _: SessionKind) -> Option<OpenSession> {
        None
    }

    /// Forgets a session that has ended, unless another one was opened since.
    async fn forget_session(&self, client: &LspClient) {
        let mut open = self.open.lock().await;
        if open.as_ref().is_some_and(|session| session.client.is_same_connection(client)) {
            *open = None;
        }
    }

    /// Opens a session in this process.
    async fn open_own_session(&self) -> Result<OpenSession, ClientError> {
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        let (input, output) = tokio::io::split(far);
        let options = self.options.clone();
        let serving = tokio::spawn(async move {
            let end = serve_client(input, output, options).await;
            tracing::debug!(?end, "the session of this process has ended");
        });
        let (reader, writer) = tokio::io::split(near);
        let client =
            LspClient::from_streams(reader, writer, ClientAnswers::default(), StderrTail::without_process());
        self.begin_session(&client).await?;
        Ok(OpenSession { client, joined: None, serving: Some(serving) })
    }

    /// Initializes a session with the workspace as its folder.
    async fn begin_session(&self, client: &LspClient) -> Result<(), ClientError> {
        let name = self.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = Uri::from_file_path(&self.root).map(|uri| WorkspaceFolder { uri, name });
        let params = InitializeParams {
            workspace_folders: Some(folder.into_iter().collect()),
            ..InitializeParams::default()
        };
        client.send_request::<Initialize>(params, LIFECYCLE_LIMIT).await?;
        client.send_notification::<Initialized>(InitializedParams {})
    }
}

impl OpenSession {
    /// Ends the session if it is one of this process, and waits until its databases are closed.
    async fn close(self) {
        let Some(serving) = self.serving else { return };
        // An error means that the session has ended already.
        let _ = self.client.send_request::<Shutdown>((), LIFECYCLE_LIMIT).await;
        let _ = self.client.send_notification::<Exit>(());
        drop(self.client);
        let _ = tokio::time::timeout(LIFECYCLE_LIMIT, serving).await;
    }
}
