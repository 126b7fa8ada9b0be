//! A language client over a pair of pipes or the standard streams of a process, and a small
//! workspace to open.
//!
//! Every message from the server is checked against the protocol's meta model.

pub mod meta_model;
pub mod validator;

use kenning::lsp::{ServeOptions, SessionEnd, serve_client};
use kenning_indexing::workspace::WorkspaceOptions;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::task::JoinHandle;
use validator::Validator;

/// Maximum time that a test waits for a message. A test that reaches it has failed.
const RECEIVE_TIMEOUT: Duration = Duration::from_secs(60);

/// A workspace with one Python file and a folder for databases.
pub struct Fixture {
    folder: TempDir,
}

impl Fixture {
    /// Creates the workspace.
    pub fn new() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        fixture.write("app.py", "class Cart:\n    def add_item(self, item):\n        return item\n");
        fixture
    }

    /// Returns the root of the workspace.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("work space")
    }

    /// Writes a file of the workspace.
    pub fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// Returns the URI of a path in the workspace.
    pub fn uri(&self, path: &str) -> String {
        uri(&self.root().join(path))
    }

    /// Returns the options of a server in this process. Its caches are in the fixture.
    pub fn options(&self) -> ServeOptions {
        let cache_home = Some(self.folder.path().join("cache"));
        let workspace = WorkspaceOptions { cache_home, wait_for_files: true, ..WorkspaceOptions::default() };
        ServeOptions { workspace, ..ServeOptions::default() }
    }

    /// Returns the real binary as a server of this workspace. Its caches and settings are in the
    /// fixture.
    pub fn binary(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.arg("serve");
        for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
            command.env(variable, self.folder.path().join("cache"));
        }
        command.env_remove("KENNING_LOG").env_remove("KENNING_DB");
        command
    }
}

/// Returns the URI of an absolute path.
pub fn uri(path: &Path) -> String {
    lsp_types::Uri::from_file_path(path).unwrap().to_string()
}

/// The client's side of a session.
pub struct Client {
    input: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    output: Box<dyn AsyncWrite + Send + Unpin>,
    server: JoinHandle<SessionEnd>,
    /// The server's process id, if the server is a process.
    pub process: Option<u32>,
    next_id: i64,
    /// Notifications from the server that no test has read yet.
    pub notifications: VecDeque<Value>,
    /// Answers that arrived before a test waited for them.
    answers: BTreeMap<i64, Value>,
    /// The server's requests. All of them were answered.
    pub requests: Vec<Value>,
    /// The capabilities that `initialize` sends.
    pub capabilities: Value,
    /// The `initializationOptions`.
    pub options: Value,
    /// The answer to each item of `workspace/configuration`.
    pub settings: Value,
    validator: Validator,
}

impl Client {
    /// Starts a server without sending anything.
    pub fn start(options: ServeOptions) -> Self {
        let (client_end, server_end) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(server_end);
        let server = tokio::spawn(serve_client(read, write, options));
        let (input, output) = tokio::io::split(client_end);
        Self::new(Box::new(input), Box::new(output), server, None)
    }

    /// Starts a server in its own process. Exit status 0 is an orderly end, 1 an abrupt one.
    pub fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let process = child.id();
        let server = tokio::spawn(async move {
            match child.wait().await.unwrap().code() {
                Some(0) => SessionEnd::Orderly,
                Some(1) => SessionEnd::Abrupt,
                other => panic!("the server ended with status {other:?}"),
            }
        });
        Self::new(Box::new(input), Box::new(output), server, process)
    }

    fn new(
        input: Box<dyn AsyncRead + Send + Unpin>,
        output: Box<dyn AsyncWrite + Send + Unpin>,
        server: JoinHandle<SessionEnd>,
        process: Option<u32>,
    ) -> Self {
        Self {
            input: BufReader::new(input),
            output,
            server,
            process,
            next_id: 0,
            notifications: VecDeque::new(),
            answers: BTreeMap::new(),
            requests: Vec::new(),
            capabilities: json!({
                "window": { "workDoneProgress": true },
                "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } },
            }),
            options: Value::Null,
            settings: Value::Null,
            validator: Validator::default(),
        }
    }

    /// Opens a session with the fixture's folder and waits for its index.
    pub async fn open(fixture: &Fixture) -> Self {
        let mut client = Self::start(fixture.options());
        client.initialize(&[fixture.root()]).await;
        client.notify("initialized", json!({})).await;
        client.command("kenning.reindex", json!({})).await.unwrap();
        client
    }

    /// Initializes the session with these folders. Returns the server's answer.
    pub async fn initialize(&mut self, folders: &[PathBuf]) -> Value {
        let folders: Vec<Value> = folders.iter().map(|f| json!({ "uri": uri(f), "name": "w" })).collect();
        let params = json!({
            "processId": std::process::id(), "capabilities": self.capabilities, "workspaceFolders": folders,
            "initializationOptions": self.options,
        });
        self.request("initialize", params).await.unwrap()
    }

    /// Sends a request; returns its id.
    pub async fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        self.send(&message).await;
        self.next_id
    }

    /// Returns the result of request `id`, or its error code and message.
    pub async fn answer(&mut self, id: i64) -> Result<Value, (i64, String)> {
        loop {
            if let Some(mut message) = self.answers.remove(&id) {
                if let Some(error) = message.get("error") {
                    return Err((error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().into()));
                }
                return Ok(message["result"].take());
            }
            let message = self.receive().await.expect("the server closed the stream");
            self.handle_message(message).await;
        }
    }

    /// Sends a request and waits for its result, or its error code and message.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value, (i64, String)> {
        let id = self.send_request(method, params).await;
        self.answer(id).await
    }

    /// Executes a command and waits for its result, or its error code and message.
    pub async fn command(&mut self, command: &str, argument: Value) -> Result<Value, (i64, String)> {
        let params = json!({ "command": command, "arguments": [argument] });
        self.request("workspace/executeCommand", params).await
    }

    /// Returns the pack for a task. Asks again while the server reports that something is pending:
    /// a slow machine may not apply an edit within the time that a request waits, but an answer
    /// without pending files includes every edit.
    pub async fn pack(&mut self, task: &str) -> Value {
        loop {
            let pack = self.command("kenning.taskContext", json!({ "task": task })).await.unwrap();
            let freshness = &pack["freshness"];
            if freshness["pending_files"] == 0 && freshness.get("disk_check_pending").is_none() {
                return pack;
            }
        }
    }

    /// Sends a notification.
    pub async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// Opens a document.
    pub async fn did_open(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "languageId": "python", "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document })).await;
    }

    /// Replaces the text between two positions.
    pub async fn did_change(&mut self, uri: &str, version: i32, range: [u32; 4], text: &str) {
        let [line, character, end_line, end_character] = range;
        let range = json!({
            "start": { "line": line, "character": character },
            "end": { "line": end_line, "character": end_character },
        });
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": [{ "range": range, "text": text }],
        });
        self.notify("textDocument/didChange", params).await;
    }

    /// Waits for a notification from the server.
    pub async fn wait_for(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        loop {
            while let Some(message) = self.notifications.pop_front() {
                if matches(&message) {
                    return message;
                }
            }
            let message = self.receive().await.expect("the server closed the stream");
            self.handle_message(message).await;
        }
    }

    /// Waits for the server to end, with the client's end of the stream open.
    pub async fn wait_for_end(self) -> SessionEnd {
        let end = wait_for_session_end(self.server).await;
        drop(self.output);
        end
    }

    /// Closes the client's end of the stream, and waits for the server to end.
    pub async fn close_and_wait(mut self) -> SessionEnd {
        self.output.shutdown().await.unwrap();
        drop(self.output);
        wait_for_session_end(self.server).await
    }

    /// Reads until the end of the server's stream. Accepts half a message, which a killed server
    /// may leave.
    pub async fn drain(mut self) {
        let mut sink = tokio::io::sink();
        let end = tokio::io::copy(&mut self.input, &mut sink);
        tokio::time::timeout(RECEIVE_TIMEOUT, end).await.expect("the server does not end").unwrap();
        self.server.abort();
    }

    /// Handles a message from the server: answers requests, those for settings with `settings` and
    /// all others with null, and stores answers and notifications.
    async fn handle_message(&mut self, message: Value) {
        if message.get("method").is_none() {
            // An answer without an id belongs to a message that could not be read.
            if let Some(id) = message["id"].as_i64() {
                self.answers.insert(id, message);
            }
            return;
        }
        match message.get("id") {
            Some(id) => {
                let result = match message["params"]["items"].as_array() {
                    Some(items) => items.iter().map(|_| self.settings.clone()).collect(),
                    None => Value::Null,
                };
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })).await;
                self.requests.push(message);
            }
            None => self.notifications.push_back(message),
        }
    }

    /// Sends a message unchanged.
    pub async fn send(&mut self, message: &Value) {
        self.validator.client_sends(message);
        self.send_text(&message.to_string()).await;
    }

    /// Sends a frame with any content.
    pub async fn send_text(&mut self, body: &str) {
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await;
    }

    /// Sends bytes that need not be a frame.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        self.output.write_all(bytes).await.unwrap();
        self.output.flush().await.unwrap();
    }

    /// Shuts the server down as the protocol requires.
    pub async fn shut_down(mut self) -> SessionEnd {
        self.request("shutdown", Value::Null).await.unwrap();
        self.notify("exit", Value::Null).await;
        self.wait_for_end().await
    }

    /// Returns the next message from the server, after checking it; `None` at the end of its
    /// stream.
    pub async fn receive(&mut self) -> Option<Value> {
        let message = tokio::time::timeout(RECEIVE_TIMEOUT, self.read_message()).await;
        let message = message.expect("the server does not answer")?;
        self.validator.server_sends(&message);
        Some(message)
    }

    /// Returns the next message from the server without checking it.
    pub async fn read_message(&mut self) -> Option<Value> {
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.input.read_line(&mut line).await.unwrap() == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                header => {
                    if let Some(number) = header.strip_prefix("Content-Length: ") {
                        length = number.parse::<usize>().ok();
                    }
                }
            }
        }
        let mut body = vec![0; length.expect("a frame without length")];
        self.input.read_exact(&mut body).await.unwrap();
        Some(serde_json::from_slice(&body).unwrap())
    }
}

async fn wait_for_session_end(server: JoinHandle<SessionEnd>) -> SessionEnd {
    tokio::time::timeout(RECEIVE_TIMEOUT, server).await.expect("the server does not end").unwrap()
}
