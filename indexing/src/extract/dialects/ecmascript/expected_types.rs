//! Expected types of functions and object literals, by their context. The result is the start of a
//! path that leads to the types of the parameters.
//!
//! `foo.^0/2` is the first of two arguments of a call to `foo`; `p.@1` is the second parameter of
//! the function `p`.

use super::expression_paths;
use super::local_bindings::{LocalBindingWalk, type_path};
use tree_sitter::Node;

/// Maximum nesting of literals. Data files nest literals without bound.
const MAX_NESTING: u32 = 8;

/// Returns the type that the context expects of a node, as a path. Returns `None` if the context
/// does not show it.
pub(super) fn expected_path(node: Node, walk: &LocalBindingWalk, depth: u32) -> Option<String> {
    if depth > MAX_NESTING {
        return None;
    }
    let parent = node.parent()?;
    let is_field =
        |field: &str| parent.child_by_field_name(field).is_some_and(|child| child.id() == node.id());
    let declared_type = |holder: Node| {
        holder.child_by_field_name("type").and_then(|ty| type_path(walk.expressions.node_text(ty)))
    };
    match parent.kind() {
        "arguments" => expected_argument(node, parent, walk),
        "parenthesized_expression" | "ternary_expression" => expected_path(parent, walk, depth + 1),
        "binary_expression" if is_field("right") => expected_path(parent, walk, depth + 1),
        "as_expression" | "satisfies_expression" => {
            parent.named_child(1).and_then(|ty| type_path(walk.expressions.node_text(ty)))
        }
        "pair" if is_field("value") => {
            let key = expression_paths::property_key(parent.child_by_field_name("key")?, walk.expressions)?;
            Some(format!("{}.{key}", expected_path(parent.parent()?, walk, depth + 1)?))
        }
        "object" if node.kind() == "method_definition" => {
            let name = expression_paths::property_key(node.child_by_field_name("name")?, walk.expressions)?;
            Some(format!("{}.{name}", expected_path(parent, walk, depth + 1)?))
        }
        "variable_declarator" | "public_field_definition" if is_field("value") => declared_type(parent),
        "assignment_expression" if is_field("right") && !walk.documented => {
            walk.known_path(parent.child_by_field_name("left")?)
        }
        "return_statement" => expected_result(walk),
        "arrow_function" if is_field("body") => expected_result(walk),
        _ => None,
    }
}

/// Returns the declared result of the innermost function.
fn expected_result(walk: &LocalBindingWalk) -> Option<String> {
    let function = walk.frames.iter().rev().find_map(|frame| frame.function.as_ref())?;
    type_path(function.annotated.as_deref()?)
}

fn expected_argument(node: Node, list: Node, walk: &LocalBindingWalk) -> Option<String> {
    let call = list.parent()?;
    let callee = match call.kind() {
        "call_expression" => call.child_by_field_name("function")?,
        "new_expression" => call.child_by_field_name("constructor")?,
        _ => return None,
    };
    let mut at = None;
    let mut count = 0;
    for argument in list.named_children(&mut list.walk()).filter(|child| !child.is_extra()) {
        if argument.id() == node.id() {
            at = Some(count);
        }
        count += 1;
        if count > 64 {
            return None;
        }
    }
    Some(format!("{}.^{}/{count}", walk.known_path(callee)?, at?))
}
