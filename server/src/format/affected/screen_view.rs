//! Affected tests for people at a terminal: the count, the test files, then the tests under their
//! files with their call paths to the change.

use super::{AffectedJson, AffectedTestJson, MAX_LISTED, TestsSubject};
use crate::format::change;
use crate::format::wording::{group_digits, render_quantity};
use crate::terminal::markdown_view::render_markdown;
use crate::terminal::place_list::{FactRow, PlaceRow, write_facts, write_heading, write_places};
use crate::terminal::screen::{DIM_STYLE, NAME_STYLE, Screen, TITLE_STYLE, WARNING_STYLE};
use std::fmt::Write;

/// The maximum number of shown steps of a call path. Paths through a framework have many more; the
/// first and the last step are the most informative.
const MAX_STEPS: usize = 3;

/// The maximum number of screen lines for one command. A command that names hundreds of tests would
/// fill the screen.
const MAX_COMMAND_LINES: usize = 3;

impl AffectedJson<'_> {
    /// Returns the test files, the likeliest first.
    pub fn test_paths(&self) -> Vec<&str> {
        let listed = self.test_files.iter().map(|file| file.file.as_str());
        listed.chain(self.tests.iter().map(|test| test.symbol.file.as_str())).collect()
    }

    /// Renders the answer for a screen, ending with a line break. Repeats the count at the end if
    /// the answer is longer than the screen.
    pub fn render_screen(&self, subject: TestsSubject<'_>, screen: &Screen) -> String {
        let headline = format!("{}\n", screen.paint(&self.describe_count(subject), NAME_STYLE));
        let title = match subject {
            TestsSubject::Change(change) => {
                format!("Tests affected by the changes since {}", change.change_set.base)
            }
            TestsSubject::Files(files) => {
                let names: Vec<String> = files.iter().map(|file| screen.shown_path(file)).collect();
                format!("Tests affected by {}", names.join(", "))
            }
        };
        let mut out = format!("{}\n{headline}", screen.paint(&title, TITLE_STYLE));
        if let Some(line) = self.freshness.render_line() {
            let _ = writeln!(out, "\n{}", screen.paint(&format!("Freshness: {line}."), WARNING_STYLE));
        }
        if let TestsSubject::Change(change) = subject {
            out.push_str(&render_markdown(&change::render_change(change), screen));
        }
        self.write_test_files(&mut out, screen);
        for (heading, possible) in [("Tests", false), ("Possibly affected", true)] {
            let section: Vec<&AffectedTestJson> =
                self.tests.iter().filter(|test| test.possible == possible).collect();
            if section.is_empty() {
                continue;
            }
            write_heading(&mut out, screen, heading, &group_digits(section.len()));
            let rows: Vec<PlaceRow<'_>> = section.into_iter().map(test_row).collect();
            write_places(&mut out, screen, &rows, MAX_LISTED);
        }
        if self.tests.iter().any(|test| test.ambiguous) {
            let meaning = "~ may lead to another definition";
            let _ = writeln!(out, "\n  {}", screen.paint(meaning, DIM_STYLE));
        }
        self.write_commands(&mut out, screen);
        if screen.is_longer_than_screen(&out) {
            let _ = write!(out, "\n{headline}");
        }
        out
    }

    fn write_test_files(&self, out: &mut String, screen: &Screen) {
        if self.test_files.is_empty() {
            return;
        }
        write_heading(out, screen, "Test files, likeliest first", "");
        let rows: Vec<FactRow> = self
            .test_files
            .iter()
            .map(|file| {
                let tests = (file.reaching > 0).then(|| render_quantity(file.reaching, "test"));
                let facts: Vec<String> = tests.into_iter().chain(file.reasons.iter().cloned()).collect();
                FactRow { label: screen.link_place(&file.file, None), text: facts.join(", ") }
            })
            .collect();
        write_facts(out, screen, &rows, DIM_STYLE);
    }

    /// Writes the commands, or a hint at `--run` if they would fill the screen.
    fn write_commands(&self, out: &mut String, screen: &Screen) {
        if self.commands.is_empty() {
            return;
        }
        let longest = self.commands.iter().map(|command| command.chars().count()).max().unwrap_or_default();
        if longest.div_ceil(screen.width()) > MAX_COMMAND_LINES {
            let hint = "Add --run to print only the commands that run these tests.";
            let _ = writeln!(out, "\n{}", screen.paint(hint, DIM_STYLE));
            return;
        }
        write_heading(out, screen, "Commands", "");
        for command in &self.commands {
            let _ = writeln!(out, "  {}", screen.paint_code("bash", command).trim_end());
        }
    }
}

fn test_row(test: &AffectedTestJson) -> PlaceRow<'_> {
    let mut steps: Vec<String> = test.path.iter().skip(1).map(|step| step.name.clone()).collect();
    steps.extend(test.removed.as_ref().map(|name| format!("{name} (removed)")));
    if steps.len() > MAX_STEPS {
        let hidden = render_quantity(steps.len() - 2, "step");
        steps.splice(1..steps.len() - 1, [format!("{hidden} …")]);
    }
    let detail =
        if steps.is_empty() { "changed itself".to_owned() } else { format!("→ {}", steps.join(" → ")) };
    let mark = if test.ambiguous { "~" } else { "" };
    PlaceRow { file: &test.symbol.file, line: test.symbol.line, name: &test.symbol.name, detail, mark }
}
