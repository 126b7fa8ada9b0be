//! Tests which ranking configuration answers a question, in a session and on the command line.

use crate::support::{Client, Fixture};
use kenning::lsp::ServeOptions;
use kenning::ranking_choice::RankConfigName;
use serde_json::{Value, json};
use std::process::Command;

const NAMES: [&str; 4] = ["default", "linear", "seeds", "bm25-bodies"];

/// Returns the configuration that explains a rank.
async fn read_config_name(client: &mut Client, argument: Value) -> String {
    let mut question = json!({ "task": "add item", "symbol": "Cart.add_item" });
    question.as_object_mut().unwrap().extend(argument.as_object().unwrap().clone());
    let answer = client.command("kenning.explain", question).await.unwrap();
    answer["config"].as_str().unwrap().to_owned()
}

/// Opens the workspace and waits for its index.
async fn open_workspace(client: &mut Client, fixture: &Fixture) {
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
}

async fn read_status(client: &mut Client) -> Value {
    client.command("kenning.status", json!({})).await.unwrap()
}

fn ranking_settings(name: &str) -> Value {
    json!({ "settings": { "kenning": { "ranking": { "configuration": name } } } })
}

#[tokio::test]
async fn an_argument_overrides_the_flag_the_editor_the_file_and_the_default() {
    let fixture = Fixture::new();
    let mut client = Client::open(&fixture).await;
    assert_eq!(read_config_name(&mut client, json!({})).await, "default");
    assert_eq!(read_status(&mut client).await.get("ranking"), None, "the status omits the default");

    fixture.write("kenning.toml", "[ranking]\nconfiguration = \"seeds\"\n");
    let changed = json!({ "changes": [{ "uri": fixture.uri("kenning.toml"), "type": 1 }] });
    client.notify("workspace/didChangeWatchedFiles", changed).await;
    assert_eq!(read_config_name(&mut client, json!({})).await, "seeds");
    assert_eq!(read_status(&mut client).await["ranking"], "seeds");

    client.notify("workspace/didChangeConfiguration", ranking_settings("linear")).await;
    assert_eq!(read_config_name(&mut client, json!({})).await, "linear");
    for name in NAMES {
        assert_eq!(read_config_name(&mut client, json!({ "configuration": name })).await, name);
    }

    let ranking = Some(RankConfigName::Bm25Bodies);
    let mut client = Client::start(ServeOptions { ranking, ..fixture.options() });
    client.options = json!({ "ranking": { "configuration": "linear" } });
    open_workspace(&mut client, &fixture).await;
    assert_eq!(read_config_name(&mut client, json!({})).await, "bm25-bodies");
    client.notify("workspace/didChangeConfiguration", ranking_settings("linear")).await;
    assert_eq!(read_config_name(&mut client, json!({})).await, "bm25-bodies", "the flag still applies");
    assert_eq!(read_status(&mut client).await["ranking"], "bm25-bodies");
    assert_eq!(read_config_name(&mut client, json!({ "configuration": "seeds" })).await, "seeds");
}

#[tokio::test]
async fn the_server_uses_the_configuration_of_its_flag() {
    let fixture = Fixture::new();
    let mut command = fixture.binary();
    command.args(["--stdio", "--config", "seeds"]);
    let mut client = Client::spawn(command);
    open_workspace(&mut client, &fixture).await;
    assert_eq!(read_config_name(&mut client, json!({})).await, "seeds");
}

#[tokio::test]
async fn every_command_that_returns_a_pack_takes_a_configuration() {
    let fixture = Fixture::new();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        assert!(command.args(arguments).current_dir(fixture.root()).status().unwrap().success());
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "a commit"]);
    fixture.write("app.py", "class Cart:\n    def add_item(self, item):\n        return [item]\n");
    let mut client = Client::open(&fixture).await;
    for (command, question) in [
        ("kenning.taskContext", json!({ "task": "add item" })),
        ("kenning.fileContext", json!({ "uris": [fixture.uri("app.py")] })),
        ("kenning.changeContext", json!({ "base": "HEAD" })),
    ] {
        let ask = |name: Option<&str>| {
            let mut question = question.clone();
            question["noLearning"] = true.into();
            question["configuration"] = name.into();
            question
        };
        let unnamed = client.command(command, ask(None)).await.unwrap()["pack_root"].take();
        let mut roots = Vec::new();
        for name in NAMES {
            let root = client.command(command, ask(Some(name))).await.unwrap()["pack_root"].take();
            assert!(root.is_string() && !roots.contains(&root), "{command} {name}");
            roots.push(root);
        }
        assert_eq!(unnamed, roots[0], "{command}");
        let (code, message) = client.command(command, ask(Some("best"))).await.unwrap_err();
        assert_eq!(
            (code, message.as_str()),
            (-32602, "configuration: \"best\" is unknown; it must be default, linear, seeds or bm25-bodies")
        );
    }
}

#[tokio::test]
async fn an_unknown_name_in_the_file_is_reported_with_the_file_and_the_known_names() {
    let fixture = Fixture::new();
    fixture.write("kenning.toml", "ranking.configuration = \"best\"\n");
    let mut client = Client::start(fixture.options());
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    let warning = client.wait_for(|message| message["method"] == "window/showMessage").await;
    let expected = "ranking.configuration: must be one of \"default\", \"linear\", \"seeds\", \"bm25-bodies\", \
                    not \"best\"";
    let file = fixture.root().join("kenning.toml");
    assert_eq!(warning["params"]["message"], format!("Kenning: {}: {expected}", file.display()));
    client.command("kenning.reindex", json!({})).await.unwrap();
    assert_eq!(read_config_name(&mut client, json!({})).await, "default");

    let (output, errors) = run_kenning(&fixture, &["pack", "add item"]);
    assert!(output.contains("Cart.add_item"), "{output}");
    assert!(errors.contains(&format!("kenning.toml: {expected}")), "{errors}");
}

/// Runs a command in the workspace; returns its standard output and standard error.
fn run_kenning(fixture: &Fixture, arguments: &[&str]) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.args(arguments).current_dir(fixture.root()).env_remove("KENNING_LOG").env_remove("KENNING_DB");
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
        command.env(variable, fixture.root().join("../home"));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn commands_follow_the_file_unless_a_flag_names_a_configuration() {
    let fixture = Fixture::new();
    let pack = |flags: &[&str]| {
        let question = ["pack", "--no-learning", "--format", "json", "add item"];
        run_kenning(&fixture, &[&question[..], flags].concat()).0
    };
    let root = |text: &str| {
        let pack: Value = serde_json::from_str(text).unwrap();
        pack["pack_root"].as_str().unwrap().to_owned()
    };
    let (default, seeds) = (pack(&[]), pack(&["--config", "seeds"]));
    assert_ne!(root(&default), root(&seeds));
    assert!(!run_kenning(&fixture, &["status"]).0.contains("\n  ranking "));
    assert!(!run_kenning(&fixture, &["doctor"]).0.contains("ranking:"));

    fixture.write("kenning.toml", "ranking.configuration = \"seeds\"\n");
    assert_eq!(root(&pack(&[])), root(&seeds));
    assert_eq!(root(&pack(&["--config", "default"])), root(&default));
    let why = run_kenning(&fixture, &["why", "--symbol", "Cart.add_item", "--format", "json", "add item"]).0;
    assert_eq!(serde_json::from_str::<Value>(&why).unwrap()["config"], "seeds");
    assert!(run_kenning(&fixture, &["status"]).0.contains("\n  ranking    seeds\n"));
    let doctor = run_kenning(&fixture, &["doctor"]).0;
    let line = doctor.lines().find(|line| line.contains("ranking: ")).unwrap();
    assert!(
        line.starts_with("ok       ranking: configuration seeds instead of default, set by ")
            && line.ends_with("kenning.toml"),
        "{line}"
    );
}

#[test]
fn every_command_that_ranks_takes_overrides_of_constants() {
    let fixture = Fixture::new();
    let (pack, files) =
        (&["pack", "--no-learning", "add item"][..], &["files", "--no-learning", "app.py"][..]);
    for command in [pack, files] {
        let root = |flags: &[&str]| {
            let text = run_kenning(&fixture, &[command, &["--format", "json"], flags].concat()).0;
            serde_json::from_str::<Value>(&text).unwrap()["pack_root"].take()
        };
        let plain = root(&[]);
        let changed = root(&["--set", "walk.restart=0.5"]);
        assert_eq!(root(&["--set", "walk.restart=0.5"]), changed);
        assert_ne!(changed, plain, "the root depends on the constants, even if the code is the same");
        let seeds = ["--config", "seeds", "--set", "pack.strategy=rank"];
        assert_ne!(root(&seeds), root(&seeds[..2]));
    }
    let why = ["why", "--numbers", "--symbol", "Cart.add_item", "--set", "learned=null", "add item"];
    let (why, plain) =
        (run_kenning(&fixture, &why).0, run_kenning(&fixture, &[&why[..4], &why[6..]].concat()).0);
    assert!(plain.contains("learned_base") && !why.contains("learned_base"), "{why}");
    let debug =
        ["debug", "walk", "--config", "linear", "--set", "walk.hops=1", "--set", "hits=null", "add item"];
    assert!(run_kenning(&fixture, &debug).0.starts_with("# Walk (config linear walk.hops=1 hits=null)\n"));
    let budget = ["pack", "--format", "json", "--set", "pack.budget=300", "add item"];
    let pack: Value = serde_json::from_str(&run_kenning(&fixture, &budget).0).unwrap();
    assert_eq!(pack["budget"], 300);
}

#[test]
fn a_wrong_override_is_an_error_that_names_the_nearest_constant() {
    let fixture = Fixture::new();
    let failure = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        let output = command.args(arguments).current_dir(fixture.root()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let database = fixture.root().join("../graph.db");
    let database = ["--db", database.to_str().unwrap()];
    let unknown = failure(&[&["pack", "--set", "walk.restrt=1", "add item"][..], &database].concat());
    let expected = "--set walk.restrt=1: the configuration default has no constant walk.restrt; did you mean \
                    walk.restart?";
    assert_eq!(unknown, (Some(1), format!("kenning: {expected}\n")));
    let wrong = failure(&[&["debug", "seeds", "--set", "walk.hops=far", "add item"][..], &database].concat());
    assert!(
        wrong.1.starts_with("kenning: --set walk.hops=far: walk.hops cannot have this value: "),
        "{wrong:?}"
    );
    let (status, text) = failure(&["pack", "--set", "walk.restart", "add item"]);
    assert_eq!(status, Some(2));
    assert!(text.contains("it must be KEY=VALUE, as in walk.restart=0.5"), "{text}");
    let (status, text) = failure(&["pack", "--config", "best", "add item"]);
    assert_eq!(status, Some(2));
    assert!(text.contains("[possible values: default, linear, seeds, bm25-bodies]"), "{text}");
}
