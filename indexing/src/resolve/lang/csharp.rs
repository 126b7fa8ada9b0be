//! C#: namespaces, and types whose `using` stands in another file.

use super::super::meaning::{Found, Meaning, Module, Place};
use super::super::resolver::{Resolver, Target};
use super::super::view::split_last;
use super::java;
use kenning_graph::SymbolRef;
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

/// The containers in which what stands at the top of a namespace can stand in the text of a file: none, where the namespace is
/// that of the whole file, and the namespace or an inner part of it, where it is written as a block.
pub(in super::super) fn top_containers(namespace: &str) -> impl Iterator<Item = &str> {
    let inner = namespace.match_indices('.').map(|(dot, _)| &namespace[dot + 1..]);
    let written = std::iter::once(namespace).chain(inner);
    std::iter::once("").chain(written.filter(|container| !container.is_empty()))
}

/// A type that no `using` of the file shows may be shown by a global one: the only type of that name is meant.
pub(super) fn type_fallback<'a>(r: &Resolver<'a>, path: &str) -> Found<'a> {
    let (_, name) = split_last(path);
    let named = r.view.named(name);
    let mut parts: Vec<SymbolRef<'a>> = Vec::new();
    for part in named.iter().filter(|s| s.kind.is_type() && r.is_top_level(s)) {
        let is_part = |first: &SymbolRef<'a>| {
            first.container == part.container && r.package_of(first.path) == r.package_of(part.path)
        };
        if !parts.first().is_none_or(is_part) {
            return Found::nothing();
        }
        parts.push(*part);
    }
    r.meant(parts)
}
