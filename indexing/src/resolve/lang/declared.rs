//! Families whose rules are data (`FamilyRules`): imports of files, packages or modules, and names
//! that are visible without an import.

use super::super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::super::resolver::{ImportTarget, Resolver};
use super::super::tracked_snapshot::split_last_segment;
use super::java;
use crate::languages::{FamilyRules, VisibleRegion};
use kenning_graph::facts::ImportFact;
use kenning_graph::paths::{folder_of, join_path, join_relative};
use kenning_graph::{SymbolRef, Visibility};

/// Maximum number of files that one module name can stand for. With more, the name says nothing.
const MAX_MODULE_FILES: usize = 8;

/// Returns the target of an import: a declared package or type, a module, or a file.
pub(super) fn import_target<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    import: &ImportFact,
) -> ImportTarget<'a> {
    let Some(rules) = resolver.family.declared_rules() else { return ImportTarget::Unknown };
    if rules.package_imports {
        let found = java::import_target(resolver, import);
        if rules.import_files.is_empty() || !matches!(found, ImportTarget::External(_)) {
            return found;
        }
    }
    if rules.qualified_imports {
        let found = find_qualified_types(resolver, &import.path);
        return if found.is_empty() {
            ImportTarget::External(import.path.clone())
        } else {
            ImportTarget::Types(found.definitions)
        };
    }
    if rules.file_modules {
        return module_path_target(resolver, rules, path, &import.path);
    }
    match find_imported_file(resolver, rules, path, &import.path) {
        Some(file) => ImportTarget::Modules(vec![ModuleRef::from_path(file)]),
        None => ImportTarget::External(import.path.clone()),
    }
}

/// Finds the file that an import path names: in a package, next to the importing file, or below one
/// of the import folders.
fn find_imported_file(resolver: &Resolver, rules: &FamilyRules, path: &str, import: &str) -> Option<String> {
    if import == "." {
        // A file that names itself.
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
    let beside = names.iter().filter_map(|name| join_relative(folder_of(path), name)).find(exists);
    beside.or_else(|| {
        let folders = resolver.project.import_folders.get(&rules.id)?;
        let below = folders.iter().flat_map(|folder| names.iter().map(|name| join_path(folder, name)));
        below.into_iter().find(exists)
    })
}

/// Returns the target of a path of modules (`Foo.Bar`), whose first segment is the module of a file.
/// The path may start with the name of a library, which no file has.
fn module_path_target<'a>(
    resolver: &Resolver<'a>,
    rules: &FamilyRules,
    path: &str,
    import: &str,
) -> ImportTarget<'a> {
    let (first, rest) = import.split_once('.').unwrap_or((import, ""));
    let imported = resolver.lookup_name(LookupScope { path, container: "" }, first);
    let mut found = if imported.is_empty() {
        find_module_files(resolver, rules, path, first)
    } else {
        (*imported).clone()
    };
    if found.is_empty() {
        return match rest {
            "" => ImportTarget::External(import.to_owned()),
            rest => module_path_target(resolver, rules, path, rest),
        };
    }
    for segment in rest.split('.').filter(|segment| !segment.is_empty()) {
        found = resolver.resolve_member(&found, segment);
    }
    let modules: Option<Vec<ModuleRef>> = found.definitions.iter().map(as_module).collect();
    match modules {
        _ if found.is_empty() => ImportTarget::External(import.to_owned()),
        Some(modules) => ImportTarget::Modules(modules),
        None => ImportTarget::Types(found.definitions),
    }
}

fn as_module(definition: &Definition) -> Option<ModuleRef> {
    match definition {
        Definition::Module(module) => Some(module.clone()),
        _ => None,
    }
}

/// Returns the modules of the files with the uncapitalized name of a module: the file in the same
/// folder, or else those in the import folders.
fn find_module_files<'a>(
    resolver: &Resolver<'a>,
    rules: &FamilyRules,
    path: &str,
    name: &str,
) -> Resolution<'a> {
    let mut letters = name.chars();
    let Some(first) = letters.next().filter(|first| first.is_uppercase()) else {
        return Resolution::not_found();
    };
    let stem: String = first.to_lowercase().chain(letters).collect();
    let module_in = |folder: &str| {
        let files = rules.import_files.iter().map(|file| join_path(folder, &file.replace("{path}", &stem)));
        files.into_iter().find(|file| resolver.view.file_exists(file))
    };
    let as_resolution = |files: Vec<String>| {
        Resolution::from_definitions(
            files.into_iter().map(|file| Definition::Module(ModuleRef::from_path(file))).collect(),
        )
    };
    if let Some(file) = module_in(folder_of(path)) {
        return as_resolution(vec![file]);
    }
    let folders = resolver.project.import_folders.get(&rules.id);
    let files: Vec<String> = folders.into_iter().flatten().filter_map(|folder| module_in(folder)).collect();
    if files.len() > MAX_MODULE_FILES { Resolution::not_found() } else { as_resolution(files) }
}

/// Returns the types and modules with a qualified name in any file.
fn find_qualified_types<'a>(resolver: &Resolver<'a>, qualified: &str) -> Resolution<'a> {
    let (container, name) = split_last_segment(qualified);
    let symbols = resolver.view.symbols_in_container(container, name);
    resolver.resolution_of_symbols(symbols.iter().filter(|s| s.kind.is_type()).collect())
}

/// Looks up a top-level name that is visible without an import.
pub(super) fn resolve_implicit<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    let Some(rules) = resolver.family.declared_rules() else { return Resolution::not_found() };
    if rules.file_modules {
        return find_module_files(resolver, rules, scope.path, name);
    }
    match rules.visible_in {
        VisibleRegion::Workspace => {
            resolver.top_level_where(name, |s: &SymbolRef| s.visibility != Visibility::Private)
        }
        VisibleRegion::Package => java::resolve_implicit(resolver, scope, name),
        VisibleRegion::File => Resolution::not_found(),
    }
}

/// Resolves a type path that no scope or import leads to: the qualified name of a type, or a path
/// that starts with the name of a library.
pub(super) fn resolve_type_fallback<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    path: &str,
) -> Resolution<'a> {
    let Some(rules) = resolver.family.declared_rules() else { return Resolution::not_found() };
    if rules.qualified_imports {
        return find_qualified_types(resolver, path);
    }
    if rules.file_modules && path.contains('.') {
        return match module_path_target(resolver, rules, scope.path, path) {
            ImportTarget::Modules(modules) => {
                Resolution::from_definitions(modules.into_iter().map(Definition::Module).collect())
            }
            ImportTarget::Types(types) => Resolution::from_definitions(types),
            ImportTarget::External(_) | ImportTarget::Unknown => Resolution::not_found(),
        };
    }
    Resolution::not_found()
}

/// Returns a member of the value that a file returns to those that import it.
pub(super) fn find_returned_member<'a>(
    resolver: &Resolver<'a>,
    module: &ModuleRef,
    name: &str,
) -> Resolution<'a> {
    let ModuleRef::File { path, container } = module else { return Resolution::not_found() };
    if !container.is_empty() || !resolver.family.declares(|rules| rules.returned_values) {
        return Resolution::not_found();
    }
    let returned = resolver.package_of_file(path);
    if returned.is_empty() {
        return Resolution::not_found();
    }
    resolver.symbols_in_scope_where(LookupScope { path, container: returned }, name, |_| true)
}
