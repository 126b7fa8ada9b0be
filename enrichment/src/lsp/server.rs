//! A language server from start to end: process, handshake, open documents, orderly shutdown.

use super::answers::Answers;
use super::client::Client;
use super::columns::Encoding;
use super::error::ClientError;
use super::process::{Launch, Process};
use crate::merge::lay;
use crate::servers::OutsideFolder;
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
enum Initialize {}

impl Request for Initialize {
    type Params = Value;
    type Result = Value;
    const METHOD: &'static str = "initialize";
}

/// A running, initialised language server.
pub struct LanguageServer {
    client: Client,
    /// `None` for a connection without a process.
    process: Option<Process>,
    said: Said,
    /// Removed after the process has ended: fields are dropped in their order.
    tools: Option<OutsideFolder>,
    /// What is told of its sandbox.
    note: String,
}

/// What a server says of itself.
#[derive(Debug)]
pub(super) struct Said {
    pub capabilities: Value,
    pub encoding: Encoding,
    pub version: String,
}

/// What a server is told with `initialize` beside its folder.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    /// `initializationOptions`.
    pub options: Option<Value>,
    /// Laid over what this client says that it understands; null where that is right as it is.
    pub capabilities: Value,
}

impl From<Option<Value>> for Introduction {
    fn from(options: Option<Value>) -> Self {
        Self { options, ..Self::default() }
    }
}

impl LanguageServer {
    /// Starts a server for the workspace in `launch.folder` and initialises it.
    ///
    /// # Errors
    /// When it cannot be started, ends, or is not initialised within `limit`.
    pub async fn start(
        launch: &Launch,
        settings: Value,
        introduction: impl Into<Introduction>,
        limit: Duration,
    ) -> Result<Self, ClientError> {
        let folder = workspace_folder(&launch.folder)?;
        let (process, streams) = Process::start(launch).await?;
        let answers = Answers { settings, folders: vec![folder.clone()] };
        let client = Client::over(streams.stdout, streams.stdin, answers, streams.stderr);
        let said = handshake(&client, folder, introduction.into(), limit).await?;
        Ok(Self { client, process: Some(process), said, tools: None, note: String::new() })
    }

    /// Initialises a server that is connected already, for the workspace in `folder`.
    ///
    /// # Errors
    /// When it ends, or is not initialised within `limit`.
    pub async fn over(
        client: Client,
        folder: &Path,
        introduction: impl Into<Introduction>,
        limit: Duration,
    ) -> Result<Self, ClientError> {
        let said = handshake(&client, workspace_folder(folder)?, introduction.into(), limit).await?;
        Ok(Self { client, process: None, said, tools: None, note: String::new() })
    }

    /// The same server, which keeps the folder of its tools for as long as it lives, and what is told of its sandbox.
    pub(crate) fn with_tools(self, tools: Option<OutsideFolder>, note: String) -> Self {
        Self { tools, note, ..self }
    }

    /// What is told of its sandbox; empty where nobody asked for one.
    pub(crate) fn sandbox_note(&self) -> &str {
        &self.note
    }

    /// To ask and to tell.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Its process id; `None` when it has ended, and for a connection without a process.
    pub fn id(&self) -> Option<u32> {
        self.process.as_ref().and_then(Process::id)
    }

    /// Whether it says that it can do something: a member of its capabilities that is neither absent nor false.
    pub fn offers(&self, capability: &str) -> bool {
        !matches!(self.said.capabilities[capability], Value::Null | Value::Bool(false))
    }

    /// How columns are counted.
    pub fn encoding(&self) -> Encoding {
        self.said.encoding
    }

    /// Its version as it says itself; empty where it says none.
    pub fn version(&self) -> &str {
        &self.said.version
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

    /// Shuts it down as the protocol says, and kills what is left of it after `limit`. How its process ended, where it has
    /// one.
    ///
    /// # Errors
    /// When the system cannot tell how it ended.
    pub async fn stop(self, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
        // A server that does not answer is killed below.
        if let Err(error) = self.client.request::<Shutdown>((), limit).await {
            tracing::debug!(%error, "a language server does not shut down");
        }
        let _ = self.client.notify::<Exit>(());
        // The end of its input is the last sign.
        drop(self.client);
        let ended = match self.process {
            Some(process) => process.end(limit).await.map(Some),
            None => Ok(None),
        };
        drop(self.tools);
        ended
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

/// `initialize` and `initialized`.
pub(super) async fn handshake(
    client: &Client,
    folder: WorkspaceFolder,
    introduction: Introduction,
    limit: Duration,
) -> Result<Said, ClientError> {
    #[expect(deprecated, reason = "there are servers that read the root only")]
    let params = InitializeParams {
        process_id: Some(std::process::id()),
        root_uri: Some(folder.uri.clone()),
        workspace_folders: Some(vec![folder]),
        initialization_options: introduction.options,
        ..InitializeParams::default()
    };
    let form = |error: serde_json::Error| ClientError::Form {
        method: Initialize::METHOD,
        reason: error.to_string(),
    };
    let mut params = serde_json::to_value(params).map_err(form)?;
    params["capabilities"] = capabilities();
    lay(&mut params["capabilities"], &introduction.capabilities);
    let mut result = client.request::<Initialize>(params, limit).await?;
    client.notify::<Initialized>(InitializedParams {})?;
    let capabilities = result["capabilities"].take();
    let encoding = Encoding::chosen(capabilities["positionEncoding"].as_str());
    let version = version_of(result["serverInfo"]["version"].as_str().unwrap_or(""));
    Ok(Said { capabilities, encoding, version })
}

/// A version that people can read: gopls says how it was built instead, as JSON.
fn version_of(said: &str) -> String {
    let built: Option<Value> = serde_json::from_str(said).ok();
    let version = built.as_ref().and_then(|built| built["Main"]["Version"].as_str()).unwrap_or(said);
    version.trim().chars().take(MAX_VERSION).collect()
}

/// What this client understands.
fn capabilities() -> Value {
    let dynamic = json!({"dynamicRegistration": false});
    json!({
        "general": {"positionEncodings": Encoding::offered()},
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
            // No word of diagnostics: a server that knows that nobody shows them does not work them out for every file that is
            // opened while questions wait.
        },
        // rust-analyzer says when it has nothing left to do.
        "experimental": {"serverStatusNotification": true},
    })
}

#[cfg(test)]
mod tests {
    use super::version_of;

    #[test]
    fn a_version_is_read_out_of_what_gopls_says() {
        let built =
            r#"{"GoVersion":"go1.24","Path":"golang.org/x/tools/gopls","Main":{"Version":"v0.20.0"}}"#;
        assert_eq!(version_of(built), "v0.20.0");
        assert_eq!(version_of(" 1.2.3 "), "1.2.3");
        assert_eq!(version_of("4"), "4");
    }
}
