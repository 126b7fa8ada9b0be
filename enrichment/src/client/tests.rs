//! Tests of the client against scripted servers: well-behaved, slow, silent, confused, broken and
//! crashing ones.

mod broken;
mod observing;
#[cfg(unix)]
mod processes;
mod requests;

use super::process::StderrTail;
use super::transport::{encode_frame, read_frame};
use super::{ClientAnswers, ClientError, LspClient};
use lsp_types::request::Request;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

const LIMIT: Duration = Duration::from_secs(30);

/// A request that is answered with its parameter.
enum Echo {}

impl Request for Echo {
    type Params = Value;
    type Result = u64;
    const METHOD: &'static str = "test/echo";
}

/// The server's end of a connection.
struct Server {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Server {
    /// Returns the next message of the client; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Value> {
        let body = read_frame(&mut self.reader).await.expect("the client sends whole frames")?;
        Some(serde_json::from_slice(&body).expect("the client sends JSON"))
    }

    async fn say(&mut self, message: Value) {
        self.raw(&encode_frame(message.to_string().as_bytes())).await;
    }

    async fn raw(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.expect("the client reads");
    }

    async fn answer(&mut self, id: &Value, result: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
    }
}

fn connect() -> (LspClient, Server) {
    connect_with(ClientAnswers::default())
}

fn connect_with(answers: ClientAnswers) -> (LspClient, Server) {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(ours);
    let client = LspClient::from_streams(reader, writer, answers, StderrTail::without_process());
    let (reader, writer) = tokio::io::split(theirs);
    (client, Server { reader: BufReader::new(reader), writer })
}

/// Answers every request with its parameter.
async fn echo(mut server: Server) {
    while let Some(message) = server.next().await {
        if message.get("id").is_some() {
            server.answer(&message["id"], message["params"].clone()).await;
        }
    }
}

async fn ask(client: &LspClient, value: u64) -> Result<u64, ClientError> {
    client.send_request::<Echo>(json!(value), LIMIT).await
}

/// Returns the reason for which the connection is gone.
fn reason(result: Result<u64, ClientError>) -> String {
    match result {
        Err(ClientError::Gone(reason)) => reason,
        other => panic!("{other:?}"),
    }
}
