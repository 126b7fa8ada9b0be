//! coverage.py: its data file (SQLite) and `coverage json --show-contexts`.
//!
//! Contexts name tests if coverage.py recorded them (`dynamic_context = test_function`, or `pytest
//! --cov-context=test`). The empty context has the lines that ran during imports.

use super::{ReadFailure, RecordedFile, RecordedRange, RunFile, RunRecording, TestList, has_key, parse_json};
use kenning_graph::store::{CoverageDatabase, StoreError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Whether a file is an SQLite database.
pub(super) fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SQLite format 3\0")
}

/// Whether a file that begins with `head` is a JSON report.
pub(super) fn accepts(head: &[u8]) -> bool {
    has_key(head, "meta") && (has_key(head, "show_contexts") || has_key(head, "branch_coverage"))
}

/// Reads a data file.
pub(super) fn read_database(path: &Path) -> Result<RunRecording, StoreError> {
    let database = CoverageDatabase::read(path)?;
    let mut recording = RunRecording { declarations_run: true, ..RunRecording::default() };
    let mut tests = TestList::default();
    let test_by_context: Vec<Option<u32>> =
        database.contexts.iter().map(|name| add_context(&mut tests, name)).collect();
    for (path, lines) in database.files {
        let range = |&(line, context): &(u32, u32)| {
            range_of_line(line, test_by_context.get(context as usize).copied().flatten(), 1)
        };
        let ranges = lines.iter().map(range).collect();
        recording.files.push(RecordedFile { path, ranges, ..RecordedFile::default() });
    }
    recording.tests = tests.names;
    Ok(recording)
}

#[derive(Deserialize)]
struct CoverageReport {
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
    let report: CoverageReport = parse_json(file.bytes)?;
    let mut recording = RunRecording { declarations_run: true, ..RunRecording::default() };
    let mut tests = TestList::default();
    for (path, file_report) in report.files {
        let executed = file_report.executed_lines.iter().map(|&line| range_of_line(line, None, 1));
        let missing = file_report.missing_lines.iter().map(|&line| range_of_line(line, None, 0));
        let mut ranges: Vec<RecordedRange> = executed.chain(missing).collect();
        for (line, contexts) in file_report.contexts {
            let line: u32 = line.parse().map_err(|_| format!("{line:?} is not a line number"))?;
            for name in contexts {
                ranges.push(range_of_line(line, add_context(&mut tests, &name), 1));
            }
        }
        recording.files.push(RecordedFile { path, ranges, ..RecordedFile::default() });
    }
    recording.tests = tests.names;
    Ok(recording)
}

fn range_of_line(line: u32, test: Option<u32>, count: u32) -> RecordedRange {
    RecordedRange { first_line: line, last_line: line, test, count }
}

/// Adds the test that a context names, without the phase that pytest-cov appends: setup and
/// teardown also belong to the test. Returns the test's index, or `None` for the empty context.
fn add_context(tests: &mut TestList, context: &str) -> Option<u32> {
    let name = context.rsplit_once('|').map_or(context, |(name, _)| name).trim();
    if name.is_empty() {
        return None;
    }
    Some(tests.find_or_add(name))
}
