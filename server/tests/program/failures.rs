//! Tests failures around a running session: a killed server, a full or forbidden disk, a damaged
//! database, no network.
#![cfg(unix)]

use crate::support::{Client, Fixture};
use kenning::lsp::SessionEnd;
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// Opens a session with the folder. Also returns the result of indexing.
async fn start_session(command: Command, root: PathBuf) -> (Client, Result<Value, (i64, String)>) {
    let mut client = Client::spawn(command);
    client.initialize(&[root]).await;
    client.notify("initialized", json!({})).await;
    let indexed = client.command("kenning.reindex", json!({})).await;
    (client, indexed)
}

/// Returns the binary with a database next to the workspace.
fn with_database(fixture: &Fixture) -> (Command, PathBuf) {
    let database = fixture.root().with_file_name("db").join("graph.db");
    let mut command = fixture.binary();
    command.arg("--db").arg(&database);
    (command, database)
}

/// Returns a shell that runs `setup`, which may set a limit, and then `command`.
fn with_limit(setup: &str, command: &Command) -> Command {
    let command = command.as_std();
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("{setup}; exec \"$0\" \"$@\""))
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

/// Returns the source root in the database, without a disk check.
fn stored_root(root: &Path, database: &Path) -> String {
    let options = WorkspaceOptions { db: Some(database.to_owned()), ..WorkspaceOptions::default() };
    Workspace::open(root, options).unwrap().current_snapshot().source_root().to_hex()
}

/// Returns the source root of a new index of the workspace.
fn fresh_source_root(root: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let options =
        WorkspaceOptions { db: Some(folder.path().join("graph.db")), ..WorkspaceOptions::default() };
    let mut workspace = Workspace::open(root, options).unwrap();
    workspace.refresh_all(&NoProgress).unwrap();
    workspace.current_snapshot().source_root().to_hex()
}

#[tokio::test]
async fn a_server_killed_while_editing_leaves_the_disks_graph() {
    let fixture = Fixture::new();
    let file = fixture.uri("app.py");
    let (_, database) = with_database(&fixture);
    for round in 0..10 {
        let (mut client, indexed) = start_session(with_database(&fixture).0, fixture.root()).await;
        indexed.unwrap();
        client.did_open(&file, 0, &format!("def never_saved_{round}():\n    pass\n")).await;
        for version in 1..=20 * round {
            client.did_change(&file, version, [0, 0, 0, 0], "# more\n").await;
        }
        // Some rounds end with the edits in the graph, others with the edits in the queue.
        if round % 2 == 0 {
            let pack = client.pack(&format!("never_saved_{round}")).await;
            assert_eq!(pack["symbols"][0]["name"], format!("never_saved_{round}"));
        }
        let process = client.process.unwrap().to_string();
        assert!(Command::new("kill").args(["-9", &process]).status().await.unwrap().success());
        client.drain().await;
        assert_eq!(
            stored_root(&fixture.root(), &database),
            fresh_source_root(&fixture.root()),
            "round {round}"
        );
    }
}

#[tokio::test]
async fn a_full_disk_is_reported_and_loses_nothing() {
    let fixture = Fixture::new();
    for number in 0..200 {
        fixture.write(
            &format!("m{number}.py"),
            &format!("def function_{number}():\n    return {number}\n").repeat(20),
        );
    }
    let (command, database) = with_database(&fixture);
    // No file may become larger than this number of blocks of 512 bytes. The signal for it is
    // ignored, so that writing fails as on a full disk.
    let (mut client, indexed) =
        start_session(with_limit("trap '' XFSZ; ulimit -f 100", &command), fixture.root()).await;
    let (_, message) = indexed.expect_err("indexed without room for the index");
    assert!(message.contains("graph.db") || message.contains("disk"), "{message}");
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_ne!(status["problem"], json!(null), "{status}");
    let file = fixture.uri("app.py");
    client.did_open(&file, 1, "def still_here():\n    pass\n").await;
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);

    let (client, indexed) = start_session(with_database(&fixture).0, fixture.root()).await;
    indexed.expect("there is room again");
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
    assert_eq!(stored_root(&fixture.root(), &database), fresh_source_root(&fixture.root()));
}

#[tokio::test]
async fn a_failed_first_indexing_is_not_reported_as_canceled() {
    let fixture = Fixture::new();
    for number in 0..300 {
        let text =
            format!("class C{number}:\n    def run(self, n):\n        return f{number}(n)\n\n\n").repeat(40);
        fixture.write(&format!("m{number}.py"), &text);
    }
    // This leaves room for the databases and a part of the index, in blocks of 512 bytes.
    let command = with_limit("trap '' XFSZ; ulimit -f 1200", &with_database(&fixture).0);
    let (mut client, indexed) = start_session(command, fixture.root()).await;
    let (_, message) = indexed.expect_err("indexed without room for the index");
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["phase"], "failed", "{status}");
    assert_eq!(status["problem"], json!(message));
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
}

#[tokio::test]
async fn a_cache_that_cannot_be_written_is_reported_with_its_path() {
    let fixture = Fixture::new();
    let cache = fixture.root().with_file_name("no-folder");
    std::fs::write(&cache, "a file where a folder should be").unwrap();
    let mut command = fixture.binary();
    command.env("XDG_CACHE_HOME", &cache);
    let (mut client, indexed) = start_session(command, fixture.root()).await;
    let (code, message) = indexed.expect_err("indexed without a location for the index");
    assert_eq!(code, -32803);
    assert!(message.contains("no-folder"), "{message}");
    let (_, message) = client.command("kenning.taskContext", json!({ "task": "x" })).await.unwrap_err();
    assert!(message.contains("is not indexed"), "{message}");
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
}

#[tokio::test]
async fn a_database_that_is_damaged_during_a_session_is_replaced() {
    for damage in ["overwritten", "cut", "removed"] {
        let fixture = Fixture::new();
        let (mut client, indexed) = start_session(fixture.binary(), fixture.root()).await;
        indexed.unwrap();
        let status = client.command("kenning.status", json!({})).await.unwrap();
        let database = PathBuf::from(status["database"]["path"].as_str().unwrap());
        match damage {
            "overwritten" => std::fs::write(&database, "no database ".repeat(2000)).unwrap(),
            "cut" => std::fs::OpenOptions::new().write(true).open(&database).unwrap().set_len(1000).unwrap(),
            _ => std::fs::remove_file(&database).unwrap(),
        }
        fixture.write("later.py", "def written_later():\n    pass\n");
        // The first check may find the damage. The damaged file is replaced, and the session
        // continues.
        let _ = client.command("kenning.reindex", json!({})).await;
        client.command("kenning.reindex", json!({})).await.unwrap_or_else(|e| panic!("{damage}: {e:?}"));
        assert_eq!(client.pack("written later").await["symbols"][0]["name"], "written_later", "{damage}");
        assert_eq!(client.shut_down().await, SessionEnd::Orderly, "{damage}");
        let (mut client, indexed) = start_session(fixture.binary(), fixture.root()).await;
        indexed.unwrap_or_else(|e| panic!("{damage}: {e:?}"));
        let status = client.command("kenning.status", json!({})).await.unwrap();
        assert_eq!(status["source_root"], fresh_source_root(&fixture.root()), "{damage}");
        assert_eq!(client.shut_down().await, SessionEnd::Orderly);
    }
}

#[tokio::test]
async fn an_image_with_a_flipped_bit_is_not_used() {
    let fixture = Fixture::new();
    let (command, database) = with_database(&fixture);
    let mut index = Command::new(env!("CARGO_BIN_EXE_kenning"));
    index.arg("index").arg(fixture.root()).arg("--db").arg(&database).stdout(std::process::Stdio::null());
    assert!(index.status().await.unwrap().success());
    let image = database.with_extension("base");
    // The damage is in the last section, which is not read completely when the image is opened.
    let mut damaged = std::fs::read(&image).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&image, &damaged).unwrap();
    let (mut client, indexed) = start_session(command, fixture.root()).await;
    indexed.unwrap();
    // The server finds the damage when it is idle after indexing. It reads a small graph from the
    // database alone.
    for _ in 0..600 {
        if std::fs::read(&image).ok().as_ref() != Some(&damaged) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_ne!(std::fs::read(&image).ok(), Some(damaged), "the damaged image was not replaced");
    assert_eq!(client.pack("add item to cart").await["symbols"][0]["name"], "Cart.add_item");
    let status = client.command("kenning.status", json!({})).await.unwrap();
    assert_eq!(status["source_root"], fresh_source_root(&fixture.root()));
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
}

#[tokio::test]
async fn truncating_an_image_during_a_session_changes_no_answer() {
    let fixture = Fixture::new();
    let (command, database) = with_database(&fixture);
    let (mut client, indexed) = start_session(command, fixture.root()).await;
    indexed.unwrap();
    let before = client.pack("add item to cart").await;
    let image = std::fs::File::options().write(true).open(database.with_extension("base")).unwrap();
    for len in [0, 1 << 20, 0] {
        image.set_len(len).unwrap();
        let after = client.pack("add item to cart").await;
        assert_eq!(after["symbols"], before["symbols"], "the image is {len} bytes long");
    }
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
    assert_eq!(stored_root(&fixture.root(), &database), fresh_source_root(&fixture.root()));
}

#[tokio::test]
async fn the_last_session_that_ends_in_order_leaves_no_log_next_to_the_databases() {
    let fixture = Fixture::new();
    let (command, database) = with_database(&fixture);
    let logs = || -> Vec<String> {
        let entries = std::fs::read_dir(database.parent().unwrap()).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        names.filter(|name| name.ends_with("-wal") || name.ends_with("-shm")).collect()
    };
    let (mut first, indexed) = start_session(command, fixture.root()).await;
    indexed.unwrap();
    let (mut second, indexed) = start_session(with_database(&fixture).0, fixture.root()).await;
    indexed.unwrap();
    for client in [&mut first, &mut second] {
        fixture.write("later.py", "def written_later():\n    pass\n");
        client.command("kenning.reindex", json!({})).await.unwrap();
        assert_eq!(client.pack("written later").await["symbols"][0]["name"], "written_later");
    }
    assert_eq!(first.shut_down().await, SessionEnd::Orderly);
    assert!(!logs().is_empty(), "the other session still has the databases open");
    assert_eq!(second.shut_down().await, SessionEnd::Orderly);
    assert_eq!(logs(), [""; 0]);
}

#[tokio::test]
async fn a_database_of_a_newer_kenning_is_not_changed() {
    let fixture = Fixture::new();
    let (command, database) = with_database(&fixture);
    let mut index = Command::new(env!("CARGO_BIN_EXE_kenning"));
    index.arg("index").arg(fixture.root()).arg("--db").arg(&database).stdout(std::process::Stdio::null());
    assert!(index.status().await.unwrap().success());
    // The schema's number is at byte 60 of the header (sqlite.org/fileformat.html, "user version").
    let mut bytes = std::fs::read(&database).unwrap();
    bytes[60..64].copy_from_slice(&99u32.to_be_bytes());
    std::fs::write(&database, &bytes).unwrap();
    let (mut client, indexed) = start_session(command, fixture.root()).await;
    let (_, message) = indexed.expect_err("an older Kenning used a newer database");
    assert!(message.contains("newer version of Kenning (schema 99"), "{message}");
    let (_, message) = client.command("kenning.taskContext", json!({ "task": "x" })).await.unwrap_err();
    assert!(message.contains("newer version of Kenning"), "{message}");
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
    assert_eq!(std::fs::read(&database).unwrap()[60..64], 99u32.to_be_bytes());
}

#[tokio::test]
async fn a_change_is_found_even_if_the_time_of_the_file_goes_back() {
    let fixture = Fixture::new();
    let (mut client, indexed) = start_session(fixture.binary(), fixture.root()).await;
    indexed.unwrap();
    for (text, seconds) in [
        ("def before_1970():\n    pass\n", 0),
        ("def long_ago():\n    pass\n", 1_000_000_000),
        ("def in_the_future():\n    pass\n", 9_000_000_000),
    ] {
        fixture.write("clock.py", text);
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let file = std::fs::File::options().write(true).open(fixture.root().join("clock.py")).unwrap();
        file.set_modified(time).unwrap();
        client.command("kenning.reindex", json!({})).await.unwrap();
        let name = text.split(['(', ' ']).nth(1).unwrap();
        assert_eq!(client.pack(name).await["symbols"][0]["name"], name);
    }
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
}

/// Runs the binary without any network. If the system does not allow that, the test fails rather
/// than passing unnoticed, because only a trace of system calls could replace it.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_session_needs_no_network() {
    let fixture = Fixture::new();
    let binary = fixture.binary();
    let binary = binary.as_std();
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--net"]).arg(binary.get_program()).args(binary.get_args());
    for (name, value) in binary.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let (mut client, indexed) = start_session(command, fixture.root()).await;
    indexed.unwrap();
    let process = client.process.unwrap();
    let devices = std::fs::read_to_string(format!("/proc/{process}/net/dev")).unwrap();
    let devices: Vec<&str> =
        devices.lines().skip(2).filter_map(|line| Some(line.split_once(':')?.0.trim())).collect();
    assert_eq!(devices, ["lo"], "the server sees a network");
    assert_eq!(client.pack("add item").await["symbols"][0]["name"], "Cart.add_item");
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
}
