//! Asks before a command indexes a folder that is hardly a project: the root of the disk, a home
//! folder, or a folder with very many files that neither git nor `kenning.toml` marks.
//!
//! Without a terminal, the command cannot ask. It then ends with the status of wrong usage
//! and a line that says what to type. Once the folder is indexed, no command asks again.

use super::args::WorkspaceArgs;
use super::target::{ask_yes_or_no, can_ask};
use super::workspace;
use crate::shell_words::ShellKind;
use std::path::Path;

/// The number of files above which an unmarked folder is hardly one project. The largest public
/// repositories have about 100,000 source files.
const MAX_UNMARKED_FILES: usize = 200_000;

/// A folder that the user did not want to index, or could not be asked about.
#[derive(Debug, thiserror::Error)]
#[error(
    "{root} {problem}; pass the folder of a project with --root, or type kenning index --yes {word} to index all of it"
)]
pub struct RefusedRoot {
    root: String,
    problem: &'static str,
    /// The root as a word for a shell.
    word: String,
}

/// Asks whether to index the workspace if it is hardly a project and has no index yet.
///
/// # Errors
/// Returns [`RefusedRoot`] if the user declines, or if there is no terminal to ask on.
pub fn confirm_root(args: &WorkspaceArgs) -> anyhow::Result<()> {
    let Some(problem) = find_problem(args) else { return Ok(()) };
    let root = args.root.canonicalize().unwrap_or_else(|_| args.root.clone()).display().to_string();
    if can_ask() && ask_yes_or_no(&format!("{root} {problem}. Index all of it?"))? {
        return Ok(());
    }
    let shell = ShellKind::of_platform();
    let word = if shell.can_quote(&root) { shell.quote_word(&root) } else { root.clone() };
    Err(RefusedRoot { root, problem, word }.into())
}

/// Returns what makes a folder without an index unlikely to be a project, as the end of a sentence.
fn find_problem(args: &WorkspaceArgs) -> Option<&'static str> {
    // A folder that does not exist has a clearer error later.
    let root = args.root.canonicalize().ok().filter(|root| root.is_dir())?;
    let paths = workspace::data_paths(args).ok()?;
    if paths.image_path().exists() || root.join("kenning.toml").exists() {
        return None;
    }
    if let Some(problem) = describe_special_folder(&root, std::env::home_dir().as_deref()) {
        return Some(problem);
    }
    if root.join(".git").exists() {
        return None;
    }
    has_more_files(&root, MAX_UNMARKED_FILES)
        .then_some("has more than 200,000 files, and neither .git nor kenning.toml")
}

/// Whether a folder has more than this number of files, ignored ones included. Stops as soon as it
/// knows: `/` has millions. The threads that read files are not running yet.
fn has_more_files(root: &Path, limit: usize) -> bool {
    let mut count = 0;
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        // A folder that cannot be read has no files that could be indexed.
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => count += 1,
                _ => {}
            }
        }
        if count > limit {
            return true;
        }
    }
    false
}

/// Returns what is special about the root of a disk, or about a folder that contains the user's home
/// folder.
fn describe_special_folder(root: &Path, home: Option<&Path>) -> Option<&'static str> {
    // A home folder that does not exist is in no folder, whatever its path looks like.
    let home = home.and_then(|home| home.canonicalize().ok());
    match home {
        _ if root.parent().is_none() => Some("is the root of the disk"),
        Some(home) if home == root => Some("is your home folder"),
        Some(home) if home.starts_with(root) => Some("contains your home folder"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_all_folders_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        for file in ["x", "a/x", "a/b/x"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        assert!(has_more_files(folder.path(), 2) && !has_more_files(folder.path(), 3));
        assert!(!has_more_files(&folder.path().join("none"), 0));
    }

    #[test]
    fn the_root_of_the_disk_and_home_folders_are_special() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let home = folder.join("people/me");
        std::fs::create_dir_all(home.join("shop")).unwrap();
        let describe = |path: &Path| describe_special_folder(path, Some(&home));
        assert_eq!(describe(Path::new("/")), Some("is the root of the disk"));
        assert_eq!(describe(&home), Some("is your home folder"));
        assert_eq!(describe(&folder.join("people")), Some("contains your home folder"));
        assert_eq!(describe(&home.join("shop")), None);
        assert_eq!(describe_special_folder(&home, None), None);
    }
}
