//! The run layer: the results of recorded test runs and traces for the symbols of a graph.
//!
//! Like the history layer, it is not part of the graph's roots or of any file. Each record belongs
//! to a body of a symbol. While the body is unchanged, the record is fresh: the tests that ran the
//! symbol are its tests, and all other recorded tests are not ([`Snapshot::is_refuted_by_runs`]).
//! After an edit the record is stale and shown as such.

use super::Snapshot;
use super::types::{Edge, SymbolId};
use crate::hash::Hash;
use crate::runs::{RunBatch, SymbolState};
use crate::vocabulary::{EdgeKind, Provenance};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// The confidence of a call that was observed once.
const MIN_CONFIDENCE: f32 = 0.2;

/// The confidence that a call approaches the more often it is observed.
const MAX_CONFIDENCE: f32 = 0.95;

/// Returns the confidence of a call that was observed `count` times, from 0.2 to 0.95: each
/// doubling of the count halves the distance to 0.95. A record of another body (`fresh` is false)
/// has the minimum confidence.
pub fn observation_confidence(count: u32, fresh: bool) -> f32 {
    if !fresh {
        return MIN_CONFIDENCE;
    }
    let doublings = (count.max(1) as f32).log2();
    MAX_CONFIDENCE - (MAX_CONFIDENCE - MIN_CONFIDENCE) * (-doublings).exp2()
}

/// The index of a batch, and of an entry in one of its lists.
type RecordIndex = (u32, u32);

/// Recorded runs, indexed by symbol.
#[derive(Debug, Default)]
pub struct RunLayer {
    batches: Vec<RunBatch>,
    /// Measured functions, newest batch first.
    measured: FxHashMap<Hash, Vec<RecordIndex>>,
    /// Tests by their function, newest batch first.
    tests: FxHashMap<Hash, Vec<RecordIndex>>,
    /// Calls by callee.
    calls: FxHashMap<Hash, Vec<RecordIndex>>,
    /// Calls by caller.
    calls_made: FxHashMap<Hash, Vec<RecordIndex>>,
    /// The time of the last recorded run of a symbol, in seconds since the Unix epoch.
    last_seen: FxHashMap<Hash, i64>,
    /// The latest of these times.
    newest: Option<i64>,
}

/// The size of a run layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTotals {
    /// The number of recorded tests.
    pub tests: usize,
    /// The number of recorded tests whose name no symbol of the workspace has.
    pub unknown_tests: usize,
    /// The number of functions that recorded tests ran.
    pub covered: usize,
    /// The number of recorded calls.
    pub calls: usize,
    /// The time of the last record, in seconds since the Unix epoch.
    pub last_seen: i64,
}

/// A test that ran a symbol in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoveringTest {
    /// The test.
    pub test: SymbolId,
    /// Whether the symbol and the test have the bodies that ran.
    pub fresh: bool,
    /// The number of counted executions.
    pub count: u32,
    /// The time of the last recording, in seconds since the Unix epoch.
    pub last_seen: i64,
}

/// The differences between a graph and the state in which a batch was recorded.
#[derive(Debug, Default)]
pub(crate) struct RunChanges {
    /// Paths of changed and new files.
    files: FxHashSet<String>,
    /// Tests that ran a function whose body has changed, as indices into the batch.
    tests: FxHashSet<u32>,
}

impl RunChanges {
    /// Compares the graph with the state of the code in which `batch` was recorded.
    fn since_batch(snapshot: &Snapshot, batch: &RunBatch) -> Self {
        let recorded: FxHashMap<&str, u64> =
            batch.files.iter().map(|file| (file.path.as_str(), file.content)).collect();
        let mut changes = Self::default();
        let mut unchanged: FxHashSet<&str> = FxHashSet::default();
        for file in snapshot.files().into_iter().filter_map(|id| snapshot.file(id)) {
            if recorded.get(file.path) == Some(&file.content_hash.sort_prefix()) {
                unchanged.insert(file.path);
            } else {
                changes.files.insert(file.path.to_owned());
            }
        }
        for measured in &batch.measured {
            let same_file = unchanged.contains(batch.files[measured.file as usize].path.as_str());
            if !same_file && !snapshot.is_unchanged(&measured.state) {
                changes.tests.extend(measured.covered_by.iter().map(|cover| cover.0));
            }
        }
        changes
    }
}

impl CoveringTest {
    /// Returns the confidence that the test runs the symbol: the maximum while the code is
    /// unchanged, the minimum after a change.
    pub fn confidence(&self) -> f32 {
        if self.fresh { MAX_CONFIDENCE } else { MIN_CONFIDENCE }
    }
}

impl RunLayer {
    /// Builds the indexes of the batches, which are in the order of their imports.
    pub fn from_batches(batches: Vec<RunBatch>) -> Self {
        let mut layer = Self::default();
        for (at, batch) in batches.iter().enumerate().rev() {
            let batch_index = at as u32;
            for (index, symbol) in batch.measured.iter().enumerate() {
                let indexes = layer.measured.entry(symbol.state.symbol).or_default();
                indexes.push((batch_index, index as u32));
                for &(test, _) in &symbol.covered_by {
                    layer.record_time(symbol.state.symbol, batch.tests[test as usize].last_seen);
                }
            }
            for (index, test) in batch.tests.iter().enumerate() {
                if let Some(function) = test.function {
                    layer.tests.entry(function.symbol).or_default().push((batch_index, index as u32));
                    layer.record_time(function.symbol, test.last_seen);
                }
            }
            for (index, call) in batch.calls.iter().enumerate() {
                layer.calls.entry(call.callee.symbol).or_default().push((batch_index, index as u32));
                layer.calls_made.entry(call.caller.symbol).or_default().push((batch_index, index as u32));
                layer.record_time(call.callee.symbol, call.last_seen);
                layer.record_time(call.caller.symbol, call.last_seen);
            }
        }
        layer.batches = batches;
        layer
    }

    fn record_time(&mut self, symbol: Hash, time: i64) {
        let latest = self.last_seen.entry(symbol).or_insert(time);
        *latest = time.max(*latest);
        self.newest = self.newest.max(Some(time));
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Returns the size of the layer.
    pub fn totals(&self) -> RunTotals {
        let tests = || self.batches.iter().flat_map(|batch| &batch.tests);
        let calls = || self.batches.iter().flat_map(|batch| &batch.calls);
        let is_covered = |indexes: &Vec<RecordIndex>| {
            indexes.iter().any(|&(batch, at)| !self.measured_at(batch, at).covered_by.is_empty())
        };
        RunTotals {
            tests: tests().count(),
            unknown_tests: tests().filter(|test| test.function.is_none()).count(),
            covered: self.measured.values().filter(|indexes| is_covered(indexes)).count(),
            calls: calls().count(),
            last_seen: tests()
                .map(|test| test.last_seen)
                .chain(calls().map(|call| call.last_seen))
                .max()
                .unwrap_or_default(),
        }
    }

    fn measured_at(&self, batch: u32, at: u32) -> &crate::runs::MeasuredSymbol {
        &self.batches[batch as usize].measured[at as usize]
    }
}

impl Snapshot {
    /// Returns the same graph with these recorded runs.
    #[must_use]
    pub fn with_runs(mut self, runs: Arc<RunLayer>) -> Self {
        self.runs = runs;
        self.run_changes = Arc::new(OnceLock::new());
        self
    }

    /// Returns the recorded runs.
    pub fn run_layer(&self) -> &Arc<RunLayer> {
        &self.runs
    }

    /// Returns the time between the last run of a symbol and the newest record, in seconds; `None`
    /// if no record shows that the symbol ran. It does not depend on the clock, so that equal
    /// records give equal packs.
    pub fn last_run_age(&self, id: SymbolId) -> Option<u64> {
        Some(self.runs.newest?.abs_diff(self.last_run(id)?))
    }

    /// Returns the last time at which a recording shows that a symbol ran, in seconds since the
    /// Unix epoch.
    pub fn last_run(&self, id: SymbolId) -> Option<i64> {
        if self.runs.is_empty() {
            return None;
        }
        self.runs.last_seen.get(&self.symbol(id)?.hash).copied()
    }

    fn is_unchanged(&self, state: &SymbolState) -> bool {
        let symbol = self.symbol_by_hash(&state.symbol).and_then(|id| self.symbol(id));
        symbol.is_some_and(|symbol| symbol.body_hash == state.body)
    }

    /// Returns the tests that recordings show to run a symbol, each once, by id. A fresh record of
    /// a test has priority over a stale record.
    pub fn covering_tests(&self, id: SymbolId) -> Vec<CoveringTest> {
        let Some(symbol) = self.symbol(id).filter(|_| !self.runs.is_empty()) else { return Vec::new() };
        let mut found: Vec<CoveringTest> = Vec::new();
        for &(batch, at) in self.runs.measured.get(&symbol.hash).into_iter().flatten() {
            let measured = self.runs.measured_at(batch, at);
            for &(test, count) in &measured.covered_by {
                let test = &self.runs.batches[batch as usize].tests[test as usize];
                let Some(function) = test.function else { continue };
                let Some(test_id) = self.symbol_by_hash(&function.symbol) else { continue };
                let fresh = measured.state.body == symbol.body_hash && self.is_unchanged(&function);
                found.push(CoveringTest { test: test_id, fresh, count, last_seen: test.last_seen });
            }
        }
        found.sort_unstable_by_key(|cover| (cover.test, !cover.fresh, -cover.last_seen, cover.count));
        found.dedup_by_key(|cover| cover.test);
        found
    }

    /// Whether recordings show that a test does not run along a path, although the graph shows that
    /// it may: the test did not run one of the functions on the path, and no function that it ran
    /// has changed since the recording. `path` leads from the test to the symbol in question.
    pub fn is_refuted_by_runs(&self, test: SymbolId, path: &[SymbolId]) -> bool {
        let Some(symbol) = self.symbol(test).filter(|_| !self.runs.is_empty()) else { return false };
        let records = self.runs.tests.get(&symbol.hash).map_or(&[][..], Vec::as_slice);
        let Some(&(batch, _)) = records.first() else { return false };
        let functions: Vec<u32> =
            records.iter().filter(|record| record.0 == batch).map(|record| record.1).collect();
        let (tests, changes) = (&self.runs.batches[batch as usize].tests, self.run_changes(batch));
        let is_valid = |at: &u32| {
            let function = tests[*at as usize].function;
            function.is_some_and(|f| f.body == symbol.body_hash) && !changes.tests.contains(at)
        };
        if !functions.iter().all(is_valid) {
            return false;
        }
        let mut ran_all = true;
        for &id in path.iter().filter(|&&id| id != test) {
            let Some(step) = self.symbol(id) else { return false };
            match self.measured_in(batch, &step.hash) {
                Some(measured) => {
                    let covered =
                        |test: &u32| measured.covered_by.binary_search_by_key(test, |cover| cover.0).is_ok();
                    ran_all &= functions.iter().any(covered);
                }
                // Changed code that was not measured may now run other functions.
                None if changes.files.contains(step.path) => return false,
                None => {}
            }
        }
        !ran_all
    }

    /// Returns the changes since a batch was recorded.
    fn run_changes(&self, batch: u32) -> &RunChanges {
        let all = self.run_changes.get_or_init(|| {
            self.runs.batches.iter().map(|batch| RunChanges::since_batch(self, batch)).collect()
        });
        &all[batch as usize]
    }

    fn measured_in(&self, batch: u32, symbol: &Hash) -> Option<&crate::runs::MeasuredSymbol> {
        let indexes = self.runs.measured.get(symbol)?;
        let &(_, at) = indexes.iter().find(|index| index.0 == batch)?;
        Some(self.runs.measured_at(batch, at))
    }

    /// Returns the calls to a symbol that traces recorded, one edge per caller, by caller.
    pub fn runtime_callers(&self, id: SymbolId) -> Vec<Edge> {
        self.runtime_edges(id, &self.runs.calls)
    }

    /// Returns the calls that a symbol made according to traces, one edge per callee, by callee.
    pub fn runtime_callees(&self, id: SymbolId) -> Vec<Edge> {
        self.runtime_edges(id, &self.runs.calls_made)
    }

    /// Returns one edge for each pair of ends of the calls that `index` has for a symbol.
    fn runtime_edges(&self, id: SymbolId, index: &FxHashMap<Hash, Vec<RecordIndex>>) -> Vec<Edge> {
        if index.is_empty() {
            return Vec::new();
        }
        let Some(symbol) = self.symbol(id) else { return Vec::new() };
        let mut edges: Vec<Edge> = Vec::new();
        for &(batch, at) in index.get(&symbol.hash).into_iter().flatten() {
            let call = &self.runs.batches[batch as usize].calls[at as usize];
            let ends = (self.symbol_by_hash(&call.caller.symbol), self.symbol_by_hash(&call.callee.symbol));
            let (Some(source), Some(target)) = ends else { continue };
            let confidence = observation_confidence(call.count, self.is_unchanged(&call.caller));
            let (kind, provenance) = (EdgeKind::RuntimeCalls, Provenance::Runtime);
            edges.push(Edge { source, target, kind, provenance, confidence, line: None });
        }
        let by_ends = |a: &Edge, b: &Edge| (a.source, a.target).cmp(&(b.source, b.target));
        edges.sort_by(|a, b| by_ends(a, b).then(b.confidence.total_cmp(&a.confidence)));
        edges.dedup_by_key(|edge| (edge.source, edge.target));
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_grows_with_the_count_and_is_minimal_for_changed_code() {
        let rounded = |count| (observation_confidence(count, true) * 1000.0).round() as u32;
        assert_eq!([1, 2, 4, 16, 1000].map(rounded), [200, 575, 763, 903, 949]);
        assert_eq!(observation_confidence(1000, false), 0.2);
    }
}
