//! Removes indexes and facts.
//!
//! In: a folder of the cache, or a database that the user named. Out: what a removal would remove,
//! or the sizes of the removed and the kept data. Takes the lock of the database, removes the logs,
//! then the data, and last the locks and the record of the workspace.
//!
//! Invariants: data in use is never removed. Only files that are recognizably Kenning's are removed
//! (`owned_files`), and no link is followed. The folder of a database that the user named is never
//! removed. A removal that fails halfway leaves no database with the log of another.

use super::contents::{FilePart, TreeSize};
use super::owned_files::{CompanionKind, Evidence, OwnedEntry, is_file};
use kenning_graph::store::{KenningFile, RemovalLock, WorkspaceRecord, is_in_use, is_unused_database};
use std::io;
use std::path::{Path, PathBuf};

/// Whether to delete the data that Kenning cannot rebuild: feedback, learned data, imported runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LearnedData {
    /// Keep it.
    #[default]
    Keep,
    /// Delete it.
    Delete,
}

/// The sizes of the removed and the kept data, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovedBytes {
    /// The data that was removed.
    pub removed: u64,
    /// The learned data that was kept.
    pub kept: u64,
}

/// The reason why data was not removed.
#[derive(Debug, thiserror::Error)]
pub enum RemovalError {
    /// A process has it open.
    #[error("it is in use; close the editor, agent or command that has it open, and try again")]
    InUse,
    /// The user named something other than a database of Kenning.
    #[error("{0}")]
    NotKennings(&'static str),
    /// A file cannot be removed.
    #[error("cannot remove {path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// The reason given by the operating system.
        reason: io::Error,
    },
}

/// The entries that a removal removes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemovalPlan {
    entries: Vec<(CompanionKind, OwnedEntry)>,
    /// The size of the learned data that is kept, in bytes.
    kept_learned: u64,
    /// Whether learned data is kept.
    keeps_learned: bool,
    /// The entries with names that Kenning gives which are not recognizably Kenning's.
    unrecognized: Vec<PathBuf>,
}

impl RemovalPlan {
    /// Plans the removal of the index in a folder of the cache.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn for_index(folder: &Path, learned: LearnedData) -> Result<Self, RemovalError> {
        let is_removed = |part| match part {
            FilePart::Index => true,
            FilePart::Learned => learned == LearnedData::Delete,
            FilePart::Facts | FilePart::Unknown => false,
        };
        Self::for_cache_folder(folder, is_removed)
    }

    /// Plans the removal of the facts in a folder of the cache.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn for_facts(folder: &Path) -> Result<Self, RemovalError> {
        Self::for_cache_folder(folder, |part| part == FilePart::Facts)
    }

    /// Plans the removal of a database that the user named. Leaves out the files next to it that
    /// belong to all databases in its folder.
    ///
    /// # Errors
    /// Returns an error if the user named something other than a database of Kenning, or if its
    /// folder cannot be read.
    pub fn for_named_database(graph: &Path) -> Result<Self, RemovalError> {
        check_named_database(graph)?;
        let name = graph.file_name().and_then(|name| name.to_str());
        let name =
            name.ok_or(RemovalError::NotKennings("its name is not Unicode; delete its files by hand"))?;
        let mut plan = Self::default();
        for (path, file) in list_folder(parent_of(graph))? {
            if let Some(kind) = CompanionKind::from_name(&file, name) {
                plan.add_entry(&path, kind, Evidence::Content);
            }
        }
        Ok(plan.in_order())
    }

    fn for_cache_folder(folder: &Path, is_removed: impl Fn(FilePart) -> bool) -> Result<Self, RemovalError> {
        let (evidence, mut plan) = (Evidence::for_cache_folder(folder), Self::default());
        for (path, file) in list_folder(folder)? {
            let Some((part, kind)) = FilePart::classify(&file) else { continue };
            if is_removed(part) {
                plan.add_entry(&path, kind, evidence);
            } else if part == FilePart::Learned {
                plan.kept_learned += TreeSize::measure(&path).bytes;
                plan.keeps_learned = true;
            }
        }
        Ok(plan.in_order())
    }

    fn add_entry(&mut self, path: &Path, kind: CompanionKind, evidence: Evidence) {
        match OwnedEntry::recognize(path, kind, evidence) {
            Some(entry) => self.entries.push((kind, entry)),
            None => self.unrecognized.push(path.to_owned()),
        }
    }

    fn in_order(mut self) -> Self {
        self.entries.sort_by(|(a, one), (b, other)| {
            (a.removal_order(), &one.path).cmp(&(b.removal_order(), &other.path))
        });
        self.unrecognized.sort();
        self
    }

    /// Returns the sizes of the data that is removed and kept.
    pub fn sizes(&self) -> RemovedBytes {
        let removed = self.entries.iter().map(|(_, entry)| entry.bytes).sum();
        RemovedBytes { removed, kept: self.kept_learned }
    }

    /// Returns the files and folders that are removed.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.entries.iter().map(|(_, entry)| entry.path.clone()).collect()
    }

    /// Returns the entries that are kept although Kenning gives such names, because they are not
    /// recognizably Kenning's.
    pub fn unrecognized(&self) -> &[PathBuf] {
        &self.unrecognized
    }

    /// Removes the entries. The caller holds the lock of `database`.
    fn remove_entries(&self, database: &Path) -> Result<RemovedBytes, RemovalError> {
        // The record names the workspace of the kept learned data.
        let keeps_record = self.keeps_learned && WorkspaceRecord::read_beside(database).is_some();
        let mut bytes = RemovedBytes { removed: 0, kept: self.kept_learned };
        for (kind, entry) in &self.entries {
            if !(keeps_record && *kind == CompanionKind::File(KenningFile::Record)) {
                bytes.removed +=
                    entry.remove().map_err(|(path, reason)| RemovalError::File { path, reason })?;
            }
        }
        Ok(bytes)
    }
}

/// Removes the index in a folder of the cache. Learned data that is kept stays with the record of
/// its workspace; a folder that becomes empty is removed.
///
/// # Errors
/// Returns an error if a process uses the index, or if a file cannot be removed.
pub fn remove_index(folder: &Path, learned: LearnedData) -> Result<RemovedBytes, RemovalError> {
    let removed = remove_locked(&folder.join("graph.db"), || RemovalPlan::for_index(folder, learned))?;
    remove_cache_folder(folder);
    Ok(removed)
}

/// Removes the facts in a folder of the cache.
///
/// # Errors
/// Returns an error if a process uses the facts, or if a file cannot be removed.
pub fn remove_facts(folder: &Path) -> Result<RemovedBytes, RemovalError> {
    let removed = remove_locked(&folder.join("facts.db"), || RemovalPlan::for_facts(folder))?;
    remove_cache_folder(folder);
    Ok(removed)
}

/// Removes the index in a database that the user named. Keeps its folder, and the files next to it
/// that belong to all databases in the folder.
///
/// # Errors
/// Returns an error if the user named something other than a database of Kenning, if a process uses
/// the index, or if a file cannot be removed.
pub fn remove_named_database(graph: &Path) -> Result<RemovedBytes, RemovalError> {
    // Taking the lock creates files, so this comes first.
    check_named_database(graph)?;
    remove_locked(graph, || RemovalPlan::for_named_database(graph))
}

/// Takes the lock of `database`, makes the plan, which then includes the locks, and carries it out.
fn remove_locked(
    database: &Path,
    make_plan: impl Fn() -> Result<RemovalPlan, RemovalError>,
) -> Result<RemovedBytes, RemovalError> {
    let lock = RemovalLock::try_acquire(database)
        .map_err(|reason| RemovalError::File { path: database.to_owned(), reason })?
        .ok_or(RemovalError::InUse)?;
    let removed = make_plan()?.remove_entries(database);
    drop(lock);
    removed
}

/// Removes a folder of the cache if it is empty.
fn remove_cache_folder(folder: &Path) {
    // Fails if the folder has other files, or if a process has just begun to use it.
    let _ = std::fs::remove_dir(folder);
}

/// Checks that no process uses the data next to `database`.
///
/// # Errors
/// Returns [`RemovalError::InUse`] otherwise.
pub fn check_unused(database: &Path) -> Result<(), RemovalError> {
    if is_in_use(database) { Err(RemovalError::InUse) } else { Ok(()) }
}

/// Checks that the user named a database of Kenning. An empty file counts only with the record of
/// its workspace: Kenning may have been killed while it created the database.
fn check_named_database(graph: &Path) -> Result<(), RemovalError> {
    let problem = match std::fs::symlink_metadata(graph) {
        Ok(metadata) if metadata.is_symlink() => "it is a link; name the database that it leads to",
        Ok(metadata) if metadata.is_dir() => "it is a folder; name the database in it",
        _ if is_file(graph) && KenningFile::Database.is_at(graph) => return Ok(()),
        _ if is_unused_database(graph) && WorkspaceRecord::read_beside(graph).is_some() => return Ok(()),
        _ => "it is not a Kenning database; name the file in which Kenning keeps the index",
    };
    Err(RemovalError::NotKennings(problem))
}

/// Returns the folder of a file.
fn parent_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the paths and names of the entries of a folder. Leaves out names that are not Unicode,
/// which Kenning does not give.
fn list_folder(folder: &Path) -> Result<Vec<(PathBuf, String)>, RemovalError> {
    let entries =
        std::fs::read_dir(folder).map_err(|reason| RemovalError::File { path: folder.to_owned(), reason })?;
    let entries = entries.flatten();
    Ok(entries.filter_map(|entry| Some((entry.path(), entry.file_name().into_string().ok()?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_learned_data_stays_with_the_record_of_its_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("w-0123456789abcdef");
        std::fs::create_dir(&index).unwrap();
        let record = "root = \"/w\"\nid = \"0123456789abcdef\"\n";
        for (name, text) in
            [("graph.db", "12345"), ("graph.workspace", record), ("memory.db", "123"), ("notes.txt", "mine")]
        {
            std::fs::write(index.join(name), text).unwrap();
        }
        let bytes = remove_index(&index, LearnedData::Keep).unwrap();
        assert_eq!(bytes, RemovedBytes { removed: 5, kept: 3 });
        let left = |name: &str| index.join(name).exists();
        assert!(left("graph.workspace") && left("memory.db") && left("notes.txt"));
        assert!(!left("graph.db") && !left("graph.lock"));
        remove_index(&index, LearnedData::Delete).unwrap();
        assert!(!left("graph.workspace") && !left("memory.db") && left("notes.txt"));
    }

    #[test]
    fn nothing_but_a_database_of_kenning_is_removed_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("folder")).unwrap();
        std::fs::write(path("folder/notes.txt"), "mine").unwrap();
        std::fs::write(path("notes.txt"), "mine").unwrap();
        std::fs::write(path("empty"), "").unwrap();
        std::fs::write(path("notes.lock"), "mine").unwrap();
        for name in ["folder", "notes.txt", "empty", "missing"] {
            let error = remove_named_database(&path(name)).unwrap_err();
            assert!(matches!(error, RemovalError::NotKennings(_)), "{name}: {error}");
            assert!(RemovalPlan::for_named_database(&path(name)).is_err());
        }
        let count = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!((count, path("folder/notes.txt").exists()), (4, true), "no lock was created either");
    }
}
