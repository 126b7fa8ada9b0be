//! Finds the calls in the syntax trees of each language, and the kind of the definition at a
//! position. The tables name the node kinds of all grammars.
//!
//! A call is a node of [`CALLS`] whose called expression ends in a name: a call, a construction or
//! a macro invocation. [`called_name`] returns that name. The benchmark asks a server for
//! the definition at its position.
//!
//! [`definition_kind_at`] classifies the position that a server answers with. It looks at the nodes
//! around the name from the inside outwards: an import anywhere around it wins, then the first node
//! that is a parameter, that binds a variable, or that declares the name.

use tree_sitter::{Node, Point};

/// A node kind and the field of the called expression; `None` for the first named child.
type CallNode = (&'static str, Option<&'static str>);

/// The calls and constructions of each grammar.
const CALLS: [(&str, &[CallNode]); 15] = [
    ("go", &[("call_expression", Some("function")), ("composite_literal", Some("type"))]),
    ("python", &[("call", Some("function"))]),
    ("typescript", &SCRIPT_CALLS),
    ("tsx", &SCRIPT_CALLS),
    ("javascript", &SCRIPT_CALLS),
    (
        "rust",
        &[
            ("call_expression", Some("function")),
            ("macro_invocation", Some("macro")),
            ("struct_expression", Some("name")),
        ],
    ),
    (
        "java",
        &[
            ("method_invocation", Some("name")),
            ("object_creation_expression", Some("type")),
            ("explicit_constructor_invocation", Some("constructor")),
        ],
    ),
    ("csharp", &[("invocation_expression", Some("function")), ("object_creation_expression", Some("type"))]),
    ("ruby", &[("call", Some("method"))]),
    ("c", &[("call_expression", Some("function"))]),
    ("cpp", &[("call_expression", Some("function")), ("new_expression", Some("type"))]),
    (
        "php",
        &[
            ("function_call_expression", Some("function")),
            ("member_call_expression", Some("name")),
            ("nullsafe_member_call_expression", Some("name")),
            ("scoped_call_expression", Some("name")),
            ("object_creation_expression", None),
        ],
    ),
    ("kotlin", &[("call_expression", None)]),
    ("swift", &[("call_expression", None), ("constructor_expression", Some("constructed_type"))]),
    ("scala", &[("call_expression", Some("function")), ("instance_expression", None)]),
];

/// The calls and constructions of JavaScript and TypeScript.
const SCRIPT_CALLS: [CallNode; 2] =
    [("call_expression", Some("function")), ("new_expression", Some("constructor"))];

/// The part of an expression that contains its name.
enum NamePart {
    /// The child with this field, or else the last one.
    Field(&'static str),
    /// The first named child.
    First,
    /// The last named child.
    Last,
}

/// Expressions whose name is in one of their parts. Other expressions with parts (a call, an index,
/// a function value) have no name.
const NAME_PARTS: [(&str, NamePart); 36] = [
    ("alias_qualified_name", NamePart::Field("name")),
    ("as_expression", NamePart::First),
    ("applied_constructor_type", NamePart::First),
    ("attribute", NamePart::Field("attribute")),
    ("await_expression", NamePart::First),
    ("dependent_name", NamePart::First),
    ("field_expression", NamePart::Field("field")),
    ("generic_function", NamePart::Field("function")),
    ("generic_name", NamePart::First),
    ("generic_type", NamePart::First),
    ("generic_type_with_turbofish", NamePart::Field("type")),
    ("instantiation_expression", NamePart::First),
    ("member_access_expression", NamePart::Field("name")),
    ("member_binding_expression", NamePart::Field("name")),
    ("member_expression", NamePart::Field("property")),
    ("navigation_expression", NamePart::Last),
    ("navigation_suffix", NamePart::Last),
    ("nested_identifier", NamePart::Field("property")),
    ("nested_type_identifier", NamePart::Field("name")),
    ("non_null_expression", NamePart::First),
    ("parenthesized_expression", NamePart::First),
    ("parenthesized_type", NamePart::First),
    ("pointer_type", NamePart::First),
    ("qualified_identifier", NamePart::Field("name")),
    ("qualified_name", NamePart::Field("name")),
    ("qualified_type", NamePart::Field("name")),
    ("satisfies_expression", NamePart::First),
    ("scoped_identifier", NamePart::Field("name")),
    ("scoped_type_identifier", NamePart::Last),
    ("selector_expression", NamePart::Field("field")),
    ("template_function", NamePart::Field("name")),
    ("template_method", NamePart::Field("name")),
    ("template_type", NamePart::Field("name")),
    ("type_instantiation_expression", NamePart::Field("type")),
    ("conditional_access_expression", NamePart::Last),
    ("user_type", NamePart::First),
];

/// Languages in which several declarations can belong to one function: signatures and their
/// implementation, or definitions in the branches of a condition. In other languages, overloads are
/// separate functions.
const REPEATED_DECLARATIONS: [&str; 4] = ["typescript", "tsx", "javascript", "python"];

/// Whether several declarations can belong to one function in a language.
pub fn allows_repeated_declarations(language: &str) -> bool {
    REPEATED_DECLARATIONS.contains(&language)
}

/// Whether a language separates the declaration of a function from its definition, so that both are
/// true targets of its calls.
pub fn separates_definitions(language: &str) -> bool {
    matches!(language, "c" | "cpp")
}

/// Returns the called name if a node is a call or a construction that has one.
pub fn called_name<'t>(language: &str, node: Node<'t>, text: &str) -> Option<Node<'t>> {
    let (_, calls) = CALLS.iter().find(|(id, _)| *id == language)?;
    let (_, field) = calls.iter().find(|(kind, _)| *kind == node.kind())?;
    let called = match field {
        Some(field) => node.child_by_field_name(field),
        None => node.named_child(0),
    };
    let name = name_node(called?)?;
    let word = text.get(name.byte_range())?;
    let is_identifier = word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '@' | '#'));
    // `import(...)` in JavaScript and TypeScript is syntax, not a function.
    (is_identifier && word != "import").then_some(name)
}

/// Returns the node with the name of an expression, if it is a name or ends in one.
fn name_node(mut node: Node) -> Option<Node> {
    while node.named_child_count() > 0 {
        let (_, part) = NAME_PARTS.iter().find(|(kind, _)| *kind == node.kind())?;
        node = match part {
            NamePart::Field(field) => node.child_by_field_name(field).or_else(|| last_child(node))?,
            NamePart::First => node.named_child(0)?,
            NamePart::Last => last_child(node)?,
        };
    }
    Some(node)
}

fn last_child(node: Node) -> Option<Node> {
    node.named_child(node.named_child_count().checked_sub(1)? as u32)
}

/// The kind of a definition that a server reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionKind {
    /// A declaration: a function, a type, a member, a module variable.
    Symbol,
    /// An import or a re-export; the definition is elsewhere.
    Import,
    /// A variable that is an alias of another name.
    Alias {
        /// The position of that name.
        value: Point,
        /// Whether the variable is local.
        is_local: bool,
    },
    /// A parameter or a local variable.
    Local,
}

/// Node kinds of imports and re-exports.
const IMPORTS: [&str; 14] = [
    "export_clause",
    "export_specifier",
    "extern_crate_declaration",
    "future_import_statement",
    "import_declaration",
    "import_from_statement",
    "import_require_clause",
    "import_spec",
    "import_statement",
    "namespace_export",
    "namespace_use_declaration",
    "use_declaration",
    "using_declaration",
    "using_directive",
];

/// Node kinds that bind local names, each with the field of the value if it has one. Kinds that
/// contain `parameter` also bind local names.
const BINDERS: [(&str, Option<&str>); 29] = [
    ("as_pattern", None),
    ("assignment", Some("right")),
    ("catch_clause", None),
    ("catch_formal_parameter", None),
    ("const_spec", Some("value")),
    ("declaration", None),
    ("enhanced_for_statement", None),
    ("for_expression", None),
    ("for_in_clause", None),
    ("for_in_statement", None),
    ("for_range_loop", None),
    ("for_statement", None),
    ("foreach_statement", None),
    ("instanceof_expression", None),
    ("let_condition", None),
    ("let_declaration", Some("value")),
    ("local_variable_declaration", None),
    ("match_arm", None),
    ("match_pattern", None),
    ("named_expression", Some("value")),
    ("range_clause", None),
    ("receive_statement", None),
    ("resource", None),
    ("short_var_declaration", Some("right")),
    ("type_switch_statement", None),
    ("var_spec", Some("value")),
    ("variable_declarator", Some("value")),
    ("with_item", None),
    ("with_statement", None),
];

/// Returns the kind of the definition at a position.
pub fn definition_kind_at(root: Node, at: Point) -> DefinitionKind {
    // The range is one column wide, because an empty one would also match the token that ends
    // there.
    let end = Point { column: at.column + 1, ..at };
    let Some(name) = root.named_descendant_for_point_range(at, end) else { return DefinitionKind::Symbol };
    if ancestors(name).any(|node| IMPORTS.contains(&node.kind())) {
        return DefinitionKind::Import;
    }
    let mut below = name;
    for node in ancestors(name) {
        if node.kind().contains("parameter") {
            // In TypeScript, a parameter of a constructor may be a field.
            let is_field = node.children(&mut node.walk()).any(|c| c.kind() == "accessibility_modifier");
            return if is_field { DefinitionKind::Symbol } else { DefinitionKind::Local };
        }
        if let Some((_, value)) = BINDERS.iter().find(|(kind, _)| *kind == node.kind()) {
            return variable_kind(name, node, *value);
        }
        // The name of a declaration is its `name` field. The name of an object's member is the part
        // before the value.
        if is_body(node) || node.child_by_field_name("name") == Some(below) || node.kind() == "attribute" {
            return DefinitionKind::Symbol;
        }
        below = node;
    }
    DefinitionKind::Symbol
}

/// Returns the kind of the variable `name`, which the node `binder` binds. `field` is the field of
/// `binder` with the variable's value.
fn variable_kind(name: Node, binder: Node, field: Option<&str>) -> DefinitionKind {
    let value = field.and_then(|field| binder.child_by_field_name(field)).map(|value| match value.kind() {
        "expression_list" if value.named_child_count() == 1 => value.named_child(0).unwrap_or(value),
        _ => value,
    });
    // The children of a binder of one name are at most the name, its type and its value.
    let binds_one_name = binder.named_child_count() <= 3
        && !name.parent().is_some_and(|parent| {
            parent.kind().contains("pattern")
                || parent.kind() == "expression_list" && parent.named_child_count() > 1
        });
    let enclosing = ancestors(binder).find(|node| is_function(*node) || is_type_body(*node));
    let is_local = enclosing.is_some_and(is_function);
    if let Some(value) = value.filter(|_| binds_one_name) {
        if value.kind().contains("function")
            || matches!(value.kind(), "closure_expression" | "func_literal" | "lambda" | "class")
        {
            return DefinitionKind::Symbol;
        }
        if let Some(alias) = name_node(value).filter(|alias| alias.kind().contains("identifier")) {
            return DefinitionKind::Alias { value: alias.start_position(), is_local };
        }
    }
    if is_local { DefinitionKind::Local } else { DefinitionKind::Symbol }
}

fn ancestors(node: Node) -> impl Iterator<Item = Node> {
    std::iter::successors(node.parent(), Node::parent)
}

fn is_function(node: Node) -> bool {
    let kind = node.kind();
    matches!(kind, "closure_expression" | "func_literal" | "lambda" | "lambda_expression")
        || ["function", "generator_function", "method", "constructor"]
            .iter()
            .any(|word| kind.starts_with(word))
            && ["_declaration", "_definition", "_item", "_expression", "function"]
                .iter()
                .any(|end| kind.ends_with(end))
        || kind == "arrow_function"
}

fn is_type_body(node: Node) -> bool {
    matches!(node.kind(), "class_body" | "class_definition" | "class_declaration" | "interface_body")
}

/// Whether a node is a body. A name in a body belongs to a declaration there, not to one outside.
fn is_body(node: Node) -> bool {
    matches!(
        node.kind(),
        "block" | "statement_block" | "class_body" | "object" | "object_type" | "interface_body"
    )
}

#[cfg(test)]
mod tests {
    use super::{DefinitionKind, definition_kind_at};
    use kenning_indexing::extract::Extractor;
    use tree_sitter::Point;

    /// Returns the kind of the definition at the first `needle` in a text of one line: `import`,
    /// `symbol` or `local`, or `local=NAME` or `module=NAME` for an alias of NAME.
    fn kind_at(language: &str, text: &str, needle: &str) -> String {
        let tree = Extractor::new()
            .extract_with_tree(language, text.as_bytes(), None)
            .tree
            .expect("the text is parsed");
        let column = text.find(needle).expect("the text contains the needle");
        match definition_kind_at(tree.root_node(), Point { row: 0, column }) {
            DefinitionKind::Symbol => "symbol".to_owned(),
            DefinitionKind::Import => "import".to_owned(),
            DefinitionKind::Local => "local".to_owned(),
            DefinitionKind::Alias { value, is_local } => {
                let name = text[value.column..]
                    .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .next()
                    .unwrap_or("");
                format!("{}={name}", if is_local { "local" } else { "module" })
            }
        }
    }

    #[test]
    fn declarations_imports_aliases_and_locals_are_distinguished() {
        for (language, text, needle, expected) in [
            ("go", "package p; import x \"a/b\"", "x", "import"),
            ("go", "package p; func f(g func()) { g() }", "g func", "local"),
            ("go", "package p; func f() { h := s.run; h() }", "h :=", "local=run"),
            ("go", "package p; func f() { h, err := s.run(); h() }", "h, err", "local"),
            ("go", "package p; type T struct { run func() }", "run", "symbol"),
            ("go", "package p; func f() { h := func() {}; h() }", "h :=", "symbol"),
            ("python", "from a import b", "b", "import"),
            ("python", "get = _get", "get", "module=_get"),
            ("python", "def f(a, b=1): pass", "b=1", "local"),
            ("python", "def f(self): self.x = 1", "x = 1", "symbol"),
            ("python", "class A: make = other", "make", "module=other"),
            ("typescript", "export { a } from './b'", "a }", "import"),
            ("typescript", "import { a as b } from './b'", "b }", "import"),
            ("typescript", "const f = () => 1", "f =", "symbol"),
            ("typescript", "function g() { const { f } = h() }", "f }", "local"),
            ("typescript", "class A { constructor(private b: B) {} }", "b: B", "symbol"),
            ("typescript", "function f(o: { run: () => void }) {}", "run", "symbol"),
            ("rust", "use a::{b, c};", "b", "import"),
            ("rust", "fn f() { let g = |x| x; g(1) }", "g =", "symbol"),
            ("rust", "fn f(g: fn()) { g() }", "g: fn", "local"),
        ] {
            assert_eq!(kind_at(language, text, needle), expected, "{text}");
        }
    }
}
