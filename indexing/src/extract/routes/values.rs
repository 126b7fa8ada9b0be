//! What arguments say: path templates, keywords, handlers.

use crate::extract::expressions::{Expressions, UNKNOWN};
use crate::languages::Rule;
use tree_sitter::Node;

/// Nodes of one argument that are looked at.
const MAX_NODES: usize = 60;
/// Calls around a handler that are looked through.
const MAX_WRAPPERS: u32 = 4;

/// An argument of a call.
#[derive(Clone)]
pub(super) struct Argument<'t> {
    /// Its keyword; empty for one that has none.
    pub keyword: String,
    pub node: Node<'t>,
}

/// Who serves a route.
pub(super) enum Handler<'t> {
    /// What this path names.
    Named(String),
    /// A function without name, which stands here.
    Inline(Node<'t>),
}

/// The arguments of a call, or of what stands like one.
pub(super) fn arguments<'t>(x: &Expressions, call: Node<'t>) -> Vec<Argument<'t>> {
    let list = call.child_by_field_name("arguments").or_else(|| {
        let mut cursor = call.walk();
        call.named_children(&mut cursor).find(|child| child.kind() == "attribute_argument_list")
    });
    list.map_or_else(Vec::new, |list| listed(x, list))
}

fn listed<'t>(x: &Expressions, list: Node<'t>) -> Vec<Argument<'t>> {
    let mut cursor = list.walk();
    let nodes = list.named_children(&mut cursor).filter(|node| !x.kinds.flags(node.kind_id()).comment);
    nodes.take(MAX_NODES).map(|node| argument(x, node)).collect()
}

fn argument<'t>(x: &Expressions, node: Node<'t>) -> Argument<'t> {
    let value = node.child_by_field_name("value");
    let key = node.child_by_field_name("key").or_else(|| node.child_by_field_name("name"));
    let word = |key: Node| x.text_of(key).trim_matches([':', '"', '\'', ' ']).to_owned();
    match node.kind() {
        "keyword_argument" | "pair" | "element_value_pair" => match (key, value) {
            (Some(key), Some(value)) => Argument { keyword: word(key), node: value },
            _ => Argument { keyword: String::new(), node },
        },
        // C#: the value is the last part, behind a name or not.
        "argument" | "attribute_argument" => {
            let parts = node.named_child_count();
            let keyword =
                if parts > 1 { node.named_child(0).map(word).unwrap_or_default() } else { String::new() };
            let inner = parts.checked_sub(1).and_then(|last| node.named_child(last as u32));
            Argument { keyword, node: inner.unwrap_or(node) }
        }
        _ => Argument { keyword: String::new(), node },
    }
}

/// A key of an object literal.
pub(super) fn option<'t>(x: &Expressions, object: Node<'t>, key: &str) -> Option<Node<'t>> {
    let pairs = (object.kind() == "object").then(|| listed(x, object))?;
    pairs.into_iter().find(|pair| pair.keyword == key).map(|pair| pair.node)
}

/// The text that an expression gives, its unknown parts as `{}`: literals, templates, concatenations, `Sprintf`.
pub(super) fn template(x: &Expressions, node: Node) -> Option<String> {
    part(x, node, 0)
}

fn part(x: &Expressions, node: Node, depth: u32) -> Option<String> {
    if depth > 8 {
        return None;
    }
    let kind = node.kind();
    let is_string = kind.contains("string") || kind == "concatenated_string";
    if is_string {
        return quoted(x.text_of(node));
    }
    match kind {
        "binary_expression" | "binary_operator" | "binary" => {
            let left = node.child_by_field_name("left")?;
            let right = node.child_by_field_name("right")?;
            let plus = x.text_of(node.child_by_field_name("operator")?) == "+";
            let (a, b) = (part(x, left, depth + 1), part(x, right, depth + 1));
            let known = plus && (a.is_some() || b.is_some());
            let joined = format!("{}{}", a.as_deref().unwrap_or("{}"), b.as_deref().unwrap_or("{}"));
            known.then(|| joined.replace("{}{}", "{}"))
        }
        "macro_invocation" => {
            let format = node.child_by_field_name("macro").is_some_and(|name| x.text_of(name) == "format");
            let mut cursor = node.walk();
            let tokens = node.named_children(&mut cursor).find(|child| child.kind() == "token_tree")?;
            let first = tokens.named_child(0).filter(|_| format)?;
            quoted(x.text_of(first)).map(|text| braces(&text))
        }
        "reference_expression" | "await_expression" | "parenthesized_expression" => {
            part(x, node.named_child(0)?, depth + 1)
        }
        _ => wrapped(x, node, depth),
    }
}

/// `URI.create("...")`, `new URL("...")`, `fmt.Sprintf("...")`.
fn wrapped(x: &Expressions, node: Node, depth: u32) -> Option<String> {
    let is_call =
        matches!(x.kinds.rule(node.kind_id()), Rule::Call(_) | Rule::MethodCall(..) | Rule::Construct(_));
    let (name, _) = x.split(node).filter(|_| is_call)?;
    let first = arguments(x, node).first().map(|argument| argument.node)?;
    match x.text_of(name) {
        "URI" | "create" | "Uri" | "URL" | "parse" | "url" => part(x, first, depth + 1),
        "Sprintf" | "format" | "sprintf" => part(x, first, depth + 1).map(|text| percent(&text)),
        _ => None,
    }
}

/// The content of a literal with its holes as `{}`.
fn quoted(text: &str) -> Option<String> {
    let open = text.find(['"', '\'', '`'])?;
    let (prefix, rest) = text.split_at(open);
    if open > 4 || !prefix.chars().all(|c| c.is_ascii_alphabetic() || "@$#".contains(c)) {
        return None;
    }
    let quote = rest.chars().next()?;
    let content = rest.trim_end_matches('#').trim_matches(quote);
    let interpolated = prefix.contains(['f', 'F', '$']);
    Some(holes(content, interpolated, quote))
}

/// Replaces `${...}` and `#{...}`, and `{...}` where the literal is one with such parts.
fn holes(content: &str, interpolated: bool, quote: char) -> String {
    let mut out = String::new();
    let mut chars = content.chars().peekable();
    while let Some(c) = chars.next() {
        let marked = (c == '$' && quote == '`') || (c == '#' && quote == '"');
        if marked && chars.peek() == Some(&'{') {
            chars.next();
        } else if !(interpolated && c == '{') {
            out.push(c);
            continue;
        }
        let mut depth = 1;
        for c in chars.by_ref() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if depth == 0 {
                break;
            }
        }
        if !out.ends_with("{}") {
            out.push_str("{}");
        }
    }
    out
}

/// `{}` for the holes of a format string in braces.
fn braces(text: &str) -> String {
    holes(text, true, '"')
}

/// `{}` for the verbs of a format string.
fn percent(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let verb = chars.by_ref().find(|c| c.is_alphabetic() || *c == '%');
        out.push_str(if verb == Some('%') { "%" } else { "{}" });
    }
    out
}

/// Who an expression in the place of a handler stands for; `None` where it is none.
pub(super) fn handler<'t>(x: &Expressions, node: Node<'t>) -> Option<Handler<'t>> {
    let mut node = node;
    for _ in 0..MAX_WRAPPERS {
        let kind = node.kind();
        let inline = ["function", "lambda", "arrow", "func_literal", "closure", "block", "anonymous"];
        if kind == "method_reference" {
            return Some(Handler::Named(x.text_of(node).replace("::", ".")));
        }
        if inline.iter().any(|part| kind.contains(part)) {
            return Some(Handler::Inline(node));
        }
        if kind == "array" || kind == "list" {
            node = node.named_child(u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?)?;
            continue;
        }
        if kind.contains("string") || kind == "object" {
            return None;
        }
        let is_call = matches!(x.kinds.rule(node.kind_id()), Rule::Call(_) | Rule::MethodCall(..));
        if is_call {
            let (name, receiver) = x.split(node)?;
            match (x.text_of(name), arguments(x, node).last()) {
                // Django: other routes, not a handler.
                ("include", _) => return None,
                ("as_view", _) => return named(receiver),
                (_, Some(last)) if last.keyword.is_empty() => {
                    node = last.node;
                    continue;
                }
                _ => {}
            }
        }
        return named(x.path(node));
    }
    None
}

fn named<'t>(path: String) -> Option<Handler<'t>> {
    let path = path.strip_suffix("()").map(str::to_owned).unwrap_or(path);
    (path != UNKNOWN && !path.is_empty() && !path.starts_with(|c: char| c.is_ascii_digit()))
        .then_some(Handler::Named(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_keep_their_text_and_lose_their_holes() {
        for (text, expected) in [
            ("\"/a\"", "/a"),
            ("f'/a/{b.c}'", "/a/{}"),
            ("`/a/${b({})}/c`", "/a/{}/c"),
            ("\"/a/#{b}\"", "/a/{}"),
            ("$\"/a/{b}\"", "/a/{}"),
            ("\"/a/{id}\"", "/a/{id}"),
            ("r#\"/a\"#", "/a"),
        ] {
            assert_eq!(quoted(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(percent("/a/%d/%s?x=100%%"), "/a/{}/{}?x=100%");
        assert_eq!(braces("/a/{}/{name:?}"), "/a/{}/{}");
    }
}
