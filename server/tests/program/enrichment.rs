//! Tests sessions with language servers: their verdicts reach every answer, and are hidden when
//! they no longer apply.

use crate::support::{Client, Fixture, uri};
use kenning::lsp::ServeOptions;
use kenning::session::ServersOptions;
use kenning_enrichment::client::{ClientAnswers, LanguageServer, LspClient as Downstream, StderrTail};
use kenning_enrichment::servers::ServerSearch;
use kenning_enrichment::{ServerConnector, ServerFuture, StartRequest};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf};

/// Two classes with a method with the same name. The text alone does not show which one is called.
const SHOP: &str = "\
class Cart:
    def stow(self, item):
        return item


class Basket:
    def stow(self, item):
        return item


def fill(box):
    return box.stow(1)
";

/// A server with one answer to every definition request: a line of `app.py`.
struct FixedAnswerServer {
    root: PathBuf,
    line: u32,
}

impl ServerConnector for FixedAnswerServer {
    fn connect_server(&self, start: StartRequest) -> ServerFuture {
        let (client_end, server_end) = tokio::io::duplex(1 << 16);
        let location = json!([{
            "uri": uri(&self.root.join("app.py")),
            "range": {
                "start": { "line": self.line, "character": 8 },
                "end": { "line": self.line, "character": 12 },
            },
        }]);
        tokio::spawn(answer_requests(server_end, location));
        Box::pin(async move {
            let (reader, writer) = tokio::io::split(client_end);
            let client = Downstream::from_streams(
                reader,
                writer,
                ClientAnswers::default(),
                StderrTail::without_process(),
            );
            LanguageServer::initialize_connected(client, &start.folder, None, Duration::from_secs(60)).await
        })
    }
}

/// Answers the requests on a stream until it ends. Each definition is at `location`.
async fn answer_requests(stream: DuplexStream, location: Value) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut reader = BufReader::new(reader);
    while let Some(message) = read_message(&mut reader).await {
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "capabilities": { "definitionProvider": true, "positionEncoding": "utf-16" },
                "serverInfo": { "name": "fake", "version": "1" },
            }),
            Some("textDocument/definition") => location.clone(),
            _ => Value::Null,
        };
        if let Some(id) = message.get("id").filter(|_| message.get("method").is_some()) {
            let response = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
            let frame = format!("Content-Length: {}\r\n\r\n{response}", response.len());
            if writer.write_all(frame.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

/// Returns the next message; `None` at the end of the stream.
async fn read_message(reader: &mut BufReader<ReadHalf<DuplexStream>>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            header => length = header.strip_prefix("Content-Length: ")?.parse().ok()?,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.ok()?;
    serde_json::from_slice(&body).ok()
}

/// Creates a program in a folder with the name of Python's language server.
#[cfg(unix)]
fn create_server_program(folder: &Path) -> ServerSearch {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("pyright-langserver");
    std::fs::write(&program, "").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    ServerSearch { path: vec![folder.to_owned()], ..ServerSearch::default() }
}

/// Returns the options of a session whose server answers with a line of `app.py`.
fn options_with_server(fixture: &Fixture, search: ServerSearch, line: u32) -> ServeOptions {
    let connect: Arc<dyn ServerConnector> = Arc::new(FixedAnswerServer { root: fixture.root(), line });
    let servers = Some(ServersOptions { search: Some(search), connect: Some(connect) });
    ServeOptions { servers, ..fixture.options() }
}

/// Opens a session and waits until the server has answered every question. Also returns the status.
async fn open_enriched(options: ServeOptions, fixture: &Fixture) -> (Client, Value) {
    let mut client = Client::start(options);
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    loop {
        // The servers start a moment after the first index.
        if let Ok(status) = client.command("kenning.enrich", json!({ "wait": true })).await {
            return (client, status);
        }
    }
}

/// Returns the callees of `fill` with their provenance.
async fn callees(client: &mut Client) -> Vec<String> {
    let graph = client.command("kenning.graph", json!({ "symbol": "fill", "depth": 1 })).await.unwrap();
    let nodes = graph["nodes"].as_array().unwrap();
    let edges = graph["edges"].as_array().unwrap().iter().filter(|edge| edge["kind"] == "calls");
    let name = |node: &Value| nodes[node.as_u64().unwrap() as usize]["name"].as_str().unwrap().to_owned();
    let mut callees: Vec<String> = edges
        .map(|edge| format!("{} {}", name(&edge["target"]), edge["provenance"].as_str().unwrap()))
        .collect();
    callees.sort();
    callees
}

#[cfg(unix)]
#[tokio::test]
async fn a_confirmed_call_hides_guesses_and_is_stored_for_the_next_session() {
    let fixture = Fixture::new();
    fixture.write("app.py", SHOP);
    let folder = tempfile::tempdir().unwrap();
    let (mut client, status) =
        open_enriched(options_with_server(&fixture, create_server_program(folder.path()), 6), &fixture).await;
    assert_eq!(callees(&mut client).await, ["Basket.stow lsp_resolved"]);
    let server = &status["enrichment"][0];
    assert_eq!((&server["name"], &server["confirmed"]), (&json!("pyright"), &json!(1)), "{server}");
    assert_ne!(status["snapshot"], status["source_root"]);
    let pack = client.pack("fill the box").await;
    assert_eq!(pack["freshness"]["servers"][0]["confirmed_edges"], 1);
    client.shut_down().await;

    // This session has no server: verdicts are stored.
    let mut client = Client::open(&fixture).await;
    assert_eq!(callees(&mut client).await, ["Basket.stow lsp_resolved"]);
    client.shut_down().await;
}

#[cfg(unix)]
#[tokio::test]
async fn an_edit_hides_verdicts_about_its_function_and_asks_again() {
    let fixture = Fixture::new();
    fixture.write("app.py", SHOP);
    let folder = tempfile::tempdir().unwrap();
    let (mut client, _) =
        open_enriched(options_with_server(&fixture, create_server_program(folder.path()), 1), &fixture).await;
    assert_eq!(callees(&mut client).await, ["Cart.stow lsp_resolved"]);
    let file = fixture.uri("app.py");
    client.did_open(&file, 1, SHOP).await;
    client.did_change(&file, 2, [11, 4, 11, 4], "print(box)\n    ").await;
    // Until the server has answered again, the answers show the guesses of the text.
    loop {
        let current_callees = callees(&mut client).await;
        if current_callees.contains(&"Cart.stow lsp_resolved".to_owned())
            && !current_callees.contains(&"Basket.stow ast_inferred".to_owned())
        {
            break;
        }
        assert!(current_callees.contains(&"Basket.stow ast_inferred".to_owned()), "{current_callees:?}");
        client.command("kenning.enrich", json!({ "wait": true })).await.unwrap();
    }
    client.shut_down().await;
}

/// The state of the only server of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ServerPresence {
    Present,
    Absent,
}

/// Changes the settings and waits until the only server has the expected state.
async fn set_servers(client: &mut Client, servers: Value, expected: ServerPresence) {
    let settings = json!({ "settings": { "kenning": { "servers": servers } } });
    client.notify("workspace/didChangeConfiguration", settings).await;
    for _ in 0..MAX_CHECKS {
        let status = client.command("kenning.status", json!({})).await.unwrap();
        let is_absent = status["enrichment"][0]["state"] == "absent";
        if is_absent == (expected == ServerPresence::Absent) {
            return;
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    let status = client.command("kenning.status", json!({})).await.unwrap();
    panic!("the settings do not take effect: {}", status["enrichment"]);
}

/// Interval and maximum number of the checks of a condition. Together they exceed the duration of
/// every awaited change.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
const MAX_CHECKS: usize = 3000;

#[cfg(unix)]
#[tokio::test]
async fn server_settings_take_effect_immediately_and_verdicts_stay() {
    let fixture = Fixture::new();
    fixture.write("app.py", SHOP);
    let folder = tempfile::tempdir().unwrap();
    let (mut client, _) =
        open_enriched(options_with_server(&fixture, create_server_program(folder.path()), 6), &fixture).await;
    let disabled = json!({ "pyright": { "enabled": false } });
    set_servers(&mut client, disabled, ServerPresence::Absent).await;
    assert_eq!(callees(&mut client).await, ["Basket.stow lsp_resolved"]);
    // Another program with the same name is a different setting.
    let other = folder.path().join("pyright-langserver");
    let replaced = json!({ "pyright": { "command": other.to_str().unwrap() } });
    set_servers(&mut client, replaced, ServerPresence::Present).await;
    let file = fixture.uri("app.py");
    client.did_open(&file, 1, SHOP).await;
    client.did_change(&file, 2, [11, 4, 11, 4], "print(box)\n    ").await;
    for _ in 0..MAX_CHECKS {
        if callees(&mut client).await == ["Basket.stow lsp_resolved"] {
            client.shut_down().await;
            return;
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    let status = client.command("kenning.status", json!({})).await.unwrap();
    panic!("the server is not asked again: {:?} {}", callees(&mut client).await, status["enrichment"]);
}

#[tokio::test]
async fn a_missing_server_is_reported_with_a_reason() {
    let fixture = Fixture::new();
    fixture.write("app.py", SHOP);
    let (mut client, status) =
        open_enriched(options_with_server(&fixture, ServerSearch::default(), 1), &fixture).await;
    let server = &status["enrichment"][0];
    assert_eq!(server["state"], "absent");
    assert!(server["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{server}");
    assert_eq!(callees(&mut client).await, ["Basket.stow ast_inferred", "Cart.stow ast_inferred"]);
    client.shut_down().await;
}
