//! `kenning files`: the pack for files.

use super::args::FilesArgs;
use super::pack::{self, DocumentChoice};
use crate::answer::QuestionSubject;
use crate::timings::StageTimings;
use anyhow::{Context, bail};
use std::path::{Component, Path, PathBuf};

/// Prints the pack for the files.
pub fn run_files(args: &FilesArgs) -> anyhow::Result<()> {
    let timings = StageTimings::start_now();
    let root = &args.print.answer.workspace.root;
    let files = workspace_paths(root, &args.files)?;
    pack::print_pack(&args.print, timings, DocumentChoice::Configured, |_| {
        Ok(QuestionSubject::Files(files))
    })?;
    Ok(())
}

/// Returns the paths of `files` relative to the root of the workspace, without duplicates.
pub fn workspace_paths(root: &Path, files: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let mut paths =
        files.iter().map(|file| workspace_path(root, file)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut seen = std::collections::BTreeSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    Ok(paths)
}

/// Returns the path of a file relative to the root of the workspace. A relative `file` is looked up
/// below the root first, then below the current folder.
pub fn workspace_path(root: &Path, file: &Path) -> anyhow::Result<String> {
    let root = root.canonicalize().with_context(|| format!("{} cannot be opened", root.display()))?;
    let candidates: [PathBuf; 2] = [root.join(file), file.to_owned()];
    let Some(real) = candidates.iter().find_map(|path| path.canonicalize().ok()) else {
        bail!("{} does not exist; pass a source file, relative to the workspace root", file.display());
    };
    let Ok(inside) = real.strip_prefix(&root) else {
        bail!("{} is not in {}; pass a file in the workspace", file.display(), root.display());
    };
    let parts: Option<Vec<&str>> = inside
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let Some(parts) = parts.filter(|parts| !parts.is_empty() && real.is_file()) else {
        bail!("{} is not a file; pass a source file in the workspace", file.display());
    };
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute_or_relative_to_the_root() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("a b")).unwrap();
        std::fs::write(root.path().join("a b/x.py"), "").unwrap();
        let path = |file: &str| workspace_path(root.path(), Path::new(file)).map_err(|e| e.to_string());
        assert_eq!(path("a b/x.py"), Ok("a b/x.py".into()));
        assert_eq!(path("./a b/../a b/x.py"), Ok("a b/x.py".into()));
        assert_eq!(path(root.path().join("a b/x.py").to_str().unwrap()), Ok("a b/x.py".into()));
        assert!(path("a b").unwrap_err().contains("is not a file"));
        assert!(path("none.py").unwrap_err().contains("does not exist"));
        assert!(path(std::env::temp_dir().to_str().unwrap()).unwrap_err().contains("is not in"));
    }
}
