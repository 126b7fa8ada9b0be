//! Tests `kenning agents` as a user runs it, in a scratch home.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const CLIENTS: [&str; 10] =
    ["claude", "codex", "cursor", "copilot", "vscode", "zed", "opencode", "gemini", "windsurf", "cline"];

struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(fixture.home()).unwrap();
        fixture.write("w/app.py", "class Cart:\n    def add_item(self, item):\n        return item\n");
        std::fs::create_dir(fixture.path("w/.git")).unwrap();
        fixture
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn home(&self) -> PathBuf {
        self.path("home")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.args(arguments).current_dir(self.path("w")).env_clear();
        command.env("HOME", self.home()).env("PATH", self.path("bin"));
        command.env("XDG_CACHE_HOME", self.path("cache")).env("XDG_DATA_HOME", self.path("data"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs a command that must end within some seconds.
    #[cfg(unix)]
    fn run_for_seconds(&self, arguments: &[&str], seconds: u64) -> Output {
        let mut command = self.command(arguments);
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(seconds);
        while child.try_wait().unwrap().is_none() {
            if std::time::Instant::now() > deadline {
                child.kill().unwrap();
                panic!("{arguments:?} has not ended after {seconds} seconds");
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        child.wait_with_output().unwrap()
    }

    /// Returns the standard output of a command that succeeds.
    fn expect_success(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the standard error of a command that fails.
    fn expect_failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Returns the standard output of a hook that gets `input`.
    fn run_hook(&self, arguments: &[&str], input: &str) -> String {
        let mut command = self.command(&[&["agents", "hook"], arguments].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "a hook never fails");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the files of a folder with their bytes, and its folders.
    fn tree(&self, folder: &str) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut tree = BTreeMap::new();
        collect_tree(&self.path(folder), &mut tree);
        tree
    }
}

fn collect_tree(folder: &Path, tree: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_tree(&path, tree);
            tree.insert(path, None);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            tree.insert(path, Some(bytes));
        }
    }
}

/// Installs Kenning for one client, installs it again, removes it, and checks that no trace
/// remains. `scope` are additional arguments of all commands, `parts` of the installation only.
fn check_round_trip(fixture: &Fixture, client: &str, scope: &[&str], parts: &[&str]) {
    let before = [fixture.tree("home"), fixture.tree("w")];
    let arguments = |command: &[&'static str], more: &[&str]| -> Vec<String> {
        let words = ["agents"].iter().chain(command).copied().chain([client]);
        words.chain(scope.iter().copied()).chain(more.iter().copied()).map(str::to_owned).collect()
    };
    let run = |words: Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        fixture.expect_success(&words)
    };
    let more = [&["--yes"], parts].concat();
    let text = run(arguments(&["install"], &more));
    assert!(text.contains("+++ ") && text.contains("Connected "), "{text}");
    let installed = [fixture.tree("home"), fixture.tree("w")];
    assert_ne!(installed, before, "{client}");
    let text = run(arguments(&["install"], &more));
    assert!(text.starts_with("Kenning is already connected to "), "{client}: {text}");
    assert_eq!([fixture.tree("home"), fixture.tree("w")], installed, "{client}");
    let status: Value = serde_json::from_str(&run(arguments(&["status"], &["--json"]))).unwrap();
    let status = &status["clients"][0];
    assert_eq!(status["client"], client);
    for part in status["parts"].as_array().unwrap() {
        let flag = format!("--{}", part["part"].as_str().unwrap());
        let is_wanted = ["--server", "--skill"].contains(&flag.as_str()) || parts.contains(&flag.as_str());
        assert_eq!(part["state"], if is_wanted { "installed" } else { "absent" }, "{client} {flag}");
    }
    let text = run(arguments(&["uninstall"], &["--yes"]));
    assert!(text.ends_with("Removed what Kenning had written.\n"), "{text}");
    assert_eq!([fixture.tree("home"), fixture.tree("w")], before, "{client}");
    let text = run(arguments(&["uninstall"], &["--yes"]));
    assert_eq!(text, "Nothing of Kenning is installed there.\n");
}

#[test]
fn every_client_can_be_connected_and_disconnected_without_a_trace() {
    let fixture = Fixture::new();
    for client in CLIENTS {
        check_round_trip(&fixture, client, &[], &[]);
        check_round_trip(&fixture, client, &[], &["--hooks", "--subagent", "--lsp"]);
        check_round_trip(&fixture, client, &["--project"], &["--hooks", "--subagent", "--lsp"]);
    }
    assert!(!fixture.path("data/kenning/agents.json").exists());
}

#[test]
fn the_files_of_a_user_keep_their_bytes() {
    let fixture = Fixture::new();
    let jsonc = "// mine\n{\n  \"theme\": \"x\", // dark\n  \"context_servers\": { \"a\": { \"command\": \"b\" }, },\n}\n";
    fixture.write("home/.config/zed/settings.json", jsonc);
    fixture.write("home/.claude.json", "{\r\n  \"numStartups\": 3,\r\n  \"mcpServers\": {}\r\n}\r\n");
    fixture.write(
        "home/.claude/settings.json",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[]}]}}",
    );
    fixture
        .write("home/.codex/config.toml", "# mine\nmodel = \"x\"\n\n[mcp_servers.a] # b\ncommand = \"c\"\n");
    for client in ["zed", "claude", "codex"] {
        check_round_trip(&fixture, client, &[], &["--hooks", "--subagent", "--lsp"]);
    }
}

#[test]
fn clients_on_the_machine_are_found_and_nothing_is_written_without_consent() {
    let fixture = Fixture::new();
    let error = fixture.expect_failure(&["agents", "install"]);
    assert!(error.contains("no client was found on this machine; name one"), "{error}");
    std::fs::create_dir_all(fixture.home().join(".cursor")).unwrap();
    std::fs::create_dir_all(fixture.home().join(".gemini")).unwrap();
    let before = fixture.tree("home");
    let output = fixture.run(&["agents", "install"]);
    assert_eq!(output.status.code(), Some(1));
    let (text, error) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(text.contains(".cursor/mcp.json") && text.contains(".gemini/settings.json"), "{text}");
    assert!(text.contains("+      \"args\": [\"mcp\", \"--root\", \"${workspaceFolder}\"]"), "{text}");
    assert!(error.contains("nothing was written: there is no terminal to ask on; pass --yes"), "{error}");
    let text = fixture.expect_success(&["agents", "install", "--dry-run"]);
    assert!(text.ends_with("Nothing was written (--dry-run).\n"), "{text}");
    assert_eq!(fixture.tree("home"), before);
    let output = fixture.run(&["agents", "install", "--yes"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with("Connected Cursor, Gemini CLI to Kenning.\n"), "{text}");
    let notes = String::from_utf8(output.stderr).unwrap();
    assert_eq!(notes, "kenning: kenning is not on PATH, where the skill expects it\n");
    let text = fixture.expect_success(&["agents", "uninstall", "--yes"]);
    assert!(text.contains("--- ") && text.contains("+++ /dev/null"), "{text}");
    assert_eq!(fixture.tree("home"), before);
}

#[test]
fn entries_name_this_program_or_kenning_if_both_are_the_same() {
    let fixture = Fixture::new();
    let program = env!("CARGO_BIN_EXE_kenning");
    fixture.expect_success(&["agents", "install", "gemini", "--yes", "--no-skill"]);
    let entry = |fixture: &Fixture| {
        let file: Value = serde_json::from_str(&fixture.read("home/.gemini/settings.json")).unwrap();
        file["mcpServers"]["kenning"].clone()
    };
    assert_eq!(entry(&fixture), json!({ "command": program, "args": ["mcp"] }));
    let status: Value =
        serde_json::from_str(&fixture.expect_success(&["agents", "status", "gemini", "--json"])).unwrap();
    assert_eq!(status["clients"][0]["program"]["version"], env!("CARGO_PKG_VERSION"));
    let table = fixture.expect_success(&["agents", "status"]);
    assert_eq!(table.lines().count(), 11);
    #[cfg(unix)]
    {
        std::fs::create_dir(fixture.path("bin")).unwrap();
        std::os::unix::fs::symlink(program, fixture.path("bin/kenning")).unwrap();
        let root = fixture.path("w");
        let workspace = root.to_str().unwrap();
        fixture.expect_success(&["agents", "install", "gemini", "--yes", "--no-skill", "--workspace", "."]);
        assert_eq!(entry(&fixture), json!({ "command": "kenning", "args": ["mcp", "--root", workspace] }));
    }
}

#[test]
fn the_workspace_of_an_entry_is_kept_and_a_shared_file_has_two_owners() {
    let fixture = Fixture::new();
    let before = fixture.tree("w");
    fixture.expect_success(&[
        "agents",
        "install",
        "claude",
        "--project",
        "--yes",
        "--no-skill",
        "--workspace",
        ".",
    ]);
    let text = fixture.expect_success(&[
        "agents",
        "install",
        "claude",
        "copilot",
        "--project",
        "--yes",
        "--no-skill",
    ]);
    assert!(text.starts_with("Kenning is already connected to Claude Code, Copilot CLI."), "{text}");
    let table = fixture.expect_success(&["agents", "status", "claude", "--project"]);
    assert!(table.lines().nth(1).unwrap().starts_with("claude  no     yes"), "{table}");
    fixture.expect_success(&["agents", "uninstall", "claude", "--project", "--yes"]);
    assert!(fixture.read("w/.mcp.json").contains("--root"));
    fixture.expect_success(&["agents", "uninstall", "--project", "--yes"]);
    assert_eq!(fixture.tree("w"), before);
    let output = fixture.run(&["agents", "install", "windsurf", "--project", "--hooks", "--dry-run"]);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(notes.contains("Windsurf has no configuration of MCP servers in a workspace"), "{notes}");
    assert!(notes.contains("Windsurf has no hooks that Kenning can use in a workspace"), "{notes}");
}

#[test]
fn problems_are_explained() {
    let fixture = Fixture::new();
    fixture.write("home/.cursor/mcp.json", "{\n  \"mcpServers\": {\n");
    let error = fixture.expect_failure(&["agents", "install", "cursor", "--yes"]);
    assert!(error.contains(".cursor/mcp.json, line ") && error.contains("correct the file"), "{error}");
    assert_eq!(fixture.read("home/.cursor/mcp.json"), "{\n  \"mcpServers\": {\n");
    assert!(fixture.expect_success(&["agents", "status", "cursor"]).contains("Cursor: "));
    fixture.write("home/.cursor/mcp.json", "{\"mcpServers\": {\"kenning\": {\"command\": \"mine\"}}}");
    let error = fixture.expect_failure(&["agents", "install", "cursor", "--yes"]);
    assert!(error.contains("has another entry mcpServers.kenning") && error.contains("--force"), "{error}");
    assert!(fixture.read("home/.cursor/mcp.json").contains("mine"));
    let error = fixture.expect_failure(&["agents", "install", "windsurf", "--workspace", "nowhere"]);
    assert!(error.contains("nowhere is not a folder"), "{error}");
    let usage = fixture.run(&["agents", "install", "emacs"]);
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
#[cfg(unix)]
fn links_in_a_workspace_do_not_lead_files_out_of_it() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(fixture.path("elsewhere"), fixture.path("w/.claude")).unwrap();
    let error = fixture.expect_failure(&["agents", "install", "claude", "--project", "--yes"]);
    assert!(error.contains(".claude/skills/kenning/SKILL.md leads out of the workspace"), "{error}");
    assert!(fixture.tree("elsewhere").is_empty() && !fixture.path("w/.mcp.json").exists());
}

#[test]
fn a_hook_adds_what_the_index_knows_for_certain() {
    let fixture = Fixture::new();
    let input = |pattern: &str| {
        json!({
            "cwd": fixture.path("w"), "hook_event_name": "PreToolUse", "tool_name": "Grep",
            "tool_input": { "pattern": pattern },
        })
        .to_string()
    };
    assert_eq!(fixture.run_hook(&["search"], &input("add_item")), "", "nothing is indexed for a hook");
    assert!(!fixture.path("cache").exists(), "a hook creates no cache");
    fixture.expect_success(&["index"]);
    let reply: Value = serde_json::from_str(&fixture.run_hook(&["search"], &input("def add_item"))).unwrap();
    let output = &reply["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PreToolUse");
    let context = output["additionalContext"].as_str().unwrap();
    assert!(context.contains("app.py:2 method `Cart.add_item`"), "{context}");
    assert!(context.contains("`kenning blast Cart.add_item`"), "{context}");
    assert!(context.chars().count() <= 1_500);
    let flat: Value =
        serde_json::from_str(&fixture.run_hook(&["search", "--flat"], &input("add_item"))).unwrap();
    assert!(flat["additionalContext"].is_string());
    for silent in
        [input("lasagna_recipe"), input("item"), input(".*"), String::new(), "[]".to_owned(), "{}".to_owned()]
    {
        assert_eq!(fixture.run_hook(&["search"], &silent), "", "{silent}");
    }
    for wrong in [&["bogus"][..], &[], &["--bogus", "x"]] {
        assert_eq!(fixture.run_hook(wrong, &input("add_item")), "", "{wrong:?}");
    }
    let start = fixture.run_hook(&["start"], &input("x"));
    assert!(start.contains("kenning pack"), "{start}");
}

/// Replaces a file with each kind of file that never ends or never answers, and runs each command.
#[cfg(unix)]
#[test]
fn files_that_are_not_regular_are_refused_without_waiting() {
    type Plant = fn(&Path);
    let kinds: [(&str, Plant); 4] = [
        ("device", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
        ("pipe", |path| assert!(Command::new("/usr/bin/mkfifo").arg(path).status().unwrap().success())),
        ("large", |path| std::fs::File::create(path).unwrap().set_len(70 << 20).unwrap()),
        ("folder", |path| std::fs::create_dir(path).unwrap()),
    ];
    for (kind, plant) in kinds {
        for (file, scope) in [("w/.mcp.json", Some("--project")), ("home/.claude.json", None)] {
            let fixture = Fixture::new();
            plant(&fixture.path(file));
            for (command, words) in [
                ("install", &["claude", "--yes"][..]),
                ("status", &["claude"]),
                ("uninstall", &["claude", "--yes"]),
            ] {
                let arguments = [&["agents", command], words, scope.as_slice()].concat();
                let output = fixture.run_for_seconds(&arguments, 20);
                let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
                let reason = match kind {
                    "large" => "is larger than",
                    "folder" => "is a folder",
                    // The target of this link is outside the workspace.
                    "device" if scope.is_some() => "leads out of the workspace",
                    _ => "is a pipe, a socket or a device",
                };
                let name = Path::new(file).file_name().unwrap().to_str().unwrap();
                assert!(text.contains(name) && text.contains(reason), "{kind}, {arguments:?}: {text}");
            }
        }
    }
}

#[test]
fn a_key_that_occurs_twice_is_reported_and_nothing_changes() {
    let entry = r#"{ "command": "kenning", "args": ["mcp"] }"#;
    for (json, key) in [
        (r#"{"mcpServers":{"x":{}},"mcpServers":{"y":{}}}"#.to_owned(), "mcpServers"),
        (format!(r#"{{"mcpServers":{{"kenning":{entry},"kenning":{entry}}}}}"#), "mcpServers.kenning"),
        (r#"{"mcp\u0053ervers":{},"mcpServers":{}}"#.to_owned(), "mcpServers"),
        (
            r#"{"mcpServers":{"kenning":{"command":"a","command":"b"}}}"#.to_owned(),
            "mcpServers.kenning.command",
        ),
        (
            r#"{"mcpServers":{"kenning":{"command":"a","env":{"A":"1","A":"2"}}}}"#.to_owned(),
            "mcpServers.kenning.env.A",
        ),
    ] {
        let fixture = Fixture::new();
        fixture.write("home/.claude.json", &json);
        for (command, words) in [
            ("install", &["claude", "--yes"][..]),
            ("status", &["claude"]),
            ("uninstall", &["claude", "--yes"]),
        ] {
            let output = fixture.run(&[&["agents", command], words].concat());
            let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            let message = format!(".claude.json: the key {key} occurs more than once");
            assert!(text.contains(&message), "{command}: {text}");
            assert_eq!(output.status.code(), Some(i32::from(command != "status")), "{text}");
        }
        assert_eq!(fixture.read("home/.claude.json"), json);
        assert!(!fixture.path("home/.claude").exists() && !fixture.path("data/kenning").exists());
    }
    // Other duplicates are the user's own affair.
    let fixture = Fixture::new();
    fixture.write("home/.claude.json", r#"{"a":1,"a":2,"mcpServers":{"x":{"b":1,"b":2}}}"#);
    fixture.expect_success(&["agents", "install", "claude", "--yes"]);
    assert!(fixture.read("home/.claude.json").contains("\"kenning\""));
    // TOML does not allow them.
    let fixture = Fixture::new();
    fixture.write("home/.codex/config.toml", "[mcp_servers.x]\n[mcp_servers.x]\n");
    let error = fixture.expect_failure(&["agents", "install", "codex", "--yes"]);
    assert!(error.contains("config.toml, line 2"), "{error}");
}

#[cfg(unix)]
#[test]
fn files_of_another_user_keep_their_owner_when_root_installs() {
    use std::os::unix::fs::{MetadataExt, chown};
    let fixture = Fixture::new();
    if std::fs::metadata(fixture.home()).unwrap().uid() != 0 {
        println!("SKIPPED: installing as root for another user (needs root)");
        return;
    }
    fixture.write("home/.claude.json", "{}");
    for path in ["home", "home/.claude.json"] {
        chown(fixture.path(path), Some(4321), Some(1234)).unwrap();
    }
    let mut install = fixture.command(&["agents", "install", "claude", "--yes", "--hooks", "--subagent"]);
    let output = install.env("XDG_DATA_HOME", fixture.path("home/.local/share")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = fixture.tree("home");
    assert!(tree.len() > 4, "{:?}", tree.keys());
    for path in tree.keys() {
        let metadata = std::fs::symlink_metadata(fixture.path("home").join(path)).unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (4321, 1234), "{}", path.display());
    }
}
