//! How much of the disk a refresh looks at: the whole tree, or the files that somebody named.

use crate::languages::{LanguageRegistry, may_be_script};
use crate::project::is_manifest;
use crate::walk::WalkOptions;
use kenning_graph::snapshot::file_name;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// From this many named files on, walking the whole tree is cheaper.
const MANY: usize = 2_000;

/// Files that decide which files are indexed.
const RULES: &[&str] = &[".gitignore", ".ignore", ".gitattributes", "modules.txt"];

/// What a refresh looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// The whole tree.
    Whole,
    /// These files and folders (with all that is in them), relative to the root with `/`.
    Files(BTreeSet<String>),
}

impl Look {
    /// Whether it is at this very path, not at everything.
    pub fn names(&self, path: &str) -> bool {
        matches!(self, Self::Files(paths) if paths.contains(path))
    }

    /// Whether a change of the file at this path can change the graph, judged by its name.
    pub fn concerns(path: &str) -> bool {
        Self::at(path) == Self::Whole
            || LanguageRegistry::get().find_by_path(path).is_some()
            || may_be_script(path)
    }

    /// Both at once.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Files(mut a), Self::Files(mut b)) => {
                a.append(&mut b);
                Self::Files(a)
            }
            _ => Self::Whole,
        }
    }

    /// A look at one file or folder: the whole tree when it is a file that says which files are indexed, what imports
    /// mean, or what is checked out.
    pub fn at(path: &str) -> Self {
        let name = file_name(path);
        let git = path.starts_with(".git/") || path.contains("/.git/");
        if path.is_empty() || git || RULES.contains(&name) || is_manifest(name) {
            return Self::Whole;
        }
        Self::Files(BTreeSet::from([path.to_owned()]))
    }

    /// The files to look at; `None` for the whole tree, also when too many were named.
    pub(super) fn files(&self) -> Option<&BTreeSet<String>> {
        match self {
            Self::Files(paths) if paths.len() < MANY => Some(paths),
            _ => None,
        }
    }
}

/// The folders that indexing the workspace at `root` (canonical) walks, at `below` and under it, `below` included.
pub fn folders(root: &Path, below: &Path) -> Vec<PathBuf> {
    let candidate = |_: &str| false;
    let folders = crate::walk::folders(root, &WalkOptions::new(&candidate), below);
    folders.unwrap_or_else(|error| {
        tracing::warn!(%error, "the folders to watch cannot be listed");
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_manifests_and_the_checked_out_commit_need_the_whole_tree() {
        for path in
            ["", ".gitignore", "a/.ignore", "a/.gitattributes", ".git/HEAD", ".git/info/exclude", "a/go.mod"]
        {
            assert_eq!(Look::at(path), Look::Whole, "{path}");
        }
        assert_ne!(Look::at("a/b.go"), Look::Whole);
        assert_ne!(Look::at(".github/x.py"), Look::Whole);
        let both = Look::at("a").and(Look::at("b"));
        assert_eq!(both, Look::Files(["a", "b"].map(str::to_owned).into()));
        assert_eq!(both.and(Look::Whole), Look::Whole);
        assert!(Look::concerns("a/b.go") && Look::concerns(".gitignore") && !Look::concerns("a/b.o"));
        assert!(Look::concerns("bin/tool"), "a script, perhaps");
    }
}
