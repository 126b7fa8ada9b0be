//! Value inference: finds the types of symbols that declare none, by the values in their own file.
//! These are the values assigned to a variable or field, and the values that a function returns.

use super::references::ScopedBinding;
use super::symbols::{FileSymbols, has_body};
use kenning_graph::facts::{BindingKind, FILE_SCOPE};
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of different values recorded per symbol.
const MAX_VALUES: usize = 3;
/// Maximum number of local names that are followed from one to the next.
const MAX_DEPTH: u32 = 4;
/// Maximum length of a recorded text in bytes.
const MAX_TEXT: usize = 240;
/// Maximum number of bindings visited per use of a name, among those of one name in one scope.
const MAX_LOOKED_AT: usize = 32;

/// Sets the type of symbols without a declared type to `=` and the alternative values.
pub(crate) fn infer_value_types(
    bound: &[ScopedBinding],
    returns: &[(u32, String)],
    yields: &[u32],
    symbols: &mut FileSymbols,
) {
    let values = BindingValues::new(bound, symbols);
    let mut found: FxHashMap<usize, Vec<String>> = FxHashMap::default();
    let mut note = |symbol: usize, value: Option<String>| {
        let known = found.entry(symbol).or_default();
        if let Some(value) = value
            && known.len() < MAX_VALUES
            && !known.contains(&value)
        {
            known.push(value);
        }
    };
    for binding in bound {
        let Some(symbol) = values.bound_symbol(binding) else { continue };
        let at = binding.stands;
        let value = match &binding.value {
            Some((text, BindingKind::Value)) => values.expand_locals(text, symbols.symbol_at(at), at, 0),
            // A declared type is complete. The type of a constructed value is one alternative.
            Some((text, BindingKind::Type)) => Some(format!("{{{text}}}")),
            _ => None,
        };
        note(symbol, value);
    }
    let generators: FxHashSet<u32> =
        yields.iter().map(|&at| symbols.enclosing_symbol(at, has_body)).collect();
    for (at, text) in returns {
        let scope = symbols.enclosing_symbol(*at, has_body);
        if scope != FILE_SCOPE && !generators.contains(&scope) && !text.is_empty() {
            note(scope as usize, values.expand_locals(text, scope, *at, 0));
        }
    }
    drop(values);
    for (symbol, values) in found {
        let fact = &mut symbols.facts[symbol];
        let text = values.join("|");
        if fact.ty.is_empty() && !text.is_empty() && text.len() <= MAX_TEXT {
            fact.ty = format!("={text}");
        }
    }
}

/// The bindings of a file, by scope and name.
struct BindingValues<'b> {
    bindings: FxHashMap<(u32, &'b str), Vec<&'b ScopedBinding>>,
    /// The symbols, and their indexes by enclosing scope and name.
    symbols: &'b FileSymbols,
    named: FxHashMap<(u32, &'b str), usize>,
}

impl<'b> BindingValues<'b> {
    fn new(bound: &'b [ScopedBinding], symbols: &'b FileSymbols) -> Self {
        let mut bindings: FxHashMap<(u32, &str), Vec<&ScopedBinding>> = FxHashMap::default();
        for binding in bound {
            bindings.entry((binding.scope, &binding.name)).or_default().push(binding);
        }
        let mut named = FxHashMap::default();
        for (at, fact) in symbols.facts.iter().enumerate() {
            named.entry((fact.parent.unwrap_or(FILE_SCOPE), fact.name.as_str())).or_insert(at);
        }
        Self { bindings, symbols, named }
    }

    /// Returns the variable or field to which a binding gives a value.
    fn bound_symbol(&self, binding: &ScopedBinding) -> Option<usize> {
        let at = *self.named.get(&(binding.scope, &binding.name))?;
        let holds = matches!(
            self.symbols.facts[at].kind,
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field
        );
        // Names bound in a closure at the top level of a file are not the file's.
        (holds && binding.end == u32::MAX).then_some(at)
    }

    /// Replaces the local names of the enclosing functions in a value expression. Returns `None` if
    /// it depends on a name whose value is unknown.
    fn expand_locals(&self, text: &str, scope: u32, at: u32, depth: u32) -> Option<String> {
        let mut kept: Vec<String> = Vec::new();
        for alternative in split_alternatives(text) {
            if let Some(value) = self.expand_alternative(alternative, scope, at, depth)
                && !kept.contains(&value)
            {
                kept.push(value);
            }
        }
        (!kept.is_empty() && kept.len() <= MAX_VALUES).then(|| kept.join("|"))
    }

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
                // A symbol declared in a function has no name outside of it.
                if self.named.contains_key(&(scope, name)) {
                    return None;
                }
            }
            scope = fact.parent.unwrap_or(FILE_SCOPE);
        }
        Some(text.to_owned())
    }

    fn find_binding(&self, scope: u32, name: &str, at: u32) -> Option<&'b ScopedBinding> {
        let all = self.bindings.get(&(scope, name))?;
        let before = all.partition_point(|binding| binding.at < at);
        let mut last = all[..before].iter().rev().take(MAX_LOOKED_AT);
        let found = last.find(|binding| at < binding.end && !binding.member);
        found.or_else(|| all.iter().take(MAX_LOOKED_AT).find(|b| b.end == u32::MAX && !b.member)).copied()
    }

    fn expand_binding(&self, binding: &ScopedBinding, rest: &str, depth: u32) -> Option<String> {
        if binding.receiver {
            return Some(format!("{}{rest}", binding.name));
        }
        let value = match binding.value.as_ref()? {
            (text, BindingKind::Type) => format!("{{{text}}}"),
            (text, BindingKind::Value) if depth < MAX_DEPTH => {
                self.expand_locals(text, binding.scope, binding.at, depth + 1)?
            }
            _ => return None,
        };
        let each: Vec<String> = split_alternatives(&value).map(|value| format!("{value}{rest}")).collect();
        let text = each.join("|");
        (text.len() <= MAX_TEXT).then_some(text)
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
