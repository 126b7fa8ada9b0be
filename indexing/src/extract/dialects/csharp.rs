//! The dialect of C#: `using` directives, and the default visibility of members and types.

use super::{Dialect, VisibilityInput};
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::{DialectNote, name_span};
use kenning_graph::facts::{FILE_SCOPE, ImportFact, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// Whether the first parameter of a method is the receiver of its calls (`this string text`).
pub(crate) fn is_extension_method(symbol: &SymbolFact) -> bool {
    symbol.signature.contains("(this ")
}

/// The dialect of C#.
pub(crate) struct CSharpDialect;

impl Dialect for CSharpDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        if declared.has_modifier("private") && !declared.has_modifier("protected") {
            return Visibility::Private;
        }
        if declared.has_modifier("protected") {
            return Visibility::Protected;
        }
        if declared.has_modifier("internal") {
            return Visibility::Internal;
        }
        let in_interface_or_enum = matches!(declared.parent, Some(SymbolKind::Interface | SymbolKind::Enum));
        // `void IStore.Save()` is called through the interface.
        let is_explicit_implementation = declared.head.trim_end().ends_with('.');
        let is_record_component =
            declared.parent == Some(SymbolKind::Record) && declared.kind == SymbolKind::Property;
        if declared.has_modifier("public")
            || in_interface_or_enum
            || is_record_component
            || is_explicit_implementation
        {
            return Visibility::Public;
        }
        match declared.parent {
            None | Some(SymbolKind::Module) => Visibility::Internal,
            Some(_) => Visibility::Private,
        }
    }

    /// Removes the arity of static constructors, because they are never called.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        for symbol in symbols.iter_mut().filter(|symbol| symbol.kind == SymbolKind::Constructor) {
            let head = symbol.signature.split('(').next().unwrap_or("");
            if head.split_whitespace().any(|word| word == "static") {
                symbol.arity = None;
            }
        }
    }

    fn normalize_import(&self, _import: &mut ImportFact, _statement: &str) -> bool {
        // `parse_import_tree` reads the directives.
        false
    }

    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let alias = node.child_by_field_name("name");
        let mut cursor = node.walk();
        let Some(target) = node.named_children(&mut cursor).filter(|child| Some(*child) != alias).last()
        else {
            return;
        };
        let text = expressions.node_text(target).replace("::", ".");
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let text = text.strip_prefix("global.").unwrap_or(&text).to_owned();
        let (path, name, alias) = match alias {
            Some(alias) => {
                let text = text.split('<').next().unwrap_or(&text);
                let (path, name) = text.rsplit_once('.').unwrap_or(("", text));
                (path.to_owned(), name.to_owned(), expressions.node_text(alias).to_owned())
            }
            None => (text, "*".to_owned(), String::new()),
        };
        out.push(ImportFact { path, name, alias, reexport: false, scope: FILE_SCOPE, at: name_span(target) });
    }
}
