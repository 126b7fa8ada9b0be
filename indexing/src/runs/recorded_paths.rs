//! Finds the files of the workspace that the paths in recordings refer to.
//!
//! Tools record absolute paths, paths relative to some folder, paths that begin with a package, and
//! paths on another machine. A recording can name millions of paths, so each is looked up by its
//! ends, and none is compared with all files.

use super::RecordedFile;
use kenning_graph::runs::FileState;
use kenning_graph::{FileId, Snapshot};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;

/// Finds the files of the workspace that recorded paths refer to.
pub(super) struct PathIndex<'a> {
    snapshot: &'a Snapshot,
    root: String,
    /// The files by each end of their path that has whole components.
    by_suffix: FxHashMap<&'a str, SuffixMatch>,
    /// The same for paths without their extension.
    by_stem: FxHashMap<&'a str, SuffixMatch>,
    /// Length of the longest path, in bytes.
    longest: usize,
}

/// The files whose paths end in the same way.
#[derive(Clone, Copy)]
enum SuffixMatch {
    One(FileId),
    Several,
}

/// Adds a file under each end of its path that has whole components.
fn add_suffixes<'p>(index: &mut FxHashMap<&'p str, SuffixMatch>, path: &'p str, file: FileId) {
    for suffix in suffixes(path) {
        index
            .entry(suffix)
            .and_modify(|found| *found = SuffixMatch::Several)
            .or_insert(SuffixMatch::One(file));
    }
}

/// Returns the ends of a path that have whole components, longest first.
fn suffixes(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once(path).chain(path.match_indices('/').map(|(at, _)| &path[at + 1..]))
}

impl<'a> PathIndex<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, root: &Path) -> Self {
        let (mut by_suffix, mut by_stem) = (FxHashMap::default(), FxHashMap::default());
        let mut longest = 0;
        for file in snapshot.files().into_iter().filter_map(|id| snapshot.file(id)) {
            add_suffixes(&mut by_suffix, file.path, file.id);
            if let Some((stem, _)) = file.path.rsplit_once('.') {
                add_suffixes(&mut by_stem, stem, file.id);
            }
            longest = longest.max(file.path.len());
        }
        Self { snapshot, root: root.to_string_lossy().replace('\\', "/"), by_suffix, by_stem, longest }
    }

    /// Returns the file that each recorded path refers to. An absolute path outside the workspace
    /// refers to no file. But if no path at all is inside, the recording comes from another folder;
    /// then the common prefix is removed from each path.
    pub(super) fn find_files(&self, recorded: &[RecordedFile]) -> Vec<Option<FileId>> {
        let paths: Vec<String> = recorded.iter().map(|file| file.path.replace('\\', "/")).collect();
        let direct: Vec<Option<FileId>> = paths.iter().map(|path| self.find_inside(path)).collect();
        let prefix = if direct.iter().any(Option::is_some) { None } else { self.common_prefix(&paths) };
        let find = |(path, direct): (&String, Option<FileId>)| {
            direct.or_else(|| {
                if is_absolute(path) {
                    return self.snapshot.file_by_path(path.strip_prefix(prefix.as_deref()?)?);
                }
                self.find_by_suffix(path)
            })
        };
        paths.iter().zip(direct).map(find).collect()
    }

    /// Finds the file whose path is below the root or relative to it.
    fn find_inside(&self, path: &str) -> Option<FileId> {
        let below = path.strip_prefix(&self.root).and_then(|rest| rest.strip_prefix('/'));
        self.snapshot.file_by_path(below.unwrap_or(path.trim_start_matches("./")))
    }

    /// Finds the only file whose path ends with `path`, as for a file in a Java package. Otherwise
    /// finds the file with the longest path that `path` ends with, as for an import path of Go.
    fn find_by_suffix(&self, path: &str) -> Option<FileId> {
        if let Some(stem) = path.strip_suffix(".class") {
            return match self.by_stem.get(stem)? {
                SuffixMatch::One(file) => Some(*file),
                SuffixMatch::Several => None,
            };
        }
        if let Some(SuffixMatch::One(file)) = self.by_suffix.get(path) {
            return Some(*file);
        }
        let mut shorter = self.files_at_end(path).filter(|(file, _)| file.contains('/'));
        shorter.next().map(|(_, file)| file)
    }

    /// Returns the files whose whole paths end `path`, longest first.
    fn files_at_end<'p>(&'p self, path: &'p str) -> impl Iterator<Item = (&'p str, FileId)> {
        let short_enough = suffixes(path).filter(|suffix| suffix.len() <= self.longest);
        short_enough.filter_map(|suffix| Some((suffix, self.snapshot.file_by_path(suffix)?)))
    }

    /// Returns the prefix whose removal turns the most absolute paths into files of the workspace.
    fn common_prefix(&self, paths: &[String]) -> Option<String> {
        let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
        for path in paths.iter().filter(|path| is_absolute(path)) {
            for (file, _) in self.files_at_end(path) {
                *votes.entry(&path[..path.len() - file.len()]).or_default() += 1;
            }
        }
        let best =
            votes.into_iter().max_by_key(|&(prefix, count)| (count, std::cmp::Reverse(prefix.len())))?;
        Some(best.0.to_owned())
    }

    pub(super) fn file_states(&self) -> Vec<FileState> {
        let files = self.snapshot.files().into_iter().filter_map(|id| self.snapshot.file(id));
        let mut states: Vec<FileState> = files
            .map(|file| FileState { path: file.path.to_owned(), content: file.content_hash.sort_prefix() })
            .collect();
        states.sort_by(|a, b| a.path.cmp(&b.path));
        states
    }
}

/// Whether a path is absolute, on Unix or on Windows.
fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":/")
}
