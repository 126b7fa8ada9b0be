//! lcov tracefiles (`geninfo(1)`): `TN` names the test, `SF` the file, `DA` a line with its count.

use super::{ReadFailure, RecordedFile, RecordedRange, RunFile, RunRecording};

/// Whether a file that begins with `head` is a tracefile.
pub(super) fn accepts(head: &[u8]) -> bool {
    head.split(|&byte| byte == b'\n')
        .find(|line| !line.trim_ascii().is_empty())
        .is_some_and(|line| line.starts_with(b"TN:") || line.starts_with(b"SF:"))
}

/// Reads a tracefile. Records without the name of a test belong to the test of the file.
pub(super) fn read_lcov(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let text = String::from_utf8_lossy(file.bytes);
    let mut recording = RunRecording::default();
    let mut test = file.test.clone();
    let mut current: Option<(RecordedFile, u32)> = None;
    for (at, line) in text.lines().enumerate() {
        let (key, value) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
        match key {
            "TN" => value.trim().clone_into(&mut test),
            "SF" => {
                let name = if test.is_empty() { &file.test } else { &test };
                let index = recording.find_or_add_test(name);
                current = Some((RecordedFile { path: value.to_owned(), ..RecordedFile::default() }, index));
            }
            "DA" => {
                let mut parts = value.split(',');
                let numbers = (
                    parts.next().and_then(|line| line.trim().parse::<u32>().ok()),
                    parts.next().and_then(|count| count.trim().parse::<f64>().ok()),
                );
                let (Some(line), Some(count)) = numbers else {
                    return Err(format!("line {} has no line number and count: {value:?}", at + 1));
                };
                if let Some((file, test)) = &mut current {
                    let count = count.clamp(0.0, f64::from(u32::MAX)) as u32;
                    file.ranges.push(RecordedRange::from_line(line, *test, count));
                }
            }
            "end_of_record" => recording.files.extend(current.take().map(|(file, _)| file)),
            _ => {}
        }
    }
    recording.files.extend(current.map(|(file, _)| file));
    Ok(recording)
}
