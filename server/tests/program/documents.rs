//! Tests documents as clients send them: with every kind of URI, with every kind of text, in every
//! order.

use crate::support::{Client, Fixture, uri};
use serde_json::{Value, json};

async fn list_documents(client: &mut Client) -> Vec<Value> {
    let status = client.command("kenning.status", json!({})).await.unwrap();
    status["documents"].as_array().unwrap().clone()
}

/// Waits until answers include every edit.
async fn wait_for_edits(client: &mut Client) {
    client.pack("any task").await;
}

fn document_params(uri: &str) -> Value {
    json!({ "textDocument": { "uri": uri } })
}

#[tokio::test]
async fn documents_outside_the_folders_are_ignored() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    let foreign = [
        "untitled:Untitled-1",
        "untitled:/absolute/new.py",
        "vscode-notebook-cell:/w/book.ipynb#W0sZmlsZQ%3D%3D",
        "git:/w/app.py?%7B%22ref%22%3A%22HEAD%22%7D",
        "vscode-remote://ssh-remote%2Bhost/w/app.py",
        "https://example.org/app.py",
        "file://server/share/app.py",
        "file:///c%3A/Users/me/app.py",
        "file:///C:/Users/me/app.py",
        "file:///",
        "jdt://contents/rt.jar/java.lang/String.class?%3Da",
        "zipfile:///w/a.zip::inner.py",
        "FILE:///elsewhere/app.py",
        "a:b",
    ];
    for document in foreign {
        client.did_open(document, 1, "def stray():\n    pass\n").await;
        client.did_change(document, 2, [0, 4, 0, 9], "other").await;
        client.notify("textDocument/didSave", document_params(document)).await;
        client.notify("textDocument/didClose", document_params(document)).await;
    }
    for wrong in ["", "app.py", "/absolute/app.py", "file:///a b", "file:///%zz", "://"] {
        client.did_open(wrong, 1, "def stray():\n    pass\n").await;
    }
    wait_for_edits(&mut client).await;
    assert_eq!(list_documents(&mut client).await, Vec::<Value>::new());
    assert_eq!(client.pack("add item").await["symbols"][0]["name"], "Cart.add_item");
}

#[tokio::test]
#[cfg(unix)]
async fn files_of_every_name_are_followed() {
    let fixture = Fixture::new();
    let names = [
        "with space.py",
        "naïve-😀.py",
        "it's \"quoted\".py",
        "two\nlines.py",
        "100%.py",
        "a#b?c.py",
        "[x]{y}.py",
    ];
    for (number, name) in names.iter().enumerate() {
        fixture.write(name, &format!("def on_disk_{number}():\n    pass\n"));
    }
    let mut client = Client::open(&fixture).await;
    for (number, name) in names.iter().enumerate() {
        client.did_open(&fixture.uri(name), 1, &format!("def in_buffer_{number}():\n    pass\n")).await;
    }
    wait_for_edits(&mut client).await;
    let mut open: Vec<Value> = list_documents(&mut client).await.iter().map(|d| d["path"].clone()).collect();
    open.sort_by_key(Value::to_string);
    let mut expected: Vec<Value> = names.iter().map(|name| json!(name)).collect();
    expected.sort_by_key(Value::to_string);
    assert_eq!(open, expected);
    for (number, name) in names.iter().enumerate() {
        let pack = client.pack(&format!("in_buffer_{number}")).await;
        assert_eq!(pack["symbols"][0]["name"], format!("in_buffer_{number}"), "{name:?}");
        assert_eq!(pack["symbols"][0]["file"], *name);
    }
    // Clients escape different characters, but the URIs name the same file.
    let escaped = fixture.uri("with space.py").replace("with", "%77ith");
    client.did_change(&escaped, 2, [0, 4, 0, 15], "by_other_name").await;
    assert_eq!(client.pack("by_other_name").await["symbols"][0]["name"], "by_other_name");
}

#[tokio::test]
async fn messages_about_documents_may_come_in_any_order_and_the_log_records_it() {
    let fixture = Fixture::new();
    let mut command = fixture.binary();
    let log = fixture.root().with_file_name("log");
    command.stderr(std::fs::File::create(&log).unwrap());
    let mut client = Client::spawn(command);
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    let file = fixture.uri("app.py");
    client.did_change(&file, 1, [0, 0, 0, 5], "klass").await;
    client.notify("textDocument/didClose", document_params(&file)).await;
    client.notify("textDocument/didSave", document_params(&file)).await;
    client.did_open(&file, 7, "def first_text():\n    pass\n").await;
    client.did_open(&file, 3, "def second_text():\n    pass\n").await;
    client.did_change(&file, 4, [0, 4, 0, 10], "third").await;
    assert_eq!(client.pack("third text").await["symbols"][0]["name"], "third_text");
    assert_eq!(list_documents(&mut client).await[0]["version"], 4);
    client.notify("textDocument/didClose", document_params(&file)).await;
    client.notify("textDocument/didClose", document_params(&file)).await;
    client.did_change(&file, 5, [0, 4, 0, 10], "late").await;
    client.notify("textDocument/didChange", json!({ "textDocument": { "uri": file } })).await;
    assert_eq!(client.pack("add item").await["symbols"][0]["name"], "Cart.add_item");
    assert_eq!(list_documents(&mut client).await, Vec::<Value>::new());
    let log = std::fs::read_to_string(log).unwrap();
    for (line, times) in [
        ("ignoring an edit of a document that is not open", 2),
        ("ignoring the close of a document that is not open", 2),
        ("a document was opened twice; using the second text", 1),
        ("ignoring an unreadable notification", 1),
    ] {
        assert_eq!(log.matches(line).count(), times, "{line}:\n{log}");
    }
}

#[tokio::test]
async fn positions_use_the_negotiated_encoding() {
    for (offered, negotiated, column) in [
        (json!(["utf-8"]), "utf-8", 11),
        (json!(["utf-32", "utf-8"]), "utf-8", 11),
        (json!(["utf-32"]), "utf-32", 7),
        (json!(["utf-16", "utf-8"]), "utf-16", 8),
        (json!(null), "utf-16", 8),
    ] {
        let fixture = Fixture::new();
        let mut client = Client::start(fixture.options());
        client.capabilities = json!({ "general": { "positionEncodings": offered } });
        if offered.is_null() {
            client.capabilities = json!({});
        }
        let answer = client.initialize(&[fixture.root()]).await;
        assert_eq!(answer["capabilities"]["positionEncoding"], negotiated);
        client.notify("initialized", json!({})).await;
        client.command("kenning.reindex", json!({})).await.unwrap();
        let file = fixture.uri("app.py");
        // The name follows one character of two UTF-16 units, and one of two bytes.
        client.did_open(&file, 1, "'😀é'; old = 1\ndef old():\n    pass\n").await;
        client.did_change(&file, 2, [0, column - 2, 0, column - 1], ";new_").await;
        client.did_change(&file, 3, [1, 4, 1, 7], "renamed_function").await;
        wait_for_edits(&mut client).await;
        let expected = "'😀é';;new_old = 1\ndef renamed_function():\n    pass\n";
        let sha256 = kenning_graph::Hash::from_content(expected.as_bytes()).to_hex();
        assert_eq!(list_documents(&mut client).await[0]["sha256"], sha256, "{negotiated}");
    }
}

#[tokio::test]
async fn texts_of_every_kind_are_accepted() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    let (file, function) = (fixture.uri("app.py"), "def kept_function():\n    pass\n");
    let texts = [
        ("NUL bytes", format!("x = '\u{0}'\n\u{0}\n{function}")),
        ("a byte order mark", format!("\u{feff}{function}")),
        ("CRLF", function.replace('\n', "\r\n")),
        ("lone CR", function.replace('\n', "\r")),
        ("a line of a megabyte", format!("x = '{}'\n{function}", "a".repeat(1 << 20))),
        ("ten thousand brackets", format!("{function}x = {}\n", "[".repeat(10_000))),
        (
            "ten thousand balanced brackets",
            format!("{function}x = {}{}\n", "(".repeat(10_000), ")".repeat(10_000)),
        ),
        ("other line ends and controls", format!("\u{1b}[31m\u{2028}\u{85}\n{function}")),
    ];
    for (version, (kind, text)) in texts.iter().enumerate() {
        client.did_open(&file, version as i64 as i32, text).await;
        wait_for_edits(&mut client).await;
        let sha256 = kenning_graph::Hash::from_content(text.as_bytes()).to_hex();
        assert_eq!(list_documents(&mut client).await[0]["sha256"], sha256, "{kind}");
        // NUL bytes, lone carriage returns, very long lines and very deep nesting may cost the
        // symbols of their file.
        if ["a byte order mark", "CRLF", "other line ends and controls"].contains(kind) {
            let pack = client.pack("kept function").await;
            assert_eq!(pack["symbols"][0]["name"], "kept_function", "{kind}");
        }
    }
    // Each bracket is its own edit, as if it were typed.
    client.did_open(&file, 100, "x = 1\n").await;
    for typed in 0..10_000 {
        client.did_change(&file, 101 + typed, [0, 4, 0, 4], "[").await;
    }
    client.did_change(&file, 20_000, [1, 0, 1, 0], "def after_brackets():\n    pass\n").await;
    wait_for_edits(&mut client).await;
    let expected = format!("x = {}1\ndef after_brackets():\n    pass\n", "[".repeat(10_000));
    let sha256 = kenning_graph::Hash::from_content(expected.as_bytes()).to_hex();
    assert_eq!(list_documents(&mut client).await[0]["sha256"], sha256);
}

#[tokio::test]
async fn a_file_of_a_hundred_megabytes_is_accepted() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    let line = "def huge_function():\n    return 'é😀'\n";
    let file = fixture.uri("huge.py");
    client.did_open(&file, 1, &line.repeat((100 << 20) / line.len())).await;
    client.did_change(&file, 2, [0, 4, 0, 8], "small").await;
    let pack = client.pack("add item").await;
    assert_eq!(pack["symbols"][0]["name"], "Cart.add_item");
    client.notify("textDocument/didClose", document_params(&file)).await;
    wait_for_edits(&mut client).await;
    assert_eq!(list_documents(&mut client).await, Vec::<Value>::new());
}

#[tokio::test]
async fn unusual_folder_uris_are_accepted() {
    let fixture = Fixture::new();
    let mut client = Client::start(fixture.options());
    let folders = json!([
        { "uri": "untitled:folder", "name": "none" },
        { "uri": uri(&fixture.root()), "name": "w" },
        { "uri": uri(&fixture.root()) + "/", "name": "the same" },
    ]);
    let params = json!({ "processId": null, "capabilities": {}, "workspaceFolders": folders });
    client.request("initialize", params).await.unwrap();
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["folders"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(client.pack("add item").await["symbols"][0]["name"], "Cart.add_item");
}

#[tokio::test]
async fn a_document_too_large_to_parse_on_every_edit_is_reported_and_indexed_on_save() {
    let fixture = Fixture::new();
    let comment = format!("# {}\n", "long ".repeat(12)).repeat(36);
    let function =
        |number: usize| format!("def large_function_{number:06}():\n    return {number}\n\n\n{comment}");
    let large: String = (0..500).map(function).collect();
    assert!(large.len() > 1024 * 1024);
    fixture.write("large.py", &large);
    let large_uri = fixture.uri("large.py");
    let hover = json!({ "textDocument": { "uri": large_uri }, "position": { "line": 0, "character": 8 } });
    let mut client = Client::open(&fixture).await;
    client.did_open(&large_uri, 1, &large).await;
    wait_for_edits(&mut client).await;
    let text = client.request("textDocument/hover", hover.clone()).await.unwrap();
    assert!(
        text["contents"]["value"].as_str().unwrap().contains("0 callers"),
        "the hover works before the edit: {text}"
    );
    client.did_change(&large_uri, 2, [0, 0, 0, 0], "# edited\n").await;
    wait_for_edits(&mut client).await;
    let below = json!({ "textDocument": { "uri": large_uri }, "position": { "line": 1, "character": 8 } });
    let text = client.request("textDocument/hover", below.clone()).await.unwrap();
    let value = text["contents"]["value"].as_str().unwrap();
    assert!(value.contains("File larger than 1 MiB: changes are indexed when you save it"), "{value}");
    assert_eq!(text["range"]["end"], json!({ "line": 1, "character": 25 }));
    let status = client.command("kenning.status", json!({})).await.unwrap();
    let message = "File larger than 1 MiB: changes are indexed when you save it";
    assert_eq!(status["documents"][0]["left_out"], message);
    assert_eq!((&status["large_files"], &status["unsaved_files"]), (&json!(1), &json!(0)));
    assert_eq!(client.pack("large_function_000007").await["symbols"][0]["name"], "large_function_000007");
    fixture.write("large.py", &format!("# edited\n{large}"));
    client.notify("textDocument/didSave", document_params(&large_uri)).await;
    wait_for_edits(&mut client).await;
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["documents"][0].get("left_out"), None, "{status}");
    let text = client.request("textDocument/hover", below).await.unwrap();
    assert!(
        text["contents"]["value"].as_str().unwrap().contains("0 callers"),
        "the hover works after the save: {text}"
    );
}
