//! A language server from start to end: process, handshake, open documents, orderly shutdown.
//!
//! [`LanguageServer::launch_and_initialize`] starts the process of a [`LaunchSpec`], connects an
//! [`LspClient`] to its streams, and performs the handshake: `initialize` with this client's
//! capabilities, then `initialized`. The server's answer determines the unit of columns.
//! [`LanguageServer::shut_down`] follows the protocol and kills what is left after a time limit. A
//! server that is dropped without it is killed at once.

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

/// Maximum length of a stored version, in characters. Longer versions, such as build information,
/// are cut.
const MAX_VERSION_CHARS: usize = 80;

/// The `initialize` request, with an answer of any form: servers add their own capabilities and
/// deviate from the protocol's types.
enum InitializeRequest {}

impl Request for InitializeRequest {
    type Params = Value;
    type Result = Value;
    const METHOD: &'static str = "initialize";
}

/// A running, initialized language server.
pub struct LanguageServer {
    client: LspClient,
    /// `None` for a connection without a process.
    process: Option<ServerProcess>,
    handshake: HandshakeResult,
    /// Dropped, and its folder removed, after the process has ended: fields are dropped in order.
    tools: Option<ShimFolder>,
    /// Status of the server's sandbox; empty unless a sandbox was requested.
    sandbox_note: String,
}

/// The server's answer to `initialize`.
#[derive(Debug)]
pub(super) struct HandshakeResult {
    pub capabilities: Value,
    pub encoding: PositionEncoding,
    pub version: String,
}

/// Parameters of `initialize` other than the folder.
#[derive(Clone, Debug, Default)]
pub struct InitializeOptions {
    /// `initializationOptions`.
    pub options: Option<Value>,
    /// Merged into this client's capabilities; null to leave them unchanged.
    pub capabilities: Value,
}

impl From<Option<Value>> for InitializeOptions {
    fn from(options: Option<Value>) -> Self {
        Self { options, ..Self::default() }
    }
}

impl LanguageServer {
    /// Starts a server for the workspace in `launch.folder` and initializes it.
    ///
    /// # Errors
    /// Returns an error if the server cannot be started, ends, or is not initialized within
    /// `limit`.
    pub async fn launch_and_initialize(
        launch: &LaunchSpec,
        settings: Value,
        initialize: impl Into<InitializeOptions>,
        limit: Duration,
    ) -> Result<Self, ClientError> {
        let folder = build_workspace_folder(&launch.folder)?;
        let (process, streams) = ServerProcess::start_process(launch).await?;
        let answers = ClientAnswers { settings, folders: vec![folder.clone()] };
        let client = LspClient::from_streams(streams.stdout, streams.stdin, answers, streams.stderr);
        let handshake = run_handshake(&client, folder, initialize.into(), limit).await?;
        Ok(Self { client, process: Some(process), handshake, tools: None, sandbox_note: String::new() })
    }

    /// Initializes a server that is already connected, for the workspace in `folder`.
    ///
    /// # Errors
    /// Returns an error if the server ends or is not initialized within `limit`.
    pub async fn initialize_connected(
        client: LspClient,
        folder: &Path,
        initialize: impl Into<InitializeOptions>,
        limit: Duration,
    ) -> Result<Self, ClientError> {
        let folder = build_workspace_folder(folder)?;
        let handshake = run_handshake(&client, folder, initialize.into(), limit).await?;
        Ok(Self { client, process: None, handshake, tools: None, sandbox_note: String::new() })
    }

    /// Adds the folder of the server's tools, which is removed when the server ends, and the status
    /// of its sandbox.
    pub(crate) fn with_tool_folder(self, tools: Option<ShimFolder>, sandbox_note: String) -> Self {
        Self { tools, sandbox_note, ..self }
    }

    /// Returns the status of the server's sandbox; empty unless a sandbox was requested.
    pub(crate) fn sandbox_note(&self) -> &str {
        &self.sandbox_note
    }

    /// Returns the client for requests and notifications.
    pub fn lsp_client(&self) -> &LspClient {
        &self.client
    }

    /// Returns the process id. Returns `None` if the process has ended or the connection has no
    /// process.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().and_then(ServerProcess::process_id)
    }

    /// Whether the server's capabilities have this member with a value other than null or false.
    pub fn has_capability(&self, capability: &str) -> bool {
        !matches!(self.handshake.capabilities[capability], Value::Null | Value::Bool(false))
    }

    /// Returns the unit in which the server counts columns.
    pub fn position_encoding(&self) -> PositionEncoding {
        self.handshake.encoding
    }

    /// Returns the version that the server reports; empty if it reports none.
    pub fn server_version(&self) -> &str {
        &self.handshake.version
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

    /// Shuts the server down as the protocol requires, and kills its remaining processes after
    /// `limit`. Returns the exit status of its process, or `None` if it has no process.
    ///
    /// # Errors
    /// Returns an error if the system cannot report how the process ended.
    pub async fn shut_down(self, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
        // A server that does not answer is killed below.
        if let Err(error) = self.client.send_request::<Shutdown>((), limit).await {
            tracing::debug!(%error, "a language server does not shut down");
        }
        let _ = self.client.send_notification::<Exit>(());
        // Closing the server's input is the last signal to end.
        drop(self.client);
        let status = match self.process {
            Some(process) => process.wait_or_kill(limit).await.map(Some),
            None => Ok(None),
        };
        drop(self.tools);
        status
    }
}

fn build_workspace_folder(folder: &Path) -> Result<WorkspaceFolder, ClientError> {
    let uri = Uri::from_file_path(folder).ok_or_else(|| ClientError::Start {
        program: folder.display().to_string(),
        reason: "the folder cannot be represented as a URI".to_owned(),
    })?;
    let name =
        folder.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(WorkspaceFolder { uri, name })
}

/// Sends `initialize`, waits for the answer, and sends `initialized`.
pub(super) async fn run_handshake(
    client: &LspClient,
    folder: WorkspaceFolder,
    initialize: InitializeOptions,
    limit: Duration,
) -> Result<HandshakeResult, ClientError> {
    #[expect(deprecated, reason = "some servers read only the root")]
    let params = InitializeParams {
        process_id: Some(std::process::id()),
        root_uri: Some(folder.uri.clone()),
        workspace_folders: Some(vec![folder]),
        initialization_options: initialize.options,
        ..InitializeParams::default()
    };
    let params_error = |error: serde_json::Error| ClientError::InvalidParams {
        method: InitializeRequest::METHOD,
        reason: error.to_string(),
    };
    let mut params = serde_json::to_value(params).map_err(params_error)?;
    params["capabilities"] = client_capabilities();
    merge_json(&mut params["capabilities"], &initialize.capabilities);
    let mut result = client.send_request::<InitializeRequest>(params, limit).await?;
    client.send_notification::<Initialized>(InitializedParams {})?;
    let capabilities = result["capabilities"].take();
    let encoding = PositionEncoding::from_server_choice(capabilities["positionEncoding"].as_str());
    let version = readable_version(result["serverInfo"]["version"].as_str().unwrap_or(""));
    Ok(HandshakeResult { capabilities, encoding, version })
}

/// Returns a version that users can read. gopls reports its build information as JSON instead.
fn readable_version(reported: &str) -> String {
    let build_info: Option<Value> = serde_json::from_str(reported).ok();
    let version = build_info.as_ref().and_then(|info| info["Main"]["Version"].as_str()).unwrap_or(reported);
    version.trim().chars().take(MAX_VERSION_CHARS).collect()
}

/// Returns the capabilities of this client.
fn client_capabilities() -> Value {
    let static_only = json!({"dynamicRegistration": false});
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
            "references": static_only,
            "callHierarchy": static_only,
            "typeHierarchy": static_only,
            "documentSymbol": {"dynamicRegistration": false, "hierarchicalDocumentSymbolSupport": true},
            // Diagnostics are left out on purpose: a server whose client does not show them does
            // not compute them for every file that is opened while questions wait.
        },
        // With this, rust-analyzer reports when it has nothing left to do.
        "experimental": {"serverStatusNotification": true},
    })
}

#[cfg(test)]
mod tests {
    use super::readable_version;

    #[test]
    fn the_version_is_extracted_from_the_build_information_of_gopls() {
        let build_info =
            r#"{"GoVersion":"go1.24","Path":"golang.org/x/tools/gopls","Main":{"Version":"v0.20.0"}}"#;
        assert_eq!(readable_version(build_info), "v0.20.0");
        assert_eq!(readable_version(" 1.2.3 "), "1.2.3");
        assert_eq!(readable_version("4"), "4");
    }
}
