//! Recovers from a damaged `memory.db`: renames and keeps the damaged file, and copies every
//! readable feedback entry to a new file.

use super::use_records::readable_rows;
use super::{Feedback, MemoryStore, SELECT_FEEDBACK, SUM_COLUMN, raw_rows};
use crate::private_files;
use crate::store::{StoreError, is_kenning_database, set_aside};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The location of a workspace's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLocation {
    /// The path of `memory.db`, which may not exist yet.
    pub path: PathBuf,
    /// Whether the path is in Kenning's cache folder, where all files are Kenning's. Elsewhere,
    /// only a file with the header of a Kenning database is moved.
    pub is_in_cache: bool,
}

/// The outcome of recovering a damaged memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SalvageReport {
    /// The reason for the recovery, as a clause that names the file.
    pub reason: String,
    /// The new path of the damaged file; `None` if the file is gone.
    pub moved_to: Option<PathBuf>,
    /// The number of recovered feedback entries.
    pub saved: usize,
}

impl Display for SalvageReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { reason, moved_to, saved } = self;
        let Some(moved_to) = moved_to else { return f.write_str(reason) };
        let noun = if *saved == 1 { "entry" } else { "entries" };
        write!(f, "{reason}: Kenning moved it to {} and kept {saved} feedback {noun}", moved_to.display())
    }
}

impl MemoryLocation {
    /// Whether a memory exists here, or existed and is gone.
    pub fn has_memory(&self) -> bool {
        self.path.exists() || self.marker_path().exists()
    }

    /// Returns the path of the marker: an empty file next to the memory, which shows that a memory
    /// existed if the memory itself is lost.
    fn marker_path(&self) -> PathBuf {
        self.path.with_extension("mark")
    }

    /// Opens the memory, and creates it if it is missing. Sets a damaged memory aside and recovers
    /// its readable entries.
    ///
    /// # Errors
    /// Returns the errors of the database, including damage to a file that may not be Kenning's.
    pub fn open_store(&self) -> Result<(MemoryStore, Option<SalvageReport>), StoreError> {
        let is_gone = std::fs::metadata(&self.path).map_or(true, |metadata| metadata.len() == 0)
            && !self.path.with_extension("db-wal").exists();
        let (store, mut salvage) = self.open_or_salvage()?;
        if is_gone && self.marker_path().exists() {
            let path = self.path.display();
            let reason = format!("{path} is missing or empty; the learned feedback is lost");
            salvage = Some(SalvageReport { reason, moved_to: None, saved: 0 });
        }
        // Without the marker, the loss of the file would go unnoticed.
        let _ = private_files::open_or_create(&self.marker_path());
        Ok((store, salvage))
    }

    fn open_or_salvage(&self) -> Result<(MemoryStore, Option<SalvageReport>), StoreError> {
        let opened = MemoryStore::open(&self.path).and_then(|store| store.check_rows().map(|()| store));
        let error = match opened {
            Ok(store) => return Ok((store, None)),
            Err(error) => error,
        };
        // The cache folder has no databases of other programs.
        let is_damage = error.is_damage() || matches!(error, StoreError::Foreign { .. });
        let is_kenning_file = self.is_in_cache || is_kenning_database(&self.path);
        if !(is_damage && is_kenning_file) {
            return Err(error);
        }
        let entries = readable_feedback(&self.path);
        let (uses, words, remembered) = Connection::open(&self.path)
            .map(|connection| {
                (readable_rows(&connection), readable_rows(&connection), readable_rows(&connection))
            })
            .unwrap_or_default();
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
        let Ok(moved_to) = set_aside(&self.path, seconds) else { return Err(error) };
        let mut store = MemoryStore::open(&self.path)?;
        store.insert_all_feedback(&entries)?;
        // Kenning learns lost rows of these tables again, so the report does not count them.
        store.add_learned(uses, words)?;
        store.add_remembered(remembered)?;
        let salvage =
            SalvageReport { reason: error.to_string(), moved_to: Some(moved_to), saved: entries.len() };
        Ok((store, Some(salvage)))
    }
}

/// Returns the readable feedback entries with a matching checksum, each once. Reads forwards from
/// the first entry and then backwards from the last, because reading ends at a damaged page.
fn readable_feedback(path: &Path) -> Vec<Feedback> {
    let mut entries = BTreeMap::new();
    if let Ok(connection) = Connection::open(path) {
        for order in ["", " DESC"] {
            // An error ends the reading. Keep the entries before it.
            let _ = collect_feedback(&connection, &format!("{SELECT_FEEDBACK}{order}"), &mut entries);
        }
    }
    let mut entries: Vec<Feedback> = entries.into_values().collect();
    // Find the entries that SQLite cannot reach.
    let raw = std::fs::read(path).map(|bytes| raw_rows::find_feedback(&bytes)).unwrap_or_default();
    for entry in raw {
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries
}

fn collect_feedback(
    connection: &Connection,
    query: &str,
    entries: &mut BTreeMap<i64, Feedback>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let read = Feedback::from_row(row)
            .and_then(|entry| Ok((entry, row.get(SUM_COLUMN)?, row.get(SUM_COLUMN + 1)?)));
        let Ok((entry, sum, id)) = read else { continue };
        if entry.row_checksum() == sum {
            entries.insert(id, entry);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hash;

    fn entry(number: u32) -> Feedback {
        let hash = Hash::from_content(&number.to_le_bytes());
        Feedback {
            symbol: hash,
            cluster: hash,
            useful: number.is_multiple_of(2),
            package_root: hash,
            at: u64::from(number),
        }
    }

    fn memory_location(dir: &tempfile::TempDir) -> MemoryLocation {
        MemoryLocation { path: dir.path().join("memory.db"), is_in_cache: true }
    }

    #[test]
    fn readable_entries_of_a_damaged_memory_are_recovered_and_the_damaged_file_is_kept() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let location = memory_location(&dir);
        let (mut memory, salvage) = location.open_store().expect("created");
        assert_eq!(salvage, None);
        let inserted: Vec<Feedback> = (0..200).map(entry).collect();
        memory.insert_all_feedback(&inserted).expect("stored");
        drop(memory);
        // Damage a page in the middle of the table.
        let mut bytes = std::fs::read(&location.path).expect("read");
        let needle = inserted[100].symbol.0;
        let matches = bytes.windows(32).enumerate().filter(|(_, window)| *window == needle);
        // Find a leaf of the table rather than of an index (sqlite.org/fileformat.html, "B-tree
        // Pages").
        let leaf = matches.map(|(at, _)| at / 4096 * 4096).find(|&page| bytes[page] == 13);
        let at = leaf.expect("the entry is in a leaf");
        bytes[at..at + 4096].fill(0);
        std::fs::write(&location.path, &bytes).expect("the damage is written");

        let (memory, salvage) = location.open_store().expect("the store opens");
        let salvage = salvage.expect("a report");
        assert!((100..200).contains(&salvage.saved), "{salvage}");
        assert!(salvage.to_string().contains("is damaged"), "{salvage}");
        let damaged = std::fs::read(salvage.moved_to.expect("the damaged file is kept")).expect("read");
        assert_eq!(damaged[at..at + 4096], [0; 4096]);
        let recovered = memory.load_all_feedback().expect("undamaged");
        assert_eq!(recovered.len(), salvage.saved);
        assert!(recovered.iter().all(|entry| inserted.contains(entry)));
        drop(memory);
        assert_eq!(location.open_store().expect("the store opens").1, None, "the damage is reported once");
    }

    #[test]
    fn entries_but_not_deleted_ones_are_found_in_a_file_that_sqlite_cannot_read() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let location = memory_location(&dir);
        let (mut memory, _) = location.open_store().expect("created");
        let inserted: Vec<Feedback> = (0..60).map(entry).collect();
        memory.insert_all_feedback(&inserted).expect("stored");
        for deleted in &inserted[..20] {
            assert_eq!(memory.forget_learned(Some(&deleted.symbol)).expect("deleted").feedback, 1);
        }
        drop(memory);
        let mut bytes = std::fs::read(&location.path).expect("read");
        // Erase the header and the schema.
        bytes[..4096].fill(0);
        std::fs::write(&location.path, &bytes).expect("the damage is written");
        let (memory, salvage) = location.open_store().expect("the store opens");
        assert_eq!(salvage.expect("a report").saved, 40);
        let mut recovered = memory.load_all_feedback().expect("undamaged");
        recovered.sort_by_key(|entry| entry.at);
        assert_eq!(recovered, inserted[20..]);
    }

    #[test]
    fn the_loss_of_a_memory_is_reported_once() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let location = memory_location(&dir);
        assert!(!location.has_memory());
        assert_eq!(location.open_store().expect("created").1, None);
        for is_removed in [true, false] {
            if is_removed {
                std::fs::remove_file(&location.path).expect("removed");
            } else {
                std::fs::write(&location.path, []).expect("emptied");
            }
            assert!(location.has_memory());
            let (_, salvage) = location.open_store().expect("the store opens");
            assert!(salvage.expect("a report").to_string().ends_with("the learned feedback is lost"));
            assert_eq!(location.open_store().expect("the store opens").1, None);
        }
    }

    #[test]
    fn a_file_that_may_belong_to_another_program_is_not_changed() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let outside_cache = MemoryLocation { is_in_cache: false, ..memory_location(&dir) };
        let text = "not a database, but long enough to be read as a header".repeat(40);
        std::fs::write(&outside_cache.path, &text).expect("written");
        assert!(outside_cache.open_store().expect_err("refused").is_damage());
        assert_eq!(std::fs::read_to_string(&outside_cache.path).expect("read"), text);
        let (_, salvage) = memory_location(&dir).open_store().expect("the store opens");
        assert_eq!(salvage.expect("a report").saved, 0);
    }
}
