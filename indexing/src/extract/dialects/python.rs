//! The dialect of Python: an underscore makes a name private, `import a.b` binds `a`, and `__all__`
//! lists the exports.

use super::super::expressions::{ExpressionReader, value_as_path};
use super::super::raw_facts::{DialectNote, RawFacts, RawReference, name_span};
use super::{Dialect, NamedPart, VisibilityInput};
use kenning_graph::facts::{BindingKind, ImportFact, ReferenceRole, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// Functions that return their argument: the same value, or a collection of the same elements in
/// another order or kind.
const SAME: &[&str] = &[
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

/// Maximum length of a quoted name in bytes.
const MAX_NAME: usize = 128;

/// The dialect of Python.
pub(crate) struct PythonDialect;

impl Dialect for PythonDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        let dunder = declared.name.starts_with("__") && declared.name.ends_with("__");
        if declared.name.starts_with('_') && !dunder { Visibility::Private } else { Visibility::Public }
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

    fn typed_value(&self, node: Node, x: &ExpressionReader) -> Option<(String, BindingKind)> {
        match node.kind() {
            "call" => {
                let arguments = node.child_by_field_name("arguments")?;
                let called = x.node_text(node.child_by_field_name("function")?);
                if SAME.contains(&called) {
                    return x.value_type(arguments.named_child(0)?);
                }
                match called {
                    "next" | "anext" => {
                        let of = value_as_path(x.value_type(arguments.named_child(0)?)?);
                        Some((format!("{of}#each"), BindingKind::Value))
                    }
                    "cast" | "t.cast" | "typing.cast" => {
                        let ty = x.type_node_text(arguments.named_child(0)?);
                        let ty = ty.trim_matches(['"', '\'']).to_owned();
                        (!ty.is_empty()).then_some((ty, BindingKind::Type))
                    }
                    _ => None,
                }
            }
            // The value of `a or b` and `a if c else b` is one of the two.
            "boolean_operator" => {
                let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
                if node.child_by_field_name("operator")?.kind() == "and" {
                    return x.value_type(right);
                }
                union_value(x.value_type(left), x.value_type(right))
            }
            "conditional_expression" => {
                union_value(x.value_type(node.named_child(0)?), x.value_type(node.named_child(2)?))
            }
            "string" | "concatenated_string" => literal_value("str"),
            "list" | "list_comprehension" => literal_value("list"),
            "dictionary" | "dictionary_comprehension" => literal_value("dict"),
            "set" | "set_comprehension" => literal_value("set"),
            "named_expression" => x.value_type(node.child_by_field_name("value")?),
            _ => None,
        }
    }

    fn part_of_value(
        &self,
        value: Node,
        places: &[(usize, usize)],
        mark: &str,
        x: &ExpressionReader,
    ) -> NamedPart {
        if mark != "#each" || value.kind() != "call" {
            return NamedPart::Common;
        }
        let called = value.child_by_field_name("function").map_or("", |called| x.node_text(called));
        let Some((&(place, _), deeper)) = places.split_first() else { return NamedPart::Common };
        let argument = match (called, place) {
            ("enumerate", 0) => return NamedPart::Unknown,
            ("enumerate", 1) => 0,
            ("zip", place) => place,
            _ => return NamedPart::Common,
        };
        let arguments = value.child_by_field_name("arguments");
        let of = arguments.and_then(|arguments| x.value_type(arguments.named_child(argument as u32)?));
        let Some(of) = of else { return NamedPart::Unknown };
        let mut path = format!("{}#each", value_as_path(of));
        for (place, _) in deeper {
            path.push('#');
            path.push_str(&place.to_string());
        }
        NamedPart::Path(path)
    }

    /// Collects the names in the value of `__all__`: in lists and tuples, and in sums of them.
    fn collect_hook<'t>(&self, node: Node<'t>, x: &ExpressionReader, out: &mut RawFacts<'t>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match node.kind() {
                "list" | "tuple" | "binary_operator" | "parenthesized_expression" => {
                    let mut cursor = node.walk();
                    open.extend(node.named_children(&mut cursor));
                }
                "string" => out.references.extend(exported_reference(node, x)),
                _ => {}
            }
        }
    }

    fn finish_symbols(&self, symbols: &mut [SymbolFact], _marks: &[DialectNote]) {
        let mut taken: FxHashSet<(String, String)> = FxHashSet::default();
        for symbol in symbols.iter_mut().rev() {
            let gives_way = symbol.kind.is_callable() || symbol.kind == SymbolKind::Class;
            if gives_way && !taken.insert((symbol.container.clone(), symbol.name.clone())) {
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
fn exported_reference(string: Node, x: &ExpressionReader) -> Option<RawReference> {
    let content = string.named_child(1).filter(|part| part.kind() == "string_content")?;
    let is_whole = string.named_child_count() == 3 && content.named_child_count() == 0;
    let name = x.node_text(content);
    (is_whole && name.len() <= MAX_NAME).then(|| RawReference {
        name: name.to_owned(),
        at: name_span(content),
        ..RawReference::with_role(ReferenceRole::Quoted)
    })
}

/// Returns a value of a built-in type.
#[allow(clippy::unnecessary_wraps, reason = "as the others give it")]
fn literal_value(ty: &str) -> Option<(String, BindingKind)> {
    Some((ty.to_owned(), BindingKind::Type))
}

/// Returns a value that is one of two.
fn union_value(
    a: Option<(String, BindingKind)>,
    b: Option<(String, BindingKind)>,
) -> Option<(String, BindingKind)> {
    match (a, b) {
        (Some(a), Some(b)) if a == b => Some(a),
        (Some(a), Some(b)) => {
            Some((format!("{}|{}", value_as_path(a), value_as_path(b)), BindingKind::Value))
        }
        (a, b) => a.or(b),
    }
}
