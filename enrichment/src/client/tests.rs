//! Tests of the client against scripted servers that behave well, are slow, silent or confused,
//! break the protocol, or crash.

mod broken_streams;
mod notifications;
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

/// Time limit for a request, far longer than any test needs.
const LIMIT: Duration = Duration::from_secs(30);

/// A request to which the server answers with the request's parameter.
enum Echo {}

impl Request for Echo {
    type Params = Value;
    type Result = u64;
    const METHOD: &'static str = "test/echo";
}

/// The server's end of a connection.
struct ScriptedServer {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl ScriptedServer {
    /// Returns the next message from the client; `None` at the end of the stream.
    async fn next_message(&mut self) -> Option<Value> {
        let body = read_frame(&mut self.reader).await.expect("the client sends whole frames")?;
        Some(serde_json::from_slice(&body).expect("the client sends JSON"))
    }

    async fn send_message(&mut self, message: Value) {
        self.send_bytes(&encode_frame(message.to_string().as_bytes())).await;
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.expect("the client reads");
    }

    async fn send_answer(&mut self, id: &Value, result: Value) {
        self.send_message(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
    }
}

fn connect() -> (LspClient, ScriptedServer) {
    connect_with_answers(ClientAnswers::default())
}

fn connect_with_answers(answers: ClientAnswers) -> (LspClient, ScriptedServer) {
    let (client_end, server_end) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(client_end);
    let client = LspClient::from_streams(reader, writer, answers, StderrTail::without_process());
    let (reader, writer) = tokio::io::split(server_end);
    (client, ScriptedServer { reader: BufReader::new(reader), writer })
}

/// Answers every request with its parameter.
async fn echo_requests(mut server: ScriptedServer) {
    while let Some(message) = server.next_message().await {
        if message.get("id").is_some() {
            server.send_answer(&message["id"], message["params"].clone()).await;
        }
    }
}

async fn send_echo(client: &LspClient, value: u64) -> Result<u64, ClientError> {
    client.send_request::<Echo>(json!(value), LIMIT).await
}

/// Returns the reason why the connection is gone.
fn gone_reason(result: Result<u64, ClientError>) -> String {
    match result {
        Err(ClientError::Disconnected(reason)) => reason,
        other => panic!("{other:?}"),
    }
}
