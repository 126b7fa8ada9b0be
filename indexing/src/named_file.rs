//! Reads the files whose names Kenning chooses: ignore files, attributes, manifests, configuration
//! and git's own files.
//!
//! A workspace may come from an untrusted source, and a file with such a name may be a link to an
//! endless device, a pipe without a writer, or a file of a hundred gigabytes. This module opens all
//! such files; no other code of the product does (`tests/tests/tidy` keeps the list of exceptions).
//! The rules:
//!
//! * Only a regular file is read, and opening one never waits for another process.
//! * A symbolic link is followed only if the caller's [`LinkRule`] permits it.
//! * At most one byte more than the limit is read, regardless of the size that the file claims.
//!
//! An absent file is not an error. For a refused file, readers return a [`FileRefusal`], whose text
//! completes the sentence "the file ...".

use std::fmt::{self, Display, Formatter};
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Size limit of ignore and attribute files, in bytes: 4 MiB. The largest ones in public
/// repositories are generated lists of half a MiB.
pub const MAX_PATTERN_FILE: u64 = 4 << 20;

/// Size limit of manifests, in bytes: 4 MiB. Larger ones are data; the largest `package.json` of a
/// published package has less than one MiB.
pub const MAX_MANIFEST: u64 = 4 << 20;

/// Size limit of source files, in bytes: the largest value that `index.maxFileSize` accepts. The
/// names come from a walk of the tree, but a file may have been replaced since then.
pub const MAX_SOURCE: u64 = 1 << 30;

/// Size limit of `kenning.toml`, in bytes: 1 MiB. Users write it by hand.
pub const MAX_CONFIGURATION: u64 = 1 << 20;

/// The symbolic links that are followed.
#[derive(Clone, Copy, Debug)]
pub enum LinkRule<'a> {
    /// No links, as in git for `.gitignore` and `.gitattributes`.
    Refuse,
    /// Links whose target is in this folder.
    Inside(&'a Path),
    /// All links: tools that share one repository between several working trees build `.git`
    /// folders out of links.
    Follow,
}

/// The reason why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileRefusal {
    /// The file is a symbolic link, and the rule forbids following it.
    SymbolicLink,
    /// The file is outside the folder that it must be in.
    LeavesWorkspace,
    /// The path is a folder.
    Folder,
    /// The file is a pipe, a socket or a device.
    NotRegular,
    /// The file has more bytes than this limit.
    TooLarge(u64),
    /// The file is not UTF-8.
    NotUtf8,
    /// The operating system returned an error of this kind.
    Unreadable(ErrorKind),
}

impl Display for FileRefusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::SymbolicLink => f.write_str("is a symbolic link, which Kenning does not follow here"),
            Self::LeavesWorkspace => f.write_str("is a symbolic link that leads out of the workspace"),
            Self::Folder => f.write_str("is a folder"),
            Self::NotRegular => f.write_str("is a pipe, a socket or a device"),
            Self::TooLarge(limit) => write!(f, "is larger than {}", describe_limit(*limit)),
            Self::NotUtf8 => f.write_str("is not UTF-8"),
            Self::Unreadable(kind) => write!(f, "cannot be read ({kind})"),
        }
    }
}

/// Formats a size limit as a whole number of the largest possible binary unit: `4 MiB`.
pub fn describe_limit(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(shift, _)| bytes > 0 && bytes.trailing_zeros() >= *shift);
    unit.map_or_else(|| format!("{bytes} bytes"), |(shift, unit)| format!("{} {unit}", bytes >> shift))
}

impl From<std::io::Error> for FileRefusal {
    fn from(error: std::io::Error) -> Self {
        Self::Unreadable(error.kind())
    }
}

/// A file that Kenning cannot use fully, with a message for the user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileProblem {
    /// Path in the workspace, with `/` as the separator; the whole path for a file outside it.
    pub path: String,
    /// The problem and its consequences.
    pub message: String,
}

impl FileProblem {
    /// Creates a problem of the file at `path`, which is shown relative to `root` if it is below
    /// it.
    pub fn new(root: &Path, path: &Path, message: String) -> Self {
        let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
        Self { path: path.replace(std::path::MAIN_SEPARATOR, "/"), message }
    }
}

impl Display for FileProblem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", shorten_text(&self.path), self.message)
    }
}

/// Maximum length, in bytes, of a path, a pattern or a foreign error message inside one of
/// Kenning's messages.
const MAX_SHOWN_BYTES: usize = 200;

/// Shortens a text to the length that messages show. Three dots replace the rest.
pub fn shorten_text(text: &str) -> String {
    if text.len() <= MAX_SHOWN_BYTES {
        return text.to_owned();
    }
    let end = (0..=MAX_SHOWN_BYTES).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}...", &text[..end])
}

/// Reads the file at `path`, which may have at most `limit` bytes. Returns `None` if there is no
/// such file.
///
/// # Errors
/// Returns a [`FileRefusal`] if the file exists but must not or cannot be read.
pub fn read_bytes(path: &Path, limit: u64, links: LinkRule<'_>) -> Result<Option<Vec<u8>>, FileRefusal> {
    let Some((file, size)) = open_file(path, limit, links)? else { return Ok(None) };
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    // The file grew in the meantime, or claims no size, as the files of `/proc` do.
    if bytes.len() as u64 > limit { Err(FileRefusal::TooLarge(limit)) } else { Ok(Some(bytes)) }
}

/// Reads a source file. Returns `None` if it cannot be read, is no longer a regular file, or has
/// more than [`MAX_SOURCE`] bytes.
pub fn read_source(path: &Path) -> Option<Vec<u8>> {
    read_bytes(path, MAX_SOURCE, LinkRule::Refuse).ok().flatten()
}

/// Reads at most the first `limit` bytes of a regular file, which may be larger. Returns `None` if it
/// cannot be read.
pub fn read_head(path: &Path, limit: usize) -> Option<Vec<u8>> {
    let (file, _) = open_file(path, u64::MAX, LinkRule::Refuse).ok().flatten()?;
    let mut head = Vec::with_capacity(limit);
    file.take(limit as u64).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Reads the file at `path` as text, like [`read_bytes`].
///
/// # Errors
/// Returns the errors of [`read_bytes`], and [`FileRefusal::NotUtf8`] if the file is not UTF-8.
pub fn read_text(path: &Path, limit: u64, links: LinkRule<'_>) -> Result<Option<String>, FileRefusal> {
    let Some(bytes) = read_bytes(path, limit, links)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| FileRefusal::NotUtf8)
}

/// Reads a file of patterns. Replaces invalid UTF-8, because a pattern may contain any bytes.
/// Returns `None` if there is no such file; a folder of that name does not count as one.
///
/// # Errors
/// Returns a [`FileRefusal`] if the file exists but must not or cannot be read.
pub fn read_patterns(path: &Path, links: LinkRule<'_>) -> Result<Option<String>, FileRefusal> {
    match read_bytes(path, MAX_PATTERN_FILE, links) {
        Err(FileRefusal::Folder) => Ok(None),
        other => Ok(other?.map(|bytes| match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })),
    }
}

/// Checks a file that a library will open. Returns whether it exists.
///
/// # Errors
/// Returns a [`FileRefusal`] if the file must not be opened.
pub fn check_file(path: &Path, limit: u64, links: LinkRule<'_>) -> Result<bool, FileRefusal> {
    Ok(resolve_target(path, limit, links)?.is_some())
}

/// Opens the file that `path` leads to. Returns it with its size, or `None` if there is none.
fn open_file(path: &Path, limit: u64, links: LinkRule<'_>) -> Result<Option<(File, u64)>, FileRefusal> {
    let Some(path) = resolve_target(path, limit, links)? else { return Ok(None) };
    let file = match open_without_waiting(&path) {
        Ok(file) => file,
        // The file was removed since the last check. `O_NOFOLLOW` makes a new link an error.
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let size = check_metadata(&file.metadata()?, limit)?;
    Ok(Some((file, size)))
}

/// Returns the path of the regular file that `path` leads to, or `None` if there is none.
fn resolve_target(path: &Path, limit: u64, links: LinkRule<'_>) -> Result<Option<PathBuf>, FileRefusal> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let (path, metadata) = match links {
        LinkRule::Refuse if metadata.is_symlink() => return Err(FileRefusal::SymbolicLink),
        LinkRule::Refuse => (path.to_owned(), metadata),
        // A parent folder may also be a link.
        LinkRule::Inside(_) | LinkRule::Follow => {
            let real = match path.canonicalize() {
                Ok(real) => real,
                Err(error) if is_absent(&error) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            if let LinkRule::Inside(folder) = links
                && !real.starts_with(folder.canonicalize()?)
            {
                return Err(FileRefusal::LeavesWorkspace);
            }
            let metadata = real.symlink_metadata()?;
            (real, metadata)
        }
    };
    check_metadata(&metadata, limit)?;
    Ok(Some(path))
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns the size of a file that may be read.
fn check_metadata(metadata: &Metadata, limit: u64) -> Result<u64, FileRefusal> {
    if metadata.is_dir() {
        Err(FileRefusal::Folder)
    } else if metadata.is_symlink() {
        Err(FileRefusal::SymbolicLink)
    } else if !metadata.is_file() {
        Err(FileRefusal::NotRegular)
    } else if metadata.len() > limit {
        Err(FileRefusal::TooLarge(limit))
    } else {
        Ok(metadata.len())
    }
}

/// Opens a file that was a regular file a moment ago. Does not wait for a writer if the file has
/// become a pipe.
#[cfg(unix)]
fn open_without_waiting(path: &Path) -> std::io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const LIMIT: u64 = 10;

    #[test]
    fn a_regular_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        assert_eq!(read_bytes(&path, LIMIT, LinkRule::Refuse), Ok(None));
        fs::write(&path, "0123456789").unwrap();
        assert_eq!(read_text(&path, LIMIT, LinkRule::Refuse), Ok(Some("0123456789".to_owned())));
        assert_eq!(read_bytes(&path.join("below"), LIMIT, LinkRule::Refuse), Ok(None));
        fs::write(&path, "0123456789a").unwrap();
        assert_eq!(read_bytes(&path, LIMIT, LinkRule::Refuse), Err(FileRefusal::TooLarge(LIMIT)));
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path, LIMIT, LinkRule::Refuse), Err(FileRefusal::NotUtf8));
        assert_eq!(read_patterns(&path, LinkRule::Refuse), Ok(Some("\u{fffd}".to_owned())));
        assert_eq!(read_bytes(folder.path(), LIMIT, LinkRule::Refuse), Err(FileRefusal::Folder));
        assert_eq!(read_patterns(folder.path(), LinkRule::Refuse), Ok(None));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_only_if_the_rule_permits() {
        use std::os::unix::fs::symlink;
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = folder.path();
        fs::write(root.join("real"), "in").unwrap();
        fs::write(outside.path().join("real"), "out").unwrap();
        symlink("real", root.join("near")).unwrap();
        symlink(outside.path().join("real"), root.join("far")).unwrap();
        symlink(outside.path(), root.join("folder")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let read = |name: &str, rule| read_text(&root.join(name), LIMIT, rule).map(Option::unwrap_or_default);
        let inside = LinkRule::Inside(root);
        assert_eq!(read("near", LinkRule::Refuse), Err(FileRefusal::SymbolicLink));
        assert_eq!(read("near", inside).as_deref(), Ok("in"));
        assert_eq!(read("far", inside), Err(FileRefusal::LeavesWorkspace));
        assert_eq!(read("folder/real", inside), Err(FileRefusal::LeavesWorkspace));
        assert_eq!(read("far", LinkRule::Follow).as_deref(), Ok("out"));
        assert_eq!(read("dangling", inside).as_deref(), Ok(""));
        assert!(matches!(read("loop", LinkRule::Follow), Err(FileRefusal::Unreadable(_))));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_or_a_pipe_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero")).unwrap();
        for rule in [LinkRule::Refuse, LinkRule::Follow] {
            assert_eq!(read_bytes(&pipe, LIMIT, rule), Err(FileRefusal::NotRegular));
        }
        assert_eq!(
            read_bytes(&folder.path().join("zero"), LIMIT, LinkRule::Follow),
            Err(FileRefusal::NotRegular)
        );
        assert_eq!(check_file(&pipe, LIMIT, LinkRule::Follow), Err(FileRefusal::NotRegular));
        assert_eq!(read_head(&pipe, 3), None);
        fs::write(folder.path().join("long"), "0123456789a").unwrap();
        assert_eq!(read_head(&folder.path().join("long"), 3), Some(b"012".to_vec()));
    }

    #[test]
    fn a_text_is_shortened_between_characters() {
        assert_eq!(shorten_text("short"), "short");
        let cut = shorten_text(&"é".repeat(300));
        assert!(cut.ends_with("...") && cut.len() <= MAX_SHOWN_BYTES + 3, "{cut}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_hides_its_size_is_read_up_to_the_limit_only() {
        assert_eq!(
            read_bytes(Path::new("/proc/self/status"), LIMIT, LinkRule::Follow),
            Err(FileRefusal::TooLarge(LIMIT))
        );
    }
}
