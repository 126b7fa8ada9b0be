//! Reads the files of the checkout that the rules apply to.

use std::path::{Path, PathBuf};

/// A file of the checkout.
pub struct TextFile {
    /// Path from the root of the checkout, with forward slashes.
    pub path: String,
    /// The content, with invalid UTF-8 replaced.
    pub text: String,
}

/// Folders that are not part of the project's text.
const SKIPPED_FOLDERS: [&str; 3] = ["target", "node_modules", ".git"];

/// Extensions of the files that the rules check. Task sets, lock files and images are excluded.
const TEXT_EXTENSIONS: [&str; 15] =
    ["rs", "toml", "md", "sh", "sql", "scm", "py", "ts", "mjs", "css", "lua", "yml", "yaml", "txt", "csv"];

/// Names of checked files without an extension.
const EXTENSIONLESS_NAMES: [&str; 3] = ["test", "run", "LICENSE"];

/// Returns the root of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_owned()
}

/// Returns every file that the rules check, sorted by path.
pub fn text_files() -> Vec<TextFile> {
    let root = root();
    let mut paths = Vec::new();
    collect_paths(&root, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let relative = path.strip_prefix(&root).expect("the path starts with the root");
            let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let path = relative.to_string_lossy().replace('\\', "/");
            TextFile { path, text: String::from_utf8_lossy(&bytes).into_owned() }
        })
        .collect()
}

/// Returns the Rust sources without fixtures, which are source text that tests read as data.
pub fn rust_sources() -> Vec<TextFile> {
    let is_source = |text: &TextFile| {
        Path::new(&text.path).extension().is_some_and(|extension| extension == "rs")
            && !text.path.contains("/fixtures/")
    };
    text_files().into_iter().filter(is_source).collect()
}

fn collect_paths(folder: &Path, paths: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.unwrap_or_else(|e| panic!("{}: {e}", folder.display())).path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !path.is_symlink() {
            if !SKIPPED_FOLDERS.contains(&name.as_ref()) {
                collect_paths(&path, paths);
            }
            continue;
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if TEXT_EXTENSIONS.contains(&extension.as_ref()) || EXTENSIONLESS_NAMES.contains(&name.as_ref()) {
            paths.push(path);
        }
    }
}
