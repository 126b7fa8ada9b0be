//! Equality of two syntax trees of one text.

use tree_sitter::{Tree, TreeCursor};

/// Whether two trees have the same nodes, in all properties that can be read.
pub(super) fn trees_equal(one: &Tree, other: &Tree) -> bool {
    let (mut one, mut other) = (one.walk(), other.walk());
    loop {
        if !nodes_equal(&one, &other) {
            return false;
        }
        let below = one.goto_first_child();
        if below != other.goto_first_child() {
            return false;
        }
        if below {
            continue;
        }
        loop {
            let beside = one.goto_next_sibling();
            if beside != other.goto_next_sibling() {
                return false;
            }
            if beside {
                break;
            }
            let above = one.goto_parent();
            if above != other.goto_parent() {
                return false;
            }
            if !above {
                return true;
            }
        }
    }
}

fn nodes_equal(one: &TreeCursor, other: &TreeCursor) -> bool {
    let read = |cursor: &TreeCursor| {
        let node = cursor.node();
        let errors = (node.has_error(), node.is_missing(), node.is_extra());
        (node.kind_id(), node.is_named(), node.byte_range(), cursor.field_id(), errors)
    };
    read(one) == read(other)
}

#[cfg(test)]
mod tests {
    use super::trees_equal;
    use crate::extract::Extractor;

    #[test]
    fn trees_are_the_same_when_every_node_is() {
        let tree = |text: &str| {
            Extractor::new().extract_with_tree("go", text.as_bytes(), None).tree.expect("a tree")
        };
        let text = "package a\nfunc f() { g(1) }\n";
        assert!(trees_equal(&tree(text), &tree(text)));
        for other in [
            "package a\nfunc f() { g(x) }\n",
            "package a\nfunc f() { g(1, 2) }\n",
            "package a\nfunc f() { g(12) }\n",
            "package a\nfunc f() { g(1 }\n",
            "package a\nfunc f() { g(1) }\nvar x int\n",
        ] {
            assert!(
                !trees_equal(&tree(text), &tree(other)) && !trees_equal(&tree(other), &tree(text)),
                "{other}"
            );
        }
    }
}
