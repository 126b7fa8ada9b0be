//! Object literals as types, and the call signatures of interfaces.

use super::expression_paths;
use super::local_bindings::{LocalBindingWalk, is_function_kind};
use crate::extract::expressions::BoundValue;
use crate::extract::raw_facts::{DraftKind, RawFacts, SymbolDraft};
use kenning_graph::facts::{BindingKind, NameSpan};
use kenning_graph::vocabulary::SymbolKind;
use tree_sitter::Node;

/// Maximum nesting of object literals. Data files nest literals without bound.
const MAX_NESTING: u32 = 3;
/// Maximum length in bytes of the type of an object literal. Data files have literals of megabytes.
const MAX_TYPE_BYTES: usize = 400;

/// Returns an object literal as a type: `{run:=run;store:Store;...:=other;}`. Leaves out
/// entries with unknown types. Returns `None` if all are unknown.
pub(super) fn object_literal_type(node: Node, walk: &LocalBindingWalk, depth: u32) -> Option<String> {
    let mut out = String::from("{");
    for entry in node.named_children(&mut node.walk()) {
        let before = out.len();
        if write_member(entry, walk, depth, &mut out).is_none() || out.len() > MAX_TYPE_BYTES {
            out.truncate(before);
        }
    }
    out.push('}');
    (out.len() > 2).then_some(out)
}

fn write_member(entry: Node, walk: &LocalBindingWalk, depth: u32, out: &mut String) -> Option<()> {
    let expressions = walk.expressions;
    match entry.kind() {
        "shorthand_property_identifier" => {
            let name = expressions.node_text(entry);
            write_entry(name, &resolve_type(name, walk)?, out);
        }
        "method_definition" => {
            let name = expression_paths::property_key(entry.child_by_field_name("name")?, expressions)?;
            write_entry(&name, &format!("={name}"), out);
        }
        "spread_element" => {
            let ty = resolve_type(&walk.known_path(entry.named_child(0)?)?, walk)?;
            write_entry("...", &ty, out);
        }
        "pair" => {
            let name = expression_paths::property_key(entry.child_by_field_name("key")?, expressions)?;
            let value = entry.child_by_field_name("value")?;
            let ty = match value.kind() {
                kind if is_function_kind(kind) => format!("={name}"),
                "object" if depth < MAX_NESTING => object_literal_type(value, walk, depth + 1)?,
                _ => resolve_type(&walk.known_path(value)?, walk)?,
            };
            write_entry(&name, &ty, out);
        }
        _ => return None,
    }
    Some(())
}

fn write_entry(name: &str, ty: &str, out: &mut String) {
    for part in [name, ":", ty, ";"] {
        out.push_str(part);
    }
}

/// Returns a path as a type that is valid outside the function.
fn resolve_type(path: &str, walk: &LocalBindingWalk) -> Option<String> {
    let BoundValue { text, kind } = expression_paths::binding_value(walk.resolve_locals(path)?)?;
    Some(if kind == BindingKind::Type { text } else { format!("={text}") })
}

/// Adds `(x: A): B` in an interface as a method named `()`.
pub(super) fn push_call_signature<'t>(node: Node<'t>, out: &mut RawFacts<'t>) {
    let at = node.start_position();
    out.drafts.push(SymbolDraft {
        node,
        kind: DraftKind::Symbol(SymbolKind::Method),
        pattern: usize::MAX,
        name: "()".to_owned(),
        name_span: NameSpan {
            start: node.start_byte() as u32,
            len: 1,
            line: at.row as u32,
            column: at.column as u32,
        },
        body: None,
        ty: None,
        params: None,
        value: None,
        container: None,
        is_test: false,
        defined: false,
        is_static: false,
    });
}
