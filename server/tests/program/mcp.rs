//! Tests the MCP server: both lifecycles, the same bytes as the command line, and one session for
//! editors and agents.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const STORE: &str = "\
class SessionStore:
    def save_session(self, session):
        \"\"\"Writes a session to the disk.\"\"\"
        return session
";

fn create_shop() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("src/store.py", STORE);
    fixture.write(
        "src/app.py",
        "from store import SessionStore\n\ndef run_app():\n    SessionStore().save_session(1)\n",
    );
    fixture.write(
        "tests/test_store.py",
        "from store import SessionStore\n\ndef test_save():\n    SessionStore().save_session(2)\n",
    );
    fixture
}

fn kenning_command(fixture: &Fixture, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.args(arguments).current_dir(fixture.root());
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
        command.env(variable, fixture.root().join("../cache"));
    }
    command.env_remove("KENNING_LOG").env_remove("KENNING_DB").env_remove("KENNING_ROOT");
    command
}

/// Runs a `kenning` command and returns its standard output.
fn run_command(fixture: &Fixture, arguments: &[&str]) -> String {
    String::from_utf8(kenning_command(fixture, arguments).output().unwrap().stdout).unwrap()
}

/// An agent with its server.
struct Agent {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// The `_meta` of every request; null in the lifecycle with `initialize`.
    meta: Value,
}

impl Agent {
    fn spawn(fixture: &Fixture, meta: Value) -> Self {
        let mut command = kenning_command(fixture, &["mcp"]);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        Self { server, input, output: BufReader::new(output), next_id: 0, meta }
    }

    /// Starts a server and introduces the agent with `initialize`.
    fn start(fixture: &Fixture) -> Self {
        let mut agent = Self::spawn(fixture, Value::Null);
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let answer = agent.request("initialize", params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "kenning");
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.next_id += 1;
        if !self.meta.is_null() {
            params["_meta"] = self.meta.clone();
        }
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
            let message: Value =
                serde_json::from_str(&line).expect("only the protocol is on standard output");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool and returns its result.
    fn call_tool(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        answer["result"].clone()
    }

    /// Returns the text of a tool's answer, which must not be an error.
    fn ask_tool(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call_tool(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    fn end_session(mut self) {
        drop(self.input);
        assert!(self.server.wait().unwrap().success());
    }
}

#[test]
fn answers_have_the_same_bytes_as_the_command_line() {
    let fixture = create_shop();
    let mut agent = Agent::start(&fixture);
    let task = "save the session to the disk";
    assert_eq!(
        agent.ask_tool("pack", json!({ "task": task })),
        run_command(&fixture, &["pack", "--budget", "4000", task])
    );
    let symbol = "SessionStore.save_session";
    assert_eq!(
        agent.ask_tool("blast", json!({ "symbol": symbol })),
        run_command(&fixture, &["blast", symbol])
    );
    assert_eq!(
        agent.ask_tool("blast", json!({ "file": "src/store.py", "line": 2 })),
        run_command(&fixture, &["blast", "src/store.py:2"])
    );
    assert_eq!(
        agent.ask_tool("tests", json!({ "files": ["src/store.py"] })),
        run_command(&fixture, &["tests", "src/store.py"])
    );
    assert_eq!(
        agent.ask_tool("search", json!({ "query": "save session" })),
        run_command(&fixture, &["search", "-n", "10", "save session"])
    );
    assert_eq!(
        agent.ask_tool("why", json!({ "task": task, "symbol": symbol })),
        run_command(&fixture, &["why", "--symbol", symbol, task])
    );
    let result = agent.call_tool("pack", json!({ "task": task }));
    let note = result["content"][1]["text"].as_str().unwrap();
    assert!(note.contains(": up to date.\npack_root "), "{note}");
    agent.end_session();
}

#[test]
fn a_client_without_initialize_is_served_too() {
    let fixture = create_shop();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut agent = Agent::spawn(&fixture, meta);
    let discovered = agent.request("server/discover", json!({}));
    let versions = discovered["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{discovered}");
    let tools = agent.request("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 5, "{tools}");
    assert_eq!(tools["result"]["resultType"], "complete");
    let text = agent.ask_tool("search", json!({ "query": "SessionStore" }));
    assert!(text.contains("src/store.py:1  SessionStore"), "{text}");
    agent.end_session();
}

#[test]
fn a_file_that_was_just_written_is_in_the_answer() {
    let fixture = create_shop();
    let mut agent = Agent::start(&fixture);
    assert!(agent.ask_tool("search", json!({ "query": "freeze_basket" })).starts_with("Nothing"));
    for round in 0..5 {
        fixture.write(&format!("src/basket{round}.py"), &format!("def freeze_basket{round}():\n    pass\n"));
        let text = agent.ask_tool("search", json!({ "query": format!("freeze_basket{round}") }));
        assert!(text.contains(&format!("src/basket{round}.py:1")), "{text}");
    }
    agent.end_session();
}

#[test]
fn invalid_calls_are_explained_and_do_not_end_the_session() {
    let fixture = create_shop();
    let mut agent = Agent::start(&fixture);
    let mut problem = |tool: &str, arguments: Value| {
        let result = agent.call_tool(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    };
    assert!(problem("pack", json!({})).starts_with("task: missing"));
    assert!(problem("pack", json!({ "task": 7 })).starts_with("task: must be a string"));
    assert!(problem("pack", json!({ "task": "x", "continue_from": "ab" })).contains("not known"));
    assert!(problem("blast", json!({ "symbol": "save_sesion" })).contains("did you mean"));
    assert!(problem("search", json!({ "query": "x", "scope": "moon" })).contains("scope"));
    assert!(problem("tests", json!({ "files": ["../x.py"] })).contains("../x.py"));
    assert!(
        problem("blast", json!({ "symbol": "save_session", "budget": 50 })).starts_with("budget: must be")
    );
    let limit = problem("search", json!({ "query": "x", "limit": 3 }));
    assert_eq!(
        limit,
        "limit: is no argument of search; it takes query, scope, mode, max_results, budget, page"
    );
    let feedback = json!({ "pack_root": "ab", "good": [] });
    let good = problem("pack", json!({ "task": "x", "feedback": feedback }));
    assert_eq!(good, "good: is no argument of feedback; it takes pack_root, useful, not_useful");
    let unknown = agent.request("tools/call", json!({ "name": "grep", "arguments": {} }));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("the tools are pack"));
    for method in ["prompts/list", "resources/list", "resources/templates/list", "tools/find"] {
        let answer = agent.request(method, json!({}));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with(&format!("there is no method {method}; the methods are initialize, ")),
            "{message}"
        );
    }
    agent.end_session();
}

#[test]
fn the_answers_about_a_core_symbol_are_bounded_and_have_pages() {
    let fixture = create_shop();
    for file in 0..40 {
        let test = |at| format!("def test_save_{file}_{at}():\n    SessionStore().save_session({at})\n\n");
        let tests: String = (0..25).map(test).collect();
        fixture.write(
            &format!("tests/test_saving_of_part_{file}_at_the_checkout.py"),
            &format!("from src.store import SessionStore\n\n{tests}"),
        );
    }
    let mut agent = Agent::start(&fixture);
    let calls = [
        ("blast", json!({ "symbol": "SessionStore.save_session" })),
        ("tests", json!({ "files": ["src/store.py"] })),
        ("pack", json!({ "task": "save the session to the disk" })),
        ("search", json!({ "query": "save session", "max_results": 500 })),
    ];
    for (tool, arguments) in calls {
        let result = agent.call_tool(tool, arguments.clone());
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.len() < 20_000, "{tool}: {} characters", text.len());
        if matches!(tool, "pack" | "search") {
            continue;
        }
        let note = result["content"][1]["text"].as_str().unwrap();
        assert!(
            note.contains("\nPage 1 of ") && note.ends_with("; page=2 shows the next."),
            "{tool}: {note}"
        );
        let second = agent.ask_tool(tool, with_field(&arguments, "page", json!(2)));
        assert!(second.len() < 20_000 && second != text, "{tool}: {second}");
        let far = agent.call_tool(tool, with_field(&arguments, "page", json!(999)));
        let problem = far["content"][0]["text"].as_str().unwrap();
        assert!(problem.starts_with("page: 999 does not exist; the answer has "), "{problem}");
    }
    // All tests are on the pages together.
    let names = |text: &str| text.matches("`test_save_").count();
    let ask = json!({ "files": ["src/store.py"], "budget": 10_000 });
    let pages: usize = (1..=100)
        .map(|page| agent.call_tool("tests", with_field(&ask, "page", json!(page))))
        .take_while(|result| result["isError"] == false)
        .map(|result| names(result["content"][0]["text"].as_str().unwrap()))
        .sum();
    assert_eq!(pages, 40 * 25);
    agent.end_session();
}

/// Returns the arguments with another field.
fn with_field(arguments: &Value, name: &str, value: Value) -> Value {
    let mut arguments = arguments.clone();
    arguments[name] = value;
    arguments
}

#[test]
fn the_forms_that_answers_print_and_the_former_names_of_tools_are_accepted() {
    let fixture = create_shop();
    let mut agent = Agent::start(&fixture);
    let symbol = "SessionStore.save_session";
    let blast = agent.ask_tool("blast", json!({ "symbol": symbol }));
    let why = agent.ask_tool("why", json!({ "task": "save the session", "symbol": symbol }));
    for form in [
        "src/store.py:2",
        "src/store.py:2:9",
        "src/store.py:2-4",
        "src/store.py::SessionStore.save_session",
        "`save_session`",
    ] {
        assert_eq!(agent.ask_tool("blast", json!({ "symbol": form })), blast, "{form}");
        assert_eq!(
            agent.ask_tool("why", json!({ "task": "save the session", "symbol": form })),
            why,
            "{form}"
        );
    }
    // The use on this line is the method.
    assert_eq!(agent.ask_tool("blast", json!({ "symbol": "src/app.py:4:20" })), blast);
    let tests = agent.ask_tool("tests", json!({ "files": ["src/store.py:2"] }));
    assert_eq!(tests, agent.ask_tool("affected_tests", json!({ "files": ["src/store.py"] })));
    assert_eq!(agent.ask_tool("blast_radius", json!({ "symbol": symbol })), blast);
    assert_eq!(agent.ask_tool("explain", json!({ "task": "save the session", "symbol": symbol })), why);
    assert!(agent.ask_tool("task_context", json!({ "task": "save the session" })).contains(symbol));
    agent.end_session();
}

#[test]
fn a_pack_has_pages_and_takes_feedback() {
    let fixture = create_shop();
    for file in 0..20 {
        let body = "    session = session + 1  # keep the session of the store\n".repeat(12);
        fixture.write(
            &format!("src/part{file}.py"),
            &format!("def save_session_part{file}(session):\n{body}    return session\n"),
        );
    }
    let mut agent = Agent::start(&fixture);
    let ask = json!({ "task": "save the session", "budget": 1000 });
    let first = agent.call_tool("pack", ask.clone());
    let note = first["content"][1]["text"].as_str().unwrap().to_owned();
    let root = note.split("pack_root ").nth(1).unwrap().split('.').next().unwrap().to_owned();
    let names = |result: &Value| -> Vec<String> {
        let text = result["content"][0]["text"].as_str().unwrap();
        let lines = text.lines().filter(|line| line.starts_with("- `"));
        lines.map(|line| line.split('`').nth(3).unwrap_or_default().to_owned()).collect()
    };
    let second =
        agent.call_tool("pack", json!({ "task": "save the session", "budget": 1000, "continue_from": root }));
    let (one, two) = (names(&first), names(&second));
    assert!(!one.is_empty() && !two.is_empty(), "{one:?} {two:?}");
    assert!(two.iter().all(|name| !one.contains(name)), "{one:?} {two:?}");
    let feedback = json!({ "pack_root": root, "useful": ["SessionStore.save_session"] });
    let known = agent.call_tool(
        "pack",
        json!({ "task": "save the session", "budget": 1000, "pack_root": root, "feedback": feedback }),
    );
    assert!(known["content"][1]["text"].as_str().unwrap().contains("Recorded the feedback on 1 symbol."));
    agent.end_session();
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_sees_the_unsaved_text_of_an_editor_that_starts_later() {
    let fixture = create_shop();
    let ask = json!({ "query": "freeze_quark" });
    let mut agent = Agent::start(&fixture);
    assert!(agent.ask_tool("search", ask.clone()).starts_with("Nothing"));

    let mut editor = Client::spawn(fixture.binary());
    editor.initialize(&[fixture.root()]).await;
    editor.notify("initialized", json!({})).await;
    let draft = format!("{STORE}\n    def freeze_quark(self):\n        pass\n");
    editor.did_open(&fixture.uri("src/store.py"), 1, &draft).await;
    editor.command("kenning.waitForIndex", json!({})).await.unwrap();
    let text = tokio::task::block_in_place(|| agent.ask_tool("search", ask.clone()));
    assert!(text.contains("src/store.py:6  SessionStore.freeze_quark"), "{text}");
    // A second agent joins the same session.
    let mut other = Agent::start(&fixture);
    assert_eq!(tokio::task::block_in_place(|| other.ask_tool("search", ask.clone())), text);

    // The command line answers about the same text.
    assert_eq!(run_command(&fixture, &["search", "-n", "10", "freeze_quark"]), text);

    editor.shut_down().await;
    let text = tokio::task::block_in_place(|| agent.ask_tool("search", ask.clone()));
    assert!(text.starts_with("Nothing"), "the disk does not have the draft: {text}");
    assert!(tokio::task::block_in_place(|| other.ask_tool("search", ask)).starts_with("Nothing"));
    other.end_session();
    agent.end_session();
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_answered_although_the_session_of_an_editor_was_stopped() {
    let fixture = create_shop();
    let mut editor = Client::spawn(fixture.binary());
    editor.initialize(&[fixture.root()]).await;
    editor.notify("initialized", json!({})).await;
    let draft = format!("{STORE}\n    def freeze_quark(self):\n        pass\n");
    editor.did_open(&fixture.uri("src/store.py"), 1, &draft).await;
    editor.command("kenning.waitForIndex", json!({})).await.unwrap();
    let ask = json!({ "query": "freeze_quark" });
    let mut agent = Agent::start(&fixture);
    let text = tokio::task::block_in_place(|| agent.ask_tool("search", ask.clone()));
    assert!(text.contains("freeze_quark"), "the agent has joined the session: {text}");

    let process = editor.process.unwrap().to_string();
    let signal =
        |name: &str| assert!(Command::new("kill").args([name, &process]).status().unwrap().success());
    signal("-STOP");
    // A joined agent, one that starts now, and further calls of both.
    let mut later = Agent::start(&fixture);
    for _ in 0..2 {
        for agent in [&mut agent, &mut later] {
            let text = tokio::task::block_in_place(|| agent.ask_tool("search", ask.clone()));
            assert!(text.starts_with("Nothing"), "the disk does not have the draft: {text}");
        }
    }
    signal("-CONT");
    let text = tokio::task::block_in_place(|| agent.ask_tool("search", ask.clone()));
    assert!(text.starts_with("Nothing"), "the session is left aside for the life of the agent: {text}");
    later.end_session();
    agent.end_session();
    editor.shut_down().await;
}
