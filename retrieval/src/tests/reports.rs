//! Tests of pasted reports: named tests lead to the code under test, messages lead to the literals
//! that form them, and templates are ignored.

use super::*;
use crate::config::{LiteralsConfig, RoleWeights, TestIdsConfig};

/// A shop with error messages, and tests that reach its code.
const SHOP: &str = "\
//- src/shop/cart.py
class Cart: Items that somebody wants.
method Cart.add: Put an item in. { items append }
method Cart.total: The sum of all prices. { prices sum }
method Cart.expire: Drop what is older than an hour. { clock items }
//- src/shop/stock.py
class Stock
method Stock.take: Reserve an item. { raise OutOfStock f\"only {left} of {name} are left in the warehouse\" }
method Stock.close { log \"the warehouse is closed\" }
method Stock.open { log \"the warehouse is open, %d left\" }
function environment: Versions of packages that are installed, the operating system and the browser. { version python browser }
function shoes: Blue shoes and what else there is to buy, only what is left. { only shoes left blue }
//- src/shop/client.py
class Client: Sends requests. { send }
//- tests/test_cart.py
class CartTest
test method CartTest.test_expiry: Old items leave a cart. { cart client sleep } -> Client, Cart.expire ~> Cart.expire, Client
test method CartTest.test_total { cart client } -> Client ~> Cart.total, Client
test method CartTest.test_stock { assert \"only 2 of them are left in the warehouse\" } ~> Client
function helper -> Stock.take
test function test_through_helper -> helper
";

fn check(config: &RankConfig, task: &str, expect: Expect) {
    let shop = build_fixture(SHOP);
    let ranked = analyze(&shop, config).rank_task(&TaskRequest::new(task));
    let line = |r: &RankedSymbol| {
        let parts = r.components.iter().filter(|c| ["tested", "literal", "location"].contains(&c.name));
        let parts: Vec<String> = parts.map(|c| format!(" {} {:.2}", c.name, c.value)).collect();
        format!("{}{}\n", shop.symbol_name(r.symbol), parts.concat())
    };
    expect.assert_eq(&ranked.iter().take(5).map(line).collect::<String>());
}

fn config_with(change: impl FnOnce(&mut RankConfig)) -> RankConfig {
    let mut config = RankConfig::linear_preset();
    change(&mut config);
    config
}

/// A line of a test report.
const FAILING: &str = "FAILED tests/test_cart.py::CartTest::test_expiry[1-2] - assert 3 == 4";

#[test]
fn a_failing_test_leads_to_the_code_under_test_and_is_context() {
    check(
        &RankConfig::linear_preset(),
        FAILING,
        expect![[r#"
            Cart.expire tested 0.85
            CartTest.test_stock
            Client tested 0.43
            CartTest.test_expiry tested 0.25
            helper
        "#]],
    );
    let off = config_with(|c| c.test_ids.channel.weight = 0.0);
    check(
        &off,
        FAILING,
        expect![[r#"
            CartTest.test_expiry
            CartTest.test_stock
            CartTest.test_total
            CartTest
            Cart.expire
        "#]],
    );
}

#[test]
fn quotes_of_a_report_come_first_in_the_learned_order_too() {
    let shop = build_fixture(SHOP);
    for (task, expected) in [
        (FAILING, "Cart.expire"),
        ("tests/test_cart.py::test_through_helper fails", "Stock.take"),
        (MESSAGE, "Stock.take"),
        (ISSUE, "Cart.total"),
    ] {
        let ranked = analyze(&shop, &RankConfig::default()).rank_task(&TaskRequest::new(task));
        assert_eq!(shop.symbol_name(ranked[0].symbol), expected, "{task}");
    }
}

#[test]
fn the_test_ids_of_many_runners_are_resolved() {
    for task in [
        "CartTest.test_total:12 expected: <1> but was: <2>",
        "com.acme.tests.CartTest#test_total(int)",
        "CartTest > test_total FAILED",
        "test cart::CartTest::test_total ... FAILED",
        "Traceback\n  File \"/ci/tests/test_cart.py\", line 3, in test_total\n    assert 1 == 2",
    ] {
        let shop = build_fixture(SHOP);
        let answer = analyze(&shop, &RankConfig::default()).rank_task(&TaskRequest::new(task));
        let first: Vec<String> = answer.iter().take(1).map(|r| shop.symbol_name(r.symbol)).collect();
        assert_eq!(first, ["Cart.total"], "{task}");
    }
}

#[test]
fn a_test_without_direct_calls_leads_to_the_calls_of_its_helper() {
    check(
        &RankConfig::linear_preset(),
        "tests/test_cart.py::test_through_helper fails",
        expect![[r#"
            helper
            Stock.take tested 0.68
            test_through_helper tested 0.25
            Stock
            Client
        "#]],
    );
}

#[test]
fn a_dotted_name_of_product_code_is_not_a_test_id() {
    let shop = build_fixture(SHOP);
    let trace = analyze(&shop, &RankConfig::default())
        .pack_task(&TaskRequest::new("shop.Cart.total and Cart::add"))
        .trace;
    assert_eq!((trace.query.tests.len(), trace.query.locations.len()), (0, 0));
}

/// A report with a message that a literal of [`SHOP`] forms.
const MESSAGE: &str =
    "Buying fails\n\nshop.errors.OutOfStockError: only 2 of blue shoes are left in the warehouse";

#[test]
fn a_message_leads_to_the_literal_that_forms_it() {
    check(
        &RankConfig::linear_preset(),
        MESSAGE,
        expect![[r#"
            Stock.take literal 0.43
            shoes
            Stock
            Stock.open
            Stock.close
        "#]],
    );
    let off = config_with(|c| c.literals.channel.weight = 0.0);
    check(
        &off,
        MESSAGE,
        expect![[r#"
            shoes
            Stock.take
            Stock.open
            Stock
            Stock.close
        "#]],
    );
}

#[test]
fn a_message_must_contain_all_fixed_parts_of_a_literal() {
    let shop = build_fixture(SHOP);
    let found = |task: &str| {
        let trace = analyze(&shop, &RankConfig::default()).pack_task(&TaskRequest::new(task)).trace;
        let list = trace.channels.into_iter().find(|list| list.name == "literal").unwrap();
        list.hits.iter().map(|hit| shop.symbol_name(hit.symbol)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found("it says \"the warehouse is closed\" all day"), "Stock.close");
    assert_eq!(found("it says \"the warehouse is open, 7 left\""), "Stock.open");
    assert_eq!(found("it says \"the closed warehouse is gone\""), "", "the same words");
    assert_eq!(found("find out why the warehouse is closed"), "", "prose quotes nothing");
}

#[test]
fn without_texts_the_channel_of_literals_finds_nothing() {
    let shop = build_fixture(SHOP);
    let config = RankConfig::default();
    let trace = Analysis::new(&shop.snapshot, &config, &NoText).pack_task(&TaskRequest::new(MESSAGE)).trace;
    assert!(trace.channels.iter().any(|list| list.name == "literal" && list.hits.is_empty()));
}

/// An issue that was written with a template.
const ISSUE: &str = "Prices are wrong
### Describe the bug
A clear and concise description of what the bug is.
They do not add up.
### Environment
- operating system: linux
- browser: firefox
installed packages and python version
";

#[test]
fn headings_prompts_and_versions_have_almost_no_weight() {
    check(
        &RankConfig::linear_preset(),
        ISSUE,
        expect![[r#"
            Cart.total
            Cart
            Cart.expire
            Cart.add
            Stock
        "#]],
    );
    let plain = RoleWeights { code: 1.0, log: 1.0, environment: 1.0, form: 1.0 };
    check(
        &config_with(|c| c.query.roles = plain),
        ISSUE,
        expect![[r#"
            environment
            Cart.total
            shoes
            Cart
            Stock
        "#]],
    );
}

#[test]
fn the_channels_of_reports_are_components_that_add_up() {
    let shop = build_fixture(SHOP);
    let task = format!("{MESSAGE}\n{FAILING}\n{ISSUE}");
    let off = config_with(|c| {
        c.test_ids = TestIdsConfig { channel: c.locations, context: 0.0, ..c.test_ids };
        c.literals = LiteralsConfig { candidates: 0, ..c.literals };
    });
    for config in [RankConfig::default(), RankConfig::seeds_preset(), RankConfig::bm25_bodies(), off] {
        let answer = analyze(&shop, &config).pack_task(&TaskRequest::new(task.as_str()));
        for r in &answer.trace.ranked {
            assert_eq!(r.score, total_score(&r.components));
        }
    }
}

/// Configuration keys in constants, code and tests.
const SETTINGS: &str = "\
//- src/settings.py
class Settings: Settings of the shop.
constant LINGER: Time to wait. { \"shop.linger.ms\" }
constant LINGER_DOC { \"shop.linger.ms is the time to wait for more items of a cart\" }
constant ALL { \"shop.linger.ms\" \"shop.size\" \"shop.name\" \"shop.owner\" }
method Settings.linger: How long the shop waits for more items. { linger ms shop wait linger }
method Settings.check { \"shop.linger.ms\" }
function header: Read who sent a request { read \"X-Shop-Owner\" }
function shop_linger { wait }
//- src/other.py
function things: What those own who wait. { own things }
function price { own }
function stock { things }
function tax { read }
function owner { sent }
function order { request }
//- tests/test_settings.py
test function test_linger { \"shop.linger.ms\" \"tests.only\" }
";

#[test]
fn a_value_leads_to_the_constant_that_holds_it() {
    let settings = build_fixture(SETTINGS);
    let config = RankConfig::default();
    let found = |task: &str| {
        let trace = analyze(&settings, &config).pack_task(&TaskRequest::new(task)).trace;
        let list = trace.channels.iter().find(|list| list.name == "literal").unwrap();
        list.hits.iter().map(|hit| settings.symbol_name(hit.symbol)).collect::<Vec<_>>().join(" ")
    };
    let first = |task: &str| {
        settings.symbol_name(analyze(&settings, &config).rank_task(&TaskRequest::new(task))[0].symbol)
    };
    for task in ["what does shop.linger.ms do", "SHOP.LINGER.MS", "`shop.linger.ms`: which unit?"] {
        assert_eq!(found(task), "LINGER", "{task}");
    }
    assert_eq!(first("what does shop.linger.ms do"), "LINGER");
    assert_eq!(found("X-Shop-Owner"), "header", "no constant holds it, so its users count");
    assert_eq!(found("shop_linger"), "", "the name of a symbol is no value");
    assert_eq!(found("tests.only"), "", "tests repeat the values of the product");
    assert_eq!(found("shop.linger.seconds"), "");
}

#[test]
fn a_task_that_is_a_message_leads_to_its_literal() {
    let shop = build_fixture(SHOP);
    let config = RankConfig::default();
    for (task, expected) in [
        ("The warehouse is closed.", vec!["Stock.close"]),
        ("'the warehouse is closed'", vec!["Stock.close"]),
        ("the warehouse is closed for ever", vec![]),
    ] {
        let trace = analyze(&shop, &config).pack_task(&TaskRequest::new(task)).trace;
        let list = trace.channels.iter().find(|list| list.name == "literal").unwrap();
        let found: Vec<String> = list.hits.iter().map(|hit| shop.symbol_name(hit.symbol)).collect();
        assert_eq!(found, expected, "{task}");
    }
}

#[test]
fn a_value_counts_only_in_a_task_about_it() {
    let settings = build_fixture(SETTINGS);
    let hits = |task: &str| {
        let config = RankConfig::default();
        let trace = analyze(&settings, &config).pack_task(&TaskRequest::new(task)).trace;
        assert_eq!(trace.query.values.len(), 1, "{task}");
        trace.channels.iter().find(|list| list.name == "literal").unwrap().hits.len()
    };
    assert_eq!(hits("X-Shop-Owner when"), 1);
    assert_eq!(hits("X-Shop-Owner of a request that things and stock sent"), 0, "users of a value");
    assert_eq!(hits("price of shop.linger.ms"), 1, "a key needs less");
    assert_eq!(hits("shop.linger.ms and the price of things that are read, sent and own a tax"), 0);
}
