//! Recorded runs: which symbols each test ran, and which calls a trace showed.
//!
//! `kenning runs import` reads coverage and trace files into one [`RunBatch`]. Every record names
//! the state of the code that ran: each symbol with its body, each file with its content. A record
//! counts as fresh while the symbol has that body.

use crate::hash::Hash;
use serde::{Deserialize, Serialize};

/// A symbol, with the body that it had when it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SymbolState {
    /// The identity of the symbol.
    pub symbol: Hash,
    /// The first eight bytes of the hash of its text.
    pub body: u64,
}

/// A test whose run was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTest {
    /// The name in the recording.
    pub name: String,
    /// The function of the test; `None` if no symbol of the workspace has the name.
    pub function: Option<SymbolState>,
    /// The time of the first recording, in seconds since the Unix epoch.
    pub first_seen: i64,
    /// The time of the last recording, in seconds since the Unix epoch.
    pub last_seen: i64,
    /// The number of recordings.
    pub recordings: u32,
}

/// A function of a measured file, and the tests that ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredSymbol {
    /// The function.
    pub state: SymbolState,
    /// The file of the function, as an index into [`RunBatch::files`].
    pub file: u32,
    /// The tests that ran it, as indices into [`RunBatch::tests`], ascending, each with the number
    /// of counted executions.
    pub covered_by: Vec<(u32, u32)>,
}

/// A call that a trace showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCall {
    /// The caller.
    pub caller: SymbolState,
    /// The called function.
    pub callee: SymbolState,
    /// The number of observations.
    pub count: u32,
    /// The time of the first observation, in seconds since the Unix epoch.
    pub first_seen: i64,
    /// The time of the last observation, in seconds since the Unix epoch.
    pub last_seen: i64,
}

/// A file, with its content at the time of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// The workspace-relative path, with `/` as the separator.
    pub path: String,
    /// The first eight bytes of the hash of its content.
    pub content: u64,
}

/// The records of one import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunBatch {
    /// All files of the workspace, by path.
    pub files: Vec<FileState>,
    /// The tests, by name.
    pub tests: Vec<RecordedTest>,
    /// The functions of the measured files, by identity.
    pub measured: Vec<MeasuredSymbol>,
    /// The calls, by caller and callee.
    pub calls: Vec<RecordedCall>,
}

impl RunBatch {
    /// Whether every index is within the list that it belongs to.
    pub fn is_consistent(&self) -> bool {
        self.measured.iter().all(|symbol| {
            let mut covers = symbol.covered_by.iter();
            (symbol.file as usize) < self.files.len()
                && covers.all(|&(test, _)| (test as usize) < self.tests.len())
        })
    }

    /// Whether the batch has neither tests nor calls.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.calls.is_empty()
    }

    /// Removes the records that a newer batch replaces: tests with the same name, together with the
    /// functions they ran, and calls between the same symbols. The newer batch takes over their
    /// first times and adds their counts to its own.
    pub fn remove_superseded_by(&mut self, newer: &mut Self) {
        let mut kept = Vec::new();
        let mut new_index = vec![None; self.tests.len()];
        for (at, test) in std::mem::take(&mut self.tests).into_iter().enumerate() {
            match newer.tests.binary_search_by(|other| other.name.cmp(&test.name)) {
                Ok(index) => {
                    let newer_test = &mut newer.tests[index];
                    newer_test.first_seen = newer_test.first_seen.min(test.first_seen);
                    newer_test.recordings = newer_test.recordings.saturating_add(test.recordings);
                }
                Err(_) => {
                    new_index[at] = Some(kept.len() as u32);
                    kept.push(test);
                }
            }
        }
        self.tests = kept;
        for symbol in &mut self.measured {
            let covered = std::mem::take(&mut symbol.covered_by).into_iter();
            symbol.covered_by =
                covered.filter_map(|(test, count)| Some((new_index[test as usize]?, count))).collect();
        }
        self.calls.retain(|call| {
            let key = |call: &RecordedCall| (call.caller.symbol, call.callee.symbol);
            let Ok(index) = newer.calls.binary_search_by_key(&key(call), key) else { return true };
            let newer_call = &mut newer.calls[index];
            newer_call.first_seen = newer_call.first_seen.min(call.first_seen);
            newer_call.count = newer_call.count.saturating_add(call.count);
            false
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(name: &str) -> SymbolState {
        SymbolState { symbol: Hash::from_content(name.as_bytes()), body: 1 }
    }

    fn test(name: &str, at: i64) -> RecordedTest {
        RecordedTest { name: name.to_owned(), function: None, first_seen: at, last_seen: at, recordings: 1 }
    }

    #[test]
    fn a_newer_batch_replaces_the_tests_that_it_records_again() {
        let measured = |covered: &[u32]| MeasuredSymbol {
            state: state("f"),
            file: 0,
            covered_by: covered.iter().map(|&test| (test, 1)).collect(),
        };
        let mut older = RunBatch {
            tests: vec![test("a", 10), test("b", 10), test("c", 10)],
            measured: vec![measured(&[0, 1, 2])],
            ..RunBatch::default()
        };
        let mut newer =
            RunBatch { tests: vec![test("b", 20)], measured: vec![measured(&[0])], ..RunBatch::default() };
        older.remove_superseded_by(&mut newer);
        assert_eq!(older.tests, [test("a", 10), test("c", 10)]);
        assert_eq!(older.measured, [measured(&[0, 1])]);
        assert_eq!((newer.tests[0].first_seen, newer.tests[0].recordings), (10, 2));
    }
}
