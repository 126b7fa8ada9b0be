//! Tests notes, tasks and skills on the command line and in whole sessions.

use crate::support::{Client, Fixture};
use expect_test::expect;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const APP: &str = "class Flask:\n    def wsgi_app(self, environ):\n        return self.dispatch(environ)\n\n    def dispatch(self, environ):\n        return environ\n";

/// A workspace in which the binary runs.
struct CommandFixture {
    folder: TempDir,
}

impl CommandFixture {
    fn new(configuration: &str) -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        fixture.write("kenning.toml", configuration);
        fixture.write("src/app.py", APP);
        fixture
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.args(arguments).current_dir(self.root()).env_remove("KENNING_DB").env_remove("KENNING_LOG");
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.env("XDG_DATA_HOME", self.folder.path().join("data"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that reads no input may have ended already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Returns the standard output of a command that succeeds.
    fn expect_success(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the standard error of a command that fails.
    fn expect_failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

const CONFIGURED: &str = "knowledge.folder = \"docs/knowledge\"\n";

#[test]
fn nothing_is_written_until_a_folder_is_named() {
    let fixture = CommandFixture::new("");
    let off = "kenning: notes, tasks and skills are off; choose a folder for them by adding this line at the top of \
               kenning.toml: knowledge.folder = \"docs/knowledge\"\n";
    assert_eq!(fixture.expect_failure(&["note", "add", "Why"]), off);
    assert_eq!(fixture.expect_failure(&["task", "list"]), off);
    assert_eq!(fixture.expect_failure(&["skill", "recall", "x"]), off);
    assert!(!fixture.root().join("docs").exists());
}

#[test]
fn a_problem_of_the_configuration_is_reported_once() {
    let fixture = CommandFixture::new("knowledge.folder = \"docs/knowledge\"\nhover.enabled = 1\n");
    let output = fixture.run(&["note", "add", "Why", "--link", "Flask"], "");
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), warnings.lines().count()), (Some(0), 1), "{warnings}");
    fixture.write("kenning.toml", "knowledge.folder = \"../outside\"\n");
    let error = fixture.expect_failure(&["note", "list"]);
    assert!(error.contains("must be the path of a folder in the workspace"), "{error}");
}

#[test]
fn an_entry_is_written_shown_listed_and_found() {
    let fixture = CommandFixture::new(CONFIGURED);
    let added = fixture.expect_success(&[
        "note",
        "add",
        "Retry",
        "policy",
        "--body",
        "Retries on 503.",
        "--tag",
        "http",
    ]);
    assert_eq!(added, "Wrote docs/knowledge/notes/retry-policy.md.\n");
    let file = "---\ntitle: Retry policy\ntags:\n  - http\n---\n\nRetries on 503.\n";
    assert_eq!(fixture.read("docs/knowledge/notes/retry-policy.md"), file);
    let output = fixture.run(
        &["skill", "add", "Release", "--trigger", "ship it", "--description", "Publish", "--body", "-"],
        "1. Tag\n",
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(fixture.read("docs/knowledge/skills/release.md").ends_with("---\n\n1. Tag\n"));
    fixture.expect_success(&["task", "add", "Big", "--epic", "--status", "in_progress"]);
    fixture.expect_success(&[
        "task",
        "add",
        "Fix login",
        "--priority",
        "high",
        "--due",
        "2030-01-31",
        "--link",
        "note:retry-policy",
    ]);
    expect![[r#"
        # Tasks

        - `task:big` Big (epic, in progress)
        - `task:fix-login` Fix login (backlog, high, due 2030-01-31)
          - related_to `note:retry-policy`
    "#]]
    .assert_eq(&fixture.expect_success(&["task", "list"]));
    expect![[r#"
        # Retry policy

        note:retry-policy in `docs/knowledge/notes/retry-policy.md` (#http)

        - linked from `task:fix-login` (related_to)

        Retries on 503.
    "#]]
    .assert_eq(&fixture.expect_success(&["note", "show", "retry-policy"]));
    assert_eq!(fixture.expect_success(&["note", "list", "--tag", "other"]), "# Notes\n\nNone found.\n");
    assert!(!fixture.expect_success(&["task", "list", "--status", "in_progress"]).contains("fix-login"));
    expect![[r#"
        # Release

        skill:release in `docs/knowledge/skills/release.md`

        Publish

        Triggers: `ship it`

        1. Tag
    "#]]
    .assert_eq(&fixture.expect_success(&["skill", "recall", "how", "do", "we", "Ship it?", "--full"]));
    assert_eq!(fixture.expect_success(&["skill", "recall", "lasagna"]), "# Skills\n\nNone found.\n");
    assert!(
        fixture
            .expect_success(&["note", "recall", "which requests does it retry"])
            .contains("note:retry-policy")
    );
    let json: Value =
        serde_json::from_str(&fixture.expect_success(&["task", "show", "fix-login", "--format", "json"]))
            .unwrap();
    assert_eq!((&json["schema"], &json["entries"][0]["status"]), (&json!(1), &json!("backlog")));
}

#[test]
fn setting_a_field_changes_only_its_line() {
    let fixture = CommandFixture::new(CONFIGURED);
    let text = "---\n# mine\ntitle: \"T\" # quoted\nstatus: todo\nown: {a: 1}\n---\nBody\n";
    fixture.write("docs/knowledge/tasks/t.md", text);
    assert_eq!(
        fixture.expect_success(&["task", "set", "t", "--status", "done"]),
        "Changed docs/knowledge/tasks/t.md.\n"
    );
    assert_eq!(fixture.read("docs/knowledge/tasks/t.md"), text.replace("status: todo", "status: done"));
    assert!(
        fixture
            .expect_success(&["task", "set", "t", "--status", "done"])
            .contains("has these values already")
    );
    assert_eq!(fixture.run(&["task", "set", "t"], "").status.code(), Some(2));
    assert_eq!(
        fixture.expect_failure(&["task", "set", "T2", "--status", "done"]),
        "kenning: no task has the id T2; did you mean t?\n"
    );
    assert!(
        fixture.expect_failure(&["task", "set", "t", "--due", "soon"]).contains("write it as 2030-01-31")
    );
}

#[test]
fn a_link_to_code_follows_a_renaming_or_is_reported_as_broken() {
    let fixture = CommandFixture::new(CONFIGURED);
    fixture.expect_success(&["note", "add", "Why WSGI", "--link", "Flask.wsgi_app"]);
    let path = "docs/knowledge/notes/why-wsgi.md";
    assert!(
        fixture.read(path).contains("  - to: src/app.py::Flask.wsgi_app\n    kind: related_to\n    id: ")
    );
    assert_eq!(
        fixture.expect_success(&["note", "link", "why-wsgi", "src/app.py", "--kind", "documents"]),
        "Linked note:why-wsgi to src/app.py.\n"
    );
    assert!(
        fixture
            .expect_success(&["note", "link", "why-wsgi", "src/app.py", "--kind", "documents"])
            .contains("already")
    );
    let listed = |arguments: &[&str]| fixture.expect_success(&[&["note", "list"], arguments].concat());
    assert!(listed(&["--about", "Flask.wsgi_app"]).contains("note:why-wsgi"));
    assert!(!listed(&["--about", "Flask.dispatch"]).contains("note:why-wsgi"));
    fixture.write("src/app.py", &APP.replace("wsgi_app", "entry_point"));
    expect![[r#"
        # Notes

        - `note:why-wsgi` Why WSGI
          - related_to `src/app.py::Flask.wsgi_app`: moved to `src/app.py::Flask.entry_point`
          - documents `src/app.py`

        1 problem:

        - `docs/knowledge/notes/why-wsgi.md:4` src/app.py::Flask.wsgi_app moved to src/app.py::Flask.entry_point, which has the same text; kenning note link why-wsgi --repair rewrites the link
    "#]].assert_eq(&listed(&[]));
    assert!(listed(&["--about", "Flask.entry_point"]).contains("note:why-wsgi"));
    assert_eq!(
        fixture.expect_success(&["note", "link", "why-wsgi", "--repair"]),
        "Rewrote 1 link: src/app.py::Flask.wsgi_app to src/app.py::Flask.entry_point.\n"
    );
    assert!(!listed(&[]).contains("problem"));
    fixture.write("src/app.py", "x = 1\n");
    expect![[r#"
        # Notes

        - `note:why-wsgi` Why WSGI
          - related_to `src/app.py::Flask.entry_point`: broken
          - documents `src/app.py`

        1 problem:

        - `docs/knowledge/notes/why-wsgi.md:4` the link to src/app.py::Flask.entry_point is broken: nothing has this name or its text any more
    "#]].assert_eq(&listed(&[]));
    assert!(
        fixture
            .expect_failure(&["note", "link", "why-wsgi", "task:none"])
            .contains("no task has the id none")
    );
    assert!(
        fixture
            .expect_failure(&["note", "link", "why-wsgi", "Flask.none"])
            .contains("no symbol is named Flask.none")
    );
    let blocks = fixture.expect_failure(&["note", "link", "why-wsgi", "note:why-wsgi", "--kind", "blocks"]);
    assert_eq!(blocks, "kenning: blocks leads from a task to a task, not from a note to a note\n");
}

#[test]
fn broken_files_are_reported_and_others_work() {
    let fixture = CommandFixture::new(CONFIGURED);
    fixture.write("docs/knowledge/notes/bad.md", "---\ntitle: [\n---\n\nText\n");
    fixture.write("docs/knowledge/notes/good.md", "# Good\n");
    let list = fixture.expect_success(&["note", "list"]);
    assert!(list.contains("note:good") && list.contains("note:bad"), "{list}");
    assert!(
        list.contains("1 problem:\n\n- `docs/knowledge/notes/bad.md:2` the front matter is ignored"),
        "{list}"
    );
    let error = fixture.expect_failure(&["note", "link", "bad", "note:good"]);
    assert!(error.contains("bad.md is not changed: its front matter is broken in line 2"), "{error}");
    assert_eq!(fixture.read("docs/knowledge/notes/bad.md"), "---\ntitle: [\n---\n\nText\n");
}

const SHOP: &str = "def total(cart):\n    return price(cart)\n\n\ndef price(cart):\n    return 1\n";

fn create_shop() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("shop.py", SHOP);
    fixture.write("kenning.toml", "[knowledge]\nfolder = \"k\"\n");
    fixture.write("k/notes/sums.md", "---\ntitle: Why [sums]\nlinks:\n  - to: shop.py::total\n---\n");
    fixture.write("k/tasks/slow.md", "---\ntitle: Slow\nlinks:\n  - to: shop.py::total\n---\n");
    fixture
}

async fn open_session(fixture: &Fixture) -> Client {
    let mut client = Client::start(fixture.options());
    client.capabilities = json!({
        "workspace": {
            "codeLens": { "refreshSupport": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
        },
        "textDocument": { "hover": { "contentFormat": ["markdown"] }, "codeLens": {} },
    });
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    client
}

async fn request_hover(client: &mut Client, fixture: &Fixture, line: u32) -> String {
    let position = json!({ "line": line, "character": 5 });
    let params = json!({ "textDocument": { "uri": fixture.uri("shop.py") }, "position": position });
    let hover = client.request("textDocument/hover", params).await.unwrap();
    hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

/// Returns the line and the title of each lens that shows entries.
async fn list_entry_lenses(client: &mut Client, fixture: &Fixture) -> Vec<(u64, String)> {
    let params = json!({ "textDocument": { "uri": fixture.uri("shop.py") } });
    let lenses = client.request("textDocument/codeLens", params).await.unwrap();
    let titled =
        lenses.as_array().unwrap().iter().filter(|lens| lens["command"]["command"] == "kenning.knowledge");
    titled
        .map(|lens| {
            (
                lens["range"]["start"]["line"].as_u64().unwrap(),
                lens["command"]["title"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

#[tokio::test]
async fn hover_and_lens_show_the_entries_linked_to_a_symbol() {
    let fixture = create_shop();
    let mut client = open_session(&fixture).await;
    let text = request_hover(&mut client, &fixture, 0).await;
    let uri = |path: &str| fixture.uri(path);
    let (note, task) = (uri("k/notes/sums.md"), uri("k/tasks/slow.md"));
    let expected = format!("\n\n**1 note · 1 task**  \n[Why \\[sums\\]]({note})  \n[Slow]({task})");
    assert!(text.starts_with("**Blast radius**") && text.ends_with(&expected), "{text}");
    assert!(!request_hover(&mut client, &fixture, 4).await.contains("note"));
    assert_eq!(list_entry_lenses(&mut client, &fixture).await, [(0, "1 note · 1 task".to_owned())]);
    // A changed file and the unsaved text of another file take effect immediately.
    fixture.write("k/tasks/slow.md", "---\ntitle: Slow\nlinks:\n  - to: shop.py::price\n---\n");
    let open_text = "---\ntitle: Sums\nlinks:\n  - to: shop.py::price\n---\n";
    client.did_open(&note, 1, open_text).await;
    assert_eq!(list_entry_lenses(&mut client, &fixture).await, [(4, "1 note · 1 task".to_owned())]);
    let price = request_hover(&mut client, &fixture, 4).await;
    assert!(price.contains(&format!("[Sums]({note})")), "{price}");
    client.shut_down().await;
}

#[tokio::test]
async fn lenses_are_refreshed_when_an_entry_changes() {
    let fixture = create_shop();
    let mut client = open_session(&fixture).await;
    let refreshes = |client: &Client| {
        client.requests.iter().filter(|request| request["method"] == "workspace/codeLens/refresh").count()
    };
    // The first index is shown with a refresh. Later ones come only from a change.
    while refreshes(&client) == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        list_entry_lenses(&mut client, &fixture).await;
    }
    assert_eq!(list_entry_lenses(&mut client, &fixture).await, [(0, "1 note · 1 task".to_owned())]);
    let before = refreshes(&client);
    fixture.write("k/notes/sums.md", "---\ntitle: Sums\n---\n");
    let changes = json!([{ "uri": fixture.uri("k/notes/sums.md"), "type": 2 }]);
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes })).await;
    for _ in 0..200 {
        if refreshes(&client) > before {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        list_entry_lenses(&mut client, &fixture).await;
    }
    assert!(refreshes(&client) > before);
    assert_eq!(list_entry_lenses(&mut client, &fixture).await, [(0, "1 task".to_owned())]);
    client.shut_down().await;
}

#[tokio::test]
async fn problems_of_entries_are_diagnostics_until_they_are_solved() {
    let fixture = create_shop();
    fixture.write("k/notes/gone.md", "---\ntitle: Gone\nlinks:\n  - to: shop.py::missing\n---\n");
    let mut client = Client::start(fixture.options());
    client.capabilities = json!({
        "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } },
        "textDocument": { "publishDiagnostics": {} },
    });
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    let uri = fixture.uri("k/notes/gone.md");
    let is_published = |message: &Value| {
        message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
    };
    let published = client.wait_for(is_published).await;
    let diagnostics = published["params"]["diagnostics"].as_array().unwrap();
    assert_eq!(diagnostics.len(), 1, "{published}");
    assert_eq!(diagnostics[0]["range"]["start"], json!({ "line": 3, "character": 0 }));
    assert_eq!(diagnostics[0]["source"], "kenning");
    let message = diagnostics[0]["message"].as_str().unwrap();
    assert!(message.starts_with("the link to shop.py::missing is broken"), "{message}");
    fixture.write("k/notes/gone.md", "---\ntitle: Gone\nlinks:\n  - to: shop.py::total\n---\n");
    let changes = json!([{ "uri": uri, "type": 2 }]);
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes })).await;
    let solved = client.wait_for(is_published).await;
    assert_eq!(solved["params"]["diagnostics"], json!([]));
    client.shut_down().await;
}

#[tokio::test]
async fn the_lens_can_be_disabled_and_nothing_is_read_without_a_folder() {
    let fixture = create_shop();
    fixture.write("kenning.toml", "[knowledge]\nfolder = \"k\"\nlens = false\n");
    let mut client = open_session(&fixture).await;
    assert_eq!(list_entry_lenses(&mut client, &fixture).await, []);
    assert!(request_hover(&mut client, &fixture, 0).await.contains("1 note"));
    client.shut_down().await;
    fixture.write("kenning.toml", "");
    let mut client = open_session(&fixture).await;
    assert!(!request_hover(&mut client, &fixture, 0).await.contains("1 note"));
    assert_eq!(list_entry_lenses(&mut client, &fixture).await, []);
    let error = client.command("kenning.knowledge", json!({ "op": "list" })).await.unwrap_err();
    assert!(error.1.contains("knowledge.folder = \"docs/knowledge\""), "{error:?}");
    client.shut_down().await;
}

#[tokio::test]
async fn a_client_lists_writes_links_and_recalls_entries() {
    let fixture = create_shop();
    let mut client = open_session(&fixture).await;
    let about = json!({ "op": "about", "symbol": "shop.py::total", "kind": "note", "format": "markdown" });
    let about = client.command("kenning.knowledge", about).await.unwrap();
    assert_eq!((&about["entries"][0]["id"], about["entries"].as_array().unwrap().len()), (&json!("sums"), 1));
    assert_eq!(about["entries"][0]["uri"], fixture.uri("k/notes/sums.md"));
    assert!(about["text"].as_str().unwrap().starts_with("# Notes about total\n"));
    let add = json!({
        "op": "add", "kind": "skill", "title": "Price things", "triggers": ["set a price"], "body": "1. Look",
        "textDocument": { "uri": fixture.uri("shop.py") }, "position": { "line": 4, "character": 5 },
    });
    let added = client.command("kenning.knowledge", add).await.unwrap();
    assert_eq!(added["entries"][0]["path"], "k/skills/price-things.md");
    let link = &added["entries"][0]["links"][0];
    assert_eq!((&link["to"], &link["state"]), (&json!("shop.py::price"), &json!("found")));
    let link =
        json!({ "op": "link", "kind": "task", "id": "slow", "entry": "task:slow", "linkKind": "blocks" });
    let linked = client.command("kenning.knowledge", link).await.unwrap();
    assert_eq!(linked["done"], "Linked to task:slow.");
    let set = json!({ "op": "set", "id": "slow", "status": "review" });
    let set = client.command("kenning.knowledge", set).await.unwrap();
    assert_eq!(set["entries"][0]["status"], "review");
    let recall = json!({ "op": "recall", "text": "please set a price" });
    let recall = client.command("kenning.knowledge", recall).await.unwrap();
    assert_eq!(
        (&recall["entries"][0]["id"], &recall["entries"][0]["trigger"]),
        (&json!("price-things"), &json!("set a price"))
    );
    let list = client.command("kenning.knowledge", json!({ "op": "list" })).await.unwrap();
    assert_eq!(list["entries"].as_array().unwrap().len(), 3);
    let cycle = list["findings"][0]["message"].as_str().unwrap();
    assert!(cycle.starts_with("blocks links form a cycle: task:slow -> task:slow"), "{cycle}");
    client.shut_down().await;
}

#[tokio::test]
async fn wrong_arguments_are_named_and_unsaved_files_are_not_written() {
    let fixture = create_shop();
    let mut client = open_session(&fixture).await;
    for (argument, expected) in [
        (json!({}), "op: missing; it must be list"),
        (json!({ "op": "about" }), "symbol: missing"),
        (json!({ "op": "add", "title": "x" }), "kind: missing"),
        (json!({ "op": "add", "kind": "note", "title": " " }), "title: missing"),
        (
            json!({ "op": "show", "kind": "note", "id": "sum" }),
            "id: no note has the id sum; did you mean sums?",
        ),
        (json!({ "op": "link", "kind": "note", "id": "sums" }), "symbol: missing"),
        (
            json!({ "op": "link", "kind": "note", "id": "sums", "entry": "sums" }),
            "entry: \"sums\" is not an entry",
        ),
        (json!({ "op": "set", "id": "slow" }), "status: missing"),
        (json!({ "op": "set", "id": "slow", "due": "soon" }), "due: \"soon\" is not a day"),
        (json!({ "op": "recall" }), "text: missing"),
    ] {
        let error = client.command("kenning.knowledge", argument).await.unwrap_err();
        assert!(error.1.starts_with(expected), "{error:?}");
        assert_eq!(error.0, -32602, "InvalidParams");
    }
    client.did_open(&fixture.uri("k/tasks/slow.md"), 1, "---\ntitle: Unsaved\n---\n").await;
    let set = json!({ "op": "set", "id": "slow", "status": "done" });
    let error = client.command("kenning.knowledge", set).await.unwrap_err();
    assert_eq!(error.1, "k/tasks/slow.md has unsaved changes; save it and try again");
    client.shut_down().await;
}
