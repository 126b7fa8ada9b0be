//! Co-tested symbols: pairs of symbols that the tests of one file use together.

use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::file_context::FileContext;
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, Hash, Provenance, SymbolId};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of symbols of one test file that are paired. Symbols that more tests use come
/// first.
const MAX_TARGETS: usize = 20;
/// Maximum number of pairs of one test file. Pairs that more tests use come first. A file that
/// tests everything has many pairs that are hardly related.
const MAX_PAIRS: usize = 40;
/// Strength of a co-tested edge. Two symbols in one test file are related in some unknown way.
const CO_TESTED: EdgeStrength = EdgeStrength { provenance: Provenance::AstInferred, confidence: 0.6 };

/// A symbol that tests use.
struct TestedSymbol<'a> {
    id: SymbolId,
    /// Path, container, name and identity. Does not depend on the order of the symbols in the text.
    ordering_key: (&'a str, &'a str, &'a str, Hash),
    tests: BTreeSet<SymbolId>,
}

/// Two symbols that tests of one file use.
struct SymbolPair<'t, 'a> {
    first: &'t TestedSymbol<'a>,
    second: &'t TestedSymbol<'a>,
    /// Number of tests that use both.
    common_tests: usize,
    /// Number of tests of the first plus number of tests of the second.
    total_tests: usize,
}

/// Adds the edges between the symbols that the tests of the file use, from the `tests` edges found
/// so far. Adds one edge per pair, from the symbol whose path and name come first.
pub(super) fn add_co_tested_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let mut tests: BTreeMap<SymbolId, BTreeSet<SymbolId>> = BTreeMap::new();
    for edge in &edges.found {
        // Only symbols with certain uses are paired.
        let is_certain = edge.confidence >= EdgeStrength::INFERRED.confidence;
        if let (EdgeKind::Tests, true, EdgeTarget::Symbol(target)) = (edge.kind, is_certain, &edge.target) {
            tests.entry(*target).or_default().insert(edge.source);
        }
    }
    let mut targets: Vec<TestedSymbol> = tests
        .into_iter()
        .filter_map(|(id, tests)| {
            let symbol = context.resolver.view.symbol_by_id(id)?;
            Some(TestedSymbol {
                id,
                ordering_key: (symbol.path, symbol.container, symbol.name, symbol.hash),
                tests,
            })
        })
        .collect();
    targets
        .sort_by(|a, b| b.tests.len().cmp(&a.tests.len()).then_with(|| a.ordering_key.cmp(&b.ordering_key)));
    targets.truncate(MAX_TARGETS);
    targets.sort_by(|a, b| a.ordering_key.cmp(&b.ordering_key));

    let mut pairs: Vec<SymbolPair> = Vec::new();
    for (at, first) in targets.iter().enumerate() {
        for second in &targets[at + 1..] {
            let common_tests = first.tests.intersection(&second.tests).count();
            let total_tests = first.tests.len() + second.tests.len();
            pairs.push(SymbolPair { first, second, common_tests, total_tests });
        }
    }
    // The sort is stable: equal pairs stay ordered by path and name.
    pairs.sort_by_key(|pair| std::cmp::Reverse((pair.common_tests, pair.total_tests)));
    for SymbolPair { first, second, .. } in pairs.into_iter().take(MAX_PAIRS) {
        edges.add_symbol_edge(first.id, second.id, EdgeKind::CoTestedWith, CO_TESTED, None);
    }
}
