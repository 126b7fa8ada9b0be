//! Resolves the tests that a text names to symbols of the graph.

use super::locations::{NamedLocation, enclosing_symbol, files_for_path};
use super::test_ids::TestId;
use crate::path_role::{is_secondary, is_secondary_path};
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolRef};

/// Maximum number of tests that one id may refer to. A more common name does not identify a test.
const MAX_CANDIDATES: usize = 8;

/// Maximum number of symbols around a location that are searched for a test. Hostile files nest
/// thousands of functions.
const MAX_NESTING: usize = 32;

/// A test that the text names and the graph contains.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTest {
    /// The id in the text.
    pub id: TestId,
    /// The tests that the id may refer to; empty if the test is only a title in a file.
    pub symbols: Vec<SymbolId>,
    /// The file of the test, as a symbol, if the test is only a title.
    pub file: Option<SymbolId>,
}

/// Returns the tests of the graph that the ids refer to, and the tests at the locations that the
/// text names.
pub(super) fn resolve_named_tests(
    snapshot: &Snapshot,
    ids: Vec<TestId>,
    locations: &[NamedLocation],
) -> Vec<NamedTest> {
    let mut found: Vec<NamedTest> = ids.into_iter().filter_map(|id| find_known_test(snapshot, id)).collect();
    for location in locations {
        let Some(line) = location.line else { continue };
        let id = TestId { path: location.path.clone(), line: Some(line), ..TestId::default() };
        let Some(test) = find_known_test(snapshot, id) else { continue };
        if !found.iter().any(|other| other.symbols == test.symbols && other.file == test.file) {
            found.push(test);
        }
    }
    found
}

fn find_known_test(snapshot: &Snapshot, id: TestId) -> Option<NamedTest> {
    let in_files = if id.path.is_empty() { Vec::new() } else { files_for_path(snapshot, &id.path) };
    let mut symbols = match (id.names.last(), id.line) {
        (Some(name), _) => tests_by_name(snapshot, name, &id, &in_files),
        (None, Some(line)) => {
            in_files.iter().filter_map(|&file| test_at_line(snapshot, file, line)).collect::<Vec<_>>()
        }
        (None, None) => Vec::new(),
    };
    symbols.sort_unstable();
    symbols.dedup();
    let file = in_files.iter().copied().find(|&file| is_test_file(snapshot, file));
    let file =
        file.filter(|_| symbols.is_empty()).and_then(|file| snapshot.file_symbols(file).first().copied());
    if symbols.is_empty() && file.is_none() {
        return None;
    }
    Some(NamedTest { id, symbols, file })
}

fn is_test_file(snapshot: &Snapshot, file: FileId) -> bool {
    snapshot.file(file).is_some_and(|file| is_secondary_path(file.path))
}

/// Returns the tests with this name whose containers match most of the outer names in the id.
fn tests_by_name(snapshot: &Snapshot, name: &str, id: &TestId, in_files: &[FileId]) -> Vec<SymbolId> {
    let outer = &id.names[..id.names.len() - 1];
    let is_candidate = |symbol: &SymbolRef<'_>| {
        let in_file = symbol.file.is_some_and(|file| in_files.contains(&file));
        symbol.kind.is_callable() && is_secondary(symbol) && (id.path.is_empty() || in_file)
    };
    let symbols = snapshot.symbols_by_name(name).into_iter().filter_map(|id| snapshot.symbol(id));
    let mut found: Vec<(usize, SymbolId)> =
        symbols.filter(is_candidate).map(|symbol| (count_shared_names(&symbol, outer), symbol.id)).collect();
    let best = found.iter().map(|(shared, _)| *shared).max().unwrap_or(0);
    // `a.b.c` is a test id only if a test `c` is inside a container called `b`.
    if best == 0 && !outer.is_empty() && id.path.is_empty() {
        return Vec::new();
    }
    found.retain(|(shared, _)| *shared == best);
    if found.len() > MAX_CANDIDATES { Vec::new() } else { found.into_iter().map(|(_, id)| id).collect() }
}

/// Counts the outer names that are names of a test's containers: types, modules, files, folders.
fn count_shared_names(symbol: &SymbolRef<'_>, outer: &[String]) -> usize {
    let path = symbol.path.rsplit_once('.').map_or(symbol.path, |(stem, _)| stem);
    let is_container_name =
        |name: &String| symbol.container.split('.').chain(path.split('/')).any(|part| part == name);
    outer.iter().filter(|name| is_container_name(name)).count()
}

/// Returns the outermost test around a line of a file.
fn test_at_line(snapshot: &Snapshot, file: FileId, line: u32) -> Option<SymbolId> {
    let mut at = enclosing_symbol(snapshot, file, line)?;
    let mut test = None;
    for _ in 0..MAX_NESTING {
        let Some(symbol) = snapshot.symbol(at) else { break };
        if symbol.kind.is_callable() && is_secondary(&symbol) {
            test = Some(at);
        }
        let Some(parent) = symbol.parent else { break };
        at = parent;
    }
    test
}
