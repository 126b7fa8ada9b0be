//! A scripted server for the toy language, which runs in this process.

use super::toy::{Toy, words};
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
pub enum Does {
    /// Answers correctly.
    Well,
    /// Answers with this value.
    Answers(Value),
    /// Answers with an error.
    Refuses,
    /// Does not answer.
    Silent,
    /// Answers correctly after a delay.
    Late(Duration),
    /// Sends these bytes and then answers correctly.
    Says(Vec<u8>),
    /// Ends the connection.
    Ends,
}

/// A script: maps the number of the server's life (1 for the first) and a message to a reaction.
pub type Script = dyn Fn(usize, &Value) -> Does + Send + Sync;

/// Creates scripted servers.
pub struct Fake {
    toy: Arc<Toy>,
    pub capabilities: Value,
    script: Box<Script>,
    pub lives: AtomicUsize,
    /// Every received message, as method and parameters.
    pub log: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Fake {
    pub fn new(toy: &Arc<Toy>, script: impl Fn(usize, &Value) -> Does + Send + Sync + 'static) -> Self {
        Self {
            toy: Arc::clone(toy),
            capabilities: json!({"definitionProvider": true, "positionEncoding": "utf-16"}),
            script: Box::new(script),
            lives: AtomicUsize::new(0),
            log: Arc::default(),
        }
    }

    /// Returns the parameters of all received messages of a method.
    pub fn heard(&self, method: &str) -> Vec<Value> {
        let log = self.log.lock().unwrap();
        log.iter().filter(|(name, _)| name == method).map(|(_, params)| params.clone()).collect()
    }
}

/// A [`Fake`] that can be passed on while the test keeps it.
pub struct Connects(pub Arc<Fake>);

impl ServerConnector for Connects {
    fn connect_server(&self, start: StartRequest) -> ServerFuture {
        let life = self.0.lives.fetch_add(1, Ordering::Relaxed) + 1;
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        let reader = BufReader::new(reader);
        let server = Server { fake: Arc::clone(&self.0), life, reader, writer, open: BTreeMap::new() };
        tokio::spawn(server.serve());
        Box::pin(async move {
            let (reader, writer) = tokio::io::split(ours);
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

struct Server {
    fake: Arc<Fake>,
    life: usize,
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    open: BTreeMap<String, String>,
}

impl Server {
    async fn serve(mut self) {
        // A client that ended the connection is not a failure.
        while let Ok(Some(body)) = read_frame(&mut self.reader).await {
            let message: Value = serde_json::from_slice(&body).expect("the client sends JSON");
            if !self.react(&message).await {
                return;
            }
        }
    }

    /// Reacts to a message. Returns `false` if the server ends.
    async fn react(&mut self, message: &Value) -> bool {
        let method = message["method"].as_str().unwrap_or("").to_owned();
        let entry = (method.clone(), message["params"].clone());
        self.fake.log.lock().unwrap().push(entry);
        self.remember(&method, &message["params"]);
        let does = (self.fake.script)(self.life, message);
        let id = message.get("id").filter(|_| !method.is_empty()).cloned();
        match does {
            Does::Ends => return false,
            Does::Silent => return true,
            Does::Late(time) => tokio::time::sleep(time).await,
            Does::Says(bytes) => {
                if self.writer.write_all(&bytes).await.is_err() {
                    return false;
                }
            }
            Does::Answers(value) => return self.answer(id, value).await,
            Does::Refuses => {
                let error = json!({"code": -32803, "message": "not now"});
                return self.say(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
            }
            Does::Well => {}
        }
        if method == "exit" {
            return false;
        }
        let result = self.result(&method, &message["params"]);
        self.answer(id, result).await
    }

    async fn answer(&mut self, id: Option<Value>, result: Value) -> bool {
        match id {
            Some(id) => self.say(json!({"jsonrpc": "2.0", "id": id, "result": result})).await,
            None => true,
        }
    }

    async fn say(&mut self, message: Value) -> bool {
        self.writer.write_all(&encode_frame(message.to_string().as_bytes())).await.is_ok()
    }

    fn remember(&mut self, method: &str, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or("");
        let path = path_of(&self.fake.toy, uri);
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

    fn result(&self, method: &str, params: &Value) -> Value {
        match method {
            "initialize" => {
                json!({"capabilities": self.fake.capabilities, "serverInfo": {"name": "fake", "version": "1"}})
            }
            "textDocument/definition" => self.definition(params),
            _ => Value::Null,
        }
    }

    /// Returns every declaration of the word at a place, in the texts that this server has.
    fn definition(&self, params: &Value) -> Value {
        let path = path_of(&self.fake.toy, params["textDocument"]["uri"].as_str().unwrap_or(""));
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
            for begins in ["def ", "type ", "iface "] {
                let declared = words(text, begins)
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

fn path_of(toy: &Toy, uri: &str) -> String {
    let file = file_from_uri(uri).unwrap_or_default();
    file.strip_prefix(toy.root_folder()).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Builds a location as servers write it.
pub fn location(toy: &Toy, path: &str, line: u32, column: u32) -> Value {
    let uri = lsp_types::Uri::from_file_path(toy.root_folder().join(path)).unwrap();
    let end = column + 1;
    json!({"uri": uri, "range": {
        "start": {"line": line, "character": column},
        "end": {"line": line, "character": end},
    }})
}

/// Encodes a message.
pub fn message(message: Value) -> Vec<u8> {
    encode_frame(message.to_string().as_bytes())
}

/// Whether a message is a request or notification of this method.
pub fn is(message: &Value, method: &str) -> bool {
    message["method"] == method
}
