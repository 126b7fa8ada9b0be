//! Indexed workspaces for unit tests.

use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use std::path::PathBuf;
use tempfile::TempDir;

/// An indexed workspace in a temporary folder.
pub struct TestWorkspace {
    /// The root of the workspace.
    pub root: PathBuf,
    /// The workspace.
    pub workspace: Workspace,
    _folder: TempDir,
}

/// Writes files, each as path and text, and indexes them.
pub fn index_files(files: &[(&str, &str)]) -> TestWorkspace {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("w");
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let options =
        WorkspaceOptions { db: Some(folder.path().join("db/graph.db")), ..WorkspaceOptions::default() };
    let (workspace, _) = Workspace::open_refreshed(&root, options, &NoProgress).unwrap();
    TestWorkspace { root, workspace, _folder: folder }
}
