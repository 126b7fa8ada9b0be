//! JaCoCo: the XML report, and the exec file, which can have one session per test.
//!
//! The XML report counts lines over all sessions, so its lines belong to a test only if there is
//! exactly one session. The exec file has probes, which only the class files map to lines; a class
//! counts as executed if one of its probes is set. Format of the exec file: `ExecutionDataWriter`
//! of JaCoCo, version 0x1007.

use super::{ReadFailure, RecordedFile, RecordedRange, RunFile, RunRecording, TestList};

/// Largest accepted probe count of a class. A damaged file can have any number.
const MAX_PROBES: usize = 1 << 20;
/// Largest number of namespaces in an XML report; JaCoCo writes none, and tools that wrap reports
/// add a few.
const MAX_NAMESPACES: usize = 64;
/// Largest number of `=` in an element of an XML report. JaCoCo writes six attributes, and names of
/// methods may contain the character.
const MAX_ATTRIBUTES: usize = 512;
/// The only supported version of the format.
const EXEC_VERSION: u16 = 0x1007;
/// The first bytes of an exec file: the block type of a header and the magic number.
const EXEC_MAGIC: [u8; 3] = [0x01, 0xC0, 0xC0];
/// Block type of a header: magic number and version.
const HEADER_BLOCK: u8 = 0x01;
/// Block type of a session: its id, then its start and end times of 8 bytes each.
const SESSION_BLOCK: u8 = 0x10;
/// Block type of a class: its id of 8 bytes, its name and its probes.
const CLASS_BLOCK: u8 = 0x11;

/// Whether a file that begins with `head` is an XML report.
pub(super) fn accepts_xml(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
        && (text.contains("JACOCO") || text.contains("<sessioninfo") || text.contains("<report name"))
}

/// Checks that a text has none of the markup that takes the XML library quadratic time or memory:
/// each element copies the namespaces around it, each attribute is compared with the others of its
/// element, and a few bytes can name an entity of any size.
///
/// # Errors
/// Returns the reason. JaCoCo writes neither entities nor namespaces.
fn check_markup(text: &str) -> Result<(), ReadFailure> {
    if text.contains("<!ENTITY") {
        return Err("it declares entities, which JaCoCo does not write".to_owned());
    }
    let namespaces = text.matches("xmlns").take(MAX_NAMESPACES + 1).count();
    if namespaces > MAX_NAMESPACES {
        return Err(format!("it declares more than {MAX_NAMESPACES} namespaces"));
    }
    let mut values = 0;
    for pair in text.as_bytes().windows(2) {
        match pair {
            // Values cannot contain `<`.
            [b'<', _] => values = 0,
            // A blank may precede the quote.
            [b'=', _] => values += 1,
            _ => {}
        }
        if values > MAX_ATTRIBUTES {
            return Err(format!("an element has more than {MAX_ATTRIBUTES} attributes"));
        }
    }
    Ok(())
}

/// Reads the XML report.
pub(super) fn read_xml(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let text = String::from_utf8_lossy(file.bytes);
    check_markup(&text)?;
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document =
        roxmltree::Document::parse_with_options(&text, options).map_err(|error| error.to_string())?;
    let sessions: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("sessioninfo"))
        .filter_map(|node| node.attribute("id"))
        .collect();
    let name = match sessions[..] {
        [only] => only.to_owned(),
        _ => file.test.clone(),
    };
    let mut recording = RunRecording { tests: vec![name], ..RunRecording::default() };
    for source in document.descendants().filter(|node| node.has_tag_name("sourcefile")) {
        let package = source.parent().and_then(|node| node.attribute("name")).unwrap_or_default();
        let path = format!("{package}/{}", source.attribute("name").unwrap_or_default());
        let number = |node: &roxmltree::Node<'_, '_>, name: &str| node.attribute(name)?.parse::<u32>().ok();
        let lines = source.children().filter(|node| node.has_tag_name("line")).filter_map(|node| {
            let count = number(&node, "ci")?;
            Some(RecordedRange::from_line(number(&node, "nr")?, 0, count))
        });
        let ranges = lines.collect();
        recording.files.push(RecordedFile { path, ranges, ..RecordedFile::default() });
    }
    Ok(recording)
}

/// Whether a file that begins with `head` is an exec file.
pub(super) fn accepts_exec(head: &[u8]) -> bool {
    head.starts_with(&EXEC_MAGIC)
}

/// Reads an exec file, which has no lines, only the classes that ran.
pub(super) fn read_exec(file: &RunFile<'_>) -> Result<RunRecording, ReadFailure> {
    let (mut recording, mut tests) = (RunRecording::default(), TestList::default());
    let mut input = ExecReader { bytes: file.bytes, at: 0 };
    let mut test = None;
    while input.at < input.bytes.len() {
        match input.read_byte()? {
            HEADER_BLOCK => {
                let (_magic, version) = (input.read_u16()?, input.read_u16()?);
                if version != EXEC_VERSION {
                    return Err(format!("version {version:#x} is not supported, only {EXEC_VERSION:#x}"));
                }
            }
            SESSION_BLOCK => {
                let id = input.read_text()?;
                input.skip(16)?;
                test = Some(tests.find_or_add(&id));
            }
            CLASS_BLOCK => {
                input.skip(8)?;
                let class = input.read_text()?;
                if input.read_any_probe()? {
                    let test = *test.get_or_insert_with(|| tests.find_or_add(&file.test));
                    let outer = class.split('$').next().unwrap_or(&class);
                    let (path, class_tests) = (format!("{outer}.class"), vec![test]);
                    recording.files.push(RecordedFile { path, class_tests, ..RecordedFile::default() });
                }
            }
            other => return Err(format!("unknown block {other:#x} at byte {}", input.at - 1)),
        }
    }
    recording.tests = tests.names;
    Ok(recording)
}

/// Reads the numbers of an exec file, which are big-endian.
struct ExecReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ExecReader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ReadFailure> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| format!("the file ends within a record at byte {}", self.at))?;
        self.at += count;
        Ok(taken)
    }

    fn skip(&mut self, count: usize) -> Result<(), ReadFailure> {
        self.take(count).map(drop)
    }

    fn read_byte(&mut self) -> Result<u8, ReadFailure> {
        Ok(self.take(1)?[0])
    }

    fn read_u16(&mut self) -> Result<u16, ReadFailure> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn read_text(&mut self) -> Result<String, ReadFailure> {
        let length = usize::from(self.read_u16()?);
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// Reads the packed probes of a class. Returns whether any probe is set.
    fn read_any_probe(&mut self) -> Result<bool, ReadFailure> {
        let (mut count, mut shift) = (0_usize, 0);
        loop {
            let byte = self.read_byte()?;
            count |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
            if shift > 21 {
                return Err(format!("too many probes at byte {}", self.at));
            }
        }
        if count > MAX_PROBES {
            return Err(format!("too many probes at byte {}", self.at));
        }
        Ok(self.take(count.div_ceil(8))?.iter().any(|byte| *byte != 0))
    }
}
