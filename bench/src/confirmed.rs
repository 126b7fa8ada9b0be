//! The time until a language server confirms the first edge of a file that a user opens.

use crate::latency::{ENDINGS, source_files};
use crate::session::{Servers, Session, file_uri};
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum number of functions of a file that are searched for a confirmed edge.
const FUNCTIONS: usize = 60;

/// Maximum number of neighbours that are requested per file.
const NEIGHBOURS: usize = 300;

/// Timeout for a server to become ready.
const PATIENCE: Duration = Duration::from_secs(120);

/// Timeout for a confirmed edge. In some files, a server confirms none.
const WAITED: Duration = Duration::from_secs(20);

/// The outcome for a file.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// An edge was confirmed before the file was opened.
    Before,
    /// The first edge was confirmed this long after the file was opened.
    After(Duration),
    /// No edge was confirmed within the timeout.
    Never,
}

/// The result of a measurement.
#[derive(Debug)]
pub struct Confirmed {
    /// The server's name and version.
    pub server: String,
    /// Time from the first index until the server is ready.
    pub ready: Duration,
    /// The opened files with their outcomes. They are opened one after the other, while the server
    /// is asked about the whole tree.
    pub files: Vec<(String, Outcome)>,
}

/// Opens `count` files of the tree at `root` with the program at `kenning`, which finds language
/// servers on `PATH`.
///
/// # Errors
/// Fails if the program fails or no server becomes ready within two minutes.
pub fn measure(kenning: &Path, root: &Path, ending: &str, count: usize) -> anyhow::Result<Confirmed> {
    ensure!(ENDINGS.contains(&ending), "files that end with .{ending} are not indexed");
    let root = root.canonicalize().with_context(|| root.display().to_string())?;
    let cache = tempfile::tempdir()?;
    let mut session = Session::indexed(kenning, &root, cache.path(), Servers::Found)?;
    let began = Instant::now();
    let server = wait_until_ready(&mut session, began)?;
    let ready = began.elapsed();
    let mut files = Vec::new();
    for part in parts(&root, ending, count)? {
        // The longest file with functions is used. A test that nothing calls has no lenses.
        for path in part {
            let relative = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned();
            let callers = callers(&mut session, &path, &relative)?;
            if !callers.is_empty() {
                let time = open(&mut session, &path, &callers).with_context(|| relative.clone())?;
                files.push((relative, time));
                break;
            }
        }
    }
    session.end()?;
    Ok(Confirmed { server, ready, files })
}

/// Splits the sorted list of files with this ending into `count` equal parts. Each part lists its
/// longest file first.
fn parts(root: &Path, ending: &str, count: usize) -> anyhow::Result<Vec<Vec<PathBuf>>> {
    let mut files: Vec<(PathBuf, u64)> = Vec::new();
    for path in source_files(root)? {
        if path.extension().is_some_and(|e| e == ending) {
            let size = path.metadata()?.len();
            files.push((path, size));
        }
    }
    files.sort();
    let part = files.len().div_ceil(count.max(1)).max(1);
    let longest_first = |part: &[(PathBuf, u64)]| {
        let mut part = part.to_vec();
        part.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        part.into_iter().map(|file| file.0).collect()
    };
    Ok(files.chunks(part).map(longest_first).collect())
}

fn wait_until_ready(session: &mut Session, began: Instant) -> anyhow::Result<String> {
    loop {
        let status = session.run("kenning.status", json!({}))?;
        let servers = status["enrichment"].as_array().context("the status has no language servers")?;
        if let Some(server) =
            servers.iter().find(|server| server["state"] == "ready" || server["state"] == "busy")
        {
            return Ok(format!(
                "{} {}",
                server["name"].as_str().unwrap_or(""),
                server["version"].as_str().unwrap_or("")
            )
            .trim()
            .to_owned());
        }
        ensure!(began.elapsed() < PATIENCE, "no language server is ready after {PATIENCE:?}: {servers:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the questions about callers for which the text shows a call: some functions of a file,
/// and the file itself, which may have code outside functions.
fn callers(session: &mut Session, path: &Path, relative: &str) -> anyhow::Result<Vec<Value>> {
    let document = json!({ "uri": file_uri(path) });
    let lenses = session.request("textDocument/codeLens", json!({ "textDocument": document }))?;
    let lenses = lenses.as_array().into_iter().flatten().take(FUNCTIONS);
    let functions = lenses.map(|lens| {
        let position = &lens["range"]["start"];
        json!({ "textDocument": document, "position": position, "depth": 1 })
    });
    let itself = json!({ "textDocument": document, "symbol": relative, "depth": 1, "limit": NEIGHBOURS });
    let mut found = Vec::new();
    for asked in functions.chain([itself]) {
        if calls(session, &asked)?.any(|provenance| provenance == "ast_resolved") {
            found.push(asked);
        }
    }
    Ok(found)
}

/// Opens a file and waits until its first edge is confirmed.
fn open(session: &mut Session, path: &Path, callers: &[Value]) -> anyhow::Result<Outcome> {
    let (uri, text) = (file_uri(path), std::fs::read_to_string(path)?);
    if is_confirmed(session, callers)? {
        return Ok(Outcome::Before);
    }
    let began = Instant::now();
    let opened = json!({ "uri": uri, "languageId": "any", "version": 0, "text": text });
    session.notify("textDocument/didOpen", json!({ "textDocument": opened }))?;
    while !is_confirmed(session, callers)? {
        if began.elapsed() > WAITED {
            return Ok(Outcome::Never);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(Outcome::After(began.elapsed()))
}

/// Whether a call of one of the callers is confirmed.
fn is_confirmed(session: &mut Session, callers: &[Value]) -> anyhow::Result<bool> {
    for asked in callers {
        if calls(session, asked)?.any(|provenance| provenance == "lsp_resolved") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the provenance of a caller's calls into the workspace. Calls to the outside do not
/// count, because dependencies need not be installed.
fn calls(session: &mut Session, asked: &Value) -> anyhow::Result<impl Iterator<Item = Value>> {
    let graph = session.run("kenning.graph", asked.clone())?;
    let nodes = graph["nodes"].as_array().context("the graph has no nodes")?;
    let centre = nodes.iter().position(|node| node["distance"] == 0).map(|at| at as u64);
    let edges = graph["edges"].as_array().context("the graph has no edges")?;
    let inside = |edge: &&Value| {
        let target = edge["target"].as_u64().and_then(|at| nodes.get(at as usize));
        target.is_some_and(|node| node["kind"] != "external")
    };
    let calls = edges.iter().filter(|edge| edge["kind"] == "calls" && edge["source"].as_u64() == centre);
    let calls = calls.filter(inside);
    Ok(calls.map(|edge| edge["provenance"].clone()).collect::<Vec<_>>().into_iter())
}

/// Returns the measurement as a Markdown table.
pub fn markdown(measured: &Confirmed, command: &str, machine: &str) -> String {
    let shown = |outcome: Outcome| match outcome {
        Outcome::Before => "before".to_owned(),
        Outcome::After(time) => format!("{:.2} s", time.as_secs_f64()),
        Outcome::Never => format!("none in {WAITED:?}"),
    };
    let rows = measured.files.iter().map(|(file, time)| format!("| {file} | {} |\n", shown(*time)));
    format!(
        "{} was ready {:.1} s after the index\n\n| opened | first confirmed edge |\n|---|---|\n{}\n`{command}`, {machine}\n",
        measured.server,
        measured.ready.as_secs_f64(),
        rows.collect::<String>()
    )
}
