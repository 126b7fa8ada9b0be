//! Attributes the lines, names and calls in recordings to the functions of a graph.
//!
//! A line belongs to every function around it, because a change to any of them changes it. If a
//! format also counts the line of a declaration when its file is loaded, only later lines count.
//! Files that changed after the recording are left out, because their lines may have moved.

use super::test_names::{NameUse, find_by_recorded_name};
use super::{RecordedFile, RunRecording, SpanSource};
use kenning_graph::runs::{FileState, MeasuredSymbol, RecordedCall, RecordedTest, RunBatch, SymbolState};
use kenning_graph::{FileId, Hash, Snapshot, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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
pub fn attribute_runs(
    snapshot: &Snapshot,
    root: &Path,
    recordings: &[DatedRecording],
    times: FileTimes,
) -> (RunBatch, RunReport) {
    let mut attribution = Attribution {
        snapshot,
        paths: PathIndex::new(snapshot, root),
        times,
        tests: BTreeMap::new(),
        measured: BTreeMap::new(),
        calls: BTreeMap::new(),
        changed: BTreeSet::new(),
        report: RunReport::default(),
    };
    for DatedRecording { recording, recorded_at } in recordings {
        attribution.add_recording(recording, *recorded_at);
    }
    attribution.finish()
}

struct Attribution<'a> {
    snapshot: &'a Snapshot,
    paths: PathIndex<'a>,
    times: FileTimes,
    /// Time of each test in seconds since the Unix epoch, by name.
    tests: BTreeMap<String, i64>,
    measured: BTreeMap<Hash, MeasuredFunction>,
    /// Calls by caller and callee.
    calls: BTreeMap<(SymbolState, SymbolState), CallTimes>,
    changed: BTreeSet<String>,
    report: RunReport,
}

/// The calls from one function to another.
struct CallTimes {
    count: u32,
    /// In seconds since the Unix epoch.
    first_seen: i64,
    /// In seconds since the Unix epoch.
    last_seen: i64,
}

/// A function of a measured file.
struct MeasuredFunction {
    /// Hash of the body.
    body: u64,
    path: String,
    /// Number of executions by each test that ran the function, by the name of the test.
    covered: BTreeMap<String, u32>,
}

impl Attribution<'_> {
    fn add_recording(&mut self, recording: &RunRecording, recorded_at: i64) {
        for test in &recording.tests {
            let time = self.tests.entry(test.clone()).or_insert(recorded_at);
            *time = recorded_at.max(*time);
        }
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
            self.add_file(recording, recorded, file.id);
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

    fn add_file(&mut self, recording: &RunRecording, recorded: &RecordedFile, file: FileId) {
        let symbols = self.snapshot.file_symbol_refs(file);
        let functions: Vec<&SymbolRef<'_>> = symbols.iter().filter(|symbol| has_body(symbol)).collect();
        let last = functions.iter().map(|symbol| symbol.span.end_line).max().unwrap_or_default() as usize;
        let mut functions_by_line: Vec<Vec<u32>> = vec![Vec::new(); last + 1];
        for (at, function) in functions.iter().enumerate() {
            let first = if recording.declarations_run {
                function.name_span.line.max(function.span.start_line) + 1
            } else {
                function.span.start_line
            };
            for line in first..=function.span.end_line {
                functions_by_line[line as usize].push(at as u32);
            }
        }
        for range in &recorded.ranges {
            let lines =
                range.first_line.max(1) as usize - 1..functions_by_line.len().min(range.last_line as usize);
            for &at in functions_by_line.get(lines).into_iter().flatten().flatten() {
                self.add_execution(recording, functions[at as usize], range.test, range.count);
            }
        }
        for &test in &recorded.class_tests {
            let stem = Path::new(&recorded.path).file_stem().unwrap_or_default().to_string_lossy();
            let class = symbols.iter().find(|symbol| symbol.kind.is_type() && symbol.name == stem);
            if let Some(class) = class {
                self.add_execution(recording, class, Some(test), 1);
            }
        }
    }

    fn add_execution(
        &mut self,
        recording: &RunRecording,
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
        let Some(test) = test.and_then(|test| recording.tests.get(test as usize)) else { return };
        match covered.get_mut(test) {
            Some(count) => *count = executions.max(*count),
            None => drop(covered.insert(test.clone(), executions)),
        }
    }

    /// Returns the function that a span ran.
    fn find_source(&self, source: &SpanSource) -> Option<SymbolState> {
        let recorded = RecordedFile { path: source.path.clone(), ..RecordedFile::default() };
        let file = self.paths.find_files(std::slice::from_ref(&recorded))[0];
        let by_line = file.filter(|_| source.line > 0).and_then(|file| {
            let line = source.line - 1;
            let symbols = self.snapshot.file_symbol_refs(file);
            let enclosing = symbols.into_iter().filter(|symbol| {
                has_body(symbol) && (symbol.span.start_line..=symbol.span.end_line).contains(&line)
            });
            enclosing.min_by_key(|symbol| symbol.span.end - symbol.span.start).map(|symbol| symbol.id)
        });
        let by_name = || find_by_recorded_name(self.snapshot, &source.function, NameUse::Function);
        self.symbol_state(by_line.or_else(by_name)?)
    }

    fn symbol_state(&self, id: SymbolId) -> Option<SymbolState> {
        let symbol = self.snapshot.symbol(id)?;
        Some(SymbolState { symbol: symbol.hash, body: symbol.body_hash })
    }

    fn finish(mut self) -> (RunBatch, RunReport) {
        let mut batch = RunBatch::default();
        let mut index: FxHashMap<&str, u32> = FxHashMap::default();
        for (name, &time) in &self.tests {
            let function = find_by_recorded_name(self.snapshot, name, NameUse::Test)
                .and_then(|id| self.symbol_state(id));
            if function.is_none() {
                self.report.unknown_test_count += 1;
                if self.report.unknown_tests.len() < MAX_LISTED {
                    self.report.unknown_tests.push(name.clone());
                }
            }
            index.insert(name, batch.tests.len() as u32);
            let (first_seen, last_seen) = (time, time);
            batch.tests.push(RecordedTest {
                name: name.clone(),
                function,
                first_seen,
                last_seen,
                recordings: 1,
            });
        }
        batch.files = self.paths.file_states();
        for (symbol, MeasuredFunction { body, path, covered }) in &self.measured {
            let covered_by = covered.iter().map(|(test, count)| (index[test.as_str()], *count)).collect();
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

/// Finds the files of the workspace that recorded paths refer to.
struct PathIndex<'a> {
    snapshot: &'a Snapshot,
    root: String,
    /// The files by their name.
    by_name: FxHashMap<&'a str, Vec<(&'a str, FileId)>>,
}

impl<'a> PathIndex<'a> {
    fn new(snapshot: &'a Snapshot, root: &Path) -> Self {
        let mut by_name: FxHashMap<&str, Vec<(&str, FileId)>> = FxHashMap::default();
        for file in snapshot.files().into_iter().filter_map(|id| snapshot.file(id)) {
            by_name.entry(kenning_graph::paths::file_name(file.path)).or_default().push((file.path, file.id));
        }
        Self { snapshot, root: root.to_string_lossy().replace('\\', "/"), by_name }
    }

    /// Returns the file that each recorded path refers to. An absolute path outside the workspace
    /// refers to no file. But if no path at all is inside, the recording comes from another folder;
    /// then the common prefix is removed from each path.
    fn find_files(&self, recorded: &[RecordedFile]) -> Vec<Option<FileId>> {
        let paths: Vec<String> = recorded.iter().map(|file| file.path.replace('\\', "/")).collect();
        let direct: Vec<Option<FileId>> = paths.iter().map(|path| self.find_inside(path)).collect();
        let prefix = if direct.iter().any(Option::is_some) { None } else { self.common_prefix(&paths) };
        let find = |(path, direct): (&String, Option<FileId>)| {
            direct.or_else(|| {
                if is_absolute(path) {
                    return self.snapshot.file_by_path(path.strip_prefix(prefix.as_deref()?)?);
                }
                self.find_by_suffix(path)
            })
        };
        paths.iter().zip(direct).map(find).collect()
    }

    /// Finds the file whose path is below the root or relative to it.
    fn find_inside(&self, path: &str) -> Option<FileId> {
        let below = path.strip_prefix(&self.root).and_then(|rest| rest.strip_prefix('/'));
        self.snapshot.file_by_path(below.unwrap_or(path.trim_start_matches("./")))
    }

    /// Finds the only file whose path ends with `path`, as for a file in a Java package. Otherwise
    /// finds the file with the longest path that `path` ends with, as for an import path of Go.
    fn find_by_suffix(&self, path: &str) -> Option<FileId> {
        if let Some(stem) = path.strip_suffix(".class") {
            let is_source =
                |file: &str| file.rsplit_once('.').is_some_and(|(file, _)| ends_with_path(file, stem));
            return single_file(self.by_name.values().flatten().filter(|(file, _)| is_source(file)));
        }
        let named = self.by_name.get(kenning_graph::paths::file_name(path))?;
        let longer = named.iter().filter(|(file, _)| ends_with_path(file, path));
        single_file(longer).or_else(|| {
            let shorter = named.iter().filter(|(file, _)| ends_with_path(path, file) && file.contains('/'));
            shorter.max_by_key(|(file, _)| file.len()).map(|(_, id)| *id)
        })
    }

    /// Returns the prefix whose removal turns the most absolute paths into files of the workspace.
    fn common_prefix(&self, paths: &[String]) -> Option<String> {
        let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
        for path in paths.iter().filter(|path| is_absolute(path)) {
            let named = self.by_name.get(kenning_graph::paths::file_name(path)).into_iter().flatten();
            for (file, _) in named.filter(|(file, _)| ends_with_path(path, file)) {
                *votes.entry(&path[..path.len() - file.len()]).or_default() += 1;
            }
        }
        let best =
            votes.into_iter().max_by_key(|&(prefix, count)| (count, std::cmp::Reverse(prefix.len())))?;
        Some(best.0.to_owned())
    }

    fn file_states(&self) -> Vec<FileState> {
        let files = self.snapshot.files().into_iter().filter_map(|id| self.snapshot.file(id));
        let mut states: Vec<FileState> = files
            .map(|file| FileState { path: file.path.to_owned(), content: file.content_hash.sort_prefix() })
            .collect();
        states.sort_by(|a, b| a.path.cmp(&b.path));
        states
    }
}

/// Whether a path is absolute, on Unix or on Windows.
fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":/")
}

/// Whether `path` ends with the whole components of `end`.
fn ends_with_path(path: &str, end: &str) -> bool {
    path == end || path.strip_suffix(end).is_some_and(|before| before.ends_with('/'))
}

/// Returns the id of the file if there is exactly one.
fn single_file<'f>(mut files: impl Iterator<Item = &'f (&'f str, FileId)>) -> Option<FileId> {
    let (_, first) = files.next()?;
    files.next().is_none().then_some(*first)
}
