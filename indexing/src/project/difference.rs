//! The files that resolve differently when manifests or the set of files change.
//!
//! Manifests and the set of files determine where imports lead ([`Project`]). A file that is added
//! or removed rarely changes that. A new Python package or a new `lib` folder in Ruby adds a folder
//! to a search path. Resolution tries the folders of a search path in order and records a lookup
//! for each ([`LookupKey::Path`]). A new folder can therefore affect only files that looked up a
//! module that the folder contains. Any other difference may affect every file.

use super::Project;
use kenning_graph::paths::{join_path, path_below};
use kenning_graph::snapshot::{ChangedKeys, LookupKey};
use kenning_graph::{FileId, Snapshot};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Maximum number of lookups to search for. Beyond it, the search takes longer than resolving all
/// files. A new folder with a thousand modules in a workspace with a hundred source roots reaches
/// it.
const MAX_LOOKUPS: usize = 100_000;

/// The files that resolve differently under other manifests.
pub(crate) enum ProjectDifference {
    /// The files that recorded a lookup of one of these keys, because a search path changed, and
    /// the manifests whose dependencies changed.
    Matching {
        /// The keys of the lookups.
        lookups: ChangedKeys,
        /// The paths of the manifests.
        manifests: BTreeSet<String>,
    },
    /// All files may resolve differently.
    AllFiles,
}

impl ProjectDifference {
    /// Returns the difference of equal projects: no file resolves differently.
    pub(crate) fn no_difference() -> Self {
        Self::Matching { lookups: ChangedKeys::default(), manifests: BTreeSet::new() }
    }

    /// Compares two projects. `paths` are the files of both.
    pub(crate) fn between_projects(before: &Project, after: &Project, paths: &[String]) -> Self {
        let manifests = changed_manifests(before, after);
        if before.fingerprint() == after.fingerprint() {
            return Self::Matching { lookups: ChangedKeys::default(), manifests };
        }
        let other_paths = Project {
            python_roots: after.python_roots.clone(),
            ruby_load_paths: after.ruby_load_paths.clone(),
            import_folders: after.import_folders.clone(),
            ..before.clone()
        };
        if other_paths.fingerprint() != after.fingerprint() {
            return Self::AllFiles;
        }
        let python = changed_lookups(&before.python_roots, &after.python_roots, |folder| {
            super::python::modules_below(folder, paths)
        });
        let ruby = changed_lookups(&before.ruby_load_paths, &after.ruby_load_paths, |folder| {
            super::ruby::features_below(folder, paths)
        });
        let none = Vec::new();
        let families: BTreeSet<&String> =
            before.import_folders.keys().chain(after.import_folders.keys()).collect();
        let declared = families.into_iter().map(|family| {
            let folders = |project: &'_ Project| project.import_folders.get(family).unwrap_or(&none).clone();
            changed_lookups(&folders(before), &folders(after), |folder| {
                paths_below(folder, paths).map(str::to_owned).collect()
            })
        });
        let all: Option<Vec<Vec<u32>>> = [python, ruby].into_iter().chain(declared).collect();
        all.map_or(Self::AllFiles, |keys| {
            let mut keys = keys.concat();
            keys.sort_unstable();
            keys.dedup();
            Self::Matching { lookups: ChangedKeys(keys), manifests }
        })
    }

    /// Returns the files that have to be resolved again in a snapshot whose edges were resolved
    /// with the project before the change.
    pub(crate) fn affected_files(&self, snapshot: &Snapshot) -> Vec<FileId> {
        match self {
            Self::Matching { lookups, manifests } => {
                let mut files = snapshot.files_affected_by(lookups);
                files.extend(manifests.iter().filter_map(|path| snapshot.file_by_path(path)));
                files.sort_unstable();
                files.dedup();
                files
            }
            Self::AllFiles => snapshot.files(),
        }
    }
}

/// Returns the manifests whose dependencies differ.
fn changed_manifests(before: &Project, after: &Project) -> BTreeSet<String> {
    let all = before.packages.dependencies.symmetric_difference(&after.packages.dependencies);
    all.map(|dependency| dependency.manifest.clone()).collect()
}

/// Returns the keys of the lookups that the folders added to or removed from a search path can
/// change. `modules_in` returns the paths, relative to a folder, that resolution tries for the
/// folder's modules. Returns `None` if there are more than [`MAX_LOOKUPS`] keys.
fn changed_lookups(
    before: &[String],
    after: &[String],
    modules_in: impl Fn(&str) -> FxHashSet<String>,
) -> Option<Vec<u32>> {
    let (old, new): (FxHashSet<&String>, FxHashSet<&String>) =
        (before.iter().collect(), after.iter().collect());
    let mut module_paths = FxHashSet::default();
    for folder in old.symmetric_difference(&new) {
        module_paths.extend(modules_in(folder));
        if module_paths.len().saturating_mul(before.len()) > MAX_LOOKUPS {
            return None;
        }
    }
    let in_folder = |folder: &String| {
        let paths = module_paths.iter().map(|name| join_path(folder, name));
        paths.map(|path| LookupKey::Path(&path).key_number()).collect::<Vec<u32>>()
    };
    Some(before.iter().flat_map(in_folder).collect())
}

/// Returns the paths below a folder, relative to it.
pub(super) fn paths_below<'a>(folder: &str, paths: &'a [String]) -> impl Iterator<Item = &'a str> {
    paths.iter().filter_map(move |path| path_below(path, folder)).filter(|rest| !rest.is_empty())
}
