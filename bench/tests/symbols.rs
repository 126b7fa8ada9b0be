//! Tests of the comparison with Universal Ctags: which tags count as equal, and that the table of
//! differences is valid.

use bench::symbols::{Differences, Site, Tag};
use std::collections::BTreeSet;

fn tag(name: &str, kind: &str, line: u32) -> Tag {
    let text = String::new;
    Tag { name: name.into(), path: "a".into(), line, kind: kind.into(), scope: text(), scope_kind: text() }
}

fn explained(language: &str, tag: &Tag, line: &str, around: &[&'static str], ours: &[(u32, &str)]) -> bool {
    let differences = Differences::committed().expect("the table is understood");
    let ours: BTreeSet<(u32, &str)> = ours.iter().copied().collect();
    differences.explain(language, tag, &Site { line, around, ours: &ours }).is_some()
}

#[test]
fn a_tag_is_explained_only_where_all_conditions_hold() {
    let module = tag("walk", "module", 1);
    assert!(explained("Rust", &module, "pub mod walk;", &["identifier", "mod_item"], &[]));
    assert!(!explained("Rust", &module, "pub mod walk {", &["identifier", "mod_item"], &[]));
    assert!(!explained("Go", &module, "pub mod walk;", &["identifier", "mod_item"], &[]));
    let function = tag("walk", "function", 1);
    assert!(!explained("Rust", &function, "pub fn walk() {}", &["identifier", "function_item"], &[]));
    assert!(explained("Rust", &function, "fn walk() {}", &["identifier", "function_item", "block"], &[]));
}

#[test]
fn a_name_that_stands_a_few_lines_away_is_the_same() {
    let interface = tag("Reply", "interface", 7);
    assert!(explained("TypeScript", &interface, "  extends Base {", &[], &[(5, "Reply")]));
    assert!(!explained("TypeScript", &interface, "  extends Base {", &[], &[(1, "Reply"), (7, "Other")]));
}
