//! Go: packages are folders, import paths start with a module path.

use super::super::meaning::{Found, Meaning, Module, Place};
use super::super::named::Region;
use super::super::resolver::{Resolver, Target};
use crate::project::{below, folder_of, join};

pub(super) fn import_target<'a>(r: &Resolver<'a>, import: &str) -> Target<'a> {
    let folder =
        r.project.go_modules.iter().find_map(|module| module.folder_of_package(import)).or_else(|| {
            let replaced = r.project.go_modules.iter().flat_map(|module| &module.replaced);
            let mut folders =
                replaced.filter_map(|(old, folder)| below(import, old).map(|rest| join(folder, rest)));
            folders.next()
        });
    match folder {
        Some(folder) if r.view.files_in(&folder).is_empty() => Target::Unknown,
        Some(folder) => Target::Modules(vec![Module::Folder(folder)]),
        None => Target::External(import.to_owned()),
    }
}

/// The other files of the package, and packages that are imported; what test files declare is seen by test files only.
pub(super) fn implicit<'a>(r: &Resolver<'a>, place: Place, name: &str) -> Found<'a> {
    let from_test = place.path.ends_with("_test.go");
    let folder = Region::Folder(folder_of(place.path));
    let found = r.at_top_within(folder, name, |s| from_test || !s.path.ends_with("_test.go"));
    if found.is_empty() && !r.family.builtins().names.contains(name) {
        return imported_package(r, place.path, name);
    }
    found
}

/// The imported package that declares this name for itself: its folder may have another, which is all that the text of
/// the import tells. Looked for last, since hardly any package has two names.
fn imported_package<'a>(r: &Resolver<'a>, path: &str, name: &str) -> Found<'a> {
    let declaring = r.view.paths_of_package(name);
    if declaring.is_empty() {
        return Found::nothing();
    }
    let imports = r.view.imports_of(path);
    let named = imports.iter().filter(|import| import.name.is_empty() && !import.alias.is_empty());
    let modules = named.filter_map(|import| match import_target(r, &import.path) {
        Target::Modules(modules) => modules.into_iter().next(),
        _ => None,
    });
    let mut declared = modules.filter(|module| {
        let in_it = |path: &&str| matches!(module, Module::Folder(folder) if folder_of(path) == folder);
        declaring.iter().any(in_it)
    });
    declared.next().map_or_else(Found::nothing, |module| Found::of(vec![Meaning::Module(module)]))
}
