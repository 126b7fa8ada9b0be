//! A reader of git objects that stops at a budget.
//!
//! A tree can contain another tree many times: 12 objects of 300 bytes can describe ten billion
//! files. The git library descends into all of them, and some of its readers keep every path, so
//! the time and memory of a comparison do not depend on the size of the repository. This reader
//! counts what the library reads for one task and returns an error beyond the budget. The task then
//! fails like that of a damaged repository.
//!
//! The error passes through the library, which may change it, so [`BoundedObjects::is_exceeded`]
//! tells whether the budget was the reason.

use gix::objs::{Data, Find, FindHeader, Header, Kind, TreeRefIter, find};
use gix::{ObjectId, oid};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// Number of bytes that the git library keeps for an entry of a tree, besides its path.
const ENTRY_BYTES: u64 = 96;

/// The amounts that a reader may use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReadBudget {
    /// Sum of the sizes of all read trees and commits, in bytes. It bounds time.
    pub read_bytes: u64,
    /// Sum of the paths of all entries of the trees that one comparison reads, in bytes, with
    /// [`ENTRY_BYTES`] for each. It bounds memory. `None` if the caller counts what it keeps.
    pub path_bytes: Option<u64>,
    /// Sum of the squares of the thousands of entries that each comparison reads. It bounds the
    /// time of the library's rename tracker, which compares all files with equal contents. Counted
    /// together with [`Self::path_bytes`].
    pub squared_entries: u64,
}

/// The objects of a repository within a budget.
pub(super) struct BoundedObjects<'a, T> {
    objects: &'a T,
    budget: ReadBudget,
    read_bytes: Cell<u64>,
    paths: RefCell<PathBytes>,
    squared_entries: Cell<u64>,
    is_exceeded: Cell<bool>,
}

/// The path bytes of the current comparison. A comparison reads the first commit, its tree, the
/// second commit, its tree, and then the folders of both, so the trees before the last commit count
/// as well.
#[derive(Default)]
struct PathBytes {
    current: CommitTrees,
    previous: CommitTrees,
}

/// The trees that were read after a commit.
#[derive(Default)]
struct CommitTrees {
    sum: u64,
    entries: u64,
    /// The length of the longest path of each tree that was seen as an entry. Trees are read after
    /// the trees that contain them.
    path_bytes: FxHashMap<ObjectId, u64>,
}

impl<'a, T> BoundedObjects<'a, T> {
    pub(super) fn new(objects: &'a T, budget: ReadBudget) -> Self {
        Self {
            objects,
            budget,
            read_bytes: Cell::new(0),
            paths: RefCell::default(),
            squared_entries: Cell::new(0),
            is_exceeded: Cell::new(false),
        }
    }

    /// Returns the sum of the sizes of the objects that were read, in bytes.
    pub(super) fn read_bytes(&self) -> u64 {
        self.read_bytes.get()
    }

    /// Whether the reader stopped because of its budget.
    pub(super) fn is_exceeded(&self) -> bool {
        self.is_exceeded.get()
    }

    fn stop(&self) -> find::Error {
        self.is_exceeded.set(true);
        STOP_REASON.into()
    }

    fn count_object(&self, id: &oid, object: &Data<'_>) -> Result<(), find::Error> {
        if object.kind == Kind::Blob {
            return Ok(());
        }
        let read_bytes = self.read_bytes.get().saturating_add(object.data.len() as u64);
        self.read_bytes.set(read_bytes);
        if read_bytes > self.budget.read_bytes {
            return Err(self.stop());
        }
        let Some(limit) = self.budget.path_bytes else { return Ok(()) };
        let mut paths = self.paths.borrow_mut();
        match object.kind {
            Kind::Commit => {
                let thousands = paths.current.entries / 1000;
                paths.previous = std::mem::take(&mut paths.current);
                let squared = self.squared_entries.get() + thousands * thousands;
                self.squared_entries.set(squared);
                if squared > self.budget.squared_entries {
                    return Err(self.stop());
                }
            }
            Kind::Tree if !paths.add_tree(id, object.data, limit) => return Err(self.stop()),
            Kind::Tree | Kind::Blob | Kind::Tag => {}
        }
        Ok(())
    }
}

impl PathBytes {
    /// Adds the entries of a tree. Returns whether the sum is within the limit.
    fn add_tree(&mut self, id: &oid, data: &[u8], limit: u64) -> bool {
        let folder = [&self.current, &self.previous].into_iter().filter_map(|trees| trees.path_bytes.get(id));
        let folder = folder.max().copied().unwrap_or(0);
        let trees = &mut self.current;
        for entry in TreeRefIter::from_bytes(data, id.kind()) {
            // The library reports a damaged entry.
            let Ok(entry) = entry else { break };
            let path = folder + entry.filename.len() as u64 + 1;
            trees.sum += path + ENTRY_BYTES;
            trees.entries += 1;
            if trees.sum + self.previous.sum > limit {
                return false;
            }
            if entry.mode.is_tree() {
                let longest = trees.path_bytes.entry(entry.oid.to_owned()).or_default();
                *longest = path.max(*longest);
            }
        }
        true
    }
}

/// The error of a reader beyond its budget.
const STOP_REASON: &str = "the repository's folders have more entries than Kenning compares";

impl<T: Find> Find for BoundedObjects<'_, T> {
    fn try_find<'b>(&self, id: &oid, buffer: &'b mut Vec<u8>) -> Result<Option<Data<'b>>, find::Error> {
        let object = self.objects.try_find(id, buffer)?;
        if let Some(object) = &object {
            self.count_object(id, object)?;
        }
        Ok(object)
    }
}

impl<T: FindHeader> FindHeader for BoundedObjects<'_, T> {
    fn try_header(&self, id: &oid) -> Result<Option<Header>, find::Error> {
        self.objects.try_header(id)
    }
}
