//! Rust: `impl Trait for Type` where the type stands in another file, and the traits whose methods a file sees.

use super::edges::Edges;
use super::family::Family;
use super::meaning::{Found, Meaning, Place};
use super::own::Own;
use super::resolver::Resolver;
use super::view::split_last;
use super::{inherits, structure};
use kenning_graph::facts::{FileFacts, Reference, Relation, Role, SymbolFact};
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

/// An `impl` of this file for a type that is not declared in it.
pub(super) struct Impl {
    /// The type, as a path.
    of: String,
    /// The trait, as a path.
    base: String,
    /// Dotted container in which both are looked up.
    container: String,
    line: u32,
}

impl Impl {
    /// The `impl` that a reference to its trait stands for.
    pub fn of(facts: &FileFacts, reference: &Reference) -> Option<Self> {
        let of = facts.strings.get(reference.arguments);
        let is_rust = || Family::of(&facts.language) == Some(Family::Rust);
        if reference.role != Role::Base || of.is_empty() || !is_rust() {
            return None;
        }
        let (receiver, name) = (facts.strings.get(reference.receiver), facts.strings.get(reference.name));
        let base = if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") };
        let around = facts.symbols.get(reference.scope as usize);
        let container = around.map(SymbolFact::qualified).unwrap_or_default();
        Some(Self { of: of.to_owned(), base, container, line: reference.at.line })
    }

    /// All of a file.
    pub fn all(facts: &FileFacts) -> Vec<Self> {
        facts.references.iter().filter_map(|reference| Self::of(facts, reference)).collect()
    }
}

impl<'a> Resolver<'a> {
    fn place_of<'s>(&'s self, one: &'s Impl) -> Place<'s> {
        Place { path: self.path, container: &one.container }
    }

    /// The type that an `impl` is for, where it stands in the workspace.
    fn implementing(&self, one: &Impl) -> Option<SymbolRef<'a>> {
        let found = self.type_path(self.place_of(one), &one.of);
        found.meanings.iter().find_map(|meaning| match meaning {
            Meaning::Symbol(s) if s.kind.is_type() && s.kind != SymbolKind::Module => Some(*s),
            _ => None,
        })
    }

    /// The types of other files that this file implements traits for and calls so.
    pub fn implementing_as(&self, name: &str) -> Vec<SymbolRef<'a>> {
        let mut found: Vec<SymbolRef<'a>> = Vec::new();
        for one in self.impls.iter().filter(|one| split_last(&one.of).1 == name) {
            let new = self.implementing(one).filter(|ty| found.iter().all(|known| known.id != ty.id));
            found.extend(new);
        }
        found
    }

    /// The traits that this file implements for a type of another file.
    pub fn implemented_here(&self, ty: &SymbolRef<'a>) -> Found<'a> {
        let mut found = Found::nothing();
        for one in self.impls.iter().filter(|one| split_last(&one.of).1 == ty.name) {
            if self.implementing(one).is_some_and(|meant| meant.id == ty.id) {
                found.extend(&self.base_at(self.place_of(one), ty, &one.base));
            }
        }
        found
    }

    /// The methods of this name that the traits bring which this file declares or imports: what no type declares itself
    /// is one of theirs, wherever the trait is implemented for it, and for whatever.
    pub fn in_traits(&self, name: &str) -> Rc<Found<'a>> {
        if let Some(known) = self.of_traits.borrow().get(name) {
            return known.clone();
        }
        let found = Rc::new(self.in_traits_fresh(name));
        self.of_traits.borrow_mut().insert(name.into(), found.clone());
        found
    }

    fn in_traits_fresh(&self, name: &str) -> Found<'a> {
        let mut out = Found::nothing();
        for method in self.view.trait_methods(name).iter() {
            let around = method.parent.and_then(|parent| self.view.found(parent));
            if around.is_some_and(|around| self.sees_trait(&around)) {
                out.push(Meaning::Symbol(method));
            }
        }
        if out.meanings.len() > self.max_meanings() { Found::nothing() } else { out }
    }

    fn sees_trait(&self, of: &SymbolRef<'a>) -> bool {
        if of.path == self.path {
            return true;
        }
        let is_it = |found: &Found<'a>| found.meanings.contains(&Meaning::Symbol(*of));
        if is_it(&self.lookup(Place { path: self.path, container: "" }, of.name)) {
            return true;
        }
        // `use a::Trait as _`.
        let imports = self.view.imports_of(self.path);
        let mut unnamed = imports.iter().filter(|import| import.alias.is_empty() && import.name == of.name);
        unnamed.any(|import| is_it(&self.import_meaning(self.path, import, of.name)))
    }
}

/// Makes the edges of all traits that the file implements for types of other files. They start at those types but are
/// shown by this file, whose text says so.
pub(super) fn implementations(own: &Own, edges: &mut Edges) {
    for one in &own.r.impls {
        implementation(own, one, edges);
    }
}

/// Makes the edges of one of them.
pub(super) fn implementation(own: &Own, one: &Impl, edges: &mut Edges) {
    let Some(ty) = own.r.implementing(one) else { return };
    let found = own.r.base_at(own.r.place_of(one), &ty, &one.base);
    structure::base_edges(own, (&ty, one.line), &found, Relation::Implements, edges);
    for meaning in &found.meanings {
        if let Meaning::Symbol(base) = meaning {
            inherits::of_base(own, &ty, base, edges);
        }
    }
}
