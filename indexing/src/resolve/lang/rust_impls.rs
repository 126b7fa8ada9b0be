//! Rust: `impl Trait for Type` blocks for types of other files, and the trait methods that are
//! visible in a file.

use super::super::definition::{Definition, LookupScope, Resolution};
use super::super::edge_collector::EdgeCollector;
use super::super::file_context::FileContext;
use super::super::resolver::Resolver;
use super::super::tracked_snapshot::split_last_segment;
use super::super::{declaration_edges, inherited_methods};
use super::family::LanguageFamily;
use kenning_graph::facts::{BaseRelation, FileFacts, ReferenceFact, ReferenceRole, SymbolFact};
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

/// An `impl` block of a trait in this file for a type that the file does not declare.
pub(in crate::resolve) struct ForeignImpl {
    /// Path of the type.
    type_path: String,
    /// Path of the trait.
    trait_path: String,
    /// Dotted container in which both are looked up.
    container: String,
    line: u32,
}

impl ForeignImpl {
    /// Returns the `impl` that a reference to its trait represents. Returns `None` for other
    /// references.
    pub fn from_reference(facts: &FileFacts, reference: &ReferenceFact) -> Option<Self> {
        let type_path = facts.strings.get(reference.arguments);
        let is_rust = || LanguageFamily::from_language(&facts.language) == Some(LanguageFamily::Rust);
        if reference.role != ReferenceRole::Base || type_path.is_empty() || !is_rust() {
            return None;
        }
        let (receiver, name) = (facts.strings.get(reference.receiver), facts.strings.get(reference.name));
        let trait_path = if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") };
        let enclosing = facts.symbols.get(reference.scope as usize);
        let container = enclosing.map(SymbolFact::qualified_name).unwrap_or_default();
        Some(Self { type_path: type_path.to_owned(), trait_path, container, line: reference.at.line })
    }

    /// Returns the `impl` blocks of a file for types of other files.
    pub fn collect_impls(facts: &FileFacts) -> Vec<Self> {
        facts.references.iter().filter_map(|reference| Self::from_reference(facts, reference)).collect()
    }
}

impl<'a> Resolver<'a> {
    fn impl_scope<'s>(&'s self, foreign_impl: &'s ForeignImpl) -> LookupScope<'s> {
        LookupScope { path: self.path, container: &foreign_impl.container }
    }

    /// Returns the type that an `impl` is for, if it is in the workspace.
    fn find_implementing_type(&self, foreign_impl: &ForeignImpl) -> Option<SymbolRef<'a>> {
        let found = self.resolve_type_path(self.impl_scope(foreign_impl), &foreign_impl.type_path);
        found.definitions.iter().find_map(|definition| match definition {
            Definition::Symbol(s) if s.kind.is_type() && s.kind != SymbolKind::Module => Some(*s),
            _ => None,
        })
    }

    /// Returns the types of other files for which this file implements traits, by the name that the
    /// file uses for the type.
    pub fn implementing_types_named(&self, name: &str) -> Vec<SymbolRef<'a>> {
        let mut found: Vec<SymbolRef<'a>> = Vec::new();
        for foreign_impl in
            self.impls.iter().filter(|foreign_impl| split_last_segment(&foreign_impl.type_path).1 == name)
        {
            let new = self
                .find_implementing_type(foreign_impl)
                .filter(|ty| found.iter().all(|other| other.id != ty.id));
            found.extend(new);
        }
        found
    }

    /// Returns the traits that this file implements for a type of another file.
    pub fn traits_implemented_here(&self, ty: &SymbolRef<'a>) -> Resolution<'a> {
        let mut found = Resolution::not_found();
        for foreign_impl in
            self.impls.iter().filter(|foreign_impl| split_last_segment(&foreign_impl.type_path).1 == ty.name)
        {
            if self.find_implementing_type(foreign_impl).is_some_and(|found| found.id == ty.id) {
                found.extend(&self.resolve_base_at(
                    self.impl_scope(foreign_impl),
                    ty,
                    &foreign_impl.trait_path,
                ));
            }
        }
        found
    }

    /// Returns the methods with this name of the traits that this file declares or imports. A
    /// method call that reaches no method of the type itself calls one of these. Does not check
    /// which types implement the trait.
    pub fn visible_trait_methods(&self, name: &str) -> Rc<Resolution<'a>> {
        if let Some(cached) = self.trait_methods.borrow().get(name) {
            return cached.clone();
        }
        let found = Rc::new(self.visible_trait_methods_uncached(name));
        self.trait_methods.borrow_mut().insert(name.into(), found.clone());
        found
    }

    fn visible_trait_methods_uncached(&self, name: &str) -> Resolution<'a> {
        let mut out = Resolution::not_found();
        for method in self.view.trait_methods(name).iter() {
            let declaring_trait = method.parent.and_then(|parent| self.view.symbol_by_id(parent));
            if declaring_trait.is_some_and(|declaring_trait| self.is_trait_visible(&declaring_trait)) {
                out.push(Definition::Symbol(method));
            }
        }
        if out.definitions.len() > self.max_definitions() { Resolution::not_found() } else { out }
    }

    fn is_trait_visible(&self, trait_symbol: &SymbolRef<'a>) -> bool {
        if trait_symbol.path == self.path {
            return true;
        }
        let has_trait =
            |found: &Resolution<'a>| found.definitions.contains(&Definition::Symbol(*trait_symbol));
        if has_trait(&self.lookup_name(LookupScope { path: self.path, container: "" }, trait_symbol.name)) {
            return true;
        }
        // `use a::Trait as _` makes the methods of a trait visible without its name.
        let imports = self.view.imports_of_file(self.path);
        let mut unnamed =
            imports.iter().filter(|import| import.alias.is_empty() && import.name == trait_symbol.name);
        unnamed.any(|import| has_trait(&self.resolve_import(self.path, import, trait_symbol.name)))
    }
}

/// Adds the edges of the `impl` blocks for types of other files. The edges start at those types,
/// but belong to this file, which contains the blocks.
pub(in crate::resolve) fn add_file_impl_edges(context: &FileContext, edges: &mut EdgeCollector) {
    for foreign_impl in &context.resolver.impls {
        add_impl_edges(context, foreign_impl, edges);
    }
}

/// Adds the edges of one `impl` block for a type of another file.
pub(in crate::resolve) fn add_impl_edges(
    context: &FileContext,
    foreign_impl: &ForeignImpl,
    edges: &mut EdgeCollector,
) {
    let Some(ty) = context.resolver.find_implementing_type(foreign_impl) else { return };
    let found = context.resolver.resolve_base_at(
        context.resolver.impl_scope(foreign_impl),
        &ty,
        &foreign_impl.trait_path,
    );
    declaration_edges::add_base_edges(
        context,
        &ty,
        foreign_impl.line,
        &found,
        BaseRelation::Implements,
        edges,
    );
    for definition in &found.definitions {
        if let Definition::Symbol(base) = definition {
            inherited_methods::add_edges_from_base(context, &ty, base, edges);
        }
    }
}
