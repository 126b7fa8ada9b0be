//! Tests that the server learns from the session and from feedback, and that a client can disable
//! learning.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod support;

use serde_json::{Value, json};
use support::{Client, Fixture};

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

fn shop() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("app.py", SHOP);
    fixture
}

async fn pack_for(client: &mut Client, mut arguments: Value) -> Value {
    arguments["explain"] = json!(true);
    loop {
        let pack = client.command("kenning.taskContext", arguments.clone()).await.unwrap();
        if pack["freshness"]["pending_files"] == 0 && pack["freshness"].get("disk_check_pending").is_none() {
            return pack;
        }
    }
}

fn component(pack: &Value, symbol: &str, name: &str) -> Option<f64> {
    let symbols = pack["symbols"].as_array().unwrap();
    let found = symbols.iter().find(|s| s["name"] == symbol).unwrap_or_else(|| panic!("{symbol}: {pack}"));
    found["components"][name].as_f64()
}

#[tokio::test]
async fn symbols_shown_to_a_client_are_boosted_only_in_its_other_questions() {
    let fixture = shop();
    let mut client = Client::open(&fixture).await;
    let first = pack_for(&mut client, json!({ "task": "`drop_item`" })).await;
    assert_eq!(component(&first, "Cart.drop_item", "session"), None);
    let again = pack_for(&mut client, json!({ "task": "`drop_item`", "packRoot": first["pack_root"] })).await;
    assert_eq!(again["unchanged"], true, "a repeated question has the same answer: {again}");
    let other = pack_for(&mut client, json!({ "task": "price_of_item of an item" })).await;
    let session = component(&other, "Cart.drop_item", "session").unwrap();
    assert!(session > 0.04 && session <= 0.05, "{session}");
    let why = json!({ "task": "price_of_item of an item", "symbol": "Cart.drop_item" });
    let why = client.command("kenning.explain", why).await.unwrap();
    assert!(why["components"]["session"].as_f64().unwrap() > 0.04, "{why}");
    let plain = json!({ "task": "price_of_item of an item", "noLearning": true });
    let without = pack_for(&mut client, plain.clone()).await;
    assert_eq!(component(&without, "Cart.drop_item", "session"), None);
    let mut other_client = Client::open(&fixture).await;
    let other_pack = pack_for(&mut other_client, json!({ "task": "price_of_item of an item" })).await;
    assert_eq!(component(&other_pack, "Cart.drop_item", "session"), None);
    assert_eq!(other_pack["symbols"], pack_for(&mut other_client, plain).await["symbols"]);
}

#[tokio::test]
async fn feedback_affects_similar_tasks_until_the_package_changes() {
    let fixture = shop();
    let mut client = Client::open(&fixture).await;
    let task = json!({ "task": "change `item` handling" });
    let pack = pack_for(&mut client, task.clone()).await;
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

    let after = pack_for(&mut client, json!({ "task": "Change the `item` handling!" })).await;
    assert_eq!(component(&after, "Cart.drop_item", "feedback"), Some(0.25));
    assert_eq!(component(&after, "Cart.add_item", "feedback"), Some(-0.05));
    let plain = json!({ "task": "change `item` handling", "noLearning": true });
    let without = pack_for(&mut client, plain).await;
    assert_eq!(component(&without, "Cart.drop_item", "feedback"), None);
    let other = pack_for(&mut client, json!({ "task": "price_of_item of an item" })).await;
    assert_eq!(component(&other, "Cart.drop_item", "feedback"), None, "another task");

    // Feedback survives the session, and is valid until the package changes.
    let mut later = Client::open(&fixture).await;
    assert_eq!(
        component(&pack_for(&mut later, task.clone()).await, "Cart.drop_item", "feedback"),
        Some(0.25)
    );
    later.did_open(&fixture.uri("app.py"), 1, SHOP).await;
    later.did_change(&fixture.uri("app.py"), 2, [0, 0, 0, 0], "def another():\n    pass\n\n\n").await;
    assert_eq!(component(&pack_for(&mut later, task.clone()).await, "Cart.drop_item", "feedback"), None);
    later.did_change(&fixture.uri("app.py"), 3, [0, 0, 4, 0], "").await;
    let back = pack_for(&mut later, task).await;
    assert_eq!(
        component(&back, "Cart.drop_item", "feedback"),
        Some(0.25),
        "the package is as before the edit"
    );
}

#[tokio::test]
async fn feedback_on_unknown_packs_and_symbols_is_an_error() {
    let fixture = shop();
    let mut client = Client::open(&fixture).await;
    let pack = pack_for(&mut client, json!({ "task": "item", "noLearning": true })).await;
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
    let pack = pack_for(&mut client, json!({ "task": "item" })).await;
    let root = pack["pack_root"].as_str().unwrap().to_owned();
    let answer = json!({ "packRoot": root, "symbol": "nothing_of_that_name", "useful": true });
    let (code, message) = client.command("kenning.feedback", answer).await.unwrap_err();
    assert_eq!(code, INVALID_PARAMS);
    assert!(message.starts_with("symbol: no symbol is named nothing_of_that_name"), "{message}");
}
