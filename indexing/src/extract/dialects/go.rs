//! The dialect of Go: a capital letter exports a name, and the name of an import is the last
//! segment of its path.

use super::super::expressions::{BoundValue, ExpressionReader};
use super::{Dialect, VisibilityInput, strip_quotes};
use kenning_graph::facts::{BindingKind, ImportFact, SymbolFact};
use kenning_graph::vocabulary::Visibility;
use tree_sitter::Node;

/// Maximum length in bytes of an anonymous struct type. Table-driven tests declare structs with
/// many fields.
const MAX_STRUCT_BYTES: usize = 500;

/// The dialect of Go.
pub(crate) struct GoDialect;

impl Dialect for GoDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        let is_exported = declared.name.chars().next().is_some_and(char::is_uppercase);
        if is_exported { Visibility::Public } else { Visibility::Internal }
    }

    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        import.path = strip_quotes(&import.path);
        match import.alias.as_str() {
            "_" => import.alias.clear(),
            "." => {
                import.alias.clear();
                "*".clone_into(&mut import.name);
            }
            "" => import.alias = guess_package_name(&import.path),
            _ => {}
        }
        !import.path.is_empty()
    }

    fn typed_value(&self, node: Node, expressions: &ExpressionReader) -> Option<BoundValue> {
        let value_of_type = |ty: Node| {
            let text = expressions.type_node_text(ty);
            (!text.is_empty()).then_some(BoundValue::new(text, BindingKind::Type))
        };
        match node.kind() {
            "type_assertion_expression" | "type_conversion_expression" => {
                value_of_type(node.child_by_field_name("type")?)
            }
            // Line breaks separate the fields of an anonymous struct.
            "composite_literal" => {
                let text = expressions.node_text(node.child_by_field_name("type")?);
                if !text.contains("struct") || text.len() > MAX_STRUCT_BYTES {
                    return None;
                }
                let lines = text.lines().map(|line| line.split("//").next().unwrap_or("").trim());
                let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
                Some(BoundValue::new(lines.join(";").replace("{;", "{"), BindingKind::Type))
            }
            // The signature of a closure contains its result type.
            "func_literal" => {
                let head = node.child_by_field_name("body")?.start_byte();
                let text = expressions.text.get(node.start_byte()..head)?.trim();
                (text.len() < 200).then(|| BoundValue::new(text.to_owned(), BindingKind::Type))
            }
            "call_expression" => {
                let first = node.child_by_field_name("arguments")?.named_child(0)?;
                match expressions.node_text(node.child_by_field_name("function")?) {
                    "make" => value_of_type(first),
                    "new" if first.kind().ends_with("type") || first.kind().ends_with("identifier") => {
                        value_of_type(first)
                    }
                    "append" => expressions.value_type(first),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn receiver_mark(&self, node: Node, text: &str) -> &'static str {
        let is_receive = node.kind() == "unary_expression"
            && text.get(node.byte_range()).is_some_and(|text| text.starts_with("<-"));
        if is_receive { "[]" } else { "" }
    }

    fn spreads_value(&self, value: Node) -> bool {
        value.kind() == "call_expression"
    }

    fn is_test_symbol(&self, symbol: &SymbolFact) -> bool {
        let next_char = ["Test", "Benchmark", "Fuzz", "Example"]
            .iter()
            .find_map(|prefix| symbol.name.strip_prefix(prefix))
            .and_then(|rest| rest.chars().next());
        let takes_t = symbol.params.contains("testing.");
        let is_example = symbol.name.starts_with("Example") && symbol.arity == Some(0);
        (takes_t || is_example) && !next_char.is_some_and(char::is_lowercase)
    }
}

/// Returns the most likely name of a package: the last segment of its path without a version
/// (`/v2`, `.v3`), and without the usual prefix `go-` or suffix `-go`.
fn guess_package_name(path: &str) -> String {
    let is_version = |segment: &str| {
        let number = segment.strip_prefix('v');
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut segments = path.rsplit('/');
    let mut last = segments.next().unwrap_or(path);
    if is_version(last) {
        last = segments.next().unwrap_or(last);
    }
    if let Some((stem, version)) = last.rsplit_once('.')
        && is_version(version)
    {
        last = stem;
    }
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.strip_suffix("-go").unwrap_or(last).to_owned()
}
