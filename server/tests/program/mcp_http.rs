//! Tests the MCP server over HTTP: who may connect, with which token, and how many sessions there
//! are.

use crate::support::Fixture;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

fn http_command(fixture: &Fixture) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.args(["mcp", "--http", "0"]).current_dir(fixture.root());
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
        command.env(variable, fixture.root().join("../cache"));
    }
    for variable in ["KENNING_LOG", "KENNING_DB", "KENNING_ROOT", "KENNING_MCP_TOKEN"] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// An HTTP server, with what it printed at its start.
struct HttpServer {
    process: Child,
    address: String,
    token: Option<String>,
    /// Keeps the server's standard error open.
    _messages: BufReader<ChildStderr>,
}

impl HttpServer {
    fn start(mut command: Command) -> Self {
        let mut process = command.spawn().unwrap();
        let has_token =
            command.get_envs().any(|(name, value)| name == "KENNING_MCP_TOKEN" && value.is_some());
        let mut messages = BufReader::new(process.stderr.take().unwrap());
        let mut next_line = || {
            let mut line = String::new();
            messages.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        };
        let listening = next_line();
        let address = listening.strip_prefix("Listening on http://").unwrap().strip_suffix("/mcp").unwrap();
        let token = (!has_token).then(|| {
            assert!(next_line().starts_with("Clients must send this token"));
            let line = next_line();
            let token = line.strip_prefix("  \"headers\": { \"Authorization\": \"Bearer ").unwrap();
            token.strip_suffix("\" }").unwrap().to_owned()
        });
        Self { process, address: address.to_owned(), token, _messages: messages }
    }

    /// Sends a request on a connection of its own. Returns the status and the session that the
    /// answer names.
    fn post(&self, token: Option<&str>, session: Option<&str>, body: &str) -> (u16, Option<String>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let header = |name: &str, value: Option<&str>| {
            value.map_or_else(String::new, |value| format!("{name}: {value}\r\n"))
        };
        let authorization = token.map(|token| format!("Bearer {token}"));
        let optional = header("Authorization", authorization.as_deref()) + &header("Mcp-Session-Id", session);
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{optional}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let session = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        (status, session.map(str::to_owned))
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn create_workspace() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("src/app.py", "def run_app():\n    pass\n");
    fixture
}

#[test]
fn a_server_without_a_token_makes_one_and_refuses_clients_without_it() {
    let fixture = create_workspace();
    let server = HttpServer::start(http_command(&fixture));
    let token = server.token.clone().unwrap();
    assert_eq!(token.len(), 32);
    for wrong in [None, Some(""), Some(&token[1..]), Some("0123456789abcdef0123456789abcdef")] {
        assert_eq!(server.post(wrong, None, INITIALIZE).0, 401, "{wrong:?}");
    }
    let (status, session) = server.post(Some(&token), None, INITIALIZE);
    assert_eq!((status, session.is_some()), (200, true));
    let another = HttpServer::start(http_command(&fixture));
    assert_ne!(another.token, server.token);
}

#[test]
fn the_token_of_the_environment_is_required_and_not_printed() {
    let fixture = create_workspace();
    let mut command = http_command(&fixture);
    command.env("KENNING_MCP_TOKEN", "a secret");
    let server = HttpServer::start(command);
    assert_eq!(server.post(None, None, INITIALIZE).0, 401);
    assert_eq!(server.post(Some("a secret"), None, INITIALIZE).0, 200);
}

#[test]
fn a_token_that_no_client_can_send_is_an_error() {
    let fixture = create_workspace();
    for (value, problem) in [
        ("", "is empty"),
        (" \t ", "is empty"),
        ("secret ", "begins or ends with white space"),
        ("sec\nret", "ASCII"),
        ("schlüssel", "ASCII"),
    ] {
        let output = http_command(&fixture).env("KENNING_MCP_TOKEN", value).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{value:?}");
        assert!(error.starts_with("kenning: KENNING_MCP_TOKEN ") && error.contains(problem), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn the_oldest_idle_session_is_closed_when_there_are_too_many() {
    let fixture = create_workspace();
    let server = HttpServer::start(http_command(&fixture));
    let token = server.token.clone();
    let begin = || {
        let (status, session) = server.post(token.as_deref(), None, INITIALIZE);
        assert_eq!(status, 200);
        session.unwrap()
    };
    let use_session = |session: &str| server.post(token.as_deref(), Some(session), PING).0;
    let (first, second) = (begin(), begin());
    for _ in 2..64 {
        begin();
    }
    assert_eq!(use_session(&first), 200);
    let newest = begin();
    assert_eq!(use_session(&second), 404, "the session that was idle for the longest time is closed");
    assert_eq!((use_session(&first), use_session(&newest)), (200, 200));
}
