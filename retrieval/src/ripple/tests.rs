//! Tests of the ripple files of a small workspace, with and without history.

use super::*;
use crate::fixture::build_fixture;
use expect_test::{Expect, expect};
use kenning_graph::commits::{CommitFacts, TouchedFile};

/// A shop with a cart, its users, its tests, and an unrelated configuration.
const SHOP: &str = "\
//- shop/cart.py
class Cart
method Cart.total -> price
function unused
//- shop/price.py
function price
//- web/page.py
function page -> Cart.total
//- tests/test_cart.py
test function test_total -> Cart.total
//- docs/conf.py
function configure
";

fn build_commit(id: &str, days_ago: i64, touched_count: u32, files: &[&str]) -> CommitFacts {
    let file = |text: &&str| {
        let (path, symbols) = text.split_once(':').unwrap_or((text, ""));
        TouchedFile {
            path: path.into(),
            old_path: None,
            symbols: symbols.split_whitespace().map(Into::into).collect(),
        }
    };
    let files: Vec<TouchedFile> = files.iter().map(file).collect();
    CommitFacts { id: id.into(), time: -days_ago * 86_400, touched_count, files, ..CommitFacts::default() }
}

fn check(commits: Option<Vec<CommitFacts>>, seed: &str, expect: Expect) {
    let shop = build_fixture(SHOP);
    let history = commits.map(CommitHistory::new);
    let seeds = RippleSeeds { symbols: &[shop.symbol_id(seed)] };
    let files = ripple_files(&shop.snapshot, history.as_ref(), seeds, 20);
    let lines = files.iter().map(|file| format!("{} {:.2} {:?}\n", file.path, file.score, file.reasons));
    expect.assert_eq(&lines.collect::<String>());
}

#[test]
fn users_used_files_and_tests_are_found_without_history() {
    check(
        None,
        "Cart.total",
        expect![[r#"
        tests/test_cart.py 2.10 [Uses(1), SimilarName]
        shop/price.py 1.19 [IsUsed(1), SameFolder]
        web/page.py 0.45 [Uses(1)]
    "#]],
    );
}

#[test]
fn files_that_changed_together_come_first_and_large_commits_are_ignored() {
    let commits = vec![
        build_commit("a", 1, 2, &["shop/cart.py:Cart.total", "docs/conf.py"]),
        build_commit("b", 2, 2, &["shop/cart.py:unused", "docs/conf.py"]),
        build_commit("c", 3, 100, &["shop/cart.py:Cart.total", "web/page.py"]),
        build_commit("d", 4, 2, &["shop/price.py", "web/page.py"]),
    ];
    check(
        Some(commits),
        "Cart.total",
        expect![[r#"
        docs/conf.py 6.70 [ChangedTogether { together: 2, commits: 2 }]
        tests/test_cart.py 2.10 [Uses(1), SimilarName]
        shop/price.py 1.51 [IsUsed(1), SameFolder]
        web/page.py 0.96 [Uses(1)]
    "#]],
    );
}

#[test]
fn a_symbol_without_edges_ripples_to_similar_names_and_its_folder() {
    check(
        None,
        "unused",
        expect![[r#"
        tests/test_cart.py 1.86 [SimilarName]
        shop/price.py 0.75 [SameFolder]
        web/page.py 0.21 [RelatedFile]
    "#]],
    );
}

#[test]
fn test_files_have_tests_and_those_that_changed_together_come_first() {
    let shop = build_fixture(
        "//- shop/cart.py\nmethod Cart.total\n//- tests/test_far.py\ntest function test_far\n\
         //- tests/test_near.py\ntest function test_near -> Cart.total\n\
         //- tests/helpers.py\nfunction make_cart -> Cart.total\n//- doc/test_pages.py\nfunction cart_page\n",
    );
    let commits =
        ["a", "b"].map(|id| build_commit(id, 1, 2, &["shop/cart.py:Cart.total", "tests/test_far.py"]));
    let symbols = [shop.symbol_id("Cart.total")];
    let affected = crate::features::affected_tests(&shop.snapshot, &symbols, 10);
    let paths = |history: Option<&CommitHistory>| {
        let files = likely_test_files(&shop.snapshot, history, &symbols, &affected, 15);
        files.into_iter().map(|file| file.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(None).first().map(String::as_str), Some("tests/test_near.py"));
    let history = CommitHistory::new(commits.to_vec());
    assert_eq!(paths(Some(&history)), ["tests/test_far.py", "tests/test_near.py"]);
}
