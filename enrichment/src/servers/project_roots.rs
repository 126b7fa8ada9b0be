//! The folder that a server is started for: the outermost project around a file.

use super::LanguageServers;
use kenning_graph::paths::matches_name_pattern;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The part of a workspace that one process of a server serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessScope {
    /// One project.
    Project,
    /// The whole workspace.
    Workspace,
}

/// Finds the projects of one language in a workspace. Reads each folder once.
pub struct ProjectRoots<'a> {
    workspace: PathBuf,
    language: &'a LanguageServers,
    scope: ProcessScope,
    /// Whether a folder has a marker, for the folders that were read.
    marked: HashMap<String, bool>,
}

impl<'a> ProjectRoots<'a> {
    /// Creates the search for one workspace. With [`ProcessScope::Workspace`], every file belongs
    /// to the workspace itself.
    pub fn new(workspace: &Path, language: &'a LanguageServers, scope: ProcessScope) -> Self {
        Self { workspace: workspace.to_owned(), language, scope, marked: HashMap::new() }
    }

    /// Returns the folder that the server for the file at `path` is started for: the outermost
    /// folder around the file that contains a marker, relative to the workspace with `/` as the
    /// separator. Returns an empty string for the workspace itself, and if no folder has a marker.
    pub fn root_for_path(&mut self, path: &str) -> String {
        if self.scope == ProcessScope::Workspace {
            return String::new();
        }
        let ends = path.match_indices('/').map(|(end, _)| &path[..end]);
        let folders = std::iter::once("").chain(ends);
        folders.map(str::to_owned).find(|folder| self.has_marker(folder)).unwrap_or_default()
    }

    fn has_marker(&mut self, folder: &str) -> bool {
        if let Some(&known) = self.marked.get(folder) {
            return known;
        }
        let markers = &self.language.root_markers;
        // A folder that cannot be read has no marker.
        let names = std::fs::read_dir(self.workspace.join(folder)).into_iter().flatten().flatten();
        let marked = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .any(|name| markers.iter().any(|marker| matches_name_pattern(marker, &name)));
        self.marked.insert(folder.to_owned(), marked);
        marked
    }
}
