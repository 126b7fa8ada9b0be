//! Measures the time from opening a file until a language server confirms the first edge of the
//! file.
//!
//! [`measure`] indexes a tree, waits until a language server is ready, and splits the files with
//! one extension into equal parts. In each part, it opens the longest file with a call to confirm,
//! and polls the graph until the provenance of a call is the server. Kenning meanwhile asks the
//! server about the whole tree, so some files are confirmed before they are opened.

use crate::latency::{FILE_EXTENSIONS, source_files};
use crate::session::{AllowedServers, BenchSession, file_uri};
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum number of functions per file whose calls are checked for a confirmed edge. Generated
/// files have thousands.
const MAX_FUNCTIONS: usize = 60;

/// Maximum number of neighbors to request for a file as a whole. Generated files call thousands of
/// functions.
const MAX_NEIGHBORS: usize = 300;

/// Timeout for a server to become ready.
const READY_TIMEOUT: Duration = Duration::from_secs(120);

/// Timeout for a confirmed edge. In some files, a server never confirms one.
const CONFIRMATION_TIMEOUT: Duration = Duration::from_secs(20);

/// The time of a file's first confirmed edge.
#[derive(Clone, Copy, Debug)]
pub enum FileOutcome {
    /// An edge was confirmed before the file was opened.
    Before,
    /// The first edge was confirmed this long after the file was opened.
    After(Duration),
    /// No edge was confirmed within the timeout.
    Never,
}

/// The measurements of one session with a language server.
#[derive(Debug)]
pub struct ConfirmationMeasurement {
    /// The server's name and version.
    pub server: String,
    /// Time from the first index until the server is ready.
    pub ready: Duration,
    /// The opened files with their outcomes, in the order in which they were opened. Meanwhile
    /// Kenning asks the server about the whole tree.
    pub files: Vec<(String, FileOutcome)>,
}

/// Opens `count` files of the tree at `root` with the program at `kenning`, which finds language
/// servers on `PATH`.
///
/// # Errors
/// Fails if the program fails or no server becomes ready within two minutes.
pub fn measure(
    kenning: &Path,
    root: &Path,
    extension: &str,
    count: usize,
) -> anyhow::Result<ConfirmationMeasurement> {
    ensure!(FILE_EXTENSIONS.contains(&extension), "files that end with .{extension} are not indexed");
    let root = root.canonicalize().with_context(|| root.display().to_string())?;
    let cache = tempfile::tempdir()?;
    let mut session = BenchSession::start_indexed(kenning, &root, cache.path(), AllowedServers::OnPath)?;
    let began = Instant::now();
    let server = wait_until_ready(&mut session, began)?;
    let ready = began.elapsed();
    let mut files = Vec::new();
    for part in split_files(&root, extension, count)? {
        // Use the longest file with functions. A test that nothing calls has no lenses.
        for path in part {
            let relative = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned();
            let queries = caller_queries(&mut session, &path, &relative)?;
            if !queries.is_empty() {
                let outcome =
                    time_confirmation(&mut session, &path, &queries).with_context(|| relative.clone())?;
                files.push((relative, outcome));
                break;
            }
        }
    }
    session.shut_down()?;
    Ok(ConfirmationMeasurement { server, ready, files })
}

/// Splits the sorted list of files with this extension into `count` equal parts. Each part lists
/// its longest file first.
fn split_files(root: &Path, extension: &str, count: usize) -> anyhow::Result<Vec<Vec<PathBuf>>> {
    let mut files: Vec<(PathBuf, u64)> = Vec::new();
    for path in source_files(root)? {
        if path.extension().is_some_and(|e| e == extension) {
            let size = path.metadata()?.len();
            files.push((path, size));
        }
    }
    files.sort();
    let part_size = files.len().div_ceil(count.max(1)).max(1);
    let longest_first = |part: &[(PathBuf, u64)]| {
        let mut part = part.to_vec();
        part.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        part.into_iter().map(|file| file.0).collect()
    };
    Ok(files.chunks(part_size).map(longest_first).collect())
}

fn wait_until_ready(session: &mut BenchSession, began: Instant) -> anyhow::Result<String> {
    loop {
        let status = session.execute_command("kenning.status", json!({}))?;
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
        ensure!(
            began.elapsed() < READY_TIMEOUT,
            "no language server is ready after {READY_TIMEOUT:?}: {servers:?}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the graph queries for callers in a file that have a call to confirm: its first
/// [`MAX_FUNCTIONS`] functions, and the file itself, which may have code outside functions.
fn caller_queries(session: &mut BenchSession, path: &Path, relative: &str) -> anyhow::Result<Vec<Value>> {
    let document = json!({ "uri": file_uri(path) });
    let lenses = session.request("textDocument/codeLens", json!({ "textDocument": document }))?;
    let lenses = lenses.as_array().into_iter().flatten().take(MAX_FUNCTIONS);
    let functions = lenses.map(|lens| {
        let position = &lens["range"]["start"];
        json!({ "textDocument": document, "position": position, "depth": 1 })
    });
    let whole_file =
        json!({ "textDocument": document, "symbol": relative, "depth": 1, "limit": MAX_NEIGHBORS });
    let mut found = Vec::new();
    for query in functions.chain([whole_file]) {
        if call_provenances(session, &query)?.any(|provenance| provenance == "ast_resolved") {
            found.push(query);
        }
    }
    Ok(found)
}

/// Opens a file and waits until its first edge is confirmed.
fn time_confirmation(
    session: &mut BenchSession,
    path: &Path,
    queries: &[Value],
) -> anyhow::Result<FileOutcome> {
    let (uri, text) = (file_uri(path), std::fs::read_to_string(path)?);
    if is_confirmed(session, queries)? {
        return Ok(FileOutcome::Before);
    }
    let began = Instant::now();
    let opened = json!({ "uri": uri, "languageId": "any", "version": 0, "text": text });
    session.notify("textDocument/didOpen", json!({ "textDocument": opened }))?;
    while !is_confirmed(session, queries)? {
        if began.elapsed() > CONFIRMATION_TIMEOUT {
            return Ok(FileOutcome::Never);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(FileOutcome::After(began.elapsed()))
}

/// Whether the server has confirmed a call by one of the callers.
fn is_confirmed(session: &mut BenchSession, queries: &[Value]) -> anyhow::Result<bool> {
    for query in queries {
        if call_provenances(session, query)?.any(|provenance| provenance == "lsp_resolved") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the provenance of each call from a caller into the workspace. Calls out of the workspace
/// do not count, because dependencies need not be installed.
fn call_provenances(
    session: &mut BenchSession,
    query: &Value,
) -> anyhow::Result<impl Iterator<Item = Value>> {
    let graph = session.execute_command("kenning.graph", query.clone())?;
    let nodes = graph["nodes"].as_array().context("the graph has no nodes")?;
    let center = nodes.iter().position(|node| node["distance"] == 0).map(|at| at as u64);
    let edges = graph["edges"].as_array().context("the graph has no edges")?;
    let inside = |edge: &&Value| {
        let target = edge["target"].as_u64().and_then(|at| nodes.get(at as usize));
        target.is_some_and(|node| node["kind"] != "external")
    };
    let calls = edges.iter().filter(|edge| edge["kind"] == "calls" && edge["source"].as_u64() == center);
    let calls = calls.filter(inside);
    Ok(calls.map(|edge| edge["provenance"].clone()).collect::<Vec<_>>().into_iter())
}

/// Returns the measurement as a Markdown table.
pub fn to_markdown(measured: &ConfirmationMeasurement, command: &str, machine: &str) -> String {
    let format_outcome = |outcome: FileOutcome| match outcome {
        FileOutcome::Before => "before".to_owned(),
        FileOutcome::After(time) => format!("{:.2} s", time.as_secs_f64()),
        FileOutcome::Never => format!("none in {CONFIRMATION_TIMEOUT:?}"),
    };
    let rows =
        measured.files.iter().map(|(file, outcome)| format!("| {file} | {} |\n", format_outcome(*outcome)));
    format!(
        "{} was ready {:.1} s after the index\n\n| opened | first confirmed edge |\n|---|---|\n{}\n`{command}`, {machine}\n",
        measured.server,
        measured.ready.as_secs_f64(),
        rows.collect::<String>()
    )
}
