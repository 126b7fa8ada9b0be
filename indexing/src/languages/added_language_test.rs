//! Tests that data is enough to add a language: a row, a query, a grammar and one line that
//! registers it.
//!
//! The example is Solidity, which Kenning does not support. This folder contains everything that
//! Kenning would need for it.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::{Grammar, Language, LanguageRegistry, LanguageRow};
use crate::extract::{Extractor, dialects, render_facts};
use expect_test::expect;
use std::path::{Path, PathBuf};

static SOLIDITY: Grammar = super::grammars::grammar!(
    "solidity",
    tree_sitter_solidity::LANGUAGE,
    ["../src/languages/added_language_test/solidity"],
    dialects::PlainDialect
);

fn solidity() -> Language {
    let row: LanguageRow =
        toml::from_str(include_str!("added_language_test/solidity/language.toml")).expect("a row");
    Language::new(row, &SOLIDITY)
}

#[test]
fn a_row_and_a_query_are_enough_to_read_a_language() {
    let text = r#"
import "./Owned.sol";

/// Keeps the money of many people.
contract Bank is Owned {
    event Paid(address to, uint amount);
    mapping(address => uint) balances;

    /// Pays a person.
    function pay(address to, uint amount) public {
        Ledger ledger = openLedger(to);
        ledger.note(amount);
        emit Paid(to, amount);
    }
}
"#;
    let facts = Extractor::new().extract_with_language(&solidity(), text.as_bytes());
    expect![[r#"
        solidity package="" lines=15
        class Bank 5-15 `contract Bank is Owned` Extends(Owned) public doc="Keeps the money of many people."
          type Bank.Paid 6-6 `event Paid(address to, uint amount)` public
          field Bank.balances 7-7 `mapping(address => uint) balances` : mapping(address => uint) public
          method Bank.pay 10-14 `function pay(address to, uint amount) public` ()/0 public doc="Pays a person."
        ref Base Owned in Bank 5:18
        ref Call openLedger in Bank.pay 11:25
        ref Call ledger.note in Bank.pay 12:16
        ref Call Paid in Bank.pay 13:14
        import "./Owned.sol" "" as "" in file
        bind to = Type address in Bank.pay
        bind amount = Type uint in Bank.pay
        bind ledger = Type Ledger in Bank.pay
    "#]].assert_eq(&render_facts(&facts));
}

#[test]
fn every_kind_and_field_of_the_row_exists_in_the_grammar() {
    let solidity = solidity();
    let missing = super::node_kinds::missing_kinds(&solidity.grammar.tree_sitter_language(), &solidity.row);
    assert!(missing.is_empty(), "{missing:?}");
}

/// The code locations where Rust code may name a language (or an extension with the same name): the
/// registration, the manifests, and the resolution rules.
const LANGUAGE_SPECIFIC_PATHS: [&str; 4] =
    ["languages/grammars.rs", "project/", "resolve/family.rs", "resolve/lang/"];

#[test]
fn no_other_rust_code_names_a_language() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let ids: Vec<String> =
        LanguageRegistry::get().all_languages().iter().map(|l| format!("\"{}\"", l.language_id())).collect();
    let (mut folders, mut found) = (vec![source.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path: PathBuf = entry.expect("an entry").path();
            let relative = path.strip_prefix(&source).expect("in it").to_string_lossy().replace('\\', "/");
            let is_test = relative.contains("tests") || relative.starts_with("languages/added_language_test");
            if path.is_dir() {
                folders.push(path);
            } else if !is_test && !LANGUAGE_SPECIFIC_PATHS.iter().any(|path| relative.starts_with(path)) {
                let text = std::fs::read_to_string(&path).expect("text");
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
                let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                let naming = lines.filter(|line| ids.iter().any(|id| line.contains(id)));
                found.extend(naming.map(|line| format!("{relative}: {}", line.trim())));
            }
        }
    }
    assert!(found.is_empty(), "move the names to languages.toml or another table:\n{}", found.join("\n"));
}
