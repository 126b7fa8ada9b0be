//! Ruby: resolution of names in the file that is being resolved by its receivers: methods without a
//! receiver, instance variables, and what `self` and `super` are in a scope.

use super::super::definition::Resolution;
use super::super::static_members::Staticness;
use super::FileContext;
use kenning_graph::SymbolKind;
use kenning_graph::facts::SymbolFact;

impl<'a> FileContext<'a> {
    /// Resolves a name to methods of the type around a scope. Prefers the methods of the class if
    /// `self` is the class in the scope, otherwise the methods of its instances. Returns `None` for
    /// other names and in other languages.
    pub(super) fn resolve_own_method(&self, name: &str, scope: u32) -> Option<Resolution<'a>> {
        if !self.resolver.family.names_call_methods()
            || !name.starts_with(|c: char| c.is_lowercase() || c == '_')
        {
            return None;
        }
        let ty = self.resolver.enclosing_type(self.lookup_scope(scope))?;
        let mut found =
            (*self.resolver.members_with_staticness(&ty, name, self.receiver_staticness(scope))).clone();
        // A class body that calls an instance method does so in a block that runs for an instance:
        // `setup do`.
        found.is_likely &= self.enclosing_method(scope).is_some();
        (!found.is_empty()).then_some(found)
    }

    /// Returns the value of an instance variable, from the assignments in this file.
    pub(super) fn resolve_instance_variable(&self, name: &str, scope: u32) -> Resolution<'a> {
        let mut scopes = self.enclosing_scopes(scope);
        let ty =
            scopes.find(|&scope| self.facts.symbols.get(scope as usize).is_some_and(|s| s.kind.is_type()));
        let bound = ty.and_then(|ty| Some((ty, self.bindings.get(&(ty, name))?.first()?)));
        bound.map_or_else(Resolution::bound_to_unknown, |(ty, binding)| self.resolve_binding(ty, binding))
    }

    /// Returns the methods that `super` calls in a method: the inherited methods with its name.
    /// Returns `None` where `super` is the base itself: outside methods, and in a constructor that
    /// overrides none.
    pub(super) fn overridden_methods(&self, scope: u32) -> Option<Resolution<'a>> {
        let mut enclosing =
            self.enclosing_scopes(scope).filter_map(|scope| self.facts.symbols.get(scope as usize));
        let method = enclosing.find(|symbol| symbol.kind.is_callable())?;
        let ty = self.resolver.enclosing_type(self.lookup_scope(scope))?;
        let mut found =
            self.resolver.inherited_with_staticness(&ty, &method.name, self.receiver_staticness(scope));
        found.is_bound = true;
        (!found.is_empty() || method.kind != SymbolKind::Constructor).then_some(found)
    }

    /// Returns whether `self` in a scope is the class (in its body and in its singleton methods) or
    /// an instance.
    pub(super) fn receiver_staticness(&self, scope: u32) -> Staticness {
        self.enclosing_method(scope)
            .map_or(Staticness::Static, |method| Staticness::from_signature(&method.signature))
    }

    /// Returns the method around a scope, or `None` in the body of a class.
    fn enclosing_method(&self, scope: u32) -> Option<&'a SymbolFact> {
        let facts = self.facts;
        let mut enclosing =
            self.enclosing_scopes(scope).filter_map(|scope| facts.symbols.get(scope as usize));
        let innermost = enclosing.find(|symbol| symbol.kind.is_callable() || symbol.kind.is_type());
        innermost.filter(|symbol| symbol.kind.is_callable())
    }
}
