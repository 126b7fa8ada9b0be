//! Tests the commands as a client calls them.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};
use std::process::Command;

const INVALID_PARAMS: i64 = -32602;
const REQUEST_FAILED: i64 = -32803;
const REQUEST_CANCELLED: i64 = -32800;

const SHOP: &str = "class Cart:\n    def add_item(self, item):\n        return item\n\n\n\
def fill(cart: Cart):\n    cart.add_item(1)\n\n\ndef open_shop():\n    fill(Cart())\n";
const TEST: &str = "from shop import open_shop\n\n\ndef test_opening():\n    open_shop()\n";

/// Creates a repository with a commit on its main branch.
fn create_shop() -> Fixture {
    let fixture = Fixture::new();
    std::fs::remove_file(fixture.root().join("app.py")).unwrap();
    fixture.write("shop.py", SHOP);
    fixture.write("tests/test_shop.py", TEST);
    git(&fixture, &["init", "-q", "-b", "main", "."]);
    commit(&fixture);
    fixture
}

fn git(fixture: &Fixture, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    assert!(command.current_dir(fixture.root()).status().unwrap().success(), "{arguments:?}");
}

fn commit(fixture: &Fixture) {
    git(fixture, &["add", "-A"]);
    git(fixture, &["commit", "-q", "-m", "a commit"]);
}

/// Repeats a command until its answer includes every file, as [`Client::pack`] does.
async fn run_until_complete(client: &mut Client, command: &str, argument: Value) -> Value {
    loop {
        let answer = client.command(command, argument.clone()).await.unwrap();
        let freshness = &answer["freshness"];
        if freshness["pending_files"] == 0 && freshness.get("disk_check_pending").is_none() {
            return answer;
        }
    }
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_pack_for_nonsense_says_that_nothing_matches_unless_the_editor_sends_a_position() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let question = json!({ "task": "recipe for lasagna", "format": "markdown", "explain": true });
    let pack = run_until_complete(&mut client, "kenning.taskContext", question).await;
    let statement = "Nothing in this workspace matches.";
    assert_eq!((&pack["confidence"], &pack["statement"]), (&json!("none"), &json!(statement)));
    assert_eq!(pack["symbols"], json!([]));
    assert!(pack["text"].as_str().unwrap().contains(statement), "{pack}");
    let here = json!({
        "task": "recipe for lasagna",
        "textDocument": { "uri": fixture.uri("shop.py") },
        "position": { "line": 1, "character": 10 },
    });
    let pack = run_until_complete(&mut client, "kenning.taskContext", here).await;
    assert_eq!(pack.get("statement"), None);
    assert_ne!(pack["confidence"], "none");
}

#[tokio::test]
async fn a_change_reaches_from_the_base_to_the_unsaved_text() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let pack = run_until_complete(&mut client, "kenning.changeContext", json!({})).await;
    assert_eq!((&pack["change"]["base"], &pack["change"]["files"]), (&json!("main"), &json!([])));
    assert_eq!(pack["symbols"], json!([]));
    assert_eq!(pack["budget"], 8000);

    let file = fixture.uri("shop.py");
    client.did_open(&file, 1, SHOP).await;
    client.did_change(&file, 2, [6, 18, 6, 19], "2").await;
    let question = json!({ "format": "markdown", "base": "HEAD" });
    let pack = run_until_complete(&mut client, "kenning.changeContext", question).await;
    let changed = json!([{ "path": "shop.py", "status": "modified", "lines": [[7, 7]] }]);
    assert_eq!(pack["change"]["files"], changed, "the edit is not on disk");
    assert_eq!(pack["symbols"][0]["name"], "fill");
    assert_eq!(pack["symbols"][0]["distance"], 0);
    assert!(names(&pack["symbols"]).contains(&"Cart.add_item"), "{pack}");
    let text = pack["text"].as_str().unwrap();
    assert!(text.starts_with("# Context: changes since HEAD\n"), "{text}");
    assert!(text.contains("- modified `shop.py`: lines 7\n"), "{text}");
    assert!(pack["timings_ms"]["git"].is_number());
}

#[tokio::test]
async fn a_name_or_a_position_selects_the_symbol_of_a_blast_radius() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let question = json!({ "symbol": "Cart.add_item", "format": "markdown" });
    let blast = run_until_complete(&mut client, "kenning.blastRadius", question).await;
    assert_eq!(blast["target"]["qualified_name"], "shop.py::Cart.add_item");
    let name = json!({ "start": { "line": 1, "character": 8 }, "end": { "line": 1, "character": 16 } });
    assert_eq!(blast["target"]["location"], json!({ "uri": fixture.uri("shop.py"), "range": name }));
    assert_eq!(names(&blast["callers"]), ["fill"]);
    assert_eq!(blast["callers"][0]["call_line"], 7);
    let call = json!({ "start": { "line": 6, "character": 4 }, "end": { "line": 6, "character": 20 } });
    assert_eq!(blast["callers"][0]["call_location"]["range"], call);
    let group = &blast["users"][0];
    assert_eq!(
        (&group["role"], &group["label"], &group["count"]["value"]),
        (&json!("caller"), &json!("Callers"), &json!(1))
    );
    let user = &group["files"][0]["users"][0];
    assert_eq!((&user["name"], &user["relation"]), (&json!("fill"), &json!("calls it")));
    assert_eq!((&user["use_line"], &user["has_users"]), (&json!(7), &json!(true)));
    assert_eq!(user["use_location"]["range"], call);
    let tests = &blast["users"][1];
    assert_eq!((&tests["role"], &tests["files"][0]["users"][0]["distance"]), (&json!("test"), &json!(3)));
    let child =
        json!({ "symbol": user["id"], "textDocument": { "uri": fixture.uri("shop.py") }, "depth": 1 });
    let child = run_until_complete(&mut client, "kenning.blastRadius", child).await;
    assert_eq!(names(&child["users"][0]["files"][0]["users"]), ["open_shop"], "the next level");
    assert_eq!(blast["counts"]["dependents"]["value"], 3);
    assert_eq!(names(&blast["levels"][1]), ["open_shop"]);
    assert_eq!(blast["levels"][1][0]["provenance"], "ast_resolved");
    assert_eq!(names(&blast["tests"]), ["test_opening"]);
    assert_eq!(blast["tests"][0]["distance"], 3);
    let text = blast["text"].as_str().unwrap();
    assert!(
        text.starts_with("# Blast radius of `Cart.add_item`\n\n`shop.py:2` (method): 1 caller · "),
        "{text}"
    );

    let position = json!({
        "textDocument": { "uri": fixture.uri("shop.py") }, "position": { "line": 1, "character": 10 }, "depth": 1,
    });
    let by_position = run_until_complete(&mut client, "kenning.blastRadius", position).await;
    assert_eq!((&by_position["target"], &by_position["counts"]), (&blast["target"], &blast["counts"]));
    assert_eq!(by_position["levels"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn affected_tests_have_a_call_path_to_the_change() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let files = json!({ "uris": [fixture.uri("shop.py")], "format": "markdown" });
    let by_file = run_until_complete(&mut client, "kenning.affectedTests", files).await;
    assert_eq!(names(&by_file["tests"]), ["test_opening"]);
    assert_eq!(names(&by_file["tests"][0]["path"]), ["test_opening", "open_shop"], "the shortest path");
    assert_eq!(by_file["files"], json!(["shop.py"]));
    assert!(by_file["text"].as_str().unwrap().contains("`test_opening` → `open_shop`"), "{by_file}");

    let none = run_until_complete(&mut client, "kenning.affectedTests", json!({})).await;
    assert_eq!((&none["tests"], &none["targets"]), (&json!([]), &json!(0)), "nothing changed");
    fixture.write("shop.py", &SHOP.replace("return item", "return [item]"));
    let changed = json!({ "changes": [{ "uri": fixture.uri("shop.py"), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changed).await;
    let by_change = run_until_complete(&mut client, "kenning.affectedTests", json!({ "base": "main" })).await;
    let path = ["test_opening", "open_shop", "fill", "Cart.add_item"];
    assert_eq!(names(&by_change["tests"][0]["path"]), path);
    assert_eq!(by_change["change"]["files"][0]["lines"], json!([[3, 3]]));
}

#[tokio::test]
async fn the_commands_of_affected_tests_can_be_limited_to_some_of_them() {
    let fixture = create_shop();
    let tests = "from shop import open_shop\n\n\ndef test_one():\n    open_shop()\n\n\ndef test_two():\n    open_shop()\n";
    fixture.write("tests/test_more.py", tests);
    let mut client = Client::open(&fixture).await;
    let files = json!({ "uris": [fixture.uri("shop.py")] });
    let all = run_until_complete(&mut client, "kenning.affectedTests", files.clone()).await;
    let ids: Vec<&Value> = all["tests"].as_array().unwrap().iter().map(|test| &test["id"]).collect();
    assert_eq!((ids.len(), all["commands"].as_array().unwrap().len()), (3, 1), "{all}");
    let two = all["tests"].as_array().unwrap().iter().find(|test| test["name"] == "test_two").unwrap();
    let mut question = files;
    question["runOnly"] = json!([two["id"], "0000"]);
    let limited = run_until_complete(&mut client, "kenning.affectedTests", question.clone()).await;
    assert_eq!(limited["commands"], json!(["python -m pytest tests/test_more.py::test_two"]));
    assert_eq!(limited["tests"], all["tests"], "the tests themselves are not limited");
    question["runOnly"] = json!([]);
    let none = run_until_complete(&mut client, "kenning.affectedTests", question).await;
    assert_eq!(none["commands"], json!([]));
}

#[tokio::test]
async fn a_graph_has_nodes_edges_and_diagrams() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let question = json!({ "symbol": "fill", "depth": 1, "format": "svg" });
    let graph = run_until_complete(&mut client, "kenning.graph", question).await;
    assert_eq!(graph["nodes"][0]["qualified_name"], "shop.py::fill");
    assert!(names(&graph["nodes"]).contains(&"open_shop"), "{graph}");
    let calls = |edge: &Value| edge["kind"] == "calls" && edge["source"] == 0;
    assert!(graph["edges"].as_array().unwrap().iter().any(calls), "{graph}");
    assert!(graph["text"].as_str().unwrap().starts_with("<svg "));
    let one = run_until_complete(&mut client, "kenning.graph", json!({ "symbol": "fill", "limit": 1 })).await;
    assert_eq!((one["nodes"].as_array().unwrap().len(), &one["truncated"]), (1, &json!(true)));
}

#[tokio::test]
async fn the_position_of_the_cursor_is_a_weak_hint() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    client.pack("settle").await;
    let question = |position: Value| json!({ "task": "test opening", "textDocument": { "uri": fixture.uri("shop.py") }, "position": position });
    let without = client.command("kenning.taskContext", question(Value::Null)).await.unwrap();
    let plain = client.command("kenning.taskContext", json!({ "task": "test opening" })).await.unwrap();
    assert_eq!(without["pack_root"], plain["pack_root"]);
    assert!(!plain.to_string().contains("editor"), "{plain}");
    let position = json!({ "line": 2, "character": 9 });
    let here = client.command("kenning.taskContext", question(position.clone())).await.unwrap();
    let first = |pack: &Value| pack["symbols"][0]["name"].clone();
    assert_eq!(first(&here), first(&plain), "the words keep their order");
    let mut why = question(position.clone());
    why["symbol"] = json!("Cart.add_item");
    why["format"] = json!("markdown");
    let why = client.command("kenning.explain", why).await.unwrap();
    let channels = why["channels"].as_array().unwrap();
    assert!(
        channels.iter().any(|c| (&c["channel"], &c["reason"]) == (&json!("editor"), &json!("here"))),
        "{why}"
    );
    assert!(why["text"].as_str().unwrap().contains("Cart.add_item"), "{why}");
    let lost = json!({ "task": "x", "position": position });
    let (code, message) = client.command("kenning.taskContext", lost).await.unwrap_err();
    assert_eq!(code, INVALID_PARAMS);
    assert!(message.starts_with("textDocument: missing;"), "{message}");
}

#[tokio::test]
async fn a_pack_shows_pinned_symbols_first_and_omits_excluded_ones() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let pack = client.pack("test opening").await;
    let found = names(&pack["symbols"]);
    assert_eq!(found[0], "test_opening");
    let id = |name: &str| {
        let symbols = pack["symbols"].as_array().unwrap();
        symbols.iter().find(|s| s["name"] == name).unwrap()["id"].clone()
    };
    let question = json!({
        "task": "test opening", "pinned": [id("open_shop"), "0123456789ab"], "excluded": [id("test_opening")],
    });
    let again = run_until_complete(&mut client, "kenning.taskContext", question).await;
    let listed = names(&again["symbols"]);
    assert_eq!(listed[0], "open_shop");
    assert!(!listed.contains(&"test_opening"), "{listed:?}");
    assert_ne!(again["pack_root"], pack["pack_root"]);
    let wrong = json!({ "task": "test opening", "excluded": ["gone"] });
    let (code, message) = client.command("kenning.taskContext", wrong).await.unwrap_err();
    assert_eq!(code, INVALID_PARAMS);
    assert!(message.starts_with("excluded: gone is not the id of a symbol;"), "{message}");
}

#[tokio::test]
async fn a_blast_radius_names_the_users_in_other_open_folders() {
    let (service, web) = (Fixture::new(), Fixture::new());
    service.write(
        "app.py",
        "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get('/users/<int:id>')\ndef show_user(id):\n    return id\n",
    );
    web.write("api.ts", "export async function loadUser(id: number) {\n  return fetch(`/users/${id}`);\n}\n");
    let mut client = Client::start(service.options());
    client.initialize(&[service.root(), web.root()]).await;
    client.notify("initialized", json!({})).await;
    for uri in [service.uri("app.py"), web.uri("api.ts")] {
        client.command("kenning.reindex", json!({ "textDocument": { "uri": uri } })).await.unwrap();
    }
    let document = json!({ "uri": service.uri("app.py") });
    let question = json!({ "symbol": "show_user", "textDocument": document, "format": "markdown" });
    let answer = run_until_complete(&mut client, "kenning.blastRadius", question).await;
    assert_eq!(
        answer["counts"]["dependents"]["value"], 0,
        "the counts include only the folder of the symbol"
    );
    let groups = answer["users"].as_array().unwrap();
    let [group] = &groups[..] else { panic!("{answer}") };
    let file = &group["files"][0];
    let name = web.root().file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(
        (group["role"].as_str(), file["file"].as_str()),
        (Some("elsewhere"), Some(&*format!("{name}/api.ts")))
    );
    assert_eq!(file["users"][0]["location"]["uri"], web.uri("api.ts"));
    let text = answer["text"].as_str().unwrap();
    let line = format!("- `{name}/api.ts:1` `loadUser` (function, requests GET /users/{{}})");
    assert!(text.contains(&line) && answer.get("no_users").is_none(), "{text}");
    let back = json!({ "symbol": "loadUser", "textDocument": { "uri": web.uri("api.ts") } });
    let answer = run_until_complete(&mut client, "kenning.blastRadius", back).await;
    assert_eq!(answer["users"], json!([]), "a consumer of an endpoint has no users");
}

#[tokio::test]
async fn errors_name_the_wrong_argument() {
    let fixture = create_shop();
    let other = Fixture::new();
    let mut client = Client::start(fixture.options());
    client.initialize(&[fixture.root(), other.root()]).await;
    client.notify("initialized", json!({})).await;
    for folder in [&fixture, &other] {
        let document = json!({ "textDocument": { "uri": folder.uri("app.py") } });
        client.command("kenning.reindex", document).await.unwrap();
    }
    let document = json!({ "uri": fixture.uri("shop.py") });
    let position = json!({ "line": 0, "character": 0 });
    for (command, argument, message) in [
        (
            "kenning.changeContext",
            json!({ "base": "nowhere" }),
            "base: \"nowhere\" is not a commit of this repository",
        ),
        ("kenning.changeContext", json!({ "base": 1 }), "base: must be a string, not a number"),
        ("kenning.changeContext", json!({ "budget": 0 }), "budget: must be a positive whole number, not 0"),
        ("kenning.blastRadius", json!({}), "symbol: missing; pass a symbol, or textDocument and position"),
        ("kenning.blastRadius", json!({ "position": position }), "textDocument: missing;"),
        ("kenning.blastRadius", json!({ "textDocument": document }), "position: missing;"),
        (
            "kenning.blastRadius",
            json!({ "textDocument": {}, "position": position }),
            "textDocument.uri: missing;",
        ),
        (
            "kenning.blastRadius",
            json!({ "textDocument": document, "position": { "line": 0 } }),
            "position.character: missing;",
        ),
        (
            "kenning.blastRadius",
            json!({ "symbol": "fill", "position": position }),
            "symbol: pass a symbol or a position",
        ),
        ("kenning.blastRadius", json!({ "symbol": "nobody" }), "symbol: no symbol is named nobody;"),
        ("kenning.blastRadius", json!({ "symbol": "fill", "depth": 7 }), "depth: must be from 1 to 6, not 7"),
        (
            "kenning.blastRadius",
            json!({ "textDocument": { "uri": "untitled:x" }, "position": position }),
            "textDocument: untitled:x is not in an open folder",
        ),
        (
            "kenning.blastRadius",
            json!({ "textDocument": { "uri": "no uri" }, "position": position }),
            "textDocument.uri: \"no uri\" is not a URI",
        ),
        ("kenning.blastRadius", json!({ "symbol": " " }), "symbol: the symbol is empty; pass Class.method"),
        (
            "kenning.taskContext",
            json!({ "task": "x", "textDocument": { "uri": "file:///nowhere/x.py" } }),
            "textDocument: file:///nowhere/x.py is not in an open folder",
        ),
        (
            "kenning.reindex",
            json!({ "textDocument": { "uri": "file:///nowhere/x.py" } }),
            "textDocument: file:///nowhere/x.py is not in an open folder",
        ),
        ("kenning.affectedTests", json!({ "uris": [], "base": "main" }), "base: give files or a base"),
        (
            "kenning.affectedTests",
            json!({ "uris": [fixture.uri("shop.py"), other.uri("app.py")] }),
            "uris: the files belong to several folders",
        ),
        (
            "kenning.affectedTests",
            json!({ "uris": [fixture.uri("gone.py")] }),
            "uris: gone.py is not in the index",
        ),
        (
            "kenning.graph",
            json!({ "symbol": "fill", "limit": 5000 }),
            "limit: must be from 1 to 1000, not 5000",
        ),
        (
            "kenning.graph",
            json!({ "symbol": "fill", "format": "png" }),
            "format: \"png\" is unknown; it must be json, dot or svg",
        ),
    ] {
        let (code, text) = client.command(command, argument.clone()).await.unwrap_err();
        assert_eq!(code, INVALID_PARAMS, "{command} {argument}: {text}");
        assert!(text.starts_with(message), "{command} {argument}: {text}");
    }
    let nothing = json!({ "textDocument": document, "position": { "line": 3, "character": 0 } });
    let (code, message) = client.command("kenning.blastRadius", nothing).await.unwrap_err();
    assert_eq!((code, message.as_str()), (REQUEST_FAILED, "no symbol found at line 4 of shop.py"));
    let elsewhere = json!({ "textDocument": { "uri": other.uri("app.py") } });
    let (code, message) = client.command("kenning.changeContext", elsewhere).await.unwrap_err();
    assert_eq!(code, REQUEST_FAILED);
    assert!(message.contains("is not in a git repository"), "{message}");
    for (method, params, message) in [
        ("textDocument/hover", json!({ "textDocument": document }), "position: missing"),
        ("workspace/executeCommand", json!({ "arguments": [] }), "command: missing"),
        (
            "workspace/executeCommand",
            json!({ "command": "x", "arguments": "y" }),
            "params: invalid type: string",
        ),
    ] {
        let (code, text) = client.request(method, params).await.unwrap_err();
        assert_eq!(code, INVALID_PARAMS);
        assert!(text.starts_with(message), "{text}");
    }
    // An argument of a newer client is not an error.
    client.command("kenning.graph", json!({ "symbol": "fill", "colors": true })).await.unwrap();
}

#[tokio::test]
async fn a_status_waits_for_the_edits_before_it() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    client.pack("settle").await;
    let file = fixture.uri("shop.py");
    client.did_open(&file, 1, SHOP).await;
    for version in 2..20 {
        client.did_change(&file, version, [6, 18, 6, 19], &(version % 10).to_string()).await;
        let status = client.command("kenning.status", json!({})).await.unwrap();
        // A machine that is too slow for the time limit reports that something is pending.
        if status["pending_files"] == 0 {
            assert_eq!(status["documents"][0]["version"], version, "{status}");
        }
    }
}

#[tokio::test]
async fn progress_is_shown_under_the_clients_token() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    client.pack("settle").await;
    client.notifications.clear();
    let argument = json!({ "symbol": "fill" });
    let params = json!({ "command": "kenning.graph", "arguments": [argument], "workDoneToken": "mine" });
    client.request("workspace/executeCommand", params).await.unwrap();
    // The answer and the last notification may arrive in either order.
    for kind in ["begin", "end"] {
        let shown = client.wait_for(|message| message["params"]["token"] == "mine").await;
        assert_eq!(shown["params"]["value"]["kind"], kind);
    }
}

#[tokio::test]
async fn long_work_has_progress_that_the_client_can_cancel() {
    let fixture = create_shop();
    let mut client = Client::start(fixture.options());
    client.initialize(&[fixture.root()]).await;
    // No writer runs before `initialized`, so this waits until it is canceled.
    let waiting =
        client.send_request("workspace/executeCommand", json!({ "command": "kenning.reindex" })).await;
    let begin = client.wait_for(|message| message["params"]["value"]["kind"] == "begin").await;
    let token = &begin["params"]["token"];
    assert!(token.as_str().unwrap().starts_with("kenning/command/"), "{begin}");
    assert_eq!(begin["params"]["value"]["cancellable"], true);
    client.notify("window/workDoneProgress/cancel", json!({ "token": token })).await;
    assert_eq!(client.answer(waiting).await.unwrap_err().0, REQUEST_CANCELLED);
    let end = |message: &Value| message["params"]["value"]["kind"] == "end";
    assert_eq!(client.wait_for(end).await["params"]["token"], *token);
}

/// Returns the JSON that a command of the command line prints.
fn command_line_answer(fixture: &Fixture, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.args(arguments).args(["--format", "json", "--db"]).arg(fixture.root().join("../other/graph.db"));
    let output = command.current_dir(fixture.root()).env_remove("KENNING_LOG").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn command_line_and_server_give_the_same_answers() {
    /// Removes the parts that differ by design: times, and fields that only a client can use.
    fn remove_envelope(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for envelope in ["freshness", "timings_ms", "location", "call_location", "use_location"] {
                    fields.shift_remove(envelope);
                }
                fields.values_mut().for_each(remove_envelope);
            }
            Value::Array(items) => items.iter_mut().for_each(remove_envelope),
            _ => {}
        }
    }
    let fixture = create_shop();
    fixture.write("shop.py", &SHOP.replace("return item", "return [item]"));
    fixture.write("new.py", "from shop import fill\n\n\ndef again(cart):\n    fill(cart)\n");
    // The server reads the history in the background, so its answers would depend on the time.
    fixture.write("kenning.toml", "[index]\nhistory = false\n");
    let mut client = Client::open(&fixture).await;
    for (line, command, argument) in [
        (&["changes", "--no-learning"][..], "kenning.changeContext", json!({})),
        (
            &["changes", "--base", "HEAD", "--budget", "300"],
            "kenning.changeContext",
            json!({ "base": "HEAD", "budget": 300 }),
        ),
        (&["blast", "fill"], "kenning.blastRadius", json!({ "symbol": "fill" })),
        (
            &["blast", "shop.py:7", "--depth", "1"],
            "kenning.blastRadius",
            json!({ "symbol": "fill", "depth": 1 }),
        ),
        (&["blast", "shop.py:7:11"], "kenning.blastRadius", json!({ "symbol": "Cart.add_item" })),
        (&["tests"], "kenning.affectedTests", json!({})),
        (&["tests", "shop.py"], "kenning.affectedTests", json!({ "uris": [fixture.uri("shop.py")] })),
        (&["graph", "fill"], "kenning.graph", json!({ "symbol": "fill" })),
    ] {
        let mut printed = command_line_answer(&fixture, line);
        let mut answered = run_until_complete(&mut client, command, argument).await;
        remove_envelope(&mut printed);
        remove_envelope(&mut answered);
        if line.contains(&"--no-learning") {
            // The root includes whether learning is enabled, and its digits are tokens.
            printed.as_object_mut().unwrap().shift_remove("tokens_used");
            answered.as_object_mut().unwrap().shift_remove("tokens_used");
        } else if line[0] == "changes" {
            assert_eq!(printed["pack_root"], answered["pack_root"]);
        }
        printed.as_object_mut().unwrap().shift_remove("pack_root");
        answered.as_object_mut().unwrap().shift_remove("pack_root");
        assert_eq!(printed.to_string(), answered.to_string(), "{line:?}");
    }
}

#[tokio::test]
async fn an_explanation_has_a_text_on_request() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    client.pack("settle").await;
    let question =
        json!({ "task": "add item", "symbol": "Cart.add_item", "format": "markdown", "noLearning": true });
    let why = client.command("kenning.explain", question.clone()).await.unwrap();
    let text = why["text"].as_str().unwrap();
    assert!(text.starts_with("# Why `Cart.add_item`\n\nmethod in `shop.py`\n\nRanked 1st of "), "{text}");
    assert!(text.contains(why["summary"].as_str().unwrap()), "{text}");
    // The commits may not be read yet, which the end of a text says.
    let text = text.split("\n> Freshness: ").next().unwrap();
    let mut question = question;
    question["numbers"] = json!(true);
    let with_numbers = client.command("kenning.explain", question).await.unwrap();
    let with_numbers = with_numbers["text"].as_str().unwrap();
    assert!(with_numbers.starts_with(text) && with_numbers.contains("\n## Score "), "{with_numbers}");
}
