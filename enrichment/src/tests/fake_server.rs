//! A scripted server for the toy language, which runs in this process.

use super::toy_workspace::{ToyWorkspace, words_after};
use crate::client::{ClientAnswers, LanguageServer, LspClient, StderrTail, encode_frame, read_frame};
use crate::session::file_from_uri;
use crate::supervisor::{ServerConnector, ServerFuture, StartRequest};
use crate::workspace::WorkspaceSource;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

/// The reaction of a server to a message.
pub enum Reaction {
    /// Answers correctly.
    Correct,
    /// Answers with this value.
    Answer(Value),
    /// Answers with an error.
    Refuse,
    /// Does not answer.
    Ignore,
    /// Answers correctly after a delay.
    Delay(Duration),
    /// Sends these bytes and then answers correctly.
    SendFirst(Vec<u8>),
    /// Ends the connection.
    Disconnect,
}

/// A script: maps the number of the server's start (1 for the first) and a message to a reaction.
pub type Script = dyn Fn(usize, &Value) -> Reaction + Send + Sync;

/// The script of a server, and a record of all its starts.
pub struct FakeServers {
    toy: Arc<ToyWorkspace>,
    pub capabilities: Value,
    script: Box<Script>,
    /// Number of starts so far.
    pub starts: AtomicUsize,
    /// Every received message, as method and parameters.
    pub log: Arc<Mutex<Vec<(String, Value)>>>,
}

impl FakeServers {
    pub fn new(
        toy: &Arc<ToyWorkspace>,
        script: impl Fn(usize, &Value) -> Reaction + Send + Sync + 'static,
    ) -> Self {
        Self {
            toy: Arc::clone(toy),
            capabilities: json!({"definitionProvider": true, "positionEncoding": "utf-16"}),
            script: Box::new(script),
            starts: AtomicUsize::new(0),
            log: Arc::default(),
        }
    }

    /// Returns the parameters of all received messages with this method.
    pub fn received(&self, method: &str) -> Vec<Value> {
        let log = self.log.lock().unwrap();
        log.iter().filter(|(name, _)| name == method).map(|(_, params)| params.clone()).collect()
    }
}

/// Connects to [`FakeServers`] that the test keeps.
pub struct FakeConnector(pub Arc<FakeServers>);

impl ServerConnector for FakeConnector {
    fn connect_server(&self, start: StartRequest) -> ServerFuture {
        let start_number = self.0.starts.fetch_add(1, Ordering::Relaxed) + 1;
        let (client_end, server_end) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(server_end);
        let reader = BufReader::new(reader);
        let server =
            FakeServer { fake: Arc::clone(&self.0), start_number, reader, writer, open: BTreeMap::new() };
        tokio::spawn(server.serve_messages());
        Box::pin(async move {
            let (reader, writer) = tokio::io::split(client_end);
            let client = LspClient::from_streams(
                reader,
                writer,
                ClientAnswers::default(),
                StderrTail::without_process(),
            );
            let limit = Duration::from_secs(60);
            LanguageServer::initialize_connected(client, &start.folder, None, limit).await
        })
    }
}

/// One running server.
struct FakeServer {
    fake: Arc<FakeServers>,
    start_number: usize,
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    /// Texts of the open documents, by path.
    open: BTreeMap<String, String>,
}

impl FakeServer {
    async fn serve_messages(mut self) {
        // A client that ended the connection is not a failure.
        while let Ok(Some(body)) = read_frame(&mut self.reader).await {
            let message: Value = serde_json::from_slice(&body).expect("the client sends JSON");
            if !self.react_to(&message).await {
                return;
            }
        }
    }

    /// Reacts to a message. Returns `false` if the server ends.
    async fn react_to(&mut self, message: &Value) -> bool {
        let method = message["method"].as_str().unwrap_or("").to_owned();
        let entry = (method.clone(), message["params"].clone());
        self.fake.log.lock().unwrap().push(entry);
        self.record_document(&method, &message["params"]);
        let reaction = (self.fake.script)(self.start_number, message);
        let id = message.get("id").filter(|_| !method.is_empty()).cloned();
        match reaction {
            Reaction::Disconnect => return false,
            Reaction::Ignore => return true,
            Reaction::Delay(time) => tokio::time::sleep(time).await,
            Reaction::SendFirst(bytes) => {
                if self.writer.write_all(&bytes).await.is_err() {
                    return false;
                }
            }
            Reaction::Answer(value) => return self.send_answer(id, value).await,
            Reaction::Refuse => {
                let error = json!({"code": -32803, "message": "not now"});
                return self.send_message(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
            }
            Reaction::Correct => {}
        }
        if method == "exit" {
            return false;
        }
        let result = self.correct_result(&method, &message["params"]);
        self.send_answer(id, result).await
    }

    async fn send_answer(&mut self, id: Option<Value>, result: Value) -> bool {
        match id {
            Some(id) => self.send_message(json!({"jsonrpc": "2.0", "id": id, "result": result})).await,
            None => true,
        }
    }

    async fn send_message(&mut self, message: Value) -> bool {
        self.writer.write_all(&encode_frame(message.to_string().as_bytes())).await.is_ok()
    }

    fn record_document(&mut self, method: &str, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or("");
        let path = path_from_uri(&self.fake.toy, uri);
        match method {
            "textDocument/didOpen" => {
                let text = params["textDocument"]["text"].as_str().unwrap_or("").to_owned();
                assert!(self.open.insert(path, text).is_none(), "opened twice: {uri}");
            }
            "textDocument/didChange" => {
                let text = params["contentChanges"][0]["text"].as_str().unwrap_or("").to_owned();
                assert!(self.open.insert(path, text).is_some(), "changed but not open: {uri}");
            }
            "textDocument/didClose" => {
                assert!(self.open.remove(&path).is_some(), "closed but not open: {uri}");
            }
            _ => {}
        }
    }

    fn correct_result(&self, method: &str, params: &Value) -> Value {
        match method {
            "initialize" => {
                json!({"capabilities": self.fake.capabilities, "serverInfo": {"name": "fake", "version": "1"}})
            }
            "textDocument/definition" => self.find_definitions(params),
            _ => Value::Null,
        }
    }

    /// Returns every declaration of the word at a position, in the texts that this server has.
    fn find_definitions(&self, params: &Value) -> Value {
        let path = path_from_uri(&self.fake.toy, params["textDocument"]["uri"].as_str().unwrap_or(""));
        let mut texts = self.fake.toy.texts();
        texts.extend(self.open.clone());
        let (line, character) = (&params["position"]["line"], &params["position"]["character"]);
        let (line, character) =
            (line.as_u64().unwrap_or(0) as usize, character.as_u64().unwrap_or(0) as usize);
        let text = texts.get(&path).cloned().unwrap_or_default();
        let units: Vec<u16> = text.split('\n').nth(line).unwrap_or("").encode_utf16().collect();
        let rest = String::from_utf16_lossy(units.get(character..).unwrap_or(&[]));
        let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
        let mut found = Vec::new();
        for (path, text) in &texts {
            for prefix in ["def ", "type ", "iface "] {
                let declared = words_after(text, prefix)
                    .into_iter()
                    .filter(|(_, _, _, name)| *name == word && !word.is_empty());
                found.extend(
                    declared.map(|(_, line, column, _)| location(&self.fake.toy, path, line, column)),
                );
            }
        }
        Value::Array(found)
    }
}

fn path_from_uri(toy: &ToyWorkspace, uri: &str) -> String {
    let file = file_from_uri(uri).unwrap_or_default();
    file.strip_prefix(toy.root_folder()).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Builds a location in the form that servers send.
pub fn location(toy: &ToyWorkspace, path: &str, line: u32, column: u32) -> Value {
    let uri = lsp_types::Uri::from_file_path(toy.root_folder().join(path)).unwrap();
    let end = column + 1;
    json!({"uri": uri, "range": {
        "start": {"line": line, "character": column},
        "end": {"line": line, "character": end},
    }})
}

/// Encodes a message with its header.
pub fn encode_message(message: Value) -> Vec<u8> {
    encode_frame(message.to_string().as_bytes())
}

/// Whether a message is a request or notification with this method.
pub fn is_method(message: &Value, method: &str) -> bool {
    message["method"] == method
}
