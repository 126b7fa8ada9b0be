//! Expressions as dotted paths: the notation of [`kenning_graph::facts::ReferenceFact::receiver`], and type expressions.

use super::dialects::Dialect;
use crate::builtins::Builtins;
use crate::languages::{ExpressionRule, KindTable};
use kenning_graph::facts::BindingKind;
use tree_sitter::Node;

/// Longest path that is written out; longer ones are `?`.
const MAX_PATH: usize = 240;
/// Deepest expression that is written out.
pub(super) const MAX_DEPTH: u32 = 40;
/// Values inside one another that the language's own code reads: `next(a or b)` are two.
const MAX_OWN_DEPTH: u32 = 5;
/// Stands for what cannot be written as a path.
pub(crate) const UNKNOWN: &str = "?";

/// Reads expressions of one file.
#[derive(Clone, Copy)]
pub(crate) struct ExpressionReader<'a> {
    pub text: &'a str,
    pub kinds: &'a KindTable,
    pub transparent_types: &'a [String],
    /// What is known of the language's standard library.
    pub builtins: &'static Builtins,
    /// `Foo.new` makes a `Foo`.
    pub new_calls: bool,
    /// Paths hold indexing, types their arguments ([`crate::languages::LanguageRow::value_types`]).
    pub value_types: bool,
    /// Writes what the node kinds of `languages.toml` cannot say.
    pub dialect: &'a dyn Dialect,
    /// How many values that only the language's own code reads lie around this one.
    pub depth: u32,
}

impl<'a> ExpressionReader<'a> {
    /// The text of a node.
    pub fn node_text(&self, node: Node) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The used name and the normalised receiver before it; `None` where no name is used.
    pub fn split_receiver<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, String)> {
        let mut node = node;
        for _ in 0..MAX_DEPTH {
            match self.kinds.expression_rule(node.kind_id()) {
                ExpressionRule::Name => return Some((node, String::new())),
                ExpressionRule::Member(object, name) => {
                    let name = self.name_leaf(node.child_by_field_id(name)?)?;
                    let receiver = match object {
                        Some(object) => {
                            node.child_by_field_id(object).map_or(String::new(), |o| self.path_text(o))
                        }
                        // `a?.b`: the object stands before the node.
                        None => node.prev_named_sibling().map_or(UNKNOWN.to_owned(), |o| self.path_text(o)),
                    };
                    return Some((name, receiver));
                }
                ExpressionRule::Scoped => {
                    let (object, name) = first_and_last_child(node)?;
                    return Some((self.name_leaf(name)?, self.path_text(object)));
                }
                ExpressionRule::MethodCall(object, name) => {
                    let name = self.name_leaf(node.child_by_field_id(name)?)?;
                    let receiver =
                        node.child_by_field_id(object).map_or(String::new(), |o| self.path_text(o));
                    return Some((name, receiver));
                }
                ExpressionRule::Call(field) | ExpressionRule::Construct(field) => {
                    node = node.child_by_field_id(field)?;
                }
                ExpressionRule::Through(field) => node = field_or_first_child(node, field)?,
                ExpressionRule::Element(_) | ExpressionRule::None => return None,
            }
        }
        None
    }

    /// The leaf that is a name: generic names (`List<T>`) hold theirs.
    fn name_leaf<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut node = node;
        for _ in 0..4 {
            match self.kinds.expression_rule(node.kind_id()) {
                ExpressionRule::Through(field) => node = field_or_first_child(node, field)?,
                _ => break,
            }
        }
        (node.end_byte() > node.start_byte() && node.end_byte() - node.start_byte() <= MAX_PATH)
            .then_some(node)
    }

    /// The expression as a path, or `?`.
    pub fn path_text(&self, node: Node) -> String {
        let mut out = String::new();
        if self.write_as_path(node, &mut out, 0).is_some() && out.len() <= MAX_PATH {
            out
        } else {
            UNKNOWN.to_owned()
        }
    }

    /// Writes an expression as a path; `None` where it cannot be written so.
    pub fn write_as_path(&self, node: Node, out: &mut String, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH || out.len() > MAX_PATH {
            return None;
        }
        if let Some(written) = self.dialect.write_path(node, self, out, depth) {
            return written.then_some(());
        }
        // What is no path can still show its type: `"-".join`, `next(xs).run`.
        if let Some(value) = self.dialect_value(node) {
            let value = value_as_path(value);
            let written = !value.contains('|') && value.len() <= MAX_PATH;
            return written.then(|| out.push_str(&value));
        }
        match self.kinds.expression_rule(node.kind_id()) {
            ExpressionRule::Name => self.write_name(node, out),
            ExpressionRule::Member(object, name) => {
                self.write_object(node, object?, out, depth)?;
                self.write_name(self.name_leaf(node.child_by_field_id(name)?)?, out)
            }
            ExpressionRule::Scoped => {
                let (object, name) = first_and_last_child(node)?;
                self.write_as_path(object, out, depth + 1)?;
                out.push('.');
                self.write_name(self.name_leaf(name)?, out)
            }
            ExpressionRule::MethodCall(object, name) => {
                self.write_object(node, object, out, depth)?;
                self.write_name(self.name_leaf(node.child_by_field_id(name)?)?, out)?;
                out.push_str("()");
                Some(())
            }
            ExpressionRule::Call(field) | ExpressionRule::Construct(field) => {
                self.write_as_path(node.child_by_field_id(field)?, out, depth + 1)?;
                out.push_str("()");
                Some(())
            }
            ExpressionRule::Through(field) => {
                self.write_as_path(field_or_first_child(node, field)?, out, depth + 1)?;
                out.push_str(if self.value_types { self.dialect.receiver_mark(node, self.text) } else { "" });
                Some(())
            }
            ExpressionRule::Element(field) => {
                self.write_as_path(field_or_first_child(node, field)?, out, depth + 1)?;
                out.push_str("[]");
                Some(())
            }
            ExpressionRule::None => None,
        }
    }

    fn write_object(&self, node: Node, object: u16, out: &mut String, depth: u32) -> Option<()> {
        if let Some(object) = node.child_by_field_id(object) {
            self.write_as_path(object, out, depth + 1)?;
            out.push('.');
        }
        Some(())
    }

    fn write_name(&self, node: Node, out: &mut String) -> Option<()> {
        let name = self.node_text(node);
        if name.is_empty() || name.len() > MAX_PATH || name.contains(char::is_whitespace) {
            return None;
        }
        out.push_str(name);
        Some(())
    }

    /// What the language's own code says of a value.
    fn dialect_value(&self, node: Node) -> Option<(String, BindingKind)> {
        if !self.value_types || self.depth >= MAX_OWN_DEPTH {
            return None;
        }
        let inner = Self { depth: self.depth + 1, ..*self };
        self.dialect.typed_value(node, &inner).filter(|(text, _)| text.len() <= 4 * MAX_PATH)
    }

    /// What a bound value says of the type of its name; `None` when it says nothing.
    pub fn value_type(&self, node: Node) -> Option<(String, BindingKind)> {
        let mut node = node;
        for _ in 0..MAX_DEPTH {
            if let Some(value) = self.dialect_value(node) {
                return Some(value);
            }
            match self.kinds.expression_rule(node.kind_id()) {
                ExpressionRule::Through(_)
                    if self.value_types && !self.dialect.receiver_mark(node, self.text).is_empty() =>
                {
                    break;
                }
                ExpressionRule::Through(field) => node = field_or_first_child(node, field)?,
                ExpressionRule::Construct(field) => {
                    let ty = one_line_type(self.node_text(node.child_by_field_id(field)?));
                    return (!ty.is_empty()).then_some((ty, BindingKind::Type));
                }
                ExpressionRule::Element(field) if !self.value_types => {
                    let path = self.path_text(field_or_first_child(node, field)?);
                    return (path != UNKNOWN).then_some((path, BindingKind::Element));
                }
                _ => break,
            }
        }
        let path = self.path_text(node);
        if self.new_calls
            && let Some(made) = path.strip_suffix(".new()")
            && !made.contains('(')
        {
            return Some((made.to_owned(), BindingKind::Type));
        }
        (path != UNKNOWN).then_some((path, BindingKind::Value))
    }

    /// A type expression as written, in one line; empty where it is too long to be one.
    pub fn type_node_text(&self, node: Node) -> String {
        one_line_type(self.node_text(node))
    }

    /// A type expression as a dotted name without type arguments, pointers, references, lifetimes and `null`
    /// alternatives: `*http.Server` gives `http.Server`, `Optional[Foo]` gives `Foo` where `Optional` is one of the
    /// language's transparent types.
    pub fn normalized_type_name(&self, text: &str) -> String {
        let mut text = text.trim();
        if text.len() > 4 * MAX_PATH {
            return String::new();
        }
        for _ in 0..6 {
            let (head, arguments) = split_type_arguments(text);
            let name = plain_type_text(head);
            if arguments.is_empty()
                || !self.transparent_types.iter().any(|t| *t == name || ends_with_segment(&name, t))
            {
                return name;
            }
            text = first_type_argument(arguments);
        }
        plain_type_text(text)
    }
}

fn ends_with_segment(name: &str, last: &str) -> bool {
    name.rsplit('.').next() == Some(last)
}

/// The first and the last named child, where there are two.
fn first_and_last_child(node: Node) -> Option<(Node, Node)> {
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    if last == 0 { None } else { node.named_child(0).zip(node.named_child(last)) }
}

/// The node in `field`, or the first named child.
fn field_or_first_child(node: Node, field: Option<u16>) -> Option<Node> {
    match field {
        Some(field) => node.child_by_field_id(field),
        None => node.named_child(0),
    }
}

/// Splits `Foo<A, B>` into `Foo` and `A, B`; what has no arguments gives an empty second part.
fn split_type_arguments(text: &str) -> (&str, &str) {
    let text = strip_type_prefixes(text);
    // An alternative with nothing: `Foo | None`, `undefined | Foo`.
    if let Some(kept) = only_union_member(text) {
        return split_type_arguments(kept);
    }
    let name_end = text.find(['<', '[']).unwrap_or(text.len());
    let is_named = name_end > 0 && !text.starts_with("map[");
    if !is_named || name_end == text.len() {
        return (text, "");
    }
    let arguments = text[name_end + 1..].trim_end_matches(|c: char| c == '?' || c.is_whitespace());
    (&text[..name_end], arguments.strip_suffix(['>', ']']).unwrap_or(arguments))
}

/// Cuts pointers, references, lifetimes and keywords before a type.
fn strip_type_prefixes(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text;
        text = text.trim_start_matches(['&', '*', ':']).trim_start();
        for word in ["mut ", "dyn ", "impl ", "const ", "readonly ", "...", "ref ", "out ", "in ", "params "]
        {
            text = text.strip_prefix(word).unwrap_or(text).trim_start();
        }
        if let Some(lifetime) = text.strip_prefix('\'')
            && let Some(end) = lifetime.find(|c: char| !(c.is_alphanumeric() || c == '_'))
            && !lifetime[end..].starts_with('\'')
        {
            text = lifetime[end..].trim_start();
        }
        if text == before {
            return text.trim_matches(['"', '\'']);
        }
    }
}

/// The one alternative of a union that is not a null type.
fn only_union_member(text: &str) -> Option<&str> {
    if !text.contains('|') {
        return None;
    }
    let mut depth = 0;
    let parts = text.split(|c: char| {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' | ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        c == '|' && depth == 0
    });
    let mut kept = parts.map(str::trim).filter(|p| !matches!(*p, "" | "None" | "null" | "undefined"));
    let first = kept.next()?;
    (kept.next().is_none() && first.len() < text.len()).then_some(first)
}

fn first_type_argument(arguments: &str) -> &str {
    let mut depth = 0;
    for (at, c) in arguments.char_indices() {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' | ']' | ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                let first = arguments[..at].trim();
                // A lifetime argument does not count.
                return if first.starts_with('\'') {
                    first_type_argument(&arguments[at + 1..])
                } else {
                    first
                };
            }
            _ => {}
        }
    }
    arguments.trim()
}

/// A type expression without white space, `::` as dots, without a mark of nullability.
fn plain_type_text(text: &str) -> String {
    let text = strip_type_prefixes(text).trim_end_matches(['?', '!']);
    let kept: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    kept.replace("::", ".").trim_matches('.').to_owned()
}

/// A bound value as a path: a value of the type `T` is `{T}`.
pub(crate) fn value_as_path((text, how): (String, BindingKind)) -> String {
    match how {
        BindingKind::Type => format!("{{{text}}}"),
        BindingKind::Value => text,
        BindingKind::Element => format!("{text}#each"),
    }
}

/// A type expression in one line, without the colon before an annotation; empty where it is too long.
pub(crate) fn one_line_type(text: &str) -> String {
    if text.len() > 4 * MAX_PATH {
        return String::new();
    }
    one_line(text.trim().trim_start_matches(':').trim_start())
}

/// A text in one line: runs of white space become one space, none next to brackets at line breaks.
pub(crate) fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let joins = out.is_empty() || out.ends_with(['(', '[']) || word.starts_with([')', ']', ',']);
        if !joins {
            out.push(' ');
        } else if word.starts_with([')', ']']) && out.ends_with(',') {
            out.pop();
        }
        out.push_str(word);
    }
    out
}

/// Cuts a text at a character boundary, at most `limit` bytes.
pub(crate) fn truncate_at_char(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The content of a string literal, whatever its quotes and prefixes; `None` where the text starts with no quote.
pub(crate) fn string_literal_content(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['[', '{', '(', ' ', '\n', '&']);
    let open = text.find(['"', '\'', '`'])?;
    if open > 3 || !text[..open].chars().all(|c| c.is_ascii_alphabetic() || c == '@' || c == '$' || c == '#')
    {
        return None;
    }
    let quote = text[open..].chars().next()?;
    let rest = text[open..].trim_start_matches(quote);
    let content = &rest[..rest.find(quote)?];
    (!content.is_empty() && content.len() <= 128).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_one_line() {
        assert_eq!(one_line("f(\n    a: int,\n    b,\n) -> X"), "f(a: int, b) -> X");
        assert_eq!(truncate_at_char("aé", 2), "a");
    }

    #[test]
    fn literals_lose_their_quotes() {
        assert_eq!(string_literal_content("\"A\""), Some("A"));
        assert_eq!(string_literal_content("['git', 'status']"), Some("git"));
        assert_eq!(string_literal_content("r#\"A\"#"), Some("A"));
        assert_eq!(string_literal_content("name"), None);
        assert_eq!(string_literal_content("\"open"), None);
    }
}
