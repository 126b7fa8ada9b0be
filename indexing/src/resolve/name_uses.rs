//! Edges of references: calls, constructions, types, fields, decorators, throws, values,
//! environment variables, processes, flags, documentation.
//!
//! `NameUse` is one reference with its context. The role of the reference selects the function that
//! resolves it and adds its edges: `calls.rs` covers calls and constructions, `by_name.rs` calls
//! with an unknown receiver, `mentions.rs` the other roles. Other modules add the edges of base
//! lists (`declaration_edges`) and fixtures (`test_fixtures`) for the whole file.

mod by_name;
mod calls;
mod mentions;
mod ruby;

use super::definition::{Definition, ExternalSymbol, Resolution};
use super::doc_references;
use super::edge_collector::{EdgeCollector, PhantomTarget};
use super::file_context::FileContext;
use super::shared_resources;
use kenning_graph::facts::{ReferenceFact, ReferenceRole};
use kenning_graph::{EdgeKind, SymbolKind, SymbolRef};

/// Adds the edges of all references of the file.
pub(super) fn add_file_reference_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let is_in_test_file = context.resolver.family.is_test_path(context.resolver.path);
    for reference in &context.facts.references {
        NameUse::new(context, reference, is_in_test_file).add_edges(edges);
    }
}

/// Adds the edges of one reference of the file.
pub(super) fn add_reference_edges(
    context: &FileContext,
    reference: &ReferenceFact,
    edges: &mut EdgeCollector,
) {
    NameUse::new(context, reference, context.resolver.family.is_test_path(context.resolver.path))
        .add_edges(edges);
}

/// Returns the scope of the test around a reference; see [`NameUse::test_scope`].
pub(super) fn enclosing_test(context: &FileContext, reference: &ReferenceFact) -> Option<u32> {
    NameUse::new(context, reference, context.resolver.family.is_test_path(context.resolver.path)).test_scope()
}

/// One use of a name.
struct NameUse<'s, 'a> {
    context: &'s FileContext<'a>,
    reference: &'s ReferenceFact,
    name: &'s str,
    /// Path of the receiver; empty if the name has none.
    receiver: &'s str,
    is_in_test_file: bool,
}

impl<'s, 'a> NameUse<'s, 'a> {
    fn new(context: &'s FileContext<'a>, reference: &'s ReferenceFact, is_in_test_file: bool) -> Self {
        Self {
            context,
            reference,
            name: context.facts.strings.get(reference.name),
            receiver: context.facts.strings.get(reference.receiver),
            is_in_test_file,
        }
    }

    fn add_edges(&self, edges: &mut EdgeCollector) {
        self.context.reset_budget();
        match self.reference.role {
            ReferenceRole::Call | ReferenceRole::Construct => self.add_call_edges(edges),
            ReferenceRole::Type => self.add_type_edges(edges),
            // `declaration_edges` adds these edges from the base lists of the symbols.
            ReferenceRole::Base => {}
            ReferenceRole::Field => self.add_field_edges(edges),
            ReferenceRole::Decorator => self.add_decorator_edges(edges),
            ReferenceRole::Throw => self.add_throw_edges(edges),
            ReferenceRole::Value => self.add_value_edges(edges),
            ReferenceRole::Quoted => self.add_quoted_edges(edges),
            ReferenceRole::Name => self.add_name_edges(edges),
            ReferenceRole::Env if self.context.resolver.family.declares(|rules| rules.sets_environment) => {
                shared_resources::add_setting_edge(self.context, self.reference, edges);
            }
            ReferenceRole::Env => self.add_named_phantom_edge(SymbolKind::EnvVar, EdgeKind::ReadsEnv, edges),
            ReferenceRole::Process => {
                self.add_named_phantom_edge(SymbolKind::Process, EdgeKind::ExecutesProcess, edges);
            }
            ReferenceRole::Flag => {
                self.add_named_phantom_edge(SymbolKind::Flag, EdgeKind::GatedByFlag, edges);
            }
            ReferenceRole::Resource => shared_resources::add_use_edge(self.context, self.reference, edges),
            ReferenceRole::Dependency => self.add_dependency_edges(edges),
            ReferenceRole::File => shared_resources::add_file_edge(self.context, self.reference, edges),
            ReferenceRole::Deployment => {
                shared_resources::add_deployment_edge(self.context, self.reference, edges);
            }
            ReferenceRole::Model => shared_resources::add_model_edges(self.context, self.reference, edges),
            ReferenceRole::Doc => doc_references::add_doc_edges(self.context, self.reference, edges),
            // `test_fixtures` adds these edges for the whole file.
            ReferenceRole::Fixture => {}
            // `document_edges` adds these edges, because documents have no scopes.
            ReferenceRole::Link => {}
        }
    }

    fn is_local_name(&self) -> bool {
        self.context.is_local_name(self.name, self.reference.scope, self.reference.at.start)
    }

    fn line_number(&self) -> u32 {
        self.reference.at.line
    }

    /// Resolves the name, or its receiver and then the name as a member.
    fn resolve_use(&self) -> Resolution<'a> {
        let (context, scope, at) = (self.context, self.reference.scope, self.reference.at.start);
        if self.receiver.is_empty() {
            let is_method = context.resolver.family.separates_methods_from_variables()
                && self.reference.role == ReferenceRole::Call;
            let found = if is_method {
                context.resolve_method_name(self.name, scope)
            } else {
                context.resolve_name(self.name, scope, at)
            };
            if found.is_empty() && !found.is_bound && self.reference.role != ReferenceRole::Call {
                return context.resolver.resolve_type_path(context.lookup_scope(scope), self.name);
            }
            return found;
        }
        let receiver = context.receiver_values(&context.resolve_path(self.receiver, scope, at));
        if receiver.is_empty() {
            // The receiver may be a type that no import names: a global using, an autoloaded
            // constant.
            if !self.receiver.contains(['(', '[', '?'])
                && !receiver.is_bound
                && !context.is_local_name(self.receiver, scope, at)
            {
                let path = context.resolver.resolve_type_path(context.lookup_scope(scope), self.receiver);
                return context.resolver.resolve_member(&path, self.name);
            }
            return Resolution::not_found();
        }
        let mut found = context.resolver.resolve_member(&receiver, self.name);
        // The receiver is known, so a member that it does not have must not be looked up by name
        // alone. The other members of a type that includes a module are unknown.
        found.is_bound =
            !receiver.definitions.iter().all(|definition| matches!(definition, Definition::Includer(_)));
        found
    }

    /// Adds an edge to an environment variable, a process or a flag, identified by its name alone.
    fn add_named_phantom_edge(&self, kind: SymbolKind, edge: EdgeKind, edges: &mut EdgeCollector) {
        edges.add_phantom_edge(
            self.context.symbol_id(self.reference.scope),
            PhantomTarget { kind, package: "", name: self.name },
            edge,
            self.line_number(),
        );
    }

    fn add_external_edge(&self, external: &ExternalSymbol, kind: EdgeKind, edges: &mut EdgeCollector) {
        let target =
            PhantomTarget { kind: SymbolKind::External, package: &external.package, name: &external.name };
        edges.add_phantom_edge(
            self.context.symbol_id(self.reference.scope),
            target,
            kind,
            self.line_number(),
        );
    }

    /// Returns the receiver and the name as one path.
    fn full_path(&self) -> String {
        if self.receiver.is_empty() {
            self.name.to_owned()
        } else {
            format!("{}.{}", self.receiver, self.name)
        }
    }

    /// Returns the scope of the test around the use: the innermost scope marked as a test or else,
    /// in a test file, the callable that contains the use.
    fn test_scope(&self) -> Option<u32> {
        let facts = self.context.facts;
        let mut scopes = self.context.enclosing_scopes(self.reference.scope);
        let may_contain_tests =
            self.is_in_test_file || !self.context.resolver.family.collects_tests_by_path();
        let is_test = |scope: &u32| facts.symbols.get(*scope as usize).is_some_and(|s| s.is_test);
        let marked = scopes.find(|scope| may_contain_tests && is_test(scope));
        marked.or_else(|| {
            let scope = self.reference.scope;
            let is_callable = facts.symbols.get(scope as usize).is_some_and(|s| s.kind.is_callable());
            (self.is_in_test_file && is_callable).then_some(scope)
        })
    }

    /// Whether a symbol is a test or is in a test file.
    fn is_test_code(&self, symbol: &SymbolRef) -> bool {
        symbol.is_test || self.context.resolver.family.is_test_path(symbol.path)
    }
}

/// Returns the symbols among the definitions of a resolution.
fn symbol_definitions<'f, 'a>(found: &'f Resolution<'a>) -> impl Iterator<Item = SymbolRef<'a>> + 'f {
    found.definitions.iter().filter_map(|definition| match definition {
        Definition::Symbol(symbol) => Some(*symbol),
        _ => None,
    })
}
