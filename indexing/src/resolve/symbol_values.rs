//! Values of symbols and results of calls: the part of `Resolver` that determines the type of
//! `a.b()`, so that `c` in `a.b().c` can be looked up.

use super::definition::{Definition, LookupScope, Resolution};
use super::lang;
use super::path_notation::ValuePart;
use super::resolver::Resolver;
use kenning_graph::{SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl<'a> Resolver<'a> {
    /// Returns the value of a symbol: by its type for a variable or field, by its return type for a
    /// callable.
    pub fn value_of_symbol(&self, symbol: &SymbolRef<'a>) -> Resolution<'a> {
        if let Some(cached) = self.values.borrow().get(&symbol.id) {
            return (**cached).clone();
        }
        // A value that leads back to itself is empty. Without this entry, types that name one
        // another would take exponential time.
        self.values.borrow_mut().insert(symbol.id, Rc::default());
        let mut found = self.value_of_symbol_uncached(symbol);
        self.drop_cyclic_values(symbol, &mut found);
        self.values.borrow_mut().insert(symbol.id, Rc::new(found.clone()));
        found
    }

    fn value_of_symbol_uncached(&self, symbol: &SymbolRef<'a>) -> Resolution<'a> {
        let scope = LookupScope { path: symbol.path, container: symbol.container };
        let resolve_value = || match symbol.kind {
            SymbolKind::Constructor | SymbolKind::EnumMember => {
                self.enclosing_type(scope).map_or_else(Resolution::not_found, |ty| {
                    Resolution::from_definitions(vec![Definition::Instance(ty)])
                })
            }
            SymbolKind::Field if symbol.type_text().is_empty() => lang::value_of_untyped_field(self, symbol),
            _ if symbol.type_text().is_empty() => Resolution::not_found(),
            _ => lang::value_of_declared_type(self, symbol)
                .unwrap_or_else(|| self.value_of_type_text(scope, symbol.type_text())),
        };
        self.with_depth_limit(resolve_value).unwrap_or_default()
    }

    /// Returns the values of a type text, which may be a keyword for the type of the receiver.
    fn value_of_type_text(&self, scope: LookupScope, text: &str) -> Resolution<'a> {
        if !matches!(text, "Self" | "self" | "static" | "$this" | "this" | "typing.Self" | "t.Self") {
            return self.resolve_type_text(scope, text);
        }
        self.enclosing_type(scope).map_or_else(Resolution::not_found, |ty| {
            Resolution::from_definitions(vec![Definition::Instance(ty)])
        })
    }

    /// Removes the values that lead back to the symbol: `parser = parser.extend()`, or two
    /// variables that are each other's values. Lookups follow values without limit, so known values
    /// must not form a cycle.
    fn drop_cyclic_values(&self, symbol: &SymbolRef<'a>, found: &mut Resolution<'a>) {
        found.definitions.retain(|definition| match definition {
            Definition::Symbol(value) if has_followed_value(value) => !self.leads_to(value.id, symbol.id),
            _ => true,
        });
    }

    /// Whether the known values of a symbol lead to another symbol.
    fn leads_to(&self, from: SymbolId, target: SymbolId) -> bool {
        let values = self.values.borrow();
        let (mut pending, mut seen) = (vec![from], FxHashSet::default());
        while let Some(id) = pending.pop() {
            if id == target {
                return true;
            }
            if !seen.insert(id) {
                continue;
            }
            let definitions = values.get(&id).map_or(&[][..], |found| &found.definitions);
            pending.extend(definitions.iter().filter_map(|definition| match definition {
                Definition::Symbol(value) if has_followed_value(value) => Some(value.id),
                _ => None,
            }));
        }
        false
    }

    /// Returns the results of calling each of these definitions.
    pub fn call_results(&self, found: &Resolution<'a>) -> Resolution<'a> {
        let find_results = || self.results_of_definitions(found);
        self.with_nesting_limit(find_results).unwrap_or_else(Resolution::bound_to_unknown)
    }

    fn results_of_definitions(&self, found: &Resolution<'a>) -> Resolution<'a> {
        let mut out =
            Resolution { is_bound: found.is_bound, is_likely: found.is_likely, ..Resolution::not_found() };
        for definition in &found.definitions {
            if let Some(results) = lang::special_call_results(self, definition) {
                out.extend(&results);
                continue;
            }
            match definition {
                Definition::Symbol(s) if s.kind.is_type() => out.push(Definition::Instance(*s)),
                Definition::Symbol(s) if s.kind.is_callable() => out.extend(&self.value_of_symbol(s)),
                Definition::Instance(s) if self.family.language_builtins().passthrough.contains("unwrap") => {
                    out.push(Definition::Instance(*s));
                }
                Definition::Instance(s)
                    if s.kind == SymbolKind::TypeAlias && self.family.has_structural_types() =>
                {
                    out.extend(&self.call_results(&self.underlying_type(s)));
                }
                Definition::Instance(_) if self.family.has_special_methods() => {
                    out.extend(&self.part_of_values(
                        &Resolution::from_definitions(vec![definition.clone()]),
                        ValuePart::CallResult,
                    ));
                }
                Definition::Structural(_) => {
                    out.extend(&self.part_of_values(
                        &Resolution::from_definitions(vec![definition.clone()]),
                        ValuePart::CallResult,
                    ));
                }
                Definition::Instance(_) | Definition::Collection(..) | Definition::Super(..) => {
                    out.push(definition.clone());
                }
                // The result type of an external function is unknown; calling an external type
                // returns an instance.
                Definition::External(external) if !external.is_type() => out.push(Definition::Builtin),
                Definition::External(_) | Definition::Builtin => out.push(definition.clone()),
                // The call reaches a generated accessor, which no source contains.
                Definition::Symbol(s)
                    if s.kind == SymbolKind::Field && self.family.separates_methods_from_variables() =>
                {
                    if found.has_generated_accessor
                        || (found.definitions.len() == 1 && lang::is_record_component(self, s))
                    {
                        out.extend(&self.value_of_symbol(s));
                    }
                }
                // A call through a variable or field calls the function that it holds.
                Definition::Symbol(s) if self.family.has_structural_types() => {
                    let results = self.with_depth_limit(|| self.call_results(&self.value_of_symbol(s)));
                    out.extend(&results.unwrap_or_default());
                }
                Definition::Symbol(_)
                | Definition::Module(_)
                | Definition::Includer(_)
                | Definition::This(_) => {}
            }
        }
        out
    }
}

/// Whether lookups replace a symbol by its value.
fn has_followed_value(symbol: &SymbolRef<'_>) -> bool {
    !symbol.kind.is_type() && (!symbol.kind.is_callable() || symbol.kind == SymbolKind::Method)
}
