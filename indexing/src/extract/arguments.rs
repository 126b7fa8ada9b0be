//! The argument types of a call, which distinguish overloads
//! ([`kenning_graph::facts::ReferenceFact::arguments`]).

use super::expressions::{BoundValue, ExpressionReader, MAX_EXPRESSION_DEPTH, UNKNOWN, one_line_type};
use crate::languages::ExpressionRule;
use kenning_graph::facts::BindingKind;
use tree_sitter::Node;

/// Maximum number of arguments recorded per call. Functions with more are rarely overloaded.
const MAX_ARGUMENTS: usize = 16;

/// An argument of a call in a language with argument labels.
pub(crate) struct LabeledArgument {
    /// The label; `_` if the argument has none, and `{` for the first function literal after the
    /// list, which takes the label of its parameter.
    pub label: String,
    /// The type in the notation of [`kenning_graph::facts::ReferenceFact::arguments`]; `None` if
    /// the text does not show it.
    pub ty: Option<String>,
}

/// Joins arguments with their labels, in the notation of
/// [`kenning_graph::facts::ReferenceFact::arguments`].
pub(crate) fn join_labeled_arguments(arguments: &[LabeledArgument]) -> String {
    let mut out = String::new();
    for argument in arguments.iter().take(MAX_ARGUMENTS) {
        if !out.is_empty() {
            out.push(',');
        }
        out.push_str(&argument.label);
        out.push(':');
        out.push_str(argument.ty.as_deref().filter(|text| !text.contains(',')).unwrap_or(UNKNOWN));
    }
    out
}

impl ExpressionReader<'_> {
    /// Returns the types of the arguments, `?` for each that the text does not show, in the
    /// notation of [`kenning_graph::facts::ReferenceFact::arguments`].
    pub(crate) fn argument_types(&self, list: Node) -> String {
        let mut out = String::new();
        let mut cursor = list.walk();
        for argument in list.named_children(&mut cursor).filter(|node| !node.is_extra()).take(MAX_ARGUMENTS) {
            if !out.is_empty() {
                out.push(',');
            }
            let text = self.argument_type(argument);
            // Commas separate arguments, so a type with a comma becomes `?`.
            out.push_str(text.as_deref().filter(|text| !text.contains(',')).unwrap_or(UNKNOWN));
        }
        out
    }

    /// Returns the type of one argument, or `None` if the text does not show it.
    pub(crate) fn argument_type(&self, node: Node) -> Option<String> {
        // C# wraps each argument, together with its name if it has one.
        let node = if node.kind() == "argument" { node.named_child(0)? } else { node };
        match self.kinds.literal_type(node.kind_id()) {
            Some("=>") => return Some(format!("=>{}", self.lambda_arity(node))),
            Some(ty) if node.kind().starts_with("binary") => return self.operation_type(node, ty),
            Some(ty) => return Some(format!("'{}", suffixed_number_type(ty, self.node_text(node)))),
            None => {}
        }
        // The target type of a cast takes precedence over its operand.
        if let ExpressionRule::Through(Some(field)) = self.kinds.expression_rule(node.kind_id())
            && self.kinds.types.contains(&field)
        {
            return node.child_by_field_id(field).map(|ty| format!(":{}", one_line_type(self.node_text(ty))));
        }
        let BoundValue { text, kind } = self.value_type(node)?;
        Some(match kind {
            BindingKind::Type => format!(":{text}"),
            BindingKind::Element => format!("{text}[]"),
            BindingKind::Value => text,
        })
    }

    /// Returns the type of a binary operation. Comparisons have type `boolean_type`; the type of a
    /// sum is known if one operand is a string literal.
    fn operation_type(&self, node: Node, boolean_type: &str) -> Option<String> {
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.node_text(operator));
        if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||") {
            return Some(format!("'{boolean_type}"));
        }
        let mut left = node.child_by_field_name("left")?;
        let mut operands = vec![node.child_by_field_name("right")?];
        for _ in 0..MAX_EXPRESSION_DEPTH {
            if !left.kind().starts_with("binary") {
                break;
            }
            operands.push(left.child_by_field_name("right")?);
            left = left.child_by_field_name("left")?;
        }
        operands.push(left);
        let mut texts = operands.iter().filter_map(|operand| self.kinds.literal_type(operand.kind_id()));
        let text = texts.find(|ty| ty.eq_ignore_ascii_case("string"))?;
        (operator == "+").then(|| format!("'{text}"))
    }

    /// Returns the number of parameters of a function literal, or `?` if unknown.
    fn lambda_arity(&self, node: Node) -> String {
        let Some(parameters) = self.kinds.parameters.and_then(|field| node.child_by_field_id(field)) else {
            return UNKNOWN.to_owned();
        };
        let single = parameters.named_child_count() == 0 && !self.node_text(parameters).starts_with('(');
        if single { "1".to_owned() } else { parameters.named_child_count().to_string() }
    }
}

/// Returns the type of a number literal, which a letter at its end may change.
fn suffixed_number_type<'t>(ty: &'t str, text: &str) -> &'t str {
    match (ty, text.bytes().last()) {
        ("int", Some(b'l' | b'L')) => "long",
        ("double", Some(b'f' | b'F')) => "float",
        _ => ty,
    }
}
