//! Checks the files in a working tree that the git library opens while it looks for changes.

use super::files;
use crate::named_file::{FileProblem, FileRefusal, LinkRule, MAX_MANIFEST, MAX_PATTERN_FILE, check};
use crate::walk::visit_as_git;
use gix::Repository;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Checks `.gitignore` and `.gitattributes` files, nested repositories, `.gitmodules` and the pattern files that the configuration
/// names, for the part `folder` of the working tree at `workdir`.
///
/// # Errors
/// The first file, by path, that must not be opened.
pub(super) fn check_worktree(
    repository: &Repository,
    workdir: &Path,
    folder: &Path,
) -> Result<(), FileProblem> {
    let refuse = |path: &Path, limit: u64, links: LinkRule<'_>| match check(path, limit, links) {
        Ok(_) | Err(FileRefusal::Folder | FileRefusal::Unreadable(_)) => Ok(()),
        Err(refusal) => {
            let message = format!("{refusal}; it must be a file for changes to be found");
            Err(FileProblem::new(workdir, path, message))
        }
    };
    for key in ["core.excludesFile", "core.attributesFile"] {
        if let Some(Ok(path)) = repository.config_snapshot().trusted_path(key) {
            refuse(&path, MAX_PATTERN_FILE, LinkRule::Follow)?;
        }
    }
    refuse(&workdir.join(".gitmodules"), MAX_MANIFEST, LinkRule::Follow)?;
    let patterns = |folder: &Path| {
        refuse(&folder.join(".gitignore"), MAX_PATTERN_FILE, LinkRule::Refuse)?;
        refuse(&folder.join(".gitattributes"), MAX_PATTERN_FILE, LinkRule::Refuse)
    };
    for above in folder.ancestors().take_while(|above| above.starts_with(workdir)) {
        patterns(above)?;
    }
    patterns_of_index(repository, workdir, folder, &patterns)?;
    let first: Mutex<Option<FileProblem>> = Mutex::default();
    let note = |checked: Result<(), FileProblem>| {
        if let Err(problem) = checked {
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_none_or(|known| problem < *known) {
                *first = Some(problem);
            }
        }
    };
    visit_as_git(folder, &|path, is_folder| {
        if path.file_name().is_some_and(|name| name == ".git") {
            let nested = path.parent().filter(|folder| *folder != workdir);
            note(nested.map_or(Ok(()), |folder| files::check_nested(workdir, folder)));
            return false;
        }
        if is_folder {
            note(patterns(path));
        }
        true
    });
    first.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Checks the folders of the files in the index: they may be ignored, and are looked into all the same.
fn patterns_of_index(
    repository: &Repository,
    workdir: &Path,
    folder: &Path,
    check: &dyn Fn(&Path) -> Result<(), FileProblem>,
) -> Result<(), FileProblem> {
    // One that cannot be read is a problem of whoever looks for changes in it.
    let Ok(index) = repository.index_or_empty() else { return Ok(()) };
    let mut checked: FxHashSet<PathBuf> = FxHashSet::default();
    for entry in index.entries() {
        let path = gix::path::from_bstr(entry.path(&index));
        let Some(below) = path.parent().map(|parent| workdir.join(parent)) else { continue };
        for above in below.ancestors().take_while(|above| above.starts_with(folder)) {
            if !checked.insert(above.to_owned()) {
                break;
            }
            check(above)?;
        }
    }
    Ok(())
}
