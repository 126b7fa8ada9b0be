//! Families whose rules are data ([`FamilyRules`]): resolves imports of files, packages or modules,
//! and names that are visible without an import.
//!
//! The rules of a family select among the kinds of imports: namespaces and types by a dotted path,
//! declared packages, qualified names of types, modules that are files, and paths of files. An
//! import that leads nowhere is external. Java's rules for packages apply to all families with
//! packages. This module must not name any language.

mod module_files;

pub(super) use module_files::find_returned_member;

use super::super::definition::{Definition, ExternalSymbol, LookupScope, ModuleRef, Resolution};
use super::super::resolver::{ImportTarget, Resolver};
use super::super::tracked_snapshot::split_last_segment;
use super::java;
use crate::languages::{FamilyRules, VisibleRegion};
use kenning_graph::facts::ImportFact;
use kenning_graph::paths::{join_path, join_relative, parent_folder};
use kenning_graph::{SymbolRef, Visibility};
use std::rc::Rc;

/// Returns the target of an import: a declared package or type, a module, or a file.
pub(super) fn import_target<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    import: &ImportFact,
) -> ImportTarget<'a> {
    let Some(rules) = resolver.family.declared_rules() else { return ImportTarget::Unknown };
    if rules.namespace_imports && !(import.name.is_empty() && import.alias.is_empty()) {
        return namespace_target(resolver, path, import);
    }
    if let Some(found) = resolve_special_import(resolver, import) {
        return ImportTarget::Types(found.definitions);
    }
    if rules.package_imports {
        let found = match find_imported_package(resolver, rules, path, import) {
            // Packages outside the workspace can have the same name.
            ImportTarget::Modules(modules)
                if !matches!(import.name.as_str(), "" | "*")
                    && modules
                        .iter()
                        .all(|module| resolver.resolve_export(module, &import.name).is_empty()) =>
            {
                ImportTarget::External(import.path.clone())
            }
            ImportTarget::Unknown => ImportTarget::External(import.path.clone()),
            found => found,
        };
        if rules.import_files.is_empty() || !matches!(found, ImportTarget::External(_)) {
            return found;
        }
    }
    if rules.qualified_imports {
        let found = module_files::find_qualified_types(resolver, &import.path);
        return if found.is_empty() {
            ImportTarget::External(import.path.clone())
        } else {
            ImportTarget::Types(found.definitions)
        };
    }
    if rules.file_modules {
        return module_files::module_path_target(resolver, rules, path, &import.path);
    }
    match find_imported_file(resolver, rules, path, &import.path) {
        Some(file) => ImportTarget::Modules(vec![ModuleRef::from_path(file)]),
        None => ImportTarget::External(import.path.clone()),
    }
}

/// Returns the namespace or type that the dotted path of an import names.
fn namespace_target<'a>(resolver: &Resolver<'a>, path: &str, import: &ImportFact) -> ImportTarget<'a> {
    let found = resolver.resolve_type_path(LookupScope { path, container: "" }, &import.path);
    let is_type = |definition: &Definition| matches!(definition, Definition::Symbol(s) if s.kind.is_type());
    let types: Vec<Definition> = found.definitions.into_iter().filter(is_type).collect();
    if types.is_empty() { ImportTarget::External(import.path.clone()) } else { ImportTarget::Types(types) }
}

/// Returns a member of a namespace that no file declares inside the namespace. A namespace of the
/// standard library has members outside the workspace. In other files a macro may open the
/// namespace, so that its members look like top-level symbols.
pub(super) fn find_hidden_member<'a>(
    resolver: &Resolver<'a>,
    namespace: &SymbolRef<'a>,
    name: &str,
) -> Resolution<'a> {
    if resolver.family.language_builtins().names.contains(namespace.name) {
        return Resolution::builtin();
    }
    let mut found = resolver.top_level_where(name, |s| resolver.sees_file(s.path));
    found.is_likely = !found.is_empty();
    found
}

/// Finds the package or the types that an import path names.
fn find_imported_package<'a>(
    resolver: &Resolver<'a>,
    rules: &FamilyRules,
    path: &str,
    import: &ImportFact,
) -> ImportTarget<'a> {
    if import.path.is_empty() && rules.global_package {
        let global = find_in_global_package(resolver, &import.name);
        return if global.is_empty() {
            ImportTarget::External(String::new())
        } else {
            ImportTarget::Types(global.definitions)
        };
    }
    let found = java::import_target(resolver, import);
    if !rules.relative_imports || !matches!(found, ImportTarget::External(_)) {
        return found;
    }
    let mut outer = resolver.package_of_file(path);
    while !outer.is_empty() {
        let relative = ImportFact { path: format!("{outer}.{}", import.path), ..import.clone() };
        match java::import_target(resolver, &relative) {
            ImportTarget::External(_) | ImportTarget::Unknown => outer = split_last_segment(outer).0,
            found => return found,
        }
    }
    found
}

/// Resolves an import that names a package (`use App\Core`) or an extension function. Returns
/// `None` for all other imports.
pub(super) fn resolve_special_import<'a>(
    resolver: &Resolver<'a>,
    import: &ImportFact,
) -> Option<Resolution<'a>> {
    let rules = resolver.family.declared_rules().filter(|rules| rules.package_imports)?;
    if matches!(import.name.as_str(), "" | "*") || import.path.is_empty() {
        return None;
    }
    if resolver.view.files_of_package(&import.path).is_empty() {
        let package = format!("{}.{}", import.path, import.name);
        let is_package = !resolver.view.files_of_package(&package).is_empty();
        return is_package.then(|| resolution_of_package(package));
    }
    let module = ModuleRef::Package(import.path.clone());
    if !rules.extension_functions || !resolver.resolve_export(&module, &import.name).is_empty() {
        return None;
    }
    // Only extensions can be imported from a package and belong to a type.
    let mut found = resolver.symbols_named_where(&import.name, |symbol| {
        !symbol.container.is_empty()
            && !symbol.container.contains('.')
            && resolver.package_of_file(symbol.path) == import.path
    });
    found.is_likely = true;
    (!found.is_empty()).then_some(found)
}

fn resolution_of_package<'a>(package: String) -> Resolution<'a> {
    Resolution::from_definitions(vec![Definition::Module(ModuleRef::Package(package))])
}

/// Looks up a top-level name in the files without a package.
fn find_in_global_package<'a>(resolver: &Resolver<'a>, name: &str) -> Resolution<'a> {
    resolver.top_level_where(name, |symbol| resolver.package_of_file(symbol.path).is_empty())
}

/// Resolves a path that starts at the root: a name of the global package or the full name of a
/// package. A path that leads nowhere is external.
pub(super) fn resolve_absolute_path<'a>(resolver: &Resolver<'a>, path: &str) -> Resolution<'a> {
    let found = match path.split_once('.') {
        Some(_) => find_full_name(resolver, path),
        None => find_in_global_package(resolver, path),
    };
    if !found.is_empty() {
        return found;
    }
    let (package, name) = split_last_segment(path);
    let external = ExternalSymbol::new(package, name);
    Resolution::from_definitions(vec![Definition::External(Rc::new(external))])
}

/// Resolves a type path that no scope or import leads to: the qualified name of a type, a path that
/// starts with the name of a library, or the full name of a package.
pub(super) fn resolve_type_fallback<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    path: &str,
) -> Resolution<'a> {
    let Some(rules) = resolver.family.declared_rules() else { return Resolution::not_found() };
    if rules.qualified_imports {
        return module_files::find_qualified_types(resolver, path);
    }
    if rules.file_modules && path.contains('.') {
        return match module_files::module_path_target(resolver, rules, scope.path, path) {
            ImportTarget::Modules(modules) => {
                Resolution::from_definitions(modules.into_iter().map(Definition::Module).collect())
            }
            ImportTarget::Types(types) => Resolution::from_definitions(types),
            ImportTarget::External(_) | ImportTarget::Unknown => Resolution::not_found(),
        };
    }
    find_full_name(resolver, path)
}

/// Resolves a path that starts with the full name of a package.
fn find_full_name<'a>(resolver: &Resolver<'a>, path: &str) -> Resolution<'a> {
    let rules = resolver.family.declared_rules().filter(|rules| rules.package_imports);
    if rules.is_some() && !resolver.view.files_of_package(path).is_empty() {
        return resolution_of_package(path.to_owned());
    }
    let (mut package, mut names) = (path, Vec::new());
    while rules.is_some() && !package.is_empty() {
        let (outer, name) = split_last_segment(package);
        names.push(name);
        package = outer;
        if !package.is_empty() && !resolver.view.files_of_package(package).is_empty() {
            let mut found = resolution_of_package(package.to_owned());
            for name in names.iter().rev() {
                found = resolver.resolve_member(&found, name);
            }
            return found;
        }
    }
    Resolution::not_found()
}

/// Finds the file that an import path names: in a package, next to the importing file, or below one
/// of the import folders.
fn find_imported_file(resolver: &Resolver, rules: &FamilyRules, path: &str, import: &str) -> Option<String> {
    if import == "." {
        // The file imports itself.
        return Some(path.to_owned());
    }
    let exists = |file: &String| resolver.view.file_exists(file);
    if let Some(packages) = &rules.packages
        && let Some(rest) = import.strip_prefix(packages.prefix.as_str())
    {
        let (package, file) = rest.split_once('/')?;
        let folder = resolver.project.package_folders.get(&rules.id)?.get(package)?;
        let source_folder = join_path(folder, &packages.source_folder);
        return Some(join_path(&source_folder, file)).filter(exists);
    }
    let names: Vec<String> =
        rules.import_files.iter().map(|pattern| pattern.replace("{path}", import)).collect();
    let beside = names.iter().filter_map(|name| join_relative(parent_folder(path), name)).find(exists);
    beside.or_else(|| {
        let folders = resolver.project.import_folders.get(&rules.id)?;
        let below = folders.iter().flat_map(|folder| names.iter().map(|name| join_path(folder, name)));
        below.into_iter().find(exists)
    })
}

/// Keeps the symbols whose files have the most folders in common with a path.
fn keep_nearest(symbols: &mut Vec<SymbolRef>, path: &str) {
    let shared_folders = |symbol: &SymbolRef| {
        let folders = parent_folder(symbol.path).split('/').zip(parent_folder(path).split('/'));
        folders.take_while(|(a, b)| a == b).count()
    };
    let most = symbols.iter().map(shared_folders).max();
    symbols.retain(|symbol| Some(shared_folders(symbol)) == most);
}

/// Looks up a top-level name that is visible without an import.
pub(super) fn resolve_unimported_name<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    let Some(rules) = resolver.family.declared_rules() else { return Resolution::not_found() };
    if rules.file_modules {
        return module_files::find_module_files(resolver, rules, scope.path, name);
    }
    let found = match rules.visible_in {
        VisibleRegion::Workspace => {
            // A private definition can belong to a visible declaration.
            let is_visible =
                |s: &SymbolRef<'a>| rules.separate_definitions || s.visibility != Visibility::Private;
            let symbols = resolver.view.symbols_in_container("", name);
            let mut visible: Vec<SymbolRef> = symbols.iter().filter(is_visible).collect();
            if rules.nearest_names {
                keep_nearest(&mut visible, scope.path);
            }
            resolver.resolution_of_symbols(visible)
        }
        VisibleRegion::Package => java::resolve_unimported_name(resolver, scope, name),
        VisibleRegion::File => Resolution::not_found(),
    };
    if found.is_empty() && rules.global_package { find_in_global_package(resolver, name) } else { found }
}
