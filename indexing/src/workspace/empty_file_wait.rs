//! Reading of files that another program may be writing.

use crate::named_file::{self, FileRefusal, LinkRule, MAX_SOURCE};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Waiting for the writers of a batch of files, at most [`EmptyFileWait::WAITS`] times for the
/// whole batch, so that files that are empty on purpose do not delay the others.
pub(super) struct EmptyFileWait(AtomicU32);

impl EmptyFileWait {
    /// The number of waits of [`EmptyFileWait::WAIT`] each. A program that truncates a file usually
    /// writes it within a few milliseconds.
    const WAITS: u32 = 6;
    const WAIT: Duration = Duration::from_millis(5);

    pub fn new() -> Self {
        Self(AtomicU32::new(Self::WAITS))
    }

    /// Waits once. Returns false without waiting when no waits are left.
    pub fn wait_once(&self) -> bool {
        let left = self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
        if left {
            std::thread::sleep(Self::WAIT);
        }
        left
    }
}

/// Reads a file. A file that had content and is empty now is most likely being saved, since many
/// programs truncate a file before they write it. It is read again for as long as `wait` returns
/// true. Otherwise all its symbols would disappear, and everything that uses them would be resolved
/// twice.
pub(super) fn read_settled_file(
    file: &Path,
    was_empty: bool,
    wait: impl Fn() -> bool,
) -> Result<Vec<u8>, FileRefusal> {
    loop {
        let bytes = named_file::read_bytes(file, MAX_SOURCE, LinkRule::Refuse)?
            .ok_or(FileRefusal::Unreadable(ErrorKind::NotFound))?;
        if was_empty || !bytes.is_empty() || !wait() {
            return Ok(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_file_that_is_being_written_is_read_when_it_has_something_in_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.py");
        std::fs::write(&file, "").expect("written");
        let waits = Cell::new(0);
        let written_in_the_third = || {
            waits.set(waits.get() + 1);
            if waits.get() == 3 {
                std::fs::write(&file, "a = 1\n").expect("written");
            }
            waits.get() < 9
        };
        assert_eq!(read_settled_file(&file, false, written_in_the_third).expect("read"), b"a = 1\n");
        assert_eq!(waits.get(), 3);
        let never = || panic!("it has something in it");
        assert_eq!(read_settled_file(&file, false, never).expect("read"), b"a = 1\n");
    }

    #[test]
    fn a_file_that_stays_empty_is_empty_and_one_that_was_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.py");
        std::fs::write(&file, "").expect("written");
        let patience = EmptyFileWait::new();
        assert!(read_settled_file(&file, false, || patience.wait_once()).expect("read").is_empty());
        assert!(!patience.wait_once(), "it was waited as long as there is patience");
        assert!(read_settled_file(&file, true, || panic!("it was empty before")).expect("read").is_empty());
        assert!(read_settled_file(&folder.path().join("gone"), false, || true).is_err());
    }
}
