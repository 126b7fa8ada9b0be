//! lcov tracefiles (`geninfo(1)`): `TN` names the test, `SF` the file, `DA` a line with its count.

use super::{ReadFailure, RecordedFile, RecordedRange, RunFile, RunRecording, TestList};

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
    let mut tests = TestList::default();
    // The index is looked up once for each name and not for each file.
    let (mut test, mut test_index): (Option<&str>, Option<u32>) = (None, None);
    let mut current: Option<(RecordedFile, u32)> = None;
    for (at, line) in text.lines().enumerate() {
        let (key, value) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
        match key {
            "TN" => (test, test_index) = (Some(value.trim()).filter(|name| !name.is_empty()), None),
            "SF" => {
                let index = *test_index.get_or_insert_with(|| tests.find_or_add(test.unwrap_or(&file.test)));
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
    recording.tests = tests.names;
    Ok(recording)
}
