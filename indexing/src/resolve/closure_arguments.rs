//! Types of closure parameters: a callable that takes a function determines the parameter types of
//! a function literal that a call passes to it.

use super::argument_labels::LabeledParameter;
use super::definition::{Definition, LookupScope, MAX_DEFINITIONS, Resolution};
use super::named_types::split_top_level;
use super::resolver::Resolver;
use kenning_graph::{SymbolKind, SymbolRef};

impl<'a> Resolver<'a> {
    /// Returns the value that callables pass to a function literal as its argument at a 0-based
    /// position. Returns nothing if the callables pass different values.
    pub(super) fn closure_argument(&self, callables: &Resolution<'a>, position: usize) -> Resolution<'a> {
        let mut found = Resolution::not_found();
        for definition in callables.definitions.iter().take(MAX_DEFINITIONS) {
            if let Definition::Symbol(callable) = definition
                && callable.kind.is_callable()
            {
                found.extend(&self.value_passed_by(callable, position));
            }
        }
        if found.definitions.len() == 1 { found } else { Resolution::not_found() }
    }

    /// Returns the value that a callable passes to the first of its parameters that is a function.
    fn value_passed_by(&self, callable: &SymbolRef<'a>, position: usize) -> Resolution<'a> {
        let scope = LookupScope { path: callable.path, container: callable.container };
        let type_parameters = type_parameter_names(callable);
        for parameter in LabeledParameter::parse_list(callable.param_types()) {
            if parameter.ty.contains("->") {
                let passed = argument_of_function_type(parameter.ty, position);
                let passed = passed.filter(|ty| !type_parameters.contains(ty));
                return passed.map_or_else(Resolution::not_found, |ty| self.resolve_type_text(scope, ty));
            }
            // An alias of a function type.
            if let [Definition::Instance(alias)] =
                self.resolve_type_text(scope, parameter.ty).definitions.as_slice()
                && alias.kind == SymbolKind::TypeAlias
                && let Some(passed) = argument_of_function_type(alias.type_text(), position)
            {
                let scope = LookupScope { path: alias.path, container: alias.container };
                return self.resolve_type_text(scope, passed);
            }
        }
        Resolution::not_found()
    }
}

/// Returns the type parameters of a callable: `T` and `U` of `func map<T, U: Shape>(...)`.
fn type_parameter_names<'a>(callable: &SymbolRef<'a>) -> Vec<&'a str> {
    let signature = callable.signature_text();
    let opening = format!("{}<", callable.name);
    let Some(at) = signature.find(&opening) else { return Vec::new() };
    let list = &signature[at + opening.len()..];
    let list = &list[..list.find('(').unwrap_or(list.len())];
    let name = |text: &'a str| text.split([':', '>', ' ']).find(|word| !word.is_empty()).unwrap_or("");
    list.split(',').map(name).collect()
}

/// Returns the type at a position of the parameters of a function type: of `(A, inout B) -> C`, of
/// `@Sendable (A) -> C` or of `((A) -> C)?`.
fn argument_of_function_type(text: &str, position: usize) -> Option<&str> {
    let mut text = text.trim();
    while text.starts_with('@') {
        text = text[text.find([' ', '('])?..].trim_start();
    }
    let close = closing_parenthesis(text)?;
    let (inner, rest) = (&text[1..close], text[close + 1..].trim_start_matches(['?', '!']).trim());
    if rest.is_empty() {
        return inner.contains("->").then(|| argument_of_function_type(inner, position)).flatten();
    }
    let argument = *split_top_level(inner, ',').get(position)?;
    // The parameters of a function type can have names, which do not label arguments.
    let named = split_top_level(argument, ':');
    let argument = if named.len() == 2 { named[1] } else { argument };
    Some(argument.trim()).filter(|argument| !argument.is_empty())
}

/// Returns the position of the parenthesis that closes the parenthesis at the start of a text.
fn closing_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then_some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_types_are_split_into_their_parameters() {
        let cases = [
            ("(any Monitor)->Void", 0, Some("any Monitor")),
            ("@Sendable @escaping (Int, inout State) -> Void", 1, Some("inout State")),
            ("((Item)->Void)?", 0, Some("Item")),
            ("(_ item: Item, [String: Int]) -> Void", 0, Some("Item")),
            ("(_ item: Item, [String: Int]) -> Void", 1, Some("[String: Int]")),
            ("()->Void", 0, None),
            ("Int", 0, None),
            ("(A, B)", 0, None),
            ("((", 0, None),
            (")->", 0, None),
            ("@é", 0, None),
        ];
        for (text, position, expected) in cases {
            assert_eq!(argument_of_function_type(text, position), expected, "{text}");
        }
    }
}
