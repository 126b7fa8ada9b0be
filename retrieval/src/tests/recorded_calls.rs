//! Tests that packs use recorded calls: a function that only a trace connects with the task is
//! found.

use super::*;
use kenning_graph::runs::{RecordedCall, RunBatch, SymbolState};
use kenning_graph::snapshot::RunLayer;
use std::sync::Arc;

/// Three functions in two files, without a call between them.
const SHOP: &str = "\
//- src/front.py
function open_shop: Open the shop. { registry dispatch }
//- src/back.py
function sell_goods: Hand something over. { stock }
function count_stock: Number of things. { stock }
";

fn record_call(shop: &SnapshotFixture, count: u32) -> RunLayer {
    let state = |name| {
        let symbol = shop.snapshot.symbol(shop.symbol_id(name)).unwrap();
        SymbolState { symbol: symbol.hash, body: symbol.body_hash }
    };
    let (caller, callee) = (state("open_shop"), state("sell_goods"));
    let calls = vec![RecordedCall { caller, callee, count, first_seen: 1, last_seen: 1 }];
    RunLayer::from_batches(vec![RunBatch { calls, ..RunBatch::default() }])
}

fn find_candidate(shop: &SnapshotFixture, config: &RankConfig, name: &str) -> Option<RankedSymbol> {
    let ranked = analyze(shop, config).rank_task(&TaskRequest::new("open the shop"));
    ranked.into_iter().find(|candidate| shop.symbol_name(candidate.symbol) == name)
}

#[test]
fn a_recorded_call_leads_the_walk_to_its_callee() {
    let mut shop = build_fixture(SHOP);
    let config = RankConfig::default();
    assert!(find_candidate(&shop, &config, "sell_goods").is_none(), "nothing in the text leads there");
    let runs = Arc::new(record_call(&shop, 4));
    shop.snapshot = shop.snapshot.clone().with_runs(runs);
    let found = find_candidate(&shop, &config, "sell_goods").expect("the recorded call leads to the symbol");
    assert_eq!(found.channels, ["walk"]);
    assert!(find_candidate(&shop, &config, "count_stock").is_none());
}

#[test]
fn the_confidence_and_age_of_a_recorded_call_count() {
    let mut shop = build_fixture(SHOP);
    let config = RankConfig::seeds_preset();
    let runs = Arc::new(record_call(&shop, 1000));
    shop.snapshot = shop.snapshot.clone().with_runs(runs);
    let found = find_candidate(&shop, &config, "sell_goods").expect("the recorded call leads to the symbol");
    assert!(found.confidence > 0.94, "{}", found.confidence);
    let recency =
        found.components.iter().find(|part| part.name == "recency").expect("the score has the component");
    assert!(recency.value > 0.14, "it ran within a day of the newest record: {}", recency.value);
}
