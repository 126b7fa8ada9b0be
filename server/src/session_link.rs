//! The link from this program to a language-server session, which answers its commands.
//!
//! The link prefers the session of an editor, because that has the unsaved text, to the session of
//! another agent. It joins either through a socket. If there is neither, it opens a session in this
//! process, which other programs may join. Before each command, it switches to the session of an
//! editor that has started since. When its session has ended, it joins or opens another one.
//!
//! A joined session may stop answering: its process was stopped, hangs, or only looks like Kenning.
//! A command may take minutes, so the link does not measure the command. Instead it greets the
//! session on a second connection, which every session answers at once however busy it is. A session
//! that does not answer a greeting within [`GREETING_LIMIT`] is left aside for the life of this
//! program, and its command runs in another session.

use crate::lsp::{ServeOptions, serve_client};
#[cfg(unix)]
use crate::session_sockets::connect_socket;
use crate::session_sockets::{SessionKind, SocketFolder};
use anyhow::{Context, bail};
use kenning_enrichment::client::{ClientAnswers, ClientError, LspClient, StderrTail};
use kenning_indexing::workspace::DatabasePaths;
use lsp_types::notification::{Exit, Initialized};
use lsp_types::request::{ExecuteCommand, Initialize, Shutdown};
use lsp_types::{ExecuteCommandParams, InitializeParams, InitializedParams, Uri, WorkspaceFolder};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex as StdMutex, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// Maximum time for a command. The first pack of a change in a huge repository can take minutes. A
/// client that gives up earlier cancels the command.
const COMMAND_LIMIT: Duration = Duration::from_secs(600);

/// Maximum time for beginning or ending a session of this process.
const LIFECYCLE_LIMIT: Duration = Duration::from_secs(10);

/// Maximum time for connecting to the session of another program and greeting it. A session answers
/// a greeting without waiting for its index, within milliseconds.
const GREETING_LIMIT: Duration = Duration::from_secs(2);

/// The pause between two greetings while a command runs in the session of another program.
#[cfg(unix)]
const GREETING_INTERVAL: Duration = Duration::from_secs(2);

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
    /// The sockets of sessions that did not answer. A later session has another socket.
    silent: StdMutex<BTreeSet<PathBuf>>,
}

/// A session that answers.
struct OpenSession {
    client: LspClient,
    /// The session of another program; `None` for a session of this process.
    joined: Option<JoinedSession>,
    /// The session of this process.
    serving: Option<JoinHandle<()>>,
}

/// The session of another program.
#[derive(Clone, Debug)]
struct JoinedSession {
    kind: SessionKind,
    socket: PathBuf,
}

/// The reason why a session cannot be joined.
#[cfg(unix)]
enum JoinFailure {
    /// No session of this user listens there.
    Absent,
    /// The session ended the connection or refused the greeting.
    Refused(ClientError),
    /// The session did not answer within [`GREETING_LIMIT`].
    Silent,
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
        let silent = StdMutex::default();
        Ok(Self { root: absolute, options, sockets, open: Mutex::default(), silent })
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
            let (client, joined) = self.open_client().await?;
            let answer = tokio::select! {
                answer = client.send_request::<ExecuteCommand>(params.clone(), COMMAND_LIMIT) => answer,
                joined = self.wait_until_silent(joined) => {
                    self.set_aside(joined.socket);
                    self.forget_session(&client).await;
                    continue;
                }
            };
            match answer {
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
        let Some(session) = self.join_session(SessionKind::Editor).await else {
            let limit = GREETING_LIMIT.as_secs();
            let silence = format!("the editor's session did not answer within {limit} seconds");
            return self.has_silent_sessions().then_some(Err(CommandError::NoSession(silence)));
        };
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

    /// Returns the client of the preferred session, and whose session it is if it is that of another
    /// program. Joins or opens a session if needed.
    async fn open_client(&self) -> Result<(LspClient, Option<JoinedSession>), CommandError> {
        let mut open = self.open.lock().await;
        let joined_kind = open.as_ref().and_then(|session| session.joined.as_ref()).map(|joined| joined.kind);
        let least = if open.is_some() { SessionKind::Editor } else { SessionKind::Agent };
        if joined_kind != Some(SessionKind::Editor)
            && let Some(joined) = self.join_session(least).await
        {
            // The session of this process gives up the databases to the editor.
            if let Some(former) = open.replace(joined) {
                former.close().await;
            }
        }
        if open.is_none() {
            let opened = self.open_own_session().await;
            *open = Some(opened.map_err(|error| CommandError::NoSession(error.to_string()))?);
        }
        let session = open.as_ref().map(|session| (session.client.clone(), session.joined.clone()));
        session.ok_or_else(|| CommandError::NoSession("the session cannot be opened".to_owned()))
    }

    /// Joins the preferred session among the kinds up to `least`; `None` if there is none that
    /// answers.
    #[cfg(unix)]
    async fn join_session(&self, least: SessionKind) -> Option<OpenSession> {
        for (kind, socket) in self.sockets.candidates(least) {
            if self.silent_sockets().contains(&socket) {
                continue;
            }
            // A process that is ending may accept one more connection, but not a second one.
            for _ in 0..2 {
                match self.greet_session(&socket).await {
                    Ok(client) => {
                        let joined = Some(JoinedSession { kind, socket });
                        return Some(OpenSession { client, joined, serving: None });
                    }
                    Err(JoinFailure::Refused(error)) => {
                        tracing::info!(%error, "the session of another program cannot be joined");
                    }
                    Err(JoinFailure::Absent) => break,
                    Err(JoinFailure::Silent) => {
                        self.set_aside(socket);
                        break;
                    }
                }
            }
        }
        None
    }

    /// Connects to the session that listens on a socket, and initializes it.
    #[cfg(unix)]
    async fn greet_session(&self, socket: &Path) -> Result<LspClient, JoinFailure> {
        let greeting = async {
            let stream = connect_socket(socket).await.ok_or(JoinFailure::Absent)?;
            let (reader, writer) = stream.into_split();
            let client = LspClient::from_streams(
                reader,
                writer,
                ClientAnswers::default(),
                StderrTail::without_process(),
            );
            self.begin_session(&client).await.map_err(JoinFailure::Refused)?;
            Ok(client)
        };
        tokio::time::timeout(GREETING_LIMIT, greeting).await.unwrap_or(Err(JoinFailure::Silent))
    }

    /// Waits until the session of another program no longer answers greetings. Never returns for a
    /// session of this process, nor for one that has ended: that closes its connection.
    async fn wait_until_silent(&self, joined: Option<JoinedSession>) -> JoinedSession {
        #[cfg(unix)]
        if let Some(joined) = joined {
            loop {
                tokio::time::sleep(GREETING_INTERVAL).await;
                if matches!(self.greet_session(&joined.socket).await, Err(JoinFailure::Silent)) {
                    return joined;
                }
            }
        }
        #[cfg(not(unix))]
        drop(joined);
        std::future::pending().await
    }

    /// Leaves the session that listens on a socket aside for the life of this program.
    fn set_aside(&self, socket: PathBuf) {
        tracing::warn!(
            path = %socket.display(),
            "a session does not answer within {} seconds and is left aside", GREETING_LIMIT.as_secs()
        );
        self.silent_sockets().insert(socket);
    }

    fn has_silent_sessions(&self) -> bool {
        !self.silent_sockets().is_empty()
    }

    fn silent_sockets(&self) -> std::sync::MutexGuard<'_, BTreeSet<PathBuf>> {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
    use tokio::net::{UnixListener, UnixStream};

    /// The behavior of a session that stands in for the one of an editor.
    #[derive(Clone, Copy, PartialEq)]
    enum FakeSession {
        /// It accepts connections and never answers.
        Mute,
        /// It answers greetings, and never a command.
        Busy,
        /// It answers the first greeting, and nothing afterwards, as a process that was stopped.
        Stopped,
    }

    /// A workspace with a session of an editor that behaves as given, and the number of connections
    /// to it.
    struct FakeEditor {
        _folder: tempfile::TempDir,
        link: SessionLink,
        connections: Arc<AtomicUsize>,
    }

    impl FakeEditor {
        fn start(behavior: FakeSession) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("workspace");
            std::fs::create_dir(&root).unwrap();
            std::fs::write(root.join("a.py"), "def freeze_basket():\n    pass\n").unwrap();
            let mut options = ServeOptions::default();
            options.workspace.db = Some(folder.path().join("graph.db"));
            let sockets = folder.path().join("graph.sockets");
            std::fs::create_dir(&sockets).unwrap();
            std::fs::set_permissions(&sockets, std::fs::Permissions::from_mode(0o700)).unwrap();
            let name = format!("editor-{}-1-0", env!("CARGO_PKG_VERSION"));
            let listener = UnixListener::bind(sockets.join(name)).unwrap();
            let connections = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&connections);
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let number = counted.fetch_add(1, Ordering::SeqCst);
                    let greets = match behavior {
                        FakeSession::Mute => false,
                        FakeSession::Busy => true,
                        FakeSession::Stopped => number == 0,
                    };
                    tokio::spawn(serve_fake(stream, greets));
                }
            });
            let link = SessionLink::new(root, options).unwrap();
            Self { _folder: folder, link, connections }
        }

        fn connection_count(&self) -> usize {
            self.connections.load(Ordering::SeqCst)
        }

        async fn search(&self) -> Result<Value, CommandError> {
            self.link.run_command("kenning.waitForIndex", json!({})).await?;
            self.link.run_command("kenning.search", json!({ "query": "freeze_basket" })).await
        }
    }

    /// Reads messages; answers `initialize` if `greets`, and nothing else.
    async fn serve_fake(stream: UnixStream, greets: bool) {
        let (reader, mut writer) = stream.into_split();
        let mut reader = BufReader::new(reader);
        loop {
            let (mut length, mut line) = (0, String::new());
            while reader.read_line(&mut line).await.unwrap_or(0) > 2 {
                if let Some(number) = line.strip_prefix("Content-Length: ") {
                    length = number.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            if length == 0 || reader.read_exact(&mut body).await.is_err() {
                return;
            }
            let message: Value = serde_json::from_slice(&body).unwrap();
            if greets && message["method"] == "initialize" {
                let result = json!({ "capabilities": {} });
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
                let frame = format!("Content-Length: {}\r\n\r\n{answer}", answer.len());
                writer.write_all(frame.as_bytes()).await.unwrap();
            }
        }
    }

    #[tokio::test]
    async fn a_session_that_never_answers_is_left_aside_for_the_life_of_the_program() {
        let editor = FakeEditor::start(FakeSession::Mute);
        let answer = editor.search().await.unwrap();
        assert!(answer.to_string().contains("a.py"), "{answer}");
        editor.search().await.unwrap();
        assert_eq!(editor.connection_count(), 1, "the session was asked once");
        editor.link.close().await;
    }

    #[tokio::test]
    async fn a_command_in_progress_moves_to_another_session_when_its_session_stops_answering() {
        let editor = FakeEditor::start(FakeSession::Stopped);
        let answer = editor.search().await.unwrap();
        assert!(answer.to_string().contains("a.py"), "{answer}");
        assert_eq!(editor.connection_count(), 2, "one to join it, and one greeting without an answer");
        editor.search().await.unwrap();
        assert_eq!(editor.connection_count(), 2);
        editor.link.close().await;
    }

    #[tokio::test]
    async fn a_session_that_works_on_a_long_command_is_not_left_aside() {
        let editor = FakeEditor::start(FakeSession::Busy);
        let command = editor.link.run_command("kenning.waitForIndex", json!({}));
        let waited = tokio::time::timeout(GREETING_INTERVAL * 4, command).await;
        assert!(waited.is_err(), "the command goes on");
        assert!(editor.connection_count() >= 3, "the session was greeted meanwhile");
        assert!(!editor.link.has_silent_sessions());
    }

    #[tokio::test]
    async fn asking_an_editor_that_never_answers_is_an_error_and_opens_no_session() {
        let editor = FakeEditor::start(FakeSession::Mute);
        let asked = editor.link.ask_editor("kenning.unsavedTexts", json!({})).await;
        assert!(
            matches!(&asked, Some(Err(error)) if error.to_string().contains("did not answer within 2")),
            "{asked:?}"
        );
        assert!(editor.link.open.lock().await.is_none());
    }
}
