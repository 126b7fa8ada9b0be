//! Measures the latency and the memory of an open session with the built `kenning`.
//!
//! [`measure_session`] opens a tree in one session and measures, in this order: edits, each with a hover;
//! saves; hovers and lenses; packs. Memory is sampled during the edits and during the packs. The
//! output is one [`SessionMeasurement`], which [`to_markdown`] and [`to_csv`] print.

use crate::session::{AllowedServers, BenchSession, file_uri};
use crate::speed::TASKS;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Approximate number of lines of the file that is edited.
const TARGET_LINES: usize = 2000;

/// Timeout for the server to become idle before the measurement.
const IDLE_TIMEOUT: Duration = Duration::from_secs(900);

/// Number of consecutive idle seconds after which the server counts as idle.
const IDLE_SECONDS: u32 = 2;

/// CPU time in one second below which the server is idle.
const MAX_IDLE_CPU: Duration = Duration::from_millis(50);

/// Maximum time that a command waits for the messages before it (`server/src/session/folder.rs`).
const COMMAND_WAIT: Duration = Duration::from_millis(100);

/// Timeout for reading a saved file.
const SAVE_TIMEOUT: Duration = Duration::from_secs(60);

/// Number of memory samples per part of the measurement.
const MEMORY_SAMPLES: usize = 20;

/// Number of timed requests of each kind: hovers, lists of lenses, single lenses.
const REQUESTS_PER_KIND: usize = 300;

/// Extensions of the files that can be opened.
pub const FILE_EXTENSIONS: &[&str] = &["go", "py", "ts", "tsx", "js", "rs", "java", "cs", "rb"];

/// The amount of work to measure.
#[derive(Clone, Copy, Debug)]
pub struct SessionWorkload {
    /// Number of edits, each followed by a hover that waits for it.
    pub edits: usize,
    /// Number of edits that are saved, each followed by a command that waits until the graph of the
    /// disk has the file.
    pub saves: usize,
    /// Number of packs.
    pub packs: usize,
    /// Whether to begin as soon as the graph is ready, while the server reads commits and blame.
    pub skips_idle_wait: bool,
    /// The language servers that run at the same time.
    pub servers: AllowedServers,
}

/// The measurements of one session.
#[derive(Debug)]
pub struct SessionMeasurement {
    /// Name of the tree's folder.
    pub repo: String,
    /// Number of symbols in its graph.
    pub symbols: u64,
    /// The path of the edited file from the root.
    pub file: String,
    /// The number of lines of the edited file.
    pub line_count: usize,
    /// Times by kind of request, in the order in which they were measured.
    pub times: Vec<(&'static str, Vec<Duration>)>,
    /// Resident memory in bytes: when the index was ready, after the edits, after the packs.
    pub resident: [u64; 3],
    /// Growth in bytes for each edit and for each pack, by least squares over the later half of
    /// the samples.
    pub slopes: [f64; 2],
}

/// Measures the program at `kenning` on the tree at `root`, with a temporary cache.
///
/// # Errors
/// Fails if the program fails or has no hover or lenses, or if the tree has no file to edit.
pub fn measure_session(
    kenning: &Path,
    root: &Path,
    workload: SessionWorkload,
) -> anyhow::Result<SessionMeasurement> {
    let root = root.canonicalize().with_context(|| root.display().to_string())?;
    let cache = tempfile::tempdir()?;
    let mut session = BenchSession::start_indexed(kenning, &root, cache.path(), workload.servers)?;
    let status = session.execute_command("kenning.status", json!({}))?;
    if !workload.skips_idle_wait {
        wait_until_idle(&session)?;
    }
    let (path, text, mut document) = open_target_file(&mut session, &root)?;
    let ready = session.resident_memory()?;

    let (mut edits, mut memory) = (Vec::new(), Vec::new());
    for number in 0..workload.edits {
        edits.push(document.time_edit(&mut session, number)?);
        if number.is_multiple_of((workload.edits / MEMORY_SAMPLES).max(1)) {
            memory.push((number as f64, session.resident_memory()? as f64));
        }
    }
    document.check_edits_applied(&mut session)?;
    let (edited, edit_slope) = (session.resident_memory()?, fit_slope(&memory));

    let saves = document.time_saves(&mut session, &path, &text, workload);
    std::fs::write(&path, &text)?;
    let saves = saves?;
    let mut times = vec![("didChange to answered hover", edits), ("didSave to answered command", saves)];
    times.extend(document.time_requests(&mut session)?);
    let (mut packs, mut memory) = (Vec::new(), Vec::new());
    let tasks: Vec<&str> = TASKS.lines().collect();
    for number in 0..workload.packs {
        let began = Instant::now();
        session.execute_command("kenning.taskContext", json!({ "task": tasks[number % tasks.len()] }))?;
        packs.push(began.elapsed());
        if number.is_multiple_of((workload.packs / MEMORY_SAMPLES).max(1)) {
            memory.push((number as f64, session.resident_memory()? as f64));
        }
    }
    times.push(("taskContext", packs));
    let resident = [ready, edited, session.resident_memory()?];
    session.shut_down()?;
    let relative = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned();
    Ok(SessionMeasurement {
        repo: root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        symbols: status["symbols"].as_u64().context("the status has no number of symbols")?,
        file: relative,
        line_count: text.lines().count(),
        times,
        resident,
        slopes: [edit_slope, fit_slope(&memory)],
    })
}

/// Waits until the server has been idle for [`IDLE_SECONDS`] consecutive seconds. After the first
/// index, it reads commits and blame at low priority, which matters because the two threads of a
/// small machine share one core.
fn wait_until_idle(session: &BenchSession) -> anyhow::Result<()> {
    let began = Instant::now();
    let (mut cpu_before, mut idle_seconds) = (session.cpu_time()?, 0);
    while idle_seconds < IDLE_SECONDS {
        ensure!(
            began.elapsed() < IDLE_TIMEOUT,
            "the server is still busy after {IDLE_TIMEOUT:?}; measure with --at-once"
        );
        std::thread::sleep(Duration::from_secs(1));
        let cpu_now = session.cpu_time()?;
        let is_idle = cpu_now.saturating_sub(cpu_before) < MAX_IDLE_CPU;
        idle_seconds = if is_idle { idle_seconds + 1 } else { 0 };
        cpu_before = cpu_now;
    }
    Ok(())
}

/// An open document and the positions of its functions.
struct OpenDocument {
    uri: String,
    version: usize,
    /// The lengths of the lines in UTF-16 units.
    lengths: Vec<usize>,
    /// The lenses of the document. Their positions are the names of definitions.
    lenses: Vec<Value>,
}

impl OpenDocument {
    /// Opens a file. Closes it again and returns `None` if it has no lenses.
    fn open(session: &mut BenchSession, path: &Path, text: &str) -> anyhow::Result<Option<Self>> {
        let uri = file_uri(path);
        let document = json!({ "uri": uri, "languageId": "any", "version": 0, "text": text });
        session.notify("textDocument/didOpen", json!({ "textDocument": document }))?;
        let lenses = session.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }))?;
        let lenses = lenses.as_array().cloned().unwrap_or_default();
        if lenses.is_empty() {
            session.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }))?;
            return Ok(None);
        }
        let lengths = text.lines().map(|line| line.encode_utf16().count()).collect();
        Ok(Some(Self { uri, version: 0, lengths, lenses }))
    }

    /// Types a character at the end of a line, or deletes the last one typed. Returns the time
    /// until the answer to a hover that is requested immediately afterwards and waits for the edit.
    fn time_edit(&mut self, session: &mut BenchSession, number: usize) -> anyhow::Result<Duration> {
        let line = self.edited_line(number);
        let column = self.lengths[line];
        let (end, text) = if number.is_multiple_of(2) { (column, "x") } else { (column + 1, "") };
        self.version += 1;
        let range = json!({
            "start": { "line": line, "character": column }, "end": { "line": line, "character": end },
        });
        let document = json!({ "uri": self.uri, "version": self.version });
        let params =
            json!({ "textDocument": document, "contentChanges": [{ "range": range, "text": text }] });
        let began = Instant::now();
        session.notify("textDocument/didChange", params)?;
        self.request_hover(session, number)?;
        Ok(began.elapsed())
    }

    /// Edits and saves. Returns the times from a `didSave`, sent when the text is on disk, to the
    /// answer to a command that waits for the save.
    fn time_saves(
        &mut self,
        session: &mut BenchSession,
        path: &Path,
        text: &str,
        workload: SessionWorkload,
    ) -> anyhow::Result<Vec<Duration>> {
        let mut times = Vec::new();
        for number in workload.edits..workload.edits + workload.saves {
            self.time_edit(session, number)?;
            std::fs::write(path, self.text_after(text, number))?;
            let position = &self.lenses[number % self.lenses.len()]["range"]["start"];
            let argument = json!({ "textDocument": { "uri": self.uri }, "position": position });
            let began = Instant::now();
            session.notify("textDocument/didSave", json!({ "textDocument": { "uri": self.uri } }))?;
            // The server answers a command when it has read the file or, after a long wait, from
            // the last graph.
            let mut waited = COMMAND_WAIT;
            while waited >= COMMAND_WAIT {
                let requested_at = Instant::now();
                session.execute_command("kenning.blastRadius", argument.clone())?;
                waited = requested_at.elapsed();
                ensure!(began.elapsed() < SAVE_TIMEOUT, "a saved file was not read within {SAVE_TIMEOUT:?}");
            }
            times.push(began.elapsed());
        }
        Ok(times)
    }

    /// Returns the line of the edit with this number. Each line is edited twice in a row.
    fn edited_line(&self, number: usize) -> usize {
        // 7919 is a prime, so the edits visit every line.
        (number / 2 * 7919) % self.lengths.len()
    }

    /// Returns the text after the edit with this number.
    fn text_after(&self, text: &str, number: usize) -> String {
        if !number.is_multiple_of(2) {
            return text.to_owned();
        }
        let typed_at = self.edited_line(number);
        let lines = text.split_inclusive('\n').enumerate().map(|(at, line)| {
            let (body, ending) = line.split_at(line.trim_end_matches(['\r', '\n']).len());
            if at == typed_at { format!("{body}x{ending}") } else { line.to_owned() }
        });
        lines.collect()
    }

    fn request_hover(&self, session: &mut BenchSession, number: usize) -> anyhow::Result<Value> {
        let position = &self.lenses[number % self.lenses.len()]["range"]["start"];
        let params = json!({ "textDocument": { "uri": self.uri }, "position": position });
        session.request("textDocument/hover", params)
    }

    /// Checks that the server applied the edits; otherwise the times are meaningless. Waits for the
    /// last edit, because after a long wait the server answers a hover without it.
    fn check_edits_applied(&self, session: &mut BenchSession) -> anyhow::Result<()> {
        let began = Instant::now();
        loop {
            let status = session.execute_command("kenning.status", json!({}))?;
            let document = &status["documents"][0];
            ensure!(document["desynchronized"].is_null(), "the server lost the edits: {document}");
            if document["version"] == self.version {
                return Ok(());
            }
            ensure!(
                began.elapsed() < SAVE_TIMEOUT,
                "the last edit was not applied within {SAVE_TIMEOUT:?}: {document}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Times hovers, the lenses of the whole file, and the resolution of single lenses.
    fn time_requests(
        &self,
        session: &mut BenchSession,
    ) -> anyhow::Result<Vec<(&'static str, Vec<Duration>)>> {
        let (mut hovers, mut lists, mut resolved) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..REQUESTS_PER_KIND {
            let began = Instant::now();
            self.request_hover(session, number)?;
            hovers.push(began.elapsed());
            let began = Instant::now();
            let lenses =
                session.request("textDocument/codeLens", json!({ "textDocument": { "uri": self.uri } }))?;
            lists.push(began.elapsed());
            let lenses = lenses.as_array().context("the answer is not a list of lenses")?;
            let lens = &lenses[number % lenses.len()];
            // A server may return the titles with the lenses.
            if lens["command"].is_null() {
                let began = Instant::now();
                session.request("codeLens/resolve", lens.clone())?;
                resolved.push(began.elapsed());
            }
        }
        Ok(vec![("hover", hovers), ("codeLens", lists), ("codeLens/resolve", resolved)])
    }
}

/// Opens the source file that has lenses and whose number of lines is nearest to [`TARGET_LINES`].
/// Chooses the first by path among equally near files. A test file whose functions nothing calls
/// has no lenses.
fn open_target_file(
    session: &mut BenchSession,
    root: &Path,
) -> anyhow::Result<(PathBuf, String, OpenDocument)> {
    let texts =
        source_files(root)?.into_iter().filter_map(|path| Some((std::fs::read_to_string(&path).ok()?, path)));
    let mut files: Vec<_> =
        texts.map(|(text, path)| (text.lines().count().abs_diff(TARGET_LINES), path)).collect();
    files.sort();
    for (_, path) in files {
        let text = std::fs::read_to_string(&path)?;
        if let Some(document) = OpenDocument::open(session, &path, &text)? {
            return Ok((path, text, document));
        }
    }
    anyhow::bail!("{} has no source file with lenses", root.display())
}

/// Returns the files below `root` with one of [`FILE_EXTENSIONS`], without hidden folders, in no
/// particular order.
///
/// # Errors
/// Fails if a folder cannot be read.
pub fn source_files(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(&folder)?.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::path);
        for entry in entries {
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
                folders.push(path);
            } else if kind.is_file()
                && FILE_EXTENSIONS
                    .iter()
                    .any(|known| path.extension().is_some_and(|extension| extension == *known))
            {
                files.push(path);
            }
        }
    }
    Ok(files)
}

/// Returns the growth of the second number per unit of the first, by least squares. Ignores the
/// first half of the samples, in which caches fill.
fn fit_slope(samples: &[(f64, f64)]) -> f64 {
    let later = &samples[samples.len() / 2..];
    let count = later.len() as f64;
    let mean =
        |coordinate: fn(&(f64, f64)) -> f64| later.iter().map(coordinate).sum::<f64>() / count.max(1.0);
    let (mean_x, mean_y) = (mean(|sample| sample.0), mean(|sample| sample.1));
    let (numerator, denominator) = later.iter().fold((0.0, 0.0), |(numerator, denominator), (x, y)| {
        (numerator + (x - mean_x) * (y - mean_y), denominator + (x - mean_x) * (x - mean_x))
    });
    if denominator == 0.0 { 0.0 } else { numerator / denominator }
}

/// Returns the smallest measured time that at least `share` of the times do not exceed, or zero if
/// there are no times.
fn quantile(times: &[Duration], share: f64) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    let at = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

fn to_milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the measurement as a Markdown table.
pub fn to_markdown(measured: &SessionMeasurement, command: &str, machine: &str) -> String {
    let mut table = String::new();
    let _ = writeln!(
        table,
        "{}: {} symbols; edits in {} ({} lines)\n",
        measured.repo, measured.symbols, measured.file, measured.line_count
    );
    table += "| | times | p50 ms | p95 ms | worst ms |\n|---|---|---|---|---|\n";
    for (name, times) in &measured.times {
        let [p50, p95, worst] = [0.5, 0.95, 1.0].map(|share| to_milliseconds(quantile(times, share)));
        let _ = writeln!(table, "| {name} | {} | {p50:.2} | {p95:.2} | {worst:.2} |", times.len());
    }
    let [ready, edited, packed] = measured.resident.map(|bytes| bytes as f64 / 1e6);
    let [edit, pack] = measured.slopes;
    let _ = writeln!(
        table,
        "\nresident memory: {ready:.1} MB ready, {edited:.1} MB after the edits ({edit:.0} bytes an edit), {packed:.1} MB after the packs ({pack:.0} bytes a pack)"
    );
    let _ = writeln!(table, "\n`{command}`, {machine}");
    table
}

/// Returns the measurement as CSV, with a header and one row.
pub fn to_csv(measured: &SessionMeasurement, command: &str, machine: &str) -> String {
    let (mut header, mut row) = ("repo,symbols,file,lines".to_owned(), String::new());
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let _ = write!(
        row,
        "{},{},{},{}",
        measured.repo,
        measured.symbols,
        quoted(&measured.file),
        measured.line_count
    );
    for (name, times) in &measured.times {
        let name = name.replace(' ', "_");
        let _ = write!(header, ",{name}_count,{name}_p50_ms,{name}_p95_ms");
        let [p50, p95] = [0.5, 0.95].map(|share| to_milliseconds(quantile(times, share)));
        let _ = write!(row, ",{},{p50:.2},{p95:.2}", times.len());
    }
    header += ",resident_ready,resident_after_edits,resident_after_packs,bytes_per_edit,bytes_per_pack,command,machine";
    let ([ready, edited, packed], [edit, pack]) = (measured.resident, measured.slopes);
    let _ =
        write!(row, ",{ready},{edited},{packed},{edit:.0},{pack:.0},{},{}", quoted(command), quoted(machine));
    format!("{header}\n{row}\n")
}

#[cfg(test)]
mod tests {
    use super::{fit_slope, quantile};
    use std::time::Duration;

    #[test]
    fn quantiles_are_measured_times() {
        let times: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!([0.5, 0.95, 1.0].map(|share| quantile(&times, share).as_millis()), [50, 95, 100]);
        assert_eq!(quantile(&[], 0.5), Duration::ZERO);
    }

    #[test]
    fn slope_ignores_the_first_half() {
        let start = (0..10).map(|n| (f64::from(n), f64::from(n * n * 100)));
        let later = (10..20).map(|n| (f64::from(n), f64::from(1000 + 3 * n)));
        let samples: Vec<_> = start.chain(later).collect();
        assert!((fit_slope(&samples) - 3.0).abs() < 1e-9);
    }
}
