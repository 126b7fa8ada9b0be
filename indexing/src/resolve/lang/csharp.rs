//! C#: namespaces, and types whose `using` stands in another file.

use super::super::meaning::{Found, Module, Place};
use super::super::resolver::Resolver;
use super::super::view::split_last;

/// The namespace of the file and those around it, innermost first.
pub(super) fn implicit<'a>(r: &Resolver<'a>, place: Place, name: &str) -> Found<'a> {
    let mut namespace = r.package_of(place.path);
    while !namespace.is_empty() {
        let found = r.export(&Module::Package(namespace.to_owned()), name);
        if !found.is_empty() {
            return (*found).clone();
        }
        namespace = split_last(namespace).0;
    }
    Found::nothing()
}

/// A type that no `using` of the file shows may be shown by a global one: the only type of that name is meant.
pub(super) fn type_fallback<'a>(r: &Resolver<'a>, path: &str) -> Found<'a> {
    let (_, name) = split_last(path);
    let found = r.named_where(name, |s| s.kind.is_type() && r.is_top_level(s));
    if found.meanings.len() == 1 { found } else { Found::nothing() }
}
