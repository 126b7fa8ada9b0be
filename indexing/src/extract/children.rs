//! The children of a node, listed once for all code that inspects them.

use std::num::NonZeroU16;
use tree_sitter::{Node, TreeCursor};

/// A child of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChildNode<'t> {
    pub node: Node<'t>,
    pub kind: u16,
    /// The child's field in its parent; 0 if it has none, or if the field was not requested.
    pub field: u16,
    pub is_named: bool,
    /// Whether no named node follows it.
    pub is_last: bool,
}

impl<'t> ChildNode<'t> {
    /// Creates an entry without a field, as the last child.
    pub fn from_node(node: Node<'t>) -> Self {
        Self { node, kind: node.kind_id(), field: 0, is_named: node.is_named(), is_last: true }
    }
}

/// Appends the children of a node to `out`, with the fields of the requested kinds. `cursor` may be
/// anywhere in the same tree.
pub(crate) fn append_children<'t>(
    node: Node<'t>,
    wants_field: impl Fn(u16) -> bool,
    cursor: &mut TreeCursor<'t>,
    out: &mut Vec<ChildNode<'t>>,
) {
    if node.child_count() == 0 {
        return;
    }
    let from = out.len();
    cursor.reset(node);
    let mut more = cursor.goto_first_child();
    while more {
        let mut child = ChildNode { is_last: false, ..ChildNode::from_node(cursor.node()) };
        if wants_field(child.kind) {
            child.field = cursor.field_id().map_or(0, NonZeroU16::get);
        }
        out.push(child);
        more = cursor.goto_next_sibling();
    }
    for child in out[from..].iter_mut().rev() {
        child.is_last = true;
        if child.is_named {
            break;
        }
    }
}
