//! Tests through helpers: a test also tests what a helper in its own file tests for it.
//!
//! Only one level is followed, and only helpers in the same file that are test code themselves. The
//! calls of a helper in another file belong to that file; the walk over calls finds them.

use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::file_context::FileContext;
use kenning_graph::snapshot::{EdgeTarget, NewEdge};
use kenning_graph::{EdgeKind, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Targets of a helper; one that calls more says nothing about a single test.
const MAX_TARGETS: usize = 20;

/// Adds `tests` edges from the tests of the file to the targets that their helpers test.
pub(super) fn add_helper_test_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let callable = |at: usize| context.facts.symbols[at].kind.is_callable();
    let functions = (0..context.symbols.len()).filter(|&at| callable(at));
    let functions: FxHashMap<SymbolId, bool> =
        functions.map(|at| (context.symbols[at].id, context.facts.symbols[at].is_test)).collect();
    if !functions.values().any(|&is_test| is_test) {
        return;
    }
    let mut tested: FxHashMap<SymbolId, Vec<(SymbolId, EdgeStrength)>> = FxHashMap::default();
    let mut called: Vec<(SymbolId, SymbolId, EdgeStrength, Option<u32>)> = Vec::new();
    for edge in &edges.found {
        let (EdgeTarget::Symbol(target), true) = (&edge.target, functions.contains_key(&edge.source)) else {
            continue;
        };
        if edge.kind == EdgeKind::Tests {
            tested.entry(edge.source).or_default().push((*target, edge_strength(edge)));
        } else if edge.kind == EdgeKind::Calls
            && functions.get(&edge.source) == Some(&true)
            && functions.contains_key(target)
        {
            called.push((edge.source, *target, edge_strength(edge), edge.line));
        }
    }
    let mut seen: FxHashSet<(SymbolId, SymbolId)> = FxHashSet::default();
    for (test, helper, call, line) in called {
        let Some(targets) = tested.get(&helper).filter(|targets| targets.len() <= MAX_TARGETS) else {
            continue;
        };
        if !seen.insert((test, helper)) {
            continue;
        }
        for (target, of_helper) in targets {
            let weaker = if call.confidence < of_helper.confidence { call } else { *of_helper };
            edges.add_symbol_edge(test, *target, EdgeKind::Tests, weaker, line);
        }
    }
}

fn edge_strength(edge: &NewEdge) -> EdgeStrength {
    EdgeStrength { provenance: edge.provenance, confidence: edge.confidence }
}
