//! Finds the workspace for a command without `--root`, searching upwards from the current folder.

use std::path::{Path, PathBuf};

/// Entries that mark the root of a workspace.
const ROOT_MARKERS: [&str; 2] = ["kenning.toml", ".git"];

/// Returns the workspace root for the current folder: the nearest folder, searching upwards, that
/// contains one of `ROOT_MARKERS`. The search stops below the user's home folder. Returns `.` if
/// there is none.
pub fn default_root() -> PathBuf {
    let home = std::env::home_dir();
    std::env::current_dir().map_or_else(|_| ".".into(), |current| find_root(&current, home.as_deref()))
}

/// Prints the root that was found, if it differs from the current folder and the user did not name
/// it.
pub fn report_found_root(root: &Path) {
    if root != Path::new(".") && root == default_root() {
        super::output::print_note(&format!("using the workspace {}", root.display()));
    }
}

/// Returns the workspace root of a folder: the nearest folder, searching upwards, that contains one
/// of `ROOT_MARKERS`. The search skips the user's home folder and its parent folders.
pub fn find_default_root(folder: &Path) -> Option<PathBuf> {
    find_marked_folder(folder, std::env::home_dir().as_deref()).map(Path::to_owned)
}

fn find_root(current: &Path, home: Option<&Path>) -> PathBuf {
    match find_marked_folder(current, home) {
        Some(root) if root != current => root.to_owned(),
        _ => ".".into(),
    }
}

fn find_marked_folder<'a>(current: &'a Path, home: Option<&Path>) -> Option<&'a Path> {
    let is_below_home_or_elsewhere = |folder: &&Path| home.is_none_or(|home| !home.starts_with(folder));
    let marked = |folder: &&Path| ROOT_MARKERS.iter().any(|marker| folder.join(marker).exists());
    current.ancestors().take_while(is_below_home_or_elsewhere).find(marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_nearest_marked_folder_below_the_home_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("home/shop/src/deep")).unwrap();
        std::fs::create_dir(path("home/.git")).unwrap();
        std::fs::create_dir(path("home/shop/.git")).unwrap();
        let root = |name: &str| find_root(&path(name), Some(&path("home")));
        assert_eq!(root("home/shop/src/deep"), path("home/shop"));
        assert_eq!(root("home/shop"), Path::new("."));
        std::fs::write(path("home/shop/src/kenning.toml"), "").unwrap();
        assert_eq!(root("home/shop/src/deep"), path("home/shop/src"));
        std::fs::remove_dir(path("home/shop/.git")).unwrap();
        std::fs::remove_file(path("home/shop/src/kenning.toml")).unwrap();
        assert_eq!(root("home/shop/src/deep"), Path::new("."), "the home folder is not a workspace");
    }
}
