//! Tests whole sessions with the real binary over its standard streams: how they run and end.

use crate::support::{Client, Fixture, uri};
use kenning::lsp::SessionEnd;
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Opens a session of the binary with the fixture's folder and waits for its index.
async fn open_session(fixture: &Fixture) -> Client {
    let mut client = Client::spawn(fixture.binary());
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    client
}

#[tokio::test]
async fn a_session_follows_edits_saves_and_folders() {
    let (fixture, second) = (Fixture::new(), Fixture::new());
    second.write("stock.py", "def count_stock():\n    return 1\n");
    let mut client = open_session(&fixture).await;
    let file = fixture.uri("app.py");
    client.did_open(&file, 1, "class Cart:\n    def add_item(self, item):\n        return item\n").await;
    client.did_change(&file, 2, [1, 8, 1, 16], "put_voucher").await;
    let pack = client.pack("put voucher").await;
    assert_eq!(pack["symbols"][0]["name"], "Cart.put_voucher");

    fixture.write("app.py", "class Cart:\n    def put_voucher(self, item):\n        return item\n");
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": file } })).await;
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": file } })).await;
    let pack = client.pack("put voucher").await;
    assert_eq!(pack["freshness"]["unsaved_files"], 0);
    assert_eq!(pack["symbols"][0]["name"], "Cart.put_voucher", "the saved text stays");

    let folder = json!({ "uri": uri(&second.root()), "name": "second" });
    let added = json!({ "event": { "added": [folder], "removed": [] } });
    client.notify("workspace/didChangeWorkspaceFolders", added).await;
    let second_file = json!({ "textDocument": { "uri": second.uri("stock.py") } });
    client.command("kenning.reindex", second_file.clone()).await.unwrap();
    let question = json!({ "task": "count stock", "textDocument": second_file["textDocument"] });
    let pack = client.command("kenning.taskContext", question).await.unwrap();
    assert_eq!(pack["symbols"][0]["name"], "count_stock");
    let removed = json!({ "event": { "added": [], "removed": [folder] } });
    client.notify("workspace/didChangeWorkspaceFolders", removed).await;
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["folders"].as_array().unwrap().len(), 1);
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
}

#[tokio::test]
async fn only_exit_after_shutdown_is_status_0() {
    let fixture = Fixture::new();
    let mut client = open_session(&fixture).await;
    client.notify("exit", Value::Null).await;
    assert_eq!(client.wait_for_end().await, SessionEnd::Abrupt, "exit without shutdown");
    assert_eq!(open_session(&fixture).await.close_and_wait().await, SessionEnd::Abrupt, "a closed stream");
    let mut client = Client::spawn(fixture.binary());
    client.notify("exit", Value::Null).await;
    assert_eq!(client.wait_for_end().await, SessionEnd::Abrupt, "exit before initialize");
    let mut client = open_session(&fixture).await;
    client.send_bytes(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\":\"2.0\",").await;
    assert_eq!(client.close_and_wait().await, SessionEnd::Abrupt, "half a message");
    let mut client = open_session(&fixture).await;
    client.send_bytes(b"Content-Le").await;
    assert_eq!(client.close_and_wait().await, SessionEnd::Abrupt, "half a header");
    assert_eq!(open_session(&fixture).await.shut_down().await, SessionEnd::Orderly);
}

/// Starts a process in place of the editor.
fn start_editor() -> std::process::Child {
    Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap()
}

/// Initializes a session of the client process with this id.
async fn initialize_for(client: &mut Client, process: u32) {
    let params = json!({ "processId": process, "capabilities": {}, "workspaceFolders": null });
    client.request("initialize", params).await.unwrap();
    client.notify("initialized", json!({})).await;
}

#[tokio::test]
async fn a_server_ends_with_the_process_of_its_client() {
    let fixture = Fixture::new();
    let mut editor = start_editor();
    let mut client = Client::spawn(fixture.binary());
    initialize_for(&mut client, editor.id()).await;
    editor.kill().unwrap();
    editor.wait().unwrap();
    // The test's ends of the streams stay open.
    assert_eq!(client.wait_for_end().await, SessionEnd::Abrupt);
}

/// Sends more requests than the streams can buffer, without reading the answers.
async fn flood(client: &mut Client) {
    let body = json!({ "jsonrpc": "2.0", "id": "flood", "method": "kenning/unknown" }).to_string();
    let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let all = frame.repeat(200_000);
    let sent = tokio::time::timeout(Duration::from_secs(5), client.send_bytes(all.as_bytes())).await;
    assert!(sent.is_err(), "the server reads without limit and keeps the answers");
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_client_that_never_reads_uses_little_memory_and_keeps_no_server_alive() {
    let fixture = Fixture::new();
    let mut client = open_session(&fixture).await;
    flood(&mut client).await;
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.process.unwrap())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 400_000, "{kilobytes} kB");
    assert_eq!(client.close_and_wait().await, SessionEnd::Abrupt, "the client closes its end");

    let mut editor = start_editor();
    let mut client = Client::spawn(fixture.binary());
    initialize_for(&mut client, editor.id()).await;
    flood(&mut client).await;
    editor.kill().unwrap();
    editor.wait().unwrap();
    assert_eq!(client.wait_for_end().await, SessionEnd::Abrupt, "the client's process dies");
}

#[tokio::test]
async fn two_clients_on_one_workspace_have_their_own_buffers() {
    let fixture = Fixture::new();
    let (mut one, mut two) = (open_session(&fixture).await, open_session(&fixture).await);
    let file = fixture.uri("app.py");
    one.did_open(&file, 1, "def first_editor():\n    pass\n").await;
    two.did_open(&file, 1, "def second_editor():\n    pass\n").await;
    assert_eq!(one.pack("editor").await["symbols"][0]["name"], "first_editor");
    assert_eq!(two.pack("editor").await["symbols"][0]["name"], "second_editor");
    let roles = [
        one.command("kenning.status", json!({})).await.unwrap()["role"].clone(),
        two.command("kenning.status", json!({})).await.unwrap()["role"].clone(),
    ];
    assert_eq!(roles, ["writer", "reader"]);

    assert_eq!(one.shut_down().await, SessionEnd::Orderly);
    assert_eq!(
        two.pack("editor").await["symbols"][0]["name"],
        "second_editor",
        "a buffer outlives the other session"
    );
    two.notify("textDocument/didClose", json!({ "textDocument": { "uri": file } })).await;
    assert_eq!(
        two.pack("add item").await["symbols"][0]["name"],
        "Cart.add_item",
        "no session saved anything"
    );
    assert_eq!(two.shut_down().await, SessionEnd::Orderly);
}

#[tokio::test]
async fn unusual_headers_and_large_messages_are_accepted() {
    let fixture = Fixture::new();
    let mut client = open_session(&fixture).await;
    let request = |id: &str| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/executeCommand", "params": { "command": "kenning.status" } })
            .to_string()
    };
    let frame = |id: &str, headers: &str| {
        format!("{}\r\n\r\n{}", headers.replace("LENGTH", &request(id).len().to_string()), request(id))
    };
    let types = "application/vscode-jsonrpc; charset=";
    let frames = [
        frame("plain", "Content-Length: LENGTH"),
        frame("utf8", &format!("Content-Length: LENGTH\r\nContent-Type: {types}utf8")),
        frame("other", &format!("Content-Type: {types}iso-8859-1\r\nContent-Length: LENGTH")),
        frame("more", "X-One: 1\r\nX-Two: 2\r\nX-Three: 3\r\nContent-Length: LENGTH\r\nX-Four:"),
        frame("lower", "content-length:LENGTH"),
        frame("noise", "\r\n\r\nContent-Length: none\r\n\r\nContent-Length: LENGTH"),
    ];
    for message in frames {
        // The message is sent byte by byte, because it need not arrive in one piece.
        for byte in message.as_bytes() {
            client.send_bytes(std::slice::from_ref(byte)).await;
        }
    }
    // The client does not know these requests, so their answers are read without its checks.
    let mut answered = Vec::new();
    while answered.len() < 6 {
        let message = client.read_message().await.unwrap();
        if message.get("method").is_none() {
            assert!(message["result"]["symbols"].is_number(), "{message}");
            answered.push(message["id"].as_str().unwrap().to_owned());
        }
    }
    answered.sort();
    assert_eq!(answered, ["lower", "more", "noise", "other", "plain", "utf8"]);

    let line = "def large_module():\n    return 'é😀'\n";
    client.did_open(&fixture.uri("large.py"), 1, &line.repeat((8 << 20) / line.len())).await;
    assert_eq!(client.pack("add item").await["symbols"][0]["name"], "Cart.add_item");
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
}
