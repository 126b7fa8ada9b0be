//! Candidates for a call by its name alone, if its receiver is unknown.
//!
//! `candidates_by_name` rules out names that belong to types or imports from outside the workspace,
//! takes the symbols with the name of the call, and keeps the symbols that fit its kind, visibility
//! and arguments. Too many candidates give no target.

use super::calls::CallTarget;
use super::{NameUse, symbol_definitions};
use crate::resolve::definition::LookupScope;
use crate::resolve::edge_collector::{EdgeStrength, MAX_CANDIDATES};
use crate::resolve::family::LanguageFamily;
use crate::resolve::lang;
use crate::resolve::overloads;
use crate::resolve::resolver::ImportTarget;
use crate::resolve::static_members::{keep_staticness, staticness_by_name};
use crate::resolve::type_ref::has_structural_types;
use kenning_graph::facts::ReferenceRole;
use kenning_graph::{SymbolKind, SymbolRef};

/// Maximum number of symbols with the name of a call that are compared. A name with more is too
/// common to identify a target.
const MAX_SAME_NAME: usize = 1_000;

/// Maximum number of methods with the same name whose classes are checked. If there are more, too
/// many remain after the check.
const MAX_METHODS_CHECKED: usize = 50;

impl<'a> NameUse<'_, 'a> {
    /// Returns the symbols that a call may reach by its name alone.
    pub(super) fn candidates_by_name(&self) -> CallTarget<'a> {
        let resolver = &self.context.resolver;
        let is_common = resolver.family.language_builtins().methods.contains(self.name);
        // In these languages most receivers have a known type. An unknown one usually has a type
        // from outside the workspace.
        let has_typed_receivers = matches!(
            resolver.family,
            LanguageFamily::Rust
                | LanguageFamily::Java
                | LanguageFamily::CSharp
                | LanguageFamily::Ruby
                | LanguageFamily::Script
                | LanguageFamily::Declared(_)
        );
        if has_typed_receivers && is_common && !self.receiver.is_empty() {
            return CallTarget::External(None);
        }
        if self.names_foreign_type() {
            return CallTarget::External(None);
        }
        if self.receiver.is_empty() && !self.can_match_unqualified() {
            return if self.has_foreign_wildcard() {
                CallTarget::External(None)
            } else {
                CallTarget::Unknown
            };
        }
        let symbols = resolver.view.symbols_named(self.name);
        // If no symbol of the workspace has the name, it is declared outside. Without a receiver it
        // may also be a local.
        if symbols.is_empty() && !self.receiver.is_empty() {
            return CallTarget::External(None);
        }
        if symbols.len() > MAX_SAME_NAME {
            return if is_common { CallTarget::External(None) } else { CallTarget::Unknown };
        }
        let mut candidates: Vec<SymbolRef<'a>> =
            symbols.iter().filter(|symbol| self.fits_use(symbol)).copied().collect();
        let is_external = is_common || resolver.family.declares(|rules| rules.unknown_calls_external);
        if candidates.is_empty() {
            return if is_external { CallTarget::External(None) } else { CallTarget::Unknown };
        }
        if resolver.family.separates_static_members() && !self.receiver.is_empty() {
            keep_staticness(&mut candidates, staticness_by_name(resolver.family, self.receiver));
        }
        self.keep_matching_arity(&mut candidates);
        let is_in_crate = |s: &SymbolRef| lang::rust::is_same_crate(resolver.project, s.path, resolver.path);
        if self.is_macro_call() && candidates.iter().any(is_in_crate) {
            candidates.retain(is_in_crate);
        }
        if resolver.family == LanguageFamily::Ruby && !self.narrow_in_ruby(&mut candidates) {
            return CallTarget::Unknown;
        }
        if resolver.family == LanguageFamily::CSharp {
            self.prefer_own_members(&mut candidates);
        }
        // A name that is common in the standard library identifies a target only if one type of the
        // workspace has it, and in Go and Python not even then.
        let is_common_name_useful = !has_structural_types(resolver.family);
        // In families with overloads, too many methods share a name to choose one without a type.
        let is_certain =
            !resolver.family.declares(|rules| rules.optional_parameters) || candidates.len() == 1;
        if candidates.len() > MAX_CANDIDATES
            || !is_certain
            || (is_common && (candidates.len() > 1 || !is_common_name_useful))
        {
            return CallTarget::Unknown;
        }
        let strength =
            if is_common { EdgeStrength::INFERRED.with_common_name() } else { EdgeStrength::INFERRED };
        CallTarget::Symbols(candidates, strength)
    }

    /// C#: keeps the candidates that are members of the enclosing type if there are any. An untyped
    /// parameter of a function literal is often the object itself (`this.Given(x => x.Start())`).
    fn prefer_own_members(&self, candidates: &mut Vec<SymbolRef<'a>>) {
        let resolver = &self.context.resolver;
        let enclosing = resolver.enclosing_type(self.context.lookup_scope(self.reference.scope));
        if let (Some(enclosing), true) = (enclosing, candidates.len() > 1) {
            let members = resolver.members_of_type(&enclosing, self.name);
            let is_member = |s: &SymbolRef| symbol_definitions(&members).any(|member| member.id == s.id);
            if candidates.iter().any(is_member) {
                candidates.retain(is_member);
            }
        }
    }

    /// Whether this use can refer to a symbol, by the symbol's kind, visibility and parameters.
    fn fits_use(&self, symbol: &SymbolRef<'a>) -> bool {
        let resolver = &self.context.resolver;
        let kind_fits = if self.receiver.is_empty() && resolver.family.declares(|r| r.implicit_receiver) {
            symbol.kind == SymbolKind::Method
        } else if self.receiver.is_empty() {
            symbol.kind.is_callable() || symbol.kind.is_type()
        } else {
            matches!(symbol.kind, SymbolKind::Method | SymbolKind::Property)
        };
        let namespace_fits = resolver.family != LanguageFamily::Rust
            || (symbol.kind == SymbolKind::Macro) == self.is_macro_call();
        kind_fits
            && !symbol.type_text().starts_with('~')
            && namespace_fits
            && resolver.is_visible(symbol)
            && self.accepts_arguments(symbol)
            && (self.is_in_test_file || !resolver.family.is_test_path(symbol.path))
    }

    /// Ruby: keeps the candidates that the call can reach, or replaces them by the members that the
    /// receiver's name suggests. Returns `false` if no candidate remains or the name is too common
    /// to identify a target.
    fn narrow_in_ruby(&self, candidates: &mut Vec<SymbolRef<'a>>) -> bool {
        if self.receiver.is_empty() {
            if candidates.len() <= MAX_METHODS_CHECKED {
                self.keep_reachable(candidates);
            }
            if candidates.is_empty() {
                return false;
            }
        }
        if let Some(members) =
            lang::ruby::members_by_receiver_name(&self.context.resolver, self.receiver, self.name)
        {
            *candidates = members;
            self.keep_matching_arity(candidates);
            return true;
        }
        lang::ruby::is_distinctive_name(self.name) || self.reference.arity != 0
    }

    /// Ruby: keeps the candidates that a call on `self` can reach: methods of modules and of
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

    /// Whether the path starts at a type that the workspace does not declare. Returns `false` in
    /// languages where a capitalized name may denote something other than a type.
    fn names_foreign_type(&self) -> bool {
        let resolver = &self.context.resolver;
        if !matches!(resolver.family, LanguageFamily::Java | LanguageFamily::CSharp | LanguageFamily::Ruby) {
            return false;
        }
        // A longer chain may end in the workspace, at an extension method.
        let first = match (self.receiver, self.reference.role) {
            ("", ReferenceRole::Construct) => self.name,
            ("", _) => return false,
            (receiver, _) => receiver.trim_end_matches("()").trim_end_matches("[]"),
        };
        // In Ruby, the first constant shows whether a path leads out of the workspace.
        let first = match resolver.family {
            LanguageFamily::Ruby if first.split('.').all(|part| part.starts_with(char::is_uppercase)) => {
                first.split('.').next().unwrap_or(first)
            }
            _ => first,
        };
        let is_type =
            first.chars().next().is_some_and(char::is_uppercase) && !first.contains(['.', '(', '[', '?']);
        is_type
            && !resolver
                .view
                .symbols_named(first)
                .iter()
                .any(|s| s.kind.is_type() || s.kind == SymbolKind::Property)
    }

    /// Whether a wildcard import leads out of the workspace. It can bind any name.
    fn has_foreign_wildcard(&self) -> bool {
        let context = self.context;
        let mut wildcards = context
            .facts
            .imports
            .iter()
            .filter(|import| lang::is_wildcard_import(context.resolver.family, import));
        matches!(
            context.resolver.family,
            LanguageFamily::Java
                | LanguageFamily::Python
                | LanguageFamily::Rust
                | LanguageFamily::Declared(_)
        ) && wildcards.any(|import| {
            matches!(
                lang::import_target(&context.resolver, context.resolver.path, import, self.name),
                ImportTarget::External(_)
            )
        })
    }

    /// Whether a call without a receiver can reach a symbol elsewhere in the workspace if no scope
    /// binds its name.
    fn can_match_unqualified(&self) -> bool {
        let facts = self.context.facts;
        match self.context.resolver.family {
            // The scoping rules are complete: a name that they do not resolve is local or external.
            LanguageFamily::Go | LanguageFamily::Java => false,
            LanguageFamily::Python => facts.imports.iter().any(|import| import.name == "*"),
            // Scripts without imports share one global scope.
            LanguageFamily::Script => facts.imports.is_empty() && !self.is_local_name(),
            // Macros are visible throughout a crate, and glob imports of external crates bind names
            // that no text shows.
            LanguageFamily::Rust => !self.is_local_name(),
            LanguageFamily::CSharp | LanguageFamily::Ruby => true,
            LanguageFamily::Declared(_) => {
                let family = self.context.resolver.family;
                !self.is_local_name()
                    && family.declares(|rules| rules.calls_by_name)
                    && !(family.declares(|rules| rules.package_imports) && self.has_foreign_wildcard())
            }
        }
    }
}
