//! `kenning files`: the pack for files.

use super::args::FilesArgs;
use super::pack::{self, DocumentChoice};
use crate::answer::QuestionSubject;
use crate::similar_names::{similar_paths, suggest_similar_names};
use crate::timings::StageTimings;
use crate::written_position::without_position;
use anyhow::{Context, bail};
use kenning_indexing::walk::list_files;
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
    // Answers name files with a line, as in `src/a.py:12`.
    let file = file.to_str().map_or(file, |text| {
        Path::new(without_position(text, |path| root.join(path).exists() || Path::new(path).exists()))
    });
    let candidates: [PathBuf; 2] = [root.join(file), file.to_owned()];
    let Some(real) = candidates.iter().find_map(|path| path.canonicalize().ok()) else {
        let similar = files_like(&root, file);
        bail!(
            "{} does not exist; {}pass a source file, relative to the workspace root",
            file.display(),
            suggest_similar_names(&similar)
        );
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

/// Returns the files of a workspace that a path may be a misspelling of. Only an error waits for the
/// walk.
fn files_like(root: &Path, file: &Path) -> Vec<String> {
    let files = list_files(root, &[]).unwrap_or_default();
    similar_paths(files.iter().map(String::as_str), &file.to_string_lossy())
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
        assert_eq!(path("a b/x.py:3"), Ok("a b/x.py".into()));
        assert!(path("none.py").unwrap_err().contains("does not exist; pass"));
        assert!(path("a b/xs.py").unwrap_err().contains("did you mean a b/x.py?"));
        assert!(path(std::env::temp_dir().to_str().unwrap()).unwrap_err().contains("is not in"));
    }
}
