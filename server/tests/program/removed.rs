//! Tests changes that remove definitions: the users of the definitions are found although the graph
//! does not have the definitions.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const HELPERS: &str = "def flash(text):\n    return [text]\n\n\ndef unflash():\n    return []\n";
const APP: &str = "from helpers import flash, unflash\n\n\n\
def page():\n    return flash(1)\n\n\ndef other():\n    return unflash()\n";
const TEST: &str = "from app import other, page\nfrom helpers import flash\n\n\n\
def test_page():\n    page()\n\n\ndef test_flash():\n    assert flash(2)\n\n\ndef test_other():\n    other()\n";

/// Creates a repository in which two tests reach `flash`, one of them through `page`, and a third
/// does not.
fn create_repository() -> Fixture {
    let fixture = Fixture::new();
    std::fs::remove_file(fixture.root().join("app.py")).unwrap();
    fixture.write("helpers.py", HELPERS);
    fixture.write("app.py", APP);
    fixture.write("tests/test_app.py", TEST);
    for arguments in
        [&["init", "-q", "-b", "main", "."][..], &["add", "-A"], &["commit", "-q", "-m", "first"]]
    {
        git(&fixture, arguments);
    }
    fixture
}

fn git(fixture: &Fixture, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    assert!(command.current_dir(fixture.root()).status().unwrap().success(), "{arguments:?}");
}

fn run_kenning(fixture: &Fixture, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.args(arguments).arg("--db").arg(fixture.root().join("../other/graph.db"));
    let output = command.current_dir(fixture.root()).env_remove("KENNING_LOG").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn run_for_json(fixture: &Fixture, command: &str) -> Value {
    serde_json::from_str(&run_kenning(fixture, &[command, "--format", "json"])).unwrap()
}

/// Returns each test with the names on its call path and the removed name at its end.
fn call_paths(answer: &Value) -> Vec<String> {
    let call_path = |test: &Value| {
        let path = test["path"].as_array().unwrap().iter().map(|step| step["name"].as_str().unwrap());
        path.chain(test["removed"].as_str()).collect::<Vec<_>>().join(" ")
    };
    answer["tests"].as_array().unwrap().iter().map(call_path).collect()
}

fn sorted_names(answer: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        answer["symbols"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

/// The call paths that end at `flash`.
const FLASH_PATHS: [&str; 2] = ["test_flash flash", "test_page page flash"];
/// The call paths that end at `flash` or `unflash`.
const ALL_PATHS: [&str; 3] = ["test_flash flash", "test_other other unflash", "test_page page flash"];

#[test]
fn users_of_a_removed_function_are_affected() {
    let fixture = create_repository();
    fixture.write("helpers.py", &HELPERS[HELPERS.find("def unflash").unwrap()..]);
    let answer = run_for_json(&fixture, "tests");
    assert_eq!(call_paths(&answer), FLASH_PATHS);
    assert_eq!(answer["change"]["files"][0]["removed"], json!(["flash"]));
    assert_eq!(answer["truncated"], false);
    let text = run_kenning(&fixture, &["tests"]);
    assert!(text.contains("- modified `helpers.py`: lines removed after 0; removes `flash`\n"), "{text}");
    assert!(text.contains("`test_page` → `page` → `flash` (removed)\n"), "{text}");
    assert!(text.contains("`test_flash` → `flash` (removed)\n"), "{text}");
    let pack = run_for_json(&fixture, "changes");
    assert!(sorted_names(&pack).contains(&"page") && sorted_names(&pack).contains(&"test_flash"), "{pack}");
    assert_eq!(pack["change"]["files"][0]["removed"], json!(["flash"]));
}

#[test]
fn users_of_a_deleted_file_are_affected() {
    let fixture = create_repository();
    std::fs::remove_file(fixture.root().join("helpers.py")).unwrap();
    let answer = run_for_json(&fixture, "tests");
    assert_eq!(call_paths(&answer), ALL_PATHS);
    assert_eq!(answer["change"]["files"][0]["removed"], json!(["flash", "unflash"]));
    let pack = run_for_json(&fixture, "changes");
    assert!(sorted_names(&pack).contains(&"page") && sorted_names(&pack).contains(&"other"), "{pack}");
}

#[test]
fn users_of_a_moved_file_are_affected() {
    let fixture = create_repository();
    git(&fixture, &["mv", "helpers.py", "helpers2.py"]);
    let answer = run_for_json(&fixture, "tests");
    assert_eq!(call_paths(&answer), ALL_PATHS);
    let file = json!({ "path": "helpers2.py", "status": "renamed", "old_path": "helpers.py", "lines": [] });
    assert_eq!(answer["change"]["files"][0], file, "only the path was removed");
    let pack = run_for_json(&fixture, "changes");
    assert!(sorted_names(&pack).contains(&"page") && sorted_names(&pack).contains(&"other"), "{pack}");
}

#[test]
fn users_of_the_old_name_are_affected() {
    let fixture = create_repository();
    fixture.write("helpers.py", &HELPERS.replace("def flash", "def show"));
    let answer = run_for_json(&fixture, "tests");
    assert_eq!(call_paths(&answer), FLASH_PATHS);
    assert_eq!(answer["change"]["files"][0]["removed"], json!(["flash"]));
    assert!(sorted_names(&run_for_json(&fixture, "changes")).contains(&"page"));
}

#[test]
fn users_that_changed_too_are_counted_once() {
    let fixture = create_repository();
    fixture.write("helpers.py", &HELPERS.replace("def flash", "def show"));
    fixture.write("app.py", &APP.replace("flash(1)", "show(1)").replace("flash,", "show,"));
    fixture.write("tests/test_app.py", &TEST.replace("flash", "show"));
    let answer = run_for_json(&fixture, "tests");
    assert_eq!(call_paths(&answer), ["test_show", "test_page page"]);
}

#[tokio::test]
async fn unsaved_text_can_remove_definitions() {
    let fixture = create_repository();
    let mut client = Client::open(&fixture).await;
    client.pack("settle").await;
    let file = fixture.uri("helpers.py");
    client.did_open(&file, 1, HELPERS).await;
    client.did_change(&file, 2, [0, 4, 0, 9], "show").await;
    let answer = loop {
        let answer = client.command("kenning.affectedTests", json!({})).await.unwrap();
        if answer["freshness"]["pending_files"] == 0 {
            break answer;
        }
    };
    assert_eq!(call_paths(&answer), FLASH_PATHS);
    let untouched = std::fs::read_to_string(Path::new(&fixture.root()).join("helpers.py")).unwrap();
    assert_eq!(untouched, HELPERS);
}
