//! Ranks the test files of a change: files whose tests reach it, and test files that usually change
//! with it.
//!
//! [`likely_test_files`] puts the test files that changed together with the symbols' files first,
//! most often first. It fuses two lists by reciprocal rank for the others, so that a file in both
//! comes first:
//!
//! * the test files in the order of [`ripple_files`](super::ripple_files);
//! * the files whose tests reach the change, nearest first.
//!
//! A test file is a file with tests. Only if no candidate has any, as in languages without marks of
//! tests, their paths decide.

use super::features::FeatureRow;
use super::{MAX_REASONS, RippleReason, RippleSeeds, candidate_features, features, model};
use crate::features::AffectedTests;
use crate::history::CommitHistory;
use kenning_graph::{Snapshot, SymbolId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The constant of reciprocal rank fusion. Recall of the tests that commits edit is equal from 1 to
/// 30 (`bench/impact/ripple.py tests`).
const FUSION_CONSTANT: f64 = 10.0;

/// A test file that a change may affect.
#[derive(Clone, Debug, PartialEq)]
pub struct TestFile {
    /// The path in the workspace.
    pub path: String,
    /// Number of its tests that reach the change.
    pub reaching: usize,
    /// The reasons why the file may also have to change, the strongest first.
    pub reasons: Vec<RippleReason>,
}

/// Returns the test files that a change to the symbols may affect, the likeliest first, at most
/// `limit`. `affected` has the tests that reach the symbols, nearest first. Leaves out the files of
/// the symbols.
pub fn likely_test_files(
    snapshot: &Snapshot,
    history: Option<&CommitHistory>,
    symbols: &[SymbolId],
    affected: &AffectedTests,
    limit: usize,
) -> Vec<TestFile> {
    let mut rows = candidate_features(snapshot, history, RippleSeeds { symbols });
    rows.retain(|row| row.values[features::IS_TEST] > 0.0);
    if rows.iter().any(|row| has_tests(snapshot, &row.path)) {
        rows.retain(|row| has_tests(snapshot, &row.path));
    }
    for row in &mut rows {
        row.score = model::score_features(&row.values);
    }
    // The model is fitted on source files. The likeliest test files are the files that changed
    // together most often and most recently. The model only orders the others.
    let together = |row: &FeatureRow| row.values[features::CO_RECENT];
    rows.sort_by(|a, b| {
        let by_history = together(b).total_cmp(&together(a));
        by_history.then(b.score.total_cmp(&a.score)).then_with(|| a.path.cmp(&b.path))
    });
    let mut files: BTreeMap<String, (LikelyScore, TestFile)> = BTreeMap::new();
    for (rank, row) in rows.into_iter().enumerate() {
        let mut reasons = row.reasons;
        reasons.truncate(MAX_REASONS);
        let file = TestFile { path: row.path.clone(), reaching: 0, reasons };
        let score = LikelyScore { together: row.values[features::CO_RECENT], fused: fusion_score(rank) };
        files.insert(row.path, (score, file));
    }
    for (rank, (path, reaching)) in reaching_files(snapshot, symbols, affected).into_iter().enumerate() {
        let new =
            || (LikelyScore::default(), TestFile { path: path.clone(), reaching: 0, reasons: Vec::new() });
        let (score, file) = files.entry(path.clone()).or_insert_with(new);
        score.fused += fusion_score(rank);
        file.reaching = reaching;
    }
    let mut ranked: Vec<(LikelyScore, TestFile)> = files.into_values().collect();
    ranked.sort_by(|(score_a, a), (score_b, b)| {
        let by_history = score_b.together.total_cmp(&score_a.together);
        by_history.then(score_b.fused.total_cmp(&score_a.fused)).then_with(|| a.path.cmp(&b.path))
    });
    ranked.truncate(limit);
    ranked.into_iter().map(|(_, file)| file).collect()
}

/// The order of a test file: history first.
#[derive(Clone, Copy, Debug, Default)]
struct LikelyScore {
    /// How often and how recently the file changed together with the symbols' files.
    together: f64,
    /// The sum of the reciprocal ranks.
    fused: f64,
}

/// Whether the file at a path contains a symbol that is a test.
fn has_tests(snapshot: &Snapshot, path: &str) -> bool {
    let file = snapshot.file_by_path(path);
    file.is_some_and(|file| snapshot.file_symbol_refs(file).iter().any(|symbol| symbol.is_test))
}

fn fusion_score(rank: usize) -> f64 {
    1.0 / (FUSION_CONSTANT + rank as f64)
}

/// The tests of one file that reach a change.
struct ReachingTests {
    /// Whether all paths to the change are possible or ambiguous.
    all_unsure: bool,
    /// Length of the shortest path to the change.
    nearest: usize,
    count: usize,
}

/// Returns the files of the tests that reach the symbols, with the number of these tests. Files
/// with certain and near tests come first, then files with more of them. Leaves out the files of
/// the symbols.
fn reaching_files(
    snapshot: &Snapshot,
    symbols: &[SymbolId],
    affected: &AffectedTests,
) -> Vec<(String, usize)> {
    let path_of = |id: SymbolId| snapshot.symbol(id).map(|symbol| symbol.path.to_owned());
    let seeds: Vec<String> = symbols.iter().filter_map(|&id| path_of(id)).collect();
    let mut files: FxHashMap<String, ReachingTests> = FxHashMap::default();
    for test in &affected.tests {
        let Some(path) = path_of(test.test).filter(|path| !seeds.contains(path)) else { continue };
        let unsure = test.possible || test.ambiguous;
        let first = ReachingTests { all_unsure: unsure, nearest: test.path.len(), count: 0 };
        let entry = files.entry(path).or_insert(first);
        entry.all_unsure &= unsure;
        entry.nearest = entry.nearest.min(test.path.len());
        entry.count += 1;
    }
    let mut ranked: Vec<(String, ReachingTests)> = files.into_iter().collect();
    ranked.sort_by(|(path_a, a), (path_b, b)| {
        (a.all_unsure, a.nearest, b.count, path_a).cmp(&(b.all_unsure, b.nearest, a.count, path_b))
    });
    ranked.into_iter().map(|(path, tests)| (path, tests.count)).collect()
}
