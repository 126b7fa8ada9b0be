//! The dialect of Swift: access levels, and tests by name.

use super::{Dialect, VisibilityInput};
use crate::extract::expressions::ExpressionReader;
use kenning_graph::facts::{ImportFact, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// The dialect of Swift.
pub(crate) struct SwiftDialect;

impl Dialect for SwiftDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        // `private(set)` limits the setter only.
        let head = declared.head.replace("private(set)", "").replace("fileprivate(set)", "");
        let declared = VisibilityInput { head: &head, ..*declared };
        let in_public_type = matches!(declared.parent, Some(SymbolKind::Enum | SymbolKind::Interface));
        if declared.has_modifier("private") || declared.has_modifier("fileprivate") {
            Visibility::Private
        } else if declared.has_modifier("public") || declared.has_modifier("open") || in_public_type {
            Visibility::Public
        } else {
            Visibility::Internal
        }
    }

    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        !import.path.is_empty()
    }

    /// Writes `items[0]`, which the grammar reads as a call.
    fn write_path(&self, node: Node, x: &ExpressionReader, out: &mut String, depth: u32) -> Option<bool> {
        if node.kind() != "call_expression" {
            return None;
        }
        let (called, suffix) = (node.named_child(0)?, node.named_child(1)?);
        if !x.node_text(suffix).starts_with('[') {
            return None;
        }
        let written = x.write_as_path(called, out, depth + 1).is_some();
        out.push_str("[]");
        Some(written)
    }

    fn is_test_symbol(&self, symbol: &SymbolFact) -> bool {
        let next = symbol.name.strip_prefix("test").and_then(|rest| rest.chars().next());
        symbol.kind == SymbolKind::Method
            && symbol.arity == Some(0)
            && next.is_some_and(|c| c.is_uppercase() || c == '_')
    }
}
