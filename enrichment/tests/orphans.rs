//! Tests that all servers and their children end when the process that started them is killed.
//!
//! The test kills a copy of itself that runs two servers. Every server process holds a named pipe
//! open, so the end of the pipe shows that all of them are gone.
#![cfg(target_os = "linux")]

use kenning_enrichment::client::{LanguageServer, LaunchSpec};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The environment variable with the path of the named pipe that the servers hold open. The test
/// sets it for the process to kill.
const VICTIM: &str = "KENNING_TEST_ORPHANS";
/// The environment variable with the number of kills; 4 if it is not set.
const KILLS: &str = "KENNING_TEST_KILLS";
/// The time after a kill within which every process must end.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// The process to kill: it starts two servers that never answer. Without [`VICTIM`] the test passes
/// immediately.
#[test]
fn victim() {
    let Some(pipe) = std::env::var_os(VICTIM) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let launch = |script: &str| LaunchSpec {
            program: "/bin/sh".into(),
            arguments: ["-c", script, "server"].iter().map(Into::into).chain([pipe.clone()]).collect(),
            folder: std::env::temp_dir(),
            ..LaunchSpec::default()
        };
        // Both servers and their children hold the pipe open. None of them reads its input, so that
        // only a signal ends them.
        let wrapper = launch("exec 3>\"$1\"; (trap '' HUP TERM PIPE; exec sleep 1000) & echo >&3; wait");
        let plain = launch("exec 3>\"$1\"; echo >&3; exec sleep 1000");
        let limit = Duration::from_secs(1000);
        let start = |launch| async move {
            LanguageServer::launch_and_initialize(&launch, Value::Null, None, limit).await.is_ok()
        };
        tokio::join!(start(wrapper), start(plain));
    });
}

/// Kills the victim after `time`. Returns the number of bytes that the servers wrote to the pipe,
/// or `None` if a process still holds the pipe open.
fn kill_after(pipe: &Path, time: Duration) -> Option<usize> {
    let mut victim = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["--exact", "victim", "--nocapture"])
        .env(VICTIM, pipe)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("this program can be started");
    let (ended_sender, ended) = mpsc::channel();
    let (opened_sender, opened) = mpsc::channel();
    let path = pipe.to_owned();
    std::thread::spawn(move || {
        // The open call waits for the first writer. The end of the pipe comes after the last
        // writer.
        let mut bytes = Vec::new();
        let mut pipe = std::fs::File::open(path).expect("the pipe exists");
        let _ = opened_sender.send(());
        pipe.read_to_end(&mut bytes).expect("the pipe can be read");
        // Sending fails if the test has stopped waiting after the time limit.
        let _ = ended_sender.send(bytes.len());
    });
    // Wait until the moment of the kill. No server ends before it.
    let early = ended.recv_timeout(time);
    assert!(early.is_err(), "the servers ended by themselves");
    victim.kill().expect("the victim can be killed");
    victim.wait().expect("the victim ends");
    // If the kill came before a server opened the pipe, the reader still waits for a writer.
    let writer = std::fs::OpenOptions::new().read(true).write(true).open(pipe).expect("the pipe exists");
    opened.recv().expect("the reader opens the pipe");
    drop(writer);
    ended.recv_timeout(END_TIMEOUT).ok()
}

#[test]
fn no_process_is_left_after_a_kill_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let kills: u64 = std::env::var(KILLS).ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let mut kills_with_servers = 0;
    for kill in 0..kills {
        let pipe = folder.path().join(format!("pipe{kill}"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // The kills range from before the start of the first server to long after it.
        let time = Duration::from_millis(kill * 7919 % 400);
        let written = kill_after(&pipe, time)
            .unwrap_or_else(|| panic!("kill {kill}, after {time:?}: a process is left"));
        kills_with_servers += usize::from(written == 2);
    }
    assert!(kills_with_servers > 0 || kills == 0, "no kill hit running servers");
}
