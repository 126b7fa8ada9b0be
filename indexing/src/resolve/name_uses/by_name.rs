//! Candidates for a call by its name alone, if its receiver is unknown.
//!
//! `candidates_by_name` rules out names that belong to types or imports from outside the workspace,
//! takes the symbols with the name of the call, and keeps the symbols that fit its kind, visibility
//! and arguments. Too many candidates give no target.

use super::calls::CallTarget;
use super::{NameUse, symbol_definitions};
use crate::resolve::edge_collector::{EdgeStrength, MAX_CANDIDATES};
use crate::resolve::lang::{self, UnboundCalls};
use crate::resolve::resolver::ImportTarget;
use crate::resolve::static_members::{keep_staticness, staticness_by_name};
use kenning_graph::facts::ReferenceRole;
use kenning_graph::{SymbolKind, SymbolRef};

/// Maximum number of symbols with the name of a call that are compared. A name with more is too
/// common to identify a target.
const MAX_SAME_NAME: usize = 1_000;

impl<'a> NameUse<'_, 'a> {
    /// Returns the symbols that a call may reach by its name alone.
    pub(super) fn candidates_by_name(&self) -> CallTarget<'a> {
        let resolver = &self.context.resolver;
        let is_common = resolver.family.language_builtins().methods.contains(self.name);
        if resolver.family.has_typed_receivers() && is_common && !self.receiver.is_empty() {
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
        let is_in_crate = |s: &SymbolRef| lang::is_same_crate(resolver.project, s.path, resolver.path);
        if self.is_macro_call() && candidates.iter().any(is_in_crate) {
            candidates.retain(is_in_crate);
        }
        if resolver.family.narrows_by_receiver_name() && !self.narrow_by_receiver(&mut candidates) {
            return CallTarget::Unknown;
        }
        if resolver.family.prefers_own_members() {
            self.prefer_own_members(&mut candidates);
        }
        // A name that is common in the standard library identifies a target only if one type of the
        // workspace has it, and in families with structural types not even then.
        let is_common_name_useful = !resolver.family.has_structural_types();
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

    /// Keeps the candidates that are members of the enclosing type if there are any.
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
        let namespace_fits =
            !resolver.family.separates_macros() || (symbol.kind == SymbolKind::Macro) == self.is_macro_call();
        kind_fits
            && !symbol.type_text().starts_with('~')
            && namespace_fits
            && resolver.is_visible(symbol)
            && self.accepts_arguments(symbol)
            && (self.is_in_test_file || !resolver.family.is_test_path(symbol.path))
    }

    /// Whether the path starts at a type that the workspace does not declare. Returns `false` in
    /// languages where a capitalized name may denote something other than a type.
    fn names_foreign_type(&self) -> bool {
        let resolver = &self.context.resolver;
        if !resolver.family.capitalizes_types() {
            return false;
        }
        // A longer chain may end in the workspace, at an extension method.
        let first = match (self.receiver, self.reference.role) {
            ("", ReferenceRole::Construct) => self.name,
            ("", _) => return false,
            (receiver, _) => receiver.trim_end_matches("()").trim_end_matches("[]"),
        };
        let is_type_path = || first.split('.').all(|part| part.starts_with(char::is_uppercase));
        let first = if resolver.family.first_segment_locates_path() && is_type_path() {
            first.split('.').next().unwrap_or(first)
        } else {
            first
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
        context.resolver.family.wildcards_bind_calls()
            && wildcards.any(|import| {
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
        let family = self.context.resolver.family;
        match family.unbound_calls() {
            UnboundCalls::Never => false,
            UnboundCalls::WithWildcardImport => facts.imports.iter().any(|import| import.name == "*"),
            UnboundCalls::WithoutImports => facts.imports.is_empty() && !self.is_local_name(),
            UnboundCalls::UnlessLocal => !self.is_local_name(),
            UnboundCalls::Always => true,
            UnboundCalls::ByRules => {
                !self.is_local_name()
                    && family.declares(|rules| rules.calls_by_name)
                    && !(family.declares(|rules| rules.package_imports) && self.has_foreign_wildcard())
            }
        }
    }
}
