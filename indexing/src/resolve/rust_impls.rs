//! Rust: `impl Trait for Type` for a type of another file, and the traits whose methods a file
//! sees.

use super::definition::{Definition, LookupScope, Resolution};
use super::edge_collector::EdgeCollector;
use super::family::LanguageFamily;
use super::file_context::FileContext;
use super::resolver::Resolver;
use super::tracked_snapshot::split_last_segment;
use super::{declaration_edges, inherited_methods};
use kenning_graph::facts::{BaseRelation, FileFacts, ReferenceFact, ReferenceRole, SymbolFact};
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

/// An `impl` in this file for a type that the file does not declare.
pub(super) struct ForeignImpl {
    /// Path of the type.
    of: String,
    /// Path of the trait.
    base: String,
    /// Dotted container in which both are looked up.
    container: String,
    line: u32,
}

impl ForeignImpl {
    /// Returns the `impl` that a reference to its trait represents. Returns `None` for other
    /// references.
    pub fn from_reference(facts: &FileFacts, reference: &ReferenceFact) -> Option<Self> {
        let of = facts.strings.get(reference.arguments);
        let is_rust = || LanguageFamily::from_language(&facts.language) == Some(LanguageFamily::Rust);
        if reference.role != ReferenceRole::Base || of.is_empty() || !is_rust() {
            return None;
        }
        let (receiver, name) = (facts.strings.get(reference.receiver), facts.strings.get(reference.name));
        let base = if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") };
        let around = facts.symbols.get(reference.scope as usize);
        let container = around.map(SymbolFact::qualified_name).unwrap_or_default();
        Some(Self { of: of.to_owned(), base, container, line: reference.at.line })
    }

    /// Returns all such `impl`s of a file.
    pub fn collect_impls(facts: &FileFacts) -> Vec<Self> {
        facts.references.iter().filter_map(|reference| Self::from_reference(facts, reference)).collect()
    }
}

impl<'a> Resolver<'a> {
    fn impl_scope<'s>(&'s self, one: &'s ForeignImpl) -> LookupScope<'s> {
        LookupScope { path: self.path, container: &one.container }
    }

    /// Returns the type that an `impl` is for, if it is in the workspace.
    fn find_implementing_type(&self, one: &ForeignImpl) -> Option<SymbolRef<'a>> {
        let found = self.resolve_type_path(self.impl_scope(one), &one.of);
        found.definitions.iter().find_map(|definition| match definition {
            Definition::Symbol(s) if s.kind.is_type() && s.kind != SymbolKind::Module => Some(*s),
            _ => None,
        })
    }

    /// Returns the types of other files that this file implements traits for under this name.
    pub fn implementing_types_named(&self, name: &str) -> Vec<SymbolRef<'a>> {
        let mut found: Vec<SymbolRef<'a>> = Vec::new();
        for one in self.impls.iter().filter(|one| split_last_segment(&one.of).1 == name) {
            let new =
                self.find_implementing_type(one).filter(|ty| found.iter().all(|known| known.id != ty.id));
            found.extend(new);
        }
        found
    }

    /// Returns the traits that this file implements for a type of another file.
    pub fn traits_implemented_here(&self, ty: &SymbolRef<'a>) -> Resolution<'a> {
        let mut found = Resolution::not_found();
        for one in self.impls.iter().filter(|one| split_last_segment(&one.of).1 == ty.name) {
            if self.find_implementing_type(one).is_some_and(|meant| meant.id == ty.id) {
                found.extend(&self.resolve_base_at(self.impl_scope(one), ty, &one.base));
            }
        }
        found
    }

    /// Returns the methods with this name of the traits that this file declares or imports. A
    /// method that a type does not declare itself is one of these, wherever the trait is
    /// implemented for it, and for whatever type.
    pub fn visible_trait_methods(&self, name: &str) -> Rc<Resolution<'a>> {
        if let Some(known) = self.of_traits.borrow().get(name) {
            return known.clone();
        }
        let found = Rc::new(self.visible_trait_methods_uncached(name));
        self.of_traits.borrow_mut().insert(name.into(), found.clone());
        found
    }

    fn visible_trait_methods_uncached(&self, name: &str) -> Resolution<'a> {
        let mut out = Resolution::not_found();
        for method in self.view.trait_methods(name).iter() {
            let around = method.parent.and_then(|parent| self.view.symbol_by_id(parent));
            if around.is_some_and(|around| self.is_trait_visible(&around)) {
                out.push(Definition::Symbol(method));
            }
        }
        if out.definitions.len() > self.max_definitions() { Resolution::not_found() } else { out }
    }

    fn is_trait_visible(&self, of: &SymbolRef<'a>) -> bool {
        if of.path == self.path {
            return true;
        }
        let is_it = |found: &Resolution<'a>| found.definitions.contains(&Definition::Symbol(*of));
        if is_it(&self.lookup_name(LookupScope { path: self.path, container: "" }, of.name)) {
            return true;
        }
        // `use a::Trait as _`.
        let imports = self.view.imports_of_file(self.path);
        let mut unnamed = imports.iter().filter(|import| import.alias.is_empty() && import.name == of.name);
        unnamed.any(|import| is_it(&self.resolve_import(self.path, import, of.name)))
    }
}

/// Adds the edges of all traits that the file implements for types of other files. The edges start
/// at those types, but belong to this file, whose text shows them.
pub(super) fn add_file_impl_edges(context: &FileContext, edges: &mut EdgeCollector) {
    for one in &context.resolver.impls {
        add_impl_edges(context, one, edges);
    }
}

/// Adds the edges of one such `impl`.
pub(super) fn add_impl_edges(context: &FileContext, one: &ForeignImpl, edges: &mut EdgeCollector) {
    let Some(ty) = context.resolver.find_implementing_type(one) else { return };
    let found = context.resolver.resolve_base_at(context.resolver.impl_scope(one), &ty, &one.base);
    declaration_edges::add_base_edges(context, (&ty, one.line), &found, BaseRelation::Implements, edges);
    for definition in &found.definitions {
        if let Definition::Symbol(base) = definition {
            inherited_methods::add_edges_from_base(context, &ty, base, edges);
        }
    }
}
