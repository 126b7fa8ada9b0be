//! The dialect of Python: an underscore makes a name private, `import a.b` binds `a`, and `__all__`
//! lists the exports.

use super::super::expressions::{BoundValue, ExpressionReader};
use super::super::raw_facts::{DialectNote, RawFacts, RawReference, name_span};
use super::{Dialect, NamedPart, VisibilityInput};
use kenning_graph::facts::{BindingKind, ImportFact, ReferenceRole, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// Functions that return their argument: the same value, or a collection of the same elements in
/// another order or type.
const IDENTITY_CALLS: &[&str] = &[
    "list",
    "sorted",
    "reversed",
    "iter",
    "aiter",
    "tuple",
    "set",
    "frozenset",
    "copy.copy",
    "copy.deepcopy",
    "deepcopy",
];

/// Maximum length of a quoted name in bytes. Longer strings are not names.
const MAX_NAME_BYTES: usize = 128;

/// The dialect of Python.
pub(crate) struct PythonDialect;

impl Dialect for PythonDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        let is_dunder = declared.name.starts_with("__") && declared.name.ends_with("__");
        if declared.name.starts_with('_') && !is_dunder { Visibility::Private } else { Visibility::Public }
    }

    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        for part in [&mut import.path, &mut import.name] {
            part.retain(|c| !c.is_whitespace());
        }
        if import.alias.is_empty() {
            let bound =
                if import.name.is_empty() { import.path.split('.').next() } else { Some(&*import.name) };
            import.alias = bound.filter(|&name| name != "*").unwrap_or("").to_owned();
        }
        !import.path.is_empty()
    }

    fn typed_value(&self, node: Node, expressions: &ExpressionReader) -> Option<BoundValue> {
        match node.kind() {
            "call" => {
                let arguments = node.child_by_field_name("arguments")?;
                let called = expressions.node_text(node.child_by_field_name("function")?);
                if IDENTITY_CALLS.contains(&called) {
                    return expressions.value_type(arguments.named_child(0)?);
                }
                match called {
                    "next" | "anext" => {
                        let collection = expressions.value_type(arguments.named_child(0)?)?.into_path();
                        Some(BoundValue::new(format!("{collection}#each"), BindingKind::Value))
                    }
                    "cast" | "t.cast" | "typing.cast" => {
                        let ty = expressions.type_node_text(arguments.named_child(0)?);
                        let ty = ty.trim_matches(['"', '\'']).to_owned();
                        (!ty.is_empty()).then_some(BoundValue::new(ty, BindingKind::Type))
                    }
                    _ => None,
                }
            }
            // The value of `a or b` and `a if c else b` is one of the two.
            "boolean_operator" => {
                let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
                if node.child_by_field_name("operator")?.kind() == "and" {
                    return expressions.value_type(right);
                }
                union_value(expressions.value_type(left), expressions.value_type(right))
            }
            "conditional_expression" => union_value(
                expressions.value_type(node.named_child(0)?),
                expressions.value_type(node.named_child(2)?),
            ),
            "string" | "concatenated_string" => literal_value("str"),
            "list" | "list_comprehension" => literal_value("list"),
            "dictionary" | "dictionary_comprehension" => literal_value("dict"),
            "set" | "set_comprehension" => literal_value("set"),
            "named_expression" => expressions.value_type(node.child_by_field_name("value")?),
            _ => None,
        }
    }

    fn part_of_value(
        &self,
        value: Node,
        positions: &[(usize, usize)],
        mark: &str,
        expressions: &ExpressionReader,
    ) -> NamedPart {
        if mark != "#each" || value.kind() != "call" {
            return NamedPart::Common;
        }
        let called = value.child_by_field_name("function").map_or("", |called| expressions.node_text(called));
        let Some((&(position, _), deeper)) = positions.split_first() else { return NamedPart::Common };
        let argument = match (called, position) {
            ("enumerate", 0) => return NamedPart::Unknown,
            ("enumerate", 1) => 0,
            ("zip", position) => position,
            _ => return NamedPart::Common,
        };
        let arguments = value.child_by_field_name("arguments");
        let value_path =
            arguments.and_then(|arguments| expressions.value_type(arguments.named_child(argument as u32)?));
        let Some(value_path) = value_path else { return NamedPart::Unknown };
        let mut path = format!("{}#each", value_path.into_path());
        for (position, _) in deeper {
            path.push('#');
            path.push_str(&position.to_string());
        }
        NamedPart::Path(path)
    }

    /// Collects the names in the value of `__all__`: in lists and tuples, and in sums of them.
    fn collect_hook<'t>(&self, node: Node<'t>, expressions: &ExpressionReader, out: &mut RawFacts<'t>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match node.kind() {
                "list" | "tuple" | "binary_operator" | "parenthesized_expression" => {
                    let mut cursor = node.walk();
                    open.extend(node.named_children(&mut cursor));
                }
                "string" => out.references.extend(exported_reference(node, expressions)),
                _ => {}
            }
        }
    }

    /// Marks each definition that a later one of the same name replaces as a declaration (`~`).
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        let mut seen: FxHashSet<(String, String)> = FxHashSet::default();
        for symbol in symbols.iter_mut().rev() {
            let can_be_replaced = symbol.kind.is_callable() || symbol.kind == SymbolKind::Class;
            if can_be_replaced && !seen.insert((symbol.container.clone(), symbol.name.clone())) {
                symbol.ty.insert(0, '~');
            }
        }
    }

    fn is_test_symbol(&self, symbol: &SymbolFact) -> bool {
        // A method `test_x` is a test only in a test class.
        symbol.container.is_empty() || symbol.container.contains("Test")
    }
}

/// Returns a reference to the name that a string contains, if it contains nothing else.
fn exported_reference(string: Node, expressions: &ExpressionReader) -> Option<RawReference> {
    let content = string.named_child(1).filter(|part| part.kind() == "string_content")?;
    let is_whole = string.named_child_count() == 3 && content.named_child_count() == 0;
    let name = expressions.node_text(content);
    (is_whole && name.len() <= MAX_NAME_BYTES).then(|| RawReference {
        name: name.to_owned(),
        at: name_span(content),
        ..RawReference::with_role(ReferenceRole::Quoted)
    })
}

/// Returns a value of a built-in type.
#[allow(clippy::unnecessary_wraps, reason = "used like functions that may return None")]
fn literal_value(ty: &str) -> Option<BoundValue> {
    Some(BoundValue::new(ty.to_owned(), BindingKind::Type))
}

/// Returns the value of an expression whose value is one of two.
fn union_value(left: Option<BoundValue>, right: Option<BoundValue>) -> Option<BoundValue> {
    match (left, right) {
        (Some(left), Some(right)) if left == right => Some(left),
        (Some(left), Some(right)) => {
            Some(BoundValue::new(format!("{}|{}", left.into_path(), right.into_path()), BindingKind::Value))
        }
        (left, right) => left.or(right),
    }
}
