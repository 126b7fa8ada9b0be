//! Chooses the tests of a pack: tests that exercise its first symbols, and tests that the words of
//! the task find.

use super::{PackGroup, PackInput, PackSymbol, describe_symbol};
use crate::features::{is_test, outermost_test};
use crate::rank::{CandidateOrigin, RankedSymbol};
use kenning_graph::{EdgeKind, SymbolId};
use rustc_hash::FxHashMap;

/// Number of symbols at the top of the pack whose tests are considered.
const EXERCISED_SYMBOLS: usize = 10;

/// Number of ranked tests that are considered.
const RANKED_TESTS: usize = 50;

/// The constant of reciprocal rank fusion.
const FUSION_CONSTANT: f64 = 10.0;

/// Returns the best tests, at most `limit`. `code` and `tests` are ranks of the ranked list.
pub(super) fn choose_tests(
    input: &PackInput<'_>,
    code: &[usize],
    tests: &[usize],
    limit: usize,
) -> Vec<PackSymbol> {
    let snapshot = input.snapshot;
    let mut scores: FxHashMap<SymbolId, f64> = FxHashMap::default();
    for (at, &rank) in tests.iter().take(RANKED_TESTS).enumerate() {
        let test = outermost_test(snapshot, input.ranked[rank].symbol);
        *scores.entry(test).or_default() += 1.0 / (FUSION_CONSTANT + at as f64);
    }
    for (at, &rank) in code.iter().take(EXERCISED_SYMBOLS).enumerate() {
        let mut users: Vec<SymbolId> = Vec::new();
        snapshot.for_each_in_edge(input.ranked[rank].symbol, |edge| {
            if matches!(edge.kind, EdgeKind::Calls | EdgeKind::Tests | EdgeKind::References) {
                users.push(outermost_test(snapshot, edge.source));
            }
        });
        users.sort_unstable();
        users.dedup();
        users.retain(|&user| is_test(snapshot, user));
        // A test among a hundred tests of a symbol says little about it.
        let share = 1.0 / (1.0 + (users.len() as f64).ln_1p());
        for user in users {
            *scores.entry(user).or_default() += share / (FUSION_CONSTANT + at as f64);
        }
    }
    let shown: Vec<SymbolId> = code.iter().map(|&rank| input.ranked[rank].symbol).collect();
    let mut best: Vec<(SymbolId, f64)> = scores
        .into_iter()
        .filter(|(test, _)| !shown.contains(test) && !input.excluded.contains(test))
        .collect();
    let sort_key = |test: SymbolId| (snapshot.symbol(test).map(|symbol| symbol.qualified_name()), test);
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| sort_key(a.0).cmp(&sort_key(b.0))));
    best.truncate(limit);
    let ranked: FxHashMap<SymbolId, &RankedSymbol> =
        tests.iter().map(|&rank| (input.ranked[rank].symbol, &input.ranked[rank])).collect();
    let describe = |(test, _): (SymbolId, f64)| {
        let found = RankedSymbol::new(test, CandidateOrigin::Tests);
        let item = describe_symbol(snapshot, ranked.get(&test).copied().unwrap_or(&found))?;
        Some(PackSymbol { group: PackGroup::Tests, ..item })
    };
    best.into_iter().filter_map(describe).collect()
}
