//! Planned changes of files, and the functions that write them.

use super::AgentError;
use crate::file_write::replace_file;
use kenning_indexing::named_file::{FileRefusal, LinkRule, read_text};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Size limit of a configuration file in a workspace, in bytes: 4 MiB. People write it by hand.
const MAX_PROJECT_FILE: u64 = 4 << 20;

/// Size limit of a configuration file of the user, in bytes: 64 MiB. Some clients also keep the
/// history of their sessions in it.
const MAX_USER_FILE: u64 = 64 << 20;

/// A planned change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path of the file, as the client names it; it may be a link.
    pub path: PathBuf,
    /// The canonical folder of the workspace that must contain the file; `None` for a file of the
    /// user.
    pub root: Option<PathBuf>,
    /// The text when the plan was made; `None` if there was no file.
    pub before: Option<String>,
    /// The new text; `None` if the file is removed.
    pub after: Option<String>,
    /// The folders that have to be created for a new file, from the outermost.
    pub new_folders: Vec<PathBuf>,
}

/// Reads a configuration file. Returns `None` if it does not exist. `root` is the workspace of the
/// file, out of which no link is followed; `None` for a file of the user.
///
/// # Errors
/// Returns an error if the file cannot be read, is not text, is not a regular file, or is too large.
pub fn read_config_text(path: &Path, root: Option<&Path>) -> Result<Option<String>, AgentError> {
    let (links, limit) = match root {
        Some(root) => (LinkRule::Inside(root), MAX_PROJECT_FILE),
        None => (LinkRule::Follow, MAX_USER_FILE),
    };
    match read_text(path, limit, links) {
        // A link that leads nowhere is not replaced by a file.
        Ok(None) if fs::symlink_metadata(path).is_ok() => {
            Err(AgentError::new_file(path, "read", ErrorKind::NotFound.into()))
        }
        Ok(text) => Ok(text),
        Err(FileRefusal::NotUtf8) => Err(AgentError::NotText(path.to_owned())),
        Err(FileRefusal::LeavesWorkspace) => Err(AgentError::OutsideProject(path.to_owned())),
        Err(FileRefusal::Unreadable(kind)) => Err(AgentError::new_file(path, "read", kind.into())),
        Err(refusal) => Err(AgentError::Refused { path: path.to_owned(), refusal }),
    }
}

/// Returns the missing folders above a path, from the outermost.
pub fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1);
    let mut missing: Vec<PathBuf> = above.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

impl FileChange {
    /// Writes or removes the file.
    ///
    /// # Errors
    /// Returns `AgentError::Changed` if the file no longer has the text that the plan was made for,
    /// and an error if the system refuses the change.
    pub fn write_file(&self) -> Result<(), AgentError> {
        if read_config_text(&self.path, self.root.as_deref())? != self.before {
            return Err(AgentError::Changed(self.path.clone()));
        }
        match &self.after {
            Some(text) => replace_file(&self.path, text.as_bytes())
                .map_err(|error| AgentError::new_file(&self.path, "written", error)),
            None => fs::remove_file(&self.path)
                .map_err(|error| AgentError::new_file(&self.path, "removed", error)),
        }
    }
}

/// Removes the empty folders among `folders`, innermost first.
pub fn remove_empty_folders(mut folders: Vec<PathBuf>) {
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    folders.dedup();
    for folder in folders {
        // A folder that is not empty stays.
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &Path, before: Option<&str>, after: Option<&str>) -> FileChange {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        FileChange {
            path: path.to_owned(),
            root: None,
            before: owned(before),
            after: owned(after),
            new_folders: missing_folders(path),
        }
    }

    #[test]
    fn a_file_that_changed_since_the_plan_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/f.json");
        let new = change(&path, None, Some("1"));
        assert_eq!(new.new_folders, [folder.path().join("deep"), folder.path().join("deep/er")]);
        new.write_file().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1");
        let error = change(&path, Some("0"), Some("2")).write_file().unwrap_err();
        assert!(error.to_string().contains("changed in the meantime"), "{error}");
        assert!(change(&path, None, Some("2")).write_file().is_err(), "someone else has created it");
        assert_eq!(fs::read_to_string(&path).unwrap(), "1");
        change(&path, Some("1"), None).write_file().unwrap();
        remove_empty_folders(new.new_folders.clone());
        assert!(!folder.path().join("deep").exists());
    }

    #[test]
    #[cfg(unix)]
    fn links_and_permissions_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        fs::write(&real, "1").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&real, &link).unwrap();
        change(&link, Some("1"), Some("2")).write_file().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "2");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
        symlink(folder.path().join("nowhere"), folder.path().join("dangling")).unwrap();
        assert!(read_config_text(&folder.path().join("dangling"), None).is_err());
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.json");
        fs::write(&path, b"\xff").unwrap();
        assert!(matches!(read_config_text(&path, None), Err(AgentError::NotText(_))));
    }
}
