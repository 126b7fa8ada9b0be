//! Types in the documentation comments of JavaScript: `@param {Foo} x`, `@returns {Foo}`,
//! `@type {Foo}`.

use crate::extract::expressions::ExpressionReader;
use tree_sitter::Node;

/// Maximum length of a comment in bytes. License texts and commented-out code can be far longer.
const MAX_COMMENT_BYTES: usize = 8_000;
/// Maximum number of nodes between a function and the statement that its comment precedes.
/// Functions in deeply nested calls have no comment of their own.
const MAX_ANCESTORS: usize = 5;

/// The types in one comment, in the order of the text.
pub(super) struct JsDocTags<'x> {
    tags: Vec<JsDocTag<'x>>,
}

/// A tag with a type.
struct JsDocTag<'x> {
    /// The word after the `@`.
    tag: &'x str,
    ty: &'x str,
    /// The word after the type, which is the name of a parameter in `@param`.
    name: &'x str,
}

impl JsDocTags<'_> {
    /// Returns the type of a parameter.
    pub fn parameter_type(&self, name: &str) -> Option<&str> {
        let documents_parameter =
            |tag: &&JsDocTag| matches!(tag.tag, "param" | "arg" | "argument") && tag.name == name;
        self.tags.iter().find(documents_parameter).map(|tag| tag.ty)
    }

    /// Returns the documented return type.
    pub fn return_type(&self) -> Option<&str> {
        self.tags.iter().find(|tag| matches!(tag.tag, "returns" | "return")).map(|tag| tag.ty)
    }

    /// Returns the type of the declared variable or field.
    pub fn declared_type(&self) -> Option<&str> {
        self.tags.iter().find(|tag| tag.tag == "type").map(|tag| tag.ty)
    }
}

/// Finds the documentation comment before the statement or member that contains a node.
pub(super) fn find_jsdoc<'x>(node: Node, expressions: &ExpressionReader<'x>) -> Option<JsDocTags<'x>> {
    let mut node = node;
    for _ in 0..MAX_ANCESTORS {
        if let Some(comment) = node.prev_sibling().filter(|sibling| sibling.kind() == "comment") {
            return parse_jsdoc(expressions.node_text(comment));
        }
        let parent = node.parent()?;
        let may_have_comment = matches!(
            parent.kind(),
            "variable_declarator"
                | "variable_declaration"
                | "lexical_declaration"
                | "export_statement"
                | "assignment_expression"
                | "expression_statement"
                | "pair"
                | "field_definition"
                | "parenthesized_expression"
        );
        if !may_have_comment {
            return None;
        }
        node = parent;
    }
    None
}

fn parse_jsdoc(comment: &str) -> Option<JsDocTags<'_>> {
    if !comment.starts_with("/**") || comment.len() > MAX_COMMENT_BYTES {
        return None;
    }
    let mut tags = Vec::new();
    let mut rest = comment;
    while let Some(at) = rest.find('@') {
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let tag = &rest[..end];
        let Some(typed) = rest[end..].trim_start_matches([' ', '\t']).strip_prefix('{') else { continue };
        let Some(close) = closing_brace(typed) else { continue };
        let ty = typed[..close].trim().trim_end_matches('=').trim_start_matches(['!', '?', '*']);
        let after = typed[close + 1..].trim_start_matches([' ', '\t', '[']);
        let end = after.find(|c: char| !(c.is_alphanumeric() || "_$".contains(c))).unwrap_or(after.len());
        tags.push(JsDocTag { tag, ty, name: &after[..end] });
        rest = &typed[close + 1..];
    }
    Some(JsDocTags { tags })
}

/// Returns the position of the brace that closes the one before the text.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::parse_jsdoc;

    #[test]
    fn tags_have_their_types_and_names() {
        let docs =
            parse_jsdoc("/** x\n * @param {Foo=} a one\n * @param {{b: C}} [d]\n @returns {Promise<E>} f */")
                .unwrap();
        assert_eq!(docs.parameter_type("a"), Some("Foo"));
        assert_eq!(docs.parameter_type("d"), Some("{b: C}"));
        assert_eq!(docs.return_type(), Some("Promise<E>"));
        assert!(parse_jsdoc("/* @returns {E} */").is_none());
        assert!(parse_jsdoc("/** @returns {E").unwrap().return_type().is_none());
    }
}
