//! The dialect of PHP: names with backslashes, `use` declarations, and types in documentation.

use super::{Dialect, VisibilityInput, strip_quotes};
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::{DialectNote, name_span};
use kenning_graph::facts::{FILE_SCOPE, ImportFact, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// The dialect of PHP.
pub(crate) struct PhpDialect;

impl Dialect for PhpDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        if declared.has_modifier("private") {
            Visibility::Private
        } else if declared.has_modifier("protected") {
            Visibility::Protected
        } else {
            Visibility::Public
        }
    }

    /// Reads the path of an included file. [`Self::parse_import_tree`] reads `use` declarations.
    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        strip_quotes(&import.path).trim_start_matches('/').clone_into(&mut import.path);
        !import.path.is_empty()
    }

    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let mut cursor = node.walk();
        let mut prefix = String::new();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "namespace_name" => prefix = dotted_name(expressions.node_text(child)),
                "namespace_use_clause" => out.extend(parse_use_clause("", child, expressions)),
                "namespace_use_group" => {
                    let mut clauses = child.walk();
                    let clauses = child.named_children(&mut clauses);
                    out.extend(clauses.filter_map(|clause| parse_use_clause(&prefix, clause, expressions)));
                }
                _ => {}
            }
        }
    }

    fn write_path(
        &self,
        node: Node,
        expressions: &ExpressionReader,
        out: &mut String,
        depth: u32,
    ) -> Option<bool> {
        match node.kind() {
            "namespace_name" | "qualified_name" => {
                let text = expressions.node_text(node);
                let is_absolute = text.starts_with('\\')
                    || node.prev_sibling().is_some_and(|sibling| sibling.kind() == "\\");
                out.push_str(if is_absolute { "\\." } else { "" });
                out.push_str(&dotted_name(text));
                Some(true)
            }
            // Code writes a static property with a dollar sign, which is not part of its name.
            "scoped_property_access_expression" => {
                let scope = node.child_by_field_name("scope")?;
                let name = expressions.node_text(node.child_by_field_name("name")?);
                if expressions.write_as_path(scope, out, depth + 1).is_none() {
                    return Some(false);
                }
                out.push('.');
                out.push_str(name.trim_start_matches('$'));
                Some(true)
            }
            _ => None,
        }
    }

    fn path_root(&self, path: &str) -> &'static str {
        if path.starts_with('\\') { "\\" } else { "" }
    }

    fn is_test_symbol(&self, symbol: &SymbolFact) -> bool {
        let next = symbol.name.strip_prefix("test").and_then(|rest| rest.chars().next());
        symbol.kind == SymbolKind::Method && next.is_some_and(|c| c.is_uppercase() || c == '_')
    }

    /// Adds what only documentation declares: the types of `@var` and `@return`, and tests marked
    /// with `@test`.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        for symbol in symbols {
            if symbol.kind == SymbolKind::Method && symbol.doc.lines().any(|line| line.trim() == "@test") {
                symbol.is_test = true;
            }
            let tag = match symbol.kind {
                SymbolKind::Field => "@var ",
                SymbolKind::Method | SymbolKind::Function => "@return ",
                _ => continue,
            };
            // A documented type is more precise than a type inferred from a returned value (`=`).
            if symbol.ty.is_empty() || symbol.ty.starts_with('=') {
                let documented = symbol.doc.lines().find_map(|line| line.trim().strip_prefix(tag));
                if let Some(ty) = documented.and_then(|text| text.split_whitespace().next()) {
                    symbol.ty = ty.trim_start_matches('$').to_owned();
                }
            }
        }
    }

    fn declared_package(&self, captured: &[String]) -> String {
        captured.first().map(|name| dotted_name(name)).unwrap_or_default()
    }
}

/// Returns a name with dots instead of backslashes, without outer backslashes.
fn dotted_name(text: &str) -> String {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    compact.trim_matches('\\').replace('\\', ".")
}

/// Reads `A\B as C` of a `use` declaration.
fn parse_use_clause(prefix: &str, clause: Node, expressions: &ExpressionReader) -> Option<ImportFact> {
    let target = clause.named_child(0)?;
    let whole = match (prefix, dotted_name(expressions.node_text(target))) {
        ("", name) => name,
        (prefix, name) => format!("{prefix}.{name}"),
    };
    let (path, name) = whole.rsplit_once('.').unwrap_or(("", &whole));
    let alias = clause.child_by_field_name("alias").map_or(name, |alias| expressions.node_text(alias));
    let last = target.named_child_count().checked_sub(1).and_then(|last| target.named_child(last as u32));
    let at = name_span(last.unwrap_or(target));
    (!name.is_empty()).then(|| ImportFact {
        path: path.to_owned(),
        name: name.to_owned(),
        alias: alias.to_owned(),
        reexport: false,
        scope: FILE_SCOPE,
        at,
    })
}
