//! Differences between languages: the targets of imports, the names that are visible without an
//! import, and the members that every type has.
//!
//! Each function dispatches on the family of the file; each submodule has the rules of one
//! language.

pub(super) mod csharp;
mod declared;
pub(super) mod ecmascript;
mod go;
pub(super) mod java;
pub(super) mod python;
pub(super) mod ruby;
pub(super) mod rust;

use super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::family::LanguageFamily;
use super::resolver::{ImportTarget, Resolver};
use kenning_graph::facts::ImportFact;
use kenning_graph::{SymbolKind, SymbolRef};

/// Returns the target of an import of the file at `path`, for a lookup of the name that it binds.
pub(super) fn import_target<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    import: &ImportFact,
    bound: &str,
) -> ImportTarget<'a> {
    match resolver.family {
        LanguageFamily::Go => go::import_target(resolver, &import.path),
        LanguageFamily::Python => python::import_target(resolver, path, import, bound),
        LanguageFamily::Script => ecmascript::import_target(resolver, path, &import.path),
        LanguageFamily::Rust => rust::import_target(resolver, path, import),
        LanguageFamily::Java => java::import_target(resolver, import),
        LanguageFamily::CSharp => csharp::import_target(resolver, import),
        LanguageFamily::Ruby => ruby::import_target(resolver, path, &import.path),
        LanguageFamily::Declared(_) => declared::import_target(resolver, path, import),
    }
}

/// Whether the result of [`import_target`] depends on the name that is looked up.
pub(super) fn target_depends_on_name(family: LanguageFamily) -> bool {
    family == LanguageFamily::Python
}

/// Whether an import binds a name.
pub(super) fn binds_name(resolver: &Resolver, import: &ImportFact, name: &str) -> bool {
    match resolver.family {
        LanguageFamily::Ruby => false,
        _ => import.alias == name && !name.is_empty(),
    }
}

/// Whether an import binds a name in its own file.
pub(super) fn binds_name_locally(resolver: &Resolver, import: &ImportFact, name: &str) -> bool {
    // A script does not see the names that it re-exports.
    binds_name(resolver, import, name) && !(resolver.family == LanguageFamily::Script && import.reexport)
}

/// Whether an import makes all names of its target visible in its own file.
pub(super) fn is_local_wildcard(family: LanguageFamily, import: &ImportFact) -> bool {
    is_wildcard_import(family, import) && family != LanguageFamily::Script
}

/// Resolves an import that the common rules do not cover. Returns `None` for all other imports.
pub(super) fn resolve_special_import<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    import: &ImportFact,
) -> Option<Resolution<'a>> {
    match resolver.family {
        LanguageFamily::Script => ecmascript::resolve_special_import(resolver, path, import),
        LanguageFamily::Declared(_) => declared::resolve_special_import(resolver, import),
        _ => None,
    }
}

/// Whether an import makes all names of its target visible.
pub(super) fn is_wildcard_import(family: LanguageFamily, import: &ImportFact) -> bool {
    match family {
        LanguageFamily::CSharp => import.alias.is_empty(),
        LanguageFamily::Ruby => false,
        LanguageFamily::Declared(_) if import.name.is_empty() => {
            import.alias.is_empty() && family.declares(|rules| rules.wildcard_imports)
        }
        _ => import.name == "*" && import.alias.is_empty(),
    }
}

/// Whether files that import this file see the name that this import binds.
pub(super) fn is_reexport(family: LanguageFamily, import: &ImportFact) -> bool {
    match family {
        // The imports of a Python module are its attributes; `use super::*` in Rust includes
        // private imports.
        LanguageFamily::Python | LanguageFamily::Rust => true,
        LanguageFamily::Script => import.reexport,
        LanguageFamily::Declared(_) => import.reexport || family.declares(|rules| rules.reexports),
        LanguageFamily::Go | LanguageFamily::Java | LanguageFamily::CSharp | LanguageFamily::Ruby => false,
    }
}

/// Looks up a name that is visible in a scope without an import: in the rest of the package, the
/// namespace, the crate.
pub(super) fn resolve_unimported_name<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    match resolver.family {
        LanguageFamily::Go => go::resolve_unimported_name(resolver, scope, name),
        LanguageFamily::Rust => rust::resolve_unimported_name(resolver, scope, name),
        LanguageFamily::Java => java::resolve_unimported_name(resolver, scope, name),
        LanguageFamily::CSharp => csharp::resolve_unimported_name(resolver, scope, name),
        LanguageFamily::Ruby => ruby::resolve_unimported_name(resolver, name),
        LanguageFamily::Declared(_) => declared::resolve_unimported_name(resolver, scope, name),
        LanguageFamily::Python | LanguageFamily::Script => Resolution::not_found(),
    }
}

/// Returns the modules with this name below a module.
pub(super) fn find_submodules(resolver: &Resolver, module: &ModuleRef, name: &str) -> Vec<ModuleRef> {
    match resolver.family {
        LanguageFamily::Python => python::find_submodules(resolver, module, name),
        LanguageFamily::Rust => rust::find_submodules(resolver, module, name),
        LanguageFamily::CSharp | LanguageFamily::Java => java::find_submodules(resolver, module, name),
        LanguageFamily::Declared(_) if resolver.family.declares(|rules| rules.package_imports) => {
            java::find_submodules(resolver, module, name)
        }
        LanguageFamily::Go | LanguageFamily::Script | LanguageFamily::Ruby | LanguageFamily::Declared(_) => {
            Vec::new()
        }
    }
}

/// Returns the symbol that a module exports as a key of one object: `module.exports = { a }`.
pub(super) fn find_exported_key<'a>(
    resolver: &Resolver<'a>,
    module: &ModuleRef,
    name: &str,
) -> Resolution<'a> {
    match resolver.family {
        LanguageFamily::Script => ecmascript::find_exported_key(resolver, module, name),
        _ => Resolution::not_found(),
    }
}

/// Returns an export that no declaration or re-export of the module names.
pub(super) fn find_special_export<'a>(
    resolver: &Resolver<'a>,
    module: &ModuleRef,
    name: &str,
) -> Resolution<'a> {
    match resolver.family {
        LanguageFamily::Script => ecmascript::find_special_export(resolver, module, name),
        LanguageFamily::Declared(_) => declared::find_returned_member(resolver, module, name),
        _ => Resolution::not_found(),
    }
}

/// Returns a member that every type has without declaring it.
pub(super) fn find_universal_member<'a>(
    resolver: &Resolver<'a>,
    ty: &SymbolRef<'a>,
    name: &str,
) -> Resolution<'a> {
    // `Foo.new` without a call refers to the class; the call reaches its constructor.
    if resolver.family == LanguageFamily::Ruby && name == "new" {
        return Resolution::from_definitions(vec![Definition::Symbol(*ty)]);
    }
    if resolver.family.declares(|rules| rules.namespace_imports) && ty.kind == SymbolKind::Module {
        return declared::find_hidden_member(resolver, ty, name);
    }
    Resolution::not_found()
}

/// Resolves the first segment of a path if it is a keyword of the language. Returns `None`
/// otherwise.
pub(super) fn resolve_path_root<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    first: &str,
) -> Option<Resolution<'a>> {
    match resolver.family {
        LanguageFamily::Rust => rust::resolve_path_root(resolver, scope, first),
        _ => None,
    }
}

/// Resolves an absolute path, whose first segment is the mark `\\`.
pub(super) fn resolve_absolute_path<'a>(resolver: &Resolver<'a>, path: &str) -> Resolution<'a> {
    match path.split_once('.') {
        Some((_, path)) => declared::resolve_absolute_path(resolver, path),
        None => Resolution::from_definitions(vec![Definition::Module(ModuleRef::Package(String::new()))]),
    }
}

/// Resolves a type path that no scope or import leads to.
pub(super) fn resolve_type_fallback<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    path: &str,
) -> Resolution<'a> {
    match resolver.family {
        LanguageFamily::CSharp => csharp::resolve_type_fallback(resolver, path),
        LanguageFamily::Ruby => ruby::resolve_type_fallback(resolver, scope, path),
        LanguageFamily::Declared(_) => declared::resolve_type_fallback(resolver, scope, path),
        _ => Resolution::not_found(),
    }
}

/// Returns the name of constructors among the members of a type. Returns `None` if constructors
/// have no name of their own.
pub(super) fn constructor_name(family: LanguageFamily) -> Option<&'static str> {
    match family {
        LanguageFamily::Python => Some("__init__"),
        LanguageFamily::Script => Some("constructor"),
        LanguageFamily::Ruby => Some("initialize"),
        LanguageFamily::Declared(_) => {
            let name = family.declared_rules().map(|rules| rules.constructor.as_str());
            name.filter(|name| !name.is_empty())
        }
        // In Java and C# a constructor has the name of its type.
        _ => None,
    }
}
