//! The workspaces that the user trusts: their `kenning.toml` may name programs to run.
//!
//! The list is stored in the user's data folder, never in a repository. It holds canonical paths:
//! Kenning trusts the folder that a link leads to, not the link. A trusted folder that is replaced
//! with a link to another folder is no longer trusted. Trust does not extend to folders inside a
//! trusted folder.

use kenning_indexing::named_file::{FileRefusal, LinkRule, read_text};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The comment at the beginning of the list.
const HEADER: &str = "# Workspaces whose kenning.toml may name programs. Written by kenning trust.\n";

/// Size limit of the list, in bytes: 4 MiB, which is some 40,000 workspaces.
const MAX_LIST: u64 = 4 << 20;

/// The reason why the list cannot be read or changed.
#[derive(Debug, Error)]
pub enum TrustError {
    /// The system refuses to read or write a file.
    #[error("{} cannot be {verb}: {error}; check the folder's permissions", path.display())]
    File {
        /// The path of the list or of the workspace.
        path: PathBuf,
        /// The refused operation: `read` or `written`.
        verb: &'static str,
        /// The system's error.
        error: std::io::Error,
    },
    /// The list is damaged.
    #[error("{} is not a list of trusted workspaces: {message}; correct it or delete it", path.display())]
    Damaged {
        /// The path of the list.
        path: PathBuf,
        /// The problem with its content.
        message: String,
    },
    /// The path is not UTF-8, so TOML cannot store it.
    #[error("{} cannot be trusted: its path is not UTF-8; rename the folder", .0.display())]
    NotUtf8(PathBuf),
    /// The user has no home directory.
    #[error("no folder for user data found; set HOME or XDG_DATA_HOME")]
    NoDataHome,
}

/// The content of the file.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustList {
    trusted: Vec<String>,
}

/// The list of trusted workspaces.
#[derive(Clone, Debug)]
pub struct TrustStore {
    path: PathBuf,
}

impl TrustStore {
    /// Returns the list in a folder for user data (`$XDG_DATA_HOME`).
    pub fn in_data_home(data_home: &Path) -> Self {
        Self { path: data_home.join("kenning").join("trusted.toml") }
    }

    /// Returns the user's list. It need not exist yet.
    ///
    /// # Errors
    /// Returns `TrustError::NoDataHome` if the user has no home directory.
    pub fn for_user() -> Result<Self, TrustError> {
        let folders = directories::BaseDirs::new().ok_or(TrustError::NoDataHome)?;
        Ok(Self::in_data_home(folders.data_dir()))
    }

    /// Returns the canonical paths of the trusted workspaces, sorted. Returns an empty list if the
    /// file does not exist.
    ///
    /// # Errors
    /// Returns an error if the list exists but cannot be read.
    pub fn trusted_workspaces(&self) -> Result<Vec<PathBuf>, TrustError> {
        Ok(self.read_list()?.trusted.into_iter().map(PathBuf::from).collect())
    }

    /// Whether the workspace at `root` is trusted. Returns `false` if `root` cannot be resolved.
    ///
    /// # Errors
    /// Returns an error if the list exists but cannot be read; no workspace is trusted then.
    pub fn is_trusted(&self, root: &Path) -> Result<bool, TrustError> {
        let Ok(canonical) = root.canonicalize() else { return Ok(false) };
        Ok(self.trusted_workspaces()?.contains(&canonical))
    }

    /// Trusts the workspace at `root`. Returns its canonical path, and whether it was untrusted
    /// before.
    ///
    /// # Errors
    /// Returns an error if there is no such folder, or if the list cannot be read or written.
    pub fn trust_workspace(&self, root: &Path) -> Result<(PathBuf, bool), TrustError> {
        let canonical = root.canonicalize().map_err(|error| file_error(root, "read", error))?;
        self.set_trusted(canonical, true)
    }

    /// Stops trusting the workspace at `root`. Returns its path in the list, and whether it was
    /// trusted before. The folder may be gone already.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
    pub fn untrust_workspace(&self, root: &Path) -> Result<(PathBuf, bool), TrustError> {
        let canonical = root.canonicalize().or_else(|_| std::path::absolute(root));
        self.set_trusted(canonical.map_err(|error| file_error(root, "read", error))?, false)
    }

    /// Sets whether the workspace at `root` is trusted. Returns `root`, and whether this changed
    /// the list.
    fn set_trusted(&self, root: PathBuf, trusted: bool) -> Result<(PathBuf, bool), TrustError> {
        let Some(text) = root.to_str() else { return Err(TrustError::NotUtf8(root)) };
        let write_error = |error| file_error(&self.path, "written", error);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(write_error)?;
        // Concurrent commands wait for each other. Closing the file releases the lock.
        let lock = File::create(self.path.with_extension("lock")).map_err(write_error)?;
        lock.lock().map_err(write_error)?;
        let mut list = self.read_list()?;
        let known = list.trusted.iter().any(|path| path == text);
        if known == trusted {
            return Ok((root, false));
        }
        list.trusted.retain(|path| path != text);
        if trusted {
            list.trusted.push(text.to_owned());
        }
        list.trusted.sort_unstable();
        let body = toml::to_string(&list).map_err(|error| write_error(std::io::Error::other(error)))?;
        let new_path = self.path.with_extension("new");
        fs::write(&new_path, format!("{HEADER}{body}")).map_err(write_error)?;
        fs::rename(&new_path, &self.path).map_err(write_error)?;
        Ok((root, true))
    }

    fn read_list(&self) -> Result<TrustList, TrustError> {
        let text = match read_text(&self.path, MAX_LIST, LinkRule::Follow) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(TrustList::default()),
            Err(FileRefusal::Unreadable(kind)) => return Err(file_error(&self.path, "read", kind.into())),
            Err(refusal) => {
                let error = std::io::Error::other(format!("it {refusal}"));
                return Err(file_error(&self.path, "read", error));
            }
        };
        toml::from_str(&text).map_err(|error: toml::de::Error| TrustError::Damaged {
            path: self.path.clone(),
            message: error.message().to_owned(),
        })
    }
}

fn file_error(path: &Path, verb: &'static str, error: std::io::Error) -> TrustError {
    TrustError::File { path: path.to_owned(), verb, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_covers_a_canonical_folder_but_no_folder_inside_it() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let store = TrustStore::in_data_home(&home.join("data"));
        fs::create_dir_all(home.join("work/inner")).unwrap();
        let work = home.join("work");
        assert!(!store.is_trusted(&work).unwrap());
        assert_eq!(store.trust_workspace(&home.join("work/inner/..")).unwrap(), (work.clone(), true));
        assert_eq!(store.trust_workspace(&work).unwrap(), (work.clone(), false));
        assert!(store.is_trusted(&work).unwrap());
        assert!(!store.is_trusted(&work.join("inner")).unwrap());
        assert_eq!(store.trusted_workspaces().unwrap(), std::slice::from_ref(&work));
        assert_eq!(store.untrust_workspace(&work).unwrap(), (work.clone(), true));
        assert!(!store.is_trusted(&work).unwrap());
        assert!(store.trust_workspace(&home.join("missing")).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn trusting_a_link_trusts_the_folder_it_leads_to() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let store = TrustStore::in_data_home(&home.join("data"));
        for name in ["good", "evil"] {
            fs::create_dir(home.join(name)).unwrap();
        }
        symlink(home.join("good"), home.join("link")).unwrap();
        assert_eq!(store.trust_workspace(&home.join("link")).unwrap().0, home.join("good"));
        fs::remove_file(home.join("link")).unwrap();
        symlink(home.join("evil"), home.join("link")).unwrap();
        assert!(!store.is_trusted(&home.join("link")).unwrap());
        fs::remove_dir(home.join("good")).unwrap();
        symlink(home.join("evil"), home.join("good")).unwrap();
        assert!(
            !store.is_trusted(&home.join("good")).unwrap(),
            "another folder has replaced the trusted one"
        );
    }

    #[test]
    fn a_damaged_list_trusts_no_workspace_and_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let store = TrustStore::in_data_home(folder.path());
        store.trust_workspace(folder.path()).unwrap();
        fs::write(&store.path, "trusted = 7\n").unwrap();
        let error = store.is_trusted(folder.path()).unwrap_err().to_string();
        assert!(error.contains("is not a list of trusted workspaces"), "{error}");
        assert!(store.trust_workspace(folder.path()).is_err());
        assert_eq!(fs::read_to_string(&store.path).unwrap(), "trusted = 7\n");
    }
}
