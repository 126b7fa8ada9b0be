//! Copies of fixture workspaces, in which the real binary runs with the language servers that were
//! installed for these tests.

use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use serde_json::Value;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The files of a package that is installed in a virtual environment.
const TOPPINGS: [(&str, &str); 2] = [
    ("__init__.py", "from .cream import Cream\n\n\ndef spread(cake, cream):\n    return cake\n"),
    (
        "cream.py",
        "class Cream:\n    def __init__(self, sugar):\n        self.sugar = sugar\n\n    def whip(self, minutes):\n        return self\n",
    ),
];

/// A private copy of a fixture workspace.
pub struct InstalledFixture {
    folder: TempDir,
}

impl InstalledFixture {
    /// Copies `server/tests/servers/NAME`.
    pub fn copy_of(name: &str) -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(name);
        copy_folder(&from, &fixture.root());
        fixture
    }

    /// Returns the folder of the workspace. URIs must percent-encode its name.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("work spåce")
    }

    fn database(&self) -> PathBuf {
        self.folder.path().join("graph.db")
    }

    /// Creates a virtual environment with an installed package. Returns the path of a file that the
    /// interpreter of the environment creates when it runs.
    pub fn create_virtual_environment(&self) -> PathBuf {
        let venv = self.root().join(".venv");
        let status =
            Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&venv).status().unwrap();
        assert!(status.success(), "python3 cannot create a virtual environment");
        std::fs::write(venv.join(".gitignore"), "*\n").unwrap();
        let lib = std::fs::read_dir(venv.join("lib")).unwrap().next().unwrap().unwrap().path();
        for (name, text) in TOPPINGS {
            let file = lib.join("site-packages/toppings").join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let ran = self.folder.path().join("ran");
        for program in ["python", "python3"] {
            let program = venv.join("bin").join(program);
            let real = program.canonicalize().unwrap();
            std::fs::remove_file(&program).unwrap();
            let script = format!("#!/bin/sh\ntouch '{}'\nexec '{}' \"$@\"\n", ran.display(), real.display());
            std::fs::write(&program, script).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        ran
    }

    /// Runs `kenning enrich` and returns its JSON.
    pub fn enrich(&self, arguments: &[&str]) -> Vec<Value> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.args(["enrich", "--wait", "--format", "json"]).args(arguments).arg(self.root());
        command.env("KENNING_DB", self.database()).env("PATH", search_path()).env("HOME", self.folder.path());
        for folder in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env(folder, self.folder.path().join("home"));
        }
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Opens the workspace as the next process finds it.
    pub fn open_workspace(&self) -> Workspace {
        let options = WorkspaceOptions { db: Some(self.database()), ..WorkspaceOptions::default() };
        let mut workspace = Workspace::open(&self.root(), options).unwrap();
        workspace.refresh_all(&NoProgress).unwrap();
        workspace
    }
}

/// Returns the folders of the servers, followed by the search path of this process.
pub fn search_path() -> OsString {
    let servers = std::env::var_os("KENNING_SERVERS");
    let mut path =
        servers.expect("KENNING_SERVERS names the folders of the servers; run scripts/test-servers");
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}
