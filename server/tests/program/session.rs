//! Tests whole sessions with the language server, in process.

use crate::support::{Client, Fixture, uri};
use kenning::lsp::SessionEnd;
use serde_json::json;

const INVALID_PARAMS: i64 = -32602;
const REQUEST_FAILED: i64 = -32803;
const REQUEST_CANCELLED: i64 = -32800;

#[tokio::test]
async fn a_session_runs_from_initialize_to_exit() {
    let fixture = Fixture::new();
    let mut client = Client::start(fixture.options());
    let answer = client.initialize(&[fixture.root()]).await;
    let capabilities = &answer["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(
        capabilities["textDocumentSync"],
        json!({ "openClose": true, "change": 2, "save": { "includeText": false } })
    );
    assert_eq!(
        capabilities["executeCommandProvider"]["commands"],
        json!([
            "kenning.taskContext",
            "kenning.search",
            "kenning.fileContext",
            "kenning.changeContext",
            "kenning.blastRadius",
            "kenning.affectedTests",
            "kenning.graph",
            "kenning.explain",
            "kenning.feedback",
            "kenning.knowledge",
            "kenning.status",
            "kenning.waitForIndex",
            "kenning.unsavedTexts",
            "kenning.reindex",
            "kenning.enrich",
            "kenning.restartServers"
        ])
    );
    assert_eq!(capabilities["workspace"]["workspaceFolders"]["supported"], true);
    client.notify("initialized", json!({})).await;
    let end = |message: &serde_json::Value| {
        message["method"] == "$/progress" && message["params"]["value"]["kind"] == "end"
    };
    let end = client.wait_for(end).await;
    assert_eq!(end["params"]["value"]["message"], "1 file, 2 symbols");

    let pack = client.pack("add item to cart").await;
    assert_eq!(
        (&pack["symbols"][0]["file"], &pack["symbols"][0]["name"]),
        (&json!("app.py"), &json!("Cart.add_item"))
    );
    assert_eq!(pack["freshness"]["pending_files"], 0);
    assert!(pack["timings_ms"]["total"].is_number());

    assert_eq!(client.request("shutdown", json!(null)).await.unwrap(), json!(null));
    client.notify("exit", json!(null)).await;
    assert_eq!(client.wait_for_end().await, SessionEnd::Orderly);
}

#[tokio::test]
async fn exit_without_shutdown_and_a_closed_stream_are_abrupt() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    client.notify("exit", json!(null)).await;
    assert_eq!(client.wait_for_end().await, SessionEnd::Abrupt);
    let client = Client::open(&fixture).await;
    assert_eq!(client.close_and_wait().await, SessionEnd::Abrupt);
}

#[tokio::test]
async fn unsaved_edits_change_the_next_answer_and_closing_discards_them() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    let file = fixture.uri("app.py");
    client.did_open(&file, 1, "class Cart:\n    def add_item(self, item):\n        return item\n").await;
    client.did_change(&file, 2, [1, 8, 1, 16], "remove_voucher").await;
    let pack = client.pack("remove voucher").await;
    assert_eq!(pack["symbols"][0]["name"], "Cart.remove_voucher");
    assert_eq!(pack["freshness"]["unsaved_files"], 1);
    assert!(pack["symbols"][0]["text"].as_str().unwrap().contains("def remove_voucher"), "{pack}");

    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": file } })).await;
    let pack = client.pack("remove voucher").await;
    assert_eq!(pack["freshness"]["unsaved_files"], 0);
    assert!(!pack.to_string().contains("remove_voucher\""), "{pack}");
}

#[tokio::test]
async fn a_repeated_question_is_not_computed_again_until_something_changes() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    let is_computed = |pack: &serde_json::Value| !pack["timings_ms"]["walk"].is_null();
    // The server reads the commits of the repository in the background, which counts as a change.
    let mut last = client.pack("add item to cart").await;
    while is_computed(&last) {
        last = client.pack("add item to cart").await;
    }
    let again = client.pack("add item to cart").await;
    assert!(!is_computed(&again));
    assert_eq!(again["symbols"], last["symbols"]);
    assert!(is_computed(&client.pack("add items to the cart").await));

    let file = fixture.uri("app.py");
    client.did_open(&file, 1, "class Cart:\n    def add_item(self, item):\n        return item\n").await;
    client.did_change(&file, 2, [2, 8, 2, 19], "return None").await;
    let edited = client.pack("add item to cart").await;
    assert!(is_computed(&edited));
    assert!(edited["symbols"].to_string().contains("return None"), "{edited}");
}

#[tokio::test]
async fn a_burst_of_edits_is_applied_in_order() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    let file = fixture.uri("new.py");
    client.did_open(&file, 0, "def x():\n    pass\n").await;
    let name: String = (0..50).map(|n| char::from(b'a' + n % 26)).collect();
    let mut request_ids = Vec::new();
    let mut version = 0;
    for (n, letter) in name.chars().enumerate() {
        let column = 5 + n as u32;
        // Each letter takes six edits. Any two of them in the wrong order result in another name.
        client.did_change(&file, version + 1, [0, column, 0, column], "_").await;
        client.did_change(&file, version + 2, [0, column, 0, column], "wrong").await;
        client.did_change(&file, version + 3, [0, column + 5, 0, column + 6], "").await;
        client.did_change(&file, version + 4, [0, column, 0, column + 4], "").await;
        client.did_change(&file, version + 5, [0, column, 0, column + 1], &letter.to_string()).await;
        client.did_change(&file, version + 6, [1, 4, 1, 8], "pass").await;
        version += 6;
        if n % 10 == 0 {
            request_ids.push(
                client.send_request("workspace/executeCommand", json!({ "command": "kenning.status" })).await,
            );
        }
    }
    for id in request_ids {
        client.answer(id).await.unwrap();
    }
    let pack = client.pack(&format!("x{name}")).await;
    assert_eq!(pack["symbols"][0]["name"], format!("x{name}"));
    let status = client.command("kenning.status", json!({})).await.unwrap();
    let sha256 = kenning_graph::Hash::from_content(format!("def x{name}():\n    pass\n").as_bytes()).to_hex();
    assert_eq!(
        status["documents"],
        json!([{ "path": "new.py", "version": 300, "sha256": sha256, "desynchronized": null }])
    );
}

#[tokio::test]
async fn a_repeated_version_is_reported_until_the_whole_text_arrives() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    let file = fixture.uri("app.py");
    client.did_open(&file, 5, "def opened_text():\n    pass\n").await;
    client.did_change(&file, 5, [0, 4, 0, 10], "edited").await;
    let pack = client.pack("add item").await;
    assert_eq!(pack["freshness"]["desynchronized_files"], 1);
    assert_eq!(pack["symbols"][0]["name"], "Cart.add_item", "the text on disk is used");
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["documents"][0]["desynchronized"], "version 5 arrived after version 5");

    let whole = json!({
        "textDocument": { "uri": file, "version": 6 },
        "contentChanges": [{ "text": "def whole_text():\n    pass\n" }],
    });
    client.notify("textDocument/didChange", whole).await;
    assert_eq!(client.pack("whole text").await["symbols"][0]["name"], "whole_text");
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["documents"][0]["desynchronized"], json!(null));
    assert_eq!(status["unsaved_files"], 1);
}

#[tokio::test]
async fn errors_name_the_wrong_argument() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    for (command, argument, message) in [
        (
            "kenning.bogus",
            json!({}),
            "command: kenning.bogus is unknown; the commands are kenning.taskContext,",
        ),
        ("kenning.taskContext", json!({}), "task: missing; it must be a string"),
        ("kenning.taskContext", json!({ "task": 7 }), "task: must be a string, not a number"),
        ("kenning.taskContext", json!({ "task": " " }), "task: the task is empty;"),
        (
            "kenning.taskContext",
            json!({ "task": "x", "budget": "1" }),
            "budget: must be a positive whole number",
        ),
        ("kenning.taskContext", json!({ "task": "x", "format": "yaml" }), "format: \"yaml\" is unknown;"),
        ("kenning.fileContext", json!({ "uris": [] }), "uris: "),
        (
            "kenning.fileContext",
            json!({ "uris": ["untitled:a"] }),
            "uris: untitled:a is not in an open folder",
        ),
        (
            "kenning.fileContext",
            json!({ "uris": [fixture.uri("gone.py")] }),
            "uris: gone.py is not in the index;",
        ),
        ("kenning.explain", json!({ "task": "x" }), "symbol: missing;"),
        ("kenning.explain", json!({ "task": "x", "symbol": "nobody" }), "symbol: no symbol is named nobody;"),
    ] {
        let (code, text) = client.command(command, argument.clone()).await.unwrap_err();
        assert_eq!(code, INVALID_PARAMS, "{command} {argument}");
        assert!(text.starts_with(message), "{command} {argument}: {text}");
    }
}

#[tokio::test]
async fn answers_can_include_text_and_an_unchanged_pack_is_not_sent_again() {
    let fixture = Fixture::new();
    let parts: Vec<String> =
        (0..12).map(|n| format!("def item_part_{n}(item):\n    return item[{n}]\n\n\n")).collect();
    fixture.write("parts.py", &parts.concat());
    let mut client = Client::open(&fixture).await;
    let question = json!({ "task": "add item", "format": "markdown", "budget": 500 });
    let pack = client.command("kenning.taskContext", question).await.unwrap();
    assert!(pack["text"].as_str().unwrap().starts_with("# Context: add item\n"));
    assert_eq!(pack["budget"], 500);
    let again =
        json!({ "task": "add item", "format": "markdown", "budget": 500, "packRoot": pack["pack_root"] });
    let unchanged = client.command("kenning.taskContext", again).await.unwrap();
    assert_eq!(unchanged["unchanged"], true);
    assert_eq!(unchanged.get("symbols"), None);

    let file = fixture.uri("app.py");
    client.did_open(&file, 1, "class Cart:\n    def add_items(self, item):\n        return item\n").await;
    client.pack("wait for the edit").await;
    let next =
        json!({ "task": "add item", "format": "markdown", "budget": 500, "packRoot": pack["pack_root"] });
    let delta = client.command("kenning.taskContext", next).await.unwrap();
    assert_eq!(delta["base_root"], pack["pack_root"]);
    let removed = pack["symbols"].as_array().unwrap().iter().find(|symbol| symbol["name"] == "Cart.add_item");
    assert_eq!(delta["removed"], json!([removed.unwrap()["id"]]), "{delta}");
    assert_eq!(delta["added"][0]["name"], "Cart.add_items");
    let closed = json!({ "textDocument": { "uri": file } });
    client.notify("textDocument/didClose", closed).await;
    client.pack("wait for the end of the edit").await;

    let files =
        client.command("kenning.fileContext", json!({ "uris": [fixture.uri("app.py")] })).await.unwrap();
    assert_eq!(files["symbols"][0]["file"], "app.py");
    let why = json!({ "task": "add item", "symbol": "Cart.add_item" });
    let why = client.command("kenning.explain", why).await.unwrap();
    assert_eq!((&why["rank"], &why["qualified_name"]), (&json!(1), &json!("app.py::Cart.add_item")));
}

#[tokio::test]
async fn documents_outside_the_workspace_are_ignored() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    for document in ["untitled:Untitled-1", "file:///elsewhere/x.py", "vscode-notebook-cell:/a#1"] {
        client.did_open(document, 1, "def stray():\n    pass\n").await;
        client.did_change(document, 2, [0, 0, 0, 0], "x").await;
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": document } })).await;
    }
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["documents"], json!([]));
    assert_eq!(status["files"], 1);
}

#[tokio::test]
async fn changes_on_disk_are_indexed() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    fixture.write("stock.py", "def count_stock():\n    pass\n");
    let changed = json!({ "changes": [{ "uri": fixture.uri("stock.py"), "type": 1 }] });
    client.notify("workspace/didChangeWatchedFiles", changed).await;
    assert_eq!(client.pack("count stock").await["symbols"][0]["name"], "count_stock");
}

#[tokio::test]
async fn an_open_document_that_is_left_out_of_the_index_stays_out() {
    let fixture = Fixture::new();
    fixture.write(".ignore", "secret.py\n");
    fixture.write("secret.py", "def secret_plan():\n    pass\n");
    let mut client = Client::open(&fixture).await;
    client.did_open(&fixture.uri("secret.py"), 1, "def secret_plan():\n    return 1\n").await;
    let pack = client.pack("secret plan").await;
    assert!(!pack.to_string().contains("secret_plan"), "{pack}");

    fixture.write("fresh.py", "def old_text():\n    pass\n");
    client.did_open(&fixture.uri("fresh.py"), 1, "def fresh_plan():\n    pass\n").await;
    let pack = client.pack("fresh plan").await;
    assert_eq!(pack["symbols"][0]["name"], "fresh_plan", "a new file is found, and its unsaved text is used");
}

#[tokio::test]
async fn each_folder_answers_for_its_own_documents() {
    let (one, two) = (Fixture::new(), Fixture::new());
    two.write("app.py", "def in_second_folder():\n    pass\n");
    let mut client = Client::start(one.options());
    client.initialize(&[one.root(), two.root()]).await;
    client.notify("initialized", json!({})).await;
    for fixture in [&one, &two] {
        let document = json!({ "textDocument": { "uri": fixture.uri("app.py") } });
        client.command("kenning.reindex", document).await.unwrap();
    }
    let question = json!({ "task": "folder", "textDocument": { "uri": two.uri("app.py") } });
    let pack = client.command("kenning.taskContext", question).await.unwrap();
    assert_eq!(pack["symbols"][0]["name"], "in_second_folder");
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["folders"].as_array().unwrap().len(), 2);

    let removed = json!({ "added": [], "removed": [{ "uri": uri(&two.root()), "name": "w" }] });
    client.notify("workspace/didChangeWorkspaceFolders", json!({ "event": removed })).await;
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["folders"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_waiting_request_can_be_canceled_and_early_answers_are_marked() {
    let fixture = Fixture::new();
    let mut client = Client::start(fixture.options());
    client.initialize(&[fixture.root()]).await;
    // No writer runs before `initialized`, so this waits.
    let params = json!({ "command": "kenning.reindex" });
    let waiting = client.send_request("workspace/executeCommand", params).await;
    let early = client.command("kenning.taskContext", json!({ "task": "add item" })).await.unwrap();
    assert_eq!(early["symbols"], json!([]));
    assert_eq!(early["freshness"]["pending_files"], 1, "an empty answer reports pending files");
    client.notify("$/cancelRequest", json!({ "id": waiting })).await;
    assert_eq!(client.answer(waiting).await.unwrap_err().0, REQUEST_CANCELLED);
}

#[tokio::test]
async fn a_broken_message_affects_only_itself() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    for broken in ["", "{", "[]", "{\"jsonrpc\":\"2.0\"}", "\u{feff}{}", "nonsense"] {
        client.send_text(broken).await;
    }
    client.notify("textDocument/didChange", json!({ "textDocument": 7 })).await;
    client.notify("textDocument/didOpen", json!({ "textDocument": { "uri": "file:///a b%zz" } })).await;
    client.notify("kenning/unknown", json!({})).await;
    assert_eq!(client.request("kenning/unknown", json!({})).await.unwrap_err().0, -32601);
    assert_eq!(client.pack("add item").await["symbols"][0]["name"], "Cart.add_item");
}

#[tokio::test]
async fn without_a_usable_folder_errors_state_the_reason() {
    let fixture = Fixture::new();
    let mut client = Client::start(fixture.options());
    client.initialize(&[]).await;
    client.notify("initialized", json!({})).await;
    let (code, message) = client.command("kenning.taskContext", json!({ "task": "x" })).await.unwrap_err();
    assert_eq!((code, message.as_str()), (REQUEST_FAILED, "no folder is open; open a folder and try again"));

    let mut client = Client::start(fixture.options());
    client.initialize(&[fixture.root().join("missing")]).await;
    client.notify("initialized", json!({})).await;
    let (code, message) = client.command("kenning.reindex", json!({})).await.unwrap_err();
    assert_eq!(code, REQUEST_FAILED);
    assert!(message.contains("missing does not exist"), "{message}");
    let (code, message) = client.command("kenning.taskContext", json!({ "task": "x" })).await.unwrap_err();
    assert_eq!(code, REQUEST_FAILED);
    assert!(message.contains("is not indexed: the folder "), "{message}");
}
