//! Tests the tiers of the name search.

use super::*;
use crate::config::RankConfig;

/// A class with methods in a folder whose name is a word, and an unrelated file.
const BILLING: &str = "\
//- src/billing/total.py
class Ledger: A book.
method Ledger.close: Close it.
method Ledger.reopen: Undo that.
function sum_up: A sum.
//- src/other.py
function unrelated: Something else.
";

/// Returns the hits of the name search with their tiers.
fn name_hits(config: &RankConfig, text: &str) -> Vec<String> {
    let shop = build_fixture(BILLING);
    let trace = analyze(&shop, config).pack_task(&task(text, None)).trace;
    let list = trace.channels.iter().find(|list| list.name == "tiered").expect("the channel ran");
    list.hits.iter().map(|hit| format!("{} {}", shop.symbol_name(hit.symbol), hit.reason)).collect()
}

#[test]
fn the_substring_tier_of_seeds_also_finds_containers_and_paths() {
    let seeds = RankConfig::seeds_preset();
    let names_only = {
        let mut config = seeds.clone();
        config.names.substring_qualified = false;
        config
    };
    assert_eq!(name_hits(&names_only, "edge"), ["Ledger substring"]);
    assert_eq!(
        name_hits(&seeds, "edge"),
        ["Ledger substring", "Ledger.close substring", "Ledger.reopen substring"]
    );
    assert_eq!(name_hits(&names_only, "illing"), [] as [&str; 0]);
    let in_path =
        ["Ledger substring", "Ledger.close substring", "Ledger.reopen substring", "sum_up substring"];
    assert_eq!(name_hits(&seeds, "illing"), in_path);
    assert_eq!(name_hits(&seeds, "ill"), [] as [&str; 0], "too short");
    assert!(!RankConfig::default().names.substring_qualified);
}
