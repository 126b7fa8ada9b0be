//! A language server from start to end: process, handshake, open documents, orderly shutdown.

use super::connection::LspClient;
use super::error::ClientError;
use super::process::{LaunchSpec, ServerProcess};
use super::server_requests::ClientAnswers;
use crate::json_merge::merge_json;
use crate::servers::ShimFolder;
use kenning_graph::positions::PositionEncoding;
use lsp_types::notification::{DidCloseTextDocument, DidOpenTextDocument, Exit, Initialized};
use lsp_types::request::{Request, Shutdown};
use lsp_types::{
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams, InitializedParams,
    TextDocumentIdentifier, TextDocumentItem, Uri, WorkspaceFolder,
};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

/// Longest version that is kept, in characters.
const MAX_VERSION: usize = 80;

/// `initialize`, with an answer of any form: servers add capabilities of their own, and put forms of their own into those
/// of the protocol.
enum InitializeRequest {}

impl Request for InitializeRequest {
    type Params = Value;
    type Result = Value;
    const METHOD: &'static str = "initialize";
}

/// A running, initialised language server.
pub struct LanguageServer {
    client: LspClient,
    /// `None` for a connection without a process.
    process: Option<ServerProcess>,
    said: HandshakeResult,
    /// Removed after the process has ended: fields are dropped in their order.
    tools: Option<ShimFolder>,
    /// The status of its sandbox.
    note: String,
}

/// What a server says of itself.
#[derive(Debug)]
pub(super) struct HandshakeResult {
    pub capabilities: Value,
    pub encoding: PositionEncoding,
    pub version: String,
}

/// The parameters of `initialize` beside the folder.
#[derive(Clone, Debug, Default)]
pub struct InitializeOptions {
    /// `initializationOptions`.
    pub options: Option<Value>,
    /// Laid over what this client says that it understands; null where that is right as it is.
    pub capabilities: Value,
}

impl From<Option<Value>> for InitializeOptions {
    fn from(options: Option<Value>) -> Self {
        Self { options, ..Self::default() }
    }
}

impl LanguageServer {
    /// Starts a server for the workspace in `launch.folder` and initialises it.
    ///
    /// # Errors
    /// When it cannot be started, ends, or is not initialised within `limit`.
    pub async fn launch_and_initialize(
        launch: &LaunchSpec,
        settings: Value,
        introduction: impl Into<InitializeOptions>,
        limit: Duration,
    ) -> Result<Self, ClientError> {
        let folder = build_workspace_folder(&launch.folder)?;
        let (process, streams) = ServerProcess::start_process(launch).await?;
        let answers = ClientAnswers { settings, folders: vec![folder.clone()] };
        let client = LspClient::from_streams(streams.stdout, streams.stdin, answers, streams.stderr);
        let said = run_handshake(&client, folder, introduction.into(), limit).await?;
        Ok(Self { client, process: Some(process), said, tools: None, note: String::new() })
    }

    /// Initialises a server that is connected already, for the workspace in `folder`.
    ///
    /// # Errors
    /// When it ends, or is not initialised within `limit`.
    pub async fn initialize_connected(
        client: LspClient,
        folder: &Path,
        introduction: impl Into<InitializeOptions>,
        limit: Duration,
    ) -> Result<Self, ClientError> {
        let said =
            run_handshake(&client, build_workspace_folder(folder)?, introduction.into(), limit).await?;
        Ok(Self { client, process: None, said, tools: None, note: String::new() })
    }

    /// The same server, which keeps the folder of its tools for as long as it lives, and the status of its sandbox.
    pub(crate) fn with_tool_folder(self, tools: Option<ShimFolder>, note: String) -> Self {
        Self { tools, note, ..self }
    }

    /// The status of its sandbox; empty unless one was asked for.
    pub(crate) fn sandbox_note(&self) -> &str {
        &self.note
    }

    /// To ask and to tell.
    pub fn lsp_client(&self) -> &LspClient {
        &self.client
    }

    /// Its process id; `None` when it has ended, and for a connection without a process.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().and_then(ServerProcess::process_id)
    }

    /// Whether it says that it can do something: a member of its capabilities that is neither absent nor false.
    pub fn has_capability(&self, capability: &str) -> bool {
        !matches!(self.said.capabilities[capability], Value::Null | Value::Bool(false))
    }

    /// How columns are counted.
    pub fn position_encoding(&self) -> PositionEncoding {
        self.said.encoding
    }

    /// Its version as it says itself; empty where it says none.
    pub fn server_version(&self) -> &str {
        &self.said.version
    }

    /// Opens a document.
    pub fn open_document(&self, uri: Uri, language_id: &str, text: &str) -> Result<(), ClientError> {
        let text_document =
            TextDocumentItem { uri, language_id: language_id.to_owned(), version: 1, text: text.to_owned() };
        self.client.send_notification::<DidOpenTextDocument>(DidOpenTextDocumentParams { text_document })
    }

    /// Closes a document.
    pub fn close_document(&self, uri: Uri) -> Result<(), ClientError> {
        let text_document = TextDocumentIdentifier { uri };
        self.client.send_notification::<DidCloseTextDocument>(DidCloseTextDocumentParams { text_document })
    }

    /// Shuts it down as the protocol says, and kills what is left of it after `limit`. How its process ended, where it has
    /// one.
    ///
    /// # Errors
    /// When the system cannot tell how it ended.
    pub async fn shut_down(self, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
        // A server that does not answer is killed below.
        if let Err(error) = self.client.send_request::<Shutdown>((), limit).await {
            tracing::debug!(%error, "a language server does not shut down");
        }
        let _ = self.client.send_notification::<Exit>(());
        // The end of its input is the last sign.
        drop(self.client);
        let ended = match self.process {
            Some(process) => process.wait_or_kill(limit).await.map(Some),
            None => Ok(None),
        };
        drop(self.tools);
        ended
    }
}

fn build_workspace_folder(folder: &Path) -> Result<WorkspaceFolder, ClientError> {
    let uri = Uri::from_file_path(folder).ok_or_else(|| ClientError::Start {
        program: folder.display().to_string(),
        reason: "this folder cannot be written as a URI".to_owned(),
    })?;
    let name =
        folder.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(WorkspaceFolder { uri, name })
}

/// `initialize` and `initialized`.
pub(super) async fn run_handshake(
    client: &LspClient,
    folder: WorkspaceFolder,
    introduction: InitializeOptions,
    limit: Duration,
) -> Result<HandshakeResult, ClientError> {
    #[expect(deprecated, reason = "there are servers that read the root only")]
    let params = InitializeParams {
        process_id: Some(std::process::id()),
        root_uri: Some(folder.uri.clone()),
        workspace_folders: Some(vec![folder]),
        initialization_options: introduction.options,
        ..InitializeParams::default()
    };
    let form = |error: serde_json::Error| ClientError::Form {
        method: InitializeRequest::METHOD,
        reason: error.to_string(),
    };
    let mut params = serde_json::to_value(params).map_err(form)?;
    params["capabilities"] = client_capabilities();
    merge_json(&mut params["capabilities"], &introduction.capabilities);
    let mut result = client.send_request::<InitializeRequest>(params, limit).await?;
    client.send_notification::<Initialized>(InitializedParams {})?;
    let capabilities = result["capabilities"].take();
    let encoding = PositionEncoding::from_server_choice(capabilities["positionEncoding"].as_str());
    let version = readable_version(result["serverInfo"]["version"].as_str().unwrap_or(""));
    Ok(HandshakeResult { capabilities, encoding, version })
}

/// A version that people can read: gopls says how it was built instead, as JSON.
fn readable_version(said: &str) -> String {
    let built: Option<Value> = serde_json::from_str(said).ok();
    let version = built.as_ref().and_then(|built| built["Main"]["Version"].as_str()).unwrap_or(said);
    version.trim().chars().take(MAX_VERSION).collect()
}

/// What this client understands.
fn client_capabilities() -> Value {
    let dynamic = json!({"dynamicRegistration": false});
    json!({
        "general": {"positionEncodings": PositionEncoding::NAMES},
        "window": {"workDoneProgress": true},
        "workspace": {
            "configuration": true,
            "workspaceFolders": true,
            "didChangeWatchedFiles": {"dynamicRegistration": true},
        },
        "textDocument": {
            "synchronization": {"dynamicRegistration": false, "didSave": true},
            "definition": {"dynamicRegistration": false, "linkSupport": true},
            "implementation": {"dynamicRegistration": false, "linkSupport": true},
            "references": dynamic,
            "callHierarchy": dynamic,
            "typeHierarchy": dynamic,
            "documentSymbol": {"dynamicRegistration": false, "hierarchicalDocumentSymbolSupport": true},
            // No word of diagnostics: a server whose client does not show them does not compute them for every file that is
            // opened while questions wait.
        },
        // rust-analyzer says when it has nothing left to do.
        "experimental": {"serverStatusNotification": true},
    })
}

#[cfg(test)]
mod tests {
    use super::readable_version;

    #[test]
    fn a_version_is_read_out_of_what_gopls_says() {
        let built =
            r#"{"GoVersion":"go1.24","Path":"golang.org/x/tools/gopls","Main":{"Version":"v0.20.0"}}"#;
        assert_eq!(readable_version(built), "v0.20.0");
        assert_eq!(readable_version(" 1.2.3 "), "1.2.3");
        assert_eq!(readable_version("4"), "4");
    }
}
