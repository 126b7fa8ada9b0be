//! Lists all files of a workspace, whatever their content.

use super::ignore_rules::RuleReader;
use super::tree_walk::{TreeWalk, WalkEntry};
use super::{ExcludePatterns, WalkError, check_root, lock_mutex};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Returns the paths of all regular files that neither the ignore rules nor the `exclude` patterns
/// leave out, relative to the root, with `/` as the separator, sorted. Reads no file. Leaves out
/// paths that are not UTF-8.
///
/// # Errors
/// Returns an error if the root cannot be read, or if a pattern is not valid.
pub fn list_files(root: &Path, exclude: &[String]) -> Result<Vec<String>, WalkError> {
    let root = check_root(root)?;
    let found: Mutex<Vec<String>> = Mutex::default();
    let visit = |entry: WalkEntry<'_>| {
        if let WalkEntry::Entry(entry, kind) = entry
            && kind.is_file()
            && let Ok(relative) = entry.path().strip_prefix(&root)
            && let Some(path) = relative.to_str()
        {
            lock_mutex(&found).push(path.replace(std::path::MAIN_SEPARATOR, "/"));
        }
    };
    let (rules, excludes) = (RuleReader::new(&root), ExcludePatterns::new(&root, exclude)?);
    TreeWalk { rules: &rules, excludes: &excludes, wanted: &|_, _| true, visit: &visit }.walk_root(&root);
    let mut paths = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    paths.sort_unstable();
    Ok(paths)
}
