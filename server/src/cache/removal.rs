//! Removes indexes and facts.
//!
//! In: a folder of the cache, or a database that the user named. Out: the sizes of the removed and
//! the kept data. Takes the lock of the database, removes the logs, then the data, and last the
//! locks and the record of the workspace.
//!
//! Invariants: data in use is never removed. Only files that Kenning has named are removed, and no
//! link is followed. A removal that fails halfway leaves no database with the log of another.

use super::contents::{FilePart, TreeSize};
use kenning_graph::store::{RemovalLock, WorkspaceRecord};
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
    /// A file cannot be removed.
    #[error("cannot remove {path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// The reason given by the operating system.
        reason: io::Error,
    },
}

/// Removes the index in a folder of the cache. Learned data that is kept stays with the record of
/// its workspace; a folder that becomes empty is removed.
///
/// # Errors
/// Returns an error if a process uses the index, or if a file cannot be removed.
pub fn remove_index(folder: &Path, learned: LearnedData) -> Result<RemovedBytes, RemovalError> {
    let is_removed = |name: &str| match FilePart::from_name(name) {
        FilePart::Index => true,
        FilePart::Learned => learned == LearnedData::Delete,
        FilePart::Facts | FilePart::Unknown => false,
    };
    remove_files(folder, &folder.join("graph.db"), is_removed)
}

/// Removes the facts in a folder of the cache.
///
/// # Errors
/// Returns an error if a process uses the facts, or if a file cannot be removed.
pub fn remove_facts(folder: &Path) -> Result<RemovedBytes, RemovalError> {
    remove_files(folder, &folder.join("facts.db"), |name| FilePart::from_name(name) == FilePart::Facts)
}

/// Removes the index in a database that the user named. Keeps the files next to it that belong to
/// all databases in its folder.
///
/// # Errors
/// Returns an error if a process uses the index, or if a file cannot be removed.
pub fn remove_named_database(graph: &Path) -> Result<RemovedBytes, RemovalError> {
    let folder = graph.parent().filter(|folder| !folder.as_os_str().is_empty());
    let (name, stem) = (lossy_name(graph.file_name()), lossy_name(graph.file_stem()));
    remove_files(folder.unwrap_or(Path::new(".")), graph, |file| is_named_after(file, &name, &stem))
}

/// Whether Kenning writes a file with this name for the database called `name`, whose name without
/// its extension is `stem`.
pub(super) fn is_named_after(file: &str, name: &str, stem: &str) -> bool {
    let of_database = file.strip_prefix(name);
    let of_stem = file.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
    of_database
        .is_some_and(|rest| ["", "-wal", "-shm", "-journal"].contains(&rest) || rest.starts_with(".damaged-"))
        || of_stem.is_some_and(|rest| {
            ["base", "lock", "workspace", "sockets", "packs"].contains(&rest) || rest.starts_with("new-")
        })
}

pub(super) fn lossy_name(name: Option<&std::ffi::OsStr>) -> String {
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Removes the files of the folder whose names `is_removed` accepts, with the lock of `database`.
fn remove_files(
    folder: &Path,
    database: &Path,
    is_removed: impl Fn(&str) -> bool,
) -> Result<RemovedBytes, RemovalError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |reason| RemovalError::File { path, reason }
    };
    let lock = RemovalLock::try_acquire(database).map_err(failed(database))?.ok_or(RemovalError::InUse)?;
    let names = std::fs::read_dir(folder).map_err(failed(folder))?.flatten();
    let mut names: Vec<String> = names.map(|entry| lossy_name(Some(&entry.file_name()))).collect();
    names.sort_by_cached_key(|name| (removal_order(name), name.clone()));
    let (mut bytes, mut keeps_learned) = (RemovedBytes::default(), false);
    let is_lock = |name: &str| removal_order(name) == RemovalOrder::Lock;
    for name in names.iter().filter(|name| !is_lock(name)) {
        let (path, is_learned) = (folder.join(name), FilePart::from_name(name) == FilePart::Learned);
        if is_removed(name) {
            bytes.removed += remove_entry(&path).map_err(failed(&path))?;
        } else if is_learned {
            bytes.kept += TreeSize::measure(&path).bytes;
            keeps_learned = true;
        }
    }
    // The record names the workspace of the kept learned data.
    let keeps_record = keeps_learned && WorkspaceRecord::read_beside(database).is_some();
    for name in names.iter().filter(|name| is_lock(name) && is_removed(name)) {
        if !(keeps_record && name.ends_with(".workspace")) {
            let path = folder.join(name);
            bytes.removed += remove_entry(&path).map_err(failed(&path))?;
        }
    }
    drop(lock);
    // Fails if the folder has other files, or if a process has just begun to use it.
    let _ = std::fs::remove_dir(folder);
    Ok(bytes)
}

/// The order in which files are removed. A database is never left with the log of another database,
/// and the locks are removed last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RemovalOrder {
    Log,
    Data,
    Lock,
}

fn removal_order(name: &str) -> RemovalOrder {
    match name.rsplit('.').next().unwrap_or(name) {
        "lock" | "workspace" => RemovalOrder::Lock,
        suffix if suffix.ends_with("-wal") || suffix.ends_with("-shm") => RemovalOrder::Log,
        _ => RemovalOrder::Data,
    }
}

/// Removes a file, a link, or a folder with everything in it. Returns the size in bytes.
pub(super) fn remove_entry(path: &Path) -> io::Result<u64> {
    let bytes = TreeSize::measure(path).bytes;
    let removed = match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        removed => removed.map(|()| bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_named_database_are_recognized_by_their_names() {
        let is_named = |file| is_named_after(file, "my.db", "my");
        for file in
            ["my.db", "my.db-wal", "my.base", "my.packs", "my.workspace", "my.new-7", "my.db.damaged-1"]
        {
            assert!(is_named(file), "{file}");
        }
        for file in ["my.txt", "my.db.bak", "my", "mine.db", "facts.db", "memory.db"] {
            assert!(!is_named(file), "{file}");
        }
    }

    #[test]
    fn logs_are_removed_first_and_locks_last() {
        let mut names = ["graph.workspace", "graph.db", "graph.lock", "graph.db-wal", "graph.base"];
        names.sort_by_key(|name| removal_order(name));
        assert_eq!(names, ["graph.db-wal", "graph.db", "graph.base", "graph.workspace", "graph.lock"]);
    }

    #[test]
    fn kept_learned_data_stays_with_the_record_of_its_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("w-0123456789abcdef");
        std::fs::create_dir(&index).unwrap();
        let record = "root = \"/w\"\nid = \"1\"\n";
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
}
