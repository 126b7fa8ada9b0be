//! Reads files that another program may be writing at the same time.

use crate::named_file::{self, FileRefusal, LinkRule, MAX_SOURCE};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// A budget of waits for programs that are writing files. A whole batch of files shares
/// [`EmptyFileWait::MAX_WAITS`] waits, so that files that are empty on purpose do not delay the
/// others.
pub(super) struct EmptyFileWait(AtomicU32);

impl EmptyFileWait {
    /// Number of waits of [`EmptyFileWait::WAIT_TIME`] each. A program that truncates a file
    /// usually writes it within a few milliseconds.
    const MAX_WAITS: u32 = 6;
    /// Length of one wait.
    const WAIT_TIME: Duration = Duration::from_millis(5);

    /// Creates a budget of [`EmptyFileWait::MAX_WAITS`] waits.
    pub fn new() -> Self {
        Self(AtomicU32::new(Self::MAX_WAITS))
    }

    /// Waits once. Returns false without waiting when no waits are left.
    pub fn wait_once(&self) -> bool {
        let may_wait = self.0.fetch_update(Relaxed, Relaxed, |may_wait| may_wait.checked_sub(1)).is_ok();
        if may_wait {
            std::thread::sleep(Self::WAIT_TIME);
        }
        may_wait
    }
}

/// Reads a file. Many programs truncate a file before they write it, so an empty file that had
/// content before is read again for as long as `wait` returns true. Otherwise all its symbols would
/// disappear, and everything that uses them would be resolved twice.
pub(super) fn read_finished_file(
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
    fn a_file_that_is_being_written_is_read_once_it_has_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.py");
        std::fs::write(&file, "").expect("written");
        let waits = Cell::new(0);
        let write_on_third_wait = || {
            waits.set(waits.get() + 1);
            if waits.get() == 3 {
                std::fs::write(&file, "a = 1\n").expect("written");
            }
            waits.get() < 9
        };
        assert_eq!(read_finished_file(&file, false, write_on_third_wait).expect("read"), b"a = 1\n");
        assert_eq!(waits.get(), 3);
        let never = || panic!("a file with content needs no wait");
        assert_eq!(read_finished_file(&file, false, never).expect("read"), b"a = 1\n");
    }

    #[test]
    fn an_empty_file_is_read_after_the_last_wait_or_immediately_if_it_was_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.py");
        std::fs::write(&file, "").expect("written");
        let budget = EmptyFileWait::new();
        assert!(read_finished_file(&file, false, || budget.wait_once()).expect("read").is_empty());
        assert!(!budget.wait_once(), "no waits are left");
        assert!(
            read_finished_file(&file, true, || panic!("a file that was empty before needs no wait"))
                .expect("read")
                .is_empty()
        );
        assert!(read_finished_file(&folder.path().join("gone"), false, || true).is_err());
    }
}
