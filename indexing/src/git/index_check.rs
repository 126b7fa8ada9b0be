//! Checks the content of git's index before the git library reads it.
//!
//! The library trusts two things that git writes into this file: it descends into the folders of
//! two extensions by recursion, so a few MB of nested folders overflow its stack and end the
//! process; and paths of version 4 repeat the beginning of the path before them, so a few MB can
//! describe many GB of paths. Everything else that it reads is linear in the size of the file, as
//! long as one thread reads it (`INDEX_THREADS`), because the offsets for several threads may
//! overlap.
//!
//! The check follows the library's decoder exactly. Where the content is damaged, the library stops
//! as well, so the check accepts it.

use std::fmt::Write as _;

/// Maximum nesting of folders in an extension. Paths on disk have fewer than 100 levels.
const MAX_NESTING: usize = 1_000;

/// Maximum ratio of the paths of version 4 to the size of the file. Each entry has 62 bytes besides
/// its path, so real files stay below 2.
const MAX_PATH_RATIO: usize = 4;

/// Number of bytes of an id. The git library is built for SHA-1 only.
const ID_BYTES: usize = 20;

/// The flags of an entry.
const EXTENDED_FLAG: u16 = 0x4000;
const PATH_LENGTH_FLAGS: u16 = 0x0fff;

/// The reason why an index must not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexRefusal {
    DeepFolders,
    LongPaths,
}

impl std::fmt::Display for IndexRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::DeepFolders => "has more nested folders than git writes",
            Self::LongPaths => "has longer paths than git writes",
        })
    }
}

/// Checks an index. Returns the name of the file next to it that has the rest of its entries, if
/// there is one (`core.splitIndex`).
///
/// # Errors
/// Returns the reason if it must not be read.
pub(super) fn check_content(bytes: &[u8]) -> Result<Option<String>, IndexRefusal> {
    let Some(mut extensions) = IndexReader::new(bytes).skip_entries(bytes.len())? else { return Ok(None) };
    let mut shared = None;
    while let Some((signature, content)) = extensions.read_extension() {
        let mut content = IndexReader::new(content);
        let nesting = match signature {
            b"TREE" => Some(content.measure_nesting(IndexReader::read_tree)),
            b"UNTR" => content
                .skip_untracked_header()
                .map(|()| content.measure_nesting(IndexReader::read_untracked_folder)),
            b"link" => {
                shared = content.take(ID_BYTES).map(shared_index_name);
                continue;
            }
            _ => continue,
        };
        if nesting.is_some_and(|nesting| nesting > MAX_NESTING) {
            return Err(IndexRefusal::DeepFolders);
        }
    }
    Ok(shared)
}

fn shared_index_name(id: &[u8]) -> String {
    id.iter().fold("sharedindex.".to_owned(), |mut name, byte| {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}

/// Reads an index from its beginning. The methods return `None` where the file is damaged.
#[derive(Clone, Copy)]
struct IndexReader<'a> {
    rest: &'a [u8],
}

impl<'a> IndexReader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// Returns the bytes before a separator, and skips the separator.
    fn take_until(&mut self, separator: u8) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|&byte| byte == separator)?;
        let taken = self.take(end)?;
        self.take(1)?;
        Some(taken)
    }

    fn read_u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn read_u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// Reads a number with seven bits per byte, of which the first byte has the highest.
    fn read_number(&mut self) -> Option<u64> {
        let mut byte = *self.take(1)?.first()?;
        let mut number = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            number = number.checked_add(1)?.checked_mul(128)?.checked_add(u64::from(byte & 0x7f))?;
        }
        Some(number)
    }

    /// Skips the header and the entries. Returns a reader of the extensions, or `None` for a
    /// damaged file.
    fn skip_entries(mut self, file_bytes: usize) -> Result<Option<Self>, IndexRefusal> {
        let Some((version, count)) = self.read_header() else { return Ok(None) };
        let (mut path, mut path_bytes) = (0, 0);
        for _ in 0..count {
            let Some(length) = self.skip_entry(version, path) else { return Ok(None) };
            path = length;
            path_bytes += length;
            if path_bytes > file_bytes.saturating_mul(MAX_PATH_RATIO) {
                return Err(IndexRefusal::LongPaths);
            }
        }
        let Some(end) = self.rest.len().checked_sub(ID_BYTES) else { return Ok(None) };
        Ok(Some(Self::new(&self.rest[..end])))
    }

    fn read_header(&mut self) -> Option<(u32, u32)> {
        (self.take(4)? == b"DIRC").then_some(())?;
        Some((self.read_u32()?, self.read_u32()?))
    }

    /// Skips an entry after one whose path has `previous` bytes. Returns the length of its path.
    fn skip_entry(&mut self, version: u32, previous: usize) -> Option<usize> {
        let start = self.rest.len();
        self.take(40 + ID_BYTES)?;
        let flags = self.read_u16()?;
        if flags & EXTENDED_FLAG != 0 {
            self.take(2)?;
        }
        if version == 4 {
            let kept = previous.checked_sub(usize::try_from(self.read_number()?).ok()?)?;
            return Some(kept + self.take_until(0)?.len());
        }
        if flags & PATH_LENGTH_FLAGS == PATH_LENGTH_FLAGS {
            return Some(self.take_until(0)?.len());
        }
        let length = usize::from(flags & PATH_LENGTH_FLAGS);
        self.take(length)?;
        // An entry ends with one to eight zeros, so that its length is a multiple of eight.
        let used = start - self.rest.len();
        self.take(((used + 8) & !7) - used)?;
        Some(length)
    }

    fn read_extension(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let signature = self.take(4)?;
        let length = self.read_u32()?;
        Some((signature, self.take(length as usize)?))
    }

    /// Returns the greatest nesting of folders, up to the first damage. `read_folder` reads a
    /// folder without those inside, and returns their number.
    fn measure_nesting(&mut self, read_folder: fn(&mut Self) -> Option<u64>) -> usize {
        let mut deepest = 0;
        let mut open = vec![1];
        while let Some(left) = open.last_mut() {
            if *left == 0 {
                open.pop();
                continue;
            }
            *left -= 1;
            let Some(inner) = read_folder(self) else { break };
            open.push(inner);
            // The first number is that of the folder around all others.
            deepest = deepest.max(open.len() - 1);
            if deepest > MAX_NESTING {
                break;
            }
        }
        deepest
    }

    /// Reads a folder of the cached trees.
    fn read_tree(&mut self) -> Option<u64> {
        self.take_until(0)?;
        let entries: i32 = gix::utils::btoi::to_signed(self.take_until(b' ')?).ok()?;
        let folders = gix::utils::btoi::to_unsigned(self.take_until(b'\n')?).ok()?;
        if entries >= 0 {
            self.take(ID_BYTES)?;
        }
        Some(folders)
    }

    /// Skips the part of the cache of untracked files before its folders.
    fn skip_untracked_header(&mut self) -> Option<()> {
        let identifier = self.read_number()?;
        self.take(usize::try_from(identifier).ok()?)?;
        // The states of two files with patterns, flags, and the ids of these files.
        self.take(36 + 36 + 4 + ID_BYTES + ID_BYTES)?;
        self.take_until(0)?;
        self.read_number().map(drop)
    }

    /// Reads a folder of the cache of untracked files.
    fn read_untracked_folder(&mut self) -> Option<u64> {
        let (files, folders) = (self.read_number()?, self.read_number()?);
        self.take_until(0)?;
        for _ in 0..files {
            self.take_until(0)?;
        }
        Some(folders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an index with entries and extensions, which are encoded already.
    fn build_index(version: u32, entries: &[Vec<u8>], extensions: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend((entries.len() as u32).to_be_bytes());
        bytes.extend(entries.concat());
        for (signature, content) in extensions {
            bytes.extend(*signature);
            bytes.extend((content.len() as u32).to_be_bytes());
            bytes.extend(content);
        }
        bytes.extend([0; ID_BYTES]);
        bytes
    }

    /// Returns an entry of version 4 that keeps all of the path before it but `strip` bytes.
    fn compressed_entry(strip: u8, suffix: &str) -> Vec<u8> {
        let mut entry = vec![0; 40 + ID_BYTES + 2];
        entry.push(strip);
        entry.extend(suffix.as_bytes());
        entry.push(0);
        entry
    }

    fn nested_trees(levels: usize) -> Vec<u8> {
        let mut content = b"\0-1 1\n".repeat(levels - 1);
        content.extend(b"\0-1 0\n");
        content
    }

    fn nested_untracked(levels: usize) -> Vec<u8> {
        let mut content = vec![0];
        content.extend([0; 36 + 36 + 4 + ID_BYTES + ID_BYTES]);
        content.extend([0, 0x81, 0x00]);
        for level in 0..levels {
            content.extend([0, u8::from(level + 1 < levels), b'a', 0]);
        }
        content
    }

    #[test]
    fn nested_folders_are_refused_beyond_the_limit() {
        for (signature, nest) in
            [(b"TREE", nested_trees as fn(usize) -> Vec<u8>), (b"UNTR", nested_untracked)]
        {
            let check = |levels| check_content(&build_index(2, &[], &[(signature, nest(levels))]));
            assert_eq!(check(MAX_NESTING), Ok(None), "{signature:?}");
            assert_eq!(check(MAX_NESTING + 1), Err(IndexRefusal::DeepFolders), "{signature:?}");
            assert_eq!(check(1_000_000), Err(IndexRefusal::DeepFolders), "{signature:?}");
        }
    }

    #[test]
    fn paths_that_repeat_are_refused_beyond_the_ratio() {
        let path = "a/".repeat(1000);
        let mut entries = vec![compressed_entry(0, &path)];
        entries.extend((0..100).map(|_| compressed_entry(1, "b")));
        assert_eq!(check_content(&build_index(4, &entries, &[])), Err(IndexRefusal::LongPaths));
        let usual: Vec<_> = (0..100).map(|_| compressed_entry(0, "")).collect();
        assert_eq!(check_content(&build_index(4, &usual, &[])), Ok(None));
    }

    #[test]
    fn the_rest_of_a_split_index_is_named() {
        let index = build_index(2, &[], &[(b"link", vec![0xab; ID_BYTES])]);
        assert_eq!(check_content(&index), Ok(Some(format!("sharedindex.{}", "ab".repeat(ID_BYTES)))));
    }

    #[test]
    fn a_damaged_index_is_left_to_the_library() {
        let index = build_index(2, &[], &[(b"TREE", nested_trees(3))]);
        for length in 0..index.len() {
            assert_eq!(check_content(&index[..length]), Ok(None));
        }
    }
}
