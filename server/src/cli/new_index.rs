//! Removes the files of an index that a command has created for nothing: in a folder without source
//! files, or only to report that there is no index.

use super::args::WorkspaceArgs;
use super::workspace::data_paths;
use crate::cache::{LearnedData, remove_facts, remove_index};
use std::path::PathBuf;

/// The folders in the cache that do not exist before a command opens a workspace.
#[derive(Debug, Default)]
pub struct NewIndex {
    index: Option<PathBuf>,
    facts: Option<PathBuf>,
}

impl NewIndex {
    /// Notes which folders opening the workspace creates. A database that the user named is never
    /// removed.
    pub fn before_opening(args: &WorkspaceArgs) -> Self {
        let Some(paths) = data_paths(args).ok().filter(|paths| !paths.named_by_user) else {
            return Self::default();
        };
        let missing = |file: &PathBuf| file.parent().filter(|folder| !folder.exists()).map(PathBuf::from);
        Self { index: missing(&paths.graph), facts: missing(&paths.facts) }
    }

    /// Removes the folders if the command created them. The workspace must be closed. Another
    /// process may have opened it meanwhile, and then everything stays.
    pub fn discard(&self) {
        if let Some(folder) = self.index.as_deref().filter(|folder| folder.exists())
            && let Err(error) = remove_index(folder, LearnedData::Delete)
        {
            tracing::debug!(%error, "an index without files stays in the cache");
            return;
        }
        if let Some(folder) = self.facts.as_deref().filter(|folder| folder.exists())
            && let Err(error) = remove_facts(folder)
        {
            tracing::debug!(%error, "facts without files stay in the cache");
        }
    }
}
