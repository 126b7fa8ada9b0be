//! Commands that run tests, and the ids by which a runner knows its tests.
//!
//! `data/test_runners.toml` has a row for each runner. The language and the path of a test, the
//! packages that manifests depend on, and files in the root of the workspace select the row. One
//! command runs all tests of a runner, or the tests of one folder or file, but at most
//! [`MAX_PER_COMMAND`].

use kenning_graph::paths::parent_folder;
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolRef};
use kenning_indexing::project::Project;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The source folder of a project by convention of the build tools for the JVM.
const SOURCE_FOLDER: &str = "/src/";

/// Maximum number of tests in one command, because the length of command lines is limited.
const MAX_PER_COMMAND: usize = 200;

/// The content of `test_runners.toml`.
#[derive(Deserialize)]
struct RunnersFile {
    runner: Vec<TestRunner>,
}

/// A row of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TestRunner {
    languages: Vec<String>,
    path_end: Option<String>,
    uses: Option<String>,
    root_file: Option<String>,
    id: String,
    file: Option<String>,
    #[serde(default)]
    per: CommandScope,
    #[serde(default)]
    before: String,
    #[serde(default = "default_join")]
    join: String,
    command: String,
    #[serde(default)]
    project_files: Vec<String>,
    project_command: Option<String>,
    #[serde(default)]
    runs_in_project: bool,
}

fn default_join() -> String {
    " ".to_owned()
}

/// The tests that one command runs.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
enum CommandScope {
    #[default]
    All,
    Folder,
    File,
}

static RUNNERS: LazyLock<Vec<TestRunner>> = LazyLock::new(|| {
    let file: RunnersFile = toml::from_str(include_str!("../data/test_runners.toml"))
        .expect("test_runners.toml is checked by a test");
    file.runner
});

/// The runners of one workspace.
pub struct TestCommands {
    root: PathBuf,
    /// The rows whose conditions the workspace meets, in the order of the table.
    runners: Vec<&'static TestRunner>,
}

impl TestCommands {
    /// Selects the runners of the workspace at `root` with these manifests.
    pub fn for_workspace(root: &Path, project: &Project) -> Self {
        let used: BTreeSet<&str> =
            project.packages.dependencies.iter().map(|package| package.name.as_str()).collect();
        let fits = |runner: &&TestRunner| {
            runner.uses.as_deref().is_none_or(|package| used.contains(package))
                && runner.root_file.as_deref().is_none_or(|file| root.join(file).exists())
        };
        Self { root: root.to_owned(), runners: RUNNERS.iter().filter(fits).collect() }
    }

    /// Returns the first runner for the language and the path of a test. Returns `None` for other
    /// functions of test files, such as fixtures, which no runner runs by their name.
    fn find_runner(&self, snapshot: &Snapshot, test: &SymbolRef<'_>) -> Option<&'static TestRunner> {
        let file = snapshot.file(test.file?).filter(|_| is_test(test))?;
        let fits = |runner: &&&TestRunner| {
            runner.languages.iter().any(|language| language == file.language)
                && runner.path_end.as_deref().is_none_or(|end| file.path.ends_with(end))
        };
        self.runners.iter().find(fits).copied()
    }

    /// Returns the id of a test for its runner: `tests/test_cart.py::TestCart::test_add`. Returns
    /// `None` if no runner for it is known, or if it is no test but another function of a test file.
    pub fn test_id(&self, snapshot: &Snapshot, test: SymbolId) -> Option<String> {
        let test = snapshot.symbol(test)?;
        Some(fill_template(&self.find_runner(snapshot, &test)?.id, snapshot, &test, test.path))
    }

    /// Returns the commands that run tests, in the order in which the first tests of their groups
    /// are given. A group of more than [`MAX_PER_COMMAND`] tests gets several commands. If all tests
    /// of a file are given, some runners get the file instead. Leaves out tests without a known
    /// runner.
    pub fn run_commands(&self, snapshot: &Snapshot, tests: &[SymbolId]) -> Vec<String> {
        let whole_files = find_whole_files(snapshot, tests);
        let mut groups: Vec<CommandGroup> = Vec::new();
        let mut index: BTreeMap<(usize, String, String), usize> = BTreeMap::new();
        let mut projects = ProjectFolders { root: &self.root, known: BTreeMap::new() };
        for test in tests.iter().filter_map(|&id| snapshot.symbol(id)) {
            let Some(runner) = self.find_runner(snapshot, &test) else { continue };
            let row = self.runners.iter().position(|other| std::ptr::eq(*other, runner)).unwrap_or_default();
            let project = projects.find_project(runner, test.path);
            let path = match test.path.strip_prefix(&format!("{project}/")) {
                Some(inner) if runner.runs_in_project => inner,
                _ => test.path,
            };
            let scope = match runner.per {
                CommandScope::All => "",
                CommandScope::Folder => parent_folder(path),
                CommandScope::File => path,
            };
            let at = *index.entry((row, project.clone(), scope.to_owned())).or_insert_with(|| {
                groups.push(CommandGroup::new(runner, project, scope));
                groups.len() - 1
            });
            let file_id =
                runner.file.as_ref().filter(|_| test.file.is_some_and(|f| whole_files.contains(&f)));
            let id = fill_template(file_id.unwrap_or(&runner.id), snapshot, &test, path);
            groups[at].add_test(id, path);
        }
        groups.iter().flat_map(|group| group.commands.iter().map(|command| group.render(command))).collect()
    }
}

/// Finds the projects in which tests run: folders below the root of the workspace with manifests of
/// their own.
struct ProjectFolders<'r> {
    root: &'r Path,
    /// Whether a folder has one of the files of a runner, by the folder and the first file.
    known: BTreeMap<(String, &'static str), bool>,
}

impl ProjectFolders<'_> {
    /// Returns the folder of the project of a test, empty for the root of the workspace: the nearest
    /// one with one of the runner's files or, if it names no files, the one that contains the source
    /// folder.
    fn find_project(&mut self, runner: &'static TestRunner, path: &str) -> String {
        if runner.project_command.is_none() {
            return String::new();
        }
        let Some(first) = runner.project_files.first() else {
            return path.find(SOURCE_FOLDER).map_or("", |at| &path[..at]).to_owned();
        };
        let root = self.root;
        let mut folder = parent_folder(path);
        while !folder.is_empty() {
            let has_file = || runner.project_files.iter().any(|file| root.join(folder).join(file).exists());
            if *self.known.entry((folder.to_owned(), first)).or_insert_with(has_file) {
                break;
            }
            folder = parent_folder(folder);
        }
        folder.to_owned()
    }
}

/// Whether the text marks a symbol as a test that a runner can run by its name.
fn is_test(symbol: &SymbolRef<'_>) -> bool {
    symbol.is_test && symbol.kind.is_callable()
}

/// Returns the files with several tests all of which are in `tests`. A test inside another test is
/// part of it.
fn find_whole_files(snapshot: &Snapshot, tests: &[SymbolId]) -> BTreeSet<FileId> {
    let chosen: BTreeSet<SymbolId> = tests.iter().copied().collect();
    let files: BTreeSet<FileId> =
        tests.iter().filter_map(|&test| snapshot.symbol(test).and_then(|test| test.file)).collect();
    let is_whole = |file: &FileId| {
        let symbols = snapshot.file_symbols(*file);
        let refs = symbols.into_iter().filter_map(|id| snapshot.symbol(id)).filter(is_test);
        let is_inner = |test: &SymbolRef<'_>| {
            test.parent.and_then(|parent| snapshot.symbol(parent)).is_some_and(|parent| is_test(&parent))
        };
        let outer: Vec<SymbolId> = refs.filter(|test| !is_inner(test)).map(|test| test.id).collect();
        outer.len() > 1 && outer.iter().all(|test| chosen.contains(test))
    };
    files.into_iter().filter(is_whole).collect()
}

/// The tests of a runner, or those in one folder or file.
struct CommandGroup {
    runner: &'static TestRunner,
    /// The folder of the project; empty for the root of the workspace.
    project: String,
    /// The folder or file, or empty.
    scope: String,
    commands: Vec<CommandTests>,
    /// The index of the command that runs each id. Several tests may have the same id.
    command_by_id: BTreeMap<String, usize>,
}

/// The tests of one command.
#[derive(Default)]
struct CommandTests {
    /// The ids, at most [`MAX_PER_COMMAND`].
    ids: Vec<String>,
    /// The files of the tests.
    paths: Vec<String>,
}

impl CommandGroup {
    fn new(runner: &'static TestRunner, project: String, scope: &str) -> Self {
        Self {
            runner,
            project,
            scope: scope.to_owned(),
            commands: Vec::new(),
            command_by_id: BTreeMap::new(),
        }
    }

    /// Adds a test to the command that has its id, or else to the last command if it has room for
    /// the id.
    fn add_test(&mut self, id: String, path: &str) {
        let at = *self.command_by_id.entry(id).or_insert_with_key(|id| {
            if self.commands.last().is_none_or(|last| last.ids.len() >= MAX_PER_COMMAND) {
                self.commands.push(CommandTests::default());
            }
            let at = self.commands.len() - 1;
            self.commands[at].ids.push(id.clone());
            at
        });
        let paths = &mut self.commands[at].paths;
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }

    fn render(&self, tests: &CommandTests) -> String {
        let TestRunner { before, join, project_command, .. } = self.runner;
        let command = project_command.as_ref().filter(|_| !self.project.is_empty());
        let command = command.unwrap_or(&self.runner.command);
        // Inside the quotes of the template, only the quote itself has to be escaped.
        let is_quoted = command.contains("{ids}'") || command.contains("({ids})");
        let id = |id: &String| {
            let written = if is_quoted { id.replace('\'', r"'\''") } else { quote_word(id) };
            format!("{before}{written}")
        };
        let ids = tests.ids.iter().map(id).collect::<Vec<_>>().join(join);
        let paths = tests.paths.iter().map(|path| quote_word(path)).collect::<Vec<_>>().join(" ");
        command
            .replace("{ids}", &ids)
            .replace("{paths}", &paths)
            .replace("{path}", &quote_word(&self.scope))
            .replace("{folder}", &quote_word(&self.scope))
            .replace("{project}", &quote_word(&self.project))
            .replace("{project:}", &quote_word(&format!("{}:", self.project.replace('/', ":"))))
    }
}

/// Returns a word for a POSIX shell, in quotes if it needs them.
fn quote_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Replaces the placeholders of a test's id. The path is that of the test's file, from the folder in
/// which the command runs.
fn fill_template(template: &str, snapshot: &Snapshot, test: &SymbolRef<'_>, path: &str) -> String {
    let package = test.file.and_then(|file| snapshot.file(file)).map_or("", |file| file.package);
    let class_path: String =
        test.container.split('.').filter(|part| !part.is_empty()).flat_map(|part| [part, "::"]).collect();
    let package_dot = if package.is_empty() { String::new() } else { format!("{package}.") };
    template
        .replace("{class::}", &class_path)
        .replace("{package.}", &package_dot)
        .replace("{class}", test.container)
        .replace("{folder}", parent_folder(path))
        .replace("{path}", path)
        .replace("{line}", &(test.name_span.line + 1).to_string())
        .replace("{name}", test.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_workspace::{TestWorkspace, index_files};

    /// Returns the ids and the commands of all functions of a workspace.
    fn ids_and_commands(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let TestWorkspace { root, workspace, .. } = &index_files(files);
        let snapshot = workspace.current_snapshot();
        let is_function = |id: &SymbolId| snapshot.symbol(*id).is_some_and(|s| s.kind.is_callable());
        let mut tests: Vec<SymbolId> = snapshot.symbols().into_iter().filter(is_function).collect();
        tests.sort_by_key(|&id| snapshot.symbol(id).map(|s| (s.path.to_owned(), s.span.start)));
        let commands = TestCommands::for_workspace(root, &workspace.current_project());
        let ids = tests.iter().filter_map(|&test| commands.test_id(&snapshot, test)).collect();
        (ids, commands.run_commands(&snapshot, &tests))
    }

    #[test]
    fn pytest_gets_node_ids_in_one_command() {
        let (ids, commands) = ids_and_commands(&[
            (
                "tests/test_a.py",
                "def test_one():\n    pass\n\n\nclass TestCart:\n    def test_two(self):\n        pass\n",
            ),
            ("tests/test_b.py", "def test_three():\n    pass\n"),
        ]);
        let expected = [
            "tests/test_a.py::test_one",
            "tests/test_a.py::TestCart::test_two",
            "tests/test_b.py::test_three",
        ];
        assert_eq!(ids, expected);
        assert_eq!(commands, ["python -m pytest tests/test_a.py tests/test_b.py::test_three"]);
    }

    #[test]
    fn a_file_is_run_as_a_whole_only_with_all_of_its_tests() {
        let test = "def test_one():\n    def test_inner():\n        pass\n\n\ndef test_two():\n    pass\n";
        let TestWorkspace { root, workspace, .. } = &index_files(&[("tests/test_a.py", test)]);
        let snapshot = workspace.current_snapshot();
        let named = |name| {
            let mut symbols = snapshot.symbols().into_iter();
            symbols.find(|&id| snapshot.symbol(id).is_some_and(|s| s.name == name)).unwrap()
        };
        let commands = TestCommands::for_workspace(root, &workspace.current_project());
        let run = |tests: &[SymbolId]| commands.run_commands(&snapshot, tests);
        assert_eq!(run(&[named("test_two")]), ["python -m pytest tests/test_a.py::test_two"]);
        assert_eq!(run(&[named("test_two"), named("test_one")]), ["python -m pytest tests/test_a.py"]);
    }

    #[test]
    fn functions_that_are_not_tests_have_no_id() {
        let fixture = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef leak_detector():\n    yield\n";
        let (ids, commands) = ids_and_commands(&[("tests/conftest.py", fixture)]);
        assert_eq!((ids.len(), commands.len()), (0, 0));
    }

    #[test]
    fn go_gets_one_command_for_each_package() {
        let test =
            |name: &str| format!("package p\n\nimport \"testing\"\n\nfunc {name}(t *testing.T) {{}}\n");
        let (_, commands) = ids_and_commands(&[
            ("go.mod", "module example.com/m\n"),
            ("a/a_test.go", &(test("TestA") + "\nfunc TestB(t *testing.T) {}\n")),
            ("b/b_test.go", &test("TestC")),
        ]);
        assert_eq!(commands, ["go test ./a -run '^(TestA|TestB)$'", "go test ./b -run '^(TestC)$'"]);
    }

    #[test]
    fn many_tests_get_further_commands() {
        let tests = |from: usize, to: usize| {
            (from..to).map(|at| format!("it('adds {at:03}', () => {{}})\n")).collect::<Vec<_>>().concat()
        };
        let manifest = r#"{"name": "shop", "devDependencies": {"vitest": "3.0.0"}}"#;
        let (ids, commands) = ids_and_commands(&[
            ("package.json", manifest),
            ("src/a.test.ts", &tests(0, MAX_PER_COMMAND + 50)),
            // The first command has one of these ids already, and the second one the others.
            ("src/b.test.ts", &(tests(7, 8) + &tests(MAX_PER_COMMAND + 40, MAX_PER_COMMAND + 51))),
        ]);
        assert_eq!(ids.len(), MAX_PER_COMMAND + 62);
        let pattern =
            |from, to| (from..to).map(|at| format!("adds {at:03}")).collect::<Vec<String>>().join("|");
        let expected = [(0, MAX_PER_COMMAND), (MAX_PER_COMMAND, MAX_PER_COMMAND + 51)].map(|(from, to)| {
            format!("npx vitest run src/a.test.ts src/b.test.ts -t '{}'", pattern(from, to))
        });
        assert_eq!(commands, expected);
    }

    #[test]
    fn java_is_run_by_the_build_tool_of_the_workspace() {
        let test = "package com.shop;\nimport org.junit.jupiter.api.Test;\nclass CartTest {\n  @Test void adds() {}\n}\n";
        let path = "src/test/java/com/shop/CartTest.java";
        let (_, maven) = ids_and_commands(&[("pom.xml", "<project/>"), (path, test)]);
        assert_eq!(maven, ["mvn test -Dtest='CartTest#adds'"]);
        let (_, gradle) = ids_and_commands(&[(path, test)]);
        assert_eq!(gradle, ["./gradlew test --tests com.shop.CartTest.adds"]);
        let inner = format!("apps/web/{path}");
        let (_, maven) = ids_and_commands(&[("pom.xml", "<project/>"), (&inner, test)]);
        let options = "-pl apps/web -am -Dsurefire.failIfNoSpecifiedTests=false";
        assert_eq!(maven, [format!("mvn test {options} -Dtest='CartTest#adds'")]);
        let (_, gradle) = ids_and_commands(&[(&inner, test)]);
        assert_eq!(gradle, ["./gradlew apps:web:test --tests com.shop.CartTest.adds"]);
    }

    #[test]
    fn tests_of_an_inner_project_run_there() {
        let python = "def test_one():\n    pass\n";
        let go = "package p\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n";
        let rust = "#[test]\nfn adds() {}\n";
        let (ids, commands) = ids_and_commands(&[
            ("pyproject.toml", ""),
            ("examples/shop/pyproject.toml", ""),
            ("examples/shop/tests/test_a.py", python),
            ("go.mod", "module example.com/m\n"),
            ("tools/go.mod", "module example.com/tools\n"),
            ("tools/gen/a_test.go", go),
            ("crates/cart/Cargo.toml", "[package]\nname = \"cart\"\nversion = \"0.1.0\"\n"),
            ("crates/cart/src/lib.rs", rust),
        ]);
        assert!(ids.contains(&"examples/shop/tests/test_a.py::test_one".to_owned()), "{ids:?}");
        let expected = [
            "cargo test --manifest-path crates/cart/Cargo.toml -- adds",
            "(cd examples/shop && python -m pytest tests/test_a.py::test_one)",
            "go test -C tools ./gen -run '^(TestA)$'",
        ];
        assert_eq!(commands, expected);
    }

    #[test]
    fn javascript_is_run_by_the_runner_that_the_manifest_names() {
        let test = "import { it } from 'vitest'\nit(\"isn't empty\", () => {})\n";
        let (_, commands) = ids_and_commands(&[
            ("package.json", r#"{"name": "shop", "devDependencies": {"vitest": "3.0.0"}}"#),
            ("src/cart.test.ts", test),
        ]);
        assert_eq!(commands, [r"npx vitest run src/cart.test.ts -t 'isn'\''t empty'"]);
    }

    #[test]
    fn every_runner_has_ids_in_its_command() {
        assert!(
            RUNNERS.iter().all(|runner| !runner.languages.is_empty() && runner.command.contains("{ids}"))
        );
    }
}
