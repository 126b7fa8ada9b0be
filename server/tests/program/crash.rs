//! Tests `kill -9` at any moment of indexing: the databases open again, and the next run ends with
//! the same graph as an undisturbed run.

use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Number of modules of the workspace.
const FILE_COUNT: usize = 120;

/// Writes one module. Another `salt` gives another text.
fn write_module(root: &Path, number: usize, salt: usize) {
    let next = (number + 1) % FILE_COUNT;
    let text = format!(
        "from pkg.m{next} import f{next}\n\n\nclass C{number}:\n    def run(self, n):\n        return f{next}(n) + {salt}\n\n\n\
         def f{number}(n):\n    return C{number}().run(n)\n"
    );
    std::fs::write(root.join(format!("pkg/m{number}.py")), text).unwrap();
}

fn kenning_index(root: &Path, database: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.arg("index").arg(root).arg("--db").arg(database).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn open_workspace(root: &Path, database: &Path) -> Workspace {
    let options = WorkspaceOptions { db: Some(database.to_owned()), ..WorkspaceOptions::default() };
    Workspace::open(root, options).unwrap()
}

/// Returns the source root in the database, without a disk check.
fn stored_root(root: &Path, database: &Path) -> String {
    open_workspace(root, database).current_snapshot().source_root().to_hex()
}

/// Returns the source root of a new index of the workspace.
fn fresh_source_root(root: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut workspace = open_workspace(root, &folder.path().join("graph.db"));
    workspace.refresh_all(&NoProgress).unwrap();
    workspace.current_snapshot().source_root().to_hex()
}

#[test]
fn after_fifty_kills_the_databases_are_usable() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    std::fs::create_dir_all(root.join("pkg")).unwrap();
    for number in 0..FILE_COUNT {
        write_module(&root, number, 0);
    }
    let database = folder.path().join("db/graph.db");
    let started = Instant::now();
    let undisturbed = folder.path().join("undisturbed/graph.db");
    assert!(kenning_index(&root, &undisturbed).status().unwrap().success());
    let full_duration = started.elapsed();
    let mut killed = 0;
    for round in 0..50u32 {
        // A third of the files changes each time; every tenth round starts without an index.
        for number in (0..FILE_COUNT).filter(|n| n % 3 == round as usize % 3) {
            write_module(&root, number, round as usize + 1);
        }
        if round % 10 == 0 {
            let _ = std::fs::remove_dir_all(database.parent().unwrap());
        }
        let mut child = kenning_index(&root, &database).spawn().unwrap();
        // The 50 moments are spread over the run, in an order that mixes early and late ones.
        let moment = Instant::now() + full_duration.mul_f64(f64::from(round * 23 % 50) / 50.0);
        while Instant::now() < moment && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        if round % 5 == 4 {
            assert!(kenning_index(&root, &database).status().unwrap().success(), "round {round}");
            assert_eq!(stored_root(&root, &database), fresh_source_root(&root), "round {round}");
        } else {
            // At any moment, the databases can be opened and contain a complete earlier state.
            stored_root(&root, &database);
        }
    }
    assert!(killed >= 10, "only {killed} of 50 kills met a running index");
}
