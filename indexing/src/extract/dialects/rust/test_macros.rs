//! Tests that a local macro writes: `macro_rules! check { ($name:ident, $text:expr) => { #[test] fn
//! $name() { .. } } }` and its calls `check!(empty, "");`.
//!
//! A macro whose rules contain a function with a test attribute and a metavariable as its name
//! makes tests. Each of its calls in the same module, or in a module inside it, becomes the tests
//! that it names. The macros of other files are unknown here.

use super::MAX_PARTS;
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::{DraftKind, RawFacts, SymbolDraft, name_span};
use kenning_graph::vocabulary::SymbolKind;
use tree_sitter::Node;

/// Maximum number of tests of one file. Conformance suites have thousands.
const MAX_TESTS: usize = 10_000;

/// The place of the tests' names in the calls of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamePlace {
    /// The first name of the argument with this number.
    Argument(usize),
    /// The first name of each argument, because the macro repeats a pattern.
    EachArgument,
}

/// Adds the tests that the calls of a macro make, if the macro makes tests.
pub(super) fn collect_macro_tests<'t>(
    definition: Node<'t>,
    expressions: &ExpressionReader,
    out: &mut RawFacts<'t>,
) {
    let Some(place) = find_name_place(definition, expressions) else { return };
    let name = definition.child_by_field_name("name").map_or("", |name| expressions.node_text(name));
    let mut pending: Vec<Node<'t>> = Vec::new();
    pending.extend(definition.parent());
    let mut tests = 0;
    while let Some(container) = pending.pop() {
        let mut cursor = container.walk();
        for child in container.named_children(&mut cursor) {
            if child.end_byte() <= definition.start_byte() {
                continue;
            }
            let call = match child.kind() {
                "mod_item" => {
                    pending.extend(child.child_by_field_name("body"));
                    continue;
                }
                "macro_invocation" => child,
                "expression_statement" => match child.named_child(0) {
                    Some(call) if call.kind() == "macro_invocation" => call,
                    _ => continue,
                },
                _ => continue,
            };
            let called = call.child_by_field_name("macro").map(|called| expressions.node_text(called));
            if called != Some(name) {
                continue;
            }
            for (whole, test) in names_in_call(call, place) {
                tests += 1;
                if tests > MAX_TESTS {
                    return;
                }
                out.drafts.push(SymbolDraft {
                    name: expressions.node_text(test).to_owned(),
                    name_span: name_span(test),
                    is_test: true,
                    ..SymbolDraft::without_parts(whole, DraftKind::Symbol(SymbolKind::Function))
                });
            }
        }
    }
}

/// Returns the place of the tests' names, or `None` if no rule of the macro makes a test.
fn find_name_place(definition: Node, expressions: &ExpressionReader) -> Option<NamePlace> {
    let mut cursor = definition.walk();
    let rules = definition.named_children(&mut cursor).filter(|child| child.kind() == "macro_rule");
    rules.take(MAX_PARTS).find_map(|rule| {
        let variable = test_name_variable(rule.child_by_field_name("right")?, expressions)?;
        place_in_pattern(rule.child_by_field_name("left")?, &variable, expressions)
    })
}

/// Returns the metavariable that names a function with a test attribute in a macro's body.
fn test_name_variable(body: Node, expressions: &ExpressionReader) -> Option<String> {
    let mut pending = vec![body];
    while let Some(tree) = pending.pop() {
        let mut cursor = tree.walk();
        let mut is_test = false;
        let mut after_fn = false;
        for token in tree.children(&mut cursor) {
            let text = expressions.node_text(token);
            if token.kind() == "metavariable" && after_fn && is_test {
                return Some(text.to_owned());
            }
            after_fn = text == "fn";
            if token.kind() == "token_tree" || token.kind() == "token_repetition" {
                is_test |= is_test_attribute(text);
                // A test ends at its body.
                is_test &= !text.starts_with('{');
                pending.push(token);
            }
        }
    }
    None
}

/// Whether the text of an attribute in brackets marks a test: `[test]`, `[tokio::test(flavor = "x")]`.
fn is_test_attribute(text: &str) -> bool {
    let Some(path) = text.strip_prefix('[').and_then(|text| text.split(['(', ']', '=']).next()) else {
        return false;
    };
    path.trim().rsplit("::").next().is_some_and(|last| matches!(last.trim(), "test" | "rstest" | "test_case"))
}

/// Returns the place of a metavariable in the pattern of a rule.
fn place_in_pattern(pattern: Node, variable: &str, expressions: &ExpressionReader) -> Option<NamePlace> {
    let mut cursor = pattern.walk();
    let mut argument = 0;
    for part in pattern.children(&mut cursor) {
        let text = expressions.node_text(part);
        match part.kind() {
            "token_binding_pattern" if text.split(':').next().map(str::trim) == Some(variable) => {
                return Some(NamePlace::Argument(argument));
            }
            "token_repetition_pattern" if text.contains(variable) => return Some(NamePlace::EachArgument),
            _ if text == "," || text == ";" => argument += 1,
            _ => {}
        }
    }
    None
}

/// Returns the names of the tests in the arguments of a call, each with the part of the call that is
/// the test.
fn names_in_call(call: Node<'_>, place: NamePlace) -> Vec<(Node<'_>, Node<'_>)> {
    let mut cursor = call.walk();
    let Some(arguments) = call.named_children(&mut cursor).find(|child| child.kind() == "token_tree") else {
        return Vec::new();
    };
    let mut cursor = arguments.walk();
    let (mut argument, mut has_name) = (0, false);
    let mut names = Vec::new();
    for token in arguments.children(&mut cursor) {
        match token.kind() {
            "," | ";" => (argument, has_name) = (argument + 1, false),
            "identifier" if !has_name => {
                has_name = true;
                match place {
                    NamePlace::EachArgument => names.push((token, token)),
                    NamePlace::Argument(wanted) if wanted == argument => names.push((call, token)),
                    NamePlace::Argument(_) => {}
                }
            }
            _ => {}
        }
    }
    names
}
