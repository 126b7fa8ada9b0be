//! A project and what it keeps installed for itself: a folder of packages, and the interpreter that belongs to them.

use super::LanguageServers;
use super::project_roots::matches_name_pattern;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Where it may be, relative to the project with `/`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentLayout {
    /// The folder of packages; a name may have one `*`.
    pub packages: String,
    /// The interpreter.
    pub interpreter: String,
}

/// A project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectEnvironment {
    /// Its folder.
    pub folder: PathBuf,
    /// The folder of packages that are installed for it.
    pub packages: Option<PathBuf>,
    /// The interpreter that belongs to them, where it is there as well.
    pub interpreter: Option<PathBuf>,
}

impl LanguageServers {
    /// The project in a folder. Reads folders; nothing is run.
    pub fn read_project(&self, folder: &Path) -> ProjectEnvironment {
        let found = self.installed.iter().find_map(|environment| {
            let mut packages = folder.to_owned();
            for name in environment.packages.split('/') {
                packages.push(find_child_folder(&packages, name)?);
            }
            Some((packages, folder.join(&environment.interpreter)))
        });
        let (packages, interpreter) = found.unzip();
        let interpreter = interpreter.filter(|interpreter| interpreter.is_file());
        ProjectEnvironment { folder: folder.to_owned(), packages, interpreter }
    }
}

/// The folder of this name in another; of several that fit, the last by name.
fn find_child_folder(folder: &Path, pattern: &str) -> Option<String> {
    if !pattern.contains('*') {
        return folder.join(pattern).is_dir().then(|| pattern.to_owned());
    }
    let names = std::fs::read_dir(folder).ok()?.flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| matches_name_pattern(pattern, name) && folder.join(name).is_dir()).max()
}
