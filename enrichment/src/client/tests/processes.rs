//! Tests of servers as child processes.

use super::LIMIT;
use crate::client::process::ServerProcess;
use crate::client::{LanguageServer, LaunchSpec};
use serde_json::Value;
use std::time::Duration;
use tokio::io::AsyncReadExt;

fn shell_launch(script: &str) -> LaunchSpec {
    LaunchSpec {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("GREETING".into(), "hello".into())],
        folder: std::env::temp_dir(),
        niceness: 1,
        ..LaunchSpec::default()
    }
}

#[tokio::test]
async fn a_crash_reports_the_last_lines_of_standard_error() {
    let launch = shell_launch(
        "i=0; while [ $i -lt 40 ]; do echo \"line $i\" >&2; i=$((i+1)); done; echo \"$GREETING\" >&2; exit 3",
    );
    let error = LanguageServer::launch_and_initialize(&launch, Value::Null, None, LIMIT)
        .await
        .err()
        .expect("the server exits")
        .to_string();
    assert!(error.contains("line 39 | hello"), "{error}");
    assert!(!error.contains("line 5 "), "only the last lines: {error}");
}

#[tokio::test]
async fn the_error_names_a_missing_program() {
    let launch = LaunchSpec { program: "no-such-server".into(), ..shell_launch("") };
    let error = LanguageServer::launch_and_initialize(&launch, Value::Null, None, LIMIT)
        .await
        .err()
        .expect("the program is missing");
    assert!(error.to_string().starts_with("cannot start no-such-server: "), "{error}");
}

#[tokio::test]
async fn dropping_a_process_ends_it_and_its_children() {
    let (process, mut streams) =
        ServerProcess::start_process(&shell_launch("sleep 1000 & echo started; wait")).await.unwrap();
    let mut started = [0; 8];
    streams.stdout.read_exact(&mut started).await.unwrap();
    assert!(process.process_id().is_some());
    drop(process);
    // The grandchild holds the pipe open for as long as it lives.
    let mut rest = Vec::new();
    streams.stdout.read_to_end(&mut rest).await.unwrap();
    assert!(rest.is_empty());
}

#[tokio::test]
async fn a_process_may_exit_by_itself_and_is_killed_after_the_limit() {
    let (process, streams) = ServerProcess::start_process(&shell_launch("read line; exit 7")).await.unwrap();
    drop(streams.stdin);
    assert_eq!(process.wait_or_kill(LIMIT).await.unwrap().code(), Some(7));
    let (process, _streams) =
        ServerProcess::start_process(&shell_launch("while :; do sleep 1000; done")).await.unwrap();
    assert_eq!(process.wait_or_kill(Duration::ZERO).await.unwrap().code(), None, "a signal ended it");
}
