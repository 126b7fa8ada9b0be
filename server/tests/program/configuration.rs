//! Tests options that change while a session runs.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};

fn is_warning(message: &Value) -> bool {
    message["method"] == "window/showMessage" && message["params"]["type"] == 2
}

/// Returns the number of files in the index.
async fn count_files(client: &mut Client) -> Value {
    client.command("kenning.reindex", json!({})).await.unwrap()["files"].take()
}

/// Repeats the question until the index has `expected` files.
async fn wait_for_files(client: &mut Client, expected: u64) {
    for _ in 0..10_000 {
        if count_files(client).await == expected {
            return;
        }
    }
    panic!("the index never had {expected} files");
}

async fn report_change(client: &mut Client, fixture: &Fixture, path: &str) {
    let changed = json!({ "changes": [{ "uri": fixture.uri(path), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changed).await;
}

#[tokio::test]
async fn excluded_files_leave_the_graph_and_come_back() {
    let fixture = Fixture::new();
    fixture.write("made/stock.py", "def count_stock():\n    pass\n");
    fixture.write("kenning.toml", "index.exclude = [\"made/\"]\n");
    let mut client = Client::open(&fixture).await;
    assert_eq!(count_files(&mut client).await, 1, "the file applies from the first indexing on");

    fixture.write("kenning.toml", "");
    report_change(&mut client, &fixture, "kenning.toml").await;
    assert_eq!(client.pack("count stock").await["symbols"][0]["name"], "count_stock");

    let settings = json!({ "settings": { "kenning": { "index": { "exclude": ["stock.*"] } } } });
    client.notify("workspace/didChangeConfiguration", settings).await;
    assert!(!client.pack("count stock").await.to_string().contains("count_stock"));
    let settings = json!({ "settings": { "kenning": {} } });
    client.notify("workspace/didChangeConfiguration", settings).await;
    assert_eq!(count_files(&mut client).await, 2);
    let settings = json!({ "settings": { "index": { "maxFileSize": 40 } } });
    client.notify("workspace/didChangeConfiguration", settings).await;
    assert_eq!(count_files(&mut client).await, 1, "a smaller limit also applies");
}

#[tokio::test]
async fn an_open_document_that_is_excluded_also_leaves_the_graph() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    let file = fixture.uri("app.py");
    client.did_open(&file, 1, "def unsaved_text():\n    pass\n").await;
    assert_eq!(client.pack("unsaved text").await["symbols"][0]["name"], "unsaved_text");
    let settings = json!({ "settings": { "kenning": { "index": { "exclude": ["/app.py"] } } } });
    client.notify("workspace/didChangeConfiguration", settings).await;
    assert!(!client.pack("unsaved text").await.to_string().contains("unsaved_text\""));
    client.did_change(&file, 2, [0, 4, 0, 4], "still_").await;
    assert!(!client.pack("still unsaved text").await.to_string().contains("still_unsaved_text\""));
    client.notify("workspace/didChangeConfiguration", json!({ "settings": { "kenning": {} } })).await;
    assert_eq!(client.pack("unsaved text").await["symbols"][0]["name"], "still_unsaved_text");
}

#[tokio::test]
async fn the_editor_is_asked_for_settings_at_the_start_and_after_each_change() {
    let fixture = Fixture::new();
    fixture.write("made/stock.py", "def count_stock():\n    pass\n");
    let mut client = Client::start(fixture.options());
    client.settings = json!({ "index": { "exclude": ["made/"] } });
    let capabilities = json!({
        "workspace": { "configuration": true, "didChangeConfiguration": { "dynamicRegistration": true } },
    });
    client.capabilities = capabilities;
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    assert_eq!(count_files(&mut client).await, 1);
    let request = client.requests.iter().find(|r| r["method"] == "workspace/configuration").unwrap();
    let root = crate::support::uri(&fixture.root());
    assert_eq!(request["params"]["items"], json!([{ "scopeUri": root, "section": "kenning" }]));
    let registered = |request: &&Value| {
        request["params"]["registrations"][0]["method"] == "workspace/didChangeConfiguration"
    };
    assert!(client.requests.iter().any(|request| registered(&request)));

    client.settings = json!({ "index": { "exclude": [] } });
    client.notify("workspace/didChangeConfiguration", json!({ "settings": null })).await;
    wait_for_files(&mut client, 2).await;
}

#[tokio::test]
async fn invalid_options_are_reported_and_affect_only_themselves() {
    let fixture = Fixture::new();
    fixture.write("made/stock.py", "def count_stock():\n    pass\n");
    let mut client = Client::start(fixture.options());
    let options = json!({ "hover": { "enabeld": false }, "index": { "exclude": ["made/"], "threads": -1 } });
    client.options = options;
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    let warning = client.wait_for(is_warning).await;
    assert_eq!(
        warning["params"]["message"],
        "Kenning: the editor's initializationOptions: hover.enabeld: is not an option; did you mean hover.enabled?\n\
         the editor's initializationOptions: index.threads: must be a whole number from 0 to 256, not -1"
    );
    assert_eq!(count_files(&mut client).await, 1);

    fixture.write("kenning.toml", "index.threads = 1\nindex.exclude = = 3\n");
    report_change(&mut client, &fixture, "kenning.toml").await;
    let warning = client.wait_for(is_warning).await;
    assert!(
        warning["params"]["message"].as_str().unwrap().contains("kenning.toml: line 2 is not valid TOML: ")
    );
    for settings in [json!({ "settings": 7 }), json!({ "settings": { "kenning": [1] } }), json!({})] {
        client.notify("workspace/didChangeConfiguration", settings).await;
    }
    assert_eq!(count_files(&mut client).await, 1, "the session continues");
}

#[tokio::test]
async fn the_editors_log_follows_the_level_that_it_sets() {
    use tracing_subscriber::layer::SubscriberExt;
    let fixture = Fixture::new();
    let log = kenning::log::ClientLog::default();
    // The handlers of this test run in its own thread.
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(log.tracing_layer()));
    let mut client = Client::start(kenning::lsp::ServeOptions { log: Some(log), ..fixture.options() });
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    let is_log = |message: &Value| message["method"] == "window/logMessage";
    client.command("kenning.first", json!({})).await.unwrap_err();
    let line = client.wait_for(is_log).await;
    assert_eq!(line["params"]["type"], 3);
    let text = line["params"]["message"].as_str().unwrap();
    assert!(text.starts_with("a command failed (command: kenning.first, error: "), "{text}");

    let level = |level: &str| json!({ "settings": { "kenning": { "log": { "level": level } } } });
    client.notify("workspace/didChangeConfiguration", level("warn")).await;
    client.command("kenning.second", json!({})).await.unwrap_err();
    client.notify("workspace/didChangeConfiguration", level("debug")).await;
    client.did_open("file:///elsewhere/x.py", 1, "").await;
    let line = client.wait_for(is_log).await;
    assert_eq!(line["params"]["type"], 4);
    assert_eq!(line["params"]["message"], "ignored: not in an open folder (uri: file:///elsewhere/x.py)");
}

#[tokio::test]
async fn the_next_disk_check_finds_a_change_that_was_not_reported() {
    let fixture = Fixture::new();
    fixture.write("made/stock.py", "def count_stock():\n    pass\n");
    let mut client = Client::open(&fixture).await;
    assert_eq!(count_files(&mut client).await, 2);
    fixture.write("kenning.toml", "index.exclude = [\"made/\"]\n");
    wait_for_files(&mut client, 1).await;
}

#[tokio::test]
async fn the_pack_budget_changes_immediately() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    assert_eq!(client.pack("add item").await["budget"], 8_000);
    fixture.write("kenning.toml", "pack.budget = 900\n");
    report_change(&mut client, &fixture, "kenning.toml").await;
    assert_eq!(client.pack("add item").await["budget"], 900);
    let settings = json!({ "settings": { "kenning": { "pack": { "budget": 700 } } } });
    client.notify("workspace/didChangeConfiguration", settings).await;
    assert_eq!(client.pack("add item").await["budget"], 700);
    let question = json!({ "task": "add item", "budget": 800 });
    assert_eq!(client.command("kenning.taskContext", question).await.unwrap()["budget"], 800);
}

#[tokio::test]
async fn the_editor_is_asked_to_watch_files_only_if_configured() {
    for (watch, expected) in [("auto", true), ("client", true), ("own", false), ("off", false)] {
        let fixture = Fixture::new();
        let mut client = Client::start(fixture.options());
        client.options = json!({ "index": { "watch": watch } });
        client.initialize(&[fixture.root()]).await;
        client.notify("initialized", json!({})).await;
        count_files(&mut client).await;
        client.pack("add item").await;
        let watches = |request: &Value| {
            request["params"]["registrations"][0]["method"] == "workspace/didChangeWatchedFiles"
        };
        assert_eq!(client.requests.iter().any(watches), expected, "{watch}");
    }
}
