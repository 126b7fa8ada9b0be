//! Tests what answers say while the commits are not read yet.
//!
//! A session reads the commits when the disk has been idle for two seconds, so its first answers have
//! none unless an earlier session or command has read them. A command reads them before its answer.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

const LINE: &str = "commits not read yet";

fn git(fixture: &Fixture, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.current_dir(fixture.root()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Writes files in which no symbol uses a symbol of another file.
fn write_shop(fixture: &Fixture, version: u32) {
    fixture.write("app.py", &format!("def fill_cart(item):\n    return [item, {version}]\n"));
    fixture.write("docs/prices.py", &format!("def list_taxes():\n    return {version}\n"));
}

/// Creates a repository in which the same commits changed two files that have nothing else in
/// common.
fn create_repository() -> Fixture {
    let fixture = Fixture::new();
    git(&fixture, &["init", "-q", "-b", "main", "."]);
    for version in 0..4 {
        write_shop(&fixture, version);
        git(&fixture, &["add", "-A"]);
        git(&fixture, &["commit", "-q", "-m", &format!("Change the cart, version {version}")]);
    }
    fixture
}

/// Opens a session, and returns when its index is ready. The commits are not read then.
async fn open_indexed(fixture: &Fixture, options: Value) -> Client {
    let mut client = Client::start(fixture.options());
    client.options = options;
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    client
}

fn is_pending(answer: &Value) -> bool {
    let field = answer["freshness"].get("history_pending");
    assert!(field.is_none_or(|value| value == true), "the field is left out instead of false: {answer}");
    field.is_some()
}

/// Returns the status of the folder when no commit is left to be read.
async fn wait_for_history(client: &mut Client) -> Value {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let status = client.command("kenning.status", json!({})).await.unwrap();
        if status["folders"][0]["indexed_at"].is_string() && status["history_pending"].is_null() {
            return status["folders"][0].clone();
        }
        assert!(Instant::now() < deadline, "{status}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn answers_say_until_the_commits_are_read_that_they_lack_them() {
    let fixture = create_repository();
    let mut client = open_indexed(&fixture, json!({})).await;
    let app = fixture.uri("app.py");
    let questions = [
        ("kenning.taskContext", json!({ "task": "fill the cart", "format": "markdown" }), true),
        ("kenning.fileContext", json!({ "uris": [app], "format": "xml" }), true),
        ("kenning.changeContext", json!({ "format": "gcf" }), true),
        ("kenning.explain", json!({ "task": "fill it", "symbol": "fill_cart", "format": "markdown" }), true),
        ("kenning.blastRadius", json!({ "symbol": "fill_cart", "format": "markdown" }), true),
        ("kenning.affectedTests", json!({ "uris": [app], "format": "markdown" }), true),
        ("kenning.search", json!({ "query": "fill the cart" }), true),
        ("kenning.search", json!({ "query": "fill the cart", "scope": "knowledge" }), false),
        ("kenning.graph", json!({ "symbol": "fill_cart" }), false),
    ];
    fixture.write("kenning/notes/a.md", "# A note\n");
    for (command, arguments, uses_history) in &questions {
        let Ok(answer) = client.command(command, arguments.clone()).await else {
            assert_eq!(arguments["scope"], "knowledge", "{command}");
            continue;
        };
        assert_eq!(is_pending(&answer), *uses_history, "{command}: {answer}");
        if let Some(text) = answer["text"].as_str() {
            assert_eq!(text.matches(LINE).count(), 1, "{command}: {text}");
        }
    }
    let status = wait_for_history(&mut client).await;
    assert_eq!(status["commits"], 4);
    for (command, arguments, _) in &questions {
        let Ok(answer) = client.command(command, arguments.clone()).await else { continue };
        assert!(!is_pending(&answer), "{command}: {answer}");
        assert!(!answer.to_string().contains(LINE), "{command}: {answer}");
    }
    // A new commit is pending until it is read.
    write_shop(&fixture, 9);
    git(&fixture, &["commit", "-q", "-am", "Change the cart again"]);
    let readiness = client.command("kenning.waitForIndex", json!({})).await.unwrap();
    assert!(is_pending(&readiness), "{readiness}");
    assert_eq!(wait_for_history(&mut client).await["commits"], 5);
    client.shut_down().await;
}

/// Runs a `kenning` command with the cache of the fixture. Returns standard output and standard
/// error.
fn run_command(fixture: &Fixture, arguments: &[&str]) -> (String, String) {
    let mut server = fixture.binary();
    let server = server.as_std_mut();
    let mut command = Command::new(server.get_program());
    command.args(arguments).current_dir(fixture.root()).env_remove("KENNING_LOG").env_remove("KENNING_DB");
    command.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn the_first_command_reads_the_history_and_later_ones_what_was_added() {
    let fixture = create_repository();
    let (blast, error) = run_command(&fixture, &["blast", "fill_cart"]);
    assert!(blast.contains("changed together in 4 of 4 commits"), "{blast}");
    assert!(!blast.contains(LINE) && error.is_empty(), "{blast}{error}");
    write_shop(&fixture, 9);
    git(&fixture, &["commit", "-q", "-am", "Change the cart again"]);
    let (blast, _) = run_command(&fixture, &["blast", "--json", "fill_cart"]);
    assert!(blast.contains("5 of 5 commits") && !blast.contains("history_pending"), "{blast}");
}

#[test]
fn a_command_says_that_the_history_is_missing() {
    const NOTE: &str = "kenning: the history of git is not read yet";
    let fixture = create_repository();
    let (blast, error) = run_command(&fixture, &["blast", "--no-history", "fill_cart"]);
    assert!(blast.contains(LINE) && !blast.contains("changed together"), "{blast}");
    assert_eq!(error, "", "the user left it out");
    let (pack, error) = run_command(&fixture, &["pack", "--refresh", "never", "--json", "fill the cart"]);
    assert!(pack.contains("\"history_pending\":true"), "{pack}");
    assert!(error.starts_with(NOTE) && error.lines().count() == 1, "{error}");
    run_command(&fixture, &["index"]);
    let (pack, error) = run_command(&fixture, &["pack", "--refresh", "never", "--json", "fill the cart"]);
    assert!(!pack.contains("history_pending") && error.is_empty(), "{pack}{error}");
    fixture.write("kenning.toml", "[index]\nhistory = false\n");
    git(&fixture, &["commit", "-q", "--allow-empty", "-m", "Not read"]);
    let (blast, error) = run_command(&fixture, &["blast", "fill_cart"]);
    assert!(!blast.contains(LINE) && error.is_empty(), "{blast}{error}");
}

#[tokio::test]
async fn the_first_answer_of_a_session_has_the_commits_that_a_command_read() {
    let fixture = create_repository();
    run_command(&fixture, &["index"]);
    let mut client = Client::spawn(fixture.binary());
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.waitForIndex", json!({})).await.unwrap();
    let blast = client.command("kenning.blastRadius", json!({ "symbol": "fill_cart" })).await.unwrap();
    assert!(!is_pending(&blast), "{blast}");
    assert_eq!(blast["ripple"][0]["file"], "docs/prices.py", "{blast}");
    client.shut_down().await;
}

#[tokio::test]
async fn a_pack_with_commits_is_another_one_than_the_same_symbols_without() {
    let fixture = create_repository();
    let mut client = open_indexed(&fixture, json!({})).await;
    let mut argument = json!({ "uris": [fixture.uri("app.py")], "format": "markdown", "noLearning": true });
    let without = client.command("kenning.fileContext", argument.clone()).await.unwrap();
    assert!(is_pending(&without) && !without.to_string().contains("changed together"), "{without}");
    wait_for_history(&mut client).await;
    argument["packRoot"] = without["pack_root"].clone();
    let with = client.command("kenning.fileContext", argument.clone()).await.unwrap();
    assert_eq!(with["symbols"], without["symbols"]);
    assert_eq!(with["ripple"][0]["file"], "docs/prices.py");
    assert!(with["text"].as_str().unwrap().contains("changed together in 4 of 4 commits"), "{with}");
    assert_ne!(with["pack_root"], without["pack_root"]);
    argument["packRoot"] = with["pack_root"].clone();
    let again = client.command("kenning.fileContext", argument).await.unwrap();
    assert_eq!(again["unchanged"], true, "{again}");
    client.shut_down().await;
}

#[tokio::test]
async fn nothing_is_pending_if_there_are_no_commits_to_read() {
    let plain = Fixture::new();
    write_shop(&plain, 1);
    let repository = create_repository();
    let unborn = Fixture::new();
    git(&unborn, &["init", "-q", "-b", "main", "."]);
    write_shop(&unborn, 1);
    let off = json!({ "index": { "history": false } });
    for (fixture, options) in [(&plain, json!({})), (&repository, off), (&unborn, json!({}))] {
        let mut client = open_indexed(fixture, options.clone()).await;
        let pack = client.pack("fill the cart").await;
        assert!(!is_pending(&pack), "{options}: {pack}");
        client.shut_down().await;
    }
}

#[tokio::test]
async fn a_reading_that_fails_is_not_pending() {
    let fixture = create_repository();
    let parent = git(&fixture, &["rev-parse", "HEAD~1"]);
    let (folder, file) = parent.split_at(2);
    std::fs::remove_file(fixture.root().join(".git/objects").join(folder).join(file)).unwrap();
    let mut client = open_indexed(&fixture, json!({})).await;
    assert!(is_pending(&client.pack("fill the cart").await));
    wait_for_history(&mut client).await;
    let pack = client.pack("fill the cart").await;
    assert!(!is_pending(&pack), "{pack}");
    client.shut_down().await;
}
