//! Families whose rules are data (`FamilyRules`): imports of files or packages, and names that are
//! visible without an import.

use super::super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::super::resolver::{ImportTarget, Resolver};
use super::java;
use crate::languages::{FamilyRules, VisibleRegion};
use kenning_graph::SymbolRef;
use kenning_graph::facts::ImportFact;
use kenning_graph::paths::{folder_of, join_path, join_relative};

/// Returns the target of an import: a declared package or type, or a file.
pub(super) fn import_target<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    import: &ImportFact,
) -> ImportTarget<'a> {
    let Some(rules) = resolver.family.declared_rules() else { return ImportTarget::Unknown };
    if rules.namespace_imports && !(import.name.is_empty() && import.alias.is_empty()) {
        return namespace_target(resolver, path, import);
    }
    if rules.package_imports {
        let found = java::import_target(resolver, import);
        if rules.import_files.is_empty() || !matches!(found, ImportTarget::External(_)) {
            return found;
        }
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

/// Returns a member of a namespace that no file shows inside of it. A namespace of the standard
/// library has members outside the workspace. In other files a macro may open the namespace, so that
/// its members look like top-level symbols.
pub(super) fn find_hidden_member<'a>(
    resolver: &Resolver<'a>,
    namespace: &SymbolRef<'a>,
    name: &str,
) -> Resolution<'a> {
    if resolver.family.language_builtins().names.contains(namespace.name) {
        return Resolution::from_builtin();
    }
    let mut found = resolver.top_level_where(name, |s| resolver.sees_file(s.path));
    found.likely = !found.is_empty();
    found
}

/// Finds the file that an import path names: next to the importing file, or below one of the import
/// folders.
fn find_imported_file(resolver: &Resolver, rules: &FamilyRules, path: &str, import: &str) -> Option<String> {
    let exists = |file: &String| resolver.view.file_exists(file);
    let names: Vec<String> =
        rules.import_files.iter().map(|pattern| pattern.replace("{path}", import)).collect();
    let beside = names.iter().filter_map(|name| join_relative(folder_of(path), name)).find(exists);
    beside.or_else(|| {
        let folders = resolver.project.import_folders.get(&rules.id)?;
        let below = folders.iter().flat_map(|folder| names.iter().map(|name| join_path(folder, name)));
        below.into_iter().find(exists)
    })
}

/// Looks up a top-level name that is visible without an import.
pub(super) fn resolve_implicit<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    match resolver.family.declared_rules().map(|rules| rules.visible_in) {
        Some(VisibleRegion::Workspace) => resolver.top_level_where(name, |_| true),
        Some(VisibleRegion::Package) => java::resolve_implicit(resolver, scope, name),
        Some(VisibleRegion::File) | None => Resolution::not_found(),
    }
}
