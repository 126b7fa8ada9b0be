//! The scope of a refresh: the whole tree, or named files.

use crate::languages::LanguageRegistry;
use crate::project::is_manifest;
use crate::walk::WalkOptions;
use kenning_graph::paths::file_name;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Number of named files at which walking the whole tree becomes cheaper.
const MAX_NAMED_FILES: usize = 2_000;

/// Files that determine which files are indexed.
const RULE_FILES: &[&str] = &[".gitignore", ".ignore", ".gitattributes", "modules.txt"];

/// The part of the disk that a refresh reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefreshScope {
    /// The whole tree.
    Whole,
    /// These files and folders, with everything in them; relative to the root, with `/` as the
    /// separator.
    Files(BTreeSet<String>),
}

impl RefreshScope {
    /// Whether the scope names this exact path. False for the whole tree.
    pub fn names_path(&self, path: &str) -> bool {
        matches!(self, Self::Files(paths) if paths.contains(path))
    }

    /// Whether a change to the file at this path can change the graph, judged by its name.
    pub fn can_affect_graph(path: &str) -> bool {
        Self::for_path(path) == Self::Whole
            || LanguageRegistry::get().find_by_path(path).is_some()
            || LanguageRegistry::get().may_be_claimed(path)
    }

    /// Returns a scope that covers both.
    #[must_use]
    pub fn merge_with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Files(mut paths), Self::Files(mut others)) => {
                paths.append(&mut others);
                Self::Files(paths)
            }
            _ => Self::Whole,
        }
    }

    /// Returns the scope for a change to one file or folder. This is the whole tree if the file
    /// determines which files are indexed, where imports lead, or which commit is checked out.
    pub fn for_path(path: &str) -> Self {
        let name = file_name(path);
        let git = path.starts_with(".git/") || path.contains("/.git/");
        if path.is_empty() || git || RULE_FILES.contains(&name) || is_manifest(name) {
            return Self::Whole;
        }
        Self::Files(BTreeSet::from([path.to_owned()]))
    }

    /// Returns the named files, or `None` for the whole tree. Too many named files count as the
    /// whole tree.
    pub(super) fn named_files(&self) -> Option<&BTreeSet<String>> {
        match self {
            Self::Files(paths) if paths.len() < MAX_NAMED_FILES => Some(paths),
            _ => None,
        }
    }
}

/// Returns the folders at and below `below` that indexing the workspace at `root` (a canonical
/// path) walks. Returns none if they cannot be listed.
pub fn walked_folders(root: &Path, below: &Path) -> Vec<PathBuf> {
    let candidate = |_: &str| false;
    let folders = crate::walk::walked_folders(root, &WalkOptions::new(&candidate), below);
    folders.unwrap_or_else(|error| {
        tracing::warn!(%error, "cannot list the folders to watch");
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_to_rules_manifests_and_the_checked_out_commit_need_the_whole_tree() {
        for path in
            ["", ".gitignore", "a/.ignore", "a/.gitattributes", ".git/HEAD", ".git/info/exclude", "a/go.mod"]
        {
            assert_eq!(RefreshScope::for_path(path), RefreshScope::Whole, "{path}");
        }
        assert_ne!(RefreshScope::for_path("a/b.go"), RefreshScope::Whole);
        assert_ne!(RefreshScope::for_path(".github/x.py"), RefreshScope::Whole);
        let both = RefreshScope::for_path("a").merge_with(RefreshScope::for_path("b"));
        assert_eq!(both, RefreshScope::Files(["a", "b"].map(str::to_owned).into()));
        assert_eq!(both.merge_with(RefreshScope::Whole), RefreshScope::Whole);
        assert!(
            RefreshScope::can_affect_graph("a/b.go")
                && RefreshScope::can_affect_graph(".gitignore")
                && !RefreshScope::can_affect_graph("a/b.o")
        );
        assert!(RefreshScope::can_affect_graph("bin/tool"), "a file without an extension may be a script");
    }
}
