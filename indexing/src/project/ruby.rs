//! Ruby's load path: the `lib` folders, and Rails' autoload folders.
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "Ruby compares case-sensitively")]

use super::difference::paths_below;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Returns every folder named `lib`, each folder directly below an `app` folder, and the root,
/// sorted. Returns nothing if there are no Ruby files.
pub(super) fn load_paths(paths: &[String]) -> Vec<String> {
    let mut folders = BTreeSet::new();
    for path in paths.iter().filter(|path| path.ends_with(".rb") || path.ends_with(".rake")) {
        folders.insert(String::new());
        let mut end = 0;
        let parts: Vec<&str> = path.split('/').collect();
        for (at, part) in parts.iter().enumerate().take(parts.len().saturating_sub(1)) {
            end += part.len() + usize::from(at > 0);
            if *part == "lib" || (at > 0 && parts[at - 1] == "app") {
                folders.insert(path[..end].to_owned());
            }
        }
    }
    folders.into_iter().collect()
}

/// Returns the files below a folder that `require` can name, relative to it.
pub(super) fn features_below(folder: &str, paths: &[String]) -> FxHashSet<String> {
    paths_below(folder, paths).filter(|path| path.ends_with(".rb")).map(str::to_owned).collect()
}
