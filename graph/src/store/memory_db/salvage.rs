//! Recovers from a damaged `memory.db`: renames the file, keeps it, and copies every answer that
//! can still be read to a new one.

use super::{ANSWERS, Feedback, MemoryStore, SUM, raw_rows};
use crate::private_files;
use crate::store::{StoreError, migrate, set_aside};
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
    pub in_cache: bool,
}

/// The outcome of recovering a damaged memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SalvageReport {
    /// The damage and the file that has it.
    pub reason: String,
    /// The new path of the damaged file; `None` if the file is gone.
    pub aside: Option<PathBuf>,
    /// The number of answers that were recovered.
    pub saved: usize,
}

impl Display for SalvageReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { reason, aside, saved } = self;
        let Some(aside) = aside else { return f.write_str(reason) };
        let entries = if *saved == 1 { "entry" } else { "entries" };
        write!(f, "{reason}: Kenning moved it to {} and kept {saved} feedback {entries}", aside.display())
    }
}

impl MemoryLocation {
    /// Whether there is a memory here, or there was one and it is gone.
    pub fn has_memory(&self) -> bool {
        self.path.exists() || self.marker_path().exists()
    }

    /// Returns the path of an empty file that shows that there is a memory, so that its loss is
    /// noticed.
    fn marker_path(&self) -> PathBuf {
        self.path.with_extension("mark")
    }

    /// Opens the memory; creates it if there is none. Sets a damaged one aside and recovers its
    /// readable answers.
    ///
    /// # Errors
    /// Returns the errors of the database, including damage of a file that may not be Kenning's.
    pub fn open_store(&self) -> Result<(MemoryStore, Option<SalvageReport>), StoreError> {
        let is_gone = std::fs::metadata(&self.path).map_or(true, |metadata| metadata.len() == 0)
            && !self.path.with_extension("db-wal").exists();
        let (store, mut salvage) = self.open_or_salvage()?;
        if is_gone && self.marker_path().exists() {
            let path = self.path.display();
            let reason = format!("{path} is missing or empty; the learned feedback is lost");
            salvage = Some(SalvageReport { reason, aside: None, saved: 0 });
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
        // In the cache folder there are no databases of other programs.
        let is_damage = error.is_damage() || matches!(error, StoreError::Foreign { .. });
        let is_ours = self.in_cache || migrate::is_kenning_database(&self.path);
        if !(is_damage && is_ours) {
            return Err(error);
        }
        let answers = readable_answers(&self.path);
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
        let Ok(aside) = set_aside(&self.path, seconds) else { return Err(error) };
        let mut store = MemoryStore::open(&self.path)?;
        store.insert_answers(&answers)?;
        let salvage = SalvageReport { reason: error.to_string(), aside: Some(aside), saved: answers.len() };
        Ok((store, Some(salvage)))
    }
}

/// Returns the readable answers with a matching checksum, each once. Reads from the first on and
/// then from the last back, because reading ends at a damaged page.
fn readable_answers(path: &Path) -> Vec<Feedback> {
    let mut answers = BTreeMap::new();
    if let Ok(connection) = Connection::open(path) {
        for order in ["", " DESC"] {
            // An error ends the reading; the answers before it are kept.
            let _ = collect_answers(&connection, &format!("{ANSWERS}{order}"), &mut answers);
        }
    }
    let mut answers: Vec<Feedback> = answers.into_values().collect();
    // Finds the answers that SQLite does not reach.
    let raw = std::fs::read(path).map(|bytes| raw_rows::find_answers(&bytes)).unwrap_or_default();
    for answer in raw {
        if !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    answers
}

fn collect_answers(
    connection: &Connection,
    query: &str,
    answers: &mut BTreeMap<i64, Feedback>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let read = Feedback::from_row(row).and_then(|answer| Ok((answer, row.get(SUM)?, row.get(SUM + 1)?)));
        let Ok((answer, sum, id)) = read else { continue };
        if answer.row_checksum() == sum {
            answers.insert(id, answer);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hash;

    fn answer(n: u32) -> Feedback {
        let hash = Hash::from_content(&n.to_le_bytes());
        Feedback {
            symbol: hash,
            cluster: hash,
            useful: n.is_multiple_of(2),
            package_root: hash,
            at: u64::from(n),
        }
    }

    fn place(dir: &tempfile::TempDir) -> MemoryLocation {
        MemoryLocation { path: dir.path().join("memory.db"), in_cache: true }
    }

    #[test]
    fn what_can_be_read_of_a_damaged_memory_is_kept_and_the_rest_stays_beside_it() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let place = place(&dir);
        let (mut memory, none) = place.open_store().expect("made");
        assert_eq!(none, None);
        let given: Vec<Feedback> = (0..200).map(answer).collect();
        memory.insert_answers(&given).expect("kept");
        drop(memory);
        // A page in the middle of the table.
        let mut bytes = std::fs::read(&place.path).expect("read");
        let needle = given[100].symbol.0;
        let places = bytes.windows(32).enumerate().filter(|(_, window)| *window == needle);
        // A leaf of the table, not of an index (sqlite.org/fileformat.html, "B-tree Pages").
        let leaf = places.map(|(at, _)| at / 4096 * 4096).find(|&page| bytes[page] == 13);
        let at = leaf.expect("there");
        bytes[at..at + 4096].fill(0);
        std::fs::write(&place.path, &bytes).expect("damaged");

        let (memory, salvage) = place.open_store().expect("goes on");
        let salvage = salvage.expect("told");
        assert!((100..200).contains(&salvage.saved), "{salvage}");
        assert!(salvage.to_string().contains("is damaged"), "{salvage}");
        let aside = std::fs::read(salvage.aside.expect("kept")).expect("read");
        assert_eq!(aside[at..at + 4096], [0; 4096]);
        let kept = memory.load_answers().expect("sound");
        assert_eq!(kept.len(), salvage.saved);
        assert!(kept.iter().all(|answer| given.contains(answer)));
        drop(memory);
        assert_eq!(place.open_store().expect("sound").1, None, "once is enough");
    }

    #[test]
    fn answers_are_found_where_sqlite_cannot_read_anything_and_forgotten_ones_are_not() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let place = place(&dir);
        let (mut memory, _) = place.open_store().expect("made");
        let given: Vec<Feedback> = (0..60).map(answer).collect();
        memory.insert_answers(&given).expect("kept");
        for forgotten in &given[..20] {
            assert_eq!(memory.forget_feedback(Some(&forgotten.symbol)).expect("forgotten"), 1);
        }
        drop(memory);
        let mut bytes = std::fs::read(&place.path).expect("read");
        // Neither a header nor a schema is left.
        bytes[..4096].fill(0);
        std::fs::write(&place.path, &bytes).expect("damaged");
        let (memory, salvage) = place.open_store().expect("goes on");
        assert_eq!(salvage.expect("told").saved, 40);
        let mut kept = memory.load_answers().expect("sound");
        kept.sort_by_key(|answer| answer.at);
        assert_eq!(kept, given[20..]);
    }

    #[test]
    fn a_memory_that_is_gone_or_empty_is_missed_once() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let place = place(&dir);
        assert!(!place.has_memory());
        assert_eq!(place.open_store().expect("made").1, None);
        for gone in [true, false] {
            if gone {
                std::fs::remove_file(&place.path).expect("removed");
            } else {
                std::fs::write(&place.path, []).expect("emptied");
            }
            assert!(place.has_memory());
            let (_, salvage) = place.open_store().expect("goes on");
            assert!(salvage.expect("told").to_string().ends_with("the learned feedback is lost"));
            assert_eq!(place.open_store().expect("there").1, None);
        }
    }

    #[test]
    fn a_file_that_may_be_somebody_elses_is_left_alone() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let named = MemoryLocation { in_cache: false, ..place(&dir) };
        let text = "not a database, but long enough to be read as a header".repeat(40);
        std::fs::write(&named.path, &text).expect("written");
        assert!(named.open_store().expect_err("refused").is_damage());
        assert_eq!(std::fs::read_to_string(&named.path).expect("read"), text);
        let (_, salvage) = place(&dir).open_store().expect("goes on");
        assert_eq!(salvage.expect("told").saved, 0);
    }
}
