//! A language server from start to end: process, handshake, open documents, orderly shutdown.

use super::answers::Answers;
use super::client::Client;
use super::columns::Encoding;
use super::error::ClientError;
use super::process::{Launch, Process};
use lsp_types::notification::{DidCloseTextDocument, DidOpenTextDocument, Exit, Initialized};
use lsp_types::request::{Initialize, Shutdown};
use lsp_types::{
    ClientCapabilities, DidCloseTextDocumentParams, DidOpenTextDocumentParams, GeneralClientCapabilities,
    GotoCapability, InitializeParams, InitializeResult, InitializedParams, ServerCapabilities,
    TextDocumentClientCapabilities, TextDocumentIdentifier, TextDocumentItem, Uri, WindowClientCapabilities,
    WorkspaceClientCapabilities, WorkspaceFolder,
};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

/// A running, initialised language server.
pub struct LanguageServer {
    client: Client,
    process: Process,
    capabilities: ServerCapabilities,
    encoding: Encoding,
}

impl LanguageServer {
    /// Starts a server for the workspace in `launch.folder` and initialises it.
    ///
    /// # Errors
    /// When it cannot be started, ends, or is not initialised within `limit`.
    pub async fn start(
        launch: &Launch,
        settings: Value,
        options: Option<Value>,
        limit: Duration,
    ) -> Result<Self, ClientError> {
        let folder = workspace_folder(&launch.folder)?;
        let (process, streams) = Process::start(launch).await?;
        let answers = Answers { settings, folders: vec![folder.clone()] };
        let client = Client::over(streams.stdout, streams.stdin, answers, streams.stderr);
        let (capabilities, encoding) = handshake(&client, folder, options, limit).await?;
        Ok(Self { client, process, capabilities, encoding })
    }

    /// To ask and to tell.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Its process id; `None` when it has ended.
    pub fn id(&self) -> Option<u32> {
        self.process.id()
    }

    /// What it can do.
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.capabilities
    }

    /// How columns are counted.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Opens a document.
    pub fn open(&self, uri: Uri, language_id: &str, text: &str) -> Result<(), ClientError> {
        let text_document =
            TextDocumentItem { uri, language_id: language_id.to_owned(), version: 1, text: text.to_owned() };
        self.client.notify::<DidOpenTextDocument>(DidOpenTextDocumentParams { text_document })
    }

    /// Closes a document.
    pub fn close(&self, uri: Uri) -> Result<(), ClientError> {
        let text_document = TextDocumentIdentifier { uri };
        self.client.notify::<DidCloseTextDocument>(DidCloseTextDocumentParams { text_document })
    }

    /// Shuts it down as the protocol says, and kills what is left of it after `limit`.
    ///
    /// # Errors
    /// When the system cannot tell how it ended.
    pub async fn stop(self, limit: Duration) -> std::io::Result<ExitStatus> {
        // A server that does not answer is killed below.
        if let Err(error) = self.client.request::<Shutdown>((), limit).await {
            tracing::debug!(%error, "a language server does not shut down");
        }
        let _ = self.client.notify::<Exit>(());
        // The end of its input is the last sign.
        drop(self.client);
        self.process.end(limit).await
    }
}

fn workspace_folder(folder: &Path) -> Result<WorkspaceFolder, ClientError> {
    let uri = Uri::from_file_path(folder).ok_or_else(|| ClientError::Start {
        program: folder.display().to_string(),
        reason: "this folder cannot be written as a URI".to_owned(),
    })?;
    let name =
        folder.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(WorkspaceFolder { uri, name })
}

/// `initialize` and `initialized`; what the server can do, and how it counts columns.
pub(super) async fn handshake(
    client: &Client,
    folder: WorkspaceFolder,
    options: Option<Value>,
    limit: Duration,
) -> Result<(ServerCapabilities, Encoding), ClientError> {
    #[expect(deprecated, reason = "there are servers that read the root only")]
    let params = InitializeParams {
        process_id: Some(std::process::id()),
        root_uri: Some(folder.uri.clone()),
        workspace_folders: Some(vec![folder]),
        initialization_options: options,
        capabilities: capabilities(),
        ..InitializeParams::default()
    };
    let InitializeResult { capabilities, .. } = client.request::<Initialize>(params, limit).await?;
    client.notify::<Initialized>(InitializedParams {})?;
    let encoding = Encoding::chosen(capabilities.position_encoding.as_ref());
    Ok((capabilities, encoding))
}

fn capabilities() -> ClientCapabilities {
    ClientCapabilities {
        general: Some(GeneralClientCapabilities {
            position_encodings: Some(Encoding::offered()),
            ..GeneralClientCapabilities::default()
        }),
        window: Some(WindowClientCapabilities {
            work_done_progress: Some(true),
            ..WindowClientCapabilities::default()
        }),
        workspace: Some(WorkspaceClientCapabilities {
            configuration: Some(true),
            workspace_folders: Some(true),
            ..WorkspaceClientCapabilities::default()
        }),
        text_document: Some(TextDocumentClientCapabilities {
            definition: Some(GotoCapability { dynamic_registration: Some(false), link_support: Some(true) }),
            ..TextDocumentClientCapabilities::default()
        }),
        // rust-analyzer says when it has nothing left to do.
        experimental: Some(json!({"serverStatusNotification": true})),
        ..ClientCapabilities::default()
    }
}
