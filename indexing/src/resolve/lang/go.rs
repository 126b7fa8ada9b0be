//! Go: packages are folders, import paths start with a module path.

use super::super::meaning::{Found, Module, Place};
use super::super::resolver::{Resolver, Target};
use super::super::view::same_folder;
use crate::project::{below, join};

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

/// The other files of the package; what test files declare is seen by test files only.
pub(super) fn implicit<'a>(r: &Resolver<'a>, place: Place, name: &str) -> Found<'a> {
    let from_test = place.path.ends_with("_test.go");
    r.at_top_where(name, |s| same_folder(s.path, place.path) && (from_test || !s.path.ends_with("_test.go")))
}
