//! Finds the files of a snapshot by their names.

use kenning_graph::paths::file_name;
use kenning_graph::{FileId, Snapshot};
use rustc_hash::FxHashMap;

/// Paths by file name (`list.ml`), each list sorted.
type PathsByName<'a> = FxHashMap<&'a str, Vec<&'a str>>;

/// The paths of all files by file name, separately for code and for documents.
pub(super) struct FileNames<'a> {
    code: PathsByName<'a>,
    documents: PathsByName<'a>,
}

impl<'a> FileNames<'a> {
    /// Reads the paths of all files.
    pub fn from_snapshot(snapshot: &'a Snapshot) -> Self {
        let group = |files: Vec<FileId>| {
            let mut paths = PathsByName::default();
            for file in files.into_iter().filter_map(|id| snapshot.file(id)) {
                paths.entry(file_name(file.path)).or_default().push(file.path);
            }
            paths
        };
        Self { code: group(snapshot.code_files()), documents: group(snapshot.document_files()) }
    }

    /// Returns the paths of the files of code with this name.
    pub fn code_named(&self, name: &str) -> &[&'a str] {
        self.code.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the paths of the documents with this name.
    pub fn documents_named(&self, name: &str) -> &[&'a str] {
        self.documents.get(name).map_or(&[], Vec::as_slice)
    }
}
