//! The dialect of Lua: modules are tables that a file returns, dots separate the folders of a
//! module name, and `require` may occur inside an expression.

use super::{Dialect, VisibilityInput, strip_quotes};
use crate::extract::expressions::{ExpressionReader, string_literal_content};
use crate::extract::raw_facts::{DialectNote, name_span};
use kenning_graph::facts::{FILE_SCOPE, ImportFact, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// The dialect of Lua.
pub(crate) struct LuaDialect;

impl Dialect for LuaDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        if declared.has_modifier("local") { Visibility::Private } else { Visibility::Public }
    }

    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        import.path = strip_quotes(&import.path).replace('.', "/");
        !import.path.is_empty()
    }

    /// Reads a `require` inside an expression. The import binds the name under which
    /// [`Self::write_path`] writes the call.
    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        if let Some(path) = required_path(node, expressions) {
            let alias = inline_alias(&path);
            let at = node.child_by_field_name("arguments").unwrap_or(node);
            out.push(ImportFact {
                path,
                name: String::new(),
                alias,
                reexport: false,
                scope: FILE_SCOPE,
                at: name_span(at),
            });
        }
    }

    fn write_path(
        &self,
        node: Node,
        expressions: &ExpressionReader,
        out: &mut String,
        _depth: u32,
    ) -> Option<bool> {
        let path = required_path(node, expressions)?;
        out.push_str(&inline_alias(&path));
        Some(true)
    }

    /// Turns tables without members back into variables.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        let containers: FxHashSet<String> = symbols.iter().map(|symbol| symbol.container.clone()).collect();
        for symbol in symbols.iter_mut().filter(|symbol| symbol.kind == SymbolKind::Class) {
            if !containers.contains(&symbol.name) {
                symbol.kind = SymbolKind::Variable;
            }
        }
    }
}

/// Returns the path in `require "a.b"`, with slashes.
fn required_path(node: Node, expressions: &ExpressionReader) -> Option<String> {
    if node.kind() != "function_call" || expressions.node_text(node.child_by_field_name("name")?) != "require"
    {
        return None;
    }
    let argument = node.child_by_field_name("arguments")?.named_child(0)?;
    let path =
        string_literal_content(expressions.node_text(argument)).filter(|_| argument.kind() == "string")?;
    Some(path.replace('.', "/"))
}

/// Returns the name that stands for a `require` inside an expression. No identifier has a colon.
fn inline_alias(path: &str) -> String {
    format!("require:{path}")
}
