//! Checks of the files in a working tree that the git library opens to find changes.

use super::repository_check;
use crate::named_file::{FileProblem, FileRefusal, LinkRule, MAX_MANIFEST, MAX_PATTERN_FILE, check_file};
use crate::walk::visit_like_git;
use gix::Repository;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Checks the `.gitignore` and `.gitattributes` files, nested repositories, `.gitmodules` and the
/// pattern files that the configuration names, for the part `folder` of the working tree at
/// `workdir`.
///
/// # Errors
/// Returns the problem of the first file, by path, that must not be opened.
pub(super) fn check_worktree(
    repository: &Repository,
    workdir: &Path,
    folder: &Path,
) -> Result<(), FileProblem> {
    let check_one = |path: &Path, limit: u64, links: LinkRule<'_>| match check_file(path, limit, links) {
        Ok(_) | Err(FileRefusal::Folder | FileRefusal::Unreadable(_)) => Ok(()),
        Err(refusal) => {
            let message = format!("{refusal}; Kenning can find changes only if it is a file");
            Err(FileProblem::new(workdir, path, message))
        }
    };
    for key in ["core.excludesFile", "core.attributesFile"] {
        if let Some(Ok(path)) = repository.config_snapshot().trusted_path(key) {
            check_one(&path, MAX_PATTERN_FILE, LinkRule::Follow)?;
        }
    }
    check_one(&workdir.join(".gitmodules"), MAX_MANIFEST, LinkRule::Follow)?;
    let check_patterns = |folder: &Path, names: &[&str]| {
        names.iter().try_for_each(|name| check_one(&folder.join(name), MAX_PATTERN_FILE, LinkRule::Refuse))
    };
    for above in folder.ancestors().skip(1).take_while(|above| above.starts_with(workdir)) {
        check_patterns(above, &PATTERN_FILES)?;
    }
    let checked_folders: Mutex<CheckedFolders> = Mutex::default();
    visit_like_git(folder, &|below, files| {
        let nested = files.repository && below != workdir;
        let result = if nested { repository_check::check_nested(workdir, below) } else { Ok(()) };
        let present = [files.git, files.attributes];
        let names = PATTERN_FILES.iter().zip(present).filter_map(|(name, present)| present.then_some(*name));
        let result = result.and_then(|()| check_patterns(below, &names.collect::<Vec<_>>()));
        let mut checked_folders = checked_folders.lock().unwrap_or_else(PoisonError::into_inner);
        checked_folders.folders.insert(below.to_owned());
        let problems = result.err().into_iter().chain(checked_folders.first_problem.take());
        checked_folders.first_problem = problems.min();
    });
    let checked_folders = checked_folders.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(problem) = checked_folders.first_problem {
        return Err(problem);
    }
    // Ignored folders may contain files of the index, and the git library also reads these folders.
    let check = |folder: &Path| check_patterns(folder, &PATTERN_FILES);
    check_folders_of_index(repository, workdir, folder, checked_folders.folders, &check)
}

/// Names of the pattern files of a folder, in the order of [`crate::walk::RuleFiles`].
const PATTERN_FILES: [&str; 2] = [".gitignore", ".gitattributes"];

/// The result of a search for untracked files.
#[derive(Default)]
struct CheckedFolders {
    folders: FxHashSet<PathBuf>,
    /// The first problem, by path.
    first_problem: Option<FileProblem>,
}

/// Checks the folders of the files in the index that were not checked before.
fn check_folders_of_index(
    repository: &Repository,
    workdir: &Path,
    folder: &Path,
    mut checked: FxHashSet<PathBuf>,
    check: &dyn Fn(&Path) -> Result<(), FileProblem>,
) -> Result<(), FileProblem> {
    // The code that finds changes reports an unreadable index.
    let Ok(index) = repository.index_or_empty() else { return Ok(()) };
    let mut last = None;
    for entry in index.entries() {
        let path = gix::path::from_bstr(entry.path(&index));
        let Some(parent) = path.parent() else { continue };
        // Entries are sorted, so the files of one folder mostly follow each other.
        if last.as_deref() == Some(parent) {
            continue;
        }
        for above in workdir.join(parent).ancestors().take_while(|above| above.starts_with(folder)) {
            if !checked.insert(above.to_owned()) {
                break;
            }
            check(above)?;
        }
        last = Some(parent.to_owned());
    }
    Ok(())
}
