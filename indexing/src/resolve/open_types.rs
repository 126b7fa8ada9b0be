//! Open types: types of declared families whose members can be declared outside the type, in other
//! files too (extensions), and types with the same name in different packages.

use super::definition::{Definition, LookupScope};
use super::resolver::Resolver;
use kenning_graph::SymbolRef;

impl<'a> Resolver<'a> {
    /// Returns the type of another file with the qualified name of a container of this file, in
    /// declared families whose types are open: an extension of the type.
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
}
