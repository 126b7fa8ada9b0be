//! Open types: types with several declarations, types whose members can be declared outside the
//! type, in other files too, and types with the same name in different packages.

use super::definition::{Definition, LookupScope};
use super::lang::MemberRegion;
use super::resolver::Resolver;
use super::same_name_symbols::{FileRegion, SymbolGroup};
use kenning_graph::{SymbolId, SymbolRef};

impl<'a> Resolver<'a> {
    /// Returns the type of another file that a container of this file extends, in declared families
    /// with open types. Finds it by the qualified name of the container.
    pub(super) fn type_declared_elsewhere(&self, path: &str, container: &str) -> Option<SymbolRef<'a>> {
        if !self.family.declares(|rules| rules.open_types) {
            return None;
        }
        let found = self.resolve_type_path(LookupScope { path, container: "" }, container);
        found.definitions.iter().find_map(|definition| match definition {
            Definition::Symbol(s) if s.kind.is_type() => Some(*s),
            _ => None,
        })
    }

    /// Whether a symbol in a container with the qualified name of a type belongs to this type, and
    /// not to another type with the same name.
    pub(super) fn is_member_of(&self, member: &SymbolRef<'a>, ty: &SymbolRef<'a>) -> bool {
        if !self.family.separates_packages() || member.path == ty.path {
            return true;
        }
        let has_own_type =
            || self.find_symbol_at(member.path, ty.container, ty.name).is_some_and(|s| s.kind.is_type());
        self.package_of_file(member.path) == self.package_of_file(ty.path) || !has_own_type()
    }

    /// Whether a declaration with the name of a type can belong to it by its package.
    pub(super) fn is_in_package_of(&self, declaration: &SymbolRef, ty: &SymbolRef) -> bool {
        !self.family.separates_packages()
            || self.package_of_file(declaration.path) == self.package_of_file(ty.path)
    }

    /// Returns all declarations of a type. Most languages allow only one.
    pub(super) fn type_declarations(&self, ty: &SymbolRef<'a>) -> Vec<SymbolRef<'a>> {
        let Some(same_name) = self.symbols_sharing_type_name(ty) else { return vec![*ty] };
        let is_part = |s: &SymbolRef<'a>| s.kind.is_type() && self.is_in_package_of(s, ty);
        same_name.iter().filter(|s| s.id == ty.id || is_part(s)).collect()
    }

    /// Returns the id of the first declaration of a type, whichever declaration `ty` is. Caches use
    /// it as the key of results about the type.
    pub(super) fn canonical_declaration(&self, ty: &SymbolRef<'a>) -> SymbolId {
        let is_part = |s: &SymbolRef<'a>| s.kind.is_type() && self.is_in_package_of(s, ty);
        let first = self.symbols_sharing_type_name(ty).and_then(|same_name| same_name.iter().find(is_part));
        first.filter(|_| ty.kind.is_type()).map_or(ty.id, |first| first.id)
    }

    /// Returns the symbols with the qualified name of a type, in languages where a type can have
    /// several declarations. Returns `None` for other languages.
    fn symbols_sharing_type_name(&self, ty: &SymbolRef<'a>) -> Option<SymbolGroup<'a>> {
        match self.family.member_region() {
            MemberRegion::Package => {
                let region = FileRegion::Package(self.package_of_file(ty.path));
                Some(self.view.symbols_in_region(region, ty.container, ty.name))
            }
            MemberRegion::Workspace => Some(self.view.symbols_in_container(ty.container, ty.name)),
            MemberRegion::File | MemberRegion::Folder | MemberRegion::Crate => None,
        }
    }
}
