//! Cover profiles of Go (`go test -coverprofile`): blocks as `file.go:10.2,12.3 statements count`.
//!
//! A profile has no names of tests. One profile per test, named like the test, gives them.

use super::{ReadFailure, RecordedFile, RecordedLine, RunFile, RunRecording};
use std::collections::BTreeMap;

/// Most lines of one block that are believed.
const MAX_BLOCK_LINES: u32 = 100_000;

pub(super) fn accepts(head: &[u8]) -> bool {
    head.starts_with(b"mode: ")
}

/// Reads a profile.
pub(super) fn read_profile(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let text = String::from_utf8_lossy(file.bytes);
    let mut recording = RunRecording { tests: vec![file.test.clone()], ..RunRecording::default() };
    let mut files: BTreeMap<String, Vec<RecordedLine>> = BTreeMap::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with("mode:")) {
        if line.trim().is_empty() {
            continue;
        }
        let (path, first, last, count) =
            parse_block(line).ok_or_else(|| format!("line {} is not a block: {line:?}", at + 1))?;
        let lines = files.entry(path.to_owned()).or_default();
        let last = last.min(first.saturating_add(MAX_BLOCK_LINES));
        let measured = |line| RecordedLine { line, test: (count > 0).then_some(0), count };
        lines.extend((first..=last).map(measured));
    }
    recording.files.extend(files.into_iter().map(|(path, lines)| RecordedFile { path, lines }));
    Ok(recording)
}

/// Parses `path:line.column,line.column statements count`.
fn parse_block(line: &str) -> Option<(&str, u32, u32, u32)> {
    let (path, rest) = line.rsplit_once(':')?;
    let mut parts = rest.split([',', ' ']);
    let line_of = |position: &str| position.split('.').next()?.parse::<u32>().ok();
    let (first, last) = (line_of(parts.next()?)?, line_of(parts.next()?)?);
    let count: u64 = parts.nth(1)?.trim().parse().ok()?;
    Some((path, first, last, count.min(u64::from(u32::MAX)) as u32))
}
