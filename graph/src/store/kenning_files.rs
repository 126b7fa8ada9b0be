//! Recognizes the files that Kenning writes next to a database, by their names, types and contents.
//!
//! A user may keep a database in a folder of their own (`--db`), where `shop.lock` or `shop.base`
//! can be a file of another program. A name is therefore no reason to overwrite or remove a file.
//! Links are never followed: a link is not a file of Kenning.

use super::database_header::{is_empty_database, is_kenning_database};
use super::lock::is_commit_record;
use super::use_lock::is_record_text;
use crate::snapshot::is_base_image;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;

/// The maximum number of bytes of a lock file or a record that are read.
const MAX_TEXT_BYTES: u64 = 1 << 16;

/// The first bytes of a write-ahead log (sqlite.org/fileformat.html#walformat); the last bit is the
/// byte order of its checksums.
const LOG_MAGIC: u32 = 0x377f_0682;

/// The first bytes of a rollback journal.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The size of the parts in which SQLite extends the index of a write-ahead log, in bytes.
const LOG_INDEX_PART: u64 = 32_768;

/// The version at the beginning of the index of a write-ahead log, in the byte order of the
/// machine.
const LOG_INDEX_VERSION: u32 = 3_007_000;

/// The extension of an unfinished image is this and the id of a process.
pub(crate) const UNFINISHED_PREFIX: &str = "new-";

/// The kinds of files that Kenning writes next to a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KenningFile {
    /// The write-ahead log of the database.
    Log,
    /// The index of the write-ahead log.
    LogIndex,
    /// The rollback journal of the database.
    Journal,
    /// The database.
    Database,
    /// A damaged database that was set aside, or its log.
    SetAside,
    /// The image of the graph.
    Image,
    /// An image that a process is writing, or was writing when it was killed.
    UnfinishedImage,
    /// The empty file that shows that a memory existed.
    Marker,
    /// The lock of the writer.
    Lock,
    /// The lock of all processes and the record of the workspace.
    Record,
}

impl KenningFile {
    /// Returns the kind of the file that Kenning writes under this name next to `database`, the name
    /// of a database; `None` for any other name.
    pub fn from_name(file: &str, database: &str) -> Option<Self> {
        let stem = Path::new(database).file_stem()?.to_str()?;
        if let Some(kind) = file.strip_prefix(database).and_then(Self::from_suffix) {
            return Some(kind);
        }
        match file.strip_prefix(stem)?.strip_prefix('.')? {
            "base" => Some(Self::Image),
            "lock" => Some(Self::Lock),
            "workspace" => Some(Self::Record),
            "mark" if database == "memory.db" => Some(Self::Marker),
            extension if extension.strip_prefix(UNFINISHED_PREFIX).is_some_and(is_number) => {
                Some(Self::UnfinishedImage)
            }
            _ => None,
        }
    }

    /// Returns the kind of a file by the end of its name after the name of the database.
    fn from_suffix(suffix: &str) -> Option<Self> {
        match suffix {
            "" => Some(Self::Database),
            "-wal" => Some(Self::Log),
            "-shm" => Some(Self::LogIndex),
            "-journal" => Some(Self::Journal),
            _ => {
                let time = suffix.strip_prefix(".damaged-")?;
                let time = time.strip_suffix("-wal").or_else(|| time.strip_suffix("-shm")).unwrap_or(time);
                let (seconds, number) = time.split_once('-').unwrap_or((time, "1"));
                (is_number(seconds) && is_number(number)).then_some(Self::SetAside)
            }
        }
    }

    /// Whether the file at `path` is a regular file with the content of this kind. A killed process
    /// may have left any file but an image empty. Nothing shows the content of a damaged database
    /// that was set aside, but only Kenning gives such a name.
    pub fn is_at(self, path: &Path) -> bool {
        let Some(length) = regular_file(path).map(|metadata| metadata.len()) else { return false };
        match self {
            Self::Database => is_kenning_database(path),
            Self::SetAside => true,
            Self::Log => length == 0 || first_word(path).is_some_and(|word| word & !1 == LOG_MAGIC),
            Self::LogIndex => {
                length == 0 || (length.is_multiple_of(LOG_INDEX_PART) && has_log_index_version(path))
            }
            Self::Journal => length == 0 || read_start::<8>(path).is_some_and(is_journal_start),
            Self::Image => is_base_image(path),
            // The header is written last. Until then its place has zeros.
            Self::UnfinishedImage => {
                length == 0 || is_base_image(path) || read_start::<8>(path) == Some([0; 8])
            }
            Self::Marker => length == 0,
            Self::Lock => read_text(path, length).is_some_and(|text| is_commit_record(&text)),
            Self::Record => read_text(path, length).is_some_and(|text| is_record_text(&text)),
        }
    }
}

/// Whether the file at `path` is a regular file that is empty, or a database without any table that
/// no program has marked as its own. A process that was killed while it created a database leaves
/// such a file; so does the user.
pub fn is_unused_database(path: &Path) -> bool {
    regular_file(path).is_some_and(|metadata| metadata.len() == 0 || is_empty_database(path))
}

/// Returns the metadata of a regular file; `None` for anything else, including a link to a file.
fn regular_file(path: &Path) -> Option<Metadata> {
    std::fs::symlink_metadata(path).ok().filter(Metadata::is_file)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_journal_start(start: [u8; 8]) -> bool {
    // SQLite overwrites the header of a journal that is no longer needed with zeros.
    start == JOURNAL_MAGIC || start == [0; 8]
}

fn has_log_index_version(path: &Path) -> bool {
    // The index of a log is filled with zeros before it is used.
    read_start::<4>(path).is_some_and(|start| [LOG_INDEX_VERSION, 0].contains(&u32::from_ne_bytes(start)))
}

fn first_word(path: &Path) -> Option<u32> {
    read_start::<4>(path).map(u32::from_be_bytes)
}

/// Reads the first bytes of a file; `None` if it is shorter or cannot be read.
fn read_start<const N: usize>(path: &Path) -> Option<[u8; N]> {
    let mut start = [0; N];
    File::open(path).ok()?.read_exact(&mut start).ok()?;
    Some(start)
}

/// Reads a small text file; `None` if it is larger than any text that Kenning writes.
fn read_text(path: &Path, length: u64) -> Option<String> {
    let mut text = String::new();
    if length <= MAX_TEXT_BYTES {
        File::open(path).ok()?.take(MAX_TEXT_BYTES).read_to_string(&mut text).ok()?;
        return Some(text);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrate::{DatabaseOptions, open_database};

    #[test]
    fn the_name_of_a_file_shows_its_kind() {
        let kind = |file| KenningFile::from_name(file, "my.db");
        for (file, expected) in [
            ("my.db", KenningFile::Database),
            ("my.db-wal", KenningFile::Log),
            ("my.db-shm", KenningFile::LogIndex),
            ("my.db-journal", KenningFile::Journal),
            ("my.db.damaged-1700000000", KenningFile::SetAside),
            ("my.db.damaged-1700000000-2-wal", KenningFile::SetAside),
            ("my.base", KenningFile::Image),
            ("my.new-4711", KenningFile::UnfinishedImage),
            ("my.lock", KenningFile::Lock),
            ("my.workspace", KenningFile::Record),
        ] {
            assert_eq!(kind(file), Some(expected), "{file}");
        }
        for file in [
            "my.txt",
            "my.db.bak",
            "my",
            "mine.db",
            "my.new-design.txt",
            "my.new-",
            "my.db.damaged-by-me",
            "my.db.damaged-1-x",
            "my.mark",
        ] {
            assert_eq!(kind(file), None, "{file}");
        }
        assert_eq!(KenningFile::from_name("memory.mark", "memory.db"), Some(KenningFile::Marker));
        assert_eq!(KenningFile::from_name("plain.lock", "plain"), Some(KenningFile::Lock));
    }

    #[test]
    fn files_of_other_programs_are_not_recognized_by_their_names() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("file");
        let all = [
            KenningFile::Log,
            KenningFile::LogIndex,
            KenningFile::Journal,
            KenningFile::Database,
            KenningFile::Image,
            KenningFile::UnfinishedImage,
            KenningFile::Marker,
            KenningFile::Lock,
            KenningFile::Record,
        ];
        for content in
            ["my notes, which are no file of Kenning", "[[package]]\nname = \"x\"\n", "{}\n1 2 3 4"]
        {
            std::fs::write(&path, content).expect("written");
            for kind in all {
                assert!(!kind.is_at(&path), "{kind:?}: {content}");
            }
        }
        std::fs::remove_file(&path).expect("removed");
        rusqlite::Connection::open(&path).and_then(|c| c.execute_batch("CREATE TABLE t (x)")).expect("made");
        assert!(all.iter().all(|kind| !kind.is_at(&path)), "a database of another program");
        assert!(!is_unused_database(&path));
    }

    #[test]
    fn files_of_kenning_are_recognized() {
        const STEPS: DatabaseOptions = DatabaseOptions::from_steps(&["CREATE TABLE a (x)"]);
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = |name: &str| dir.path().join(name);
        let open = open_database(&file("t.db"), STEPS).expect("created");
        for (name, kind) in [("t.db-wal", KenningFile::Log), ("t.db-shm", KenningFile::LogIndex)] {
            assert!(kind.is_at(&file(name)), "{name}");
        }
        assert!(is_unused_database(&file("t.db")), "the mark and the tables are still in the log");
        drop(open);
        assert!(KenningFile::Database.is_at(&file("t.db")) && !is_unused_database(&file("t.db")));
        for (kind, text) in [
            (KenningFile::Lock, "17 4\n"),
            (KenningFile::Lock, ""),
            (KenningFile::Record, "root = \"/w\"\nid = \"1\"\n"),
            (KenningFile::Record, ""),
            (KenningFile::Marker, ""),
            (KenningFile::UnfinishedImage, ""),
        ] {
            std::fs::write(file("text"), text).expect("written");
            assert!(kind.is_at(&file("text")), "{kind:?}: {text}");
        }
        std::fs::write(file("empty.db"), "").expect("written");
        rusqlite::Connection::open(file("wal.db"))
            .and_then(|connection| connection.pragma_update(None, "journal_mode", "WAL"))
            .expect("created");
        assert!(is_unused_database(&file("empty.db")) && is_unused_database(&file("wal.db")));
    }

    #[cfg(unix)]
    #[test]
    fn links_folders_and_pipes_are_not_files_of_kenning() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        std::fs::write(&target, "17 4\n").expect("written");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        assert!(KenningFile::Lock.is_at(&target) && !KenningFile::Lock.is_at(&link));
        assert!(!KenningFile::SetAside.is_at(dir.path()) && !is_unused_database(dir.path()));
    }
}
