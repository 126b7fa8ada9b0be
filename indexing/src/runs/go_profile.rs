//! Cover profiles of Go (`go test -coverprofile`): blocks as `file.go:10.2,12.3 statements count`.
//!
//! A profile does not name the tests. To record them, write one profile per test, named like it.

use super::{RangeBudget, ReadFailure, RecordedFile, RecordedRange, RunFile, RunRecording};
use std::collections::BTreeMap;

/// Whether a file that begins with `head` is a profile.
pub(super) fn accepts(head: &[u8]) -> bool {
    head.starts_with(b"mode: ")
}

/// Reads a profile.
pub(super) fn read_profile(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let text = String::from_utf8_lossy(file.bytes);
    let mut recording = RunRecording { tests: vec![file.test.clone()], ..RunRecording::default() };
    let mut budget = RangeBudget::default();
    let mut files: BTreeMap<String, Vec<RecordedRange>> = BTreeMap::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with("mode:")) {
        if line.trim().is_empty() {
            continue;
        }
        let (path, range) =
            parse_block(line).ok_or_else(|| format!("line {} is not a block: {line:?}", at + 1))?;
        budget.add_range(range.first_line, range.last_line)?;
        files.entry(path.to_owned()).or_default().push(range);
    }
    let file = |(path, ranges)| RecordedFile { path, ranges, ..RecordedFile::default() };
    recording.files.extend(files.into_iter().map(file));
    Ok(recording)
}

/// Parses `path:line.column,line.column statements count`.
fn parse_block(line: &str) -> Option<(&str, RecordedRange)> {
    let (path, rest) = line.rsplit_once(':')?;
    let mut parts = rest.split([',', ' ']);
    let parse_line_number = |position: &str| position.split('.').next()?.parse::<u32>().ok();
    let (first, last) = (parse_line_number(parts.next()?)?, parse_line_number(parts.next()?)?);
    let count: u64 = parts.nth(1)?.trim().parse().ok()?;
    let count = count.min(u64::from(u32::MAX)) as u32;
    Some((path, RecordedRange { last_line: last, ..RecordedRange::from_line(first, 0, count) }))
}
