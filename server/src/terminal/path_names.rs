//! The names of files as seen from the current folder.

use std::path::{Component, Path, PathBuf};

/// Names the files of a workspace so that programs in the current folder find them.
#[derive(Clone, Debug)]
pub struct PathNames {
    root: PathBuf,
    /// The parts of the current folder below the root; `None` outside of the workspace.
    current: Option<Vec<String>>,
}

impl PathNames {
    /// Creates the names for the folder in which the process runs.
    pub fn for_current_folder(root: &Path) -> Self {
        let current = std::env::current_dir().and_then(|folder| folder.canonicalize());
        Self::new(root, current.ok().as_deref())
    }

    /// Creates the names for a folder. Both paths are canonical.
    pub fn new(root: &Path, current: Option<&Path>) -> Self {
        let canonical = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let inside = current.and_then(|current| current.strip_prefix(&canonical).ok());
        let parts = inside.and_then(|inside| {
            let part = |part: Component<'_>| part.as_os_str().to_str().map(str::to_owned);
            inside.components().map(part).collect::<Option<Vec<_>>>()
        });
        Self { root: root.to_owned(), current: parts }
    }

    /// Returns the folder of the workspace.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the absolute path of a file. `path` is relative to the root, with `/` as the
    /// separator.
    pub fn absolute_path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Returns the path of a file relative to the current folder; `None` if that folder is outside
    /// of the workspace.
    pub fn relative_path(&self, path: &str) -> Option<String> {
        let current = self.current.as_ref()?;
        let parts: Vec<&str> = path.split('/').collect();
        let common = current.iter().zip(&parts).take_while(|(a, b)| a == *b).count();
        let upwards = current.len() - common;
        let mut steps = vec![".."; upwards];
        steps.extend(&parts[common..]);
        Some(steps.join("/"))
    }

    /// Returns the path of a file for people: relative to the current folder if that is in the
    /// workspace, else to the root.
    pub fn shown_path(&self, path: &str) -> String {
        self.relative_path(path).unwrap_or_else(|| path.to_owned())
    }

    /// Returns a path with which other programs find the file: relative to the current folder if
    /// that is in the workspace, else below the root.
    pub fn usable_path(&self, path: &str) -> String {
        self.relative_path(path).unwrap_or_else(|| self.absolute_path(path).display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_named_from_the_current_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let name = |current: &Path, path: &str| PathNames::new(&root, Some(current)).shown_path(path);
        assert_eq!(name(&root, "src/a.py"), "src/a.py");
        assert_eq!(name(&root.join("src"), "src/a.py"), "a.py");
        assert_eq!(name(&root.join("src/deep"), "src/a.py"), "../a.py");
        assert_eq!(name(&root.join("tests"), "src/a.py"), "../src/a.py");
        let outside = PathNames::new(&root, root.parent());
        assert_eq!(outside.shown_path("src/a.py"), "src/a.py");
        assert_eq!(outside.usable_path("src/a.py"), root.join("src/a.py").display().to_string());
    }
}
