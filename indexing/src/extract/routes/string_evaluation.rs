//! Evaluates string expressions: literals, templates, concatenations, format strings, and
//! constants of the file.
//!
//! The result is the text of the expression, in which [`HOLE`] stands for each part that the file
//! does not define. An expression without any known part has no result.

use super::call_arguments::collect_arguments;
use crate::extract::constants::StringConstants;
use crate::extract::expressions::{ExpressionReader, UNKNOWN, field_or_first_child};
use crate::languages::ExpressionRule;
use tree_sitter::Node;

/// Maximum depth of nested expressions that are evaluated. Long concatenations nest one level for
/// each operand.
const MAX_DEPTH: u32 = 8;
/// Placeholder for an unknown part of a string.
pub(super) const HOLE: &str = "{}";

/// Evaluates the string expressions of one file.
pub(super) struct StringEvaluator<'s> {
    pub expressions: ExpressionReader<'s>,
    pub constants: StringConstants<'s>,
}

impl StringEvaluator<'_> {
    /// Returns the text of an expression, with its unknown parts as `{}`. Returns `None` if no part
    /// of it is known.
    pub fn evaluate_template(&self, node: Node) -> Option<String> {
        self.evaluate_part(node, 0)
    }

    /// Evaluates an operand at this depth of nesting.
    fn evaluate_part(&self, node: Node, depth: u32) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        if node.kind().contains("string") {
            return literal_content(self.expressions.node_text(node), &|path| {
                self.constants.find_constant(path, node.start_byte())
            });
        }
        match node.kind() {
            "binary_expression" | "binary_operator" | "binary" => self.evaluate_binary(node, depth),
            "macro_invocation" => self.evaluate_format_macro(node),
            "reference_expression" | "await_expression" | "parenthesized_expression" => {
                self.evaluate_part(node.named_child(0)?, depth + 1)
            }
            _ => match self.expressions.kinds.expression_rule(node.kind_id()) {
                ExpressionRule::Name | ExpressionRule::Member(..) | ExpressionRule::Scoped => self
                    .constants
                    .find_constant(&self.expressions.path_text(node), node.start_byte())
                    .map(str::to_owned),
                ExpressionRule::Call(_) | ExpressionRule::MethodCall(..) | ExpressionRule::Construct(_) => {
                    self.evaluate_call(node, depth)
                }
                _ => None,
            },
        }
    }

    /// Evaluates `base + "/x"`, and Python's `"%s/x" % base`.
    fn evaluate_binary(&self, node: Node, depth: u32) -> Option<String> {
        let left = node.child_by_field_name("left")?;
        let right = node.child_by_field_name("right")?;
        match self.expressions.node_text(node.child_by_field_name("operator")?) {
            "+" => {
                let (left_text, right_text) =
                    (self.evaluate_part(left, depth + 1), self.evaluate_part(right, depth + 1));
                let is_known = left_text.is_some() || right_text.is_some();
                let joined = format!(
                    "{}{}",
                    left_text.as_deref().unwrap_or(HOLE),
                    right_text.as_deref().unwrap_or(HOLE)
                );
                is_known.then(|| joined.replace("{}{}", HOLE))
            }
            "%" if left.kind().contains("string") => {
                let mut cursor = right.walk();
                let is_tuple = right.kind() == "tuple";
                let values: Vec<Node> =
                    if is_tuple { right.named_children(&mut cursor).collect() } else { vec![right] };
                let values = values.into_iter().map(|value| self.evaluate_part(value, depth + 1));
                Some(fill_holes(&replace_percent_verbs(&self.evaluate_part(left, depth + 1)?), values))
            }
            _ => None,
        }
    }

    /// Evaluates Rust's `format!("{}/x", base)`.
    fn evaluate_format_macro(&self, node: Node) -> Option<String> {
        node.child_by_field_name("macro").filter(|name| self.expressions.node_text(*name) == "format")?;
        let mut cursor = node.walk();
        let tokens = node.named_children(&mut cursor).find(|child| child.kind() == "token_tree")?;
        let text = self.expressions.node_text(tokens.named_child(0)?);
        let find_value = |path: &str| self.constants.find_constant(path, node.start_byte());
        let text = replace_brace_holes(&literal_content(text, &|_| None)?, &find_value);
        let rest = self.expressions.text.get(tokens.named_child(0)?.end_byte()..tokens.end_byte())?;
        let values = rest.trim_end_matches(')').split(',').skip(1);
        Some(fill_holes(&text, values.map(|value| find_value(&dotted_path(value)).map(str::to_owned))))
    }

    /// Evaluates `URI.create("...")`, `new URL("...")`, `fmt.Sprintf("...")`, `"...".format(x)`.
    fn evaluate_call(&self, node: Node, depth: u32) -> Option<String> {
        let (name, _) = self.expressions.split_receiver(node)?;
        let arguments = collect_arguments(&self.expressions, node);
        let values = |from: usize| {
            let rest = arguments.get(from..).unwrap_or(&[]).iter();
            rest.map(|value| self.evaluate_part(value.node, depth + 1).filter(|_| value.keyword.is_empty()))
        };
        let first_argument = || self.evaluate_part(arguments.first()?.node, depth + 1);
        match self.expressions.node_text(name) {
            "URI" | "create" | "Uri" | "URL" | "parse" | "url" => first_argument(),
            "format" if self.call_receiver(node).is_some_and(|object| object.kind().contains("string")) => {
                let text = self.evaluate_part(self.call_receiver(node)?, depth + 1)?;
                Some(fill_holes(&replace_brace_holes(&text, &|_| None), values(0)))
            }
            "Sprintf" | "format" | "sprintf" => {
                Some(fill_holes(&replace_percent_verbs(&first_argument()?), values(1)))
            }
            _ => None,
        }
    }

    /// Returns the expression before the dot of a call.
    pub fn call_receiver<'t>(&self, call: Node<'t>) -> Option<Node<'t>> {
        match self.expressions.kinds.expression_rule(call.kind_id()) {
            ExpressionRule::MethodCall(object, _) => call.child_by_field_id(object),
            ExpressionRule::Call(field) => {
                let callee = field_or_first_child(call, field)?;
                match self.expressions.kinds.expression_rule(callee.kind_id()) {
                    ExpressionRule::Member(Some(object), _) => callee.child_by_field_id(object),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Converts a Rust path, or one surrounded by spaces, to a dotted path.
fn dotted_path(text: &str) -> String {
    let path = text.trim().replace("::", ".");
    if path.is_empty() { UNKNOWN.to_owned() } else { path }
}

/// Replaces the holes of a text with values. Holes with an unknown value remain.
fn fill_holes(text: &str, values: impl Iterator<Item = Option<String>>) -> String {
    let mut parts = text.split(HOLE);
    let mut out = parts.next().unwrap_or("").to_owned();
    let mut values = values.fuse();
    for part in parts {
        out.push_str(values.next().flatten().as_deref().unwrap_or(HOLE));
        out.push_str(part);
    }
    out
}

/// A function that returns the value of the path in a hole, or `None` if it is unknown.
type HoleLookup<'k> = &'k dyn Fn(&str) -> Option<&'k str>;

/// Returns the content of a literal. Replaces each hole with its value, or with `{}` if that is
/// unknown.
fn literal_content(text: &str, find_value: HoleLookup) -> Option<String> {
    let open = text.find(['"', '\'', '`'])?;
    let (prefix, rest) = text.split_at(open);
    if open > 4 || !prefix.chars().all(|c| c.is_ascii_alphabetic() || "@$#".contains(c)) {
        return None;
    }
    let quote = rest.chars().next()?;
    let content = rest.trim_end_matches('#').trim_matches(quote);
    let braces = if prefix.contains(['f', 'F', '$']) { Braces::AreHoles } else { Braces::AreText };
    Some(replace_holes(content, braces, quote, find_value))
}

/// The meaning of `{...}` in a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    AreHoles,
    AreText,
}

/// Replaces the holes `${...}` and `#{...}`, and `{...}` depending on `braces`.
fn replace_holes(content: &str, braces: Braces, quote: char, find_value: HoleLookup) -> String {
    let mut out = String::new();
    let mut chars = content.chars().peekable();
    while let Some(c) = chars.next() {
        let starts_hole = (c == '$' && quote == '`') || (c == '#' && quote == '"');
        if starts_hole && chars.peek() == Some(&'{') {
            chars.next();
        } else if !(braces == Braces::AreHoles && c == '{') {
            out.push(c);
            continue;
        }
        let mut depth = 1;
        let mut inner = String::new();
        for c in chars.by_ref() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if depth == 0 {
                break;
            }
            inner.push(c);
        }
        if let Some(value) = find_value(&dotted_path(&inner)) {
            out.push_str(value);
        } else if !out.ends_with(HOLE) {
            out.push_str(HOLE);
        }
    }
    out
}

/// Replaces each hole in braces of a format string with its value, or with `{}` if that is unknown.
fn replace_brace_holes(text: &str, find_value: HoleLookup) -> String {
    replace_holes(text, Braces::AreHoles, '"', find_value)
}

/// Replaces the verbs of a format string with `{}`.
fn replace_percent_verbs(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let verb = chars.by_ref().find(|c| c.is_alphabetic() || *c == '%');
        out.push_str(if verb == Some('%') { "%" } else { HOLE });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_in_literals_become_braces() {
        for (text, expected) in [
            ("\"/a\"", "/a"),
            ("f'/a/{b.c}'", "/a/{}"),
            ("`/a/${b({})}/c`", "/a/{}/c"),
            ("\"/a/#{b}\"", "/a/{}"),
            ("$\"/a/{b}\"", "/a/{}"),
            ("\"/a/{id}\"", "/a/{id}"),
            ("r#\"/a\"#", "/a"),
        ] {
            assert_eq!(literal_content(text, &|_| None).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(replace_percent_verbs("/a/%d/%s?x=100%%"), "/a/{}/{}?x=100%");
        assert_eq!(replace_brace_holes("/a/{}/{name:?}", &|_| None), "/a/{}/{}");
    }

    #[test]
    fn holes_are_filled_with_known_values() {
        let known = |path: &str| (path == "BASE").then_some("/api");
        assert_eq!(literal_content("`${BASE}/${id}`", &known).as_deref(), Some("/api/{}"));
        assert_eq!(fill_holes("{}/x/{}", [Some("/a".to_owned()), None].into_iter()), "/a/x/{}");
    }
}
