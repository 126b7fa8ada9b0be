//! The folders from which the import paths of the declared families start: the root and every
//! folder with one of the names that the family's rules list.

use crate::languages::LanguageRegistry;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the import folders of every declared family that has files, sorted, by family.
pub(super) fn find_import_folders(paths: &[String]) -> BTreeMap<String, Vec<String>> {
    let registry = LanguageRegistry::get();
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in paths {
        let Some(language) = registry.find_by_path(path) else { continue };
        let Some(rules) = registry.family_rules().iter().find(|rules| rules.id == language.row.family) else {
            continue;
        };
        if rules.import_files.is_empty() {
            continue;
        }
        let folders = found.entry(&rules.id).or_default();
        folders.insert("");
        let slashes = path.match_indices('/').map(|(slash, _)| &path[..slash]);
        let is_named = |folder: &&str| {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            rules.import_folders.iter().any(|import_folder| import_folder == name || import_folder == "*")
        };
        folders.extend(slashes.filter(is_named));
    }
    let owned = |folders: BTreeSet<&str>| folders.into_iter().map(str::to_owned).collect();
    found.into_iter().map(|(family, folders)| (family.to_owned(), owned(folders))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_are_the_root_and_those_with_a_listed_name() {
        let paths = ["lib/include/a/b.h", "x/y.c", "z.py"].map(str::to_owned);
        assert_eq!(find_import_folders(&paths)["c"], ["", "lib", "lib/include"]);
        assert!(find_import_folders(&paths[2..]).is_empty());
    }
}
