//! Whether a path where nothing stands yet would be indexed: the rules of the walk, asked for a name.

use super::attributes::Attributes;
use super::rules::RuleReader;
use super::{Excludes, WalkOptions, in_go_vendor};
use std::collections::BTreeMap;
use std::path::Path;

/// Whether a file at `path`, which does not exist, would be taken in.
pub(super) fn takes(root: &Path, options: &WalkOptions, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let mut folder = root.to_owned();
    let mut standing = 0;
    // As far as there are folders, what the walk does with them counts.
    while standing + 1 < parts.len() && folder.join(parts[standing]).is_dir() {
        folder.push(parts[standing]);
        standing += 1;
    }
    if standing > 0 && !is_walked(root, options, &parts[..standing].join("/")) {
        return false;
    }
    let reader = RuleReader::new(root);
    let rules = reader.of_folder(&folder);
    let mut at = folder;
    for (i, part) in parts.iter().enumerate().skip(standing) {
        at.push(part);
        if reader.leaves_out(&rules, &at, i + 1 < parts.len()) {
            return false;
        }
    }
    let excluded = Excludes::new(root, &options.exclude).is_ok_and(|excludes| excludes.cover(path));
    !excluded && Attributes::new(root).skip(path).is_none() && !in_go_vendor(root, path, &mut BTreeMap::new())
}

/// Whether the walk comes into a folder that exists: it would see a name in it.
fn is_walked(root: &Path, options: &WalkOptions, folder: &str) -> bool {
    let wanted = root.join(folder);
    let folders = super::list_folders(root, options, &|path| wanted.starts_with(path));
    folders.is_ok_and(|folders| folders.contains(&wanted))
}
