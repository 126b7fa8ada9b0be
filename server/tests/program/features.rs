//! Tests hover, lenses, actions and call hierarchy in whole sessions.

use crate::support::{Client, Fixture};
use expect_test::{Expect, expect};
use kenning::lsp::ServeOptions;
use serde_json::{Value, json};
use std::fmt::Write as _;

const SHOP: &str = "\
class Cart:
    def total(self):
        return price(self)

def price(cart):
    return 1

def lonely():
    pass
";

const VIEWS: &str = "\
from shop import Cart, price

def view():
    cart = Cart()
    return cart.total()

def index():
    return view() + price(None)
";

const TESTS: &str = "\
from views import index

def test_index():
    index()
";

fn create_shop() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("app.py", "");
    fixture.write("shop.py", SHOP);
    fixture.write("web/views.py", VIEWS);
    fixture.write("tests/test_views.py", TESTS.replace("from views", "from web.views").as_str());
    fixture
}

/// Returns the capabilities of an editor, with `more` added or replaced.
fn editor_capabilities(more: &Value) -> Value {
    let mut offered = json!({
        "window": { "workDoneProgress": true },
        "workspace": { "codeLens": { "refreshSupport": true } },
        "textDocument": {
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "codeLens": {},
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["source"] } } },
        },
    });
    merge_json(&mut offered, more);
    offered
}

fn merge_json(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge_json(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => into.clone_from(from),
    }
}

async fn open_session(fixture: &Fixture, capabilities: Value, options: Value) -> Client {
    let mut client = Client::start(fixture.options());
    (client.capabilities, client.options) = (capabilities, options);
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    client
}

/// Returns the parameters of a request at the first occurrence of `name` after `after` in `text`,
/// with the cursor inside the name.
fn request_at(fixture: &Fixture, path: &str, text: &str, after: &str, name: &str) -> Value {
    let from = text.find(after).unwrap() + after.len();
    let offset = from + text[from..].find(name).unwrap();
    let line = text[..offset].matches('\n').count();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let character = text[start..offset].encode_utf16().count();
    json!({
        "textDocument": { "uri": fixture.uri(path) },
        "position": { "line": line, "character": character },
    })
}

/// Returns the range and the text of a hover.
async fn request_hover(client: &mut Client, position: Value) -> String {
    let hover = client.request("textDocument/hover", position).await.unwrap();
    match hover["contents"]["value"].as_str() {
        Some(text) => format!("{}\n{text}\n", format_range(&hover["range"])),
        None => "nothing\n".to_owned(),
    }
}

fn format_range(range: &Value) -> String {
    let (start, end) = (&range["start"], &range["end"]);
    format!("{}:{}-{}:{}", start["line"], start["character"], end["line"], end["character"])
}

/// Returns the range and the title of each lens of a document, after resolving it.
async fn list_lenses(client: &mut Client, uri: &str) -> String {
    let mut out = String::new();
    for lens in request_lenses(client, uri).await {
        let resolved = client.request("codeLens/resolve", lens).await.unwrap();
        let title = resolved["command"]["title"].as_str().unwrap();
        writeln!(out, "{} {title}", format_range(&resolved["range"])).unwrap();
    }
    out
}

async fn request_lenses(client: &mut Client, uri: &str) -> Vec<Value> {
    let params = json!({ "textDocument": { "uri": uri } });
    let lenses = client.request("textDocument/codeLens", params).await.unwrap();
    lenses.as_array().unwrap().clone()
}

fn check(found: &str, expected: Expect) {
    expected.assert_eq(found);
}

#[tokio::test]
async fn a_hover_shows_the_blast_radius_at_definitions_and_uses() {
    let fixture = create_shop();
    let mut client = open_session(&fixture, editor_capabilities(&json!({})), Value::Null).await;
    let position = request_at(&fixture, "shop.py", SHOP, "\n\ndef ", "price");
    check(
        &request_hover(&mut client, position).await,
        expect![[r#"
            4:4-4:9
            **Blast radius**  
            2 callers · 4 dependents · 1 test  
            Dependents by folder: `web` 2, the root 1, `tests` 1  
            Callers: 2 resolved from imports and types
        "#]],
    );
    let position = request_at(&fixture, "web/views.py", VIEWS, "view() + ", "price");
    check(
        &request_hover(&mut client, position).await,
        expect![[r#"
        7:20-7:25
        **Blast radius** of `price`  
        2 callers · 4 dependents · 1 test  
        Dependents by folder: `web` 2, the root 1, `tests` 1  
        Callers: 2 resolved from imports and types
    "#]],
    );
    let position = request_at(&fixture, "web/views.py", VIEWS, "cart = ", "Cart");
    check(
        &request_hover(&mut client, position).await,
        expect![[r#"
            3:11-3:15
            **Blast radius** of `Cart`  
            1 use · 3 dependents · 1 test  
            Dependents by folder: `web` 2, `tests` 1  
            Callers: 1 resolved from imports and types
        "#]],
    );
    let position = request_at(&fixture, "shop.py", SHOP, "def ", "lonely");
    check(
        &request_hover(&mut client, position).await,
        expect![[r#"
        7:4-7:10
        **Blast radius**  
        0 callers · 0 dependents · 0 tests
    "#]],
    );
}

#[tokio::test]
async fn keywords_blanks_locals_and_unknown_documents_have_no_hover() {
    let fixture = create_shop();
    let mut client = open_session(&fixture, editor_capabilities(&json!({})), Value::Null).await;
    for (after, name) in
        [("price(self)\n\n", "def"), ("return 1", "\n"), ("return ", "1"), ("price(", "cart")]
    {
        let position = request_at(&fixture, "shop.py", SHOP, after, name);
        assert_eq!(request_hover(&mut client, position).await, "nothing\n", "{name:?}");
    }
    let mut elsewhere = request_at(&fixture, "shop.py", SHOP, "\n\ndef ", "price");
    elsewhere["textDocument"]["uri"] = json!("untitled:Untitled-1");
    assert_eq!(request_hover(&mut client, elsewhere).await, "nothing\n");
    let mut missing = request_at(&fixture, "shop.py", SHOP, "\n\ndef ", "price");
    missing["textDocument"]["uri"] = json!(fixture.uri("gone.py"));
    assert_eq!(request_hover(&mut client, missing).await, "nothing\n");
}

#[tokio::test]
async fn a_client_without_markdown_gets_plain_text_that_lists_the_candidates() {
    let fixture = Fixture::new();
    let text = "def go(x):\n    x.step_on()\n";
    fixture.write("app.py", text);
    let candidates = "class One:\n    def step_on(self): ...\nclass Two:\n    def step_on(self): ...\n";
    fixture.write("b.py", candidates);
    let plain = json!({ "textDocument": { "hover": { "contentFormat": ["plaintext"] } } });
    let mut client = open_session(&fixture, editor_capabilities(&plain), Value::Null).await;
    let position = request_at(&fixture, "app.py", text, "x.", "step_on");
    check(
        &request_hover(&mut client, position).await,
        expect![[r#"
            1:6-1:13
            Blast radius: 2 possible definitions
            b.py::One.step_on: ~1 caller · ~1 dependent · 0 tests
            b.py::Two.step_on: ~1 caller · ~1 dependent · 0 tests
        "#]],
    );
    let declaration = request_at(&fixture, "b.py", candidates, "One:\n    def ", "step_on");
    check(
        &request_hover(&mut client, declaration).await,
        expect![[r#"
            1:8-1:15
            Blast radius
            ~1 caller · ~1 dependent · 0 tests
            Callers: 1 matched by name; it may refer to another definition
        "#]],
    );
}

#[tokio::test]
async fn lenses_are_at_definitions_and_get_counts_when_resolved() {
    let fixture = create_shop();
    let mut client = open_session(&fixture, editor_capabilities(&json!({})), Value::Null).await;
    check(
        &list_lenses(&mut client, &fixture.uri("shop.py")).await,
        expect![[r#"
            0:6-0:10 1 use · 3 dependents · 1 test
            1:8-1:13 1 caller · 3 dependents · 1 test
            4:4-4:9 2 callers · 4 dependents · 1 test
            7:4-7:10 0 callers · 0 dependents · 0 tests
        "#]],
    );
    assert_eq!(
        request_lenses(&mut client, &fixture.uri("tests/test_views.py")).await.len(),
        0,
        "tests have none"
    );
    let unresolved = request_lenses(&mut client, &fixture.uri("shop.py")).await;
    assert!(
        unresolved.iter().all(|lens| lens.get("command").is_none() && lens["data"]["symbol"].is_string())
    );
}

#[tokio::test]
async fn an_unsaved_call_is_in_the_hover_the_lens_and_the_pack() {
    let fixture = create_shop();
    let mut client = open_session(&fixture, editor_capabilities(&json!({})), Value::Null).await;
    let (shop, views) = (fixture.uri("shop.py"), fixture.uri("web/views.py"));
    client.did_open(&views, 1, VIEWS).await;
    client
        .did_change(&views, 2, [0, 0, 0, 0], "from shop import lonely\n\ndef added():\n    lonely()\n\n")
        .await;
    // An answer without pending files includes every edit.
    let pack = client.pack("lonely").await;
    let names: Vec<&Value> = pack["symbols"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    let lonely = names.iter().position(|name| **name == "lonely").unwrap();
    let edges = pack["edges"].as_array().unwrap();
    assert!(edges.iter().any(|edge| edge["target"] == lonely && edge["kind"] == "calls"), "{pack}");
    let position = request_at(&fixture, "shop.py", SHOP, "def ", "lonely");
    check(
        &request_hover(&mut client, position).await,
        expect![[r#"
        7:4-7:10
        **Blast radius**  
        1 caller · 1 dependent · 0 tests  
        Callers: 1 resolved from imports and types
    "#]],
    );
    let shown = list_lenses(&mut client, &shop).await;
    assert!(shown.contains("7:4-7:10 1 caller · 1 dependent · 0 tests"), "{shown}");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": views } })).await;
    client.pack("lonely").await;
    let shown = list_lenses(&mut client, &shop).await;
    assert!(shown.contains("7:4-7:10 0 callers · 0 dependents · 0 tests"), "{shown}");
}

#[tokio::test]
async fn lenses_exist_during_the_first_index_and_are_refreshed_after_it() {
    let fixture = create_shop();
    let mut client = Client::start(fixture.options());
    client.capabilities = editor_capabilities(&json!({}));
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    let uri = fixture.uri("shop.py");
    client.did_open(&uri, 1, SHOP).await;
    let shown = list_lenses(&mut client, &uri).await;
    let titles: Vec<&str> = shown.lines().map(|line| line.split_once(' ').unwrap().1).collect();
    assert_eq!(titles.len(), 4, "{shown}");
    assert!(
        titles.iter().all(|title| !title.starts_with("0 callers") || shown.contains("2 callers")),
        "{shown}"
    );
    while !client.requests.iter().any(|request| request["method"] == "workspace/codeLens/refresh") {
        client.command("kenning.status", json!({})).await.unwrap();
    }
    client.pack("price").await;
    check(
        &list_lenses(&mut client, &uri).await,
        expect![[r#"
            0:6-0:10 1 use · 3 dependents · 1 test
            1:8-1:13 1 caller · 3 dependents · 1 test
            4:4-4:9 2 callers · 4 dependents · 1 test
            7:4-7:10 0 callers · 0 dependents · 0 tests
        "#]],
    );
}

#[tokio::test]
async fn an_unindexed_workspace_never_shows_zero() {
    let fixture = create_shop();
    let mut options: ServeOptions = fixture.options();
    // The path of the database is a folder, so the database cannot be opened.
    options.workspace.db = Some(fixture.root());
    let mut client = Client::start(options);
    client.capabilities = editor_capabilities(&json!({}));
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap_err();
    let uri = fixture.uri("shop.py");
    client.did_open(&uri, 1, SHOP).await;
    check(
        &list_lenses(&mut client, &uri).await,
        expect![[r#"
        0:6-0:10 not indexed
        1:8-1:13 not indexed
        4:4-4:9 not indexed
        7:4-7:10 not indexed
    "#]],
    );
    let position = request_at(&fixture, "shop.py", SHOP, "\n\ndef ", "price");
    check(
        &request_hover(&mut client, position).await,
        expect![[r#"
            4:4-4:9
            **Blast radius**  
            not indexed
        "#]],
    );
}

#[tokio::test]
async fn ranges_use_the_negotiated_encoding_and_every_kind_of_line_break() {
    let text = "x = 1\r\n/* é😀 */ function naïve() { }\r\nfunction user() { /* 😀 */ naïve(); }\r\n";
    for (encoding, definition, site) in
        [("utf-16", "1:19-1:24", [2, 29]), ("utf-8", "1:22-1:28", [2, 31]), ("utf-32", "1:18-1:23", [2, 28])]
    {
        let fixture = Fixture::new();
        fixture.write("a.js", text);
        let offers = json!({ "general": { "positionEncodings": [encoding] } });
        let mut client = open_session(&fixture, editor_capabilities(&offers), Value::Null).await;
        let lenses = request_lenses(&mut client, &fixture.uri("a.js")).await;
        assert_eq!(format_range(&lenses[0]["range"]), definition, "{encoding}");
        let position = json!({
            "textDocument": { "uri": fixture.uri("a.js") },
            "position": { "line": site[0], "character": site[1] },
        });
        let shown = request_hover(&mut client, position).await;
        let start = site[1] - 2;
        assert!(
            shown.starts_with(&format!("2:{start}-")) && shown.contains("of `naïve`"),
            "{encoding} {shown}"
        );
    }
}

#[tokio::test]
async fn a_lens_runs_the_clients_command_if_it_has_one() {
    let fixture = create_shop();
    let runs = json!({ "experimental": { "kenning": { "clientCommands": ["kenning.showBlastRadius"] } } });
    let mut client = open_session(&fixture, editor_capabilities(&runs), Value::Null).await;
    let lens = request_lenses(&mut client, &fixture.uri("shop.py")).await.remove(2);
    let resolved = client.request("codeLens/resolve", lens).await.unwrap();
    let argument = &resolved["command"]["arguments"][0];
    assert_eq!(resolved["command"]["command"], "kenning.showBlastRadius");
    assert_eq!(argument["uri"], fixture.uri("shop.py"));
    assert_eq!(argument["position"], json!({ "line": 4, "character": 4 }));
    assert_eq!(argument["title"], resolved["command"]["title"]);
    assert_eq!(argument["symbol"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn without_a_client_command_the_server_shows_a_document_or_else_a_message() {
    let fixture = create_shop();
    let shows = json!({ "window": { "showDocument": { "support": true } } });
    let mut client = open_session(&fixture, editor_capabilities(&shows), Value::Null).await;
    let lens = request_lenses(&mut client, &fixture.uri("shop.py")).await.remove(2);
    let command = client.request("codeLens/resolve", lens).await.unwrap()["command"].take();
    assert_eq!(command["command"], "kenning.blastRadius");
    assert_eq!(command["arguments"][0]["show"], true);
    let argument = command["arguments"][0].clone();
    client.command("kenning.blastRadius", argument.clone()).await.unwrap();
    let shown = client.requests.iter().find(|r| r["method"] == "window/showDocument").unwrap();
    let uri: lsp_types::Uri = shown["params"]["uri"].as_str().unwrap().parse().unwrap();
    let text = std::fs::read_to_string(uri.to_file_path().unwrap()).unwrap();
    assert!(text.contains("price") && text.contains("web/views.py:7"), "{text}");

    let mut client = open_session(&fixture, editor_capabilities(&json!({})), Value::Null).await;
    client.command("kenning.blastRadius", argument).await.unwrap();
    let message = client.wait_for(|message| message["method"] == "window/showMessage").await;
    assert!(message["params"]["message"].as_str().unwrap().contains("shop.py"), "{message}");
}

#[tokio::test]
async fn actions_carry_the_symbol_and_match_the_requested_kinds() {
    let fixture = create_shop();
    let mut client = open_session(&fixture, editor_capabilities(&json!({})), Value::Null).await;
    let position = request_at(&fixture, "shop.py", SHOP, "return ", "price");
    let params = |context: Value| {
        json!({
            "textDocument": position["textDocument"],
            "range": { "start": position["position"], "end": position["position"] },
            "context": context,
        })
    };
    let actions = params(json!({ "diagnostics": [] }));
    let actions = client.request("textDocument/codeAction", actions).await.unwrap();
    let titles: Vec<&Value> = actions.as_array().unwrap().iter().map(|action| &action["title"]).collect();
    assert_eq!(titles, ["Copy context for price", "Show blast radius of price"]);
    let copy = &actions[0]["command"];
    assert_eq!((&actions[0]["kind"], &copy["command"]), (&json!("kenning"), &json!("kenning.taskContext")));
    let command_params = json!({ "command": copy["command"], "arguments": copy["arguments"] });
    let pack = client.request("workspace/executeCommand", command_params).await.unwrap();
    assert_eq!(pack["symbols"][0]["name"], "price");
    let invoked = params(json!({ "diagnostics": [], "triggerKind": 1 }));
    assert_eq!(client.request("textDocument/codeAction", invoked).await.unwrap(), actions);
    for unwanted in
        [json!({ "only": ["quickfix"] }), json!({ "only": ["source"] }), json!({ "triggerKind": 2 })]
    {
        let mut context = unwanted.clone();
        context["diagnostics"] = json!([]);
        let answer = client.request("textDocument/codeAction", params(context)).await.unwrap();
        assert_eq!(answer, Value::Null, "{unwanted}");
    }
}

#[tokio::test]
async fn each_feature_can_be_disabled() {
    let fixture = create_shop();
    let off = json!({
        "hover": { "enabled": false }, "codeLens": { "enabled": false }, "codeActions": { "enabled": false },
    });
    let mut client = open_session(&fixture, editor_capabilities(&json!({})), off).await;
    let position = request_at(&fixture, "shop.py", SHOP, "\n\ndef ", "price");
    assert_eq!(request_hover(&mut client, position.clone()).await, "nothing\n");
    assert_eq!(request_lenses(&mut client, &fixture.uri("shop.py")).await.len(), 0);
    let range = json!({ "start": position["position"], "end": position["position"] });
    let actions = json!({
        "textDocument": position["textDocument"], "range": range, "context": { "diagnostics": [] },
    });
    assert_eq!(client.request("textDocument/codeAction", actions).await.unwrap(), Value::Null);
    let items = client.request("textDocument/prepareCallHierarchy", position).await.unwrap();
    assert_eq!(items, Value::Null, "disabled by default");
}

#[tokio::test]
async fn lenses_below_a_minimum_are_hidden() {
    let fixture = create_shop();
    let options = json!({ "codeLens": { "minimumCallers": 2, "kinds": ["function"] } });
    let mut client = open_session(&fixture, editor_capabilities(&json!({})), options).await;
    check(
        &list_lenses(&mut client, &fixture.uri("shop.py")).await,
        expect![[r#"
        4:4-4:9 2 callers · 4 dependents · 1 test
    "#]],
    );
}

#[tokio::test]
async fn a_call_hierarchy_has_the_range_of_every_call() {
    let fixture = create_shop();
    let options = json!({ "callHierarchy": { "enabled": true } });
    let mut client = open_session(&fixture, editor_capabilities(&json!({})), options).await;
    let uri = fixture.uri("web/views.py");
    client.did_open(&uri, 1, VIEWS).await;
    client.did_change(&uri, 2, [7, 11, 7, 11], "price(1) + ").await;
    client.pack("price").await;
    let position = request_at(&fixture, "shop.py", SHOP, "\n\ndef ", "price");
    let items = client.request("textDocument/prepareCallHierarchy", position).await.unwrap();
    assert_eq!(format_range(&items[0]["selectionRange"]), "4:4-4:9");
    let shown = |calls: &Value, end: &str| {
        let mut out = String::new();
        for call in calls.as_array().unwrap() {
            let ranges: Vec<String> =
                call["fromRanges"].as_array().unwrap().iter().map(format_range).collect();
            writeln!(out, "{} {}", call[end]["name"].as_str().unwrap(), ranges.join(" ")).unwrap();
        }
        out
    };
    let incoming = client.request("callHierarchy/incomingCalls", json!({ "item": items[0] })).await.unwrap();
    check(
        &shown(&incoming, "from"),
        expect![[r#"
        Cart.total 2:15-2:20
        index 7:11-7:16 7:31-7:36
    "#]],
    );
    let index = json!({ "item": incoming[1]["from"] });
    let outgoing = client.request("callHierarchy/outgoingCalls", index).await.unwrap();
    check(
        &shown(&outgoing, "to"),
        expect![[r#"
        price 7:11-7:16 7:31-7:36
        view 7:22-7:26
    "#]],
    );
}
