//! When this process is killed, whatever it started is gone soon: servers, and what they started.
#![cfg(target_os = "linux")]

use kenning_enrichment::client::{LanguageServer, LaunchSpec};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Set in the process that is to be killed: the named pipe that its servers hold open.
const VICTIM: &str = "KENNING_TEST_ORPHANS";
/// The variable with the number of kills; without it, a few.
const KILLS: &str = "KENNING_TEST_KILLS";
/// Longest time until every process is gone.
const SOON: Duration = Duration::from_secs(2);

/// The process that is killed: it starts two servers that never answer. Passes at once unless it was asked for.
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
        // Both and their children hold the pipe open; nothing of them reads its input, so that only a signal ends them.
        let wrapper = launch("exec 3>\"$1\"; (trap '' HUP TERM PIPE; exec sleep 1000) & echo >&3; wait");
        let plain = launch("exec 3>\"$1\"; echo >&3; exec sleep 1000");
        let limit = Duration::from_secs(1000);
        let start = |launch| async move {
            LanguageServer::launch_and_initialize(&launch, Value::Null, None, limit).await.is_ok()
        };
        tokio::join!(start(wrapper), start(plain));
    });
}

/// Kills it after some time; how many bytes were written to the pipe, or `None` when somebody holds it still.
fn kill_after(pipe: &Path, time: Duration) -> Option<usize> {
    let mut victim = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["--exact", "victim", "--nocapture"])
        .env(VICTIM, pipe)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("this program can be started");
    let (sender, gone) = mpsc::channel();
    let (opening, opened) = mpsc::channel();
    let path = pipe.to_owned();
    std::thread::spawn(move || {
        // Opens when the first of them has opened it for writing; ends when the last one is gone.
        let mut bytes = Vec::new();
        let mut pipe = std::fs::File::open(path).expect("the pipe is there");
        let _ = opening.send(());
        pipe.read_to_end(&mut bytes).expect("the pipe can be read");
        // The parent stops waiting for it when the time is up.
        let _ = sender.send(bytes.len());
    });
    // What is waited for here is only the moment of the kill.
    let early = gone.recv_timeout(time);
    assert!(early.is_err(), "the servers ended by themselves");
    victim.kill().expect("it can be killed");
    victim.wait().expect("it ends");
    // Killed before a server was there: the reader waits for a writer, so let it have one.
    let writer = std::fs::OpenOptions::new().read(true).write(true).open(pipe).expect("the pipe is there");
    opened.recv().expect("the reader opens the pipe");
    drop(writer);
    gone.recv_timeout(SOON).ok()
}

#[test]
fn nobody_is_left_after_the_process_was_killed_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let kills: u64 = std::env::var(KILLS).ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let mut running = 0;
    for kill in 0..kills {
        let pipe = folder.path().join(format!("pipe{kill}"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // From before the first server is there to long after.
        let time = Duration::from_millis(kill * 7919 % 400);
        let written = kill_after(&pipe, time)
            .unwrap_or_else(|| panic!("kill {kill}, after {time:?}: somebody is left"));
        running += usize::from(written == 2);
    }
    assert!(running > 0 || kills == 0, "no kill met running servers");
}
