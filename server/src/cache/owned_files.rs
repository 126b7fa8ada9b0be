//! Recognizes the entries of a folder that Kenning wrote, so that nothing else is ever removed.
//!
//! In: the name and the path of an entry. Out: the files to remove, or that the entry is not
//! recognizably Kenning's. The evidence is the entry's type and content; in a folder of the cache
//! whose own record names the folder, the type is enough, because damaged files have no content to
//! recognize. Folders are removed entry by entry: a file that Kenning did not write keeps its folder.
//! Links are never followed.

use crate::session_sockets::{is_socket, is_socket_name};
use kenning_enrichment::servers::is_server_cache;
use kenning_graph::store::{KenningFile, WorkspaceRecord, is_unused_database};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// The number of hexadecimal digits of the identity of a pack, which is the name of its file.
const PACK_DIGITS: usize = 64;

/// The number of hexadecimal digits at the end of the name of a shown document.
const DOCUMENT_DIGITS: usize = 8;

/// The kind of an entry next to a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompanionKind {
    /// A file.
    File(KenningFile),
    /// The folder with the last packs.
    Packs,
    /// The folder with the sockets of sessions.
    Sockets,
}

impl CompanionKind {
    /// Returns the kind of the entry that Kenning writes under this name for the database with the
    /// name `database`; `None` for any other name.
    pub fn from_name(file: &str, database: &str) -> Option<Self> {
        let stem = Path::new(database).file_stem()?.to_str()?;
        match file.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.')) {
            Some("packs") => Some(Self::Packs),
            Some("sockets") => Some(Self::Sockets),
            _ => KenningFile::from_name(file, database).map(Self::File),
        }
    }

    /// Returns the place in the order of removal. A database is never left with the log of another
    /// one, and the locks are removed last.
    pub fn removal_order(self) -> (bool, Option<KenningFile>) {
        match self {
            Self::File(kind) => (matches!(kind, KenningFile::Lock | KenningFile::Record), Some(kind)),
            Self::Packs | Self::Sockets => (false, Some(KenningFile::Marker)),
        }
    }
}

/// The reason why an entry is known to be Kenning's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// Its content.
    Content,
    /// The record in its folder, which is a folder of the cache: its name and type are enough.
    FolderRecord,
}

impl Evidence {
    /// Returns the evidence for the files in a folder of the cache: its own record, if it is the
    /// record of this folder, or else their content.
    pub fn for_cache_folder(folder: &Path) -> Self {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_own = |record: &WorkspaceRecord| {
            let hash = name.rsplit_once('-').map(|(_, hash)| hash);
            hash == Some(record.id.as_str()) || record.facts.as_deref() == Some(name)
        };
        let mut records =
            ["graph.db", "facts.db"].iter().filter_map(|db| WorkspaceRecord::read_beside(&folder.join(db)));
        if records.any(|record| is_own(&record)) { Self::FolderRecord } else { Self::Content }
    }
}

/// An entry of a folder that Kenning wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnedEntry {
    /// The path of the file or folder.
    pub path: PathBuf,
    /// The files that are removed: the entry itself, or the recognized files in it.
    pub files: Vec<PathBuf>,
    /// Whether the entry is a folder, which is removed if it is empty then.
    pub is_folder: bool,
    /// The size of the files in bytes.
    pub bytes: u64,
}

impl OwnedEntry {
    /// Recognizes an entry; `None` if it is not known to be Kenning's.
    pub fn recognize(path: &Path, kind: CompanionKind, evidence: Evidence) -> Option<Self> {
        match kind {
            CompanionKind::Packs => Self::from_folder(path, |file, name| is_pack_name(name) && is_file(file)),
            CompanionKind::Sockets => {
                Self::from_folder(path, |file, name| is_socket_name(name) && is_socket(file))
            }
            CompanionKind::File(kind) => {
                let is_unused = || kind == KenningFile::Database && is_unused_database(path);
                let is_owned = match evidence {
                    Evidence::FolderRecord => is_file(path),
                    Evidence::Content => kind.is_at(path) || is_unused(),
                };
                is_owned.then(|| Self::from_file(path))
            }
        }
    }

    /// Recognizes the folder with the documents that editors have shown.
    pub fn recognize_shown_documents(path: &Path) -> Option<Self> {
        Self::from_folder(path, |file, name| is_document_name(name) && is_file(file))
    }

    /// Recognizes the empty file whose time is that of the last pruning.
    pub fn recognize_stamp(path: &Path) -> Option<Self> {
        KenningFile::Marker.is_at(path).then(|| Self::from_file(path))
    }

    fn from_file(path: &Path) -> Self {
        let bytes = std::fs::symlink_metadata(path).map_or(0, |metadata| metadata.len());
        Self { path: path.to_owned(), files: vec![path.to_owned()], is_folder: false, bytes }
    }

    /// Returns the files of a real folder that `is_owned` recognizes by their paths and names.
    fn from_folder(path: &Path, is_owned: impl Fn(&Path, &str) -> bool) -> Option<Self> {
        if !std::fs::symlink_metadata(path).ok()?.is_dir() {
            return None;
        }
        let entries = std::fs::read_dir(path).ok()?.flatten();
        let mut files: Vec<PathBuf> = entries
            .filter(|entry| entry.file_name().to_str().is_some_and(|name| is_owned(&entry.path(), name)))
            .map(|entry| entry.path())
            .collect();
        files.sort();
        let sizes = files.iter().filter_map(|file| std::fs::symlink_metadata(file).ok());
        let bytes = sizes.map(|metadata| metadata.len()).sum();
        Some(Self { path: path.to_owned(), files, is_folder: true, bytes })
    }

    /// Removes the files, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// Returns the file that cannot be removed, and the reason.
    pub fn remove(&self) -> Result<u64, (PathBuf, io::Error)> {
        for file in &self.files {
            match std::fs::remove_file(file) {
                // Another process has removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.map_err(|error| (file.clone(), error))?,
            }
        }
        if self.is_folder {
            // Fails if files that Kenning did not write are left in it.
            let _ = std::fs::remove_dir(&self.path);
        }
        Ok(self.bytes)
    }
}

/// Removes the caches of language servers in a folder, and the folder if nothing else is in it.
/// Servers name the files in their caches as they like, so each cache has a tag that Kenning wrote
/// (`kenning_enrichment::servers::is_server_cache`). Links in a cache are removed, never followed.
///
/// # Errors
/// Returns the folder that cannot be removed, and the reason.
pub(super) fn remove_server_caches(servers: &Path) -> Result<(), (PathBuf, io::Error)> {
    for cache in list_server_caches(servers) {
        std::fs::remove_dir_all(&cache).map_err(|error| (cache, error))?;
    }
    // Fails if files that Kenning did not write are left in it.
    let _ = std::fs::remove_dir(servers);
    Ok(())
}

/// Returns the caches of language servers in a folder, sorted by name.
pub(super) fn list_server_caches(servers: &Path) -> Vec<PathBuf> {
    let is_folder = std::fs::symlink_metadata(servers).is_ok_and(|metadata| metadata.is_dir());
    let entries = std::fs::read_dir(servers).into_iter().flatten().flatten();
    let mut caches: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    caches.retain(|cache| is_folder && is_server_cache(cache));
    caches.sort();
    caches
}

/// Whether Kenning gives this name to the file of a remembered pack: its identity, and `.json` or,
/// while it is written, the id of a process.
pub fn is_pack_name(name: &str) -> bool {
    let Some((root, extension)) = name.split_once('.') else { return false };
    let is_extension = extension == "json" || is_number(extension);
    is_hex(root, PACK_DIGITS) && is_extension
}

/// Whether Kenning gives this name to a document that an editor shows: a command, the words of the
/// title and a hash, and `.md` or, while it is written, `.md.<process id>.tmp`.
pub fn is_document_name(name: &str) -> bool {
    let Some((stem, extension)) = name.split_once(".md") else { return false };
    let is_unfinished = || {
        let process = extension.strip_prefix('.').and_then(|rest| rest.strip_suffix(".tmp"));
        process.is_some_and(is_number)
    };
    let has_hash = stem.rsplit_once('-').is_some_and(|(_, hash)| is_hex(hash, DOCUMENT_DIGITS));
    has_hash && (extension.is_empty() || is_unfinished())
}

/// Whether there is a regular file at `path`; a link to a file is none.
pub fn is_file(path: &Path) -> bool {
    std::fs::symlink_metadata(path).as_ref().is_ok_and(Metadata::is_file)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packs_and_documents_are_recognized() {
        let root = "0123456789abcdef".repeat(4);
        assert!(is_pack_name(&format!("{root}.json")) && is_pack_name(&format!("{root}.4711")));
        for name in ["notes.json", &root, &format!("{root}.json.bak"), &format!("{root}0.json")] {
            assert!(!is_pack_name(name), "{name}");
        }
        assert!(is_document_name("blast-Blast-radius-of-01234567.md"));
        assert!(is_document_name("blast--01234567.md.4711.tmp"));
        for name in ["README.md", "notes-2024.md", "blast-01234567.md.bak", "blast-01234567.txt"] {
            assert!(!is_document_name(name), "{name}");
        }
    }

    #[test]
    fn logs_are_removed_first_and_locks_last() {
        let mut names =
            ["graph.workspace", "graph.sockets", "graph.db", "graph.lock", "graph.db-wal", "graph.base"];
        names.sort_by_key(|name| CompanionKind::from_name(name, "graph.db").unwrap().removal_order());
        assert_eq!(
            names,
            ["graph.db-wal", "graph.db", "graph.base", "graph.sockets", "graph.lock", "graph.workspace"]
        );
    }

    #[test]
    fn a_folder_keeps_what_kenning_did_not_write() {
        let folder = tempfile::tempdir().unwrap();
        let packs = folder.path().join("my.packs");
        std::fs::create_dir(&packs).unwrap();
        let pack = packs.join(format!("{}.json", "0123456789abcdef".repeat(4)));
        for file in [&pack, &packs.join("notes.json")] {
            std::fs::write(file, "12345").unwrap();
        }
        let kind = CompanionKind::from_name("my.packs", "my.db").unwrap();
        let entry = OwnedEntry::recognize(&packs, kind, Evidence::Content).unwrap();
        assert_eq!((entry.files.as_slice(), entry.bytes), ([pack.clone()].as_slice(), 5));
        entry.remove().unwrap();
        assert!(packs.join("notes.json").exists() && !pack.exists());
        std::fs::remove_file(packs.join("notes.json")).unwrap();
        entry.remove().unwrap();
        assert!(!packs.exists());
    }

    #[test]
    fn only_the_record_of_a_folder_itself_makes_names_sufficient() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("shop-0123456789abcdef");
        std::fs::create_dir(&folder).unwrap();
        let write_record = |id: &str| {
            let record = format!("root = \"/w/shop\"\nid = \"{id}\"\n");
            std::fs::write(folder.join("graph.workspace"), record).unwrap();
        };
        assert_eq!(Evidence::for_cache_folder(&folder), Evidence::Content);
        write_record("1");
        assert_eq!(Evidence::for_cache_folder(&folder), Evidence::Content);
        write_record("0123456789abcdef");
        assert_eq!(Evidence::for_cache_folder(&folder), Evidence::FolderRecord);
        let graph = folder.join("graph.db");
        std::fs::write(&graph, "damaged").unwrap();
        let recognize = |evidence| {
            OwnedEntry::recognize(&graph, CompanionKind::File(KenningFile::Database), evidence).is_some()
        };
        assert!(recognize(Evidence::FolderRecord) && !recognize(Evidence::Content));
    }
}
