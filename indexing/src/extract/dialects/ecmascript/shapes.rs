//! Object literals as types, and the call signatures of interfaces.

use super::locals::{Walk, is_function};
use super::paths;
use crate::extract::collected::{Collected, Draft, DraftKind};
use kenning_graph::facts::{BindingKind, NameSpan};
use kenning_graph::vocabulary::SymbolKind;
use tree_sitter::Node;

/// Object literals in object literals that are read.
const MAX_NESTED: u32 = 3;
/// Longest type of an object literal.
const MAX_OBJECT: usize = 400;

/// An object literal as a type: `{run:=run;store:Store;...:=other;}`. Entries of which nothing is known are left
/// out; `None` where that are all.
pub(super) fn object(node: Node, walk: &Walk, depth: u32) -> Option<String> {
    let mut out = String::from("{");
    for entry in node.named_children(&mut node.walk()) {
        let before = out.len();
        if member(entry, walk, depth, &mut out).is_none() || out.len() > MAX_OBJECT {
            out.truncate(before);
        }
    }
    out.push('}');
    (out.len() > 2).then_some(out)
}

fn member(entry: Node, walk: &Walk, depth: u32, out: &mut String) -> Option<()> {
    let x = walk.x;
    match entry.kind() {
        "shorthand_property_identifier" => {
            let name = x.text_of(entry);
            entry_text(name, &settled_type(name, walk)?, out);
        }
        "method_definition" => {
            let name = paths::key(entry.child_by_field_name("name")?, x)?;
            entry_text(&name, &format!("={name}"), out);
        }
        "spread_element" => {
            let ty = settled_type(&walk.path(entry.named_child(0)?)?, walk)?;
            entry_text("...", &ty, out);
        }
        "pair" => {
            let name = paths::key(entry.child_by_field_name("key")?, x)?;
            let value = entry.child_by_field_name("value")?;
            let ty = match value.kind() {
                kind if is_function(kind) => format!("={name}"),
                "object" if depth < MAX_NESTED => object(value, walk, depth + 1)?,
                _ => settled_type(&walk.path(value)?, walk)?,
            };
            entry_text(&name, &ty, out);
        }
        _ => return None,
    }
    Some(())
}

fn entry_text(name: &str, ty: &str, out: &mut String) {
    for part in [name, ":", ty, ";"] {
        out.push_str(part);
    }
}

/// A path as a type that can be read from outside.
fn settled_type(path: &str, walk: &Walk) -> Option<String> {
    let (text, how) = paths::value(walk.settled(path)?)?;
    Some(if how == BindingKind::Type { text } else { format!("={text}") })
}

/// `(x: A): B` in an interface: a method named `()`.
pub(super) fn call_signature<'t>(node: Node<'t>, out: &mut Collected<'t>) {
    let at = node.start_position();
    out.drafts.push(Draft {
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
        on_type: false,
    });
}
