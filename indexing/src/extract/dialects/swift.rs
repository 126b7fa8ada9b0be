//! The dialect of Swift: access levels, argument labels, and tests by name.

use super::{Dialect, VisibilityInput};
use crate::extract::arguments::LabeledArgument;
use crate::extract::bindings::RawBinding;
use crate::extract::expressions::{BoundValue, ExpressionReader, MAX_PATH_BYTES, UNKNOWN};
use crate::extract::raw_facts::RawFacts;
use kenning_graph::facts::{BindingKind, ImportFact, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// The label of an argument without one.
const NO_LABEL: &str = "_";
/// The label of the first function literal after the arguments in parentheses.
const TRAILING_CLOSURE: &str = "{";

/// The dialect of Swift.
pub(crate) struct SwiftDialect;

impl Dialect for SwiftDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        // `private(set)` limits the setter only.
        let head = declared.head.replace("private(set)", "").replace("fileprivate(set)", "");
        let declared = VisibilityInput { head: &head, ..*declared };
        let in_public_type = matches!(declared.parent, Some(SymbolKind::Enum | SymbolKind::Interface));
        if declared.has_modifier("private") || declared.has_modifier("fileprivate") {
            Visibility::Private
        } else if declared.has_modifier("public") || declared.has_modifier("open") || in_public_type {
            Visibility::Public
        } else {
            Visibility::Internal
        }
    }

    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        !import.path.is_empty()
    }

    /// Writes `items[0]`, which the grammar reads as a call.
    fn write_path(
        &self,
        node: Node,
        expressions: &ExpressionReader,
        out: &mut String,
        depth: u32,
    ) -> Option<bool> {
        if node.kind() != "call_expression" {
            return None;
        }
        let (called, suffix) = (node.named_child(0)?, node.named_child(1)?);
        if !expressions.node_text(suffix).starts_with('[') {
            return None;
        }
        let written = expressions.write_as_path(called, out, depth + 1).is_some();
        out.push_str("[]");
        Some(written)
    }

    /// Binds the parameters of the function literals that a call passes.
    fn collect_hook<'t>(&self, call: Node<'t>, expressions: &ExpressionReader, out: &mut RawFacts<'t>) {
        let (Some(called), Some(suffix)) = (call.named_child(0), call.named_child(1)) else { return };
        let path = expressions
            .split_receiver(called)
            .map(|(name, receiver)| (expressions.node_text(name), receiver));
        for closure in passed_closures(suffix) {
            let known = path.as_ref().filter(|(_, receiver)| closure.is_unlabeled && receiver != UNKNOWN);
            let value = |position: usize| {
                let (method, receiver) = known?;
                Some(passed_value(method, receiver, position, expressions))
                    .filter(|path| path.len() <= MAX_PATH_BYTES)
            };
            bind_closure_parameters(closure.node, &value, expressions, out);
        }
    }

    /// Returns the external name of a parameter, or else its name.
    fn parameter_label(&self, parameter: Node, expressions: &ExpressionReader) -> Option<String> {
        let external = parameter.child_by_field_name("external_name");
        external.or_else(|| parameter.child_by_field_name("name")).map(|label| label_text(label, expressions))
    }

    /// Reads the arguments in parentheses, and the function literals after them.
    fn labeled_arguments(&self, list: Node, expressions: &ExpressionReader) -> Vec<LabeledArgument> {
        let mut arguments = Vec::new();
        let mut label = None;
        let mut cursor = list.walk();
        for part in list.named_children(&mut cursor) {
            match part.kind() {
                "value_arguments" => {
                    let mut cursor = part.walk();
                    for argument in part.named_children(&mut cursor) {
                        if argument.kind() == "value_argument" {
                            push_value_argument(argument, expressions, &mut arguments);
                        }
                    }
                }
                "simple_identifier" => label = Some(label_text(part, expressions)),
                "lambda_literal" => {
                    let label = label.take().unwrap_or_else(|| TRAILING_CLOSURE.to_owned());
                    arguments.push(LabeledArgument { label, ty: expressions.argument_type(part) });
                }
                _ => {}
            }
        }
        arguments
    }

    fn is_test_symbol(&self, symbol: &SymbolFact) -> bool {
        let next = symbol.name.strip_prefix("test").and_then(|rest| rest.chars().next());
        symbol.kind == SymbolKind::Method
            && symbol.arity == Some(0)
            && next.is_some_and(|c| c.is_uppercase() || c == '_')
    }
}

/// Returns a label without the backticks around a keyword.
fn label_text(label: Node, expressions: &ExpressionReader) -> String {
    expressions.node_text(label).trim_matches('`').to_owned()
}

/// Adds an argument in parentheses, or the labels of a function that is named with them
/// (`move(from:to:)`).
fn push_value_argument(argument: Node, expressions: &ExpressionReader, out: &mut Vec<LabeledArgument>) {
    let label = argument.child_by_field_name("name");
    let label = label.map_or_else(|| NO_LABEL.to_owned(), |label| label_text(label, expressions));
    if let Some(value) = argument.child_by_field_name("value") {
        return out.push(LabeledArgument { label, ty: argument_type(value, expressions) });
    }
    let mut cursor = argument.walk();
    for label in argument.children_by_field_name("reference_specifier", &mut cursor) {
        if label.is_named() {
            out.push(LabeledArgument { label: label_text(label, expressions), ty: None });
        }
    }
}

/// Returns the type of an argument. A member of the parameter's type becomes `.` and its name.
fn argument_type(value: Node, expressions: &ExpressionReader) -> Option<String> {
    let Some(member) = expressions.node_text(value).strip_prefix('.') else {
        return expressions.argument_type(value);
    };
    let end = member.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(member.len());
    (end > 0).then(|| format!(".{}", &member[..end]))
}

/// A function literal among the arguments of a call.
struct PassedClosure<'t> {
    node: Node<'t>,
    is_unlabeled: bool,
}

/// Returns the function literals among the arguments of a call.
fn passed_closures(suffix: Node) -> Vec<PassedClosure> {
    let (mut closures, mut is_unlabeled) = (Vec::new(), true);
    let mut cursor = suffix.walk();
    for part in suffix.named_children(&mut cursor) {
        match part.kind() {
            "value_arguments" => {
                let mut cursor = part.walk();
                for argument in part.named_children(&mut cursor) {
                    let value = argument.child_by_field_name("value");
                    if let Some(node) = value.filter(|value| value.kind() == "lambda_literal") {
                        let is_unlabeled = argument.child_by_field_name("name").is_none();
                        closures.push(PassedClosure { node, is_unlabeled });
                    }
                }
            }
            "simple_identifier" => is_unlabeled = false,
            "lambda_literal" => closures.push(PassedClosure { node: part, is_unlabeled }),
            _ => {}
        }
    }
    closures
}

/// Returns the path of the value that a method passes to a function literal: an element of the
/// receiver, or the parameter of the function type in the method's declaration.
fn passed_value(method: &str, receiver: &str, position: usize, expressions: &ExpressionReader) -> String {
    let passes_element = match position {
        0 => {
            expressions.builtins.element_callbacks.contains(method)
                || expressions.builtins.pair_callbacks.contains(method)
        }
        1 => expressions.builtins.pair_callbacks.contains(method),
        _ => false,
    };
    match (receiver, passes_element) {
        ("", _) => format!("{method}#in{position}"),
        (_, true) => format!("{receiver}#each"),
        (_, false) => format!("{receiver}.{method}#in{position}"),
    }
}

/// Binds the named parameters of a function literal, or `$0` and `$1`, to the values that the call
/// passes. Unknown values hide those of function literals around it.
fn bind_closure_parameters(
    closure: Node,
    value: &dyn Fn(usize) -> Option<String>,
    expressions: &ExpressionReader,
    out: &mut RawFacts,
) {
    let bound = |position: usize| value(position).map(|path| BoundValue::new(path, BindingKind::Value));
    let named = named_parameters(closure);
    for (position, node) in named.iter().enumerate().filter(|(_, node)| expressions.node_text(**node) != "_")
    {
        out.bindings.push(RawBinding {
            name: expressions.node_text(*node).to_owned(),
            value: bound(position),
            at: node.start_byte() as u32,
            range: None,
            whole_block: false,
            is_member: false,
            is_receiver: false,
            declares: false,
            hides: false,
        });
    }
    let range = (closure.start_byte() as u32, closure.end_byte() as u32);
    for (position, name) in ["$0", "$1"].into_iter().enumerate() {
        if named.is_empty() && expressions.node_text(closure).contains(name) {
            out.bindings.push(RawBinding {
                name: name.to_owned(),
                value: bound(position),
                at: range.0,
                range: Some(range),
                whole_block: false,
                is_member: false,
                is_receiver: false,
                declares: false,
                hides: true,
            });
        }
    }
}

/// Returns the names of the parameters that a function literal declares.
fn named_parameters(closure: Node) -> Vec<Node> {
    let parameters = closure
        .child_by_field_name("type")
        .and_then(|ty| ty.named_child(0))
        .filter(|list| list.kind() == "lambda_function_type_parameters");
    let Some(list) = parameters else { return Vec::new() };
    let mut cursor = list.walk();
    let parameters: Vec<Node> = list.named_children(&mut cursor).collect();
    parameters.iter().filter_map(|parameter| parameter.child_by_field_name("name")).collect()
}
