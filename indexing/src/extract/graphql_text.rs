//! GraphQL operations: the fields of the root types that they use, in string literals of any
//! language and in files of operations.
//!
//! A text counts as GraphQL if its first definition is a named or parametrized operation
//! (`query User {`, `mutation($id: ID!) {`) or a fragment (`fragment F on User {`). This rule
//! excludes sentences such as "query the users". An operation without a keyword (`{ user { id } }`)
//! does not count, because many other texts begin in the same way.

use super::raw_facts::RawReference;
use super::tree_scan::{LeafKind, TreeScan};
use kenning_graph::facts::{NameSpan, ReferenceRole};
use kenning_graph::positions::LineIndex;
use kenning_graph::vocabulary::GRAPHQL_PACKAGE;
use rustc_hash::FxHashSet;

/// Maximum length in bytes of a literal that is read as GraphQL. Longer literals are embedded data.
const MAX_OPERATION_BYTES: usize = 64 * 1024;
/// Maximum number of fields that one text adds. Generated operations select all fields of a schema.
const MAX_FIELDS: usize = 64;

/// The keywords of operations and the types whose fields they select. A schema can give these types
/// other names, but hardly any does.
const OPERATIONS: [(&str, &str); 3] =
    [("query", "Query"), ("mutation", "Mutation"), ("subscription", "Subscription")];

/// Whether a type of this name has the entry points of a schema as its fields.
pub(crate) fn is_root_type(name: &str) -> bool {
    OPERATIONS.iter().any(|(_, root)| *root == name)
}

/// The part of a text that contains operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GraphqlSource {
    /// The whole text: a file of operations.
    OperationFile,
    /// Its string literals.
    StringLiterals,
}

/// Returns references to the root fields that operations select in `source`.
pub(super) fn collect_references(
    text: &str,
    source: GraphqlSource,
    scan: &TreeScan,
    lines: &LineIndex,
) -> Vec<RawReference> {
    let mut references = Vec::new();
    let mut read = |start: usize, literal: &str| {
        references.extend(selected_root_fields(literal).into_iter().map(|field| {
            let start = (start + field.offset) as u32;
            let (line, column) = lines.line_and_column(start);
            RawReference {
                at: NameSpan { start, len: field.name.len() as u32, line, column },
                name: format!("{}.{}", field.root, field.name),
                receiver: GRAPHQL_PACKAGE.to_owned(),
                ..RawReference::with_role(ReferenceRole::Resource)
            }
        }));
    };
    if source == GraphqlSource::OperationFile {
        read(0, text);
        return references;
    }
    for leaf in scan.words.iter().filter(|leaf| leaf.kind == LeafKind::String) {
        let Some(literal) = text.get(leaf.start as usize..leaf.end as usize) else { continue };
        let content = literal.trim_start_matches(['"', '\'', '`']);
        if literal.len() <= MAX_OPERATION_BYTES && starts_with_operation(content) {
            read(leaf.start as usize + literal.len() - content.len(), content);
        }
    }
    references
}

/// A field of a root type that an operation selects.
#[derive(Debug, PartialEq, Eq)]
struct RootField<'t> {
    root: &'static str,
    name: &'t str,
    /// The first byte of the name in the text.
    offset: usize,
}

/// Whether the first definition of a text is an operation or a fragment.
fn starts_with_operation(text: &str) -> bool {
    let mut tokens = Lexer { text, at: 0 };
    let Some(first) = tokens.next() else { return false };
    if first.text == "fragment" {
        return tokens.next().is_some_and(|name| name.is_name())
            && tokens.next().is_some_and(|on| on.text == "on")
            && tokens.next().is_some_and(|ty| ty.is_name())
            && tokens.next().is_some_and(|open| matches!(open.text, "{" | "@"));
    }
    OPERATIONS.iter().any(|(keyword, _)| *keyword == first.text)
        && match tokens.next() {
            Some(name) if name.is_name() => {
                tokens.next().is_some_and(|open| matches!(open.text, "{" | "@")) || tokens.begins_parameters()
            }
            Some(open) if open.text == "(" => tokens.next().is_some_and(|dollar| dollar.text == "$"),
            Some(open) if open.text == "{" => tokens.next().is_some_and(|field| field.is_name()),
            _ => false,
        }
}

/// Returns the root fields that the operations in a text select, each once, in the order of the
/// text.
fn selected_root_fields(text: &str) -> Vec<RootField<'_>> {
    let mut tokens = Lexer { text, at: 0 };
    let mut fields: Vec<RootField> = Vec::new();
    let mut seen = FxHashSet::default();
    // The depth of braces and of brackets, and the root type of the operation around the token.
    let (mut depth, mut brackets, mut root) = (0_usize, 0_usize, None);
    let mut after_spread = false;
    while let Some(token) = tokens.next() {
        match token.text {
            "(" | "[" => brackets += 1,
            ")" | "]" => brackets = brackets.saturating_sub(1),
            "{" if brackets == 0 => depth += 1,
            "}" if brackets == 0 => {
                depth = depth.saturating_sub(1);
                root = root.filter(|_| depth > 0);
            }
            word if depth == 0 && brackets == 0 && root.is_none() => {
                root = OPERATIONS.iter().find(|(keyword, _)| *keyword == word).map(|(_, root)| *root);
            }
            name if depth == 1 && brackets == 0 && token.is_name() && !after_spread => {
                let is_alias = tokens.peek().is_some_and(|next| next.text == ":");
                if let Some(root) = root.filter(|_| !is_alias && !name.starts_with("__"))
                    && seen.insert((root, name))
                    && fields.len() < MAX_FIELDS
                {
                    fields.push(RootField { root, name, offset: token.offset });
                }
            }
            _ => {}
        }
        // The names in `...F`, `...on Query` and `@include` are not fields.
        after_spread = matches!(token.text, "." | "@" | "$") || (after_spread && token.text == "on");
    }
    fields
}

/// A name, or one other character.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    offset: usize,
}

impl Token<'_> {
    fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }
}

/// Splits a text into tokens, without whitespace, commas, comments and strings.
struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn peek(&self) -> Option<Token<'t>> {
        Lexer { text: self.text, at: self.at }.next()
    }

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = match first {
                '#' => rest.find('\n').unwrap_or(rest.len()),
                '"' => string_literal_length(rest),
                c if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            let offset = self.at;
            self.at += length;
            let is_ignored = first.is_whitespace() || matches!(first, '#' | ',' | '"');
            if !is_ignored {
                return Some(Token { text: &rest[..length], offset });
            }
        }
    }

    /// Whether `(` was the last token and `$` is the next: the parameters of an operation.
    fn begins_parameters(&self) -> bool {
        self.text[..self.at].ends_with('(') && self.peek().is_some_and(|next| next.text == "$")
    }
}

/// Returns the length in bytes of the string literal at the beginning of `text`, with its quotes.
fn string_literal_length(text: &str) -> usize {
    if let Some(block) = text.strip_prefix("\"\"\"") {
        return block.find("\"\"\"").map_or(text.len(), |end| end + 6);
    }
    let mut bytes = text.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return at + 1,
            b'\\' => _ = bytes.next(),
            // A string ends with its line.
            b'\n' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> String {
        if !starts_with_operation(text) {
            return "no operation".to_owned();
        }
        let fields = selected_root_fields(text);
        assert!(fields.iter().all(|field| text[field.offset..].starts_with(field.name)));
        let names: Vec<String> =
            fields.iter().map(|field| format!("{}.{}", field.root, field.name)).collect();
        names.join(" ")
    }

    #[test]
    fn operations_select_root_fields() {
        for (text, expected) in [
            ("query { user(id: 1) { name } }", "Query.user"),
            (
                "\n  # all\n  query Users($first: Int = 5, $o: In = {a: 1}) {\n    me { id }, users(first: $first) { id }\n",
                "Query.me Query.users",
            ),
            ("mutation M @live { a: addUser(in: {name: \"}\"}) { id } }", "Mutation.addUser"),
            ("query Q { ...F @skip(if: true) ... on Query { me } __typename x @include(if: $a) }", "Query.x"),
            ("fragment F on User { id }\nsubscription S { changed { id } }", "Subscription.changed"),
            ("query A { a } query B { a b }", "Query.a Query.b"),
        ] {
            assert_eq!(fields(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_operations() {
        for text in [
            "",
            "query",
            "query the users",
            "query {}",
            "{ user { id } }",
            "mutation of a gene {",
            "query(a, b)",
            "fragment on the page",
            "subscription {0} failed",
            "query \"x\" {",
            "query: {a}",
            "é query { a }",
        ] {
            assert_eq!(fields(text), "no operation", "{text}");
        }
    }
}
