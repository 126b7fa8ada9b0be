//! Finds the symbol that the name of a test or a function in a recording refers to.
//!
//! Every tool writes names in its own way: `tests/test_a.py::TestA::test_b[1]`,
//! `test_a.TestA.test_b`, `com.shop.CartTest#adds`, `TestCart/empty`, `cart > adds an item`. The
//! last part names the function. The parts before it select among functions with the same name: the
//! function wins whose containers, file and folders match the most parts.

use kenning_graph::{FileId, Snapshot, SymbolId, SymbolRef};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// The separators of the parts of a name, tried in this order.
const SEPARATORS: &[&str] = &[" > ", "::", "#", ".", "/"];

/// The kind of symbol that a name can refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameUse {
    /// A test: functions that are marked as tests come first, then other functions, then types.
    Test,
    /// Any function.
    Function,
}

/// The tests of a file by their titles; `None` for a title that different tests have.
type TestsByTitle = FxHashMap<String, Option<SymbolId>>;

/// Finds the symbols that recorded names refer to.
pub(super) struct NameFinder<'a> {
    snapshot: &'a Snapshot,
    /// A recording can name thousands of tests of one file.
    tests: FxHashMap<FileId, TestsByTitle>,
}

impl<'a> NameFinder<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, tests: FxHashMap::default() }
    }

    /// Returns the symbol that a name refers to. Returns `None` if none does, or if several match
    /// equally well.
    pub(super) fn find_symbol(&mut self, name: &str, usage: NameUse) -> Option<SymbolId> {
        let test = if usage == NameUse::Test { self.find_in_named_file(name) } else { None };
        test.or_else(|| find_by_parts(self.snapshot, name, usage))
    }

    /// Finds the test of a name that starts with the path of its file, such as
    /// `tests/test_a.py::TestA::test_b` or `src/cart.test.ts > cart > adds an item`. Titles are
    /// compared by their letters and digits, because the graph and the tools shorten and quote them
    /// differently. Returns `None` if the file has no such test, or several with different names.
    fn find_in_named_file(&mut self, name: &str) -> Option<SymbolId> {
        let (file, rest) = ["::", " > "].iter().find_map(|separator| {
            let (path, rest) = name.split_once(separator)?;
            Some((self.snapshot.file_by_path(path.trim_start_matches("./"))?, rest))
        })?;
        let tests = self.tests.entry(file).or_insert_with(|| tests_by_title(self.snapshot, file));
        let titles = [rest, strip_parameters(rest)].map(|title| possible_function_names(title).into_iter());
        let mut titles = titles.into_iter().flatten().map(normalize_title).filter(|title| !title.is_empty());
        titles.find_map(|title| tests.get(&title).copied().flatten())
    }
}

/// Returns the tests of a file by their titles. Tests with the same title in one file cannot be
/// distinguished, so the first has the record.
fn tests_by_title(snapshot: &Snapshot, file: FileId) -> TestsByTitle {
    let tests = snapshot.file_symbol_refs(file).into_iter();
    let mut first_by_title: FxHashMap<String, (SymbolRef<'_>, bool)> = FxHashMap::default();
    for test in tests.filter(|symbol| symbol.is_test && symbol.kind.is_callable()) {
        match first_by_title.entry(normalize_title(test.name)) {
            Entry::Vacant(entry) => drop(entry.insert((test, true))),
            Entry::Occupied(mut entry) => {
                let (first, is_same) = entry.get_mut();
                *is_same &= test.container == first.container && test.name == first.name;
            }
        }
    }
    let single =
        |(title, (first, is_same)): (String, (SymbolRef<'_>, bool))| (title, is_same.then_some(first.id));
    first_by_title.into_iter().map(single).collect()
}

/// Returns the symbol that the parts of a name select.
fn find_by_parts(snapshot: &Snapshot, name: &str, usage: NameUse) -> Option<SymbolId> {
    let plain = strip_parameters(name);
    let parts = split_name(plain);
    for last in possible_function_names(plain) {
        let named: Vec<SymbolRef<'_>> =
            snapshot.symbols_by_name(last).into_iter().filter_map(|id| snapshot.symbol(id)).collect();
        let groups: [&dyn Fn(&SymbolRef<'_>) -> bool; 3] = [
            &|symbol| symbol.kind.is_callable() && (symbol.is_test || usage == NameUse::Function),
            &|symbol| symbol.kind.is_callable(),
            &|symbol| symbol.kind.is_type() && usage == NameUse::Test,
        ];
        for accepts in groups {
            let candidates: Vec<&SymbolRef<'_>> = named.iter().filter(|symbol| accepts(symbol)).collect();
            if !candidates.is_empty() {
                return best_candidate(&candidates, &parts);
            }
        }
    }
    None
}

/// Returns the letters and digits of a title, in lowercase.
fn normalize_title(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Removes the parameters of a parametrized test: `test_a[1-x]` and `adds(int)`.
fn strip_parameters(name: &str) -> &str {
    let name = name.trim();
    let end = if name.ends_with(']') {
        name.find('[')
    } else if name.ends_with(')') {
        name.find('(')
    } else {
        None
    };
    end.filter(|&end| end > 0).map_or(name, |end| name[..end].trim_end())
}

/// Returns the possible names of the function: the whole name, the part after the last occurrence
/// of each separator, and the part before a subtest.
fn possible_function_names(name: &str) -> Vec<&str> {
    let mut parts = vec![name];
    parts.extend(SEPARATORS.iter().filter_map(|separator| Some(name.rsplit_once(separator)?.1)));
    let outer = name.split('/').next().unwrap_or(name);
    parts.push(outer.rsplit_once('.').map_or(outer, |(_, last)| last));
    parts.dedup();
    parts
}

fn split_name(name: &str) -> Vec<&str> {
    name.split(['.', '/', '#', ':', '>', '\\', '$']).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Returns the candidate whose container and path have the most parts of the name; `None` for a
/// tie.
fn best_candidate(candidates: &[&SymbolRef<'_>], parts: &[&str]) -> Option<SymbolId> {
    let score = |symbol: &SymbolRef<'_>| {
        let own_parts = split_name(symbol.container).into_iter().chain(split_name(symbol.path));
        own_parts.filter(|part| parts.contains(part)).count()
    };
    let scores: Vec<usize> = candidates.iter().map(|symbol| score(symbol)).collect();
    let best = *scores.iter().max()?;
    let mut first = candidates.iter().zip(&scores).filter(|(_, score)| **score == best);
    let (symbol, _) = first.next()?;
    // Overloads and redefinitions of one function have the same path and container.
    let is_redefinition =
        |other: &SymbolRef<'_>| other.path == symbol.path && other.container == symbol.container;
    first.all(|(other, _)| is_redefinition(other)).then_some(symbol.id)
}
