//! Checking an image against its checksums in portions, so that whoever waits for something else does not wait for all of it.

use super::{Base, Bytes, Checksum, HEADER, SECTIONS};
use std::io::Result;

/// Bytes that are read before it is asked again whether to go on: a disk reads so many in a few milliseconds.
const PORTION: usize = 256 * 1024;

/// How far the check of a base came. It goes on with that base only; another one needs a check of its own.
#[derive(Default)]
pub struct Verification {
    section: usize,
    /// Bytes of that section.
    read: usize,
    checksum: Checksum,
    buffer: Vec<u8>,
}

impl Verification {
    /// Goes on with the check until all sections are read. `false` when `interrupted`, which is asked before every portion, said
    /// that something else is to be done: the next call goes on from there.
    ///
    /// # Errors
    /// A sentence with the number of the first section that is not as it was written, or that cannot be read.
    pub fn go_on(
        &mut self,
        base: &Base,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> std::result::Result<bool, String> {
        while self.section < SECTIONS {
            if interrupted() {
                return Ok(false);
            }
            self.portion(base)?;
        }
        Ok(true)
    }

    fn portion(&mut self, base: &Base) -> std::result::Result<(), String> {
        let (start, len) = base.sections[self.section];
        let next = (len - self.read).min(PORTION);
        let bytes = base
            .bytes
            .read(start + self.read, next, &mut self.buffer)
            .map_err(|e| format!("section {} of the base file cannot be read: {e}", self.section))?;
        self.checksum.add(bytes);
        self.read += next;
        if self.read < len {
            return Ok(());
        }
        let whole = std::mem::take(&mut self.checksum).finish();
        if stored(base, self.section).is_some_and(|stored| stored != whole) {
            return Err(format!("section {} of the base file is damaged", self.section));
        }
        self.section += 1;
        self.read = 0;
        Ok(())
    }
}

/// The checksum of a section by the table; `None` in a base without one.
fn stored(base: &Base, section: usize) -> Option<u64> {
    let at = HEADER + section * 24 + 16;
    base.bytes.get().get(at..at + 8)?.try_into().map(u64::from_le_bytes).ok()
}

impl Bytes {
    /// Some of the bytes. Those of a file are read from it and not from where it is mapped: so they take no memory after that,
    /// and a disk that cannot read them gives an error.
    fn read<'b>(&'b self, start: usize, len: usize, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        #[cfg(unix)]
        if let Self::Mapped(_, file) = self {
            use std::os::unix::fs::FileExt as _;
            buffer.resize(len, 0);
            file.read_exact_at(buffer, start as u64)?;
            return Ok(buffer);
        }
        #[cfg(not(unix))]
        let _ = buffer;
        Ok(&self.get()[start..start + len])
    }
}
