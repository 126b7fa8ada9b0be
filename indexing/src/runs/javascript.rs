//! JavaScript and TypeScript: the coverage of Istanbul (`coverage-final.json`) and of V8
//! (`NODE_V8_COVERAGE`).
//!
//! Neither format names the tests. To record them, import one file per test with `--test`.

use super::{
    RangeBudget, ReadFailure, RecordedFile, RecordedRange, RunFile, RunRecording, has_key, parse_json,
};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Whether a file that begins with `head` is a `coverage-final.json`.
pub(super) fn accepts_istanbul(head: &[u8]) -> bool {
    has_key(head, "statementMap") || has_key(head, "fnMap")
}

/// Whether a file that begins with `head` is a V8 report.
pub(super) fn accepts_v8(head: &[u8]) -> bool {
    has_key(head, "result") && (has_key(head, "scriptId") || has_key(head, "functions"))
}

#[derive(Deserialize)]
struct IstanbulFile {
    #[serde(rename = "statementMap", default)]
    statements: BTreeMap<String, IstanbulRange>,
    #[serde(rename = "s", default)]
    counts: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct IstanbulRange {
    start: IstanbulPosition,
}

#[derive(Deserialize)]
struct IstanbulPosition {
    line: u32,
}

/// Reads `coverage-final.json`.
pub(super) fn read_istanbul(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let files: BTreeMap<String, IstanbulFile> = parse_json(file.bytes)?;
    let mut recording =
        RunRecording { tests: vec![file.test.clone()], declarations_run: true, ..RunRecording::default() };
    for (path, report) in files {
        let lines = report.statements.iter().map(|(id, range)| {
            let count = report.counts.get(id).copied().unwrap_or_default().min(u64::from(u32::MAX)) as u32;
            RecordedRange::from_line(range.start.line, 0, count)
        });
        let ranges = lines.collect();
        recording.files.push(RecordedFile { path, ranges, ..RecordedFile::default() });
    }
    Ok(recording)
}

#[derive(Deserialize)]
struct V8Report {
    result: Vec<V8Script>,
}

#[derive(Deserialize)]
struct V8Script {
    url: String,
    functions: Vec<V8Function>,
}

#[derive(Deserialize)]
struct V8Function {
    ranges: Vec<V8Range>,
}

/// A range in UTF-16 code units.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct V8Range {
    start_offset: u32,
    end_offset: u32,
    count: u64,
}

/// Reads a V8 report. Skips scripts outside the workspace, because their text is needed to convert
/// offsets to lines.
pub(super) fn read_v8(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let report: V8Report = parse_json(file.bytes)?;
    let mut recording =
        RunRecording { tests: vec![file.test.clone()], declarations_run: true, ..RunRecording::default() };
    let mut budget = RangeBudget::default();
    // A report can list the same script many times.
    let mut line_starts: FxHashMap<String, Option<Vec<u32>>> = FxHashMap::default();
    for script in report.result {
        let path = script.url.strip_prefix("file://").unwrap_or(&script.url).to_owned();
        let starts = line_starts
            .entry(path.clone())
            .or_insert_with(|| (file.read_source)(&path).map(|text| utf16_line_starts(&text)));
        let Some(starts) = starts else { continue };
        let ranges = v8_line_counts(starts, &script.functions, &mut budget)?;
        recording.files.push(RecordedFile { path, ranges, ..RecordedFile::default() });
    }
    Ok(recording)
}

/// Returns the counts of a script's lines. Inner ranges follow outer ranges in the report and
/// replace their counts.
///
/// # Errors
/// Returns the reason if the ranges are beyond the budget.
fn v8_line_counts(
    starts: &[u32],
    functions: &[V8Function],
    budget: &mut RangeBudget,
) -> Result<Vec<RecordedRange>, ReadFailure> {
    budget.add_range(1, starts.len() as u32)?;
    let mut counts: Vec<Option<u64>> = vec![None; starts.len()];
    // The first function is the script itself, which runs when it is loaded.
    for range in functions.iter().skip(1).flat_map(|function| &function.ranges) {
        let line_at = |offset: u32| starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let (first, last) = (line_at(range.start_offset), line_at(range.end_offset.saturating_sub(1)));
        budget.add_range(first as u32, last as u32)?;
        for line in first..=last.min(counts.len().saturating_sub(1)) {
            counts[line] = Some(range.count);
        }
    }
    let to_range = |(at, count): (usize, &Option<u64>)| {
        let count = (*count)?.min(u64::from(u32::MAX)) as u32;
        Some(RecordedRange::from_line(at as u32 + 1, 0, count))
    };
    Ok(counts.iter().enumerate().filter_map(to_range).collect())
}

/// Returns the offset of each line's start in UTF-16 code units.
fn utf16_line_starts(text: &str) -> Vec<u32> {
    let mut starts = vec![0];
    let mut offset = 0;
    for character in text.chars() {
        offset += character.len_utf16() as u32;
        if character == '\n' {
            starts.push(offset);
        }
    }
    starts
}
