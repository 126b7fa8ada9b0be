//! The dialect of JavaScript and TypeScript: default, namespace and CommonJS imports and exports,
//! `export` and `private`, and local names.

mod expected_types;
mod expression_paths;
mod jsdoc;
mod local_bindings;
mod object_types;

use super::{Dialect, VisibilityInput, strip_quotes};
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::{DialectNote, RawFacts};
use kenning_graph::facts::{ImportFact, SymbolFact};
use kenning_graph::receiver_notation::escape_text;
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// The dialect of JavaScript and TypeScript.
pub(crate) struct EcmaScriptDialect;

/// The name under which a CommonJS module exports itself.
const WHOLE_MODULE: &str = "export=";

impl Dialect for EcmaScriptDialect {
    fn value_of_type(&self, ty: &str) -> String {
        format!(":{}", escape_text(ty))
    }

    fn is_dynamic_import(&self, call: Node) -> bool {
        call.child_by_field_name("function").is_some_and(|function| function.kind() == "import")
    }

    fn keeps_private_fields(&self) -> bool {
        true
    }

    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        if declared.has_modifier("private") || declared.name.starts_with('#') {
            Visibility::Private
        } else if declared.has_modifier("protected") {
            Visibility::Protected
        } else if declared.parent.is_some()
            || declared.has_modifier("export")
            || declared.head.contains("exports.")
        {
            Visibility::Public
        } else {
            Visibility::Internal
        }
    }

    fn normalize_import(&self, import: &mut ImportFact, statement: &str) -> bool {
        import.path = strip_quotes(&import.path);
        import.name = strip_quotes(&import.name);
        import.alias = strip_quotes(&import.alias);
        if import.path.is_empty() {
            return normalize_local_export(import, statement);
        }
        let is_import = statement.starts_with("import") && !statement.contains("require(");
        if import.reexport && import.name.is_empty() && import.alias.is_empty() {
            // `module.exports = require('./x')`
            WHOLE_MODULE.clone_into(&mut import.alias);
        } else if import.name == "*" && !import.alias.is_empty() {
            // `* as ns` binds the module itself.
            import.name.clear();
        } else if import.name.is_empty() && !import.alias.is_empty() && is_import {
            "default".clone_into(&mut import.name);
        } else if import.alias.is_empty() && import.name != "*" {
            import.alias.clone_from(&import.name);
        }
        true
    }

    fn write_path(
        &self,
        node: Node,
        expressions: &ExpressionReader,
        out: &mut String,
        depth: u32,
    ) -> Option<bool> {
        expression_paths::write_expression(node, expressions, out, depth)
    }

    /// Reads the whole file, because the patterns of these languages capture the root as the hook.
    fn collect_hook<'t>(&self, node: Node<'t>, expressions: &ExpressionReader, out: &mut RawFacts<'t>) {
        local_bindings::collect_local_bindings(node, expressions, out);
    }

    /// Sets the types of symbols without a declared type to those of their values.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], notes: &[DialectNote]) {
        let mut types: FxHashMap<u32, &str> = FxHashMap::default();
        for DialectNote { start: at, content: ty, .. } in notes {
            types.entry(*at).or_insert(ty);
        }
        for symbol in symbols.iter_mut() {
            let is_untyped =
                symbol.ty.is_empty() && !symbol.kind.is_type() && symbol.kind != SymbolKind::Constructor;
            // The type of a constructor call lacks its arguments.
            let is_constructed = !symbol.kind.is_callable() && !symbol.ty.is_empty();
            let Some(ty) = types.get(&symbol.name_span.start).filter(|_| is_untyped || is_constructed) else {
                continue;
            };
            if is_untyped || ty.starts_with(symbol.ty.as_str()) {
                (*ty).clone_into(&mut symbol.ty);
            }
        }
    }
}

/// Normalizes a local export: `export { a as b }`, `export default a`, `module.exports = a`,
/// `exports.a = b`. Returns whether to keep it.
fn normalize_local_export(import: &mut ImportFact, statement: &str) -> bool {
    import.reexport = true;
    if import.name.is_empty() {
        return false;
    }
    if !import.alias.is_empty() {
        return true;
    }
    let exported_name = if statement.starts_with("export default") {
        "default"
    } else if statement.starts_with("export {")
        || statement.starts_with("export{")
        || statement.starts_with("export type")
    {
        ""
    } else {
        WHOLE_MODULE
    };
    import.alias = if exported_name.is_empty() { import.name.clone() } else { exported_name.to_owned() };
    true
}
