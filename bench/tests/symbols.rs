//! Tests the table of differences from Universal Ctags: that it is valid, and which tags it
//! explains.

use bench::symbols::{CtagsDifferences, Tag, TagContext};
use std::collections::BTreeSet;

fn make_tag(name: &str, kind: &str, line: u32) -> Tag {
    let empty = String::new;
    Tag { name: name.into(), path: "a".into(), line, kind: kind.into(), scope: empty(), scope_kind: empty() }
}

fn is_explained(language: &str, tag: &Tag, line: &str, node_kinds: &[&str], symbols: &[(u32, &str)]) -> bool {
    let differences = CtagsDifferences::read_committed().expect("a valid table");
    let symbols: BTreeSet<(u32, &str)> = symbols.iter().copied().collect();
    differences.explain(language, tag, &TagContext { line, node_kinds, symbols: &symbols }).is_some()
}

#[test]
fn a_tag_is_explained_only_if_it_meets_all_conditions() {
    let module = make_tag("walk", "module", 1);
    assert!(is_explained("Rust", &module, "pub mod walk;", &["identifier", "mod_item"], &[]));
    assert!(!is_explained("Rust", &module, "pub mod walk {", &["identifier", "mod_item"], &[]));
    assert!(!is_explained("Go", &module, "pub mod walk;", &["identifier", "mod_item"], &[]));
    let function = make_tag("walk", "function", 1);
    assert!(!is_explained("Rust", &function, "pub fn walk() {}", &["identifier", "function_item"], &[]));
    assert!(is_explained("Rust", &function, "fn walk() {}", &["identifier", "function_item", "block"], &[]));
}

#[test]
fn a_symbol_with_the_name_a_few_lines_away_explains_a_tag() {
    let interface = make_tag("Reply", "interface", 7);
    assert!(is_explained("TypeScript", &interface, "  extends Base {", &[], &[(5, "Reply")]));
    assert!(!is_explained("TypeScript", &interface, "  extends Base {", &[], &[(1, "Reply"), (7, "Other")]));
}
