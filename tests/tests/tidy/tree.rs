//! The files of the checkout that the checks read.

use std::path::{Path, PathBuf};

/// A file of the checkout.
pub struct Text {
    /// Path from the root of the checkout, with forward slashes.
    pub path: String,
    pub text: String,
}

/// Folders that are not part of the project's text.
const SKIPPED: [&str; 3] = ["target", "node_modules", ".git"];

/// Extensions of files that people write. Data (task sets, lock files, images) is excluded.
const WRITTEN: [&str; 14] =
    ["rs", "toml", "md", "sh", "sql", "scm", "py", "ts", "lua", "yml", "yaml", "txt", "csv", "run"];

/// Names of written files without an extension.
const WRITTEN_NAMES: [&str; 3] = ["test", "run", "LICENSE"];

/// Returns the root of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

/// Returns every file that people write.
pub fn texts() -> Vec<Text> {
    let root = root();
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let relative = path.strip_prefix(&root).expect("found under the root");
            let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let path = relative.to_string_lossy().replace('\\', "/");
            Text { path, text: String::from_utf8_lossy(&bytes).into_owned() }
        })
        .collect()
}

/// Returns the Rust sources without fixtures, which are source text that tests read as data.
pub fn rust_sources() -> Vec<Text> {
    let is_source = |text: &Text| {
        Path::new(&text.path).extension().is_some_and(|ending| ending == "rs")
            && !text.path.contains("/fixtures/")
    };
    texts().into_iter().filter(is_source).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.unwrap_or_else(|e| panic!("{}: {e}", folder.display())).path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !path.is_symlink() {
            if !SKIPPED.contains(&name.as_ref()) {
                collect(&path, found);
            }
            continue;
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        if WRITTEN.contains(&ending.as_ref()) || WRITTEN_NAMES.contains(&name.as_ref()) {
            found.push(path);
        }
    }
}
