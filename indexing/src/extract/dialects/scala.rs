//! The dialect of Scala: visibility modifiers, import clauses, and packages in several clauses.

use super::{Dialect, VisibilityInput};
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::name_span;
use kenning_graph::facts::{FILE_SCOPE, ImportFact};
use kenning_graph::vocabulary::Visibility;
use tree_sitter::Node;

/// Maximum number of clauses read of an import, and of selectors read of a clause. Hostile files
/// list thousands.
const MAX_SELECTORS: usize = 100;

/// The dialect of Scala.
pub(crate) struct ScalaDialect;

impl Dialect for ScalaDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        if declared.head.contains("private[") {
            Visibility::Internal
        } else if declared.has_modifier("private") {
            Visibility::Private
        } else if declared.has_modifier("protected") {
            Visibility::Protected
        } else {
            Visibility::Public
        }
    }

    /// Reads `import a.b.C, d.{E, F => G, _}`.
    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let text = expressions.node_text(node).trim_start_matches("import");
        for clause in split_clauses(text).into_iter().take(MAX_SELECTORS) {
            let (path, selectors) = match clause.split_once('{') {
                Some((path, rest)) => (path.trim().trim_end_matches('.'), rest.trim_end_matches('}')),
                None => clause.rsplit_once('.').unwrap_or(("", &clause)),
            };
            let path: String = path.chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
            let path = path.strip_prefix("_root_.").unwrap_or(&path);
            for selector in selectors.split(',').take(MAX_SELECTORS) {
                let (name, alias) = split_renaming(selector);
                let is_wildcard = matches!(name, "_" | "*");
                if name.is_empty() || name == "given" || (alias == "_" && !is_wildcard) {
                    continue;
                }
                out.push(ImportFact {
                    path: path.to_owned(),
                    name: if is_wildcard { "*" } else { name }.to_owned(),
                    alias: if is_wildcard { "" } else { alias }.to_owned(),
                    reexport: false,
                    scope: FILE_SCOPE,
                    at: find_selector(node, name, expressions),
                });
            }
        }
    }

    /// Joins the packages of nested clauses and of a package object.
    fn declared_package(&self, captured: &[String]) -> String {
        captured.join(".")
    }
}

/// Splits the clauses of an import at the commas outside braces.
fn split_clauses(text: &str) -> Vec<String> {
    let mut depth = 0;
    let clauses = text.split(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    clauses.map(|clause| clause.trim().to_owned()).filter(|clause| !clause.is_empty()).collect()
}

/// Splits `A => B` and `A as B` into the name and its alias; without a renaming, both are the name.
fn split_renaming(selector: &str) -> (&str, &str) {
    let selector = selector.trim();
    let (name, alias) =
        selector.split_once("=>").or_else(|| selector.split_once(" as ")).unwrap_or((selector, selector));
    (name.trim().trim_matches('`'), alias.trim().trim_matches('`'))
}

/// Returns the position of the last node of an import that has this text.
fn find_selector(node: Node, name: &str, expressions: &ExpressionReader) -> kenning_graph::facts::NameSpan {
    let mut found = node;
    let mut pending = vec![node];
    while let Some(inner) = pending.pop() {
        if expressions.node_text(inner) == name && inner.start_byte() >= found.start_byte() {
            found = inner;
        }
        let mut cursor = inner.walk();
        pending.extend(inner.named_children(&mut cursor).take(MAX_SELECTORS));
    }
    name_span(found)
}
