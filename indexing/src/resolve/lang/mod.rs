//! What differs from language to language: where imports lead, what is visible without one.

pub(super) mod csharp;
mod go;
pub(super) mod java;
pub(super) mod python;
pub(super) mod ruby;
pub(super) mod rust;
pub(super) mod script;

use super::family::Family;
use super::meaning::{Found, Meaning, Module, Place};
use super::resolver::{Resolver, Target};
use kenning_graph::SymbolRef;
use kenning_graph::facts::Import;

/// Where an import of the file at `path` leads, when the name it binds is wanted.
pub(super) fn import_target<'a>(r: &Resolver<'a>, path: &str, import: &Import, bound: &str) -> Target<'a> {
    match r.family {
        Family::Go => go::import_target(r, &import.path),
        Family::Python => python::import_target(r, path, import, bound),
        Family::Script => script::import_target(r, path, &import.path),
        Family::Rust => rust::import_target(r, path, import),
        Family::Java => java::import_target(r, import),
        Family::CSharp => csharp::import_target(r, import),
        Family::Ruby => ruby::import_target(r, path, &import.path),
    }
}

/// Whether [`import_target`] looks at the name that is wanted.
pub(super) fn target_depends_on_name(family: Family) -> bool {
    family == Family::Python
}

/// Whether an import binds a name.
pub(super) fn binds(r: &Resolver, import: &Import, name: &str) -> bool {
    match r.family {
        Family::Ruby => false,
        _ => import.alias == name && !name.is_empty(),
    }
}

/// Whether an import binds a name in its own file.
pub(super) fn binds_here(r: &Resolver, import: &Import, name: &str) -> bool {
    // What a script passes on it does not see itself.
    binds(r, import, name) && !(r.family == Family::Script && import.reexport)
}

/// Whether an import makes all names of its target visible in its own file.
pub(super) fn is_wildcard_here(family: Family, import: &Import) -> bool {
    is_wildcard(family, import) && family != Family::Script
}

/// What an import means that the common rules do not describe.
pub(super) fn special_import<'a>(r: &Resolver<'a>, path: &str, import: &Import) -> Option<Found<'a>> {
    match r.family {
        Family::Script => script::special_import(r, path, import),
        _ => None,
    }
}

/// Whether an import makes all names of its target visible.
pub(super) fn is_wildcard(family: Family, import: &Import) -> bool {
    match family {
        Family::CSharp => import.alias.is_empty(),
        Family::Ruby => false,
        _ => import.name == "*" && import.alias.is_empty(),
    }
}

/// Whether those who import a file see what the file imports here.
pub(super) fn passes_on(family: Family, import: &Import) -> bool {
    match family {
        // A module's imports are its attributes; `use super::*` sees private imports as well.
        Family::Python | Family::Rust => true,
        Family::Script => import.reexport,
        Family::Go | Family::Java | Family::CSharp | Family::Ruby => false,
    }
}

/// What is visible at a place without import: the rest of the package, the namespace, the crate.
pub(super) fn implicit<'a>(r: &Resolver<'a>, place: Place, name: &str) -> Found<'a> {
    match r.family {
        Family::Go => go::implicit(r, place, name),
        Family::Rust => rust::implicit(r, place, name),
        Family::Java => java::implicit(r, place, name),
        Family::CSharp => csharp::implicit(r, place, name),
        Family::Ruby => ruby::implicit(r, name),
        Family::Python | Family::Script => Found::nothing(),
    }
}

/// Modules below a module.
pub(super) fn submodules(r: &Resolver, module: &Module, name: &str) -> Vec<Module> {
    match r.family {
        Family::Python => python::submodules(r, module, name),
        Family::Rust => rust::submodules(r, module, name),
        Family::CSharp | Family::Java => java::submodules(r, module, name),
        Family::Go | Family::Script | Family::Ruby => Vec::new(),
    }
}

/// What a module offers that is no name of its own.
pub(super) fn exported_key<'a>(r: &Resolver<'a>, module: &Module, name: &str) -> Found<'a> {
    match r.family {
        Family::Script => script::exported_key(r, module, name),
        _ => Found::nothing(),
    }
}

/// What a module offers beyond its named symbols.
pub(super) fn special_export<'a>(r: &Resolver<'a>, module: &Module, name: &str) -> Found<'a> {
    match r.family {
        Family::Script => script::special_export(r, module, name),
        _ => Found::nothing(),
    }
}

/// Members that every type has without declaring them.
pub(super) fn static_member<'a>(r: &Resolver<'a>, ty: &SymbolRef<'a>, name: &str) -> Found<'a> {
    // `Foo.new` is the class as a callable.
    if r.family == Family::Ruby && name == "new" {
        return Found::of(vec![Meaning::Symbol(*ty)]);
    }
    Found::nothing()
}

/// What the first segment of a path stands for where it is a word of the language.
pub(super) fn path_root<'a>(r: &Resolver<'a>, place: Place, first: &str) -> Option<Found<'a>> {
    match r.family {
        Family::Rust => rust::path_root(r, place, first),
        _ => None,
    }
}

/// What a type path that is found nowhere else stands for.
pub(super) fn type_fallback<'a>(r: &Resolver<'a>, place: Place, path: &str) -> Found<'a> {
    match r.family {
        Family::CSharp => csharp::type_fallback(r, path),
        Family::Ruby => ruby::type_fallback(r, place, path),
        _ => Found::nothing(),
    }
}
