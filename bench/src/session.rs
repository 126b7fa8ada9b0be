//! A minimal language-server session with the built `kenning`, for timing requests.
//!
//! The session starts `kenning serve` as a child process, initializes it for one workspace, and
//! sends one request at a time. It answers the server's own requests with null and ignores its
//! notifications. Memory and CPU time are read from `/proc`, and once more when the process ends.

use crate::child::{self, Usage};
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest time in which the commits of the measured folder must be read.
const COMMITS_TIMEOUT: Duration = Duration::from_secs(60);

/// The language servers that Kenning may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedServers {
    /// All servers that Kenning finds on `PATH`.
    OnPath,
    /// None, so that only Kenning is measured.
    None,
}

impl AllowedServers {
    /// Returns the initialization options for this choice.
    fn initialization_options(self) -> Value {
        let all = kenning_enrichment::servers::all_languages().iter().flat_map(|language| &language.servers);
        let names = all.map(|server| server.name.clone());
        let disabled = |name| (name, json!({ "enabled": false }));
        match self {
            Self::OnPath => json!({}),
            Self::None => json!({ "servers": names.map(disabled).collect::<serde_json::Map<_, _>>() }),
        }
    }
}

/// A running `kenning serve`. If it is dropped without [`BenchSession::shut_down`], its input
/// closes and the server exits by itself.
pub struct BenchSession {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    began: Instant,
    last_id: u64,
}

impl BenchSession {
    /// Starts the server on a workspace and initializes it.
    ///
    /// # Errors
    /// Fails if the program cannot be started, or if it refuses to initialize.
    pub fn start(command: &mut Command, root: &Path, servers: AllowedServers) -> anyhow::Result<Self> {
        command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let began = Instant::now();
        let mut child = command.spawn().with_context(|| format!("{command:?} cannot be started"))?;
        let input = child.stdin.take().context("the child has an input")?;
        let output = BufReader::new(child.stdout.take().context("the child has an output")?);
        let mut session = Self { child, input, output, began, last_id: 0 };
        let uri = file_uri(root);
        let parameters = json!({
            "processId": std::process::id(),
            "rootUri": uri,
            "workspaceFolders": [{ "uri": uri, "name": "bench" }],
            "initializationOptions": servers.initialization_options(),
            // With this capability, lenses are resolved one by one, as in editors.
            "capabilities": { "textDocument": { "codeLens": { "resolveSupport": { "properties": ["command"] } } } },
        });
        session.request("initialize", parameters)?;
        session.notify("initialized", json!({}))?;
        Ok(session)
    }

    /// Starts the program at `kenning` on a workspace with its cache in the folder `cache`, and
    /// waits until the workspace is indexed.
    ///
    /// # Errors
    /// Fails if the program fails.
    pub fn start_indexed(
        kenning: &Path,
        root: &Path,
        cache: &Path,
        servers: AllowedServers,
    ) -> anyhow::Result<Self> {
        let mut command = Command::new(kenning);
        command.env("XDG_CACHE_HOME", cache).env_remove("KENNING_DB").env_remove("KENNING_LOG");
        let mut session = Self::start(&mut command, root, servers)?;
        session.execute_command("kenning.reindex", json!({}))?;
        Ok(session)
    }

    /// Waits until the session has read the commits, which the ranking of packs uses.
    ///
    /// # Errors
    /// Fails if the server answers with an error, or has no commits after a minute.
    pub fn wait_for_commits(&mut self) -> anyhow::Result<()> {
        let began = Instant::now();
        while self.execute_command("kenning.status", json!({}))?["commits"].as_u64().unwrap_or(0) == 0 {
            anyhow::ensure!(
                began.elapsed() < COMMITS_TIMEOUT,
                "the server read no commits within {COMMITS_TIMEOUT:?}; measure a folder with a git history"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// Executes a command with one argument.
    ///
    /// # Errors
    /// Returns the errors of [`BenchSession::request`].
    pub fn execute_command(&mut self, command: &str, argument: Value) -> anyhow::Result<Value> {
        self.request("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
    }

    /// Sends a request and waits for its answer. Answers requests that the server sends in the
    /// meantime with null.
    ///
    /// # Errors
    /// Fails if the server answers with an error or exits.
    pub fn request(&mut self, method: &str, parameters: Value) -> anyhow::Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }))?;
        loop {
            let message = read_message(&mut self.output)?;
            if message.get("method").is_some() {
                if let Some(request_id) = message.get("id") {
                    self.send(&json!({ "jsonrpc": "2.0", "id": request_id, "result": null }))?;
                }
            } else if message["id"] == id {
                if let Some(error) = message.get("error") {
                    bail!("{method}: {error}");
                }
                return Ok(message["result"].clone());
            }
        }
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// Fails if the server has closed its input.
    pub fn notify(&mut self, method: &str, parameters: Value) -> anyhow::Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }))
    }

    /// Returns the resident memory of the server in bytes.
    ///
    /// # Errors
    /// Fails on systems other than Linux.
    pub fn resident_memory(&self) -> anyhow::Result<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(&path).with_context(|| path.clone())?;
        let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = kilobytes.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
        Ok(kilobytes.with_context(|| format!("{path} has no VmRSS"))? * 1024)
    }

    /// Returns the CPU time that all threads of the server have used, to a hundredth of a second.
    ///
    /// # Errors
    /// Fails on systems other than Linux.
    pub fn cpu_time(&self) -> anyhow::Result<Duration> {
        let path = format!("/proc/{}/stat", self.child.id());
        let stat = std::fs::read_to_string(&path).with_context(|| path.clone())?;
        // The name of the program is in parentheses; user and system time are the 12th and 13th
        // fields after it.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let ticks: Vec<u64> = after.split_whitespace().skip(11).take(2).flat_map(str::parse).collect();
        // SAFETY: the call only reads a constant of the system.
        let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        anyhow::ensure!(ticks.len() == 2 && per_second > 0, "{path} has no times");
        Ok(Duration::from_secs_f64(ticks.iter().sum::<u64>() as f64 / per_second as f64))
    }

    /// Shuts the server down and returns the resources that it used.
    ///
    /// # Errors
    /// Fails if the server answers with an error, or if its exit status is not 0.
    pub fn shut_down(mut self) -> anyhow::Result<Usage> {
        self.request("shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        drop(self.input);
        let (status, usage) = child::wait(self.child, self.began)?;
        anyhow::ensure!(status == 0, "the server ended with wait status {status} after exit");
        Ok(usage)
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(self.input.flush()?)
    }
}

/// Reads one framed message.
fn read_message(input: &mut impl BufRead) -> anyhow::Result<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            bail!("the server closed its output");
        }
        if line.trim_end().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = Some(value.trim().parse::<u64>().context("Content-Length")?);
        }
    }
    let mut body = Vec::new();
    input.take(length.context("a message without Content-Length")?).read_to_end(&mut body)?;
    serde_json::from_slice(&body).context("a message that is not JSON")
}

/// Returns the `file` URI of an absolute path.
pub fn file_uri(path: &Path) -> String {
    let escape = |byte: u8| match byte {
        b'/' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    let escaped: Vec<String> = path.to_string_lossy().bytes().map(escape).collect();
    format!("file://{}", escaped.concat())
}

#[cfg(test)]
mod tests {
    use super::{file_uri, read_message};
    use std::path::Path;

    #[test]
    fn messages_are_read_by_their_length() {
        let mut input = "content-length: 8\r\nX: y\r\n\r\n{\"a\": 1}Content-Length: 2\r\n\r\n{}".as_bytes();
        assert_eq!(read_message(&mut input).expect("a message")["a"], 1);
        assert_eq!(read_message(&mut input).expect("a message"), serde_json::json!({}));
        assert!(read_message(&mut input).is_err(), "nothing left");
        assert!(read_message(&mut "\r\n{}".as_bytes()).is_err(), "no length");
    }

    #[test]
    fn a_path_is_escaped_in_its_uri() {
        assert_eq!(file_uri(Path::new("/tmp/a b/ö#")), "file:///tmp/a%20b/%C3%B6%23");
    }
}
