//! Measures how long the built `kenning` takes to index one repository and to answer tasks, and how
//! much memory it uses, and renders the figures as tables.
//!
//! [`measure_repository`] runs child processes in this order: first indexes, each followed by a bare
//! parse for comparison; ctags; an index that reads the history; an index of the unchanged
//! repository; one `kenning pack` per task. It then times the same tasks in one running server. All
//! of them use temporary caches, so that the user's cache and settings have no influence.

use crate::baselines;
use crate::child::{Usage, run};
use crate::session::{AllowedServers, BenchSession};
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Task texts that fit any repository.
pub(crate) const TASKS: &str = include_str!("tasks.txt");

/// Timeout for the server's first complete answer.
const READY_TIMEOUT: Duration = Duration::from_secs(600);

/// The figures of one repository.
#[derive(Debug, Clone)]
pub struct IndexMeasurement {
    /// Name of the repository's folder.
    pub repo: String,
    /// Number of indexed files.
    pub files: u64,
    /// Number of symbols.
    pub symbols: u64,
    /// Number of edges.
    pub edges: u64,
    /// Size of the indexed files in bytes.
    pub bytes: u64,
    /// Resources of a first index with an empty cache, without the history.
    pub first_index: Usage,
    /// Resources of an index of the unchanged repository that reads the history for the first time.
    pub history: Usage,
    /// Resources of only reading and parsing the same files.
    pub bare_parse: Usage,
    /// Resources of `ctags -R`; `None` if ctags is not installed.
    pub ctags: Option<Usage>,
    /// Resources of an index when nothing changed.
    pub idle_index: Usage,
    /// Size of the cache on disk in bytes.
    pub cache_bytes: u64,
    /// Times of `kenning pack` as a new process for each task, including start and refresh.
    pub cold_packs: Vec<Duration>,
    /// Peak memory of the largest of these processes in bytes.
    pub pack_memory: u64,
    /// Times of `kenning.taskContext` in a running server for each task.
    pub warm_packs: Vec<Duration>,
    /// Resources of the server from its start to its exit.
    pub server: Usage,
}

/// Measures the program at `kenning` on the repository at `root`, with a temporary cache.
///
/// # Errors
/// Fails if the program fails or does not answer as documented.
pub fn measure_repository(kenning: &Path, root: &Path, runs: usize) -> anyhow::Result<IndexMeasurement> {
    let root = root.canonicalize().with_context(|| root.display().to_string())?;
    let with_cache = |cache: &Path| {
        let mut command = Command::new(kenning);
        // The user's settings must not reach the measured program.
        command.env("XDG_CACHE_HOME", cache).env_remove("KENNING_DB").env_remove("KENNING_LOG");
        command
    };
    let index = |cache: &Path, flags: &[&str]| {
        run(with_cache(cache).args(["index", "--format", "json"]).args(flags).arg(&root))
    };
    let mut cache = tempfile::tempdir()?;
    let (report, first) = index(cache.path(), &["--no-history"])?;
    // Indexes and parses alternate, because the speed of a machine changes from minute to minute.
    let (mut first_indexes, mut parses) = (vec![first], vec![baselines::run_bare_parse(&root)?]);
    for _ in 1..runs {
        cache = tempfile::tempdir()?;
        first_indexes.push(index(cache.path(), &["--no-history"])?.1);
        parses.push(baselines::run_bare_parse(&root)?);
    }
    let (first_index, bare_parse) = (median_run(first_indexes), median_run(parses));
    let ctags = baselines::run_ctags(&root)?;
    let command = || with_cache(cache.path());
    let index = |flags: &[&str]| index(cache.path(), flags);
    let (_, history) = index(&[])?;
    let (_, idle_index) = index(&[])?;
    let (status, _) = run(command().args(["status", "--format", "json"]).arg(&root))?;
    let cache_bytes = folder_size(cache.path())?;

    let (mut cold_packs, mut pack_memory) = (Vec::new(), 0);
    for task in TASKS.lines() {
        let mut pack = command();
        let (_, usage) =
            run(pack.args(["pack", "--no-learning", "--format", "json", "--root"]).arg(&root).arg(task))?;
        cold_packs.push(usage.wall);
        pack_memory = pack_memory.max(usage.peak_memory);
    }
    let (warm_packs, server) = time_warm_packs(&mut command(), &root)?;
    let repo = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(IndexMeasurement {
        repo,
        files: read_count(&status, "files")?,
        symbols: read_count(&status, "symbols")?,
        edges: read_count(&status, "edges")?,
        bytes: read_count(&report, "bytes")?,
        first_index,
        history,
        bare_parse,
        ctags,
        idle_index,
        cache_bytes,
        cold_packs,
        pack_memory,
        warm_packs,
        server,
    })
}

/// Returns the number `name` of a JSON report from the program.
fn read_count(report: &str, name: &str) -> anyhow::Result<u64> {
    let report: Value = serde_json::from_str(report).context("the program's report is not JSON")?;
    report[name].as_u64().with_context(|| format!("the program's report has no number `{name}`"))
}

/// Returns the time of each task's pack in a server that has the workspace open, and the resources
/// that the server used.
fn time_warm_packs(command: &mut Command, root: &Path) -> anyhow::Result<(Vec<Duration>, Usage)> {
    let mut session = BenchSession::start(command, root, AllowedServers::None)?;
    let request_pack = |session: &mut BenchSession, task: &str| {
        let arguments = json!([{ "task": task }]);
        session.request(
            "workspace/executeCommand",
            json!({ "command": "kenning.taskContext", "arguments": arguments }),
        )
    };
    // The first answers may come while the server is reading files, as their freshness shows.
    let began = Instant::now();
    loop {
        let answer = request_pack(&mut session, "warm up")?;
        if answer["freshness"]["pending_files"] == 0 && answer["freshness"]["indexed_at"].is_string() {
            break;
        }
        ensure!(began.elapsed() < READY_TIMEOUT, "the server was not ready in {} s", READY_TIMEOUT.as_secs());
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut times = Vec::new();
    for task in TASKS.lines() {
        let began = Instant::now();
        request_pack(&mut session, task)?;
        times.push(began.elapsed());
    }
    Ok((times, session.shut_down()?))
}

/// Returns the size of all files under a folder in bytes.
fn folder_size(folder: &Path) -> anyhow::Result<u64> {
    let mut total = 0;
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                folders.push(entry.path());
            } else {
                total += metadata.len();
            }
        }
    }
    Ok(total)
}

/// A column of the table: its heading and the text for a measurement.
type Column = (&'static str, fn(&IndexMeasurement) -> String);

/// The columns in order. The headings include the unit.
const COLUMNS: [Column; 22] = [
    ("repo", |m| m.repo.clone()),
    ("files", |m| m.files.to_string()),
    ("symbols", |m| m.symbols.to_string()),
    ("edges", |m| m.edges.to_string()),
    ("source MB", |m| format_megabytes(m.bytes)),
    ("index s", |m| format_seconds(m.first_index.wall)),
    ("index CPU s", |m| format_seconds(cpu_time(&m.first_index))),
    ("index MB/CPU s", |m| format_source_rate(m, &m.first_index)),
    ("parse CPU s", |m| format_seconds(cpu_time(&m.bare_parse))),
    ("parse MB/CPU s", |m| format_source_rate(m, &m.bare_parse)),
    ("index per parse", |m| format_ratio(m, Some(&m.bare_parse))),
    ("ctags CPU s", |m| m.ctags.as_ref().map_or_else(String::new, |usage| format_seconds(cpu_time(usage)))),
    ("index per ctags", |m| format_ratio(m, m.ctags.as_ref())),
    ("index peak MB", |m| format_megabytes(m.first_index.peak_memory)),
    ("history s", |m| format_seconds(m.history.wall)),
    ("unchanged ms", |m| format_milliseconds(m.idle_index.wall)),
    ("kept MB", |m| format_megabytes(m.cache_bytes)),
    ("cold pack ms", |m| format_milliseconds(median(&m.cold_packs))),
    ("cold pack MB", |m| format_megabytes(m.pack_memory)),
    ("warm pack ms", |m| format_milliseconds(median(&m.warm_packs))),
    ("slowest warm ms", |m| format_milliseconds(m.warm_packs.iter().copied().max().unwrap_or_default())),
    ("server peak MB", |m| format_megabytes(m.server.peak_memory)),
];

/// Returns the measurements as a Markdown table, with the command and the machine above it.
pub fn to_markdown(measurements: &[IndexMeasurement], command: &str, machine: &str) -> String {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![format!("`{command}`, {machine}"), String::new()];
    lines.push(row(COLUMNS.iter().map(|(head, _)| (*head).to_owned()).collect()));
    lines.push(format!("|{}", "---|".repeat(COLUMNS.len())));
    lines.extend(measurements.iter().map(|m| row(COLUMNS.iter().map(|(_, cell)| cell(m)).collect())));
    lines.join("\n") + "\n"
}

/// Returns the measurements as CSV, with the command and the machine in each row.
pub fn to_csv(measurements: &[IndexMeasurement], command: &str, machine: &str) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let headings: Vec<String> =
        COLUMNS.iter().map(|(head, _)| head.replace('/', " per ").replace(' ', "_")).collect();
    let mut lines = vec![format!("{},command,machine", headings.join(","))];
    for measurement in measurements {
        let mut cells: Vec<String> = COLUMNS.iter().map(|(_, cell)| cell(measurement)).collect();
        cells[0] = quoted(&cells[0]);
        cells.extend([quoted(command), quoted(machine)]);
        lines.push(cells.join(","));
    }
    lines.join("\n") + "\n"
}

/// Returns the run with the median CPU time (the upper median of an even count), but with the largest
/// peak memory of all runs.
fn median_run(mut runs: Vec<Usage>) -> Usage {
    runs.sort_unstable_by_key(cpu_time);
    let peak_memory = runs.iter().map(|run| run.peak_memory).max().unwrap_or_default();
    Usage { peak_memory, ..runs[runs.len() / 2] }
}

/// Returns the CPU time of all threads, in user mode and in the kernel.
fn cpu_time(usage: &Usage) -> Duration {
    usage.user + usage.system
}

/// Returns the megabytes of source per second of CPU time.
fn format_source_rate(measurement: &IndexMeasurement, usage: &Usage) -> String {
    format!("{:.2}", measurement.bytes as f64 / 1e6 / cpu_time(usage).as_secs_f64())
}

/// Returns the CPU time of the first index divided by the CPU time of another run.
fn format_ratio(measurement: &IndexMeasurement, other: Option<&Usage>) -> String {
    other.map_or_else(String::new, |other| {
        format!("{:.2}", cpu_time(&measurement.first_index).as_secs_f64() / cpu_time(other).as_secs_f64())
    })
}

fn format_seconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64())
}

fn format_milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}

fn format_megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// Returns the median (the upper median of an even count), or zero without times.
fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Returns the last two names of a path. The rest depends on the machine.
pub fn last_two_names(path: &Path) -> String {
    let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
    names[names.len().saturating_sub(2)..].join("/")
}

/// Returns the operating system, the processor and the number of its threads.
pub fn describe_machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?.to_owned();
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let processor = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{} on {threads} threads of {processor}", std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::{IndexMeasurement, TASKS, to_csv, to_markdown};
    use crate::child::Usage;
    use std::time::Duration;

    fn example_measurement() -> IndexMeasurement {
        let usage = |wall| Usage {
            wall: Duration::from_millis(wall),
            user: Duration::from_secs(2),
            system: Duration::from_millis(500),
            peak_memory: 90_000_000,
        };
        IndexMeasurement {
            repo: "a,b".to_owned(),
            files: 12,
            symbols: 340,
            edges: 900,
            bytes: 3_000_000,
            first_index: usage(1_500),
            history: usage(2_000),
            bare_parse: usage(1_000),
            ctags: Some(Usage { user: Duration::from_millis(250), system: Duration::ZERO, ..usage(300) }),
            idle_index: usage(40),
            cache_bytes: 7_250_000,
            cold_packs: [30, 10, 20].map(Duration::from_millis).to_vec(),
            pack_memory: 25_000_000,
            warm_packs: [3, 1, 9].map(Duration::from_millis).to_vec(),
            server: usage(9_100),
        }
    }

    #[test]
    fn the_table_has_a_row_for_each_measurement() {
        let table = to_markdown(&[example_measurement()], "index-speed x", "2 cores");
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "`index-speed x`, 2 cores");
        assert_eq!(lines[2].matches('|').count(), lines[3].matches('|').count());
        let row = "| a,b | 12 | 340 | 900 | 3.0 | 1.50 | 2.50 | 1.20 | 2.50 | 1.20 | 1.00 | 0.25 | 10.00 | 90.0 | 2.00 | 40.0 | 7.2 | 20.0 | 25.0 | 3.0 | 9.0 | 90.0 |";
        assert_eq!(lines[4], row);
    }

    #[test]
    fn csv_rows_end_with_command_and_machine() {
        let text = to_csv(&[example_measurement()], "index-speed \"x\"", "2 cores");
        let last = text.lines().last().expect("a row");
        assert!(last.starts_with("\"a,b\",12,340,"), "{last}");
        assert!(last.ends_with(",\"index-speed \"\"x\"\"\",\"2 cores\""), "{last}");
    }

    #[test]
    fn there_are_twenty_tasks() {
        assert_eq!(TASKS.lines().filter(|task| !task.trim().is_empty()).count(), 20);
    }
}
