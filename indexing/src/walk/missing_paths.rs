//! The rules of the walk for a path where no file exists yet.

use super::ignore_rules::RuleReader;
use super::{ExcludePatterns, WalkOptions, is_in_go_vendor};
use std::collections::BTreeMap;
use std::path::Path;

/// Whether the walk would find a new file at `path`, where nothing exists yet.
pub(super) fn accepts_missing_path(root: &Path, options: &WalkOptions, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let mut folder = root.to_owned();
    let mut existing = 0;
    // For existing folders, the walk decides.
    while existing + 1 < parts.len() && folder.join(parts[existing]).is_dir() {
        folder.push(parts[existing]);
        existing += 1;
    }
    if existing > 0 && !is_folder_walked(root, options, &parts[..existing].join("/")) {
        return false;
    }
    let reader = RuleReader::new(root);
    let rules = reader.rules_in_folder(&folder);
    let mut path_so_far = folder;
    for (index, part) in parts.iter().enumerate().skip(existing) {
        path_so_far.push(part);
        if reader.is_ignored(&rules, &path_so_far, index + 1 < parts.len()) {
            return false;
        }
    }
    let excluded =
        ExcludePatterns::new(root, &options.exclude).is_ok_and(|excludes| excludes.covers_path(path));
    !excluded && !is_in_go_vendor(root, path, &mut BTreeMap::new())
}

/// Whether the walk enters an existing folder, and so would visit the names in it.
fn is_folder_walked(root: &Path, options: &WalkOptions, folder: &str) -> bool {
    let target = root.join(folder);
    let folders = super::list_folders(root, options, &|path| target.starts_with(path));
    folders.is_ok_and(|folders| folders.contains(&target))
}
