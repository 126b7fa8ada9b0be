//! The choice of tests to run, and the reasons why there is nothing to run.

use super::{AffectedJson, TestsSubject};
use crate::format::wording::render_quantity;
use crate::test_commands::{RunCommands, TestCommands};
use kenning_graph::{Snapshot, SymbolId};
use kenning_retrieval::ripple::TestFile;
use std::collections::BTreeSet;

/// The number of test files that run if no tests are found that reach the change.
const MAX_RUN_FILES: usize = 3;

/// The commands of an answer.
pub(super) struct ChosenRun {
    /// The commands.
    pub run: RunCommands,
    /// Whether they run likely files, because no tests are found that reach the change.
    pub runs_likely_files: bool,
}

/// Returns the commands that run the tests that reach the change. If there are none, returns the
/// commands that run the tests next to the changed code and those of the likeliest test files.
pub(super) fn choose_run(
    snapshot: &Snapshot,
    commands: &TestCommands,
    reaching: &[SymbolId],
    targets: &[SymbolId],
    files: &[TestFile],
) -> ChosenRun {
    let run = commands.run_commands(snapshot, reaching);
    if !run.commands.is_empty() || run.left_out > 0 {
        return ChosenRun { run, runs_likely_files: false };
    }
    let changed = targets.iter().filter_map(|&id| snapshot.symbol(id).map(|symbol| symbol.path));
    let changed: BTreeSet<&str> = changed.collect();
    let likely = changed.into_iter().chain(files.iter().map(|file| file.path.as_str()));
    let mut tests = Vec::new();
    let mut run_files = 0;
    for file in likely.filter_map(|path| snapshot.file_by_path(path)) {
        let symbols = snapshot.file_symbol_refs(file);
        let marked = symbols.iter().filter(|symbol| symbol.is_test);
        let ids: BTreeSet<SymbolId> = marked.clone().map(|symbol| symbol.id).collect();
        // A function inside a test runs with it.
        let outer = marked.filter(|symbol| symbol.parent.is_none_or(|parent| !ids.contains(&parent)));
        let found: Vec<SymbolId> = outer.map(|symbol| symbol.id).collect();
        run_files += usize::from(!found.is_empty());
        tests.extend(found);
        if run_files == MAX_RUN_FILES {
            break;
        }
    }
    let run = commands.run_commands(snapshot, &tests);
    let runs_likely_files = !run.commands.is_empty();
    ChosenRun { run, runs_likely_files }
}

impl AffectedJson<'_> {
    /// Returns the base of the change if nothing changed since.
    pub(super) fn unchanged_base(subject: TestsSubject<'_>) -> Option<&str> {
        match subject {
            TestsSubject::Change(change) if change.change_set.files.is_empty() => {
                Some(&change.change_set.base)
            }
            TestsSubject::Change(_) | TestsSubject::Files(_) => None,
        }
    }

    /// Returns the reason why no command runs a test; `None` if one does.
    pub fn describe_missing_commands(&self, subject: TestsSubject<'_>) -> Option<String> {
        if !self.commands.is_empty() {
            return None;
        }
        if let Some(base) = Self::unchanged_base(subject) {
            return Some(format!("nothing changed since {base}, so there is no test to run"));
        }
        if let Some(sentence) = self.describe_left_out() {
            return Some(sentence);
        }
        let known = self.tests.len();
        Some(match self.test_files.first() {
            _ if known > 0 => {
                let tests = render_quantity(known, "test");
                format!("{tests} found, but Kenning does not know how to run them; kenning tests lists them")
            }
            Some(file) => format!(
                "no tests found that reach the change, and Kenning does not know how to run {}",
                file.file
            ),
            None => "no test and no test file is known for the change".to_owned(),
        })
    }

    /// Returns the sentence about commands that run likely files.
    pub(super) fn describe_likely_run(&self) -> Option<&'static str> {
        self.runs_likely_files
            .then_some("No tests found that reach the change; the commands run the likeliest test files.")
    }
}
