//! Arguments of calls: their keywords, and the handlers among them.

use crate::extract::expressions::{ExpressionReader, UNKNOWN};
use crate::languages::ExpressionRule;
use tree_sitter::Node;

/// Maximum number of arguments read per call. Calls with data as arguments have thousands.
const MAX_ARGUMENTS: usize = 60;
/// Maximum number of calls around a handler that are unwrapped. Hostile files nest thousands.
const MAX_WRAPPERS: u32 = 4;

/// An argument of a call.
#[derive(Clone)]
pub(super) struct RouteArgument<'t> {
    /// The argument's keyword; empty if it has none.
    pub keyword: String,
    pub node: Node<'t>,
}

/// The handler of a route.
pub(super) enum RouteHandler<'t> {
    /// The function or type that this path names.
    Named(String),
    /// An anonymous function, which is this node.
    Inline(Node<'t>),
}

/// Returns the arguments of a call, or of an attribute, which has arguments like a call.
pub(super) fn collect_arguments<'t>(
    expressions: &ExpressionReader,
    call: Node<'t>,
) -> Vec<RouteArgument<'t>> {
    let list = call.child_by_field_name("arguments").or_else(|| {
        let mut cursor = call.walk();
        call.named_children(&mut cursor).find(|child| child.kind() == "attribute_argument_list")
    });
    list.map_or_else(Vec::new, |list| list_arguments(expressions, list))
}

fn list_arguments<'t>(expressions: &ExpressionReader, list: Node<'t>) -> Vec<RouteArgument<'t>> {
    let mut cursor = list.walk();
    let nodes =
        list.named_children(&mut cursor).filter(|node| !expressions.kinds.kind_flags(node.kind_id()).comment);
    nodes.take(MAX_ARGUMENTS).map(|node| parse_argument(expressions, node)).collect()
}

fn parse_argument<'t>(expressions: &ExpressionReader, node: Node<'t>) -> RouteArgument<'t> {
    let value = node.child_by_field_name("value");
    let key = node.child_by_field_name("key").or_else(|| node.child_by_field_name("name"));
    let key_text = |key: Node| expressions.node_text(key).trim_matches([':', '"', '\'', ' ']).to_owned();
    match node.kind() {
        "keyword_argument" | "pair" | "element_value_pair" => match (key, value) {
            (Some(key), Some(value)) => RouteArgument { keyword: key_text(key), node: value },
            _ => RouteArgument { keyword: String::new(), node },
        },
        // In an object entry without a value, the name is the key: `{ url }`, `{ handler() {} }`.
        "shorthand_property_identifier" => RouteArgument { keyword: key_text(node), node },
        "method_definition" => RouteArgument { keyword: key.map(key_text).unwrap_or_default(), node },
        // In C#, the value is the last part, with or without a name before it.
        "argument" | "attribute_argument" => {
            let parts = node.named_child_count();
            let keyword =
                if parts > 1 { node.named_child(0).map(key_text).unwrap_or_default() } else { String::new() };
            let inner = parts.checked_sub(1).and_then(|last| node.named_child(last as u32));
            RouteArgument { keyword, node: inner.unwrap_or(node) }
        }
        _ => RouteArgument { keyword: String::new(), node },
    }
}

/// Returns the value of a key of an object literal.
pub(super) fn object_entry<'t>(
    expressions: &ExpressionReader,
    object: Node<'t>,
    key: &str,
) -> Option<Node<'t>> {
    let pairs = (object.kind() == "object").then(|| list_arguments(expressions, object))?;
    pairs.into_iter().find(|pair| pair.keyword == key).map(|pair| pair.node)
}

/// Parses an argument that should be a handler. Returns `None` if it is not one.
pub(super) fn parse_handler<'t>(expressions: &ExpressionReader, node: Node<'t>) -> Option<RouteHandler<'t>> {
    let mut node = node;
    for _ in 0..MAX_WRAPPERS {
        let kind = node.kind();
        let inline_kinds =
            ["function", "lambda", "arrow", "func_literal", "closure", "block", "anonymous", "method_def"];
        if kind == "method_reference" {
            return Some(RouteHandler::Named(expressions.node_text(node).replace("::", ".")));
        }
        if inline_kinds.iter().any(|part| kind.contains(part)) {
            return Some(RouteHandler::Inline(node));
        }
        if kind == "array" || kind == "list" {
            node = node.named_child(u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?)?;
            continue;
        }
        if kind.contains("string") || kind == "object" {
            return None;
        }
        let is_call = matches!(
            expressions.kinds.expression_rule(node.kind_id()),
            ExpressionRule::Call(_) | ExpressionRule::MethodCall(..)
        );
        if is_call {
            let (name, receiver) = expressions.split_receiver(node)?;
            match (expressions.node_text(name), collect_arguments(expressions, node).last()) {
                // Django's `include` names other routes and is not a handler.
                ("include", _) => return None,
                ("as_view", _) => return named_handler(receiver),
                (_, Some(last)) if last.keyword.is_empty() => {
                    node = last.node;
                    continue;
                }
                _ => {}
            }
        }
        return named_handler(expressions.path_text(node));
    }
    None
}

fn named_handler<'t>(path: String) -> Option<RouteHandler<'t>> {
    let path = path.strip_suffix("()").map(str::to_owned).unwrap_or(path);
    (path != UNKNOWN && !path.is_empty() && !path.starts_with(|c: char| c.is_ascii_digit()))
        .then_some(RouteHandler::Named(path))
}
