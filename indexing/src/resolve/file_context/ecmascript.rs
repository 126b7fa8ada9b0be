//! TypeScript and JavaScript: resolution of names and paths in the file that is being resolved,
//! with its blocks, `this` and local names.

use super::super::definition::{Definition, Resolution};
use super::super::lang::ecmascript::{is_member_kind, this_value, values};
use super::super::static_members::Staticness;
use super::FileContext;
use kenning_graph::facts::FILE_SCOPE;
use kenning_graph::{SymbolKind, SymbolRef};

impl<'a> FileContext<'a> {
    /// Resolves a path at a byte of a scope.
    pub(in crate::resolve) fn resolve_script_path(&self, path: &str, scope: u32, at: u32) -> Resolution<'a> {
        values::follow_path(&self.resolver, path, |root| self.resolve_script_name(root, scope, at))
    }

    /// Resolves a name at the start of a path.
    pub(in crate::resolve) fn resolve_script_name(&self, name: &str, scope: u32, at: u32) -> Resolution<'a> {
        let lookup_scope = self.lookup_scope(scope);
        if let Some(found) = values::resolve_marked_root(&self.resolver, lookup_scope, name) {
            return found;
        }
        match name {
            "this" => {
                return this_value::resolve_this(
                    &self.resolver,
                    lookup_scope,
                    Some(self.script_staticness(scope)),
                );
            }
            "super" => {
                let super_of = |ty| {
                    Resolution::from_definitions(vec![Definition::Super(ty, self.script_staticness(scope))])
                };
                return self
                    .resolver
                    .enclosing_type(lookup_scope)
                    .map_or_else(Resolution::bound_to_unknown, super_of);
            }
            _ => {}
        }
        if let Some((bound_in, binding)) = self.find_binding(name, scope, at) {
            let symbol = self.declared.get(&binding.at).and_then(|&at| self.symbols.get(at));
            if let Some(symbol) = symbol.filter(|symbol| symbol.name == name) {
                return Resolution::from_definitions(vec![Definition::Symbol(*symbol)]);
            }
            let value = self.resolve_binding(bound_in, binding);
            // At the top level of a file a name may also be a symbol or an import.
            let local = bound_in != FILE_SCOPE || binding.end != u32::MAX;
            if local || !value.is_empty() {
                return value;
            }
        }
        let mut found = values::lookup_top_level(&self.resolver, lookup_scope, name);
        // A symbol declared in a block is visible only while its binding, checked above, is in
        // effect.
        found
            .definitions
            .retain(|definition| !matches!(definition, Definition::Symbol(s) if self.is_block_local(s)));
        found
    }

    /// Returns whether a scope is in static or instance code, according to the member of the type
    /// around it. Code directly in the body of a type belongs to a static block.
    fn script_staticness(&self, scope: u32) -> Staticness {
        let mut member = None;
        for symbol in self.enclosing_scopes(scope).filter_map(|scope| self.facts.symbols.get(scope as usize))
        {
            if symbol.kind.is_type() && symbol.kind != SymbolKind::Module {
                return member.unwrap_or(Staticness::Static);
            }
            if is_member_kind(symbol.kind) || symbol.kind == SymbolKind::Constructor {
                member = Some(Staticness::from_signature(&symbol.signature));
            }
        }
        member.unwrap_or(Staticness::Instance)
    }

    /// Whether a variable of this file is bound only in a block or in a function without a name.
    pub(in super::super) fn is_block_local(&self, variable: &SymbolRef) -> bool {
        let at = variable.name_span.start;
        let declared = self.declared.get(&at).and_then(|&at| self.symbols.get(at));
        declared.is_some_and(|symbol| symbol.id == variable.id) && self.block_locals.contains(&at)
    }
}
