//! The dialect of Dart: an underscore makes a name private, and imports can show or hide names.

use super::{Dialect, VisibilityInput, strip_quotes};
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::{DialectNote, name_span};
use kenning_graph::facts::{FILE_SCOPE, ImportFact, SymbolFact};
use kenning_graph::vocabulary::Visibility;
use tree_sitter::Node;

/// The dialect of Dart.
pub(crate) struct DartDialect;

impl Dialect for DartDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        if declared.name.starts_with('_') { Visibility::Private } else { Visibility::Public }
    }

    /// Counts optional and named parameters, which form one node.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        for symbol in symbols.iter_mut().filter(|symbol| symbol.arity.is_some()) {
            if symbol.params.contains(['{', '[']) {
                let count = symbol.params.matches(',').count() + 1;
                symbol.arity = Some(count.min(254) as u8);
            }
        }
    }

    /// Reads `import`, `export`, `part` and `part of`. The parts of a library see one another's
    /// names as if they exported them.
    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let uri = node.child_by_field_name("uri").or_else(|| find_child(node, "uri"));
        let Some(uri) = uri else { return };
        let uri = find_child(uri, "uri").unwrap_or(uri);
        let path = strip_quotes(expressions.node_text(uri));
        if path.is_empty() {
            return;
        }
        let reexport = matches!(node.kind(), "library_export" | "part_directive" | "part_of_directive");
        let mut push = |name: &str, alias: &str, at: Node| {
            out.push(ImportFact {
                path: path.clone(),
                name: name.to_owned(),
                alias: alias.to_owned(),
                reexport,
                scope: FILE_SCOPE,
                at: name_span(at),
            });
        };
        if let Some(alias) = node.child_by_field_name("alias") {
            return push("", expressions.node_text(alias), uri);
        }
        let mut cursor = node.walk();
        let combinators: Vec<Node> =
            node.named_children(&mut cursor).filter(|child| child.kind() == "combinator").collect();
        let shown = combinators.iter().filter(|list| expressions.node_text(**list).starts_with("show"));
        let mut shows_names = false;
        for list in shown {
            let mut cursor = list.walk();
            for name in list.named_children(&mut cursor) {
                let text = expressions.node_text(name);
                push(text, text, name);
                shows_names = true;
            }
        }
        if !shows_names {
            push("", "", uri);
        }
    }
}

fn find_child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}
