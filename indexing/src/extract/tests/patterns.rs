//! Tests of names that are declared inside a pattern or after a prefix.

use crate::extract::Extractor;

/// Returns the kind and qualified name of each symbol.
fn kinds_and_names(language: &str, text: &str) -> Vec<String> {
    let facts = Extractor::new().extract_file(language, text.as_bytes());
    facts.symbols.iter().map(|s| format!("{} {}", s.kind.as_str(), s.qualified_name())).collect()
}

#[test]
fn top_level_constants_are_found_in_patterns_and_locals_are_not() {
    let text = "export const { a, b: c, d = 1 } = made();
const [e, f] = made();
const { join } = require('path');
function g() { const { h } = made(); return (i) => { const [j] = i; }; }
app.get('/', (c) => { const { k } = c; });
";
    let expected = ["constant a", "constant c", "constant d", "constant e", "constant f", "function g"];
    assert_eq!(kinds_and_names("typescript", text), expected);
    assert_eq!(kinds_and_names("javascript", text), expected);
}

#[test]
fn an_optional_parameter_with_an_access_modifier_is_a_field() {
    let text = "class A { constructor(private b?: { c: number }, d?: string) {} }";
    assert_eq!(kinds_and_names("typescript", text), ["class A", "constructor A.constructor", "field A.b"]);
}

#[test]
fn values_assigned_to_a_prototype_are_members() {
    let text = "function A() {}
A.prototype.b = function () {};
A.prototype.c = A.prototype.b;
A.prototype.d = 1;
";
    assert_eq!(kinds_and_names("javascript", text), ["function A", "method A.b", "method A.c", "field A.d"]);
}
