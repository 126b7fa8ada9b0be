//! `kenning runs`: recorded test runs and traces of a workspace.

use super::args::{RunsArgs, RunsClearArgs, RunsCommand, RunsImportArgs};
use super::delivery::{print_outcome, print_sentences};
use super::workspace;
use crate::format::json;
use crate::format::wording::render_quantity;
use crate::terminal::report_text::{ReportLine, ReportText};
use kenning_graph::snapshot::RunTotals;
use kenning_indexing::named_file::{self, LinkRule};
use kenning_indexing::runs::{self, DatedRecording, FileTimes, RunReport};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Runs one of the subcommands.
pub fn run_runs(args: &RunsArgs) -> anyhow::Result<()> {
    match &args.command {
        RunsCommand::Import(args) => import_runs(args),
        RunsCommand::Clear(args) => clear_runs(args),
    }
}

/// The result of an import.
#[derive(Serialize)]
struct ImportJson {
    /// The version of this format.
    schema: u32,
    /// The number of imported files.
    files: usize,
    /// The number of tests in the files.
    tests: usize,
    /// The number of tests whose name no symbol of the workspace has.
    unknown_tests: usize,
    /// The names of the first such tests.
    unknown_test_names: Vec<String>,
    /// The number of functions that a test ran.
    covered: usize,
    /// The number of measured functions.
    measured: usize,
    /// The number of calls that traces show between functions of the workspace.
    calls: usize,
    /// The number of calls with an end outside the workspace.
    unknown_calls: usize,
    /// The number of recorded files that are not in the workspace.
    unknown_files: usize,
    /// The paths of files that changed after the recording and were left out.
    changed_files: Vec<String>,
    /// The number of recorded tests of the workspace after the import.
    total_tests: usize,
    /// The number of recorded calls in the workspace after the import.
    total_calls: usize,
}

impl ImportJson {
    fn new(files: usize, report: RunReport, totals: RunTotals) -> Self {
        Self {
            schema: json::SCHEMA,
            files,
            tests: report.tests,
            unknown_tests: report.unknown_test_count,
            unknown_test_names: report.unknown_tests,
            covered: report.covered,
            measured: report.measured,
            calls: report.calls,
            unknown_calls: report.unknown_calls,
            unknown_files: report.unknown_files,
            changed_files: report.changed_files,
            total_tests: totals.tests,
            total_calls: totals.calls,
        }
    }

    fn build_text(&self) -> ReportText {
        let mut headline = format!("Imported {}", render_quantity(self.files, "file"));
        if self.tests > 0 {
            let (tests, covered) =
                (render_quantity(self.tests, "test"), render_quantity(self.covered, "function"));
            let _ = write!(headline, ": {tests} ran {covered} of {} that were measured", self.measured);
        }
        if self.calls > 0 {
            let _ = write!(headline, "; {} between functions", render_quantity(self.calls, "observed call"));
        }
        let mut text = ReportText::from(ReportLine::headline(headline + "."));
        if self.unknown_tests > 0 {
            let names = self.unknown_test_names.join(", ");
            let more = if self.unknown_tests > self.unknown_test_names.len() { ", ..." } else { "" };
            let count = render_quantity(self.unknown_tests, "recorded test");
            let label = format!("No function has the name of {count}: ");
            text.push_line(ReportLine::labeled(label).with_text(names + more));
        }
        if self.unknown_files > 0 {
            let count = render_quantity(self.unknown_files, "recorded file");
            text.push_line(ReportLine::labeled("Not in the workspace: ").with_text(count));
        }
        if self.unknown_calls > 0 {
            let count = render_quantity(self.unknown_calls, "call");
            text.push_line(ReportLine::labeled("With an end outside the workspace: ").with_text(count));
        }
        if !self.changed_files.is_empty() {
            let label = "Left out, because they changed after the recording (--ignore-times uses them): ";
            let files: Vec<&str> = self.changed_files.iter().map(String::as_str).collect();
            text.push_line(ReportLine::warning(label).with_files(&files, files.len()));
        }
        text
    }
}

fn import_runs(args: &RunsImportArgs) -> anyhow::Result<()> {
    let mut workspace = workspace::open_for_answer(&args.workspace, &super::args::RefreshArgs::default())?;
    let root = workspace.root_path().to_owned();
    let read_source = |path: &str| {
        let path = root.join(path.trim_start_matches("./"));
        let inside = path.strip_prefix(&root).is_ok();
        let read = || named_file::read_text(&path, named_file::MAX_SOURCE, LinkRule::Inside(&root)).ok()?;
        inside.then(read).flatten()
    };
    let mut recordings = Vec::new();
    for file in &args.files {
        let recording = runs::read_recording(file, args.test.as_deref(), &read_source)?;
        recordings.push(DatedRecording { recording, recorded_at: modification_time(file) });
    }
    let snapshot = workspace.current_snapshot();
    let times = if args.ignore_times { FileTimes::Ignore } else { FileTimes::Check };
    let (batch, report) = runs::attribute_runs(&snapshot, &root, &recordings, times);
    anyhow::ensure!(
        report.covered + report.calls > 0,
        "nothing was imported: {} name code that is not in {} or that changed after the recording{}",
        list_files(&args.files),
        root.display(),
        if report.changed_files.is_empty() { "" } else { "; --ignore-times also uses changed files" }
    );
    workspace.import_runs(batch)?;
    let totals = workspace.current_snapshot().run_layer().totals();
    let answer = ImportJson::new(args.files.len(), report, totals);
    print_sentences(&root, args.format, &answer, &answer.build_text())
}

fn list_files(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns the time at which a file was last written, in seconds since the Unix epoch: the time of
/// the recording.
fn modification_time(path: &Path) -> i64 {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    let since = modified.ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_secs() as i64)
}

fn clear_runs(args: &RunsClearArgs) -> anyhow::Result<()> {
    let mut workspace = workspace::open_workspace(&args.workspace)?;
    let deleted = workspace.forget_runs()?;
    let outcome = match deleted {
        0 => "No recorded runs found.".to_owned(),
        count => format!("Deleted the records of {}.", render_quantity(count, "run")),
    };
    print_outcome(workspace.root_path(), &ReportLine::headline(outcome).into())
}
