//! Tests that the server learns from the session and from feedback, and that a client can disable
//! learning.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};

const INVALID_PARAMS: i64 = -32602;

const SHOP: &str = "\
class Cart:
    def add_item(self, item):
        \"\"\"Put an item into the cart.\"\"\"
        return item

    def drop_item(self, item):
        \"\"\"Take an item out of the cart.\"\"\"
        return item


def price_of_item(item):
    \"\"\"What an item costs.\"\"\"
    return item.price
";

fn create_shop() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("app.py", SHOP);
    fixture
}

async fn request_pack(client: &mut Client, mut arguments: Value) -> Value {
    arguments["explain"] = json!(true);
    loop {
        let pack = client.command("kenning.taskContext", arguments.clone()).await.unwrap();
        if pack["freshness"]["pending_files"] == 0 && pack["freshness"].get("disk_check_pending").is_none() {
            return pack;
        }
    }
}

fn read_component(pack: &Value, symbol: &str, name: &str) -> Option<f64> {
    let symbols = pack["symbols"].as_array().unwrap();
    let found = symbols.iter().find(|s| s["name"] == symbol).unwrap_or_else(|| panic!("{symbol}: {pack}"));
    found["components"][name].as_f64()
}

#[tokio::test]
async fn symbols_shown_to_a_client_are_boosted_only_in_its_other_questions() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let first = request_pack(&mut client, json!({ "task": "`drop_item`" })).await;
    assert_eq!(read_component(&first, "Cart.drop_item", "session"), None);
    let again =
        request_pack(&mut client, json!({ "task": "`drop_item`", "packRoot": first["pack_root"] })).await;
    assert_eq!(again["unchanged"], true, "a repeated question has the same answer: {again}");
    let other = request_pack(&mut client, json!({ "task": "price_of_item of an item" })).await;
    let session = read_component(&other, "Cart.drop_item", "session").unwrap();
    assert!(session > 0.04 && session <= 0.05, "{session}");
    let why = json!({ "task": "price_of_item of an item", "symbol": "Cart.drop_item" });
    let why = client.command("kenning.explain", why).await.unwrap();
    assert!(why["components"]["session"].as_f64().unwrap() > 0.04, "{why}");
    let plain = json!({ "task": "price_of_item of an item", "noLearning": true });
    let without = request_pack(&mut client, plain.clone()).await;
    assert_eq!(read_component(&without, "Cart.drop_item", "session"), None);
    let mut other_client = Client::open(&fixture).await;
    let other_pack = request_pack(&mut other_client, json!({ "task": "price_of_item of an item" })).await;
    assert_eq!(read_component(&other_pack, "Cart.drop_item", "session"), None);
    assert_eq!(other_pack["symbols"], request_pack(&mut other_client, plain).await["symbols"]);
}

#[tokio::test]
async fn feedback_affects_similar_tasks_until_the_package_changes() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let task = json!({ "task": "change `item` handling" });
    let pack = request_pack(&mut client, task.clone()).await;
    let root = pack["pack_root"].as_str().unwrap();
    let feedback = |root: &str, symbol: &str, useful: bool| json!({ "packRoot": root, "symbol": symbol, "useful": useful });
    let counts = client.command("kenning.feedback", feedback(root, "Cart.drop_item", true)).await.unwrap();
    assert_eq!(
        (&counts["ok"], &counts["useful"], &counts["not_useful"]),
        (&json!(true), &json!(1), &json!(0))
    );
    // This is the prefix of the root that Markdown shows.
    let counts =
        client.command("kenning.feedback", feedback(&root[..12], "Cart.add_item", false)).await.unwrap();
    assert_eq!((&counts["useful"], &counts["not_useful"]), (&json!(0), &json!(1)));

    let after = request_pack(&mut client, json!({ "task": "Change the `item` handling!" })).await;
    assert_eq!(read_component(&after, "Cart.drop_item", "feedback"), Some(0.25));
    assert_eq!(read_component(&after, "Cart.add_item", "feedback"), Some(-0.05));
    let plain = json!({ "task": "change `item` handling", "noLearning": true });
    let without = request_pack(&mut client, plain).await;
    assert_eq!(read_component(&without, "Cart.drop_item", "feedback"), None);
    let other = request_pack(&mut client, json!({ "task": "price_of_item of an item" })).await;
    assert_eq!(read_component(&other, "Cart.drop_item", "feedback"), None, "another task");

    // Feedback survives the session, and is valid until the package changes.
    let mut later = Client::open(&fixture).await;
    assert_eq!(
        read_component(&request_pack(&mut later, task.clone()).await, "Cart.drop_item", "feedback"),
        Some(0.25)
    );
    later.did_open(&fixture.uri("app.py"), 1, SHOP).await;
    later.did_change(&fixture.uri("app.py"), 2, [0, 0, 0, 0], "def another():\n    pass\n\n\n").await;
    assert_eq!(
        read_component(&request_pack(&mut later, task.clone()).await, "Cart.drop_item", "feedback"),
        None
    );
    later.did_change(&fixture.uri("app.py"), 3, [0, 0, 4, 0], "").await;
    let back = request_pack(&mut later, task).await;
    assert_eq!(
        read_component(&back, "Cart.drop_item", "feedback"),
        Some(0.25),
        "the package is as before the edit"
    );
}

const LEDGER: &str = "\
def settle_ledger(entry):
    \"\"\"Book the payment of an order.\"\"\"
    return entry
";

/// Creates a workspace with two packages.
fn create_shop_with_ledger() -> Fixture {
    let fixture = create_shop();
    fixture.write("pay/ledger.py", LEDGER);
    fixture
}

/// Hovers a position of a file.
async fn hover_position(client: &mut Client, uri: &str, line: u32, character: u32) {
    let position = json!({ "line": line, "character": character });
    let params = json!({ "textDocument": { "uri": uri }, "position": position });
    let hover = client.request("textDocument/hover", params).await.unwrap();
    assert!(!hover.is_null(), "there is no name at the position");
}

/// Returns a component of a symbol's score without recording a pack as sent.
async fn explain_component(client: &mut Client, task: &str, symbol: &str, name: &str) -> Option<f64> {
    let why = client.command("kenning.explain", json!({ "task": task, "symbol": symbol })).await.unwrap();
    why["components"][name].as_f64()
}

/// Waits until a component appears, because edits are recorded in the background.
async fn wait_for_component(client: &mut Client, task: &str, symbol: &str, name: &str) -> f64 {
    for _ in 0..400 {
        if let Some(value) = explain_component(client, task, symbol, name).await {
            return value;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("{symbol} never has the component {name}");
}

#[tokio::test]
async fn used_symbols_gain_and_the_rest_of_the_pack_loses_at_the_next_question_of_the_cluster() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let (task, other_task) = ("change `item` handling", "price_of_item of an item");
    let before = request_pack(&mut client, json!({ "task": task, "noLearning": true })).await;
    request_pack(&mut client, json!({ "task": task })).await;
    assert_eq!(explain_component(&mut client, task, "Cart.drop_item", "usage").await, None);
    hover_position(&mut client, &fixture.uri("app.py"), 5, 10).await;
    hover_position(&mut client, &fixture.uri("app.py"), 5, 10).await;
    assert_eq!(explain_component(&mut client, task, "Cart.drop_item", "usage").await, Some(0.125));
    assert_eq!(
        explain_component(&mut client, task, "Cart.add_item", "usage").await,
        None,
        "the client may still use it"
    );

    request_pack(&mut client, json!({ "task": other_task })).await;
    assert_eq!(explain_component(&mut client, task, "Cart.add_item", "usage").await, None, "another cluster");
    assert_eq!(
        explain_component(&mut client, other_task, "Cart.drop_item", "usage").await,
        None,
        "another cluster"
    );
    request_pack(&mut client, json!({ "task": task })).await;
    assert_eq!(explain_component(&mut client, task, "Cart.add_item", "usage").await, Some(-0.025));
    assert_eq!(
        explain_component(&mut client, other_task, "Cart.add_item", "usage").await,
        None,
        "another cluster"
    );

    let after = request_pack(&mut client, json!({ "task": task, "noLearning": true })).await;
    assert_eq!(after["symbols"], before["symbols"], "uses have no effect without learning");
}

#[tokio::test]
async fn edits_and_opened_files_are_uses_only_of_packs_of_the_same_session() {
    let fixture = create_shop_with_ledger();
    let mut client = Client::open(&fixture).await;
    let mut stranger = Client::open(&fixture).await;
    let task = "payment of an item";
    request_pack(&mut client, json!({ "task": task })).await;
    // This client has received no pack, so its actions are not uses.
    stranger.did_open(&fixture.uri("pay/ledger.py"), 1, LEDGER).await;
    hover_position(&mut stranger, &fixture.uri("pay/ledger.py"), 0, 6).await;
    assert_eq!(explain_component(&mut client, task, "settle_ledger", "usage").await, None);
    client.did_open(&fixture.uri("pay/ledger.py"), 1, LEDGER).await;
    assert_eq!(wait_for_component(&mut client, task, "settle_ledger", "usage").await, 0.125);
    client.did_open(&fixture.uri("app.py"), 1, SHOP).await;
    client.did_change(&fixture.uri("app.py"), 2, [3, 15, 3, 19], "(item)").await;
    assert_eq!(wait_for_component(&mut client, task, "Cart.add_item", "usage").await, 0.125);
    assert_eq!(
        explain_component(&mut client, task, "Cart.drop_item", "usage").await,
        None,
        "opening a file with several symbols of the pack says nothing about them"
    );
}

#[tokio::test]
async fn words_lead_to_used_symbols_in_other_tasks_until_the_package_of_the_symbol_changes() {
    let fixture = create_shop_with_ledger();
    let mut client = Client::open(&fixture).await;
    let (first, second) = ("payment of an item", "refund a payment later");
    let mut strengths = Vec::new();
    for _ in 0..2 {
        strengths.push(explain_component(&mut client, second, "settle_ledger", "vocabulary").await);
        request_pack(&mut client, json!({ "task": first })).await;
        hover_position(&mut client, &fixture.uri("pay/ledger.py"), 0, 6).await;
        hover_position(&mut client, &fixture.uri("app.py"), 1, 10).await;
    }
    assert_eq!(strengths, [None, None], "one use may be chance");
    let strength = explain_component(&mut client, second, "settle_ledger", "vocabulary").await.unwrap();
    assert!((strength - 0.03 * 0.3 / 2.0).abs() < 1e-4, "{strength}");
    assert!(explain_component(&mut client, second, "Cart.add_item", "vocabulary").await.is_some());
    let unrelated = explain_component(&mut client, "refund of orders", "settle_ledger", "vocabulary").await;
    assert_eq!(unrelated, None, "no shared word");
    let why = json!({ "task": second, "symbol": "settle_ledger", "noLearning": true });
    let why = client.command("kenning.explain", why).await.unwrap();
    assert!(why["components"]["vocabulary"].is_null(), "{why}");

    client.did_open(&fixture.uri("pay/ledger.py"), 1, LEDGER).await;
    client.did_change(&fixture.uri("pay/ledger.py"), 2, [0, 0, 0, 0], "def another():\n    pass\n\n\n").await;
    request_pack(&mut client, json!({ "task": "another", "noLearning": true })).await;
    assert_eq!(
        explain_component(&mut client, second, "settle_ledger", "vocabulary").await,
        None,
        "the package changed"
    );
    assert!(
        explain_component(&mut client, second, "Cart.add_item", "vocabulary").await.is_some(),
        "the other package did not change"
    );
}

#[tokio::test]
async fn the_task_memory_raises_the_first_symbols_of_similar_tasks_if_it_is_on() {
    let fixture = create_shop();
    let task = "change `item` handling";
    let plain = json!({ "task": task, "noLearning": true });
    let mut off = Client::open(&fixture).await;
    let without = request_pack(&mut off, json!({ "task": task })).await;
    let first = without["symbols"][0]["name"].as_str().unwrap().to_owned();
    request_pack(&mut off, json!({ "task": task })).await;
    assert_eq!(explain_component(&mut off, task, &first, "task_memory").await, None, "the memory is off");

    fixture.write("kenning.toml", "[learning]\ntaskMemory = true\n");
    let mut client = Client::open(&fixture).await;
    assert_eq!(
        explain_component(&mut client, task, &first, "task_memory").await,
        None,
        "the memory is empty"
    );
    let cold = request_pack(&mut client, json!({ "task": task })).await;
    assert_eq!(cold["symbols"], without["symbols"]);
    let same = explain_component(&mut client, task, &first, "task_memory").await.unwrap();
    assert!((same - 0.06).abs() < 1e-9, "{same}");
    let similar = explain_component(&mut client, "item in an order", &first, "task_memory").await.unwrap();
    assert!(similar > 0.0 && similar < same, "{similar}");
    assert_eq!(explain_component(&mut client, "settle the ledger", "Cart", "task_memory").await, None);
    let again = request_pack(&mut client, json!({ "task": task })).await;
    assert_eq!(read_component(&again, &first, "task_memory"), Some(same));
    assert_eq!(request_pack(&mut client, plain).await["symbols"], without["symbols"]);

    // The memory is on disk, and valid until the package changes.
    let mut later = Client::open(&fixture).await;
    assert_eq!(explain_component(&mut later, task, &first, "task_memory").await, Some(same));
    later.did_open(&fixture.uri("app.py"), 1, SHOP).await;
    later.did_change(&fixture.uri("app.py"), 2, [0, 0, 0, 0], "def another():\n    pass\n\n\n").await;
    request_pack(&mut later, json!({ "task": "another", "noLearning": true })).await;
    assert_eq!(explain_component(&mut later, task, &first, "task_memory").await, None, "the package changed");
}

#[cfg(unix)]
#[tokio::test]
async fn a_killed_server_keeps_every_use_that_it_has_answered() {
    let fixture = create_shop();
    for round in 1..=4 {
        let mut client = Client::spawn(fixture.binary());
        client.initialize(&[fixture.root()]).await;
        client.notify("initialized", json!({})).await;
        request_pack(&mut client, json!({ "task": "change `item` handling" })).await;
        hover_position(&mut client, &fixture.uri("app.py"), 5, 10).await;
        let process = client.process.unwrap().to_string();
        assert!(std::process::Command::new("kill").args(["-9", &process]).status().unwrap().success());
        client.drain().await;
        let memory = fixture.root().parent().unwrap().join("cache/kenning");
        let folders = std::fs::read_dir(memory).unwrap().map(|entry| entry.unwrap().path());
        let memory = folders.map(|folder| folder.join("memory.db")).find(|path| path.exists()).unwrap();
        let store = kenning_graph::store::MemoryStore::open(&memory).unwrap();
        let used: u32 = store.load_uses(None).unwrap().iter().map(|row| row.used).sum();
        assert_eq!(used, round);
    }
}

#[tokio::test]
async fn feedback_on_unknown_packs_and_symbols_is_an_error() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let pack = request_pack(&mut client, json!({ "task": "item", "noLearning": true })).await;
    let root = pack["pack_root"].as_str().unwrap().to_owned();
    let mut feedback = async |root: &str, symbol: &str| {
        let answer = json!({ "packRoot": root, "symbol": symbol, "useful": true });
        client.command("kenning.feedback", answer).await.unwrap_err()
    };
    for root in ["", "abc", &root] {
        let (code, message) = feedback(root, "Cart").await;
        assert_eq!(code, INVALID_PARAMS);
        assert!(message.starts_with("packRoot: unknown pack"), "{message}");
    }
    let pack = request_pack(&mut client, json!({ "task": "item" })).await;
    let root = pack["pack_root"].as_str().unwrap().to_owned();
    let answer = json!({ "packRoot": root, "symbol": "nothing_of_that_name", "useful": true });
    let (code, message) = client.command("kenning.feedback", answer).await.unwrap_err();
    assert_eq!(code, INVALID_PARAMS);
    assert!(message.starts_with("symbol: no symbol is named nothing_of_that_name"), "{message}");
}
