//! Tests what the server learns: from the session, from feedback, and nothing if the client
//! disables learning.
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

async fn ask(client: &mut Client, arguments: Value) -> Value {
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
async fn what_a_session_was_shown_counts_for_its_other_questions_and_for_no_other_client() {
    let fixture = shop();
    let mut client = Client::open(&fixture).await;
    let first = ask(&mut client, json!({ "task": "`drop_item`" })).await;
    assert_eq!(component(&first, "Cart.drop_item", "session"), None);
    let again = ask(&mut client, json!({ "task": "`drop_item`", "packRoot": first["pack_root"] })).await;
    assert_eq!(again["unchanged"], true, "a repeated question has the same answer: {again}");
    let other = ask(&mut client, json!({ "task": "price_of_item of an item" })).await;
    let session = component(&other, "Cart.drop_item", "session").unwrap();
    assert!(session > 0.04 && session <= 0.05, "{session}");
    let why = json!({ "task": "price_of_item of an item", "symbol": "Cart.drop_item" });
    let why = client.command("kenning.explain", why).await.unwrap();
    assert!(why["components"]["session"].as_f64().unwrap() > 0.04, "{why}");
    let plain = json!({ "task": "price_of_item of an item", "noLearning": true });
    let without = ask(&mut client, plain.clone()).await;
    assert_eq!(component(&without, "Cart.drop_item", "session"), None);
    let mut stranger = Client::open(&fixture).await;
    let theirs = ask(&mut stranger, json!({ "task": "price_of_item of an item" })).await;
    assert_eq!(component(&theirs, "Cart.drop_item", "session"), None);
    assert_eq!(theirs["symbols"], ask(&mut stranger, plain).await["symbols"]);
}

#[tokio::test]
async fn feedback_counts_for_like_tasks_until_the_package_changes() {
    let fixture = shop();
    let mut client = Client::open(&fixture).await;
    let task = json!({ "task": "change `item` handling" });
    let pack = ask(&mut client, task.clone()).await;
    let root = pack["pack_root"].as_str().unwrap();
    let says = |root: &str, symbol: &str, useful: bool| json!({ "packRoot": root, "symbol": symbol, "useful": useful });
    let kept = client.command("kenning.feedback", says(root, "Cart.drop_item", true)).await.unwrap();
    assert_eq!((&kept["ok"], &kept["useful"], &kept["not_useful"]), (&json!(true), &json!(1), &json!(0)));
    // This is the prefix of the root that Markdown shows.
    let kept = client.command("kenning.feedback", says(&root[..12], "Cart.add_item", false)).await.unwrap();
    assert_eq!((&kept["useful"], &kept["not_useful"]), (&json!(0), &json!(1)));

    let after = ask(&mut client, json!({ "task": "Change the `item` handling!" })).await;
    assert_eq!(component(&after, "Cart.drop_item", "feedback"), Some(0.25));
    assert_eq!(component(&after, "Cart.add_item", "feedback"), Some(-0.05));
    let plain = json!({ "task": "change `item` handling", "noLearning": true });
    let without = ask(&mut client, plain).await;
    assert_eq!(component(&without, "Cart.drop_item", "feedback"), None);
    let other = ask(&mut client, json!({ "task": "price_of_item of an item" })).await;
    assert_eq!(component(&other, "Cart.drop_item", "feedback"), None, "another task");

    // Feedback survives the session, and is valid until the package changes.
    let mut later = Client::open(&fixture).await;
    assert_eq!(component(&ask(&mut later, task.clone()).await, "Cart.drop_item", "feedback"), Some(0.25));
    later.did_open(&fixture.uri("app.py"), 1, SHOP).await;
    later.did_change(&fixture.uri("app.py"), 2, [0, 0, 0, 0], "def another():\n    pass\n\n\n").await;
    assert_eq!(component(&ask(&mut later, task.clone()).await, "Cart.drop_item", "feedback"), None);
    later.did_change(&fixture.uri("app.py"), 3, [0, 0, 4, 0], "").await;
    let back = ask(&mut later, task).await;
    assert_eq!(component(&back, "Cart.drop_item", "feedback"), Some(0.25), "the package is as it was");
}

#[tokio::test]
async fn feedback_about_what_was_not_handed_out_is_refused() {
    let fixture = shop();
    let mut client = Client::open(&fixture).await;
    let pack = ask(&mut client, json!({ "task": "item", "noLearning": true })).await;
    let root = pack["pack_root"].as_str().unwrap().to_owned();
    let mut says = async |root: &str, symbol: &str| {
        let answer = json!({ "packRoot": root, "symbol": symbol, "useful": true });
        client.command("kenning.feedback", answer).await.unwrap_err()
    };
    for root in ["", "abc", &root] {
        let (code, message) = says(root, "Cart").await;
        assert_eq!(code, INVALID_PARAMS);
        assert!(message.starts_with("packRoot: unknown pack"), "{message}");
    }
    let pack = ask(&mut client, json!({ "task": "item" })).await;
    let root = pack["pack_root"].as_str().unwrap().to_owned();
    let answer = json!({ "packRoot": root, "symbol": "nothing_of_that_name", "useful": true });
    let (code, message) = client.command("kenning.feedback", answer).await.unwrap_err();
    assert_eq!(code, INVALID_PARAMS);
    assert!(message.starts_with("symbol: no symbol is named nothing_of_that_name"), "{message}");
}
