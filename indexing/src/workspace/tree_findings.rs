//! Collects what a walk of the whole tree finds besides the files to index.
//!
//! In: a finished walk of the tree. Out: [`TreeFindings`], which the index keeps until the next walk:
//! problems with the files that control indexing, and files whose language is unknown.

use super::{DiskIndex, WorkspaceError};
use crate::languages::{Language, LanguageRegistry};
use crate::named_file::FileProblem;
use std::collections::{BTreeMap, BTreeSet};

/// The findings of a walk of the whole tree besides the files to index.
#[derive(Clone, Debug, Default)]
pub struct TreeFindings {
    /// Problems with the repository and with the files that control indexing.
    pub problems: Vec<FileProblem>,
    /// Number of files whose language is unknown, by extension.
    pub unknown_extensions: BTreeMap<String, usize>,
    /// The ids of the languages of the files to index, detected from their paths. A refresh does
    /// not collect them.
    pub languages: BTreeSet<&'static str>,
}

impl DiskIndex {
    /// Returns the findings of a walk of the whole tree.
    pub(super) fn inspect_tree(&self) -> Result<TreeFindings, WorkspaceError> {
        let walk = self.walk_tree(None)?;
        let registry = LanguageRegistry::get();
        let languages = walk.files.iter().filter_map(|file| registry.find_by_path(&file.path));
        Ok(TreeFindings {
            problems: self.add_git_problem(walk.problems),
            unknown_extensions: registry.keep_unknown_code(walk.other_extensions),
            languages: languages.map(Language::language_id).collect(),
        })
    }

    /// Adds the problem with the git repository, if there is one.
    pub(super) fn add_git_problem(&self, mut problems: Vec<FileProblem>) -> Vec<FileProblem> {
        // The walk reads git's excludes, so it may have found the problem already.
        let git = crate::git::find_problem(&self.root)
            .filter(|git| problems.iter().all(|problem| problem.path != git.path));
        problems.extend(git);
        problems
    }
}
