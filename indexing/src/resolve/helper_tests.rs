//! Tests through helpers: a test that calls a helper also tests the targets of the helper.
//!
//! Only helpers in the file of the test count, and only direct calls to them. A helper in another
//! file has ordinary `calls` edges in that file, which queries follow.

use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::file_context::FileContext;
use kenning_graph::snapshot::{EdgeTarget, NewEdge};
use kenning_graph::{EdgeKind, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of targets of a helper. A helper with more, such as the setup of a whole program,
/// does not show the target of a test.
const MAX_TARGETS: usize = 20;

/// A call of a helper in a test.
struct HelperCall {
    test: SymbolId,
    helper: SymbolId,
    strength: EdgeStrength,
    line: Option<u32>,
}

/// Adds `tests` edges from the tests of the file to the targets that their helpers test.
pub(super) fn add_helper_test_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let is_callable = |at: usize| context.facts.symbols[at].kind.is_callable();
    let functions = (0..context.symbols.len()).filter(|&at| is_callable(at));
    let functions: FxHashMap<SymbolId, bool> =
        functions.map(|at| (context.symbols[at].id, context.facts.symbols[at].is_test)).collect();
    if !functions.values().any(|&is_test| is_test) {
        return;
    }
    let mut targets_of_helper: FxHashMap<SymbolId, Vec<(SymbolId, EdgeStrength)>> = FxHashMap::default();
    let mut helper_calls: Vec<HelperCall> = Vec::new();
    for edge in &edges.found {
        let (EdgeTarget::Symbol(target), true) = (&edge.target, functions.contains_key(&edge.source)) else {
            continue;
        };
        if edge.kind == EdgeKind::Tests {
            targets_of_helper.entry(edge.source).or_default().push((*target, edge_strength(edge)));
        } else if edge.kind == EdgeKind::Calls
            && functions.get(&edge.source) == Some(&true)
            && functions.contains_key(target)
        {
            helper_calls.push(HelperCall {
                test: edge.source,
                helper: *target,
                strength: edge_strength(edge),
                line: edge.line,
            });
        }
    }
    let mut seen: FxHashSet<(SymbolId, SymbolId)> = FxHashSet::default();
    for HelperCall { test, helper, strength, line } in helper_calls {
        let Some(targets) = targets_of_helper.get(&helper).filter(|targets| targets.len() <= MAX_TARGETS)
        else {
            continue;
        };
        if !seen.insert((test, helper)) {
            continue;
        }
        for (target, helper_strength) in targets {
            let weaker =
                if strength.confidence < helper_strength.confidence { strength } else { *helper_strength };
            edges.add_symbol_edge(test, *target, EdgeKind::Tests, weaker, line);
        }
    }
}

fn edge_strength(edge: &NewEdge) -> EdgeStrength {
    EdgeStrength { provenance: edge.provenance, confidence: edge.confidence }
}
