//! Code that runs before a test: pytest's fixtures, which a test requests by the names of its
//! parameters, and the setup methods of a test's type.
//!
//! pytest searches for a fixture in the test's class, in its file (functions and imports) and in
//! the `conftest.py` of its folder and of the folders above. The text of the test does not call the
//! fixture, but pytest calls it for the test, and a change to the fixture affects the test. The
//! edge is therefore `calls`.

use super::definition::Definition;
use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::file_context::FileContext;
use super::tracked_snapshot::split_last_segment;
use crate::languages::LanguageRegistry;
use kenning_graph::facts::{ImportFact, ReferenceRole, SymbolFact};
use kenning_graph::paths::{join_path, parent_folder};
use kenning_graph::{EdgeKind, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of tests of a class to which one `usefixtures` applies. A hostile file has
/// thousands.
const MAX_MEMBERS: usize = 500;
/// Maximum number of imports of one name that are followed. A hostile file has thousands.
const MAX_IMPORTS: usize = 4;
/// Maximum number of setup methods per type. A hostile file has thousands.
const MAX_SETUP_METHODS: usize = 4;
/// Maximum number of folders that are searched for a `conftest.py`, from the folder of the test
/// upwards. Paths can have hundreds.
const MAX_FOLDERS: usize = 12;

/// Adds an edge from each test and fixture of a Python file to the fixtures that its parameters or
/// its `usefixtures` name.
pub(super) fn add_fixture_edges(context: &FileContext, edges: &mut EdgeCollector) {
    if !context.resolver.family.has_requested_fixtures() {
        return;
    }
    let fixtures = FixtureIndex::for_file(context);
    let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (at, fact) in context.facts.symbols.iter().enumerate() {
        let at = at as u32;
        let takes_fixtures = uses_fixtures(context, fact);
        if takes_fixtures && let Some(parent) = fact.parent {
            members.entry(parent).or_default().push(at);
        }
        if takes_fixtures || fixtures.all.contains(&at) {
            for name in fact.params.split(',').map(|name| name.trim_start_matches('*')) {
                fixtures.add_edge(at, name, edges);
            }
        }
    }
    for reference in
        context.facts.references.iter().filter(|reference| reference.role == ReferenceRole::Fixture)
    {
        let name = context.facts.strings.get(reference.name);
        match members.get(&reference.scope) {
            // On a class, `usefixtures` applies to each of its tests.
            Some(members) => {
                for &at in members.iter().take(MAX_MEMBERS) {
                    fixtures.add_edge(at, name, edges);
                }
            }
            None => fixtures.add_edge(reference.scope, name, edges),
        }
    }
}

/// Adds an edge from each test of a type to the methods that its framework runs before it: `setUp`,
/// `@BeforeEach`.
pub(super) fn add_setup_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let Some(language) = LanguageRegistry::get().find_by_id(&context.facts.language) else { return };
    let row = &language.row;
    if row.setup_names.is_empty() && row.setup_decorations.is_empty() {
        return;
    }
    let decorators =
        context.facts.references.iter().filter(|reference| reference.role == ReferenceRole::Decorator);
    let decorated: FxHashSet<u32> = decorators
        .filter(|reference| {
            row.setup_decorations.iter().any(|name| name == context.facts.strings.get(reference.name))
        })
        .map(|reference| reference.scope)
        .collect();
    let mut setup_methods: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (at, fact) in context.facts.symbols.iter().enumerate() {
        let sets_up = decorated.contains(&(at as u32)) || row.setup_names.contains(&fact.name);
        if let Some(parent) = fact.parent.filter(|_| sets_up && fact.kind.is_callable()) {
            setup_methods.entry(parent).or_default().push(at as u32);
        }
    }
    for (at, fact) in context.facts.symbols.iter().enumerate().filter(|(_, fact)| fact.is_test) {
        let methods = fact.parent.and_then(|parent| setup_methods.get(&parent));
        for &method in methods.into_iter().flatten().take(MAX_SETUP_METHODS) {
            let line = Some(fact.name_span.line);
            edges.add_symbol_edge(
                context.symbol_id(at as u32),
                context.symbol_id(method),
                EdgeKind::Calls,
                EdgeStrength::RESOLVED,
                line,
            );
        }
    }
}

/// Whether pytest collects a function as a test and fills its parameters.
fn uses_fixtures(context: &FileContext, fact: &SymbolFact) -> bool {
    fact.is_test && fact.kind.is_callable() && context.resolver.family.is_test_path(context.resolver.path)
}

/// The fixtures of one file.
struct FixtureIndex<'o, 'a> {
    context: &'o FileContext<'a>,
    /// Scopes of all fixtures.
    all: FxHashSet<u32>,
    /// Fixtures by container and name. A later fixture replaces an earlier one, as in Python.
    by_name: FxHashMap<(&'a str, &'a str), u32>,
}

impl<'o, 'a> FixtureIndex<'o, 'a> {
    /// Indexes the functions that are decorated as fixtures.
    fn for_file(context: &'o FileContext<'a>) -> Self {
        let facts = context.facts;
        let decorators =
            facts.references.iter().filter(|reference| reference.role == ReferenceRole::Decorator);
        let all: FxHashSet<u32> = decorators
            .filter(|reference| facts.strings.get(reference.name) == "fixture")
            .map(|reference| reference.scope)
            .collect();
        let mut by_name = FxHashMap::default();
        for (at, fact) in facts.symbols.iter().enumerate().filter(|(at, _)| all.contains(&(*at as u32))) {
            by_name.insert((fact.container.as_str(), fact.name.as_str()), at as u32);
        }
        Self { context, all, by_name }
    }

    /// Adds an edge from a test or fixture to the fixture with this name, if there is one.
    fn add_edge(&self, requester: u32, name: &str, edges: &mut EdgeCollector) {
        let Some(fact) = self.context.facts.symbols.get(requester as usize) else { return };
        if !name.is_empty()
            && let Some(fixture) = self.find_fixture(requester, fact, name)
        {
            let line = Some(fact.name_span.line);
            edges.add_symbol_edge(
                self.context.symbol_id(requester),
                fixture.id,
                EdgeKind::Calls,
                EdgeStrength::RESOLVED,
                line,
            );
        }
    }

    /// Returns the fixture with this name that pytest uses for the requester.
    fn find_fixture(&self, requester: u32, fact: &SymbolFact, name: &str) -> Option<SymbolRef<'a>> {
        let context = self.context;
        // Search the class and the classes around it, then the file. Skip the requester: a fixture
        // may use the fixture that it replaces.
        let mut container = fact.container.as_str();
        loop {
            if let Some(&at) = self.by_name.get(&(container, name)).filter(|&&at| at != requester) {
                return context.symbols.get(at as usize).copied();
            }
            if container.is_empty() {
                break;
            }
            container = split_last_segment(container).0;
        }
        self.find_imported(name).or_else(|| self.find_in_conftest(name))
    }

    /// Returns the function that an import of the file binds to a name.
    fn find_imported(&self, name: &str) -> Option<SymbolRef<'a>> {
        let context = self.context;
        let binds_name = |import: &&ImportFact| import.alias == name && !import.name.is_empty();
        context.facts.imports.iter().filter(binds_name).take(MAX_IMPORTS).find_map(|import| {
            let found = context.resolver.resolve_import(context.resolver.path, import, name);
            found.definitions.iter().find_map(|definition| match definition {
                Definition::Symbol(s) if s.kind.is_callable() => Some(*s),
                _ => None,
            })
        })
    }

    /// Returns the fixture in the `conftest.py` that is nearest to the file.
    fn find_in_conftest(&self, name: &str) -> Option<SymbolRef<'a>> {
        let context = self.context;
        let mut folder = parent_folder(context.resolver.path);
        for _ in 0..MAX_FOLDERS {
            let conftest = join_path(folder, "conftest.py");
            if conftest != context.resolver.path {
                let mut functions = context.resolver.view.symbols_in_file(&conftest, name);
                functions.retain(|s| s.container.is_empty() && s.kind.is_callable());
                if let [fixture] = functions[..] {
                    return Some(fixture);
                }
            }
            if folder.is_empty() {
                break;
            }
            folder = parent_folder(folder);
        }
        None
    }
}
