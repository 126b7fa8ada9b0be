//! All files of the tree that changes are measured against.
//!
//! The list replaces the git library's own comparison of a tree with the index, which lists the
//! tree without a limit. It also finds the content of a path without reading folders again.

use super::bounded_objects::{BoundedObjects, ReadBudget};
use gix::bstr::{BStr, ByteSlice as _};
use gix::index::entry::Mode;
use gix::index::{Entry, State};
use gix::{ObjectId, Repository};

/// Maximum memory in bytes of the list: 1.2 million files with 60 bytes of path each.
const MAX_LIST_BYTES: u64 = 192 << 20;

/// Maximum sum of the sizes of all folders, in bytes. Together with the paths, it bounds time.
const MAX_READ_BYTES: u64 = 1 << 30;

/// The files of a tree with their paths in the repository.
pub(super) struct BaseTree {
    files: State,
}

/// The kind of a path in a tree.
pub(super) enum BaseEntry {
    /// A file, by its blob.
    File(ObjectId),
    Link,
    /// A submodule, or a path in one.
    Submodule,
}

impl BaseTree {
    /// Lists the files of a tree.
    ///
    /// # Errors
    /// Returns the repository's error, and an error for a tree beyond the limits.
    pub(super) fn list_files(repository: &Repository, tree: ObjectId) -> Result<Self, String> {
        if tree == ObjectId::empty_tree(tree.kind()) {
            return Ok(Self { files: State::new(tree.kind()) });
        }
        let budget = ReadBudget {
            read_bytes: MAX_READ_BYTES,
            path_bytes: Some(MAX_LIST_BYTES),
            squared_entries: u64::MAX,
        };
        let objects = BoundedObjects::new(&repository.objects, budget);
        match State::from_tree(&tree, &objects, gix::validate::path::component::Options::default()) {
            Ok(files) => Ok(Self { files }),
            Err(_) if objects.is_exceeded() => {
                Err("the commit has more files than Kenning lists; pass a newer base".to_owned())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns what is at a path, or `None` for a folder and an unknown path.
    pub(super) fn find_entry(&self, path: &str) -> Option<BaseEntry> {
        let entry_at = |path: &str| self.files.entry_by_path(BStr::new(path));
        if let Some(entry) = entry_at(path) {
            return Some(match entry.mode {
                Mode::COMMIT => BaseEntry::Submodule,
                Mode::SYMLINK => BaseEntry::Link,
                _ => BaseEntry::File(entry.id),
            });
        }
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        let is_submodule = |folder: &str| entry_at(folder).is_some_and(|entry| entry.mode == Mode::COMMIT);
        folders.into_iter().any(is_submodule).then_some(BaseEntry::Submodule)
    }

    /// Returns the paths below a folder at which the tree and the index are not equal. `folder` has
    /// a trailing `/`, or is empty for all paths. Paths that are not UTF-8 are left out.
    pub(super) fn paths_that_differ<'i>(&'i self, index: &'i State, folder: &'i str) -> Vec<&'i str> {
        let (mut old, mut new) = (self.files.entries().iter().peekable(), index.entries().iter().peekable());
        let (old_path, new_path) =
            (|entry: &Entry| entry.path(&self.files), |entry: &Entry| entry.path(index));
        let mut paths = Vec::new();
        loop {
            let path = match (old.peek(), new.peek()) {
                (None, None) => return paths,
                (Some(before), None) => old_path(before),
                (None, Some(after)) => new_path(after),
                (Some(before), Some(after)) => old_path(before).min(new_path(after)),
            };
            let before = old.next_if(|entry| old_path(entry) == path);
            let after = new.next_if(|entry| new_path(entry) == path);
            // A path with conflicts has several entries in the index.
            let has_conflict =
                std::iter::from_fn(|| new.next_if(|entry| new_path(entry) == path)).count() > 0;
            let key = |entry: &Entry| (entry.id, entry.mode);
            if has_conflict || before.map(key) != after.map(key) {
                paths.extend(path.to_str().ok().filter(|path| path.starts_with(folder)));
            }
        }
    }
}
