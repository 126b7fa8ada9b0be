//! Co-tested symbols: pairs of symbols that the tests of one file use together.

use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::file_context::FileContext;
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, Hash, Provenance, SymbolId};
use std::collections::{BTreeMap, BTreeSet};

/// Symbols of one test file that are paired: the ones that most of its tests use.
const MAX_TARGETS: usize = 20;
/// Pairs of one test file: the ones that most of its tests use together. In a file that
/// tests everything, a pair means little.
const MAX_PAIRS: usize = 40;
/// Strength of a co-tested edge. Two symbols in one test file are related in some unknown way.
const CO_TESTED: EdgeStrength = EdgeStrength { provenance: Provenance::AstInferred, confidence: 0.6 };

/// A symbol that tests use. `ordering_key` (path, container, name, identity) does not depend on
/// the order of the symbols in the text.
struct TestedSymbol<'a> {
    id: SymbolId,
    ordering_key: (&'a str, &'a str, &'a str, Hash),
    tests: BTreeSet<SymbolId>,
}

/// Adds the edges between the symbols that the tests of the file use, from the `tests` edges found
/// so far. Adds one edge per pair, from the symbol whose path and name come first.
pub(super) fn add_co_tested_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let mut tests: BTreeMap<SymbolId, BTreeSet<SymbolId>> = BTreeMap::new();
    for edge in &edges.found {
        // Pair only symbols with certain uses.
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

    let mut pairs: Vec<(usize, usize, &TestedSymbol, &TestedSymbol)> = Vec::new();
    for (at, first) in targets.iter().enumerate() {
        for second in &targets[at + 1..] {
            let common_tests = first.tests.intersection(&second.tests).count();
            pairs.push((common_tests, first.tests.len() + second.tests.len(), first, second));
        }
    }
    // The sort is stable: equal pairs stay ordered by path and name.
    pairs.sort_by_key(|pair| std::cmp::Reverse((pair.0, pair.1)));
    for (_, _, first, second) in pairs.into_iter().take(MAX_PAIRS) {
        edges.add_symbol_edge(first.id, second.id, EdgeKind::CoTestedWith, CO_TESTED, None);
    }
}
