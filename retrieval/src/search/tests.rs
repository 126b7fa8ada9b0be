//! Tests of the search over small workspaces.

use super::{LimitOverrides, SearchHit, SearchMode, SearchRequest, SearchScope, SearchTarget};
use crate::fixture::{SnapshotFixture, build_fixture};
use crate::pipeline::NoObserver;
use crate::{Analysis, RankConfig};
use expect_test::expect;
use kenning_graph::derived::{DerivedEvidence, DerivedFiles, DerivedReason};
use std::fmt::Write;

/// A workspace with a cart, a stock and a session store.
const SHOP: &str = "//- src/cart.py\nclass Cart: The goods that a customer wants.\nmethod Cart.add_item: Adds an item to the cart. { item } -> check_stock\n\
                    method Cart.total: Sums up the prices. { price sum }\n\
                    //- src/stock.py\nfunction check_stock: Whether goods are in the warehouse. { warehouse shelf }\nfunction refill { order shelf }\n\
                    //- src/session_store.py\nclass SessionStore: Keeps sessions. { session key }\n";

fn search(app: &SnapshotFixture, request: &SearchRequest) -> Vec<SearchHit> {
    search_with(app, request, &[])
}

fn search_with(app: &SnapshotFixture, request: &SearchRequest, others: &[&str]) -> Vec<SearchHit> {
    let others: Vec<String> = others.iter().map(|&path| path.to_owned()).collect();
    let config = RankConfig::default();
    let analysis = Analysis::new(&app.snapshot, &config, app);
    analysis
        .search_workspace(request, &|| others.clone(), &mut NoObserver)
        .expect("the search is not cancelled")
        .hits
}

fn request(query: &str, scope: SearchScope, mode: SearchMode) -> SearchRequest {
    SearchRequest { query: query.to_owned(), scope, mode, ..SearchRequest::default() }
}

/// Lists hits as `score target`, with the step that led to them.
fn list_hits(app: &SnapshotFixture, hits: &[SearchHit]) -> String {
    let mut out = String::new();
    for hit in hits {
        let target = match &hit.target {
            SearchTarget::Symbol(symbol) => app.symbol_name(*symbol),
            SearchTarget::File(file) => {
                app.snapshot.file(*file).expect("the snapshot has the file").path.to_owned()
            }
            SearchTarget::OtherFile(path) => format!("{path} (other)"),
        };
        let via = hit.via.map(|via| format!(" via {} of {}", via.kind, app.symbol_name(via.from)));
        let _ = writeln!(out, "{:.2} {target}{}", hit.score, via.unwrap_or_default());
    }
    out
}

fn find(query: &str, scope: SearchScope, mode: SearchMode) -> String {
    let app = build_fixture(SHOP);
    list_hits(&app, &search(&app, &request(query, scope, mode)))
}

#[test]
fn both_modes_find_code_and_its_neighbors() {
    for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
        let found = find("add an item to the cart", SearchScope::Code, mode);
        assert!(found.starts_with("1.00 Cart.add_item\n") || found.contains(" Cart.add_item\n"), "{found}");
    }
    expect![[r#"
        1.00 Cart.add_item
        0.98 Cart
        0.97 check_stock
        0.95 Cart.total
    "#]]
    .assert_eq(&find("add_item", SearchScope::Code, SearchMode::Hybrid));
    expect![[r#"
        1.00 Cart
        1.00 Cart.add_item
        1.00 Cart.total
        0.70 check_stock via calls of Cart.add_item
    "#]]
    .assert_eq(&find("cart", SearchScope::Code, SearchMode::Keyword));
}

#[test]
fn nonsense_finds_nothing() {
    for scope in [SearchScope::Code, SearchScope::Files, SearchScope::All] {
        for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
            for query in ["recipe for lasagna", "qxzv", "", "\u{1f642}"] {
                assert_eq!(find(query, scope, mode), "", "{query}");
            }
        }
    }
}

#[test]
fn edges_are_followed_up_to_the_limits() {
    let app = build_fixture(SHOP);
    let with = |overrides| {
        let mut request = request("total", SearchScope::Code, SearchMode::Keyword);
        request.overrides = overrides;
        list_hits(&app, &search(&app, &request))
    };
    let depth =
        |depth| LimitOverrides { bfs_depth: Some(depth), top_k: Some(1), ..LimitOverrides::default() };
    expect![[r#"
        1.00 Cart.total
    "#]]
    .assert_eq(&with(depth(0)));
    expect![[r#"
        1.00 Cart.total
        0.95 Cart via member_of of Cart.total
    "#]]
    .assert_eq(&with(depth(1)));
    expect![[r#"
        1.00 Cart.total
        0.95 Cart via member_of of Cart.total
        0.90 Cart.add_item via contains of Cart
    "#]]
    .assert_eq(&with(depth(2)));
    expect![[r#"
        1.00 Cart.total
        0.50 Cart via member_of of Cart.total
    "#]]
    .assert_eq(&with(LimitOverrides { bfs_decay: Some(0.5), ..depth(2) }));
    expect![[r#"
        1.00 Cart.total
        0.95 Cart via member_of of Cart.total
        0.90 Cart.add_item via contains of Cart
    "#]]
    .assert_eq(&with(LimitOverrides { min_score: Some(0.9), ..depth(3) }));
    expect![[r#"
        1.00 Cart.total
        0.95 Cart via member_of of Cart.total
    "#]]
    .assert_eq(&with(LimitOverrides { max_results: Some(2), ..depth(3) }));
}

#[test]
fn callers_and_importers_are_not_followed() {
    let found = find("check_stock", SearchScope::Code, SearchMode::Keyword);
    assert!(found.contains("check_stock\n") && !found.contains("add_item"), "{found}");
}

#[test]
fn the_name_of_a_file_finds_it_first() {
    for query in ["session_store.py", "where is `src/session_store.py`?", "session_store"] {
        for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
            let found = find(query, SearchScope::Files, mode);
            let first = found.lines().next().unwrap_or_default();
            assert!(first.ends_with(" src/session_store.py") && first > "0.9", "{query}: {found}");
        }
    }
    for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
        let found = find("which file refills the shelf of the warehouse", SearchScope::Files, mode);
        assert!(found.lines().next().is_some_and(|first| first.ends_with(" src/stock.py")), "{found}");
    }
}

#[test]
fn files_outside_the_graph_are_found_by_their_paths() {
    let app = build_fixture(SHOP);
    let find = |query: &str| {
        let request = request(query, SearchScope::Files, SearchMode::Keyword);
        let others = ["deploy/Caddyfile", "docs/release-notes.txt"];
        list_hits(&app, &search_with(&app, &request, &others))
    };
    expect![[r#"
        1.00 deploy/Caddyfile (other)
    "#]]
    .assert_eq(&find("caddyfile"));
    expect![[r#"
        0.98 docs/release-notes.txt (other)
    "#]]
    .assert_eq(&find("release notes"));
    expect![[r#"
        1.00 docs/release-notes.txt (other)
    "#]]
    .assert_eq(&find("release-notes.txt"));
    expect![[r#""#]].assert_eq(&find("everything"));
}

#[test]
fn all_scopes_share_one_list() {
    let lines = |query: &str| {
        let found = find(query, SearchScope::All, SearchMode::Hybrid);
        found.lines().map(|line| line[5..].to_owned()).take(2).collect::<Vec<_>>()
    };
    assert_eq!(lines("session_store"), ["SessionStore", "src/session_store.py"]);
    assert_eq!(lines("session_store.py")[0], "src/session_store.py");
}

#[test]
fn a_part_of_a_name_finds_symbols() {
    let app = build_fixture(
        "//- a.py\nfunction cart { x }\nfunction Cart_total { x }\nfunction get_cart { x }\nfunction other { x }\n\
         //- tests/test_a.py\ntest function cart_test { x }\n",
    );
    let names = |word: &str, limit| {
        let found = super::find_names(&app.snapshot, word, limit);
        found.into_iter().map(|id| app.symbol_name(id)).collect::<Vec<_>>()
    };
    assert_eq!(names("CART", 9), ["cart", "Cart_total", "cart_test", "get_cart"]);
    assert_eq!(names("cart", 1), ["cart"]);
    assert!(names("", 9).is_empty() && names("zzz", 9).is_empty());
}

#[test]
fn code_words_count_in_names() {
    let app = build_fixture(
        "//- src/token.py\nfunction validate: Checks a token. { valid token }\nfunction valid { token valid }\n\
         function is_valid_token { token }\nfunction token_for { valid }\n",
    );
    for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
        let first = |query: &str| {
            let hits = search(&app, &request(query, SearchScope::Code, mode));
            let SearchTarget::Symbol(symbol) = hits[0].target else { panic!("{hits:?}") };
            app.symbol_name(symbol)
        };
        assert_eq!(first("why is valid token refused"), "is_valid_token", "{mode:?}");
        assert_eq!(first("token for the valid user"), "token_for", "{mode:?}");
        assert_ne!(first("the valid token"), "token_for", "{mode:?}");
    }
}

#[test]
fn derived_files_come_last_unless_only_they_have_the_name() {
    let mut app = build_fixture(
        "//- dist/shop.js\nfunction add_item: Adds an item. { item }\nfunction bundled: Loads a bundle. { item }\n\
         //- lib/cart.js\nfunction add_item: Adds an item. { item }\nfunction add_items: Adds items. { item }\n",
    );
    let mut derived = DerivedFiles::default();
    derived.set_reason("dist/shop.js", DerivedEvidence::Text, Some(DerivedReason::Built));
    app.snapshot = app.snapshot.with_derived_files(&derived);
    for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
        let hits = search(&app, &request("add_item", SearchScope::Code, mode));
        let paths: Vec<&str> = hits
            .iter()
            .filter_map(|hit| hit.containing_file(&app.snapshot))
            .filter_map(|file| Some(app.snapshot.file(file)?.path))
            .collect();
        let first_derived = paths.iter().position(|path| path.starts_with("dist/")).expect("a derived hit");
        assert!(
            first_derived > 0 && paths[first_derived..].iter().all(|path| path.starts_with("dist/")),
            "{paths:?}"
        );
        assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    }
    let only = search(&app, &request("bundled", SearchScope::Code, SearchMode::Hybrid));
    assert_eq!(list_hits(&app, &only).lines().next(), Some("1.00 bundled"));
    let files = search(&app, &request("shop.js", SearchScope::Files, SearchMode::Hybrid));
    assert_eq!(list_hits(&app, &files).lines().next(), Some("1.00 dist/shop.js"));
}
