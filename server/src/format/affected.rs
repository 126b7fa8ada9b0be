//! The tests that a change affects, as JSON, as Markdown, and for a terminal.
//!
//! In: the tests that retrieval found, the runners of the workspace, its history, and the subject
//! of the request. Out: an [`AffectedJson`], from which the text forms are rendered, and the shell
//! commands that run the tests.
//!
//! Invariant: a form that does not show all tests says so.

mod run_choice;
mod screen_view;

use super::blast::render_location;
use super::change::{self, ChangeJson};
use super::json::SCHEMA;
use super::ripple::describe_reason;
use super::symbol_locations::{DocumentLocator, SymbolJson, symbol_json};
use super::wording::{group_digits, render_quantity};
use crate::change::WorkspaceChange;
use crate::freshness::Freshness;
use crate::test_commands::{RunCommands, TestCommands};
use kenning_graph::{Hash, Snapshot, SymbolId};
use kenning_retrieval::CommitHistory;
use kenning_retrieval::features::{AffectedTest, AffectedTests};
use kenning_retrieval::pack::code_span;
use kenning_retrieval::ripple::likely_test_files;
use run_choice::{ChosenRun, choose_run};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// The maximum number of test files. In a long history, a file has changed together with hundreds.
const MAX_TEST_FILES: usize = 15;

/// The maximum number of tests per section of the Markdown form, if the request names none. Almost
/// all tests reach the core of a framework.
pub const MAX_LISTED: usize = 200;

/// The tests that reach changed symbols, each with its call path to the change.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AffectedTests")]
pub struct AffectedJson<'a> {
    /// Version of this format.
    schema: u32,
    /// The change; absent if the request named files.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeJson>,
    /// The files that the request named; absent if it asked about a change.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    files: &'a [String],
    /// The number of symbols that changed, that used a removed definition, or that the requested
    /// files contain.
    targets: usize,
    /// The tests, the nearest first, then by qualified name.
    tests: Vec<AffectedTestJson>,
    /// The test files that matter most, the likeliest first, at most 15: files whose tests reach
    /// the change, and files that usually change with it.
    test_files: Vec<TestFileJson>,
    /// Shell commands that run the tests, to be run in the root of the workspace. If no tests are
    /// found that reach the change, they run the likeliest test files.
    commands: Vec<String>,
    /// Whether the commands run the likeliest test files.
    #[serde(skip)]
    runs_likely_files: bool,
    /// The number of tests that no command runs, because of their names.
    #[serde(skip)]
    left_out: usize,
    /// True if there are, or may be, more tests.
    truncated: bool,
    /// Freshness of the answer.
    freshness: &'a Freshness,
    /// The answer in the format that the request's `format` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A test file that the change may affect.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AffectedTestFile")]
struct TestFileJson {
    /// The path in the workspace, with `/` as the separator.
    file: String,
    /// The number of its tests that reach the change.
    reaching: usize,
    /// The reasons why it may also have to change, the strongest first.
    reasons: Vec<String>,
}

/// A test and its path to a changed symbol.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AffectedTest")]
struct AffectedTestJson {
    #[serde(flatten)]
    symbol: SymbolJson,
    /// The name by which its runner knows it (`tests/test_cart.py::TestCart::test_add`); absent if
    /// no runner for it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    /// The shortest path, from the test to the changed symbol; only the test if the test itself
    /// changed.
    path: Vec<SymbolJson>,
    /// The removed definition that the last symbol of the path used: a name inside a changed file,
    /// or the path of a removed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<String>,
    /// True if every path has a step that is decided at run time: dispatch to an overriding symbol,
    /// or code that a test framework, a library or the language runs.
    possible: bool,
    /// True if every path uses an edge that may lead elsewhere.
    ambiguous: bool,
}

/// The subject of a request for tests.
#[derive(Clone, Copy)]
pub enum TestsSubject<'a> {
    /// A change.
    Change(&'a WorkspaceChange),
    /// Whole files.
    Files(&'a [String]),
}

/// The results of a search for tests, with the data that their description needs.
#[derive(Clone, Copy)]
pub struct FoundTests<'a> {
    /// The symbols that changed, that used a removed definition, or that the requested files
    /// contain.
    pub targets: &'a [SymbolId],
    /// The tests that reach them.
    pub tests: &'a AffectedTests,
    /// The runners of the workspace.
    pub commands: &'a TestCommands,
    /// The history of the repository, if it was read.
    pub history: Option<&'a CommitHistory>,
}

impl<'a> AffectedJson<'a> {
    /// Builds the JSON form.
    pub fn new(
        snapshot: &Snapshot,
        subject: TestsSubject<'a>,
        found: FoundTests<'_>,
        freshness: &'a Freshness,
        locator: &dyn DocumentLocator,
    ) -> Self {
        let FoundTests { targets, tests: found, commands, history } = found;
        let to_json = |id| symbol_json(snapshot, id, locator);
        let removed_name = |test: &AffectedTest| match subject {
            TestsSubject::Change(change) => {
                change.removed_for_symbol(snapshot, *test.path.last()?).map(str::to_owned)
            }
            TestsSubject::Files(_) => None,
        };
        let tests = found.tests.iter().filter_map(|test| {
            Some(AffectedTestJson {
                symbol: to_json(test.test)?,
                run_id: commands.test_id(snapshot, test.test),
                path: test.path.iter().filter_map(|&id| to_json(id)).collect(),
                removed: removed_name(test),
                possible: test.possible,
                ambiguous: test.ambiguous,
            })
        });
        let (change, files) = match subject {
            TestsSubject::Change(change) => (Some(ChangeJson::new(change)), &[][..]),
            TestsSubject::Files(files) => (None, files),
        };
        let ids: Vec<SymbolId> = found.tests.iter().map(|test| test.test).collect();
        let test_files = likely_test_files(snapshot, history, targets, found, MAX_TEST_FILES);
        let ChosenRun { run, runs_likely_files } = choose_run(snapshot, commands, &ids, targets, &test_files);
        let RunCommands { commands, left_out } = run;
        let test_files = test_files.into_iter().map(|file| TestFileJson {
            file: file.path,
            reaching: file.reaching,
            reasons: file.reasons.iter().map(describe_reason).collect(),
        });
        Self {
            schema: SCHEMA,
            change,
            files,
            targets: targets.len(),
            tests: tests.collect(),
            test_files: test_files.collect(),
            commands,
            runs_likely_files,
            left_out,
            truncated: found.truncated,
            freshness,
            text: None,
        }
    }

    /// Limits the commands to the tests of the answer that have these ids.
    pub fn limit_commands(&mut self, snapshot: &Snapshot, commands: &TestCommands, ids: &[String]) {
        let tests = self.tests.iter().map(|test| &test.symbol.id).filter(|id| ids.contains(id));
        let tests: Vec<SymbolId> =
            tests.filter_map(|id| snapshot.symbol_by_hash(&Hash::from_hex(id)?)).collect();
        let found = commands.run_commands(snapshot, &tests);
        (self.commands, self.left_out, self.runs_likely_files) = (found.commands, found.left_out, false);
    }

    /// Renders the Markdown form, ending with a line break. Each section has at most `max_listed`
    /// tests.
    pub fn render_markdown(&self, subject: TestsSubject<'_>, max_listed: usize) -> String {
        let mut out = match subject {
            TestsSubject::Change(change) => {
                format!("# Tests affected by the changes since {}\n", code_span(&change.change_set.base))
            }
            TestsSubject::Files(files) => {
                let names: Vec<String> = files.iter().map(|file| code_span(file)).collect();
                format!("# Tests affected by {}\n", names.join(", "))
            }
        };
        if let Some(line) = self.freshness.render_line() {
            let _ = writeln!(out, "\n> Freshness: {line}.");
        }
        if let TestsSubject::Change(change) = subject
            && Self::unchanged_base(subject).is_none()
        {
            out.push_str(&change::render_change(change));
        }
        let _ = writeln!(out, "\n{}", self.describe_count(subject));
        self.render_test_files(&mut out);
        for (heading, possible) in [("Tests", false), ("Possibly affected", true)] {
            let section: Vec<_> = self.tests.iter().filter(|test| test.possible == possible).collect();
            if section.is_empty() {
                continue;
            }
            let _ = writeln!(out, "\n## {heading}\n");
            for test in section.iter().take(max_listed) {
                let mark = if test.ambiguous { " ~" } else { "" };
                let mut path: Vec<String> =
                    test.path.iter().skip(1).map(|step| code_span(&step.name)).collect();
                path.extend(test.removed.as_ref().map(|name| format!("{} (removed)", code_span(name))));
                let path = if path.is_empty() {
                    "changed itself".to_owned()
                } else {
                    format!("→ {}", path.join(" → "))
                };
                let _ = writeln!(
                    out,
                    "- {} {} {path}{mark}",
                    render_location(&test.symbol),
                    code_span(&test.symbol.name)
                );
            }
            if let Some(more) = section.len().checked_sub(max_listed).filter(|&more| more > 0) {
                let _ = writeln!(out, "- … and {more} more");
            }
        }
        if !self.commands.is_empty() {
            let note = self.describe_likely_run().map_or(String::new(), |note| format!("{note}\n\n"));
            let _ = writeln!(out, "\n## Commands\n\n{note}```sh\n{}\n```", self.commands.join("\n"));
        }
        if let Some(sentence) = self.describe_left_out() {
            let _ = writeln!(out, "\n{sentence}.");
        }
        out
    }

    /// Returns the sentence with the number of tests.
    fn describe_count(&self, subject: TestsSubject<'_>) -> String {
        if let Some(base) = Self::unchanged_base(subject) {
            return format!("Nothing changed since {base}.");
        }
        let targets = render_quantity(self.targets, "changed symbol");
        match (self.tests.len(), self.truncated) {
            (0, false) => format!("No tests found that reach {targets}."),
            (1, false) => format!("1 test reaches {targets}."),
            (tests, false) => format!("{} reach {targets}.", render_quantity(tests, "test")),
            (tests, true) => format!("{} or more tests reach {targets}.", group_digits(tests)),
        }
    }

    /// Returns the sentence about tests that no command runs, because of their names.
    pub fn describe_left_out(&self) -> Option<String> {
        let (tests, verb) = match self.left_out {
            0 => return None,
            1 => ("1 test".to_owned(), "is"),
            many => (render_quantity(many, "test"), "are"),
        };
        Some(format!("{tests} {verb} left out, because no shell reads the names or paths as they are"))
    }

    /// Returns the shell commands that run the tests, one per line.
    pub fn render_commands(&self) -> String {
        self.commands.iter().flat_map(|command| [command.as_str(), "\n"]).collect()
    }

    fn render_test_files(&self, out: &mut String) {
        if self.test_files.is_empty() {
            return;
        }
        out.push_str("\n## Test files, likeliest first\n\n");
        for TestFileJson { file, reaching, reasons } in &self.test_files {
            let mut parts = Vec::new();
            if *reaching > 0 {
                let verb = if *reaching == 1 { "reaches" } else { "reach" };
                parts.push(format!("{} {verb} the change", render_quantity(*reaching, "test")));
            }
            parts.extend(reasons.iter().cloned());
            let _ = writeln!(out, "- {}: {}", code_span(file), parts.join(", "));
        }
    }
}
