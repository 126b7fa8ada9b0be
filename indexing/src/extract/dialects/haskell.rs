//! The dialect of Haskell: the forms of `import`, module names in paths, and the names that a type
//! declaration adds to its module.

use super::Dialect;
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::{DialectNote, name_span};
use kenning_graph::facts::{FILE_SCOPE, ImportFact, SymbolFact};
use kenning_graph::vocabulary::SymbolKind;
use tree_sitter::Node;

/// The dialect of Haskell.
pub(crate) struct HaskellDialect;

impl Dialect for HaskellDialect {
    /// Reads an import. An import of a type with its constructors, whose names the import does not
    /// show, makes all names of the module visible.
    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let Some(module) = node.child_by_field_name("module") else { return };
        let path = module_name(expressions.node_text(module));
        let alias = node.child_by_field_name("alias").map(|alias| module_name(expressions.node_text(alias)));
        let mut cursor = node.walk();
        let has_word = |word: &str, node: Node| {
            let mut cursor = node.walk();
            node.children(&mut cursor).any(|child| child.kind() == word)
        };
        let mut push = |name: &str, alias: &str, at: Node| {
            out.push(ImportFact {
                path: path.clone(),
                name: name.to_owned(),
                alias: alias.to_owned(),
                reexport: false,
                scope: FILE_SCOPE,
                at: name_span(at),
            });
        };
        let qualifier = alias.unwrap_or_else(|| path.clone());
        if !qualifier.contains('.') {
            push("", &qualifier, module);
        }
        if has_word("qualified", node) {
            return;
        }
        let list = node.child_by_field_name("names").filter(|_| !has_word("hiding", node));
        let Some(list) = list else { return push("*", "", module) };
        for name in list.children_by_field_name("name", &mut cursor) {
            let text = expressions.node_text(name);
            if text.contains('(') && !text.starts_with('(') {
                return push("*", "", module);
            }
            let text = text.trim_matches(['(', ')']);
            push(text, text, name);
        }
    }

    fn write_path(
        &self,
        node: Node,
        expressions: &ExpressionReader,
        out: &mut String,
        _depth: u32,
    ) -> Option<bool> {
        if node.kind() != "module" {
            return None;
        }
        out.push_str(&module_name(expressions.node_text(node)));
        Some(true)
    }

    /// Makes the names that a type declaration adds to its module top-level names, except for a
    /// constructor with the name of its type: the type stands for both.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        for index in 0..symbols.len() {
            let parent = symbols[index].parent.and_then(|parent| symbols.get(parent as usize));
            let is_lifted = |parent: &SymbolFact| {
                parent.kind.is_type() && parent.name != symbols[index].name
                    || parent.kind == SymbolKind::Constructor
            };
            if parent.is_some_and(is_lifted) {
                symbols[index].container.clear();
            }
        }
    }
}

/// Returns the dotted name of a module without the dot after it.
fn module_name(text: &str) -> String {
    text.trim_end_matches('.').chars().filter(|c| !c.is_whitespace()).collect()
}
