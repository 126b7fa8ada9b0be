//! Tests the formats of packs, lean and explained, and the answers to readers who already have a
//! pack.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};
use std::process::{Command, Output};

const INVALID_PARAMS: i64 = -32602;

/// Creates a workspace with many functions, so that a small edit is a small difference.
fn create_shop() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("app.py", &shop_text());
    fixture
}

fn shop_text() -> String {
    let functions: Vec<String> = (0..12)
        .map(|n| format!("\n\ndef add_item_{n}(cart, item):\n    return add_item(cart, [item, {n}])\n"))
        .collect();
    format!("def add_item(cart, item):\n    return item\n{}", functions.concat())
}

/// Returns the text with another body for one of the functions that the pack shows with their
/// bodies, and the changed part of its line.
fn edited_text(pack: &Value) -> (String, String) {
    let mut shown = pack["symbols"].as_array().unwrap().iter().filter(|symbol| symbol["text"].is_string());
    let name = shown.find_map(|symbol| symbol["name"].as_str()?.strip_prefix("add_item_")).unwrap();
    let line = format!("(item, {name})");
    (shop_text().replace(&format!("[item, {name}]"), &line), line)
}

/// Runs the command line with its own cache.
fn run_kenning(fixture: &Fixture, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.args(arguments).current_dir(fixture.root());
    command.env_remove("KENNING_LOG").env_remove("KENNING_DB");
    command.env("XDG_CACHE_HOME", fixture.root().join("../cache"));
    command.output().unwrap()
}

/// Returns the standard output of a command that succeeds without a note.
fn read_output(fixture: &Fixture, arguments: &[&str]) -> String {
    let output = run_kenning(fixture, arguments);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn read_json_output(fixture: &Fixture, arguments: &[&str]) -> Value {
    serde_json::from_str(&read_output(fixture, arguments)).unwrap()
}

/// Returns the value of a header field of GCF.
fn header_field<'t>(text: &'t str, name: &str) -> &'t str {
    let header = text.lines().next().unwrap();
    let field = header.split(' ').find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
    field.unwrap_or_else(|| panic!("{name}: {header}"))
}

#[test]
fn a_pack_with_all_code_is_complete_although_members_stand_apart() {
    let fixture = Fixture::new();
    let methods: Vec<String> =
        (0..4).map(|n| format!("\n    def add_{n}(self, item):\n        return [item, {n}]\n")).collect();
    fixture.write("basket.py", &format!("class Basket:\n    total = 0\n{}", methods.concat()));
    let text = read_output(&fixture, &["pack", "add an item to the basket"]);
    assert!(!text.contains("The budget ends here") && !text.contains('⋮'), "{text}");
    // The members stand in their class.
    assert!(text.contains("class Basket:\n    total = 0\n\n    def add_0"), "{text}");
}

#[test]
fn every_format_is_printed_and_equal_questions_give_equal_bytes() {
    let fixture = create_shop();
    for (format, start) in [
        ("markdown", &b"# Context: add item\n"[..]),
        ("xml", b"<context "),
        ("json", b"{\n \"schema\":2,\n"),
        ("gcf", b"GCF profile=graph tool=kenning budget=8000 tokens="),
        ("gcb", b"GCB1\x01\x07kenning"),
    ] {
        let arguments = ["pack", "--no-learning", "--format", format, "add item"];
        let (first, second) = (run_kenning(&fixture, &arguments), run_kenning(&fixture, &arguments));
        assert!(first.status.success() && first.stdout.starts_with(start), "{format}: {first:?}");
        assert_eq!(first.stdout, second.stdout, "{format}");
    }
}

#[test]
fn short_ids_and_located_names_are_accepted_by_other_commands() {
    let fixture = create_shop();
    let pack = read_json_output(&fixture, &["pack", "--format", "json", "add item"]);
    let id = pack["symbols"][0]["id"].as_str().unwrap();
    assert_eq!((id.len(), pack["pack_root"].as_str().unwrap().len()), (12, 12));
    let name = pack["symbols"][0]["name"].as_str().unwrap();
    for prefix in [id, &id[..8]] {
        assert!(read_output(&fixture, &["blast", prefix]).contains(name), "{prefix}");
        assert!(read_output(&fixture, &["why", "--symbol", prefix, "add item"]).contains(name), "{prefix}");
    }
    let gcf = read_output(&fixture, &["pack", "--format", "gcf", "add item"]);
    let line = gcf.lines().find(|line| line.starts_with("@0 ")).unwrap();
    let located = line.split(' ').nth(2).unwrap();
    assert!(located.starts_with("app.py:"), "{line}");
    read_output(&fixture, &["blast", located]);
    let output = run_kenning(&fixture, &["blast", "0123456789ab"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("kenning: no symbol has an id that begins with 0123456789ab;"), "{error}");
}

#[test]
fn explained_packs_have_components_and_whole_ids() {
    let fixture = create_shop();
    let lean = read_json_output(&fixture, &["pack", "--format", "json", "add item"]);
    for absent in ["source_root", "snapshot", "omitted"] {
        assert_eq!(lean.get(absent), None);
    }
    for absent in ["components", "channels", "tokens", "confidence", "provenance"] {
        assert_eq!(lean["symbols"][0].get(absent), None, "{absent}");
    }
    for command in [&["pack", "add item"][..], &["files", "app.py"]] {
        let mut arguments = command.to_vec();
        arguments.extend(["--format", "json", "--explain"]);
        let explained = read_json_output(&fixture, &arguments);
        let symbol = &explained["symbols"][0];
        assert_eq!(symbol["id"].as_str().unwrap().len(), 64);
        assert!(symbol["components"].is_object() && symbol["channels"].is_array(), "{symbol}");
    }
    let markdown = read_output(&fixture, &["pack", "--explain", "add item"]);
    assert!(markdown.contains("\n## Ranking\n\n1. `app.py::"), "{markdown}");
}

#[test]
fn the_command_line_answers_readers_who_have_a_pack() {
    let fixture = create_shop();
    let pack = read_output(&fixture, &["pack", "add item"]);
    let root = pack.split("Pack `").nth(1).unwrap().split('`').next().unwrap();
    let again = ["pack", "--pack-root", root, "add item"];
    assert!(read_output(&fixture, &again).starts_with(&format!("Pack `{root}` is unchanged: ")));

    let (text, line) = edited_text(&read_json_output(&fixture, &["pack", "--format", "json", "add item"]));
    fixture.write("app.py", &text);
    let delta = read_output(&fixture, &again);
    assert!(delta.starts_with("# Context: what changed\n"), "{delta}");
    assert!(delta.contains(&format!(" instead of `{root}`: 1 changed, ")), "{delta}");
    assert!(delta.contains(&line) && !delta.contains("[item, "), "{delta}");
    let json = ["pack", "--pack-root", root, "--format", "json", "add item"];
    let delta = read_json_output(&fixture, &json);
    assert_eq!(
        (&delta["base_root"], delta["changed"].as_array().unwrap().len()),
        (&json!(root), 1),
        "{delta}"
    );
    let xml = read_output(&fixture, &["pack", "--pack-root", root, "--format", "xml", "add item"]);
    assert!(xml.starts_with("<context_delta base_root="), "{xml}");

    let whole = run_kenning(&fixture, &["pack", "--pack-root", "0123456789ab", "add item"]);
    assert!(whole.stdout.starts_with(b"# Context: add item\n"));
    let note = "kenning: pack 0123456789ab is not remembered; this is the whole pack\n";
    assert_eq!(String::from_utf8_lossy(&whole.stderr), note);
    let refused = run_kenning(&fixture, &["pack", "--pack-root", root, "--format", "gcb", "add item"]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
}

#[test]
fn a_reader_of_the_graph_names_its_root() {
    let fixture = create_shop();
    let pack = read_output(&fixture, &["pack", "--format", "gcf", "add item"]);
    let root = header_field(&pack, "pack_root");
    let again = ["pack", "--format", "gcf", "--pack-root", root, "add item"];
    let unchanged = read_output(&fixture, &again);
    assert_eq!((header_field(&unchanged, "unchanged"), unchanged.lines().count()), ("true", 1));
    assert_eq!(header_field(&unchanged, "pack_root"), root);
    // Only the bodies differ, which the graph does not have.
    fixture.write("app.py", &shop_text().replace('[', "(").replace(']', ")"));
    assert_eq!(read_output(&fixture, &again), unchanged);
    let moved = format!("\n{}", shop_text());
    fixture.write("app.py", &moved);
    let whole = read_output(&fixture, &again);
    assert!(!whole.contains("delta=true"), "all lines changed: {whole}");
    assert_ne!(header_field(&whole, "pack_root"), root);
}

#[test]
fn another_task_gets_a_whole_pack() {
    let fixture = create_shop();
    fixture.write(
        "other.py",
        "def paint_wall(color):\n    return mix_color(color)\n\n\ndef mix_color(c):\n    return c\n",
    );
    let pack = read_json_output(&fixture, &["pack", "--format", "json", "add item"]);
    let root = pack["pack_root"].as_str().unwrap();
    let other = read_json_output(&fixture, &["pack", "--format", "json", "--pack-root", root, "paint wall"]);
    assert_eq!((&other["task"], other.get("base_root")), (&json!("paint wall"), None), "{other}");
}

#[tokio::test]
async fn the_text_of_a_pack_is_lean_and_its_fields_explain_on_request() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    client.pack("settle").await;
    let question = json!({ "task": "add item", "format": "markdown", "explain": true, "noLearning": true });
    let pack = client.command("kenning.taskContext", question).await.unwrap();
    assert!(pack["symbols"][0]["components"].is_object(), "{pack}");
    assert!(!pack["text"].as_str().unwrap().contains("## Ranking"), "{pack}");
    let question = json!({ "task": "add item", "format": "gcb", "noLearning": true });
    let pack = client.command("kenning.taskContext", question).await.unwrap();
    assert!(pack["text"].as_str().unwrap().starts_with("R0NCMQ"), "the magic in base64: {pack}");
}

#[tokio::test]
async fn the_text_of_a_delta_has_only_the_difference() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    client.pack("settle").await;
    let files = json!({ "uris": [fixture.uri("app.py")], "noLearning": true });
    let pack = client.command("kenning.fileContext", files.clone()).await.unwrap();
    let mut again = files;
    again["packRoot"] = pack["pack_root"].clone();
    again["format"] = json!("xml");
    let unchanged = client.command("kenning.fileContext", again.clone()).await.unwrap();
    assert!(unchanged["text"].as_str().unwrap().starts_with("<unchanged pack_root="), "{unchanged}");
    let edited = shop_text().replace("add_item_3(cart, item)", "add_item_3(cart, thing)");
    client.did_open(&fixture.uri("app.py"), 1, &edited).await;
    client.pack("wait for the edit").await;
    let delta = client.command("kenning.fileContext", again).await.unwrap();
    assert_eq!(delta["base_root"], pack["pack_root"], "{delta}");
    let text = delta["text"].as_str().unwrap();
    assert!(text.starts_with("<context_delta ") && text.contains("add_item_3(cart, thing)"), "{text}");
    assert!(!text.contains("add_item_8("), "{text}");
}

#[tokio::test]
async fn a_session_of_gcf_refers_to_symbols_that_were_sent() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    client.pack("settle").await;
    let mut texts = Vec::new();
    for part in ["continue", "new", "continue", "new"] {
        let question = json!({ "task": "add item", "format": "gcf", "gcfSession": part, "noLearning": true });
        let pack = client.command("kenning.taskContext", question).await.unwrap();
        texts.push(pack["text"].as_str().unwrap().to_owned());
    }
    let references = |text: &String| text.matches("  # previously transmitted\n").count();
    let symbols: usize = header_field(&texts[0], "symbols").parse().unwrap();
    assert_eq!(texts.iter().map(references).collect::<Vec<_>>(), [0, 0, symbols, 0]);
    assert!(!texts[0].contains("session=true"), "no session has begun: {}", texts[0]);
    assert_eq!(texts[1], texts[3]);
    let wrong = json!({ "task": "add item", "gcfSession": "new" });
    let (code, message) = client.command("kenning.taskContext", wrong).await.unwrap_err();
    assert_eq!((code, &message[..]), (INVALID_PARAMS, "gcfSession: a session needs the format gcf"));
}
