//! Edges of uses other than calls: types, fields, values, decorators, thrown errors, dependencies.
//!
//! Each method resolves the name for one role and adds one edge per target. A use with more than
//! `MAX_CANDIDATES` targets gets no edge. If no target is in the workspace, most methods add an
//! edge to the external symbol.

use super::{NameUse, symbol_definitions};
use crate::resolve::definition::{Definition, ExternalSymbol, ModuleRef, Resolution};
use crate::resolve::edge_collector::{EdgeCollector, EdgeStrength, MAX_CANDIDATES};
use crate::resolve::shared_resources;
use kenning_graph::facts::FILE_SCOPE;
use kenning_graph::paths::{join_relative, parent_folder};
use kenning_graph::{EdgeKind, SymbolId, SymbolKind, SymbolRef};

impl<'a> NameUse<'_, 'a> {
    /// Adds the edges of a type name: `type_hint_of` in the signature of a callable, `references`
    /// elsewhere.
    pub(super) fn add_type_edges(&self, edges: &mut EdgeCollector) {
        let (context, scope) = (self.context, self.reference.scope);
        let found = context.resolver.resolve_type_path(context.lookup_scope(scope), &self.full_path());
        let in_signature = context
            .facts
            .symbols
            .get(scope as usize)
            .is_some_and(|symbol| symbol.kind.is_callable() && has_word(&symbol.signature, self.name));
        let kind = if in_signature { EdgeKind::TypeHintOf } else { EdgeKind::References };
        // A pattern can name a variant as if it were a type.
        self.add_mention_edges(&found, kind, edges, |s| s.kind.is_type() || s.kind == SymbolKind::EnumMember);
    }

    /// Adds the edges of a member access: `calls` to a method in families where a name calls a
    /// method, `accesses_field` or `references` otherwise. Adds none if the receiver is unknown.
    pub(super) fn add_field_edges(&self, edges: &mut EdgeCollector) {
        let context = self.context;
        let receiver = context.receiver_values(&context.resolve_path(
            self.receiver,
            self.reference.scope,
            self.reference.at.start,
        ));
        if receiver.is_empty() {
            return;
        }
        let found = context.resolver.resolve_member(&receiver, self.name);
        let source = context.symbol_id(self.reference.scope);
        let targets: Vec<SymbolRef> = symbol_definitions(&found).collect();
        if targets.len() > MAX_CANDIDATES {
            return;
        }
        // The accessors of one property count as one target.
        let is_one_property =
            targets.iter().all(|s| (s.path, s.container) == (targets[0].path, targets[0].container));
        let strength = EdgeStrength::from_resolution(&found).split_among(if is_one_property {
            1
        } else {
            targets.len()
        });
        for target in targets {
            let is_member = matches!(target.kind, SymbolKind::Field | SymbolKind::Property);
            let is_call = target.kind == SymbolKind::Method
                && context.resolver.family.declares(|rules| rules.names_call_methods);
            let kind = if is_member {
                EdgeKind::AccessesField
            } else if is_call {
                EdgeKind::Calls
            } else {
                EdgeKind::References
            };
            edges.add_symbol_edge(source, target.id, kind, strength, Some(self.line_number()));
        }
    }

    /// Resolves a use that is not a call. A name without a receiver refers to its symbol, not to
    /// the value of the symbol.
    fn resolve_mention(&self) -> Resolution<'a> {
        if self.receiver.is_empty() {
            let symbols =
                self.context.symbols_of_name(self.name, self.reference.scope, self.reference.at.start);
            if symbol_definitions(&symbols).next().is_some() {
                return symbols;
            }
        }
        self.resolve_use()
    }

    /// Adds the edges of a name used as a value: `accesses_field` to fields and properties,
    /// `references` to other symbols.
    pub(super) fn add_value_edges(&self, edges: &mut EdgeCollector) {
        let found = self.resolve_mention();
        let is_path_start = |s: &SymbolRef| {
            self.context.resolver.family.mentions_modules_as_path_starts() && s.kind == SymbolKind::Module
        };
        let is_member = |s: SymbolRef| matches!(s.kind, SymbolKind::Field | SymbolKind::Property);
        let reads_field =
            symbol_definitions(&found).next().is_some() && symbol_definitions(&found).all(is_member);
        let kind = if reads_field { EdgeKind::AccessesField } else { EdgeKind::References };
        self.add_mention_edges(&found, kind, edges, |s| !is_path_start(s));
    }

    /// Adds the edges from a quoted name in a module's list of exports to the exports with this
    /// name, including submodules.
    pub(super) fn add_quoted_edges(&self, edges: &mut EdgeCollector) {
        let resolver = &self.context.resolver;
        let found = resolver.resolve_export(&ModuleRef::from_path(resolver.path), self.name);
        self.add_mention_edges(&found, EdgeKind::References, edges, |_| true);
        for definition in &found.definitions {
            if let Definition::Module(ModuleRef::File { path, .. }) = definition
                && let Some(file) = resolver.view.file_symbol(path)
            {
                let source = self.context.symbol_id(self.reference.scope);
                edges.add_symbol_edge(
                    source,
                    file,
                    EdgeKind::References,
                    EdgeStrength::from_resolution(&found),
                    Some(self.line_number()),
                );
            }
        }
    }

    /// Adds the edges of a name without a receiver to fields of the enclosing type, constants,
    /// variables and functions. Ignores targets outside the workspace.
    pub(super) fn add_name_edges(&self, edges: &mut EdgeCollector) {
        let found = self.context.symbols_of_name(self.name, self.reference.scope, self.reference.at.start);
        let targets: Vec<SymbolRef> =
            symbol_definitions(&found).filter(|s| s.kind != SymbolKind::Module).collect();
        if targets.len() > MAX_CANDIDATES {
            return;
        }
        let strength = EdgeStrength::RESOLVED.split_among(targets.len());
        for target in targets {
            let is_member = matches!(target.kind, SymbolKind::Field | SymbolKind::Property);
            let kind = if is_member { EdgeKind::AccessesField } else { EdgeKind::References };
            edges.add_symbol_edge(
                self.context.symbol_id(self.reference.scope),
                target.id,
                kind,
                strength,
                Some(self.line_number()),
            );
        }
    }

    /// Adds the `throws` edges to the types of a thrown value, or to the value itself in families
    /// whose callers compare errors with values.
    pub(super) fn add_throw_edges(&self, edges: &mut EdgeCollector) {
        let mut found = self.resolve_mention();
        if found.is_empty() {
            found = self
                .context
                .resolver
                .resolve_type_path(self.context.lookup_scope(self.reference.scope), &self.full_path());
        }
        // `throw makeError()` throws the result of the function.
        let function = symbol_definitions(&found).find(|s| s.kind.is_callable());
        let found = if function.is_some() { self.context.resolver.call_results(&found) } else { found };
        let mut types = Resolution::not_found();
        for definition in &found.definitions {
            match definition {
                Definition::Symbol(s) if !s.kind.is_type() => {
                    let value =
                        self.context.read_values(&Resolution::from_definitions(vec![definition.clone()]));
                    let throws_value = value.is_empty() || self.context.resolver.family.throws_values();
                    types.extend(if throws_value { &found } else { &value });
                }
                _ => types.push(definition.clone()),
            }
        }
        for definition in &mut types.definitions {
            if let Definition::Instance(s) = definition {
                *definition = Definition::Symbol(*s);
            }
        }
        let can_be_thrown =
            |s: &SymbolRef| s.kind.is_type() || matches!(s.kind, SymbolKind::Variable | SymbolKind::Constant);
        self.add_mention_edges(&types, EdgeKind::Throws, edges, can_be_thrown);
        if types.definitions.contains(&Definition::Builtin) {
            match function {
                Some(function) if self.context.resolver.family.states_thrown_types() => {
                    self.add_builtin_throw(function.type_text(), edges);
                }
                None if self.receiver.is_empty() && !self.is_local_name() => {
                    self.add_builtin_throw(self.name, edges);
                }
                _ => {}
            }
        }
    }

    /// Adds an edge to an error of the language itself.
    fn add_builtin_throw(&self, name: &str, edges: &mut EdgeCollector) {
        let family = self.context.resolver.family;
        if !family.language_builtins().names.contains(name) {
            return;
        }
        self.add_external_edge(
            &ExternalSymbol::new("", family.builtin_throw_name(name)),
            EdgeKind::Throws,
            edges,
        );
    }

    /// Adds an edge of this kind from the enclosing symbol to each target that satisfies `fits`.
    pub(super) fn add_mention_edges(
        &self,
        found: &Resolution<'a>,
        kind: EdgeKind,
        edges: &mut EdgeCollector,
        fits: impl Fn(&SymbolRef<'a>) -> bool,
    ) {
        self.add_edges_from(self.context.symbol_id(self.reference.scope), found, kind, edges, fits);
    }

    /// Adds an edge of this kind from `source` to each target that satisfies `fits`.
    fn add_edges_from(
        &self,
        source: SymbolId,
        found: &Resolution<'a>,
        kind: EdgeKind,
        edges: &mut EdgeCollector,
        fits: impl Fn(&SymbolRef<'a>) -> bool,
    ) {
        let targets: Vec<SymbolRef> = symbol_definitions(found).filter(|s| fits(s)).collect();
        if targets.len() <= MAX_CANDIDATES {
            let strength = EdgeStrength::from_resolution(found).split_among(targets.len());
            for target in &targets {
                edges.add_symbol_edge(source, target.id, kind, strength, Some(self.line_number()));
            }
        }
        if targets.is_empty() {
            for definition in &found.definitions {
                if let Definition::External(external) = definition {
                    self.add_external_edge(external, kind, edges);
                }
            }
        }
    }

    /// Adds the edges from a resource of a configuration to the resource or the file that it needs.
    pub(super) fn add_dependency_edges(&self, edges: &mut EdgeCollector) {
        let (context, resolver) = (self.context, &self.context.resolver);
        let resolve = |name: &str| context.resolve_name(name, self.reference.scope, self.reference.at.start);
        let (source, found) = if self.receiver.is_empty() {
            (Some(context.symbol_id(self.reference.scope)), self.resolve_use())
        } else {
            let owner = symbol_definitions(&resolve(self.receiver)).next().map(|owner| owner.id);
            (owner, resolve(self.name))
        };
        let Some(source) = source else { return };
        if !found.is_empty() {
            self.add_edges_from(source, &found, EdgeKind::DependsOn, edges, |_| true);
        } else if resolver.family.declares(|rules| rules.file_dependencies)
            && let Some(path) = join_relative(parent_folder(resolver.path), self.name)
            && resolver.view.file_exists(&path)
            && let Some(file) = resolver.view.file_symbol(&path)
        {
            let line = Some(self.line_number());
            edges.add_symbol_edge(source, file, EdgeKind::DependsOn, EdgeStrength::RESOLVED, line);
        } else if resolver.family.declares(|rules| rules.depends_on_images) {
            shared_resources::add_image_edge(context, self.reference, edges);
        }
    }

    /// Adds the edges from a decorator to the symbol that it decorates.
    pub(super) fn add_decorator_edges(&self, edges: &mut EdgeCollector) {
        let context = self.context;
        let decorated = context.symbol_id(self.reference.scope);
        if self.reference.scope == FILE_SCOPE {
            return;
        }
        let mut found = self.resolve_use();
        if found.is_empty() {
            found = context
                .resolver
                .resolve_type_path(context.lookup_scope(self.reference.scope), &self.full_path());
        }
        let suffix = context.resolver.family.decorator_suffix();
        if found.is_empty() && !suffix.is_empty() {
            let long_name = format!("{}{suffix}", self.full_path());
            found =
                context.resolver.resolve_type_path(context.lookup_scope(self.reference.scope), &long_name);
        }
        let targets: Vec<SymbolRef> = symbol_definitions(&found).collect();
        if targets.len() <= MAX_CANDIDATES {
            let strength = EdgeStrength::RESOLVED.split_among(targets.len());
            for target in &targets {
                edges.add_symbol_edge(
                    target.id,
                    decorated,
                    EdgeKind::Decorates,
                    strength,
                    Some(self.line_number()),
                );
            }
        }
        if targets.is_empty() {
            for definition in &found.definitions {
                if let Definition::External(external) = definition {
                    // Every edge starts in the workspace, so this one leads from the decorated
                    // symbol to the external decorator.
                    self.add_external_edge(external, EdgeKind::References, edges);
                }
            }
        }
    }
}

/// Whether a text contains a whole word.
fn has_word(text: &str, word: &str) -> bool {
    let is_word_char = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            !is_word_char(text[..at].chars().next_back())
                && !is_word_char(text[at + word.len()..].chars().next())
        })
}
