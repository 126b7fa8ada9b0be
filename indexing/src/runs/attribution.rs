//! Attributes the lines, names and calls in recordings to the functions of a graph.
//!
//! A line belongs to every function around it, because a change to any of them changes it. If a
//! format also counts the line of a declaration when its file is loaded, only later lines count.
//! Files that changed after the recording are left out, because their lines may have moved.

use super::recorded_paths::PathIndex;
use super::test_names::{NameFinder, NameUse};
use super::{RecordedFile, RunRecording, SpanSource};
use kenning_graph::runs::{MeasuredSymbol, RecordedCall, RecordedTest, RunBatch, SymbolState};
use kenning_graph::{FileId, Hash, Snapshot, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

/// Maximum number of names that a report lists. A renamed suite has thousands of unknown tests.
const MAX_LISTED: usize = 20;

/// The result of an attribution, for the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Number of tests in the recordings.
    pub tests: usize,
    /// Names of tests that match no symbol, at most 20.
    pub unknown_tests: Vec<String>,
    /// Number of tests whose names match no symbol.
    pub unknown_test_count: usize,
    /// Number of functions that a test ran.
    pub covered: usize,
    /// Number of functions that were measured.
    pub measured: usize,
    /// Number of calls that a trace shows between functions of the workspace.
    pub calls: usize,
    /// Number of calls with an end outside the workspace.
    pub unknown_calls: usize,
    /// Number of recorded files that are not in the workspace.
    pub unknown_files: usize,
    /// Paths of the files that changed after the recording, sorted.
    pub changed_files: Vec<String>,
}

/// A recording with its time.
#[derive(Clone, Debug)]
pub struct DatedRecording {
    /// The recording.
    pub recording: RunRecording,
    /// The time of the recording, in seconds since the Unix epoch.
    pub recorded_at: i64,
}

/// The use of files that changed after the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTimes {
    /// Changed files are left out.
    Check,
    /// Changed files are used, too.
    Ignore,
}

/// Merges recordings into one batch.
pub fn attribute_runs<'a>(
    snapshot: &'a Snapshot,
    root: &Path,
    recordings: &'a [DatedRecording],
    times: FileTimes,
) -> (RunBatch, RunReport) {
    let mut tests: BTreeMap<&str, i64> = BTreeMap::new();
    for DatedRecording { recording, recorded_at } in recordings {
        for test in &recording.tests {
            let time = tests.entry(test).or_insert(*recorded_at);
            *time = (*recorded_at).max(*time);
        }
    }
    let positions: FxHashMap<&str, u32> = tests.keys().zip(0..).map(|(&name, at)| (name, at)).collect();
    let mut attribution = Attribution {
        snapshot,
        paths: PathIndex::new(snapshot, root),
        times,
        functions: FxHashMap::default(),
        names: NameFinder::new(snapshot),
        tests: tests.into_iter().collect(),
        measured: BTreeMap::new(),
        calls: BTreeMap::new(),
        changed: BTreeSet::new(),
        report: RunReport::default(),
    };
    for DatedRecording { recording, recorded_at } in recordings {
        let tests = recording.tests.iter().map(|test| positions[test.as_str()]).collect();
        attribution.add_recording(&NamedRecording { recording, tests }, *recorded_at);
    }
    attribution.finish()
}

struct Attribution<'a> {
    snapshot: &'a Snapshot,
    paths: PathIndex<'a>,
    times: FileTimes,
    /// The functions of the files that recordings name. A recording can name a file once for each
    /// test, and each call names two.
    functions: FxHashMap<(FileId, LineUse), Rc<FileFunctions<'a>>>,
    names: NameFinder<'a>,
    /// The tests by name, each with its time in seconds since the Unix epoch.
    tests: Vec<(&'a str, i64)>,
    measured: BTreeMap<Hash, MeasuredFunction>,
    /// Calls by caller and callee.
    calls: BTreeMap<(SymbolState, SymbolState), CallTimes>,
    changed: BTreeSet<String>,
    report: RunReport,
}

/// A recording with the positions of its tests in [`Attribution::tests`]. Names of tests can have
/// any length, so they are compared only once.
struct NamedRecording<'r> {
    recording: &'r RunRecording,
    tests: Vec<u32>,
}

/// The calls from one function to another.
struct CallTimes {
    count: u32,
    /// In seconds since the Unix epoch.
    first_seen: i64,
    /// In seconds since the Unix epoch.
    last_seen: i64,
}

/// The lines of a function that show that it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum LineUse {
    /// All lines.
    All,
    /// Those after the line of the name, because that line runs when the file is loaded.
    AfterDeclaration,
}

/// The functions of a file, by line.
struct FileFunctions<'a> {
    functions: Vec<SymbolRef<'a>>,
    /// Indices into `functions`, by 0-based line.
    by_line: Vec<Vec<u32>>,
    /// The first type with each name.
    types: FxHashMap<&'a str, SymbolRef<'a>>,
}

impl<'a> FileFunctions<'a> {
    fn new(snapshot: &'a Snapshot, file: FileId, lines: LineUse) -> Self {
        let symbols = snapshot.file_symbol_refs(file);
        let mut types = FxHashMap::default();
        for symbol in symbols.iter().filter(|symbol| symbol.kind.is_type()) {
            types.entry(symbol.name).or_insert(*symbol);
        }
        let functions: Vec<SymbolRef<'_>> = symbols.into_iter().filter(has_body).collect();
        let last = functions.iter().map(|symbol| symbol.span.end_line).max().unwrap_or_default() as usize;
        let mut by_line: Vec<Vec<u32>> = vec![Vec::new(); last + 1];
        for (at, function) in functions.iter().enumerate() {
            let first = match lines {
                LineUse::All => function.span.start_line,
                LineUse::AfterDeclaration => function.name_span.line.max(function.span.start_line) + 1,
            };
            for line in first..=function.span.end_line {
                by_line[line as usize].push(at as u32);
            }
        }
        Self { functions, by_line, types }
    }
}

/// A function of a measured file.
struct MeasuredFunction {
    /// Hash of the body.
    body: u64,
    path: String,
    /// Number of executions by each test that ran the function, by the position of the test.
    covered: BTreeMap<u32, u32>,
}

impl<'a> Attribution<'a> {
    fn add_recording(&mut self, named: &NamedRecording<'_>, recorded_at: i64) {
        let recording = named.recording;
        let found = self.paths.find_files(&recording.files);
        for (recorded, file) in recording.files.iter().zip(found) {
            let Some(file) = file.and_then(|file| self.snapshot.file(file)) else {
                self.report.unknown_files += 1;
                continue;
            };
            // Some file systems store times in steps of two seconds.
            if self.times == FileTimes::Check && file.mtime_ns / 1_000_000_000 > recorded_at + 2 {
                self.changed.insert(file.path.to_owned());
                continue;
            }
            self.add_file(named, recorded, file.id);
        }
        for call in &recording.calls {
            let ends = (self.find_source(&call.caller), self.find_source(&call.callee));
            let (Some(caller), Some(callee)) = ends else {
                self.report.unknown_calls += 1;
                continue;
            };
            let new = CallTimes { count: 0, first_seen: call.at, last_seen: call.at };
            let seen = self.calls.entry((caller, callee)).or_insert(new);
            seen.count = seen.count.saturating_add(1);
            seen.first_seen = seen.first_seen.min(call.at);
            seen.last_seen = seen.last_seen.max(call.at);
        }
    }

    fn add_file(&mut self, named: &NamedRecording<'_>, recorded: &RecordedFile, file: FileId) {
        let lines = if named.recording.declarations_run { LineUse::AfterDeclaration } else { LineUse::All };
        let file = self.functions_of(file, lines);
        for range in &recorded.ranges {
            let lines =
                range.first_line.max(1) as usize - 1..file.by_line.len().min(range.last_line as usize);
            for &at in file.by_line.get(lines).into_iter().flatten().flatten() {
                self.add_execution(named, &file.functions[at as usize], range.test, range.count);
            }
        }
        for &test in &recorded.class_tests {
            let stem = Path::new(&recorded.path).file_stem().unwrap_or_default().to_string_lossy();
            if let Some(class) = file.types.get(&*stem) {
                self.add_execution(named, class, Some(test), 1);
            }
        }
    }

    fn functions_of(&mut self, file: FileId, lines: LineUse) -> Rc<FileFunctions<'a>> {
        let new = || Rc::new(FileFunctions::new(self.snapshot, file, lines));
        Rc::clone(self.functions.entry((file, lines)).or_insert_with(new))
    }

    fn add_execution(
        &mut self,
        named: &NamedRecording<'_>,
        symbol: &SymbolRef<'_>,
        test: Option<u32>,
        executions: u32,
    ) {
        let new = || MeasuredFunction {
            body: symbol.body_hash,
            path: symbol.path.to_owned(),
            covered: BTreeMap::new(),
        };
        let covered = &mut self.measured.entry(symbol.hash).or_insert_with(new).covered;
        if let Some(&test) = test.and_then(|test| named.tests.get(test as usize)) {
            let count = covered.entry(test).or_default();
            *count = executions.max(*count);
        }
    }

    /// Returns the function that a span ran.
    fn find_source(&mut self, source: &SpanSource) -> Option<SymbolState> {
        let recorded = RecordedFile { path: source.path.clone(), ..RecordedFile::default() };
        let file = self.paths.find_files(std::slice::from_ref(&recorded))[0];
        let by_line = file.filter(|_| source.line > 0).and_then(|file| {
            let file = self.functions_of(file, LineUse::All);
            let enclosing = file.by_line.get(source.line as usize - 1)?;
            let enclosing = enclosing.iter().map(|&at| &file.functions[at as usize]);
            enclosing.min_by_key(|symbol| symbol.span.end - symbol.span.start).map(|symbol| symbol.id)
        });
        let by_name = || self.names.find_symbol(&source.function, NameUse::Function);
        let id = by_line.or_else(by_name)?;
        symbol_state(self.snapshot, id)
    }

    fn finish(mut self) -> (RunBatch, RunReport) {
        let mut batch = RunBatch::default();
        for &(name, time) in &self.tests {
            let function = self.names.find_symbol(name, NameUse::Test);
            let function = function.and_then(|id| symbol_state(self.snapshot, id));
            if function.is_none() {
                self.report.unknown_test_count += 1;
                if self.report.unknown_tests.len() < MAX_LISTED {
                    self.report.unknown_tests.push(name.to_owned());
                }
            }
            let (first_seen, last_seen) = (time, time);
            batch.tests.push(RecordedTest {
                name: name.to_owned(),
                function,
                first_seen,
                last_seen,
                recordings: 1,
            });
        }
        batch.files = self.paths.file_states();
        for (symbol, MeasuredFunction { body, path, covered }) in &self.measured {
            let covered_by = covered.iter().map(|(&test, &count)| (test, count)).collect();
            let Ok(file) = batch.files.binary_search_by(|file| file.path.cmp(path)) else { continue };
            let state = SymbolState { symbol: *symbol, body: *body };
            batch.measured.push(MeasuredSymbol { state, file: file as u32, covered_by });
        }
        for (&(caller, callee), &CallTimes { count, first_seen, last_seen }) in &self.calls {
            batch.calls.push(RecordedCall { caller, callee, count, first_seen, last_seen });
        }
        batch.calls.sort_by_key(|call| (call.caller.symbol, call.callee.symbol));
        self.report.tests = batch.tests.len();
        self.report.measured = batch.measured.len();
        self.report.covered =
            batch.measured.iter().filter(|function| !function.covered_by.is_empty()).count();
        self.report.calls = batch.calls.len();
        self.report.changed_files = self.changed.into_iter().collect();
        (batch, self.report)
    }
}

/// Whether a symbol has code that runs: a function, or a property, which may have accessors.
fn has_body(symbol: &SymbolRef<'_>) -> bool {
    symbol.kind.is_callable() || symbol.kind == SymbolKind::Property
}

fn symbol_state(snapshot: &Snapshot, id: SymbolId) -> Option<SymbolState> {
    let symbol = snapshot.symbol(id)?;
    Some(SymbolState { symbol: symbol.hash, body: symbol.body_hash })
}
