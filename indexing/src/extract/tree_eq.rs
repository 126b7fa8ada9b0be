//! Equality of two syntax trees of one text.

use tree_sitter::{Tree, TreeCursor};

/// Whether two trees have the same nodes, with equal values of all readable properties.
pub(super) fn trees_equal(left: &Tree, right: &Tree) -> bool {
    let (mut left, mut right) = (left.walk(), right.walk());
    loop {
        if !nodes_equal(&left, &right) {
            return false;
        }
        let has_child = left.goto_first_child();
        if has_child != right.goto_first_child() {
            return false;
        }
        if has_child {
            continue;
        }
        loop {
            let has_sibling = left.goto_next_sibling();
            if has_sibling != right.goto_next_sibling() {
                return false;
            }
            if has_sibling {
                break;
            }
            let has_parent = left.goto_parent();
            if has_parent != right.goto_parent() {
                return false;
            }
            if !has_parent {
                return true;
            }
        }
    }
}

fn nodes_equal(left: &TreeCursor, right: &TreeCursor) -> bool {
    let properties = |cursor: &TreeCursor| {
        let node = cursor.node();
        let errors = (node.has_error(), node.is_missing(), node.is_extra());
        (node.kind_id(), node.is_named(), node.byte_range(), cursor.field_id(), errors)
    };
    properties(left) == properties(right)
}

#[cfg(test)]
mod tests {
    use super::trees_equal;
    use crate::extract::Extractor;

    #[test]
    fn trees_are_equal_if_all_their_nodes_are() {
        let tree = |text: &str| {
            Extractor::new().extract_with_tree("go", text.as_bytes(), None).tree.expect("a tree")
        };
        let text = "package a\nfunc f() { g(1) }\n";
        assert!(trees_equal(&tree(text), &tree(text)));
        for right in [
            "package a\nfunc f() { g(x) }\n",
            "package a\nfunc f() { g(1, 2) }\n",
            "package a\nfunc f() { g(12) }\n",
            "package a\nfunc f() { g(1 }\n",
            "package a\nfunc f() { g(1) }\nvar x int\n",
        ] {
            assert!(
                !trees_equal(&tree(text), &tree(right)) && !trees_equal(&tree(right), &tree(text)),
                "{right}"
            );
        }
    }
}
