//! Declarators of C, C++ and Objective-C: `(*names[4])(int)` declares `names`.
//!
//! A declarator nests to any depth around the declared name, so patterns cannot describe it.

use crate::extract::expressions::{ExpressionReader, one_line};
use crate::extract::raw_facts::MAX_NAME_BYTES;
use tree_sitter::Node;

/// Maximum depth of a declarator. Hostile files nest thousands of pointers.
const MAX_DECLARATOR_DEPTH: usize = 24;
/// Maximum number of qualifiers before a declared name. Hostile files chain thousands.
const MAX_QUALIFIERS: usize = 16;

/// The name that a declarator declares, with the properties that the declarator gives it.
pub(super) struct DeclaredName<'t> {
    /// The node of the name.
    pub node: Node<'t>,
    /// The name; for a conversion operator the keyword and the type.
    pub name: String,
    /// The dotted qualifiers before the name: `ns.Type` in `ns::Type::run`.
    pub container: String,
    /// The parameters of a function, or of a pointer to a function.
    pub params: Option<Node<'t>>,
    /// Whether the name is that of a function.
    pub is_function: bool,
    /// Whether the name is a pointer, a reference or an array.
    pub is_indirect: bool,
    /// The initial value of a variable.
    pub value: Option<Node<'t>>,
    /// The type after the parameters (`auto f() -> T`).
    pub trailing_type: Option<Node<'t>>,
}

/// Reads a declarator. Returns `None` if it declares no name.
pub(super) fn read_declarator<'t>(
    declarator: Node<'t>,
    expressions: &ExpressionReader,
) -> Option<DeclaredName<'t>> {
    let mut found = DeclaredName {
        node: declarator,
        name: String::new(),
        container: String::new(),
        params: None,
        is_function: false,
        is_indirect: false,
        value: None,
        trailing_type: None,
    };
    let mut node = declarator;
    for _ in 0..MAX_DECLARATOR_DEPTH {
        let inner = || node.child_by_field_name("declarator");
        match node.kind() {
            "init_declarator" => {
                found.value = node.child_by_field_name("value");
                node = inner()?;
            }
            "pointer_declarator"
            | "pointer_type_declarator"
            | "pointer_field_declarator"
            | "reference_declarator"
            | "array_declarator"
            | "block_pointer_declarator" => {
                found.is_indirect = true;
                found.is_function = false;
                node = inner().or_else(|| last_declarator(node))?;
            }
            "function_declarator" => {
                found.is_function = true;
                found.params = node.child_by_field_name("parameters");
                found.trailing_type = trailing_type(node);
                node = inner()?;
            }
            "operator_cast" => {
                read_conversion(node, expressions, &mut found);
                return Some(found);
            }
            "qualified_identifier"
            | "identifier"
            | "field_identifier"
            | "type_identifier"
            | "operator_name"
            | "destructor_name"
            | "template_function"
            | "template_method"
            | "primitive_type" => {
                read_name(node, expressions, &mut found)?;
                return Some(found);
            }
            "parenthesized_declarator" | "attributed_declarator" | "variadic_declarator" => {
                node = last_declarator(node)?;
            }
            _ => return None,
        }
    }
    None
}

/// Returns the last child that is a declarator or a name.
fn last_declarator(node: Node) -> Option<Node> {
    let mut cursor = node.walk();
    let is_declarator = |child: &Node| {
        let kind = child.kind();
        kind.ends_with("declarator") || kind.ends_with("identifier") || kind == "operator_name"
    };
    let mut children = node.named_children(&mut cursor).filter(is_declarator);
    if node.kind() == "attributed_declarator" { children.next() } else { children.last() }
}

/// Returns the type after the parameters of a function.
fn trailing_type(node: Node) -> Option<Node> {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.find(|child| child.kind() == "trailing_return_type")?.named_child(0)
}

/// Reads a possibly qualified name.
fn read_name<'t>(
    mut node: Node<'t>,
    expressions: &ExpressionReader,
    found: &mut DeclaredName<'t>,
) -> Option<()> {
    for _ in 0..MAX_QUALIFIERS {
        match node.kind() {
            "qualified_identifier" => {
                if let Some(scope) = node.child_by_field_name("scope") {
                    let scope = expressions.normalized_type_name(expressions.node_text(scope));
                    if !found.container.is_empty() {
                        found.container.push('.');
                    }
                    found.container.push_str(&scope);
                }
                node = node.child_by_field_name("name")?;
            }
            "template_function" | "template_method" | "template_type" => {
                node = node.child_by_field_name("name")?;
            }
            "operator_cast" => {
                read_conversion(node, expressions, found);
                return Some(());
            }
            _ => break,
        }
    }
    found.node = node;
    found.name = one_line(expressions.node_text(node));
    let is_operator = node.kind() == "operator_name" || node.kind() == "destructor_name";
    if is_operator && !found.name.starts_with("operator ") {
        found.name.retain(|c| !c.is_whitespace());
    }
    (!found.name.is_empty() && found.name.len() <= MAX_NAME_BYTES).then_some(())
}

/// Reads a conversion operator: `operator bool() const`.
fn read_conversion<'t>(node: Node<'t>, expressions: &ExpressionReader, found: &mut DeclaredName<'t>) {
    let ty = node.child_by_field_name("type").map_or("", |ty| expressions.node_text(ty));
    let declarator = node.child_by_field_name("declarator");
    found.node = node;
    found.name = one_line(&format!("operator {ty}"));
    found.is_function = true;
    found.params = declarator.and_then(|declarator| declarator.child_by_field_name("parameters"));
}

/// Whether a type has a macro before its name (`struct API Name {`). The grammar parses it as
/// a function without parameters that returns the type `struct API`.
pub(super) fn has_macro_before_type_name(root: Node) -> bool {
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        for child in node.named_children(&mut node.walk()) {
            match child.kind() {
                "function_definition" => {
                    let declarator = child.child_by_field_name("declarator");
                    let ty = child.child_by_field_name("type");
                    if declarator.is_some_and(|node| node.kind() == "identifier")
                        && ty.is_some_and(|node| node.kind().ends_with("_specifier"))
                    {
                        return true;
                    }
                }
                "namespace_definition"
                | "declaration_list"
                | "linkage_specification"
                | "preproc_if"
                | "preproc_ifdef"
                | "preproc_else"
                | "preproc_elif"
                | "template_declaration" => {
                    pending.push(child);
                }
                _ => {}
            }
        }
    }
    false
}
