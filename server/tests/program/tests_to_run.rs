//! Tests `kenning tests --run`, which never succeeds without a command.

use crate::support::Fixture;
use std::process::Command;

fn git(fixture: &Fixture, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    assert!(command.current_dir(fixture.root()).status().unwrap().success(), "{arguments:?}");
}

/// Returns the exit status, standard output and standard error of `kenning tests`.
fn run_tests(fixture: &Fixture, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.arg("tests").args(arguments).arg("--db").arg(fixture.root().join("../other/graph.db"));
    let output = command.current_dir(fixture.root()).env_remove("KENNING_LOG").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn without_a_test_that_reaches_the_change_the_likeliest_files_run() {
    let fixture = Fixture::new();
    std::fs::remove_file(fixture.root().join("app.py")).unwrap();
    fixture.write("model.py", "def cast(value):\n    return value\n");
    fixture.write("tests/test_model.py", "def test_one():\n    pass\n\n\ndef test_two():\n    pass\n");
    fixture.write("tests/conftest.py", "def setup():\n    pass\n");
    fixture.write("notes.md", "# Notes\n");
    for arguments in
        [&["init", "-q", "-b", "main", "."][..], &["add", "-A"], &["commit", "-q", "-m", "first"]]
    {
        git(&fixture, arguments);
    }
    let (status, printed, note) = run_tests(&fixture, &["--run"]);
    assert_eq!((status, printed.as_str()), (Some(3), ""));
    assert_eq!(note, "kenning: nothing changed since main, so there is no test to run\n");
    let (status, printed, _) = run_tests(&fixture, &[]);
    assert_eq!(status, Some(0));
    assert!(printed.contains("\nNothing changed since main.\n"), "{printed}");

    fixture.write("model.py", "def cast(value):\n    return int(value)\n");
    let (status, printed, _) = run_tests(&fixture, &["--run"]);
    assert_eq!((status, printed.as_str()), (Some(0), "python -m pytest tests/test_model.py\n"));
    let (_, printed, _) = run_tests(&fixture, &[]);
    assert!(printed.contains("No tests found that reach the change"), "{printed}");
    assert!(!printed.contains("conftest"), "{printed}");

    std::fs::remove_file(fixture.root().join("tests/test_model.py")).unwrap();
    git(&fixture, &["add", "-A"]);
    git(&fixture, &["commit", "-q", "-m", "second"]);
    fixture.write("model.py", "def cast(value):\n    return str(value)\n");
    let (status, printed, note) = run_tests(&fixture, &["--run"]);
    assert_eq!((status, printed.as_str()), (Some(3), ""));
    assert_eq!(note.lines().count(), 1, "{note}");
}
