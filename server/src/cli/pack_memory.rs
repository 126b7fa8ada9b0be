//! The last packs that commands printed for a workspace, so that `--pack-root` can name one.
//!
//! A command has no session, so the packs are files next to the database: in `packs/` in the
//! workspace's folder in the cache, or in `<name>.packs/` next to a database that the user named.
//! Each file has the record of one pack, which contains names, paths and hashes but no code, after
//! a line with the record's SHA-256. Only the owner can read the files. A file that does not match
//! its hash is ignored, so that no answer comes from damaged data; the reader then gets a whole
//! pack. A file is written under another name and then renamed. The oldest files are deleted, so
//! that the folder stays small.

use crate::cache::{is_file, is_pack_name};
use crate::format::sent_pack::{MAX_PACKS, SentPack};
use kenning_graph::Hash;
use kenning_graph::private_files::{create_folder, create_new_file};
use kenning_indexing::named_file::{LinkRule, read_bytes};
use kenning_indexing::workspace::DatabasePaths;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The extension of the files.
const EXTENSION: &str = "json";

/// The maximum size of a file to read, in bytes. A damaged file can have any size; a symbol takes
/// about 500 bytes.
const MAX_FILE_SIZE: u64 = 16 << 20;

/// The length of the hash at the beginning of a file, in hexadecimal digits.
const CHECKSUM_DIGITS: usize = 64;

/// The folder that remembers packs.
#[derive(Debug)]
pub struct PackMemory {
    folder: PathBuf,
}

/// The reason why a pack is not remembered.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {reason}")]
pub struct PackMemoryError {
    /// The file or folder.
    path: String,
    /// The reason given by the operating system.
    reason: std::io::Error,
}

impl PackMemory {
    /// Returns the memory that belongs to the databases of a workspace. Creates nothing.
    pub fn for_database(paths: &DatabasePaths) -> Self {
        let folder = if paths.named_by_user {
            paths.graph.with_extension("packs")
        } else {
            paths.graph.with_file_name("packs")
        };
        Self { folder }
    }

    /// Returns the pack with the root `known`; `None` if it is not remembered. Ignores files that
    /// are not records of packs.
    pub fn find_pack(&self, known: &str) -> Option<SentPack> {
        let files = self.files_by_age();
        let packs = files.iter().rev().filter(|file| file.extension().is_some_and(|e| e == EXTENSION));
        packs.filter_map(|file| read_pack(file)).find(|pack| pack.has_root(known))
    }

    /// Remembers a pack, and deletes the oldest packs.
    ///
    /// # Errors
    /// Returns an error if the folder or the file cannot be written.
    pub fn record_pack(&self, pack: &SentPack) -> Result<(), PackMemoryError> {
        let fail = |path: &Path| {
            let path = path.display().to_string();
            move |reason| PackMemoryError { path, reason }
        };
        create_folder(&self.folder).map_err(fail(&self.folder))?;
        if !is_real_folder(&self.folder) {
            let reason = std::io::Error::other("it is a link; remove it, and Kenning makes a folder");
            return Err(fail(&self.folder)(reason));
        }
        let file = self.folder.join(&pack.root).with_extension(EXTENSION);
        let temporary = self.folder.join(format!("{}.{}", pack.root, std::process::id()));
        let record = serde_json::to_vec(pack).map_err(|error| fail(&file)(error.into()))?;
        let checksum = Hash::from_content(&record).to_hex();
        // An earlier process with the same id may have been killed.
        if is_file(&temporary) {
            std::fs::remove_file(&temporary).map_err(fail(&temporary))?;
        }
        let mut out = create_new_file(&temporary).map_err(fail(&temporary))?;
        let written = out
            .write_all(&[checksum.as_bytes(), b"\n", &record].concat())
            .and_then(|()| std::fs::rename(&temporary, &file));
        if let Err(reason) = written {
            // The disk may fail here as well.
            let _ = std::fs::remove_file(&temporary);
            return Err(fail(&file)(reason));
        }
        let files = self.files_by_age();
        for old in &files[..files.len().saturating_sub(MAX_PACKS)] {
            // Another process may have deleted it.
            let _ = std::fs::remove_file(old);
        }
        Ok(())
    }

    /// Returns the files of packs in the folder, the oldest first. A process that was killed may have
    /// left a file under its other name. Files that Kenning did not write, and a folder that is a
    /// link, have no packs.
    fn files_by_age(&self) -> Vec<PathBuf> {
        if !is_real_folder(&self.folder) {
            return Vec::new();
        }
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .filter(|entry| entry.file_name().to_str().is_some_and(is_pack_name) && is_file(&entry.path()))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        files.into_iter().map(|(_, path)| path).collect()
    }
}

fn is_real_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

fn read_pack(file: &Path) -> Option<SentPack> {
    let bytes = read_bytes(file, MAX_FILE_SIZE, LinkRule::Refuse).ok().flatten()?;
    let (checksum, record) = bytes.split_at_checked(CHECKSUM_DIGITS)?;
    let record = record.strip_prefix(b"\n")?;
    if checksum != Hash::from_content(record).to_hex().as_bytes() {
        return None;
    }
    let pack: SentPack = serde_json::from_slice(record).ok()?;
    pack.is_consistent().then_some(pack)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(n: usize) -> SentPack {
        let root = Hash::from_content(n.to_string().as_bytes()).to_hex();
        let graph_root = format!("sha256:{root}");
        let (symbols, edges, documents, ripple) = (Vec::new(), Vec::new(), String::new(), String::new());
        SentPack { root, graph_root, symbols, edges, documents, ripple }
    }

    fn memory(folder: &Path) -> PackMemory {
        let graph = folder.join("workspace/graph.db");
        let paths = DatabasePaths { facts: graph.with_file_name("facts.db"), graph, named_by_user: false };
        PackMemory::for_database(&paths)
    }

    #[test]
    fn the_last_packs_are_found_by_their_roots() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path());
        assert_eq!(memory.find_pack(&pack(0).root), None);
        create_folder(&memory.folder).unwrap();
        let abandoned = memory.folder.join(format!("{}.4711", pack(0).root));
        std::fs::write(&abandoned, "{").unwrap();
        std::fs::File::options()
            .write(true)
            .open(&abandoned)
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH)
            .unwrap();
        for n in 0..MAX_PACKS + 2 {
            memory.record_pack(&pack(n)).unwrap();
            let file = memory.folder.join(pack(n).root).with_extension(EXTENSION);
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(n as u64);
            std::fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
        }
        memory.record_pack(&pack(2)).unwrap();
        assert_eq!(std::fs::read_dir(&memory.folder).unwrap().count(), MAX_PACKS);
        assert_eq!(memory.find_pack(&pack(2).root[..12]), Some(pack(2)));
        assert_eq!(memory.find_pack(&pack(5).graph_root), Some(pack(5)));
        assert_eq!(memory.find_pack(&pack(0).root), None, "the oldest was forgotten");
        assert!(!abandoned.exists());
    }

    #[test]
    fn files_that_are_not_packs_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path());
        memory.record_pack(&pack(1)).unwrap();
        let mut broken = pack(2);
        broken.edges.push(crate::format::sent_pack::SentEdge { source: 0, target: 9, kind: "calls".into() });
        memory.record_pack(&broken).unwrap();
        std::fs::write(memory.folder.join("half.json"), "{\"root\": ").unwrap();
        std::fs::create_dir(memory.folder.join("folder.json")).unwrap();
        memory.record_pack(&pack(3)).unwrap();
        let damaged = memory.folder.join(pack(3).root).with_extension(EXTENSION);
        let text = std::fs::read_to_string(&damaged).unwrap();
        std::fs::write(&damaged, text.replace("sha256:", "sha255:")).unwrap();
        assert_eq!(memory.find_pack(&pack(1).root), Some(pack(1)));
        assert_eq!(memory.find_pack(&broken.root), None);
        assert_eq!(memory.find_pack(&pack(3).root), None, "the file does not match its hash");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_remembered_packs() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path());
        memory.record_pack(&pack(1)).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let file = memory.folder.join(pack(1).root).with_extension(EXTENSION);
        assert_eq!((mode(&memory.folder), mode(&file)), (0o700, 0o600));
    }

    #[cfg(unix)]
    #[test]
    fn files_that_kenning_did_not_write_are_never_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path());
        let notes = folder.path().join("notes");
        std::fs::create_dir_all(&notes).unwrap();
        create_folder(&memory.folder).unwrap();
        for n in 0..MAX_PACKS + 4 {
            std::fs::write(memory.folder.join(format!("note{n}.json")), "mine").unwrap();
            std::fs::write(notes.join(format!("note{n}.json")), "mine").unwrap();
        }
        memory.record_pack(&pack(1)).unwrap();
        assert_eq!(std::fs::read_dir(&memory.folder).unwrap().count(), MAX_PACKS + 5);
        std::fs::remove_dir_all(&memory.folder).unwrap();
        std::os::unix::fs::symlink(&notes, &memory.folder).unwrap();
        let error = memory.record_pack(&pack(1)).unwrap_err().to_string();
        assert!(error.contains("it is a link"), "{error}");
        assert_eq!(std::fs::read_dir(&notes).unwrap().count(), MAX_PACKS + 4);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("workspace"), "a file").unwrap();
        let error = memory(folder.path()).record_pack(&pack(1)).unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains("packs"), "{error}");
    }

    #[test]
    fn a_named_database_has_its_own_folder() {
        let paths =
            DatabasePaths { graph: "/d/my.db".into(), facts: "/d/facts.db".into(), named_by_user: true };
        assert_eq!(PackMemory::for_database(&paths).folder, Path::new("/d/my.packs"));
    }
}
