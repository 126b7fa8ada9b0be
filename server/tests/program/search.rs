//! Tests the search on the command line and in a session.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};
use std::process::Command;

const STORE: &str = "\
class SessionStore:
    \"\"\"Keeps the sessions of customers.\"\"\"

    def save_session(self, session):
        \"\"\"Writes a session to the disk. Locks the file.\"\"\"
        return session

    def drop(self):
        pass

def check_stock(goods):
    return goods
";

fn create_shop() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("src/store.py", STORE);
    fixture
        .write("src/app.py", "from store import SessionStore\n\ndef run_app():\n    SessionStore().drop()\n");
    fixture.write("deploy/release-notes.txt", "nothing\n");
    fixture.write(".gitignore", "ignored.txt\n");
    fixture.write("ignored.txt", "release notes\n");
    fixture
}

/// Runs `kenning search` and returns its status, its output and its errors.
fn search(fixture: &Fixture, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.arg("search").args(arguments).current_dir(fixture.root());
    command.env_remove("KENNING_DB").env("XDG_CACHE_HOME", fixture.root().join("../cache"));
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_search_prints_places_with_signatures() {
    let fixture = create_shop();
    let (status, out, errors) = search(&fixture, &["--scope", "code", "save", "the", "session"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("src/store.py:4  SessionStore.save_session  method "), "{out}");
    assert_eq!(lines[1..3], ["    def save_session(self, session)", "    Writes a session to the disk."]);
    assert!(!out.contains('\u{1b}'), "colors are for terminals: {out}");
    let (_, colored, _) = search(&fixture, &["--color", "always", "save the session"]);
    assert!(colored.contains("\u{1b}]8;;file://") && colored.contains("\u{1b}[1m"), "{colored}");
}

#[test]
fn files_of_every_kind_are_found_by_name() {
    let fixture = create_shop();
    for query in [&["release-notes.txt"][..], &["where are the release notes"]] {
        let (_, out, _) = search(&fixture, &[&["-l", "--scope", "files"], query].concat());
        assert_eq!(out, "deploy/release-notes.txt\n", "{query:?}");
    }
    let (_, out, _) = search(&fixture, &["-l", "store.py"]);
    assert_eq!(out.lines().next(), Some("src/store.py"));
}

#[test]
fn documents_are_searched_by_section() {
    let fixture = create_shop();
    let guide = "# Guide\n\nHow to run a shop.\n\n## Keeping sessions\n\nSessions live in a `SessionStore` until the shop closes.\n\n## Stock\n\nGoods.\n";
    fixture.write("docs/guide.md", guide);
    for mode in ["hybrid", "keyword"] {
        let (_, out, _) =
            search(&fixture, &["--scope", "docs", "--mode", mode, "when does the shop close its sessions"]);
        assert!(out.starts_with("docs/guide.md:5  Guide > Keeping sessions  section "), "{mode}: {out}");
    }
    let (_, out, _) =
        search(&fixture, &["--scope", "docs", "--bfs-depth", "0", "-n", "1", "keeping sessions"]);
    assert!(out.starts_with("docs/guide.md:5  ") && out.contains(" section 1.00"), "{out}");
    let (_, out, _) = search(&fixture, &["--scope", "code", "when does the shop close its sessions"]);
    assert!(!out.contains("guide.md"), "{out}");
    let (_, out, _) = search(&fixture, &["--scope", "files", "-l", "guide.md"]);
    assert_eq!(out.lines().next(), Some("docs/guide.md"));
}

#[test]
fn knowledge_is_searched_if_the_workspace_has_it() {
    let fixture = create_shop();
    let (status, _, errors) = search(&fixture, &["--scope", "knowledge", "sessions"]);
    assert!(status == Some(1) && errors.contains("knowledge.folder"), "{errors}");
    fixture.write("kenning.toml", "[knowledge]\nfolder = \"knowledge\"\n");
    let note = "---\ntitle: Why sessions are on disk\n---\n\nThe memory of the server was too small.\n";
    fixture.write("knowledge/notes/disk.md", note);
    for scope in ["knowledge", "all"] {
        let (_, out, errors) = search(&fixture, &["--scope", scope, "why are sessions on disk"]);
        let line = out.lines().find(|line| line.starts_with("knowledge/notes/disk.md")).unwrap_or_default();
        assert!(
            line.starts_with("knowledge/notes/disk.md  Why sessions are on disk  note "),
            "{out}{errors}"
        );
    }
    for scope in ["docs", "files"] {
        let (_, out, _) = search(&fixture, &["--scope", scope, "-l", "why are sessions on disk"]);
        assert!(!out.contains("knowledge/"), "an entry is a result as an entry only: {out}");
    }
}

#[test]
fn nonsense_finds_nothing_in_every_scope_and_mode() {
    let fixture = create_shop();
    for scope in ["code", "docs", "files", "all"] {
        for mode in ["hybrid", "keyword"] {
            let (status, out, _) = search(&fixture, &["--scope", scope, "--mode", mode, "cook a lasagna"]);
            assert_eq!(status, Some(0));
            assert_eq!(out, "Nothing in this workspace matches \"cook a lasagna\".\n");
        }
    }
}

#[test]
fn invalid_arguments_are_errors_with_the_cause() {
    let fixture = create_shop();
    let (status, _, errors) = search(&fixture, &["--min-score", "2", "a"]);
    assert_eq!((status, errors.as_str()), (Some(1), "kenning: minScore must be a number from 0 to 1\n"));
    let (status, _, errors) = search(&fixture, &[" "]);
    assert_eq!(status, Some(1));
    assert_eq!(errors, "kenning: the query is empty; pass a few words, a name or the name of a file\n");
    assert_eq!(search(&fixture, &["--scope", "moon", "a"]).0, Some(2));
}

#[test]
fn the_answer_as_json_has_scores_and_steps() {
    let fixture = create_shop();
    let (_, out, _) = search(&fixture, &["--json", "--scope", "code", "save_session"]);
    let answer: Value = serde_json::from_str(&out).unwrap();
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(
        (hits[0]["name"].as_str(), hits[0]["score"].as_f64()),
        (Some("SessionStore.save_session"), Some(1.0))
    );
    let class = hits.iter().find(|hit| hit["name"] == "SessionStore").unwrap();
    assert_eq!(
        (class["kind"].as_str(), class["line"].as_u64(), class["end_line"].as_u64()),
        (Some("class"), Some(1), Some(9))
    );
    let (_, alone, _) = search(&fixture, &["--json", "--scope", "code", "-n", "1", "save_session"]);
    let alone: Value = serde_json::from_str(&alone).unwrap();
    assert_eq!(alone["hits"].as_array().unwrap().len(), 1);
    assert!(answer["freshness"]["indexed_at"].is_string());
}

#[tokio::test]
async fn a_session_searches_unsaved_text() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let uri = fixture.uri("src/app.py");
    client.did_open(&uri, 1, "def compute_discount(price):\n    return price\n").await;
    let answer = client.command("kenning.search", json!({ "query": "compute the discount" })).await.unwrap();
    let first = &answer["hits"][0];
    assert_eq!(
        (first["name"].as_str(), first["location"]["uri"].as_str()),
        (Some("compute_discount"), Some(uri.as_str()))
    );
    assert_eq!(
        first["location"]["range"],
        json!({ "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 20 } })
    );
    assert_eq!(answer["freshness"]["unsaved_files"], 1);
    let error = client.command("kenning.search", json!({ "query": "" })).await.unwrap_err();
    assert_eq!(error.0, -32602);
    assert!(error.1.starts_with("query: the query is empty"), "{error:?}");
    client.shut_down().await;
}

#[tokio::test]
async fn a_hover_names_the_documents_that_explain_a_symbol() {
    let fixture = create_shop();
    fixture.write("docs/guide.md", "# Guide\n\n## Keeping sessions\n\nUse `SessionStore`.\n");
    let mut client = Client::start(fixture.options());
    client.capabilities = json!({ "textDocument": { "hover": { "contentFormat": ["markdown"] } } });
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    let (uri, guide) = (fixture.uri("src/store.py"), fixture.uri("docs/guide.md"));
    client.did_open(&uri, 1, STORE).await;
    let mut hover = async |line: u32, character: u32| {
        let position =
            json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
        let found = client.request("textDocument/hover", position).await.unwrap();
        found["contents"]["value"].as_str().unwrap().to_owned()
    };
    let class = hover(0, 8).await;
    let line = format!("Documented in [guide.md: Keeping sessions]({guide}#L3)");
    assert_eq!(class.lines().last(), Some(line.as_str()), "{class}");
    assert!(!hover(3, 10).await.contains("Documented"));
    client.shut_down().await;
}

#[tokio::test]
async fn workspace_symbols_are_names_or_the_list_of_a_task() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let mut names = async |query: &str| {
        let found = client.request("workspace/symbol", json!({ "query": query })).await.unwrap();
        let names = found.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("sess").await, ["SessionStore", "save_session"]);
    assert_eq!(names("save the session").await[0], "save_session");
    assert_eq!(names("cook a lasagna").await, Vec::<String>::new());
    assert_eq!(names("").await, Vec::<String>::new());
    client.shut_down().await;
}
