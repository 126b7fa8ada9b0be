//! The parallel walk through the folders of a workspace. It visits the files and folders that the
//! rules do not exclude.
//!
//! Each folder is a job on rayon's threads. A job holds its path and the rules of the folder
//! above it. Rules are shared, so memory grows with the pending folders, not with the visited files.
//! Symbolic links are visited but never followed. The
//! order of visits varies, so the caller has to sort.

use super::ExcludePatterns;
use super::ignore_rules::{FolderRules, RuleFiles, RuleReader};
use rayon::Scope;
use std::fs::{DirEntry, FileType};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// An item that the walk visits.
pub(super) enum WalkEntry<'a> {
    /// A file, folder, symbolic link or special file. A folder is also visited as `Folder` once it
    /// is listed.
    Entry(&'a DirEntry, FileType),
    /// A listed folder, possibly the root, with all its rule files, even ignored ones.
    Folder(&'a Path, RuleFiles),
    /// A path that cannot be listed, with the error.
    Unreadable(&'a Path, &'a io::Error),
}

/// A walk with its rules, its filter and its visitor.
pub(super) struct TreeWalk<'a> {
    /// The ignore files.
    pub rules: &'a RuleReader<'a>,
    /// Patterns of files and folders to exclude regardless of the ignore files.
    pub excludes: &'a ExcludePatterns,
    /// Returns whether a path is wanted. Nothing below an unwanted folder is visited.
    pub wanted: &'a (dyn Fn(&Path, FileType) -> bool + Sync),
    /// Receives everything that is found, on several threads.
    pub visit: &'a (dyn Fn(WalkEntry<'_>) + Sync),
}

impl TreeWalk<'_> {
    /// Visits everything below `root`.
    pub(super) fn walk_root(&self, root: &Path) {
        let above = self.rules.rules_above_folder(root);
        rayon::scope(|scope| self.walk_folder(scope, root, &above));
    }

    fn walk_folder<'s>(&'s self, scope: &Scope<'s>, folder: &Path, above: &Arc<FolderRules>) {
        // The handle is closed before the folders below are opened, so that a deep tree does not
        // use up all handles.
        let entries: Vec<DirEntry> = match std::fs::read_dir(folder) {
            Ok(entries) => entries.filter_map(|entry| self.ok_or_report(folder, entry)).collect(),
            Err(error) => return (self.visit)(WalkEntry::Unreadable(folder, &error)),
        };
        let files = RuleFiles::among_entries(&entries);
        (self.visit)(WalkEntry::Folder(folder, files));
        let rules = self.rules.rules_below(above, folder, files);
        for entry in entries {
            let path = entry.path();
            let Some(kind) = self.ok_or_report(&path, entry.file_type()) else { continue };
            let is_folder = kind.is_dir();
            if self.excludes.matches_path(&path, is_folder)
                || self.rules.is_ignored(&rules, &path, is_folder)
                || !(self.wanted)(&path, kind)
            {
                continue;
            }
            (self.visit)(WalkEntry::Entry(&entry, kind));
            if is_folder {
                let rules = Arc::clone(&rules);
                scope.spawn(move |scope| self.walk_folder(scope, &path, &rules));
            }
        }
    }

    /// Returns the value. Reports an error to the visitor and returns `None`.
    fn ok_or_report<T>(&self, path: &Path, result: io::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                (self.visit)(WalkEntry::Unreadable(path, &error));
                None
            }
        }
    }
}
