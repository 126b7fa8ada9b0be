//! Which files resolve differently under other manifests.
//!
//! Manifests and the set of files decide where imports lead ([`Project`]). When a file comes or goes, most often nothing of
//! that changes; a new package of Python or a new `lib` folder of Ruby adds a folder to a search path. A search path is tried in
//! order, and every folder that is tried leaves a lookup behind ([`LookupKey::Path`]): a new folder can only matter to a file that
//! looked for a module which the folder has. Any other difference may matter to every file.

use super::Project;
use kenning_graph::paths::{join_path, path_below};
use kenning_graph::snapshot::{ChangedKeys, LookupKey};
use kenning_graph::{FileId, Snapshot};
use rustc_hash::FxHashSet;

/// More lookups than these take longer to search for than the files that they spare take to resolve. A new folder with a
/// thousand modules in a workspace with a hundred source roots needs as many.
const MAX_LOOKUPS: usize = 100_000;

/// Files that resolve differently under other manifests.
pub(crate) enum ProjectDifference {
    /// The search paths lead differently for files that looked up one of these keys.
    Lookups(ChangedKeys),
    /// Every file may resolve differently.
    AllFiles,
}

impl ProjectDifference {
    /// No file resolves differently.
    pub(crate) fn no_difference() -> Self {
        Self::Lookups(ChangedKeys::default())
    }

    /// Compares two projects. `paths` are the files of both, which are what is found on a search path.
    pub(crate) fn between_projects(before: &Project, after: &Project, paths: &[String]) -> Self {
        if before.fingerprint() == after.fingerprint() {
            return Self::no_difference();
        }
        let other_paths = Project {
            python_roots: after.python_roots.clone(),
            ruby_load_paths: after.ruby_load_paths.clone(),
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
        match (python, ruby) {
            (Some(mut keys), Some(more)) => {
                keys.extend(more);
                keys.sort_unstable();
                keys.dedup();
                Self::Lookups(ChangedKeys(keys))
            }
            _ => Self::AllFiles,
        }
    }

    /// The files of a snapshot, whose edges are those under the manifests before, that have to be resolved again.
    pub(crate) fn affected_files(&self, snapshot: &Snapshot) -> Vec<FileId> {
        match self {
            Self::Lookups(keys) => snapshot.files_affected_by(keys),
            Self::AllFiles => snapshot.files(),
        }
    }
}

/// The keys under which files looked for what the folders that came to a search path or left it have: `names` gives the paths,
/// relative to a folder, that are tried for its modules. `None` when these are too many.
fn changed_lookups(
    before: &[String],
    after: &[String],
    names: impl Fn(&str) -> FxHashSet<String>,
) -> Option<Vec<u32>> {
    let (old, new): (FxHashSet<&String>, FxHashSet<&String>) =
        (before.iter().collect(), after.iter().collect());
    let mut tried = FxHashSet::default();
    for folder in old.symmetric_difference(&new) {
        tried.extend(names(folder));
        if tried.len().saturating_mul(before.len()) > MAX_LOOKUPS {
            return None;
        }
    }
    let in_folder = |folder: &String| {
        let paths = tried.iter().map(|name| join_path(folder, name));
        paths.map(|path| LookupKey::Path(&path).key_number()).collect::<Vec<u32>>()
    };
    Some(before.iter().flat_map(in_folder).collect())
}

/// The paths below a folder, relative to it.
pub(super) fn paths_below<'a>(folder: &str, paths: &'a [String]) -> impl Iterator<Item = &'a str> {
    paths.iter().filter_map(move |path| path_below(path, folder)).filter(|rest| !rest.is_empty())
}
