//! SimpleCov's `.resultset.json`: for each command, the count of each line by file.
//!
//! A command is usually a whole suite. To record tests separately, set `SimpleCov.command_name` to
//! the name of each example.

use super::{ReadFailure, RecordedFile, RecordedRange, RunFile, RunRecording, has_key, parse_json};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Whether a file that begins with `head` is a result set.
pub(super) fn accepts(head: &[u8]) -> bool {
    has_key(head, "coverage") && (has_key(head, "lines") || has_key(head, "timestamp"))
}

#[derive(Deserialize)]
struct CommandResult {
    coverage: BTreeMap<String, FileCounts>,
}

/// The counts of a file: SimpleCov 0.18 and later write an object.
#[derive(Deserialize)]
#[serde(untagged)]
enum FileCounts {
    Lines { lines: Vec<LineCount> },
    Plain(Vec<LineCount>),
}

/// The count of a line. A line that cannot run has `null` or `"ignored"`.
#[derive(Deserialize)]
#[serde(untagged)]
enum LineCount {
    Count(u64),
    Other(serde::de::IgnoredAny),
}

/// Reads a result set.
pub(super) fn read_resultset(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let commands: BTreeMap<String, CommandResult> = parse_json(file.bytes)?;
    let mut recording = RunRecording { declarations_run: true, ..RunRecording::default() };
    for (name, result) in commands {
        let test = recording.tests.len() as u32;
        recording.tests.push(name);
        for (path, counts) in result.coverage {
            let (FileCounts::Lines { lines: counts } | FileCounts::Plain(counts)) = counts;
            let lines = counts.iter().enumerate().filter_map(|(at, count)| {
                let LineCount::Count(count) = count else { return None };
                let count = (*count).min(u64::from(u32::MAX)) as u32;
                Some(RecordedRange::from_line(at as u32 + 1, test, count))
            });
            let ranges = lines.collect();
            recording.files.push(RecordedFile { path, ranges, ..RecordedFile::default() });
        }
    }
    Ok(recording)
}
