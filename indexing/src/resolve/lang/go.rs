//! Go: packages are folders, and import paths start with a module path.

use super::super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::super::resolver::{ImportTarget, Resolver};
use super::super::same_name_symbols::FileRegion;
use kenning_graph::paths::{join_path, parent_folder, path_below};

/// Returns the symbols that the files of a folder export under a name. Only files of the folder see
/// the symbols of its test files.
pub(super) fn find_folder_export<'a>(resolver: &Resolver<'a>, folder: &str, name: &str) -> Resolution<'a> {
    let own_package = parent_folder(resolver.path) == folder;
    resolver.top_level_in_region(FileRegion::Folder(folder), name, |s| {
        own_package || !s.path.ends_with("_test.go")
    })
}

/// Returns the target of an import path: a folder of the workspace or an external package.
pub(super) fn import_target<'a>(resolver: &Resolver<'a>, import: &str) -> ImportTarget<'a> {
    let folder =
        resolver.project.go_modules.iter().find_map(|module| module.folder_of_package(import)).or_else(
            || {
                let modules = resolver.project.go_modules.iter();
                let mut folders = modules.flat_map(|module| &module.replacements).filter_map(|replacement| {
                    path_below(import, &replacement.path).map(|rest| join_path(&replacement.folder, rest))
                });
                folders.next()
            },
        );
    match folder {
        Some(folder) if resolver.view.files_in_folder(&folder).is_empty() => ImportTarget::Unknown,
        Some(folder) => ImportTarget::Modules(vec![ModuleRef::Folder(folder)]),
        None => ImportTarget::External(import.to_owned()),
    }
}

/// Looks up a name in the other files of the package, and among the names of imported packages.
/// Only test files see the declarations of test files.
pub(super) fn resolve_unimported_name<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    let is_in_test = scope.path.ends_with("_test.go");
    let folder = FileRegion::Folder(parent_folder(scope.path));
    let found = resolver.top_level_in_region(folder, name, |s| is_in_test || !s.path.ends_with("_test.go"));
    if found.is_empty() && !resolver.family.language_builtins().names.contains(name) {
        return find_imported_package(resolver, scope.path, name);
    }
    found
}

/// Returns the imported package with this declared name. An import shows only the folder of the
/// package, whose name may differ. This lookup comes last, because few packages differ in name from
/// their folder.
fn find_imported_package<'a>(resolver: &Resolver<'a>, path: &str, name: &str) -> Resolution<'a> {
    let declaring_files = resolver.view.paths_of_package(name);
    if declaring_files.is_empty() {
        return Resolution::not_found();
    }
    let imports = resolver.view.imports_of_file(path);
    let whole_imports = imports.iter().filter(|import| import.name.is_empty() && !import.alias.is_empty());
    let modules = whole_imports.filter_map(|import| match import_target(resolver, &import.path) {
        ImportTarget::Modules(modules) => modules.into_iter().next(),
        _ => None,
    });
    let mut matching = modules.filter(|module| {
        let is_in_module =
            |path: &&str| matches!(module, ModuleRef::Folder(folder) if parent_folder(path) == folder);
        declaring_files.iter().any(is_in_module)
    });
    matching.next().map_or_else(Resolution::not_found, |module| {
        Resolution::from_definitions(vec![Definition::Module(module)])
    })
}
