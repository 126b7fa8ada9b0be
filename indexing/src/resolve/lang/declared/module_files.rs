//! Families whose modules are files or qualified names: a path names a file by its module name, a
//! type by its qualified name, or the value that a file returns.

use super::super::super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::super::super::resolver::{ImportTarget, Resolver};
use super::super::super::tracked_snapshot::split_last_segment;
use crate::languages::FamilyRules;
use kenning_graph::paths::{join_path, parent_folder};
use std::collections::BTreeMap;

/// Maximum number of files that one module name can refer to. A name with more is not specific.
const MAX_MODULE_FILES: usize = 8;

/// Returns the target of a path of modules (`Foo.Bar`), whose first segment is the module of a
/// file. The path may start with the name of a library, which no file has.
pub(super) fn module_path_target<'a>(
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
/// folder, or else one file of each folder. If a folder has several such files, the file whose name
/// comes first in the family's rules counts.
pub(super) fn find_module_files<'a>(
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
    let names: Vec<String> = rules.import_files.iter().map(|file| file.replace("{path}", &stem)).collect();
    let as_resolution = |files: Vec<String>| {
        Resolution::from_definitions(
            files.into_iter().map(|file| Definition::Module(ModuleRef::from_path(file))).collect(),
        )
    };
    let beside = names.iter().map(|name| join_path(parent_folder(path), name));
    if let Some(file) = beside.into_iter().find(|file| resolver.view.file_exists(file)) {
        return as_resolution(vec![file]);
    }
    let mut by_folder: BTreeMap<&str, &str> = BTreeMap::new();
    for &path in names.iter().flat_map(|name| resolver.view.files_named(name)) {
        by_folder.entry(parent_folder(path)).or_insert(path);
    }
    let files: Vec<String> = by_folder.into_values().map(str::to_owned).collect();
    if files.len() > MAX_MODULE_FILES { Resolution::not_found() } else { as_resolution(files) }
}

/// Returns the types and modules with a qualified name in any file.
pub(super) fn find_qualified_types<'a>(resolver: &Resolver<'a>, qualified: &str) -> Resolution<'a> {
    let (container, name) = split_last_segment(qualified);
    let symbols = resolver.view.symbols_in_container(container, name);
    resolver.resolution_of_symbols(symbols.iter().filter(|s| s.kind.is_type()).collect())
}

/// Returns a member of the value that a file returns to the files that import it.
pub(in super::super) fn find_returned_member<'a>(
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
