//! Edges from tests to the code that runs before each of them, and from functions to the functions
//! inside them.
//!
//! No call leads from a test to a `beforeEach` block or a `setUp` method, because the test
//! framework runs them. No call leads to a function that another function returns or passes on
//! either; a caller of the outer function may run the inner one. The tests and the outer functions
//! are possible dependents, never certain ones.

use super::reaching_tests::is_test;
use kenning_graph::{Edge, EdgeKind, Provenance, Snapshot, SymbolId, SymbolKind, SymbolRef};
use serde::Deserialize;
use std::sync::LazyLock;

/// Confidence of both kinds of edges.
const CONFIDENCE: f32 = 0.6;

/// Maximum number of tests in one container. Generated conformance suites have tens of thousands in
/// one file.
const MAX_TESTS: usize = 2_000;

#[derive(Deserialize)]
struct SetupFile {
    setup: Vec<SetupRow>,
}

/// The code that sets up tests in some languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetupRow {
    languages: Vec<String>,
    /// The kind of the symbol that contains code outside functions in a test file, if such code may
    /// run before each test of that symbol.
    container: Option<String>,
    /// The names of methods that run before each test of their type.
    #[serde(default)]
    methods: Vec<String>,
}

static SETUP: LazyLock<SetupFile> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/test_setup.toml")).expect("test_setup.toml is checked by a test")
});

/// Returns edges from the tests that a symbol sets up: the test framework runs it before each of
/// them. Empty if the symbol does not set up tests.
pub(super) fn setup_edges(snapshot: &Snapshot, id: SymbolId) -> Vec<Edge> {
    let Some(symbol) = snapshot.symbol(id).filter(|symbol| !symbol.is_test) else { return Vec::new() };
    let Some(file) = symbol.file else { return Vec::new() };
    let has_language = |row: &&SetupRow| row.languages.iter().any(|language| language == symbol.language);
    let Some(row) = SETUP.setup.iter().find(has_language) else { return Vec::new() };
    let container = if row.container.as_deref() == Some(symbol.kind.as_str()) {
        id
    } else if symbol.kind.is_callable() && row.methods.iter().any(|name| name == symbol.name) {
        let Some(parent) = symbol.parent else { return Vec::new() };
        parent
    } else {
        return Vec::new();
    };
    let is_file = symbol.kind == SymbolKind::File;
    let is_inside = |test: &SymbolRef<'_>| is_file || has_ancestor(snapshot, test, container);
    let tests = snapshot.file_symbol_refs(file).into_iter();
    let tests = tests.filter(|test| is_test(snapshot, test.id) && is_inside(test)).take(MAX_TESTS);
    tests.map(|test| possible_edge(test.id, id, EdgeKind::Tests)).collect()
}

/// Returns the edge from the function around a function, for a function that nothing else is known
/// to call.
pub(super) fn enclosing_edge(snapshot: &Snapshot, id: SymbolId) -> Option<Edge> {
    let symbol = snapshot.symbol(id).filter(|symbol| symbol.kind.is_callable())?;
    let outer = snapshot.symbol(symbol.parent?).filter(|outer| outer.kind.is_callable())?;
    Some(possible_edge(outer.id, id, EdgeKind::Contains))
}

fn possible_edge(source: SymbolId, target: SymbolId, kind: EdgeKind) -> Edge {
    Edge { source, target, kind, provenance: Provenance::AstInferred, confidence: CONFIDENCE, line: None }
}

fn has_ancestor(snapshot: &Snapshot, symbol: &SymbolRef<'_>, ancestor: SymbolId) -> bool {
    let mut next = symbol.parent;
    while let Some(at) = next {
        if at == ancestor {
            return true;
        }
        next = snapshot.symbol(at).and_then(|symbol| symbol.parent);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::SETUP;
    use kenning_graph::SymbolKind;

    #[test]
    fn every_row_has_languages_and_known_kinds() {
        for row in &SETUP.setup {
            assert!(!row.languages.is_empty());
            assert!(row.container.as_deref().is_none_or(|kind| SymbolKind::parse(kind).is_some()));
        }
    }
}
