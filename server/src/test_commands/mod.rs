//! Commands that run tests, and the ids by which a runner knows its tests.
//!
//! `data/test_runners.toml` has a row for each runner. The language and the path of a test, the
//! packages that manifests depend on, and files in the root of the workspace select the row; for
//! scripts, their configuration does (`script_runners`). One command runs all tests of a runner, or
//! the tests of one folder or file, but at most [`MAX_PER_COMMAND`].
//!
//! Names of tests, files and folders come from a workspace of another author, and people paste the
//! commands. `command_template` therefore builds a command from quoted words in one pass
//! (`shell_words` quotes them), and `name_filter` escapes names for runners that read patterns.
//!
//! Invariants: a shell reads each name back as one word or a part of one, and a command is one line
//! without characters that control a terminal. A test whose names have no such form is left out.

mod command_template;
mod name_filter;
mod path_glob;
mod script_runners;
#[cfg(test)]
mod tests;

use crate::shell_words::ShellKind;
use command_template::{CommandTemplate, CommandValues, IdTemplate, IdValues};
use kenning_graph::paths::parent_folder;
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolRef};
use kenning_indexing::project::Project;
use name_filter::NameFilter;
use script_runners::{ChosenRunner, ScriptRunners, ScriptSelection};
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
    id: IdTemplate,
    file: Option<IdTemplate>,
    /// The notation of the ids in the command.
    #[serde(default)]
    filter: NameFilter,
    /// The notation of the paths in the command.
    #[serde(default)]
    path_filter: NameFilter,
    #[serde(default)]
    per: CommandScope,
    #[serde(default)]
    before: String,
    #[serde(default = "default_join")]
    join: String,
    command: CommandTemplate,
    #[serde(default)]
    project_files: Vec<String>,
    project_command: Option<CommandTemplate>,
    #[serde(default)]
    runs_in_project: bool,
    /// The command for whole files, if it differs.
    files_command: Option<CommandTemplate>,
    files_project_command: Option<CommandTemplate>,
    /// Beginnings of the names of tests that the command does not run.
    #[serde(default)]
    skip_names: Vec<String>,
    /// The configuration that selects the runner of a script.
    script: Option<ScriptSelection>,
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
    let file: RunnersFile = toml::from_str(include_str!("../../data/test_runners.toml"))
        .expect("test_runners.toml is checked by a test");
    file.runner
});

/// The runners of one workspace.
pub struct TestCommands {
    root: PathBuf,
    /// The rows whose conditions the workspace meets, in the order of the table.
    runners: Vec<&'static TestRunner>,
    scripts: ScriptRunners,
    shell: ShellKind,
}

/// The commands that run some tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RunCommands {
    /// The commands, one line each.
    pub commands: Vec<String>,
    /// The number of tests with a known runner that no command runs, because their names or paths
    /// have characters that the shell cannot be given.
    pub left_out: usize,
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
        let runners = RUNNERS.iter().filter(fits).collect();
        let scripts = ScriptRunners::new(root);
        Self { root: root.to_owned(), runners, scripts, shell: ShellKind::of_platform() }
    }

    /// Returns the first runner for the language and the path of a test. Returns `None` for other
    /// functions of test files, such as fixtures, which no runner runs by their name.
    fn find_runner(&self, snapshot: &Snapshot, test: &SymbolRef<'_>) -> Option<ChosenRunner> {
        let file = snapshot.file(test.file?).filter(|_| is_test(test))?;
        let has_language = |runner: &&'static TestRunner| {
            runner.languages.iter().any(|language| language == file.language)
                && runner.path_end.as_deref().is_none_or(|end| file.path.ends_with(end))
        };
        let fitting: Vec<&'static TestRunner> = self.runners.iter().copied().filter(has_language).collect();
        let chosen = if RUNNERS.iter().filter(has_language).any(|runner| runner.script.is_some()) {
            let imports = snapshot.file_imports(file.id);
            let imports: Vec<&str> = imports.iter().map(|import| import.path.as_str()).collect();
            self.scripts.choose_runner(file.path, &imports, &fitting)?
        } else {
            ChosenRunner { runner: fitting.first()?, project: None, script: String::new() }
        };
        let is_skipped = chosen.runner.skip_names.iter().any(|start| test.name.starts_with(start.as_str()));
        (!is_skipped).then_some(chosen)
    }

    /// Returns the id of a test for its runner: `tests/test_cart.py::TestCart::test_add`. Returns
    /// `None` if no runner for it is known, or if it is no test but another function of a test file.
    pub fn test_id(&self, snapshot: &Snapshot, test: SymbolId) -> Option<String> {
        let test = snapshot.symbol(test)?;
        Some(render_id(&self.find_runner(snapshot, &test)?.runner.id, snapshot, &test, test.path))
    }

    /// Returns the commands that run tests, in the order in which the first tests of their groups
    /// are given. A group of more than [`MAX_PER_COMMAND`] tests gets several commands. If all tests
    /// of a file are given, some runners get the file instead. Leaves out tests without a known
    /// runner, and counts those that the shell cannot be given.
    pub fn run_commands(&self, snapshot: &Snapshot, tests: &[SymbolId]) -> RunCommands {
        let whole_files = find_whole_files(snapshot, tests);
        let mut groups: Vec<CommandGroup> = Vec::new();
        let mut index: BTreeMap<GroupKey, usize> = BTreeMap::new();
        let mut projects = ProjectFolders { root: &self.root, known: BTreeMap::new() };
        let mut left_out = 0;
        for test in tests.iter().filter_map(|&id| snapshot.symbol(id)) {
            let Some(chosen) = self.find_runner(snapshot, &test) else { continue };
            let ChosenRunner { runner, project, script } = chosen;
            let row = RUNNERS.iter().position(|other| std::ptr::eq(other, runner)).unwrap_or_default();
            let project = project.unwrap_or_else(|| projects.find_project(runner, test.path));
            let path = match test.path.strip_prefix(&format!("{project}/")) {
                Some(inner) if runner.runs_in_project => inner,
                _ => test.path,
            };
            let is_whole = test.file.is_some_and(|file| whole_files.contains(&file));
            let file_id = runner.file.as_ref().filter(|_| is_whole);
            let id = render_id(file_id.unwrap_or(&runner.id), snapshot, &test, path);
            if ![id.as_str(), path, &project, &script].iter().all(|text| self.shell.can_quote(text)) {
                left_out += 1;
                continue;
            }
            let scope = match runner.per {
                CommandScope::All => "",
                CommandScope::Folder => parent_folder(path),
                CommandScope::File => path,
            };
            let whole_files = is_whole && runner.files_command.is_some();
            let key = (row, project.clone(), scope.to_owned(), whole_files);
            let at = *index.entry(key).or_insert_with(|| {
                groups.push(CommandGroup::new(runner, project, scope, (script, whole_files)));
                groups.len() - 1
            });
            let id = if whole_files { path.to_owned() } else { runner.filter.escape_name(&id) };
            groups[at].add_test(id, &runner.path_filter.escape_name(path));
        }
        let render = |group: &CommandGroup| {
            group.commands.iter().map(|tests| group.render(tests, self.shell)).collect::<Vec<_>>()
        };
        let mut commands: Vec<String> = groups.iter().flat_map(render).collect();
        // A command without names is the same for all tests.
        let mut seen = BTreeSet::new();
        commands.retain(|command| seen.insert(command.clone()));
        RunCommands { commands, left_out }
    }
}

/// The row of the runner, the project, the scope, and whether the command runs whole files.
type GroupKey = (usize, String, String, bool);

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
    /// The script of the project that runs the runner, or empty.
    script: String,
    /// Whether the command runs whole files.
    whole_files: bool,
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
    fn new(
        runner: &'static TestRunner,
        project: String,
        scope: &str,
        (script, whole_files): (String, bool),
    ) -> Self {
        Self {
            runner,
            project,
            scope: scope.to_owned(),
            script,
            whole_files,
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

    fn render(&self, tests: &CommandTests, shell: ShellKind) -> String {
        let TestRunner { command, project_command, files_command, files_project_command, .. } = self.runner;
        let (command, project_command) = match files_command {
            Some(files_command) if self.whole_files => (files_command, files_project_command),
            _ => (command, project_command),
        };
        let project_command = project_command.as_ref().filter(|_| !self.project.is_empty());
        let values = CommandValues {
            ids: &tests.ids,
            before_id: &self.runner.before,
            between_ids: &self.runner.join,
            paths: &tests.paths,
            scope: &self.scope,
            project: &self.project,
            script: &self.script,
        };
        project_command.unwrap_or(command).render(shell, values)
    }
}

/// Returns the id of a test. The path is that of the test's file, from the folder in which the
/// command runs.
fn render_id(template: &IdTemplate, snapshot: &Snapshot, test: &SymbolRef<'_>, path: &str) -> String {
    template.render(IdValues {
        path,
        folder: parent_folder(path),
        line: test.name_span.line + 1,
        name: test.name,
        class: test.container,
        package: test.file.and_then(|file| snapshot.file(file)).map_or("", |file| file.package),
    })
}
