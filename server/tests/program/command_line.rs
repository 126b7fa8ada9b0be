//! Tests the binary as people and scripts use it: exit status, standard output, standard error.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(fixture.root()).unwrap();
        let text = "class Cart:\n    def add_item(self, item):\n        return item\n";
        std::fs::write(fixture.root().join("app.py"), text).unwrap();
        fixture
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.args(arguments).current_dir(self.root()).env_remove("KENNING_DB").env_remove("KENNING_LOG");
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.env("XDG_DATA_HOME", self.folder.path().join("data"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().unwrap()
    }

    fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut command = self.command(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Returns the standard output of a command that succeeds and writes nothing to standard error.
    fn expect_success(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the only line on standard error of a command that fails.
    fn expect_failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    }
}

#[test]
fn a_pack_in_an_unindexed_repository_indexes_it_first() {
    let fixture = Fixture::new();
    let markdown = fixture.expect_success(&["pack", "add", "an", "item"]);
    assert!(markdown.starts_with("# Context: add an item\n"), "{markdown}");
    assert!(markdown.contains("`app.py:2` `Cart.add_item`"), "{markdown}");
    assert!(!markdown.contains("Freshness"), "{markdown}");
    let databases = std::fs::read_dir(fixture.folder.path().join("cache/kenning")).unwrap().count();
    assert!(databases > 0, "the database is in the cache folder");
    assert_eq!(std::fs::read_dir(fixture.root()).unwrap().count(), 1, "nothing is written to the workspace");
}

#[test]
fn equal_questions_give_equal_bytes() {
    let fixture = Fixture::new();
    for format in ["json", "markdown"] {
        let pack = |refresh: &str| {
            fixture.expect_success(&[
                "pack",
                "--format",
                format,
                "--no-learning",
                "--refresh",
                refresh,
                "add item",
            ])
        };
        let first = pack("auto");
        assert_eq!(first, pack("never"));
    }
    let json = fixture.expect_success(&["pack", "--format", "json", "add item"]);
    assert!(!json.contains("timings_ms"));
    let json = fixture.expect_success(&["pack", "--format", "json", "--timings", "add item"]);
    assert!(json.contains("\"timings_ms\""));
}

#[test]
fn a_task_without_matches_fails_only_with_strict() {
    let fixture = Fixture::new();
    let statement = "Nothing in this workspace matches.";
    let task = "recipe for lasagna with b\u{e9}chamel";
    assert!(fixture.expect_success(&["pack", task]).contains(statement));
    let json: serde_json::Value =
        serde_json::from_str(&fixture.expect_success(&["pack", "--format", "json", task])).unwrap();
    assert_eq!((&json["confidence"], &json["statement"]), (&"none".into(), &statement.into()));
    assert_eq!(json["symbols"], serde_json::json!([]));
    let strict = fixture.run(&["pack", "--strict", task]);
    assert_eq!(strict.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&strict.stdout).contains(statement), "the pack is printed anyway");
    assert!(String::from_utf8_lossy(&strict.stderr).contains("nothing in this workspace matches the task"));
    let matching = fixture.expect_success(&["pack", "--strict", "add an item"]);
    assert!(!matching.contains(statement), "{matching}");
}

#[test]
fn a_task_may_come_from_standard_input_as_any_bytes() {
    let fixture = Fixture::new();
    let output = fixture.run_with_input(&["pack", "-"], b"add item\n\nlog: \xff\xfe\0 \x1b[31m\n");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("Cart.add_item"));
    let output = fixture.run_with_input(&["pack", "-"], b"");
    assert_eq!(output.status.code(), Some(1));
    let expected = "kenning: the task is empty; describe in a few words what you want to do\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}

#[test]
fn without_indexable_files_the_report_lists_the_skipped_ones_and_the_graph_is_empty() {
    let fixture = Fixture::new();
    fixture.expect_success(&["index"]);
    let file = fixture.root().join("app.py");
    std::fs::write(&file, "x = 1\n".repeat(400_000)).unwrap();
    let output = fixture.run(&["index"]);
    assert_eq!(output.status.code(), Some(1));
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(report.contains("Removed 1 file") && report.contains("Skipped, too large: app.py"), "{report}");
    assert!(fixture.expect_failure(&["pack", "x"]).contains("skipped files: 1;"));
    std::fs::remove_file(&file).unwrap();
    assert!(fixture.expect_failure(&["pack", "x"]).contains("no source file"));
    let status = fixture.expect_success(&["status", "--format", "json"]);
    assert!(status.contains("\"files\": 0"), "{status}");
}

#[test]
fn credentials_are_neither_stored_nor_printed() {
    let fixture = Fixture::new();
    let secret = "zq4w8e9r1t";
    let text = format!(
        "PASSWORD = \"{secret}\"\n\ndef connect(token=\"{secret}\"):\n    return open(secret=\"{secret}\")\n"
    );
    std::fs::write(fixture.root().join("app.py"), text).unwrap();
    let printed = fixture.expect_success(&["pack", "connect with the password"]);
    assert!(printed.contains("token=\"**********\"") && !printed.contains(secret), "{printed}");
    let mut folders = vec![fixture.folder.path().join("cache")];
    let mut file_count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{entry:?}");
            file_count += 1;
        }
    }
    assert!(file_count >= 3, "only {file_count} files in the cache");
}

#[test]
fn errors_are_one_line_that_states_the_cause() {
    let fixture = Fixture::new();
    let empty = fixture.folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (empty, file) = (text(&empty), text(&fixture.root().join("app.py")));
    for (arguments, part) in [
        (vec!["pack", ""], "the task is empty"),
        (vec!["pack", "--root", "missing", "x"], "missing does not exist"),
        (vec!["pack", "--root", &file, "x"], "is a file"),
        (vec!["pack", "--root", &empty, "x"], "no source file"),
        (vec!["index", &empty], "no source file"),
        (vec!["pack", "--refresh", "never", "x"], "has never been indexed; run kenning index"),
        (vec!["files", "gone.py"], "gone.py does not exist"),
        (vec!["files", "--root", &empty, &file], "is not in"),
        (vec!["why", "--symbol", "nobody", "x"], "no symbol is named nobody"),
        (vec!["pack", "--db", "/proc/none/graph.db", "x"], "/proc/none"),
        (vec!["changes"], "is not in a git repository"),
        (vec!["tests"], "is not in a git repository"),
        (vec!["blast", "nobody"], "no symbol is named nobody"),
        (vec!["blast", "app.py:99"], "no symbol found at line 99 of app.py"),
        (vec!["blast", "gone.py:1"], "gone.py does not exist"),
        (vec!["tests", "gone.py"], "gone.py does not exist"),
        (vec!["graph", "nobody"], "no symbol is named nobody"),
    ] {
        let error = fixture.expect_failure(&arguments);
        assert!(error.starts_with("kenning: ") && error.contains(part), "{arguments:?}: {error}");
    }
}

#[test]
fn a_folder_that_is_hardly_a_project_is_not_indexed_unasked() {
    let fixture = Fixture::new();
    let run = |arguments: &[&str]| {
        let mut command = fixture.command(arguments);
        command.env("HOME", fixture.root()).env("USERPROFILE", fixture.root());
        command.stdin(Stdio::null()).output().unwrap()
    };
    for arguments in [&["pack", "hello"][..], &["index"], &["status"], &["mcp"]] {
        let output = run(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(
            error.contains(
                "is your home folder; pass the folder of a project with --root, or type kenning index --yes /"
            ),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    assert!(run(&["index", "--yes"]).status.success());
    assert!(run(&["pack", "add item"]).status.success(), "an indexed folder was confirmed");
}

#[test]
fn commands_that_find_nothing_to_index_leave_no_index() {
    let fixture = Fixture::new();
    std::fs::remove_file(fixture.root().join("app.py")).unwrap();
    for arguments in [&["status"][..], &["index"], &["pack", "hello"]] {
        fixture.run(arguments);
        let list = fixture.expect_success(&["cache", "list", "--json"]);
        assert!(
            !list.contains("graph.db") && !list.contains(&fixture.root().display().to_string()),
            "{list}"
        );
    }
}

#[test]
fn misspelled_names_get_the_nearest_one() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root().join("carts.py"), "def add_itms():\n    pass\n").unwrap();
    let error = fixture.expect_failure(&["blast", "Cart.add_itm"]);
    assert!(
        error.contains("no symbol is named Cart.add_itm; did you mean Cart.add_item? Otherwise"),
        "{error}"
    );
    let error = fixture.expect_failure(&["files", "cart.py"]);
    assert!(error.contains("cart.py does not exist; did you mean carts.py? Otherwise"), "{error}");
    let text = fixture.expect_success(&["search", "add_itemz"]);
    assert!(
        text.starts_with("app.py:2  Cart.add_item") || text.ends_with("Did you mean Cart.add_item?\n"),
        "{text}"
    );
}

#[test]
fn help_has_groups_and_the_manual_is_raw_in_a_pipe() {
    let fixture = Fixture::new();
    let help = fixture.expect_success(&["--help"]);
    let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text} is missing: {help}"));
    assert!(at("\nExample:\n  kenning pack ") < at("\nUsage: kenning"), "{help}");
    assert!(at("\nAsk about code:\n  pack ") < at("\nOptions:\n"), "{help}");
    assert!(!help.contains("\n  explain") && help.trim_end().ends_with("/tree/main/docs"), "{help}");
    assert!(fixture.expect_success(&["man", "pack"]).contains(".SH NAME"));
}

#[test]
fn wrong_usage_ends_with_status_2() {
    let fixture = Fixture::new();
    let wrong = [
        &["pack"][..],
        &["bogus"],
        &["pack", "--format", "yaml", "x"],
        &["pack", "--pack-root", "0123", "x"],
        &[],
        &["blast"],
        &["blast", "x", "--depth", "7"],
        &["graph", "x", "--limit", "0"],
        &["tests", "app.py", "--base", "main"],
    ];
    for arguments in wrong {
        assert_eq!(fixture.run(arguments).status.code(), Some(2), "{arguments:?}");
    }
    for arguments in [&["--version"][..], &["--help"], &["pack", "--help"]] {
        assert_eq!(fixture.run(arguments).status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn each_command_prints_its_result() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root().join("solver.f90"), "program solver\nend program\n").unwrap();
    let index = fixture.expect_success(&["index"]);
    assert!(index.contains(": 1 file, 2 symbols, "), "{index}");
    let unread = "unknown language: 1 .f90";
    assert!(index.contains(unread) && fixture.expect_success(&["doctor"]).contains(unread), "{index}");
    assert!(fixture.expect_success(&["status"]).contains("1 .f90 (unknown language)"));
    let status = fixture.expect_success(&["status", "--format", "json"]);
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!((&status["files"], &status["role"]), (&1.into(), &"writer".into()));
    assert_eq!(status["files_by_language"]["python"], 1);
    assert!(fixture.expect_success(&["status"]).contains(": 1 file, 2 symbols, "));
    assert!(fixture.expect_success(&["files", "app.py"]).contains("Cart.add_item"));
    let why = fixture.expect_success(&["why", "--symbol", "Cart.add_item", "add", "item"]);
    assert!(why.starts_with("# Why `Cart.add_item`\n\nmethod in `app.py`\n\nRanked 1st of "), "{why}");
    assert!(!why.contains("0."), "numbers only come on request: {why}");
    let numbers = fixture.expect_success(&["why", "--numbers", "--symbol", "Cart.add_item", "add", "item"]);
    assert!(numbers.starts_with(&why) && numbers.contains("\n## Score "), "{numbers}");
    let blast = fixture.expect_success(&["blast", "app.py:2"]);
    assert!(
        blast.starts_with("# Blast radius of `Cart.add_item`\n\n`app.py:2` (method): 0 callers · "),
        "{blast}"
    );
    assert_eq!(blast, fixture.expect_success(&["blast", "app.py:2:9"]));
    let user = "from app import Cart\n\ndef fill():\n    é = Cart(); é.add_item(1)\n";
    std::fs::write(fixture.root().join("user.py"), user).unwrap();
    let radius = |position: &str| fixture.expect_success(&["blast", position]);
    assert_eq!(radius("user.py:4:19"), radius("app.py:2:9"), "a use refers to its definition");
    assert_eq!(radius("user.py:4:10"), radius("app.py:1:7"));
    let shop = "from user import fill\n\ndef open_shop():\n    fill()\n";
    std::fs::write(fixture.root().join("shop.py"), shop).unwrap();
    let tree = fixture.expect_success(&["blast", "Cart.add_item", "--tree", "--depth", "2"]);
    let below = "└─ Callers: 1\n   └─ user.py\n      └─ 4: fill (calls it)\n         └─ shop.py:4: open_shop (calls it)\n";
    assert!(tree.starts_with("Cart.add_item (app.py:2): 1 caller · "), "{tree}");
    assert!(tree.ends_with(below), "{tree}");
    std::fs::remove_file(fixture.root().join("shop.py")).unwrap();
    std::fs::remove_file(fixture.root().join("user.py")).unwrap();
    assert!(
        fixture.expect_success(&["tests", "app.py"]).contains("No tests found that reach 2 changed symbols.")
    );
    assert!(fixture.expect_success(&["graph", "Cart", "--format", "dot"]).starts_with("digraph kenning {\n"));
    assert!(fixture.expect_success(&["graph", "Cart", "--format", "svg"]).starts_with("<svg "));
    assert!(
        fixture.expect_success(&["graph", "app.py", "--format", "dot"]).contains("app.py"),
        "a file is a symbol"
    );
    assert!(fixture.expect_success(&["completions", "bash"]).contains("_kenning"));
    assert!(fixture.expect_success(&["man"]).contains(".TH kenning"));
}

#[test]
fn a_flag_or_the_environment_may_name_the_database() {
    let fixture = Fixture::new();
    let (flag, variable) = (fixture.folder.path().join("a/g.db"), fixture.folder.path().join("b/g.db"));
    fixture.expect_success(&["index", "--db", flag.to_str().unwrap()]);
    assert!(flag.exists());
    let output = fixture.command(&["index"]).env("KENNING_DB", &variable).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(variable.exists());
    assert!(!fixture.folder.path().join("cache").exists());
}

#[test]
fn the_server_ends_with_0_only_after_shutdown() {
    let fixture = Fixture::new();
    let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    let shutdown = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
    let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
    for (messages, code) in [(vec![initialize, shutdown, exit], 0), (vec![initialize, exit], 1), (vec![], 1)]
    {
        let mut command = fixture.command(&["serve", "--stdio"]);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = server.stdin.take().unwrap();
        let mut output = std::io::BufReader::new(server.stdout.take().unwrap());
        for message in &messages {
            input.write_all(frame(message).as_bytes()).unwrap();
            if message.contains("\"id\"") {
                read_frame(&mut output);
            }
        }
        // After `exit` the server ends even if its input stays open.
        let open = (!messages.is_empty()).then_some(input);
        assert_eq!(server.wait().unwrap().code(), Some(code), "{messages:?}");
        drop(open);
    }
}

/// Reads one answer and discards its content.
fn read_frame(output: &mut impl std::io::BufRead) {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().unwrap(),
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    output.read_exact(&mut vec![0; length]).unwrap();
}

#[test]
fn the_configuration_of_a_workspace_applies_to_its_commands() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root().join("made.py"), "def made():\n    pass\n").unwrap();
    std::fs::write(fixture.root().join("kenning.toml"), "index.exclude = [\"made.*\"]\n").unwrap();
    assert!(fixture.expect_success(&["index"]).contains(": 1 file, "));
    let shown = fixture.expect_success(&["config", "show"]);
    let line = shown.lines().find(|line| line.starts_with("index.exclude ")).unwrap();
    assert!(line.contains("[\"made.*\"]  (") && line.ends_with("kenning.toml)"), "{line}");
    assert!(shown.contains("(default)"));
    let json: serde_json::Value =
        serde_json::from_str(&fixture.expect_success(&["config", "show", "--format", "json"])).unwrap();
    assert_eq!(json["options"]["hover.enabled"], serde_json::json!({ "value": true, "source": "default" }));
    assert_eq!(json["issues"], serde_json::json!([]));
    let schema: serde_json::Value =
        serde_json::from_str(&fixture.expect_success(&["config", "schema"])).unwrap();
    assert_eq!(schema["properties"]["blastRadius"]["properties"]["depth"]["default"], 4);
}

#[test]
fn mistakes_in_the_configuration_are_warnings_and_doctor_lists_them() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root().join("kenning.toml"), "hover.enabeld = true\nblastRadius.depth = 0\n")
        .unwrap();
    let output = fixture.run(&["pack", "add item"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("Cart.add_item"));
    let warnings = String::from_utf8(output.stderr).unwrap();
    let endings = [
        "kenning.toml: blastRadius.depth: must be a whole number from 1 to 6, not 0",
        "kenning.toml: hover.enabeld: is not an option; did you mean hover.enabled?",
    ];
    assert_eq!(warnings.lines().count(), 2, "{warnings}");
    for (line, ending) in warnings.lines().zip(endings) {
        assert!(line.starts_with("kenning: warning: ") && line.ends_with(ending), "{line}");
    }
    let doctor = String::from_utf8(fixture.run(&["doctor"]).stdout).unwrap();
    for ending in endings {
        assert!(doctor.contains(ending), "{doctor}");
    }
}

#[cfg(unix)]
#[test]
fn programs_of_a_workspace_are_used_once_it_is_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let program = fixture.folder.path().join("my-gopls");
    std::fs::write(&program, "").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = format!(
        "[servers.gopls]\ncommand = {program:?}\nargs = [\"-v\"]\n[servers.rust-analyzer]\nenabled = false\n"
    );
    std::fs::write(fixture.root().join("kenning.toml"), settings).unwrap();
    for path in ["a.go", "b.rs"] {
        std::fs::write(fixture.root().join(path), "").unwrap();
    }
    let doctor = || String::from_utf8(fixture.run(&["doctor"]).stdout).unwrap();
    let used = format!("language server for go: gopls as {} -v", program.display());
    let before = doctor();
    assert!(!before.contains(&used) && before.contains("run: kenning trust "), "{before}");
    assert!(before.contains("language server for rust: disabled in the configuration"), "{before}");

    let root = fixture.root().canonicalize().unwrap().display().to_string();
    assert_eq!(
        fixture.expect_success(&["trust", "."]),
        format!("{root} is now trusted: its kenning.toml may name programs to run\n")
    );
    assert_eq!(fixture.expect_success(&["trust", "--list"]), format!("{root}\n"));
    let after = doctor();
    assert!(after.contains(&used), "{after}");
    assert_eq!(
        fixture.expect_success(&["trust", "--remove", &root]),
        format!("{root} is no longer trusted\n")
    );
    assert!(!doctor().contains(&used));
    assert_eq!(fixture.expect_success(&["trust", "--list"]), "");
    assert!(fixture.expect_failure(&["trust", "missing"]).contains("missing is not a folder"));
    assert_eq!(fixture.run(&["trust"]).status.code(), Some(2));
}

#[test]
fn debug_reports_show_the_stages_of_a_ranking() {
    let fixture = Fixture::new();
    for (stage, heading, field) in [
        ("seeds", "# Seeds (config default)", "seeds"),
        ("fts", "# Text index (config default)", "hits"),
        ("walk", "# Walk (config default)", "reached"),
        ("pack", "# Packing (config default)", "candidates"),
    ] {
        let text = fixture.expect_success(&["debug", stage, "add", "an", "item"]);
        assert!(text.starts_with(heading), "{text}");
        assert!(text.contains("`app.py::Cart.add_item`"), "{text}");
        let json = fixture
            .expect_success(&["debug", stage, "--format", "json", "--limit", "1", "add", "an", "item"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["schema"], 1);
        assert!(!json[field].as_array().unwrap().is_empty(), "{json}");
    }
    let classes = fixture.expect_success(&["debug", "classes", "improve", "the", "error", "handling"]);
    assert!(classes.starts_with("# Equivalence classes (config default)\n\n- `"), "{classes}");
    let none = fixture.expect_success(&["debug", "classes", "elephant"]);
    assert!(none.contains("\nThe task contains no phrase of a class.\n"), "{none}");
    let seeds = fixture.expect_success(&["debug", "seeds", "--config", "seeds", "add", "an", "item"]);
    assert!(seeds.contains("\n- types first: false\n"), "{seeds}");
    assert!(!seeds.contains("\n- match: "), "this configuration does not judge tasks: {seeds}");
    let judged = fixture.expect_success(&["debug", "seeds", "lasagna"]);
    let line = "\n- match: false (known 0.0000, strength 0.0000, named exactly: false)\n";
    assert!(judged.contains(line), "{judged}");
    assert!(
        fixture
            .expect_success(&["debug", "seeds", "the app.max.size"])
            .contains("\n- values: `app.max.size`\n")
    );
}

#[test]
fn a_pack_as_xml_is_one_document() {
    let fixture = Fixture::new();
    let xml = fixture.expect_success(&["pack", "--format", "xml", "add an <item> & more"]);
    assert!(xml.starts_with("<context tokens_used=\""), "{xml}");
    assert!(xml.contains("\n  <task>add an &lt;item&gt; &amp; more</task>\n"), "{xml}");
    assert!(xml.contains(" at=\"app.py:2\" "), "{xml}");
    assert!(xml.ends_with("\n</context>\n"), "{xml}");
}

#[test]
fn feedback_affects_packs_is_shown_and_can_be_deleted() {
    use kenning_graph::paths::parent_folder;
    use kenning_graph::store::{Feedback, MemoryStore};
    use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
    let fixture = Fixture::new();
    let db = fixture.folder.path().join("graph.db");
    let with_db = |arguments: &[&str]| -> String {
        let database = ["--db", db.to_str().unwrap()];
        fixture.expect_success(&[arguments, &database[..]].concat())
    };
    let plain = with_db(&["pack", "`add_item`", "--format", "json", "--explain"]);
    assert_eq!(with_db(&["forget"]), "Nothing was learned about this workspace.\n");
    assert!(with_db(&["debug", "feedback"]).ends_with("No feedback found.\n"));
    assert!(!db.with_file_name("memory.db").exists(), "reading creates no database");
    {
        let options = WorkspaceOptions { db: Some(db.clone()), ..WorkspaceOptions::default() };
        let mut workspace = Workspace::open(&fixture.root(), options).unwrap();
        workspace.refresh_all(&NoProgress).unwrap();
        let snapshot = workspace.current_snapshot();
        let symbol = snapshot.symbol(snapshot.symbols_by_name("add_item")[0]).unwrap();
        let feedback = Feedback {
            symbol: symbol.hash,
            cluster: kenning::answer::cluster_of_task("`add_item`").unwrap(),
            useful: true,
            package_root: snapshot.package_root(parent_folder(symbol.path)).unwrap().structure,
            at: 1_700_000_000,
        };
        MemoryStore::open(&workspace.memory_path()).unwrap().insert_feedback(&feedback).unwrap();
    }
    let learned = with_db(&["pack", "`add_item`", "--format", "json", "--explain"]);
    let learned: serde_json::Value = serde_json::from_str(&learned).unwrap();
    assert_eq!(learned["symbols"][0]["components"]["feedback"], 0.25);
    let why = with_db(&["why", "--numbers", "--symbol", "Cart.add_item", "`add_item`"]);
    assert!(why.contains("\n- feedback: +0.2500\n"), "{why}");
    assert!(why.contains("it was marked as useful for tasks like this"), "{why}");
    let without = with_db(&["pack", "`add_item`", "--format", "json", "--explain", "--no-learning"]);
    let symbols = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["symbols"].clone();
    assert_eq!(symbols(&without), symbols(&plain));
    let shown = with_db(&["debug", "feedback", "`add_item`"]);
    assert!(shown.contains("- `app.py::Cart.add_item`: useful 1, not useful 0 (cluster "), "{shown}");
    assert!(with_db(&["debug", "feedback", "other"]).ends_with("No feedback found.\n"));
    assert_eq!(with_db(&["forget", "--symbol", "Cart"]), "Nothing was learned about Cart.\n");
    let forgotten = with_db(&["forget", "--yes", "--symbol", "Cart.add_item"]);
    assert_eq!(forgotten, "Deleted 1 feedback entry.\n");
    assert_eq!(symbols(&with_db(&["pack", "`add_item`", "--format", "json", "--explain"])), symbols(&plain));
}

#[test]
fn agents_report_their_edits_as_a_diff() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root().join("total.py"), "def total(cart):\n    return cart\n").unwrap();
    let plain = fixture.expect_success(&["pack", "total of a `Cart`", "--format", "json", "--no-learning"]);
    let diff = "--- a/w/app.py\n+++ b/w/app.py\n@@ -3 +3 @@\n-        return\n+        return item\n";
    std::fs::write(fixture.folder.path().join("edit.diff"), diff).unwrap();
    let report = |arguments: &[&str]| {
        fixture.expect_success(&[&["feedback", "total of a `Cart`"], arguments].concat())
    };
    for _ in 0..2 {
        let recorded = report(&["--diff", "../edit.diff"]);
        assert!(recorded.starts_with("Recorded 1 symbol as used and "), "{recorded}");
        assert!(recorded.contains("\n- used: `app.py::Cart.add_item`\nWords: cart, total\n"), "{recorded}");
    }
    let recorded = report(&["--used", "Cart", "--not-used", "total", "--format", "json"]);
    let recorded: serde_json::Value = serde_json::from_str(&recorded).unwrap();
    assert_eq!(recorded["used"], serde_json::json!(["app.py::Cart"]));
    assert_eq!(recorded["unused"], serde_json::json!(["total.py::total"]));

    let why = fixture.expect_success(&["why", "--numbers", "--symbol", "Cart.add_item", "total of a `Cart`"]);
    assert!(why.contains("\n- usage: +0.1250\n"), "{why}");
    let why = fixture.expect_success(&["why", "--numbers", "--symbol", "Cart.add_item", "show the cart"]);
    assert!(why.contains("\n- vocabulary: +0.0045\n") && !why.contains("- usage"), "{why}");
    let without = fixture.expect_success(&["pack", "total of a `Cart`", "--format", "json", "--no-learning"]);
    assert_eq!(without, plain, "--no-learning ignores the report");

    let uses = fixture.expect_success(&["debug", "feedback", "total of a `Cart`"]);
    assert!(uses.contains("- `app.py::Cart.add_item`: used 2, not used 0 (cluster "), "{uses}");
    let vocabulary = fixture.expect_success(&["debug", "vocab", "use the cart"]);
    assert!(
        vocabulary
            .contains("Remembered words of the task: `cart`\nOther words of the task: `use` (noise word)\n"),
        "{vocabulary}"
    );
    assert!(vocabulary.contains("- `cart` (in 1 cluster)\n"), "{vocabulary}");
    assert!(vocabulary.contains("  - `app.py::Cart.add_item`: 2 uses, strength 0.15\n"), "{vocabulary}");
    assert!(
        vocabulary.contains("  - `app.py::Cart`: 1 use, strength 0; counts from the second use on\n"),
        "{vocabulary}"
    );
    assert!(fixture.expect_success(&["debug", "vocab"]).contains("- `total` (in 1 cluster)\n"));
}

#[test]
fn the_task_memory_is_off_unless_a_constant_turns_it_on() {
    let fixture = Fixture::new();
    let pack = ["pack", "total of a `Cart`", "--format", "json"];
    let plain = fixture.expect_success(&pack);
    let why = |options: &[&str]| {
        fixture.expect_success(
            &[&["why", "--numbers", "--symbol", "Cart", "total of a `Cart`"], options].concat(),
        )
    };
    let on = ["--set", "evidence.task_memory=0.3"];
    assert!(!why(&on).contains("task_memory:"), "a pack without the memory teaches nothing");
    fixture.expect_success(&[&pack[..], &on].concat());
    assert!(why(&on).contains("\n- task_memory: +0.0600\n"), "{}", why(&on));
    assert!(!why(&[]).contains("task_memory:"), "{}", why(&[]));
    let symbols = |pack: &str| serde_json::from_str::<serde_json::Value>(pack).unwrap()["symbols"].clone();
    assert_eq!(symbols(&fixture.expect_success(&pack)), symbols(&plain));
    let forgotten = fixture.expect_success(&["forget", "--yes"]);
    assert!(
        forgotten.starts_with("Deleted ") && forgotten.ends_with(" remembered symbols.\n"),
        "{forgotten}"
    );
    assert!(!why(&on).contains("task_memory:"), "{}", why(&on));
}

#[test]
fn feedback_that_cannot_be_recorded_is_an_error() {
    let fixture = Fixture::new();
    let folder = fixture.folder.path();
    std::fs::write(folder.join("empty.diff"), "no diff\n").unwrap();
    std::fs::write(folder.join("other.diff"), "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n").unwrap();
    let failure = |arguments: &[&str]| fixture.expect_failure(&[&["feedback"], arguments].concat());
    let error = failure(&["cart", "--diff", "../empty.diff"]);
    assert!(
        error.contains("../empty.diff has no change of a unified diff; pass the output of git diff"),
        "{error}"
    );
    let error = failure(&["cart", "--diff", "../other.diff"]);
    assert!(error.contains("no file of the diff is in the index: x.py"), "{error}");
    assert!(failure(&["cart", "--diff", "../missing.diff"]).contains("../missing.diff cannot be read"));
    assert!(failure(&["cart", "--used", "nothing_like_it"]).contains("no symbol is named nothing_like_it"));
    assert!(
        failure(&["cart", "--used", "Cart", "--not-used", "Cart"]).contains("named as used and as not used")
    );
    assert!(failure(&["-", "--diff", "-"]).contains("cannot both come from standard input"));
    assert_eq!(fixture.run(&["feedback", "cart"]).status.code(), Some(2), "nothing to report is wrong usage");
}

#[test]
fn forgetting_without_a_terminal_requires_yes() {
    let fixture = Fixture::new();
    fixture.expect_success(&["feedback", "the cart", "--used", "Cart"]);
    let error = fixture.expect_failure(&["forget"]);
    assert!(error.contains("1 record of use and 1 learned word would be deleted"), "{error}");
    assert!(error.contains("pass --yes"), "{error}");
    assert!(fixture.expect_success(&["debug", "vocab"]).contains("`cart`"), "nothing was deleted");
    assert_eq!(fixture.expect_success(&["forget", "--yes"]), "Deleted 1 record of use and 1 learned word.\n");
    assert!(fixture.expect_success(&["debug", "vocab"]).ends_with("No word was learned.\n"));
}

#[test]
fn a_damaged_memory_is_reported_and_left_unchanged() {
    let fixture = Fixture::new();
    let db = fixture.folder.path().join("graph.db");
    let memory = db.with_file_name("memory.db");
    std::fs::write(&memory, "not a database, but long enough to be read as a header".repeat(40)).unwrap();
    let arguments = ["pack", "add_item", "--db", db.to_str().unwrap()];
    let output = fixture.run(&arguments);
    assert_eq!(output.status.code(), Some(0));
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(
        warning.starts_with("kenning: warning: the answer does not use learned feedback: the database "),
        "{warning}"
    );
    assert!(std::fs::read(&memory).unwrap().starts_with(b"not a database"));
    let quiet = fixture.expect_success(&[&arguments[..], &["--no-learning"]].concat());
    assert!(quiet.contains("Cart.add_item"), "{quiet}");
}

#[cfg(unix)]
#[test]
fn irregular_files_are_reported_and_do_not_stop_commands() {
    let fixture = Fixture::new();
    let pipe = |name: &str| {
        let path = fixture.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    pipe(".gitignore");
    pipe("package.json");
    pipe(".git/HEAD");
    std::os::unix::fs::symlink("/dev/zero", fixture.root().join(".gitattributes")).unwrap();
    let output = fixture.run(&["pack", "add item"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("Cart.add_item"));
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        warnings.lines().collect::<Vec<_>>(),
        [
            "kenning: warning: .gitattributes: is a symbolic link, which Kenning does not follow here; its attributes are ignored",
            "kenning: warning: .gitignore: is a pipe, a socket or a device; its patterns are ignored",
            "kenning: warning: .git/HEAD: is a pipe, a socket or a device; Kenning ignores the history of this repository",
        ]
    );
    let status: serde_json::Value =
        serde_json::from_str(&fixture.expect_success(&["status", "--format", "json"])).unwrap();
    let problems: Vec<&str> =
        status["problems"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert_eq!(problems[3], "package.json: is a pipe, a socket or a device");
    let changes = fixture.run(&["changes"]);
    assert_eq!(changes.status.code(), Some(1));
    let error = String::from_utf8(changes.stderr).unwrap();
    assert!(
        error
            .lines()
            .last()
            .unwrap()
            .starts_with("kenning: cannot determine the changes: .git/HEAD: is a pipe"),
        "{error}"
    );
}

#[test]
fn patterns_beyond_the_budget_are_reported_and_the_others_apply() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root().join("gone.py"), "def gone():\n    pass\n").unwrap();
    let patterns: Vec<String> = (0..3_000).map(|n| format!("\"{}{n}\"", "*a".repeat(100))).collect();
    let text = format!("[index]\nexclude = [\"gone.py\", {}]\n", patterns.join(", "));
    std::fs::write(fixture.root().join("kenning.toml"), text).unwrap();
    let output = fixture.run(&["index", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["files"], 1);
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert_eq!(warnings.lines().count(), 1, "{warnings}");
    assert!(
        warnings.contains("kenning.toml: index.exclude: the patterns from number 323 on are ignored"),
        "{warnings}"
    );
    assert!(warnings.len() < 500, "{warnings}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_out_of_memory_notice_states_a_fix() {
    let fixture = Fixture::new();
    for number in 0..200 {
        let text = "def f(n):\n    return n + 1\n\n\n".repeat(100).replace("f(", &format!("f{number}("));
        std::fs::write(fixture.root().join(format!("m{number}.py")), text).unwrap();
    }
    let mut errors = Vec::new();
    for megabytes in (24..2_000).step_by(8) {
        let _ = std::fs::remove_dir_all(fixture.folder.path().join("cache"));
        let command = fixture.command(&["index"]);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {}; exec \"$0\" \"$@\"", megabytes * 1024)]);
        shell.arg(command.get_program()).args(command.get_args()).current_dir(fixture.root());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let output = shell.output().unwrap();
        if output.status.success() {
            break;
        }
        errors.push(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let is_notice =
        |line: &str| line.starts_with("kenning: out of memory. ") && line.contains("raise the memory limit");
    assert!(errors.iter().any(|text| text.lines().any(is_notice)), "{errors:#?}");
}

#[test]
fn the_numbers_of_a_symbol_follow_its_kind_and_a_zero_is_marked_unless_it_is_certain() {
    let fixture = Fixture::new();
    let write = |path: &str, text: &str| {
        let file = fixture.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write(
        "app.py",
        "from flask import Flask\n\nLIMIT = 3\n\nclass App:\n    def wsgi_app(self, environ, start_response):\n        \
         return self.handle(environ, LIMIT)\n\n    def handle(self, environ, limit):\n        return []\n\n    \
         def by_name(self):\n        return 1\n\n    def never(self):\n        return 2\n",
    );
    write(
        "tests/test_app.py",
        "from flask import Flask\n\ndef test_index(client):\n    client.get(\"/\")\n\ndef test_dynamic(app):\n    getattr(app, \"by_name\")()\n",
    );
    std::fs::create_dir(fixture.root().join(".git")).unwrap();
    let title = |symbol: &str| {
        let mut command = fixture.command(&["blast", symbol]);
        let output = command.current_dir(fixture.root().join("tests")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let note = String::from_utf8(output.stderr).unwrap();
        assert!(note.contains("using the workspace "), "{note}");
        text.lines().nth(2).unwrap_or_default().split_once(": ").unwrap_or_default().1.to_owned()
    };
    assert_eq!(title("App.handle"), "1 caller · ~2 dependents · ~1 test");
    assert_eq!(title("LIMIT"), "1 use · ~2 dependents · ~1 test");
    assert_eq!(title("App.by_name"), "~0 callers · ~0 dependents · ~0 tests");
    assert_eq!(title("App.never"), "0 callers · 0 dependents · 0 tests");
}
