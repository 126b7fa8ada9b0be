//! The packages that are installed inside a project, and the interpreter that belongs to them.

use super::LanguageServers;
use kenning_graph::paths::matches_name_pattern;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A layout of installed packages, relative to the project with `/` as the separator.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentLayout {
    /// The folder of packages; each folder name may contain one `*`.
    pub packages: String,
    /// The file of the interpreter that belongs to the packages.
    pub interpreter: String,
}

/// A project and its installed packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectEnvironment {
    /// Folder of the project.
    pub folder: PathBuf,
    /// Folder of the packages installed in the project.
    pub packages: Option<PathBuf>,
    /// The interpreter that belongs to the packages, if it exists.
    pub interpreter: Option<PathBuf>,
}

impl LanguageServers {
    /// Finds the packages and the interpreter of the project in a folder. Runs no program.
    pub fn read_project(&self, folder: &Path) -> ProjectEnvironment {
        let installed = self.installed.iter().find_map(|environment| {
            let mut packages = folder.to_owned();
            for name in environment.packages.split('/') {
                packages.push(find_child_folder(&packages, name)?);
            }
            Some((packages, folder.join(&environment.interpreter)))
        });
        let (packages, interpreter) = installed.unzip();
        let interpreter = interpreter.filter(|interpreter| interpreter.is_file());
        ProjectEnvironment { folder: folder.to_owned(), packages, interpreter }
    }
}

/// Returns the name of the child folder that matches `pattern`, the last by name if several match.
fn find_child_folder(folder: &Path, pattern: &str) -> Option<String> {
    if !pattern.contains('*') {
        return folder.join(pattern).is_dir().then(|| pattern.to_owned());
    }
    let names = std::fs::read_dir(folder).ok()?.flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| matches_name_pattern(pattern, name) && folder.join(name).is_dir()).max()
}
