//! C#: namespaces, and types whose `using` stands in another file.

use super::super::meaning::{Found, Meaning, Module, Place};
use super::super::resolver::{Resolver, Target};
use super::super::view::split_last;
use super::java;
use kenning_graph::facts::Import;

/// An alias can name a namespace: `using M = Acme.Model`, though nothing is declared in `Acme` itself.
pub(super) fn import_target<'a>(r: &Resolver<'a>, import: &Import) -> Target<'a> {
    let (outer, name) = (import.path.as_str(), import.name.as_str());
    let is_namespace = |name: &str| !r.view.files_of_package(name).is_empty();
    match (import.alias.is_empty(), outer.is_empty()) {
        (false, true) if is_namespace(name) => {
            Target::Types(vec![Meaning::Module(Module::Package(name.to_owned()))])
        }
        (false, false) if is_namespace(&format!("{outer}.{name}")) => {
            Target::Modules(vec![Module::Package(outer.to_owned())])
        }
        _ => java::import_target(r, import),
    }
}

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
