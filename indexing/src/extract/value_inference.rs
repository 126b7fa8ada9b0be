//! Value inference: finds the types of symbols that declare none by the values in the same file.
//! These are the values assigned to a variable or field, and the values that a function returns.
//!
//! An inferred type begins with `=`, so that resolution can tell it from a declared one. `|`
//! separates alternative values. Local names in a value are replaced by their own values, because
//! they mean nothing outside their function. A value that depends on an unknown name is dropped.

use super::expressions::BoundValue;
use super::references::ScopedBinding;
use super::symbols::{FileSymbols, has_body};
use kenning_graph::facts::{BindingKind, FILE_SCOPE};
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of different values recorded per symbol. Generated code assigns many.
const MAX_ALTERNATIVES: usize = 3;
/// Maximum number of local names in a chain of bindings that are followed. Names can form a cycle
/// (`a = b` and `b = a`).
const MAX_FOLLOWED_NAMES: u32 = 4;
/// Maximum length of an inferred type in bytes. Each generic argument adds to it.
const MAX_TYPE_BYTES: usize = 240;
/// Maximum number of bindings that are checked per use of a name, among those of one name in one
/// scope. Generated functions assign one variable thousands of times.
const MAX_BINDINGS_CHECKED: usize = 32;

/// Sets the type of symbols without a declared type to `=` and the alternative values.
pub(crate) fn infer_value_types(
    bound: &[ScopedBinding],
    returns: &[(u32, String)],
    yields: &[u32],
    symbols: &mut FileSymbols,
) {
    let values = BindingValues::new(bound, symbols);
    let mut alternatives: FxHashMap<usize, Vec<String>> = FxHashMap::default();
    let mut record_value = |symbol: usize, value: Option<String>| {
        let recorded = alternatives.entry(symbol).or_default();
        if let Some(value) = value
            && recorded.len() < MAX_ALTERNATIVES
            && !recorded.contains(&value)
        {
            recorded.push(value);
        }
    };
    for binding in bound {
        let Some(symbol) = values.bound_symbol(binding) else { continue };
        let at = binding.name_start;
        let value = match &binding.value {
            Some(BoundValue { text, kind: BindingKind::Value }) => {
                values.expand_locals(text, symbols.symbol_at(at), at, 0)
            }
            // A declared type is complete. The type of a constructed value is one alternative.
            Some(BoundValue { text, kind: BindingKind::Type }) => Some(format!("{{{text}}}")),
            _ => None,
        };
        record_value(symbol, value);
    }
    let generators: FxHashSet<u32> =
        yields.iter().map(|&at| symbols.enclosing_symbol(at, has_body)).collect();
    for (at, text) in returns {
        let scope = symbols.enclosing_symbol(*at, has_body);
        if scope != FILE_SCOPE && !generators.contains(&scope) && !text.is_empty() {
            record_value(scope as usize, values.expand_locals(text, scope, *at, 0));
        }
    }
    drop(values);
    for (symbol, values) in alternatives {
        let fact = &mut symbols.facts[symbol];
        let text = values.join("|");
        if fact.ty.is_empty() && !text.is_empty() && text.len() <= MAX_TYPE_BYTES {
            fact.ty = format!("={text}");
        }
    }
}

/// The bindings of a file, by scope and name.
struct BindingValues<'b> {
    bindings: FxHashMap<(u32, &'b str), Vec<&'b ScopedBinding>>,
    /// The symbols, and their indexes by enclosing scope and name.
    symbols: &'b FileSymbols,
    symbols_by_name: FxHashMap<(u32, &'b str), usize>,
}

impl<'b> BindingValues<'b> {
    fn new(bound: &'b [ScopedBinding], symbols: &'b FileSymbols) -> Self {
        let mut bindings: FxHashMap<(u32, &str), Vec<&ScopedBinding>> = FxHashMap::default();
        for binding in bound {
            bindings.entry((binding.scope, &binding.name)).or_default().push(binding);
        }
        let mut symbols_by_name = FxHashMap::default();
        for (at, fact) in symbols.facts.iter().enumerate() {
            symbols_by_name.entry((fact.parent.unwrap_or(FILE_SCOPE), fact.name.as_str())).or_insert(at);
        }
        Self { bindings, symbols, symbols_by_name }
    }

    /// Returns the variable or field to which a binding gives a value.
    fn bound_symbol(&self, binding: &ScopedBinding) -> Option<usize> {
        let index = *self.symbols_by_name.get(&(binding.scope, &binding.name))?;
        let is_variable = matches!(
            self.symbols.facts[index].kind,
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field
        );
        // Names that are bound in a closure at the top level of a file are not symbols of the file.
        (is_variable && binding.end == u32::MAX).then_some(index)
    }

    /// Replaces the local names of the enclosing functions in a value expression. Returns `None` if
    /// it depends on a name with an unknown value.
    fn expand_locals(&self, text: &str, scope: u32, at: u32, depth: u32) -> Option<String> {
        let mut values: Vec<String> = Vec::new();
        for alternative in split_alternatives(text) {
            if let Some(value) = self.expand_alternative(alternative, scope, at, depth)
                && !values.contains(&value)
            {
                values.push(value);
            }
        }
        (!values.is_empty() && values.len() <= MAX_ALTERNATIVES).then(|| values.join("|"))
    }

    /// Replaces the local name at the beginning of one alternative by its value.
    fn expand_alternative(&self, text: &str, scope: u32, at: u32, depth: u32) -> Option<String> {
        if text.is_empty() || text.contains('?') {
            return None;
        }
        if text.starts_with('{') {
            return Some(text.to_owned());
        }
        let end = text.find(['.', '(', '[', '#']).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let mut scope = scope;
        while scope != FILE_SCOPE {
            let fact = self.symbols.facts.get(scope as usize)?;
            if has_body(fact.kind) {
                if let Some(binding) = self.find_binding(scope, name, at) {
                    return self.expand_binding(binding, rest, depth);
                }
                // A symbol declared in a function has no name outside it.
                if self.symbols_by_name.contains_key(&(scope, name)) {
                    return None;
                }
            }
            scope = fact.parent.unwrap_or(FILE_SCOPE);
        }
        Some(text.to_owned())
    }

    /// Returns the binding of a name that is in effect at a byte of a scope. Without one, returns
    /// the first binding that applies to the whole scope.
    fn find_binding(&self, scope: u32, name: &str, at: u32) -> Option<&'b ScopedBinding> {
        let all = self.bindings.get(&(scope, name))?;
        let before = all.partition_point(|binding| binding.at < at);
        let mut recent = all[..before].iter().rev().take(MAX_BINDINGS_CHECKED);
        let in_effect = recent.find(|binding| at < binding.end && !binding.is_member);
        in_effect
            .or_else(|| all.iter().take(MAX_BINDINGS_CHECKED).find(|b| b.end == u32::MAX && !b.is_member))
            .copied()
    }

    fn expand_binding(&self, binding: &ScopedBinding, rest: &str, depth: u32) -> Option<String> {
        if binding.is_receiver {
            return Some(format!("{}{rest}", binding.name));
        }
        let value = match binding.value.as_ref()? {
            BoundValue { text, kind: BindingKind::Type } => format!("{{{text}}}"),
            BoundValue { text, kind: BindingKind::Value } if depth < MAX_FOLLOWED_NAMES => {
                self.expand_locals(text, binding.scope, binding.at, depth + 1)?
            }
            _ => return None,
        };
        let expanded: Vec<String> =
            split_alternatives(&value).map(|value| format!("{value}{rest}")).collect();
        let text = expanded.join("|");
        (text.len() <= MAX_TYPE_BYTES).then_some(text)
    }
}

/// Splits a value expression into its alternatives.
fn split_alternatives(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    text.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == '|' && depth == 0
    })
}
