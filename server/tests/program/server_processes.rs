//! Tests the processes of language servers: what they receive, and that none of them survives
//! Kenning, however it ends.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Maximum time until all processes must have ended, even on a busy machine.
const EXIT_TIMEOUT: Duration = Duration::from_secs(20);

/// A workspace with a reference to ask about, and a script that replaces Python's server.
struct ScriptedServerFixture {
    folder: TempDir,
}

impl ScriptedServerFixture {
    /// Creates the workspace. `script` finds the folder for its notes in `$notes`.
    fn new(script: &str) -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["workspace", "programs", "notes", "home"] {
            std::fs::create_dir(fixture.path(name)).unwrap();
        }
        let app = "def helper():\n    return 1\n\n\ndef go():\n    return helper()\n";
        std::fs::write(fixture.path("workspace/app.py"), app).unwrap();
        let program = fixture.path("programs/pyright-langserver");
        let notes = fixture.path("notes");
        std::fs::write(&program, format!("#!/bin/sh\nnotes='{}'\n{script}\n", notes.display())).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts `kenning enrich`, which asks the script and waits for it.
    fn enrich(&self, arguments: &[&str]) -> RunningProcess {
        self.enrich_with(arguments, &[])
    }

    /// Starts `kenning enrich` with additional variables.
    fn enrich_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> RunningProcess {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.arg("enrich").args(arguments).arg(self.path("workspace")).env_clear();
        let programs = self.path("programs");
        command.env("PATH", format!("{}:/usr/bin:/bin", programs.display())).env("HOME", self.path("home"));
        command
            .env("GITHUB_TOKEN", "ghp_secret")
            .env("AWS_SECRET_ACCESS_KEY", "secret")
            .env("GREETING", "hello");
        command
            .env("PYTHONWARNINGS", "ignore")
            .env("LC_ALL", "C")
            .env("VIRTUAL_ENV", self.path("workspace/venv"));
        command.envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        RunningProcess(command.spawn().unwrap())
    }

    /// Returns the lines of a note once it has at least `lines`.
    fn wait_for_note(&self, name: &str, lines: usize) -> Vec<String> {
        let started = Instant::now();
        loop {
            let text = std::fs::read_to_string(self.path("notes").join(name)).unwrap_or_default();
            if text.ends_with('\n') && text.lines().count() >= lines {
                return text.lines().map(str::to_owned).collect();
            }
            assert!(started.elapsed() < EXIT_TIMEOUT, "{name}: {text:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A process that is killed when it is dropped.
struct RunningProcess(Child);

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until all processes have ended. Returns the processes that still run after
/// [`EXIT_TIMEOUT`].
fn surviving_processes(pids: &[String]) -> Vec<&String> {
    let started = Instant::now();
    loop {
        let runs = |pid: &&String| {
            let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
            stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
        };
        let running: Vec<&String> = pids.iter().filter(runs).collect();
        if running.is_empty() || started.elapsed() > EXIT_TIMEOUT {
            return running;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A script with three descendants: a child, one in its own session, and one whose parent has
/// ended. None of them reads its input or reacts to a signal.
const DESCENDANTS_SCRIPT: &str = "\
trap '' HUP TERM PIPE INT
sleep 1000 & echo $! >>\"$notes/pids\"
setsid sh -c 'echo $$ >>\"$0/pids\"; exec sleep 1000' \"$notes\" </dev/null >/dev/null 2>&1 &
(setsid sh -c 'sleep 1000 & echo $! >>\"$0/pids\"' \"$notes\" </dev/null >/dev/null 2>&1)
echo $$ >>\"$notes/pids\"
";

#[test]
fn nothing_that_a_server_started_outlives_a_killed_kenning() {
    let fixture = ScriptedServerFixture::new(&format!("{DESCENDANTS_SCRIPT}exec sleep 1000"));
    let mut kenning = fixture.enrich(&[]);
    let pids = fixture.wait_for_note("pids", 4);
    kenning.0.kill().unwrap();
    kenning.0.wait().unwrap();
    assert_eq!(surviving_processes(&pids), Vec::<&String>::new());
}

#[test]
fn nothing_that_a_server_started_outlives_the_server() {
    // The script waits for all ids: if the server ended earlier, its descendants would be killed
    // before they record their ids.
    let complete = "while [ \"$(wc -l <\"$notes/pids\")\" -lt 4 ]; do sleep 0.02; done";
    let script = format!("[ -e \"$notes/pids\" ] && exec sleep 1000\n{DESCENDANTS_SCRIPT}{complete}\nexit 3");
    let fixture = ScriptedServerFixture::new(&script);
    let _kenning = fixture.enrich(&[]);
    let pids = fixture.wait_for_note("pids", 4);
    assert_eq!(surviving_processes(&pids), Vec::<&String>::new());
}

/// The part of a script that records its variables and its folder.
const NOTES_SCRIPT: &str = "env | sort >\"$notes/unfinished\"; pwd >>\"$notes/unfinished\"; mv \"$notes/unfinished\" \"$notes/environment\"; exec sleep 1000";

#[test]
fn a_server_gets_no_secrets_and_runs_outside_of_a_workspace_that_is_not_trusted() {
    let fixture = ScriptedServerFixture::new(NOTES_SCRIPT);
    let kenning = fixture.enrich(&[]);
    let environment = fixture.wait_for_note("environment", 4);
    drop(kenning);
    let names: Vec<&str> = environment.iter().map(|line| line.split('=').next().unwrap()).collect();
    // The shell itself sets these variables.
    let names: Vec<&str> =
        names.into_iter().filter(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name)).collect();
    assert_eq!(names, ["HOME", "LC_ALL", "PATH", "/"]);

    let fixture = ScriptedServerFixture::new(NOTES_SCRIPT);
    let kenning = fixture.enrich(&["--trust"]);
    let environment = fixture.wait_for_note("environment", 5).join("\n");
    drop(kenning);
    for (text, expected) in
        [("PYTHONWARNINGS=ignore", true), ("VIRTUAL_ENV=", true), ("secret", false), ("GREETING", false)]
    {
        assert_eq!(environment.contains(text), expected, "{text}: {environment}");
    }
    let workspace = fixture.path("workspace").canonicalize().unwrap();
    assert!(environment.ends_with(workspace.to_str().unwrap()), "{environment}");
}

/// The part of a script that tests which operations the sandbox allows. It records the results
/// where the sandbox allows writing.
const TRIES_SCRIPT: &str = "\
try() { name=$1; shift; if \"$@\" >/dev/null 2>&1; then echo \"$name yes\"; else echo \"$name no\"; fi; }
{
  try workspace cat \"$notes/../workspace/app.py\"
  try key cat \"$HOME/.ssh/id_ed25519\"
  try system cat /etc/passwd
  try change sh -c 'echo x >>\"$0\"' \"$notes/../workspace/app.py\"
  try make sh -c 'echo x >\"$0/new\"' \"$notes\"
  try temporary sh -c 'echo x >\"$TMPDIR/new\"'
  try nothing sh -c 'echo x >/dev/null'
  try connect bash -c 'exec 3<>/dev/tcp/127.0.0.1/'\"$(cat \"$notes/../workspace/port\")\"
} >\"$XDG_CACHE_HOME/tries\"
exec sleep 1000";

#[test]
fn in_the_sandbox_a_server_reads_no_keys_changes_no_user_files_and_connects_to_nothing() {
    if let Err(reason) = kenning_enrichment::client::sandbox_support() {
        println!("SKIPPED: the sandbox ({reason})");
        return;
    }
    let fixture = ScriptedServerFixture::new(TRIES_SCRIPT);
    std::fs::create_dir(fixture.path("home/.ssh")).unwrap();
    std::fs::write(fixture.path("home/.ssh/id_ed25519"), "key").unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    std::fs::write(fixture.path("workspace/port"), listener.local_addr().unwrap().port().to_string())
        .unwrap();
    let _kenning = fixture.enrich_with(&[], &[("KENNING_SANDBOX", "1")]);
    let tries = fixture.path("home/.cache/kenning/servers/pyright/tries");
    let started = Instant::now();
    let text = loop {
        let text = std::fs::read_to_string(&tries).unwrap_or_default();
        if text.lines().count() == 8 {
            break text;
        }
        assert!(started.elapsed() < EXIT_TIMEOUT, "{text}");
        std::thread::sleep(Duration::from_millis(20));
    };
    let expected =
        "workspace yes\nkey no\nsystem yes\nchange no\nmake no\ntemporary yes\nnothing yes\nconnect no\n";
    assert_eq!(text, expected);
}
