//! Recorded runs: reads coverage and trace files, and returns the functions that ran, in terms of
//! the graph.
//!
//! 1. A reader for each format (`coverage_py`, `lcov`, `go_profile`, `jacoco`, `javascript`,
//!    `simplecov`, `otlp`) turns a file into a [`RunRecording`]: lines, names and calls, exactly as
//!    the file has them.
//! 2. `test_names` finds the function that a recorded name refers to.
//! 3. `attribution` finds the functions that recorded lines belong to, and merges all recordings
//!    into one [`RunBatch`](kenning_graph::runs::RunBatch).
//!
//! Invariants: the format is recognized by content, never by extension alone. A file that no reader
//! recognizes is an error that names the formats. A file from outside can have any content, so
//! readers never panic, sizes are bounded, and the [`RunReport`] counts data that does not fit the
//! workspace, without guesses.

mod attribution;
mod coverage_py;
mod go_profile;
mod jacoco;
mod javascript;
mod lcov;
mod otlp;
mod recorded_paths;
mod simplecov;
mod test_names;
#[cfg(test)]
mod tests;

pub use attribution::{DatedRecording, FileTimes, RunReport, attribute_runs};

use crate::named_file::{self, FileRefusal, LinkRule};
use kenning_graph::store::StoreError;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// Largest file that is read, in bytes: 1 GiB. Coverage with a context per test grows with the
/// product of tests and lines.
const MAX_RUN_FILE: u64 = 1 << 30;

/// Maximum sum of the lengths of the ranges in a file, in lines, for formats with ranges of several
/// lines. A few bytes can describe a range of any length; the profile of a workspace with ten
/// million lines stays below it.
const MAX_RANGE_LINES: u64 = 100_000_000;

/// The formats, for messages.
pub const FORMATS: &str = "coverage.py (.coverage or JSON), lcov, Go cover profile, JaCoCo (XML or exec), Istanbul or \
     V8 JSON, SimpleCov (.resultset.json) and OTLP JSON";

/// The reason why a file cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no such file.
    #[error("there is no file {0}")]
    Missing(PathBuf),
    /// The file must not or cannot be read.
    #[error("the file {0} {1}")]
    Refused(PathBuf, FileRefusal),
    /// No reader recognizes the file.
    #[error("the format of {0} is unknown; Kenning reads {FORMATS}")]
    UnknownFormat(PathBuf),
    /// The file is damaged, or its content does not match its beginning.
    #[error("{path} cannot be read as {format}: {reason}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The format that the file seems to have.
        format: &'static str,
        /// The reason.
        reason: String,
    },
    /// The file is a database that cannot be read.
    #[error(transparent)]
    Database(#[from] StoreError),
}

/// The lines, names and calls in one coverage or trace file, as the file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunRecording {
    /// The names of the tests.
    pub tests: Vec<String>,
    /// The measured files.
    pub files: Vec<RecordedFile>,
    /// The calls in a trace.
    pub calls: Vec<SpanCall>,
    /// Whether the line of a declaration runs when its file is loaded, so that its count does not
    /// show that the function was called.
    pub declarations_run: bool,
}

/// A file of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedFile {
    /// The path as recorded: absolute, relative, or prefixed with its package.
    pub path: String,
    /// The lines that were measured.
    pub ranges: Vec<RecordedRange>,
    /// The tests that ran the class with the name of the file, as indices into
    /// [`RunRecording::tests`], for a format that has no lines.
    pub class_tests: Vec<u32>,
}

/// Consecutive lines of a recording with the same count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedRange {
    /// 1-based first line.
    pub first_line: u32,
    /// 1-based last line.
    pub last_line: u32,
    /// The test that ran it, as an index into [`RunRecording::tests`]; `None` for code that ran
    /// outside tests or did not run.
    pub test: Option<u32>,
    /// Number of executions; 0 for a line that could have run but did not.
    pub count: u32,
}

/// The location of a span in the source, from the attributes of the span.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpanSource {
    /// The function with its namespace, separated by dots.
    pub function: String,
    /// The path as recorded; empty if unknown.
    pub path: String,
    /// 1-based line; 0 if unknown.
    pub line: u32,
}

/// A call between two spans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanCall {
    /// The caller.
    pub caller: SpanSource,
    /// The called function.
    pub callee: SpanSource,
    /// The time, in seconds since the Unix epoch.
    pub at: i64,
}

impl RecordedRange {
    /// Returns a range of one line, which belongs to the test if its count is not 0.
    fn from_line(line: u32, test: u32, count: u32) -> Self {
        Self { first_line: line, last_line: line, test: (count > 0).then_some(test), count }
    }
}

/// The names of the tests that a reader has found, for [`RunRecording::tests`].
#[derive(Default)]
struct TestList {
    names: Vec<String>,
    by_name: FxHashMap<String, u32>,
}

impl TestList {
    /// Returns the index of a test. Adds the test if it is new.
    fn find_or_add(&mut self, name: &str) -> u32 {
        if let Some(&index) = self.by_name.get(name) {
            return index;
        }
        let index = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), index);
        index
    }
}

/// A file to read.
pub(in crate::runs) struct RunFile<'a> {
    pub bytes: &'a [u8],
    /// Name of the test that the file belongs to if its format does not name tests.
    pub test: String,
    /// Returns the text of a source file, for formats that count in offsets.
    pub read_source: &'a dyn Fn(&str) -> Option<String>,
}

/// The reason why a file is not valid in its format.
type ReadFailure = String;

/// A reader of one format.
struct RunReader {
    format: &'static str,
    /// Whether the beginning of a file is of this format.
    accepts: fn(&[u8]) -> bool,
    read: fn(&RunFile<'_>) -> Result<RunRecording, ReadFailure>,
}

/// The readers, in the order in which they are tried.
const READERS: &[RunReader] = &[
    RunReader { format: "lcov", accepts: lcov::accepts, read: lcov::read_lcov },
    RunReader { format: "a Go cover profile", accepts: go_profile::accepts, read: go_profile::read_profile },
    RunReader { format: "JaCoCo XML", accepts: jacoco::accepts_xml, read: jacoco::read_xml },
    RunReader { format: "JaCoCo exec", accepts: jacoco::accepts_exec, read: jacoco::read_exec },
    RunReader { format: "coverage.py JSON", accepts: coverage_py::accepts, read: coverage_py::read_json },
    RunReader { format: "OTLP JSON", accepts: otlp::accepts, read: otlp::read_traces },
    RunReader { format: "V8 JSON", accepts: javascript::accepts_v8, read: javascript::read_v8 },
    RunReader { format: "SimpleCov JSON", accepts: simplecov::accepts, read: simplecov::read_resultset },
    RunReader {
        format: "Istanbul JSON",
        accepts: javascript::accepts_istanbul,
        read: javascript::read_istanbul,
    },
];

/// Number of bytes at the start of a file by which readers recognize their formats.
const HEAD_BYTES: usize = 64 << 10;

/// Reads a coverage or trace file. `test` names the test that the file belongs to if its format
/// does not name tests; it defaults to the name of the file without its extension. `read_source`
/// returns the text of a source file.
///
/// # Errors
/// Returns an error if the file cannot be read, is of an unknown format, or is invalid.
pub fn read_recording(
    path: &Path,
    test: Option<&str>,
    read_source: &dyn Fn(&str) -> Option<String>,
) -> Result<RunRecording, RunError> {
    let refused = |refusal| RunError::Refused(path.to_owned(), refusal);
    let bytes = named_file::read_bytes(path, MAX_RUN_FILE, LinkRule::Follow).map_err(refused)?;
    let bytes = bytes.ok_or_else(|| RunError::Missing(path.to_owned()))?;
    if coverage_py::is_database(&bytes) {
        return Ok(coverage_py::read_database(path)?);
    }
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let Some(reader) = READERS.iter().find(|reader| (reader.accepts)(head)) else {
        return Err(RunError::UnknownFormat(path.to_owned()));
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let test = test.map_or_else(|| stem.into_owned(), str::to_owned);
    (reader.read)(&RunFile { bytes: &bytes, test, read_source }).map_err(|reason| RunError::Invalid {
        path: path.to_owned(),
        format: reader.format,
        reason,
    })
}

/// Counts the lines of ranges.
#[derive(Default)]
struct RangeBudget {
    lines: u64,
}

impl RangeBudget {
    /// Adds the lines of a range.
    ///
    /// # Errors
    /// Returns the reason if the ranges have more lines than [`MAX_RANGE_LINES`].
    fn add_range(&mut self, first: u32, last: u32) -> Result<(), ReadFailure> {
        self.lines += u64::from(last.saturating_sub(first)) + 1;
        if self.lines > MAX_RANGE_LINES {
            return Err(format!("its ranges have more than {MAX_RANGE_LINES} lines"));
        }
        Ok(())
    }
}

/// Parses JSON into a known type.
fn parse_json<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ReadFailure> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// Whether `head` is the beginning of a JSON text and contains this key.
fn has_key(head: &[u8], key: &str) -> bool {
    let text = String::from_utf8_lossy(head);
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '['])
        && text.contains(&format!("\"{key}\""))
}
