//! The dialect of Kotlin: visibility modifiers and imports.

use super::{Dialect, VisibilityInput};
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::name_span;
use kenning_graph::facts::{FILE_SCOPE, ImportFact};
use kenning_graph::vocabulary::Visibility;
use tree_sitter::Node;

/// The dialect of Kotlin.
pub(crate) struct KotlinDialect;

impl Dialect for KotlinDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        if declared.has_modifier("private") {
            Visibility::Private
        } else if declared.has_modifier("protected") {
            Visibility::Protected
        } else if declared.has_modifier("internal") {
            Visibility::Internal
        } else {
            Visibility::Public
        }
    }

    /// Writes `this@Outer` as a value of the outer type.
    fn write_path(&self, node: Node, x: &ExpressionReader, out: &mut String, _depth: u32) -> Option<bool> {
        let label = x.node_text(node).strip_prefix("this@").filter(|_| node.kind() == "this_expression")?;
        out.extend(["{", label, "}"]);
        Some(true)
    }

    /// Reads `import a.b.C`, `import a.b.C as D` and `import a.b.*`.
    fn parse_import_tree(&self, node: Node, x: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let Some(target) = node.named_child(0) else { return };
        let whole: String = x.node_text(target).chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
        let is_wildcard = x.node_text(node).trim_end_matches([';', ' ']).ends_with('*');
        let (path, name) =
            if is_wildcard { (whole.as_str(), "*") } else { whole.rsplit_once('.').unwrap_or(("", &whole)) };
        // The members of a companion object are those of its class.
        let path = path.strip_suffix(".Companion").unwrap_or(path);
        let alias = match node.named_child(1) {
            _ if is_wildcard => "",
            Some(alias) if alias.kind() == "identifier" => x.node_text(alias),
            _ => name,
        };
        out.push(ImportFact {
            path: path.to_owned(),
            name: name.to_owned(),
            alias: alias.to_owned(),
            reexport: false,
            scope: FILE_SCOPE,
            at: name_span(last_segment(target)),
        });
    }

    fn declared_package(&self, captured: &[String]) -> String {
        captured.first().map(|name| name.replace('`', "")).unwrap_or_default()
    }
}

/// Returns the last segment of a dotted name.
fn last_segment(node: Node) -> Node {
    let last = node.named_child_count().checked_sub(1);
    last.and_then(|last| node.named_child(last as u32)).unwrap_or(node)
}
