//! File URIs in the forms that servers write: with or without percent-encoding, with drive letters,
//! and through links.

use lsp_types::Uri;
use std::path::{Path, PathBuf};

/// Returns the URI of a file of the workspace. Returns `None` if the path cannot be represented as
/// one.
pub(crate) fn uri_for_path(root: &Path, path: &str) -> Option<Uri> {
    Uri::from_file_path(root.join(path))
}

/// Returns the file that a URI names. Returns the URI itself as the error if it does not name a
/// file (`jdt://...`).
pub(crate) fn file_from_uri(uri: &str) -> Result<PathBuf, &str> {
    let Some(rest) = uri.strip_prefix("file://") else { return Err(uri) };
    // An authority (`localhost`) ends where the path begins.
    let path = rest.find('/').map_or(rest, |at| &rest[at..]);
    let path = percent_decode(path);
    let drive = path.as_bytes().get(1..3).is_some_and(|two| two[0].is_ascii_alphabetic() && two[1] == b':');
    Ok(PathBuf::from(if drive { &path[1..] } else { &path }))
}

/// Decodes percent-encoded bytes. Keeps percent signs that encode nothing.
fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(value) if byte == b'%' => {
                bytes.push(value);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Distinguishes files of a workspace from others, even if a server has resolved links.
#[derive(Debug)]
pub(crate) struct WorkspacePaths {
    root: PathBuf,
    canonical_root: PathBuf,
}

impl WorkspacePaths {
    /// Reads the canonical path of a workspace.
    pub fn new(root: &Path) -> Self {
        let canonical_root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { root: root.to_owned(), canonical_root }
    }

    /// Returns the path of a file relative to the workspace, with `/` as the separator. Returns
    /// `None` for files outside it.
    pub fn relative_path(&self, uri: &str) -> Option<String> {
        let file = file_from_uri(uri).ok()?;
        let path = file.strip_prefix(&self.root).or_else(|_| file.strip_prefix(&self.canonical_root)).ok()?;
        Some(path.to_str()?.replace('\\', "/"))
    }
}

#[cfg(test)]
mod tests {
    use super::{WorkspacePaths, file_from_uri, uri_for_path};
    use std::path::{Path, PathBuf};

    #[test]
    fn file_uris_are_decoded_in_every_spelling() {
        for (uri, file) in [
            ("file:///a/b%20c/%C3%A9.py", "/a/b c/é.py"),
            ("file:///a/b c/é.py", "/a/b c/é.py"),
            ("file://localhost/a/100%", "/a/100%"),
            ("file:///c%3A/a.go", "c:/a.go"),
            ("file:///C:/a.go", "C:/a.go"),
            ("file:///a/%zz+%2", "/a/%zz+%2"),
        ] {
            assert_eq!(file_from_uri(uri), Ok(PathBuf::from(file)), "{uri}");
        }
        assert_eq!(file_from_uri("jdt://contents/x"), Err("jdt://contents/x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_survives_the_round_trip_through_its_uri_and_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real ä");
        std::fs::create_dir(&real).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let paths = WorkspacePaths::new(&link);
        for path in ["a b/ü%.py", "x.go"] {
            for root in [&link, &real.canonicalize().unwrap()] {
                let uri = uri_for_path(root, path).unwrap();
                assert_eq!(paths.relative_path(uri.as_str()).as_deref(), Some(path));
            }
        }
        assert_eq!(paths.relative_path("file:///elsewhere/x.go"), None);
        assert!(uri_for_path(Path::new("/w"), "a b").unwrap().as_str().ends_with("/w/a%20b"));
    }
}
