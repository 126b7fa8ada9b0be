//! Python source roots: the folders from which absolute imports start.
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "Python compares case-sensitively")]

use super::difference::paths_below;
use super::{ManifestReader, sort_deepest_first};
use kenning_graph::paths::{join_path, parent_folder};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Returns the source roots, deepest first: the folder above each outermost package (a folder with
/// `__init__.py`), the folders of `pyproject.toml`, `setup.py` and `setup.cfg` with their `src`,
/// and the workspace. Empty without Python files.
///
/// A test or script finds the modules next to it without a root, because resolution tries the
/// importing file's own folder after the roots.
pub(super) fn python_roots(paths: &[String], folders: &[String], source: &mut ManifestReader) -> Vec<String> {
    if !paths.iter().any(|path| is_python_file(path)) {
        return Vec::new();
    }
    let packages: BTreeSet<&str> = paths
        .iter()
        .filter(|path| path.ends_with("/__init__.py") || path.ends_with("/__init__.pyi"))
        .map(|path| parent_folder(path))
        .collect();
    let known_folders: BTreeSet<&str> = folders.iter().map(String::as_str).collect();
    let mut roots = BTreeSet::from([String::new()]);
    for &package in &packages {
        let above = parent_folder(package);
        if !packages.contains(above) {
            roots.insert(above.to_owned());
        }
    }
    for folder in folders {
        let manifests = ["pyproject.toml", "setup.py", "setup.cfg"];
        if manifests.iter().any(|name| source.manifest_text(&join_path(folder, name)).is_some()) {
            roots.insert(folder.clone());
            let nested = join_path(folder, "src");
            if known_folders.contains(nested.as_str()) {
                roots.insert(nested);
            }
        }
    }
    let mut roots: Vec<String> = roots.into_iter().collect();
    sort_deepest_first(&mut roots, |root| root);
    roots
}

/// Returns the path that resolution tries first for each module below a folder, relative to the
/// folder: the `__init__.py` of a package. Folders are also modules.
pub(super) fn modules_below(folder: &str, paths: &[String]) -> FxHashSet<String> {
    let mut init_paths = FxHashSet::default();
    for path in paths_below(folder, paths).filter(|path| is_python_file(path)) {
        let mut module = path.rsplit_once('.').map_or(path, |(module, _)| module);
        loop {
            init_paths.insert(join_path(module, "__init__.py"));
            let Some((parent, _)) = module.rsplit_once('/') else { break };
            module = parent;
        }
    }
    init_paths
}

fn is_python_file(path: &str) -> bool {
    path.ends_with(".py") || path.ends_with(".pyi")
}
