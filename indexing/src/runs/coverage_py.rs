//! coverage.py: its data file (SQLite) and `coverage json --show-contexts`.
//!
//! The contexts are the names of tests if they were recorded (`dynamic_context = test_function`, or
//! `pytest --cov-context=test`). The empty context has what ran while modules were imported.

use super::{ReadFailure, RecordedFile, RecordedLine, RunFile, RunRecording, has_key, parse_json};
use kenning_graph::store::{CoverageDatabase, StoreError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Whether a file is an SQLite database.
pub(super) fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SQLite format 3\0")
}

pub(super) fn accepts(head: &[u8]) -> bool {
    has_key(head, "meta") && (has_key(head, "show_contexts") || has_key(head, "branch_coverage"))
}

/// Reads a data file.
pub(super) fn read_database(path: &Path) -> Result<RunRecording, StoreError> {
    let database = CoverageDatabase::read(path)?;
    let mut recording = RunRecording { declarations_run: true, ..RunRecording::default() };
    let tests: Vec<Option<u32>> =
        database.contexts.iter().map(|name| add_context(&mut recording, name)).collect();
    for (path, lines) in database.files {
        let line = |&(line, context): &(u32, u32)| RecordedLine {
            line,
            test: tests.get(context as usize).copied().flatten(),
            count: 1,
        };
        recording.files.push(RecordedFile { path, lines: lines.iter().map(line).collect() });
    }
    Ok(recording)
}

#[derive(Deserialize)]
struct Report {
    files: BTreeMap<String, FileReport>,
}

#[derive(Deserialize)]
struct FileReport {
    #[serde(default)]
    executed_lines: Vec<u32>,
    #[serde(default)]
    missing_lines: Vec<u32>,
    #[serde(default)]
    contexts: BTreeMap<String, Vec<String>>,
}

/// Reads the JSON report.
pub(super) fn read_json(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let report: Report = parse_json(file.bytes)?;
    let mut recording = RunRecording { declarations_run: true, ..RunRecording::default() };
    let mut known: BTreeMap<String, Option<u32>> = BTreeMap::new();
    for (path, report) in report.files {
        let plain = |line: &u32, count| RecordedLine { line: *line, test: None, count };
        let mut lines: Vec<RecordedLine> = report.executed_lines.iter().map(|line| plain(line, 1)).collect();
        lines.extend(report.missing_lines.iter().map(|line| plain(line, 0)));
        for (line, contexts) in report.contexts {
            let line: u32 = line.parse().map_err(|_| format!("{line:?} is not a line number"))?;
            for name in contexts {
                let test = *known.entry(name).or_insert_with_key(|name| add_context(&mut recording, name));
                lines.push(RecordedLine { line, test, count: 1 });
            }
        }
        recording.files.push(RecordedFile { path, lines });
    }
    Ok(recording)
}

/// Adds the test that a context names. pytest-cov appends the phase: setup and teardown also belong
/// to the test.
fn add_context(recording: &mut RunRecording, context: &str) -> Option<u32> {
    let name = context.rsplit_once('|').map_or(context, |(name, _)| name).trim();
    if name.is_empty() {
        return None;
    }
    Some(recording.test_index(name))
}
