//! Expressions of JavaScript and TypeScript that are written as paths although they are not names,
//! members or calls.
//!
//! A path may start with `:` and a type (`(x as Foo).y` is `:Foo.y`), or with `import:` and the
//! module specifier (`require('./x').y`). In both, characters that have a meaning in paths are
//! masked. In a type, `=` followed by a path denotes the type of a value.

use crate::extract::expressions::{BoundValue, ExpressionReader, one_line_type};
use kenning_graph::facts::BindingKind;
use kenning_graph::receiver_notation::{escape_text, module_expression};
use tree_sitter::Node;

/// Maximum length in bytes of a type in a path. Types of objects and unions can fill pages.
const MAX_TYPE_BYTES: usize = 300;

/// Writes an expression as a path. Returns whether it can be written, or `None` to apply the rules
/// of the language's row.
pub(super) fn write_expression(
    node: Node,
    expressions: &ExpressionReader,
    out: &mut String,
    depth: u32,
) -> Option<bool> {
    match node.kind() {
        "call_expression" => {
            let module = required_module(node, expressions)?;
            out.push_str(&module_expression(&module));
            Some(true)
        }
        "as_expression" | "satisfies_expression" => {
            Some(write_assertion(node, expressions, out, depth).is_some())
        }
        "new_expression" => {
            let arguments = node.child_by_field_name("type_arguments")?;
            let constructor = node.child_by_field_name("constructor")?;
            let ty = format!("{}{}", expressions.node_text(constructor), expressions.node_text(arguments));
            Some(write_type(&one_line_type(&ty), out))
        }
        "subscript_expression" => {
            let index = node.child_by_field_name("index")?;
            let key = match index.kind() {
                "string" => format!(".{}", property_key(index, expressions)?),
                "number" if index.byte_range().len() == 1 => format!("[{}]", expressions.node_text(index)),
                _ => return None,
            };
            if expressions.write_as_path(node.child_by_field_name("object")?, out, depth + 1).is_none() {
                return Some(false);
            }
            out.push_str(&key);
            Some(true)
        }
        "ternary_expression" => {
            Some(write_alternatives(node, ["consequence", "alternative"], expressions, out))
        }
        "binary_expression" => Some(write_operation(node, expressions, out, depth)),
        "assignment_expression" => {
            Some(expressions.write_as_path(node.child_by_field_name("right")?, out, depth + 1).is_some())
        }
        "array" => Some(write_array(node, expressions, out, depth)),
        "meta_property" if expressions.node_text(node) == "import.meta" => {
            out.push_str("import.meta");
            Some(true)
        }
        kind => {
            out.push_str(literal_constructor(kind)?);
            Some(true)
        }
    }
}

/// Returns the constructor call whose value has the same type as a literal.
fn literal_constructor(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "string" | "template_string" => "String()",
        "number" => "Number()",
        "regex" => "RegExp()",
        "true" | "false" => "Boolean()",
        _ => return None,
    })
}

/// Returns the module of `require('x')` and `import('x')`.
pub(super) fn required_module(call: Node, expressions: &ExpressionReader) -> Option<String> {
    let function = call.child_by_field_name("function")?;
    if function.kind() != "import" && expressions.node_text(function) != "require" {
        return None;
    }
    let path =
        call.child_by_field_name("arguments")?.named_child(0).filter(|path| path.kind() == "string")?;
    Some(super::super::strip_quotes(expressions.node_text(path)))
}

/// Returns the name in a string or a property, if a path can contain it.
pub(super) fn property_key(node: Node, expressions: &ExpressionReader) -> Option<String> {
    let name = super::super::strip_quotes(expressions.node_text(node));
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '-');
    (!name.is_empty() && name.len() < 100 && name.chars().all(is_word)).then_some(name)
}

/// Writes `x as T`, `x satisfies T` or `x as const`.
fn write_assertion(node: Node, expressions: &ExpressionReader, out: &mut String, depth: u32) -> Option<()> {
    let value = node.named_child(0)?;
    let ty = node.named_child(1);
    match ty.map(|ty| expressions.node_text(ty)) {
        None | Some("const") => expressions.write_as_path(value, out, depth + 1),
        Some(_) if node.kind() == "satisfies_expression" => expressions.write_as_path(value, out, depth + 1),
        Some("any" | "unknown" | "never") => None,
        Some(ty) => write_type(&one_line_type(ty), out).then_some(()),
    }
}

/// Writes a type as the start of a path. Returns whether it can be written.
pub(super) fn write_type(ty: &str, out: &mut String) -> bool {
    if ty.is_empty() || ty.len() > MAX_TYPE_BYTES {
        return false;
    }
    out.push(':');
    out.push_str(&escape_text(ty));
    true
}

fn write_alternatives(
    node: Node,
    fields: [&str; 2],
    expressions: &ExpressionReader,
    out: &mut String,
) -> bool {
    let known_paths: Vec<String> = fields
        .iter()
        .filter_map(|field| node.child_by_field_name(field))
        .map(|part| expressions.path_text(part))
        .filter(|path| path != crate::extract::expressions::UNKNOWN)
        .collect();
    match known_paths.as_slice() {
        [] => false,
        [path] => {
            out.push_str(path);
            true
        }
        [first, second, ..] => write_type(&format!("={first}|={second}"), out),
    }
}

fn write_operation(node: Node, expressions: &ExpressionReader, out: &mut String, depth: u32) -> bool {
    let operator =
        node.child_by_field_name("operator").map_or("", |operator| expressions.node_text(operator));
    match operator {
        "??" | "||" => write_alternatives(node, ["left", "right"], expressions, out),
        "&&" => node
            .child_by_field_name("right")
            .is_some_and(|right| expressions.write_as_path(right, out, depth + 1).is_some()),
        "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "in" | "instanceof" => {
            out.push_str("Boolean()");
            true
        }
        _ => {
            out.push_str("Number()");
            true
        }
    }
}

/// Writes an array as the type of its first element.
fn write_array(node: Node, expressions: &ExpressionReader, out: &mut String, depth: u32) -> bool {
    let first = node.named_children(&mut node.walk()).find(|child| !child.is_extra());
    let Some(first) = first else {
        out.push_str("Array()");
        return true;
    };
    if first.kind() == "spread_element" {
        return first
            .named_child(0)
            .is_some_and(|inner| expressions.write_as_path(inner, out, depth + 1).is_some());
    }
    let path = expressions.path_text(first);
    if path == crate::extract::expressions::UNKNOWN {
        out.push_str("Array()");
        return true;
    }
    write_type(&format!("Array<={path}>"), out)
}

/// Returns the path or the type that a bound value gives to its name.
pub(super) fn binding_value(path: String) -> Option<BoundValue> {
    if path == crate::extract::expressions::UNKNOWN || path.is_empty() {
        return None;
    }
    let literal = match path.as_str() {
        "String()" => "string",
        "Number()" => "number",
        "Boolean()" => "boolean",
        _ => "",
    };
    if !literal.is_empty() {
        return Some(BoundValue::new(literal.to_owned(), BindingKind::Type));
    }
    let only_type = path.strip_prefix(':').filter(|ty| !ty.contains(['.', '[', '(']));
    Some(match only_type {
        Some(ty) => BoundValue::new(kenning_graph::receiver_notation::unescape_text(ty), BindingKind::Type),
        None => BoundValue::new(path, BindingKind::Value),
    })
}
