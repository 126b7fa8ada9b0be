//! Which folder a server is started for: the outermost project around a file.

use super::LanguageServers;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Finds the projects of one workspace and language. Reads folders, each once.
pub struct ProjectRoots<'a> {
    workspace: PathBuf,
    language: &'a LanguageServers,
    one_process: bool,
    marked: HashMap<String, bool>,
}

impl<'a> ProjectRoots<'a> {
    /// For the files of one workspace. A server of `one_process` gets the workspace itself.
    pub fn new(workspace: &Path, language: &'a LanguageServers, one_process: bool) -> Self {
        Self { workspace: workspace.to_owned(), language, one_process, marked: HashMap::new() }
    }

    /// The folder that a server is started for to ask it about the file at a path: the outermost one around it that a
    /// marker makes a project, relative to the workspace with `/`; empty for the workspace itself, also where no folder is
    /// marked.
    pub fn root_for_path(&mut self, path: &str) -> String {
        if self.one_process {
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
        // A folder that cannot be read marks nothing.
        let names = std::fs::read_dir(self.workspace.join(folder)).into_iter().flatten().flatten();
        let marked = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .any(|name| markers.iter().any(|marker| matches_name_pattern(marker, &name)));
        self.marked.insert(folder.to_owned(), marked);
        marked
    }
}

/// Whether a name fits a pattern with at most one `*`.
pub(super) fn matches_name_pattern(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => pattern == name,
    }
}
