//! The dialect of Rust: `use` trees, `pub`, `#[path]`, and the names that patterns and closures
//! bind.

mod item_macros;
mod test_macros;

use super::{Dialect, VisibilityInput};
use crate::extract::bindings::RawBinding;
use crate::extract::expressions::{BoundValue, ExpressionReader, UNKNOWN, string_literal_content};
use crate::extract::raw_facts::{RawFacts, name_span};
use crate::extract::source_rewrites::SourceRewrite;
use kenning_graph::facts::{BindingKind, FILE_SCOPE, ImportFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// The dialect of Rust.
pub(crate) struct RustDialect;

/// Maximum number of parts read per pattern. Generated patterns have hundreds.
const MAX_PARTS: usize = 32;
/// Maximum nesting of a `use` tree. Hostile files nest thousands.
const MAX_USE_DEPTH: u32 = 32;

/// The argument of a closure, as a component of the value whose method receives the closure. The
/// numbers appear in the paths of values (`rows#0`), and the resolution of paths reads them.
pub(crate) mod closure_argument {
    /// An element of a collection, which a method of the collection passes.
    pub const ELEMENT: usize = 0;
    /// The second part of an element that is a pair: the value of a mapping.
    pub const PAIR_VALUE: usize = 1;
    /// The argument of a method that `Option` and iterators have: the content or an element.
    pub const CONTENT: usize = 2;
}

impl Dialect for RustDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        let compact: String = declared.head.chars().filter(|c| !c.is_whitespace()).collect();
        if compact.contains("pub(self") {
            Visibility::Private
        } else if compact.contains("pub(") {
            Visibility::Internal
        } else if declared.has_modifier("pub")
            || declared.parent == Some(SymbolKind::Trait)
            || declared.kind == SymbolKind::EnumMember
            || declared.kind == SymbolKind::Macro
        {
            Visibility::Public
        } else {
            Visibility::Private
        }
    }

    /// Collects the bindings of patterns and closures, the imports of modules with a path attribute,
    /// and the tests that local macros make.
    fn collect_hook<'t>(&self, node: Node<'t>, expressions: &ExpressionReader, out: &mut RawFacts<'t>) {
        match node.kind() {
            "tuple_struct_pattern" => bind_tuple_pattern(node, expressions, out),
            "struct_pattern" => bind_struct_pattern(node, expressions, out),
            "mod_item" => out.imports.extend(path_attribute_import(node, expressions)),
            "macro_definition" => test_macros::collect_macro_tests(node, expressions, out),
            "closure_parameters" => bind_closure_parameters(node, expressions, out),
            "tuple_pattern" => {
                let value = node.parent().and_then(|parent| parent.child_by_field_name("value"));
                bind_pair_pattern(
                    node,
                    value.map(|value| expressions.path_text(value)).as_deref(),
                    expressions,
                    out,
                );
            }
            _ => {}
        }
    }

    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        if import.alias.is_empty() {
            import.alias.clone_from(&import.path);
        }
        true
    }

    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let Some(argument) = node.child_by_field_name("argument") else { return };
        let mut cursor = node.walk();
        let reexport = node.named_children(&mut cursor).any(|child| child.kind() == "visibility_modifier");
        UseTree { expressions, reexport }.flatten_branch(argument, "", 0, out);
    }

    fn rewrite_macros(&self, text: &str, root: Node) -> Vec<SourceRewrite> {
        item_macros::rewrite_item_macros(text, root)
    }
}

fn push_binding(node: Node, value: Option<BoundValue>, expressions: &ExpressionReader, out: &mut RawFacts) {
    let name = expressions.node_text(node).to_owned();
    // A name that begins with a capital is a constant or a variant, not a new binding.
    if node.kind() == "identifier" && name != "_" && !name.starts_with(char::is_uppercase) {
        out.bindings.push(RawBinding {
            name,
            value,
            at: node.start_byte() as u32,
            range: None,
            whole_block: false,
            is_member: false,
            is_receiver: false,
            declares: false,
            hides: false,
        });
    }
}

/// Returns the import for `#[path = "a/b.rs"] mod name;`. The name of such a module does not
/// determine its file.
fn path_attribute_import(module: Node, expressions: &ExpressionReader) -> Option<ImportFact> {
    // In a module block the path is relative to another folder.
    module.parent().filter(|parent| parent.kind() == "source_file")?;
    let name = module.child_by_field_name("name")?;
    let before = std::iter::successors(module.prev_named_sibling(), Node::prev_named_sibling);
    let attributes = before.take_while(|node| matches!(node.kind(), "attribute_item" | "line_comment"));
    let path = attributes.take(MAX_PARTS).find_map(|attribute| {
        let text = expressions.node_text(attribute).strip_prefix("#[")?.trim_start().strip_prefix("path")?;
        string_literal_content(text.trim_start().strip_prefix('=')?)
    })?;
    Some(ImportFact {
        path: format!("./{path}"),
        alias: expressions.node_text(name).to_owned(),
        at: name_span(name),
        scope: FILE_SCOPE,
        ..ImportFact::default()
    })
}

/// Binds the names in `Some(x)` to the value itself, and those in `Kind::Part(x, y)` to the fields
/// of the variant or struct.
fn bind_tuple_pattern(node: Node, expressions: &ExpressionReader, out: &mut RawFacts) {
    let Some(ty) = node.child_by_field_name("type") else { return };
    let path = expressions.path_text(ty);
    let holds_value = matches!(path.as_str(), "Some" | "Ok");
    let mut cursor = node.walk();
    let parts = node.named_children(&mut cursor).filter(|part| *part != ty && !part.is_extra());
    for (at, part) in parts.take(MAX_PARTS).enumerate() {
        let inner = if part.kind() == "identifier" { Some(part) } else { part.named_child(0) };
        let Some(name) =
            inner.filter(|_| matches!(part.kind(), "identifier" | "ref_pattern" | "mut_pattern"))
        else {
            continue;
        };
        let value = if holds_value {
            matched_value(node).and_then(|value| expressions.value_type(value))
        } else if path == UNKNOWN || path == "Err" {
            None
        } else {
            Some(BoundValue::new(format!("{path}.{at}"), BindingKind::Value))
        };
        push_binding(name, value, expressions, out);
    }
}

/// Binds the names in `Foo { a, b: c }` to fields.
fn bind_struct_pattern(node: Node, expressions: &ExpressionReader, out: &mut RawFacts) {
    let path = node.child_by_field_name("type").map_or(UNKNOWN.to_owned(), |ty| expressions.path_text(ty));
    let mut cursor = node.walk();
    for field in
        node.named_children(&mut cursor).filter(|field| field.kind() == "field_pattern").take(MAX_PARTS)
    {
        let Some(name) = field.child_by_field_name("name") else { continue };
        let pattern = field.child_by_field_name("pattern");
        let text = expressions.node_text(name);
        let value = (path != UNKNOWN).then(|| BoundValue::new(format!("{path}.{text}"), BindingKind::Value));
        match pattern {
            Some(pattern) => push_binding(pattern, value, expressions, out),
            None => out.bindings.push(RawBinding {
                name: text.to_owned(),
                value,
                at: name.start_byte() as u32,
                range: None,
                whole_block: false,
                is_member: false,
                is_receiver: false,
                declares: false,
                hides: false,
            }),
        }
    }
}

/// Binds the untyped parameters of a closure. If the closure is passed to a method of a collection,
/// they are its elements.
fn bind_closure_parameters(node: Node, expressions: &ExpressionReader, out: &mut RawFacts) {
    let receiver_and_method = node.parent().and_then(|closure| closure_receiver(closure, expressions));
    let builtins = expressions.builtins;
    let first_binding = out.bindings.len();
    let mut cursor = node.walk();
    let parameters: Vec<Node> = node.named_children(&mut cursor).filter(|part| !part.is_extra()).collect();
    for (at, parameter) in parameters.iter().enumerate().take(MAX_PARTS) {
        let source = match (&receiver_and_method, parameters.len()) {
            (Some((path, method)), 1) if builtins.element_callbacks.contains(*method) => {
                Some((path, closure_argument::ELEMENT))
            }
            (Some((path, method)), 1) if builtins.content_callbacks.contains(*method) => {
                let is_iterator = is_iterator_path(path, expressions);
                Some((path, if is_iterator { closure_argument::ELEMENT } else { closure_argument::CONTENT }))
            }
            (Some((path, method)), 2) if builtins.pair_callbacks.contains(*method) => {
                Some((path, closure_argument::ELEMENT))
            }
            // `fold(start, |sum, x| ...)`.
            (Some((path, "fold" | "try_fold")), 2) if at == 1 => Some((path, closure_argument::ELEMENT)),
            // For a mapping, the second parameter is the value.
            (Some((path, "retain")), 2) if at == 1 => Some((path, closure_argument::PAIR_VALUE)),
            _ => None,
        };
        if parameter.kind() == "tuple_pattern" {
            bind_pair_pattern(
                *parameter,
                source
                    .filter(|(_, component)| *component != closure_argument::PAIR_VALUE)
                    .map(|(path, _)| path.as_str()),
                expressions,
                out,
            );
        } else {
            let value = source
                .map(|(path, component)| BoundValue::new(format!("{path}#{component}"), BindingKind::Value));
            push_binding(strip_binding_modifiers(*parameter), value, expressions, out);
        }
    }
    // The bindings are in scope only inside the closure.
    let closure = node.parent().map(|closure| (closure.start_byte() as u32, closure.end_byte() as u32));
    for binding in &mut out.bindings[first_binding..] {
        binding.range = closure;
    }
}

/// Binds the names in a tuple pattern for an element of a value. In a pair, the second name gets the
/// value of the element; other names get none.
fn bind_pair_pattern(
    pattern: Node,
    element: Option<&str>,
    expressions: &ExpressionReader,
    out: &mut RawFacts,
) {
    let mut cursor = pattern.walk();
    let parts: Vec<Node> = pattern.named_children(&mut cursor).filter(|part| !part.is_extra()).collect();
    for (at, part) in parts.iter().enumerate().take(MAX_PARTS) {
        let second = element.filter(|path| parts.len() == 2 && at == 1 && *path != UNKNOWN);
        let value = second.map(|path| {
            BoundValue::new(format!("{path}#{}", closure_argument::PAIR_VALUE), BindingKind::Value)
        });
        push_binding(strip_binding_modifiers(*part), value, expressions, out);
    }
}

/// Returns the name in `&x`, `ref x` and `mut x`.
fn strip_binding_modifiers(pattern: Node) -> Node {
    match pattern.kind() {
        "reference_pattern" | "ref_pattern" | "mut_pattern" => {
            let last = pattern.named_child_count().checked_sub(1);
            last.and_then(|last| pattern.named_child(last as u32)).map_or(pattern, strip_binding_modifiers)
        }
        _ => pattern,
    }
}

/// Returns the path of the value whose method receives the closure, and the name of the method.
fn closure_receiver<'a>(closure: Node, expressions: &ExpressionReader<'a>) -> Option<(String, &'a str)> {
    let call = closure.parent().filter(|parent| parent.kind() == "arguments")?.parent()?;
    let function =
        call.child_by_field_name("function").filter(|function| function.kind() == "field_expression")?;
    let path = expressions.path_text(function.child_by_field_name("value")?);
    let method = expressions.node_text(function.child_by_field_name("field")?);
    (path != UNKNOWN).then_some((path, method))
}

/// Whether a path ends in a call that returns an iterator, and not an `Option`, which shares some
/// of the methods.
fn is_iterator_path(mut path: &str, expressions: &ExpressionReader) -> bool {
    while let Some(inner) =
        [".filter()", ".cloned()", ".copied()"].iter().find_map(|end| path.strip_suffix(end))
    {
        path = inner;
    }
    let called = path.strip_suffix("()").and_then(|path| path.rsplit('.').next());
    called.is_some_and(|method| expressions.builtins.iterator_methods.contains(method))
}

/// Returns the value that a pattern destructures.
fn matched_value(pattern: Node) -> Option<Node> {
    let parent = pattern.parent()?;
    match parent.kind() {
        "let_declaration" | "let_condition" => parent.child_by_field_name("value"),
        // The ancestors are the pattern, the arm, the block and the expression.
        "match_pattern" => {
            let arm = parent.parent().filter(|arm| arm.kind() == "match_arm")?;
            arm.parent()?.parent()?.child_by_field_name("value")
        }
        _ => None,
    }
}

/// A reader of the tree of one `use` declaration.
struct UseTree<'a> {
    expressions: &'a ExpressionReader<'a>,
    reexport: bool,
}

impl UseTree<'_> {
    fn path_text(&self, node: Option<Node>) -> String {
        node.map_or(String::new(), |node| {
            let text = self.expressions.node_text(node);
            let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            compact.trim_start_matches("::").replace("::", ".")
        })
    }

    /// Flattens one branch of the tree below `prefix`.
    fn flatten_branch(&self, node: Node, prefix: &str, depth: u32, out: &mut Vec<ImportFact>) {
        if depth > MAX_USE_DEPTH {
            return;
        }
        let mut cursor = node.walk();
        match node.kind() {
            "use_list" => {
                for child in node.named_children(&mut cursor) {
                    self.flatten_branch(child, prefix, depth + 1, out);
                }
            }
            "scoped_use_list" => {
                let prefix = join_paths(prefix, &self.path_text(node.child_by_field_name("path")));
                if let Some(list) = node.child_by_field_name("list") {
                    self.flatten_branch(list, &prefix, depth + 1, out);
                }
            }
            "use_as_clause" => {
                let path = join_paths(prefix, &self.path_text(node.child_by_field_name("path")));
                let alias = self.path_text(node.child_by_field_name("alias"));
                let alias = if alias == "_" { String::new() } else { alias };
                self.push_path(&path, Some(alias), node.child_by_field_name("path").unwrap_or(node), out);
            }
            "use_wildcard" => {
                let path = join_paths(prefix, &self.path_text(node.named_child(0)));
                self.push_import(path, "*".to_owned(), String::new(), node, out);
            }
            "line_comment" | "block_comment" => {}
            _ => self.push_path(&join_paths(prefix, &self.path_text(Some(node))), None, node, out),
        }
    }

    /// Adds the import of a complete path. `a::b::self` imports `a::b`.
    fn push_path(&self, path: &str, alias: Option<String>, node: Node, out: &mut Vec<ImportFact>) {
        let path = path.strip_suffix(".self").unwrap_or(path);
        let (module, name) = path.rsplit_once('.').map_or((path, ""), |(module, name)| (module, name));
        let bound = if name.is_empty() { module } else { name };
        let alias = alias.unwrap_or_else(|| bound.to_owned());
        self.push_import(module.to_owned(), name.to_owned(), alias, node, out);
    }

    fn push_import(&self, path: String, name: String, alias: String, node: Node, out: &mut Vec<ImportFact>) {
        // The span is that of the last segment.
        let last = node.child_by_field_name("name").unwrap_or(node);
        let at = name_span(last);
        out.push(ImportFact { path, name, alias, reexport: self.reexport, scope: FILE_SCOPE, at });
    }
}

fn join_paths(prefix: &str, path: &str) -> String {
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => prefix.to_owned(),
        _ => format!("{prefix}.{path}"),
    }
}
