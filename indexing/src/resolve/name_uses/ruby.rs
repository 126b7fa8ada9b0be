//! Ruby: the candidates for a call by its name alone, by the name of its receiver and the class
//! around it.

use super::NameUse;
use crate::resolve::definition::LookupScope;
use crate::resolve::lang::ruby;
use crate::resolve::overloads;
use kenning_graph::{SymbolKind, SymbolRef};

/// Maximum number of methods with the same name whose classes are checked. If there are more, too
/// many remain after the check.
const MAX_METHODS_CHECKED: usize = 50;

impl<'a> NameUse<'_, 'a> {
    /// Keeps the candidates that the call can reach, or replaces them by the members that the
    /// receiver's name suggests. Returns `false` if no candidate remains or the name is too common
    /// to identify a target.
    pub(super) fn narrow_by_receiver(&self, candidates: &mut Vec<SymbolRef<'a>>) -> bool {
        if self.receiver.is_empty() {
            if candidates.len() <= MAX_METHODS_CHECKED {
                self.keep_reachable(candidates);
            }
            if candidates.is_empty() {
                return false;
            }
        }
        if let Some(members) =
            ruby::members_by_receiver_name(&self.context.resolver, self.receiver, self.name)
        {
            *candidates = members;
            self.keep_matching_arity(candidates);
            return true;
        }
        ruby::is_distinctive_name(self.name) || self.reference.arity != 0
    }

    /// Keeps the candidates that a call on `self` can reach: methods of modules and of
    /// derived classes. Resolution has already searched the class and its bases. In a module, keeps
    /// all candidates, because `self` can have any class. Keeps the methods of classes that the
    /// file names, because a block passed to a class runs with another `self`.
    fn keep_reachable(&self, candidates: &mut Vec<SymbolRef<'a>>) {
        let resolver = &self.context.resolver;
        let enclosing = resolver.enclosing_type(self.context.lookup_scope(self.reference.scope));
        if enclosing.is_some_and(|ty| ty.kind == SymbolKind::Module) {
            return;
        }
        let derives = |ty: &SymbolRef<'a>| {
            enclosing.is_some_and(|enclosing| overloads::derives_from(resolver, ty, enclosing.name))
        };
        let may_be_self = |ty: &SymbolRef<'a>| {
            matches!(ty.name, "Object" | "BasicObject") || self.context.mentions_name(ty.name) || derives(ty)
        };
        let is_reachable = |s: &SymbolRef<'a>| {
            let ty = resolver.enclosing_type(LookupScope { path: s.path, container: s.container });
            let class = ty.filter(|ty| s.kind.is_callable() && ty.kind == SymbolKind::Class);
            class.is_none_or(|ty| may_be_self(&ty))
                || (self.is_in_test_file && resolver.family.is_test_path(s.path))
        };
        candidates.retain(is_reachable);
    }
}
