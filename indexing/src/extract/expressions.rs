//! Expressions as dotted paths, in the notation of
//! [`kenning_graph::facts::ReferenceFact::receiver`], and type expressions as text.
//!
//! The input is a node of an expression or a type. [`ExpressionReader`] follows the node kinds of
//! `languages.toml` from the node to the names in it; the language's dialect reads the expressions
//! that these kinds cannot describe. An expression that has no path becomes [`UNKNOWN`], so that it
//! never looks like a name. Limits on length and depth bound the work for each expression.

use super::dialects::Dialect;
use crate::bounded_parse::StepBudget;
use crate::builtins::{self, Builtins};
use crate::languages::{ExpressionRule, KindTable, Language};
use kenning_graph::facts::BindingKind;
use tree_sitter::Node;

/// Maximum length of a path in bytes. Longer paths, such as chains of a fluent builder, become `?`.
pub(crate) const MAX_PATH_BYTES: usize = 240;
/// Maximum depth of expressions that are written as paths. Fluent builders chain hundreds of calls.
pub(super) const MAX_EXPRESSION_DEPTH: u32 = 40;
/// Maximum nesting of values that only the dialect can read: `next(a or b)` has two levels.
const MAX_DIALECT_DEPTH: u32 = 5;
/// Number of bytes of text that hold about 100 nodes, which a search passes in one step.
const BYTES_PASSED_PER_STEP: usize = 1024;
/// Placeholder for an expression that cannot be written as a path.
pub(crate) const UNKNOWN: &str = "?";

/// A reader of the expressions of one file.
#[derive(Clone, Copy)]
pub(crate) struct ExpressionReader<'a> {
    pub text: &'a str,
    /// The steps that are left for the file.
    pub steps: &'a StepBudget,
    pub kinds: &'a KindTable,
    pub transparent_types: &'a [String],
    /// The built-ins of the language family.
    pub builtins: &'static Builtins,
    /// Whether `Foo.new` creates a `Foo`.
    pub new_calls: bool,
    /// Whether paths include indexing and types include their arguments
    /// ([`crate::languages::LanguageRow::value_types`]).
    pub value_types: bool,
    /// The language's dialect, which reads expressions that the node kinds of `languages.toml`
    /// cannot describe.
    pub dialect: &'a dyn Dialect,
    /// The number of enclosing values that only the dialect can read.
    pub dialect_depth: u32,
}

impl<'a> ExpressionReader<'a> {
    /// Creates a reader for a text in a language.
    pub fn for_language(language: &'a Language, text: &'a str, steps: &'a StepBudget) -> Self {
        let row = &language.row;
        Self {
            text,
            steps,
            kinds: &language.get_or_compile().kinds,
            transparent_types: &row.transparent_types,
            builtins: builtins::for_family(&row.family),
            new_calls: row.new_calls,
            value_types: row.value_types,
            dialect: language.grammar.dialect,
            dialect_depth: 0,
        }
    }

    /// Returns the text of a node.
    pub fn node_text(&self, node: Node) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// Splits an expression into the name that it uses and the normalized receiver before it.
    /// Returns `None` if it uses no name.
    pub fn split_receiver<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, String)> {
        self.split_nested(node, MAX_EXPRESSION_DEPTH)
    }

    /// Returns the object of a member access that does not contain its object: the node before the
    /// access, or the first part of the chain of accesses to one object (`a..b()..c()`). Returns
    /// `None` if no steps are left: the search for the neighbors of a node passes all nodes before
    /// it if the grammar nests a chain to the left.
    fn object_before<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let passed = node.start_byte() / BYTES_PASSED_PER_STEP;
        self.steps.take_steps(1 + passed as u64).continue_value()?;
        node.prev_named_sibling().or_else(|| {
            let first = node.parent()?.parent()?.named_child(0)?;
            (first.end_byte() <= node.start_byte()).then_some(first)
        })
    }

    /// Splits like [`Self::split_receiver`], but follows names that nest to the right for at most
    /// `depth_left` levels.
    fn split_nested<'t>(&self, node: Node<'t>, depth_left: u32) -> Option<(Node<'t>, String)> {
        let mut node = node;
        for _ in 0..MAX_EXPRESSION_DEPTH {
            match self.kinds.expression_rule(node.kind_id()) {
                ExpressionRule::Name => return Some((node, String::new())),
                ExpressionRule::Member(object, name) => {
                    let name = node.child_by_field_id(name)?;
                    // Some grammars nest `a::b::c` to the right.
                    if self.is_member(name) && depth_left > 0 {
                        let (leaf, inner) = self.split_nested(name, depth_left - 1)?;
                        let outer = object.and_then(|object| node.child_by_field_id(object));
                        let receiver =
                            outer.map_or(inner.clone(), |outer| format!("{}.{inner}", self.path_text(outer)));
                        return Some((leaf, receiver));
                    }
                    let name = self.name_leaf(name)?;
                    let receiver = match object {
                        Some(object) => {
                            node.child_by_field_id(object).map_or(String::new(), |o| self.path_text(o))
                        }
                        // In `a?.b` the object comes before the node.
                        None => self.object_before(node).map_or(UNKNOWN.to_owned(), |o| self.path_text(o)),
                    };
                    return Some((name, receiver));
                }
                ExpressionRule::Scoped if node.named_child_count() == 1 => {
                    let root = self.dialect.path_root(self.node_text(node));
                    return Some((self.name_leaf(node.named_child(0)?)?, root.to_owned()));
                }
                ExpressionRule::Scoped => {
                    let Some((object, name)) = first_and_last_child(node) else {
                        node = node.named_child(0)?;
                        continue;
                    };
                    return Some((self.name_leaf(name)?, self.path_text(object)));
                }
                ExpressionRule::MethodCall(object, name) => {
                    let name = self.name_leaf(node.child_by_field_id(name)?)?;
                    let receiver =
                        node.child_by_field_id(object).map_or(String::new(), |o| self.path_text(o));
                    return Some((name, receiver));
                }
                ExpressionRule::Call(field) | ExpressionRule::Construct(field) => {
                    node = field_or_first_child(node, field)?;
                }
                ExpressionRule::Through(field) => node = field_or_first_child(node, field)?,
                ExpressionRule::Element(_) | ExpressionRule::None => return None,
            }
        }
        None
    }

    /// Whether a node is `object.name`.
    fn is_member(&self, node: Node) -> bool {
        matches!(self.kinds.expression_rule(node.kind_id()), ExpressionRule::Member(..))
    }

    /// Returns the identifier in a name: `List` in `List<T>`. Returns `None` if it is empty or
    /// longer than [`MAX_PATH_BYTES`].
    fn name_leaf<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut node = node;
        for _ in 0..4 {
            match self.kinds.expression_rule(node.kind_id()) {
                ExpressionRule::Through(field) => node = field_or_first_child(node, field)?,
                _ => break,
            }
        }
        (node.end_byte() > node.start_byte() && node.end_byte() - node.start_byte() <= MAX_PATH_BYTES)
            .then_some(node)
    }

    /// Returns the expression as a path, or `?`.
    pub fn path_text(&self, node: Node) -> String {
        let mut out = String::new();
        if self.write_as_path(node, &mut out, 0).is_some() && out.len() <= MAX_PATH_BYTES {
            out
        } else {
            UNKNOWN.to_owned()
        }
    }

    /// Appends an expression as a path to `out`. Returns `None` if no path can express it.
    pub fn write_as_path(&self, node: Node, out: &mut String, depth: u32) -> Option<()> {
        if depth > MAX_EXPRESSION_DEPTH || out.len() > MAX_PATH_BYTES {
            return None;
        }
        if let Some(written) = self.dialect.write_path(node, self, out, depth) {
            return written.then_some(());
        }
        // An expression that is not a path may still have a known type: `"-".join`, `next(xs).run`.
        if let Some(value) = self.dialect_value(node) {
            let value = value.into_path();
            let written = !value.contains('|') && value.len() <= MAX_PATH_BYTES;
            return written.then(|| out.push_str(&value));
        }
        match self.kinds.expression_rule(node.kind_id()) {
            ExpressionRule::Name => self.write_name(node, out),
            ExpressionRule::Member(object, name) => {
                self.write_object(node, object?, out, depth)?;
                let name = node.child_by_field_id(name)?;
                if self.is_member(name) {
                    return self.write_as_path(name, out, depth + 1);
                }
                self.write_name(self.name_leaf(name)?, out)
            }
            ExpressionRule::Scoped if node.named_child_count() == 1 => {
                self.write_as_path(node.named_child(0)?, out, depth + 1)
            }
            ExpressionRule::Scoped => {
                let Some((object, name)) = first_and_last_child(node) else {
                    return self.write_as_path(node.named_child(0)?, out, depth + 1);
                };
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
                self.write_as_path(field_or_first_child(node, field)?, out, depth + 1)?;
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
        if name.is_empty() || name.len() > MAX_PATH_BYTES || name.contains(char::is_whitespace) {
            return None;
        }
        out.push_str(name);
        Some(())
    }

    /// Returns the type or path of a value according to the dialect.
    fn dialect_value(&self, node: Node) -> Option<BoundValue> {
        if !self.value_types || self.dialect_depth >= MAX_DIALECT_DEPTH {
            return None;
        }
        let inner = Self { dialect_depth: self.dialect_depth + 1, ..*self };
        self.dialect.typed_value(node, &inner).filter(|value| value.text.len() <= 4 * MAX_PATH_BYTES)
    }

    /// Returns the type or the path that a bound value gives to its name, or `None` if it is
    /// unknown.
    pub fn value_type(&self, node: Node) -> Option<BoundValue> {
        let mut node = node;
        for _ in 0..MAX_EXPRESSION_DEPTH {
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
                    let ty = one_line_type(self.node_text(field_or_first_child(node, field)?));
                    return (!ty.is_empty()).then_some(BoundValue::new(ty, BindingKind::Type));
                }
                ExpressionRule::Element(field) if !self.value_types => {
                    let path = self.path_text(field_or_first_child(node, field)?);
                    return (path != UNKNOWN).then_some(BoundValue::new(path, BindingKind::Element));
                }
                _ => break,
            }
        }
        let path = self.path_text(node);
        if self.new_calls
            && let Some(type_path) = path.strip_suffix(".new()")
            && !type_path.contains('(')
        {
            return Some(BoundValue::new(type_path.to_owned(), BindingKind::Type));
        }
        (path != UNKNOWN).then_some(BoundValue::new(path, BindingKind::Value))
    }

    /// Returns a type expression as written, on one line; empty if it is too long for a type.
    pub fn type_node_text(&self, node: Node) -> String {
        one_line_type(self.node_text(node))
    }

    /// Reduces a type expression to a dotted name without type arguments, pointers, references,
    /// lifetimes and `null` alternatives: `*http.Server` becomes `http.Server`, and `Optional[Foo]`
    /// becomes `Foo` if `Optional` is one of the language's transparent types.
    pub fn normalized_type_name(&self, text: &str) -> String {
        let mut text = text.trim();
        if text.len() > 4 * MAX_PATH_BYTES {
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

/// Returns the first and the last named child if there are at least two.
fn first_and_last_child(node: Node) -> Option<(Node, Node)> {
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    if last == 0 { None } else { node.named_child(0).zip(node.named_child(last)) }
}

/// Returns the node in `field`, or the first named child.
pub(super) fn field_or_first_child(node: Node, field: Option<u16>) -> Option<Node> {
    match field {
        Some(field) => node.child_by_field_id(field),
        None => node.named_child(0),
    }
}

/// Splits `Foo<A, B>` into `Foo` and `A, B`. The second part is empty for a type without arguments.
fn split_type_arguments(text: &str) -> (&str, &str) {
    let text = strip_type_prefixes(text);
    // A union with a null type: `Foo | None`, `undefined | Foo`.
    if let Some(member) = only_union_member(text) {
        return split_type_arguments(member);
    }
    let name_end = text.find(['<', '[']).unwrap_or(text.len());
    let is_named = name_end > 0 && !text.starts_with("map[");
    if !is_named || name_end == text.len() {
        return (text, "");
    }
    let arguments = text[name_end + 1..].trim_end_matches(|c: char| c == '?' || c.is_whitespace());
    (&text[..name_end], arguments.strip_suffix(['>', ']']).unwrap_or(arguments))
}

/// Removes pointers, references, lifetimes and keywords before a type.
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

/// Returns the only alternative of a union that is not a null type. Returns `None` if the text is
/// not such a union.
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
    let mut members = parts.map(str::trim).filter(|p| !matches!(*p, "" | "None" | "null" | "undefined"));
    let first = members.next()?;
    (members.next().is_none() && first.len() < text.len()).then_some(first)
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

/// Returns a type expression without whitespace and nullability marks, with `::` and `\\` as dots.
fn plain_type_text(text: &str) -> String {
    let text = strip_type_prefixes(text).trim_matches(['?', '!']);
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    compact.replace("::", ".").replace('\\', ".").trim_matches('.').to_owned()
}

/// The known facts about the value that a name is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundValue {
    /// A type or a path, depending on `kind`.
    pub text: String,
    /// The relation of `text` to the value.
    pub kind: BindingKind,
}

impl BoundValue {
    pub fn new(text: String, kind: BindingKind) -> Self {
        Self { text, kind }
    }

    /// Writes the value as a path. A value of type `T` becomes `{T}`.
    pub fn into_path(self) -> String {
        let Self { text, kind } = self;
        match kind {
            BindingKind::Type => format!("{{{text}}}"),
            BindingKind::Value => text,
            BindingKind::Element => format!("{text}#each"),
        }
    }
}

/// Returns a type expression on one line, without the colon before an annotation; empty if it is
/// too long.
pub(crate) fn one_line_type(text: &str) -> String {
    if text.len() > 4 * MAX_PATH_BYTES {
        return String::new();
    }
    one_line(text.trim().trim_start_matches(':').trim_start())
}

/// Joins a text into one line. Runs of whitespace become one space, or nothing next to a bracket
/// and before a comma.
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

/// Cuts a text to at most `limit` bytes, at a character boundary.
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

/// Returns the content of a string literal without its quotes and prefixes. Returns `None` if the
/// text does not start with a literal, or if the content is empty or longer than 128 bytes.
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

/// Returns the receiver at the end of a text: the dotted words before its last `.` or `::`. Empty
/// if the text does not end with one of these.
pub(super) fn receiver_before(text: &str) -> String {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':';
    let mut start = text.len();
    for (at, c) in text.char_indices().rev().take(160) {
        if !is_path(c) {
            break;
        }
        start = at;
    }
    let path = &text[start..];
    let Some(path) = path.strip_suffix("::").or_else(|| path.strip_suffix('.')) else { return String::new() };
    // A call or an index before the path leaves the receiver only partly known.
    let is_partial = path.is_empty() || path.starts_with(['.', ':']);
    if is_partial { UNKNOWN.to_owned() } else { path.replace("::", ".") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_joined_into_one_line() {
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
