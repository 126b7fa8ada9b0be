//! The folders from which the import paths of the declared families start: the root, every folder
//! with one of the names that the family's rules list, and the search paths of compile commands.

use super::ManifestReader;
use super::compile_commands;
use crate::languages::LanguageRegistry;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the import folders of every declared family that has files, sorted, by family.
pub(super) fn find_import_folders(
    paths: &[String],
    folders: &[String],
    source: &mut ManifestReader,
) -> BTreeMap<String, Vec<String>> {
    let registry = LanguageRegistry::get();
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for path in paths {
        let Some(language) = registry.find_by_path(path) else { continue };
        let Some(rules) = registry.family_rules().iter().find(|rules| rules.id == language.row.family) else {
            continue;
        };
        if rules.import_files.is_empty() {
            continue;
        }
        let is_new = !found.contains_key(rules.id.as_str());
        let family_folders = found.entry(&rules.id).or_default();
        if is_new {
            family_folders.insert(String::new());
            if rules.compile_commands {
                family_folders.extend(compile_commands::search_paths(paths, folders, source));
            }
        }
        let slashes = path.match_indices('/').map(|(slash, _)| &path[..slash]);
        let is_named = |folder: &&str| {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            rules.import_folders.iter().any(|import_folder| import_folder == name)
        };
        for folder in slashes.filter(is_named) {
            if !family_folders.contains(folder) {
                family_folders.insert(folder.to_owned());
            }
        }
    }
    found.into_iter().map(|(family, folders)| (family.to_owned(), folders.into_iter().collect())).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_root_and_folders_with_listed_names_are_import_folders() {
        let paths = ["lib/include/a/b.h", "x/y.c", "z.py"].map(str::to_owned);
        let find =
            |paths: &[String]| crate::project::Project::read_manifests(paths, &|_| Ok(None)).import_folders;
        assert_eq!(find(&paths)["c"], ["", "lib", "lib/include"]);
        assert!(find(&paths[2..]).is_empty());
    }
}
