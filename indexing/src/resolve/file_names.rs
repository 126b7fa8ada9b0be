//! The files of a snapshot by their names.

use kenning_graph::paths::file_name;
use kenning_graph::{FileId, Snapshot};
use rustc_hash::FxHashMap;

/// The paths of files by file name (`list.ml`), each list sorted.
pub(super) struct FileNames<'a>(FxHashMap<&'a str, Vec<&'a str>>);

impl<'a> FileNames<'a> {
    /// Reads the paths of these files.
    pub fn from_files(snapshot: &'a Snapshot, files: Vec<FileId>) -> Self {
        let mut paths: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for file in files.into_iter().filter_map(|id| snapshot.file(id)) {
            paths.entry(file_name(file.path)).or_default().push(file.path);
        }
        Self(paths)
    }

    /// Returns the paths of the files with this name.
    pub fn files_named(&self, name: &str) -> &[&'a str] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}
