//! Rust: `use` trees, `pub`.

use super::{Declared, Dialect};
use crate::extract::collect::name_span;
use crate::extract::expressions::Expressions;
use kenning_graph::facts::{FILE_SCOPE, Import};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// The Rust part of Rust.
pub(crate) struct Rust;

/// Deepest nesting of a `use` tree that is read.
const MAX_DEPTH: u32 = 32;

impl Dialect for Rust {
    fn visibility(&self, declared: &Declared) -> Visibility {
        let compact: String = declared.head.chars().filter(|c| !c.is_whitespace()).collect();
        if compact.contains("pub(self") {
            Visibility::Private
        } else if compact.contains("pub(") {
            Visibility::Internal
        } else if declared.has("pub")
            || declared.parent == Some(SymbolKind::Trait)
            || declared.kind == SymbolKind::EnumMember
            || declared.kind == SymbolKind::Macro
        {
            Visibility::Public
        } else {
            Visibility::Private
        }
    }

    fn import(&self, import: &mut Import, _statement: &str) -> bool {
        if import.alias.is_empty() {
            import.alias.clone_from(&import.path);
        }
        true
    }

    fn import_tree(&self, node: Node, expressions: &Expressions, out: &mut Vec<Import>) {
        let Some(argument) = node.child_by_field_name("argument") else { return };
        let mut cursor = node.walk();
        let reexport = node.named_children(&mut cursor).any(|child| child.kind() == "visibility_modifier");
        UseTree { expressions, reexport }.read(argument, "", 0, out);
    }
}

struct UseTree<'a> {
    expressions: &'a Expressions<'a>,
    reexport: bool,
}

impl UseTree<'_> {
    fn text(&self, node: Option<Node>) -> String {
        node.map_or(String::new(), |node| {
            let text = self.expressions.text_of(node);
            let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            compact.trim_start_matches("::").replace("::", ".")
        })
    }

    /// Flattens one branch of the tree below `prefix`.
    fn read(&self, node: Node, prefix: &str, depth: u32, out: &mut Vec<Import>) {
        if depth > MAX_DEPTH {
            return;
        }
        let mut cursor = node.walk();
        match node.kind() {
            "use_list" => {
                for child in node.named_children(&mut cursor) {
                    self.read(child, prefix, depth + 1, out);
                }
            }
            "scoped_use_list" => {
                let prefix = join(prefix, &self.text(node.child_by_field_name("path")));
                if let Some(list) = node.child_by_field_name("list") {
                    self.read(list, &prefix, depth + 1, out);
                }
            }
            "use_as_clause" => {
                let path = join(prefix, &self.text(node.child_by_field_name("path")));
                let alias = self.text(node.child_by_field_name("alias"));
                let alias = if alias == "_" { String::new() } else { alias };
                self.push(&path, Some(alias), node.child_by_field_name("path").unwrap_or(node), out);
            }
            "use_wildcard" => {
                let path = join(prefix, &self.text(node.named_child(0)));
                self.add(path, "*".to_owned(), String::new(), node, out);
            }
            "line_comment" | "block_comment" => {}
            _ => self.push(&join(prefix, &self.text(Some(node))), None, node, out),
        }
    }

    /// Adds the import of a whole path; `a::b::self` imports `a::b`.
    fn push(&self, path: &str, alias: Option<String>, node: Node, out: &mut Vec<Import>) {
        let path = path.strip_suffix(".self").unwrap_or(path);
        let (module, name) = path.rsplit_once('.').map_or((path, ""), |(module, name)| (module, name));
        let bound = if name.is_empty() { module } else { name };
        let alias = alias.unwrap_or_else(|| bound.to_owned());
        self.add(module.to_owned(), name.to_owned(), alias, node, out);
    }

    fn add(&self, path: String, name: String, alias: String, node: Node, out: &mut Vec<Import>) {
        // Where the last segment stands.
        let last = node.child_by_field_name("name").unwrap_or(node);
        let at = name_span(last);
        out.push(Import { path, name, alias, reexport: self.reexport, scope: FILE_SCOPE, at });
    }
}

fn join(prefix: &str, path: &str) -> String {
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => prefix.to_owned(),
        _ => format!("{prefix}.{path}"),
    }
}
