//! Differences between languages: the targets of imports, the names that are visible without an
//! import, the members that every type has, and the properties of families.
//!
//! Each function dispatches on the family of the file; each submodule has the rules of one
//! language. `family_properties` answers the yes-or-no questions of the code that all families
//! share, so that the code outside this module names no language.

mod csharp;
mod declared;
pub(super) mod ecmascript;
pub(super) mod family;
mod family_properties;
mod go;
pub(super) mod go_interfaces;
mod java;
mod python;
pub(super) mod ruby;
mod rust;
pub(super) mod rust_impls;
pub(super) mod type_ref;

use super::definition::{Definition, LocatedType, LookupScope, ModuleRef, Resolution};
use super::file_context::FileContext;
use super::path_notation::ValuePart;
use super::resolver::{ImportTarget, Resolver};
use family::LanguageFamily;
use kenning_graph::facts::ImportFact;
use kenning_graph::paths::{is_same_folder, lies_in_folder, parent_folder};
use kenning_graph::{SymbolKind, SymbolRef};

pub(super) use csharp::{has_receiver_parameter, is_extension_method};
pub(super) use ecmascript::keep_called_declarations;
pub(super) use ecmascript::this_value::resolve_this_member;
pub(super) use ecmascript::values::resolve_path as resolve_factory;
pub(super) use family_properties::{MemberRegion, UnboundCalls};
pub(super) use java::is_record_component;
pub(super) use python::special_method_names;
pub(super) use ruby::includer_members;
pub(super) use rust::is_same_crate;

/// Returns the target of an import of the file at `path`, for a lookup of the name that it binds.
pub(super) fn import_target<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    import: &ImportFact,
    bound: &str,
) -> ImportTarget<'a> {
    let find_target = || match resolver.family {
        LanguageFamily::Go => go::import_target(resolver, &import.path),
        LanguageFamily::Python => python::import_target(resolver, path, import, bound),
        LanguageFamily::Script => ecmascript::import_target(resolver, path, &import.path),
        LanguageFamily::Rust => rust::import_target(resolver, path, import),
        LanguageFamily::Java => java::import_target(resolver, import),
        LanguageFamily::CSharp => csharp::import_target(resolver, import),
        LanguageFamily::Ruby => ruby::import_target(resolver, path, &import.path),
        LanguageFamily::Declared(_) => declared::import_target(resolver, path, import),
    };
    resolver.with_nesting_limit(find_target).unwrap_or(ImportTarget::Unknown)
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

/// Resolves a type expression in a language whose type expressions have rules of their own. Returns
/// `None` in other languages.
pub(super) fn resolve_special_type<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    text: &str,
) -> Option<Resolution<'a>> {
    match resolver.family {
        LanguageFamily::Script => Some(ecmascript::types::resolve_type(resolver, scope, text)),
        _ => None,
    }
}

/// Resolves a path in a file of a language whose paths have rules of their own. Returns `None` in
/// other languages.
pub(super) fn resolve_special_path<'a>(
    context: &FileContext<'a>,
    path: &str,
    scope: u32,
    at: u32,
) -> Option<Resolution<'a>> {
    match context.resolver.family {
        LanguageFamily::Script => Some(context.resolve_script_path(path, scope, at)),
        _ => None,
    }
}

/// Resolves a name without a receiver in a file of a language whose scopes have rules of their own.
/// Returns `None` in other languages.
pub(super) fn resolve_special_name<'a>(
    context: &FileContext<'a>,
    name: &str,
    scope: u32,
    at: u32,
) -> Option<Resolution<'a>> {
    match context.resolver.family {
        LanguageFamily::Script => Some(context.resolve_script_name(name, scope, at)),
        _ => None,
    }
}

/// Resolves a receiver keyword at the start of a value's path that is written outside a function.
/// Returns `None` for other names.
pub(super) fn resolve_receiver_of_value<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Option<Resolution<'a>> {
    match resolver.family {
        LanguageFamily::Python => python::resolve_receiver(resolver, scope, name),
        _ => None,
    }
}

/// Returns a part of a value in a language that has rules of its own for the value. Returns `None`
/// for other values.
pub(super) fn part_of_special_value<'a>(
    resolver: &Resolver<'a>,
    definition: &Definition<'a>,
    part: ValuePart,
) -> Option<Resolution<'a>> {
    match (resolver.family, definition) {
        (LanguageFamily::Rust, _) => Some(rust::part_of_value(resolver, definition, part)),
        (LanguageFamily::Python, Definition::Instance(ty)) => {
            Some(python::part_of_object(resolver, definition, ty, part))
        }
        (LanguageFamily::Ruby, Definition::Symbol(s)) if s.kind.is_type() && part == ValuePart::Index => {
            Some(ruby::bracket_result(resolver, s))
        }
        _ => None,
    }
}

/// Returns the member of a value whose type has no name, in a language whose type expressions have
/// rules of their own. Returns `None` in other languages.
pub(super) fn find_structural_member<'a>(
    resolver: &Resolver<'a>,
    structural_type: &LocatedType,
    name: &str,
) -> Option<Resolution<'a>> {
    match resolver.family {
        LanguageFamily::Script => Some(ecmascript::types::member_of_type(resolver, structural_type, name)),
        _ => None,
    }
}

/// Returns the field that a generated accessor of a type reads or writes.
pub(super) fn find_generated_accessor<'a>(
    resolver: &Resolver<'a>,
    ty: &SymbolRef<'a>,
    name: &str,
) -> Resolution<'a> {
    match resolver.family {
        LanguageFamily::Java => java::find_generated_accessor(resolver, ty, name),
        _ => Resolution::not_found(),
    }
}

/// Returns the value of a field that is declared without a type.
pub(super) fn value_of_untyped_field<'a>(resolver: &Resolver<'a>, field: &SymbolRef<'a>) -> Resolution<'a> {
    match resolver.family {
        LanguageFamily::Script => ecmascript::values::value_of_literal(resolver, field),
        _ => Resolution::not_found(),
    }
}

/// Returns the values that a declared symbol with this type text has, in a language whose type
/// texts depend on the body of the symbol. Returns `None` in other languages.
pub(super) fn value_of_declared_type<'a>(
    resolver: &Resolver<'a>,
    symbol: &SymbolRef<'a>,
) -> Option<Resolution<'a>> {
    match resolver.family {
        LanguageFamily::Script => {
            let inside = ecmascript::this_value::body_container(symbol);
            let scope = ecmascript::this_value::type_scope(symbol, &inside);
            Some(resolver.resolve_type_text(scope, symbol.type_text()))
        }
        _ => None,
    }
}

/// Returns the results of calling a definition, in a language whose calls have rules of their own.
/// Returns `None` in other languages.
pub(super) fn special_call_results<'a>(
    resolver: &Resolver<'a>,
    definition: &Definition<'a>,
) -> Option<Resolution<'a>> {
    match resolver.family {
        LanguageFamily::Script => Some(ecmascript::values::call_results(resolver, definition)),
        _ => None,
    }
}

/// Whether the file imports a module of an external package by its dotted name, so that the path
/// `package.name` counts as a package.
pub(super) fn is_imported_module(resolver: &Resolver, package: &str, name: &str) -> bool {
    resolver.family == LanguageFamily::Python
        && python::is_imported_module(&resolver.view.imports_of_file(resolver.path), package, name)
}

/// Whether code inside the container of a symbol sees the symbol without a receiver.
pub(super) fn is_visible_in_owner(family: LanguageFamily, symbol: &SymbolRef) -> bool {
    family != LanguageFamily::Script || !ecmascript::is_member_symbol(symbol)
}

/// Returns the containers of the top-level symbols of a package, in a language with blocks of
/// namespaces. Returns `None` in other languages.
pub(super) fn top_containers(family: LanguageFamily, package: &str) -> Option<impl Iterator<Item = &str>> {
    (family == LanguageFamily::CSharp).then(|| csharp::top_containers(package))
}

/// Returns the symbols that the files of a folder export under a name, in a language whose packages
/// are folders.
pub(super) fn find_folder_export<'a>(resolver: &Resolver<'a>, folder: &str, name: &str) -> Resolution<'a> {
    match resolver.family {
        LanguageFamily::Go => go::find_folder_export(resolver, folder, name),
        _ => Resolution::not_found(),
    }
}

/// Whether the file can refer to an internal symbol of another file.
pub(super) fn is_internal_visible(resolver: &Resolver, path: &str) -> bool {
    match resolver.family {
        LanguageFamily::Go | LanguageFamily::Java => is_same_folder(path, resolver.path),
        LanguageFamily::Rust => is_same_crate(resolver.project, path, resolver.path),
        _ => true,
    }
}

/// Whether the file can refer to a private symbol of another file.
pub(super) fn is_private_visible(resolver: &Resolver, path: &str) -> bool {
    match resolver.family {
        LanguageFamily::Go => is_same_folder(path, resolver.path),
        LanguageFamily::Rust => lies_in_folder(resolver.path, parent_folder(path)),
        LanguageFamily::Python | LanguageFamily::Ruby => true,
        _ => false,
    }
}
