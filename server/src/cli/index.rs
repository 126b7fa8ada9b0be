//! `kenning index`: builds or updates the index and reports the outcome.
//!
//! In: the arguments and the workspace. Out: a stored index, and a report as text or JSON. Updates
//! the index from the disk, then reads blame if asked, then prunes the cache if that is due, and
//! last reads the commits.
//!
//! Invariant: a workspace without a source file is an error, after the report with the reasons.

use super::args::IndexArgs;
use super::delivery::print_report;
use super::new_index::NewIndex;
use super::{configuration, workspace};
use crate::allocator;
use crate::format::json;
use crate::format::wording::render_quantity;
use crate::terminal::report_text::{ReportLine, ReportText};
use crate::terminal::screen::DIM_STYLE;
use kenning_indexing::walk::SkipReason;
use kenning_indexing::workspace::{CommitsReport, IndexReport, Workspace};
use kenning_retrieval::pack::escape_control_chars;
use serde::Serialize;
use std::collections::BTreeMap;

/// The maximum number of skipped files that the text report lists per reason. A repository can have
/// thousands; JSON and `--verbose` list all of them.
const MAX_PATHS_PER_REASON: usize = 5;

/// Updates the index from the disk and prints the outcome.
pub fn run_index(args: &IndexArgs, verbose: bool) -> anyhow::Result<()> {
    let root = args.root.workspace_args();
    let new_index = NewIndex::before_opening(&root);
    let mut workspace =
        if args.yes { workspace::open_any_workspace(&root)? } else { workspace::open_workspace(&root)? };
    let report = match workspace::refresh_index(&mut workspace) {
        Ok(report) => report,
        Err(problem) => {
            drop(workspace);
            new_index.discard();
            return Err(problem);
        }
    };
    // Release the memory that indexing used, because reading the history needs more.
    allocator::release_after_index(report.parsed);
    let history = if args.blame { BlameJson::read_blame(&mut workspace)? } else { None };
    let config = configuration::effective_config(workspace.root_path()).config;
    workspace::prune_cache_if_due(&args.root.database);
    let commits =
        if config.index.history && !args.no_history { workspace::read_commits(&workspace)? } else { None };
    workspace::warn_about_repairs(&workspace);
    let max_paths = if verbose { usize::MAX } else { MAX_PATHS_PER_REASON };
    let mut text = build_report_text(&report, workspace.is_writer(), max_paths);
    match &history {
        Some(blame) => text.push_line(blame.build_line()),
        None if args.blame => {
            text.push_line(ReportLine::warning("There is no git repository to read last changes from."));
        }
        None => {}
    }
    if let Some(CommitsReport { read, .. }) = commits.filter(|report| report.read > 0) {
        let line = format!("Read the history: {}.", render_quantity(read, "new commit"));
        text.push_line(ReportLine::default().with_words(line, DIM_STYLE));
    }
    if let Some(CommitsReport { too_large, .. }) = commits.filter(|report| report.too_large > 0) {
        let quantity = render_quantity(too_large, "commit");
        text.push_line(ReportLine::warning(format!(
            "Left out {quantity} with more changed files than Kenning compares; kenning status names them."
        )));
    }
    let data = IndexReportJson {
        history,
        commits: commits.map(Into::into),
        ..IndexReportJson::new(&report, workspace.is_writer())
    };
    let plain = || escape_control_chars(&text.to_plain()).into_owned();
    print_report(workspace.root_path(), args.format, &data, plain, |screen| text.render(screen))?;
    // The report above lists the skipped files with their reasons.
    let outcome = workspace::ensure_not_empty(&workspace, &report);
    if outcome.is_err() {
        drop(workspace);
        new_index.discard();
    }
    outcome
}

/// The outcome of reading blame from git.
#[derive(Serialize)]
struct BlameJson {
    /// The number of symbols whose last commit is known.
    symbols: usize,
    /// The number of files whose blame this run read.
    read: usize,
    /// The number of files whose blame an earlier run stored.
    known: usize,
    /// The number of files that have uncommitted changes or cannot be read.
    without: usize,
}

impl BlameJson {
    fn read_blame(workspace: &mut Workspace) -> anyhow::Result<Option<Self>> {
        let report = workspace.read_history(&mut || false)?;
        Ok(report.map(|report| Self {
            symbols: workspace.current_snapshot().known_change_count(),
            read: report.read,
            known: report.known,
            without: report.without_history,
        }))
    }

    fn build_line(&self) -> ReportLine {
        let Self { symbols, read, known, without } = self;
        let line = format!(
            "Know the last change of {}: read {}, {known} were known, {without} have changed or cannot be read.",
            render_quantity(*symbols, "symbol"),
            render_quantity(*read, "file"),
        );
        ReportLine::default().with_words(line, DIM_STYLE)
    }
}

/// The outcome of reading the commits.
#[derive(Serialize)]
struct CommitsJson {
    read: usize,
    known: usize,
    unreadable: usize,
    too_large: usize,
    left: usize,
}

impl From<CommitsReport> for CommitsJson {
    fn from(report: CommitsReport) -> Self {
        let CommitsReport { read, known, unreadable, too_large, unread: left } = report;
        Self { read, known, unreadable, too_large, left }
    }
}

#[derive(Serialize)]
struct IndexReportJson<'a> {
    schema: u32,
    files: usize,
    symbols: usize,
    edges: usize,
    parsed: usize,
    from_cache: usize,
    removed: usize,
    resolved_files: usize,
    bytes: u64,
    seconds: f64,
    calls: kenning_graph::snapshot::CallStats,
    rebuilt: Option<&'a str>,
    /// False if another process writes the index; this run then changed nothing on disk.
    stored: bool,
    /// The number of files read in this run whose bytes are not UTF-8. `lossy_files` has their
    /// paths.
    lossy: usize,
    lossy_files: &'a [String],
    /// The files that are refused or truncated, with the reasons.
    problems: Vec<String>,
    skipped: Vec<SkippedFileJson<'a>>,
    /// The number of files in an unknown language, by extension.
    unknown_extensions: &'a BTreeMap<String, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<BlameJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commits: Option<CommitsJson>,
}

#[derive(Serialize)]
struct SkippedFileJson<'a> {
    path: &'a str,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

impl<'a> IndexReportJson<'a> {
    fn new(report: &'a IndexReport, stored: bool) -> Self {
        let skipped = report.skipped.iter();
        Self {
            schema: json::SCHEMA,
            files: report.files,
            symbols: report.symbols,
            edges: report.edges,
            parsed: report.parsed,
            from_cache: report.from_cache,
            removed: report.removed,
            resolved_files: report.resolved_files,
            bytes: report.bytes,
            seconds: (report.seconds * 1000.0).round() / 1000.0,
            calls: report.calls,
            rebuilt: report.rebuilt.as_deref(),
            stored,
            lossy: report.lossy.len(),
            lossy_files: &report.lossy,
            problems: report.problems.iter().map(ToString::to_string).collect(),
            skipped: skipped
                .map(|s| SkippedFileJson {
                    path: &s.path,
                    reason: s.reason.as_str(),
                    message: system_message(&s.reason),
                })
                .collect(),
            unknown_extensions: &report.unknown_extensions,
            history: None,
            commits: None,
        }
    }
}

/// Returns the system's error message for an unreadable file, `None` for other reasons.
fn system_message(reason: &SkipReason) -> Option<&str> {
    match reason {
        SkipReason::Unreadable(message) => Some(message),
        _ => None,
    }
}

/// Describes a reason in the words of the text report.
fn describe_reason(reason: &SkipReason) -> String {
    match reason {
        SkipReason::Unreadable(message) => format!("unreadable ({message})"),
        other => other.as_str().replace('_', " "),
    }
}

/// Describes the work of a run; empty if nothing had changed.
fn describe_work(report: &IndexReport) -> String {
    let bytes = crate::status::render_bytes(report.bytes);
    let read = format!("read {} ({bytes})", render_quantity(report.parsed, "file"));
    let cached = format!("took {} from the cache", render_quantity(report.from_cache, "file"));
    let removed = format!("removed {}", render_quantity(report.removed, "file"));
    let resolved = format!("linked {}", render_quantity(report.resolved_files, "file"));
    let parts = [
        (report.parsed, read),
        (report.from_cache, cached),
        (report.removed, removed),
        (report.resolved_files, resolved),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| part.0 > 0).map(|part| part.1).collect();
    let text = parts.join(", ");
    text[..text.len().min(1)].to_uppercase() + text.get(1..).unwrap_or_default()
}

fn build_report_text(report: &IndexReport, stored: bool, max_paths: usize) -> ReportText {
    let size = format!(
        "{}, {}, {} between them",
        render_quantity(report.files, "file"),
        render_quantity(report.symbols, "symbol"),
        render_quantity(report.edges, "link"),
    );
    let work = describe_work(report);
    let mut text = ReportText::default();
    if work.is_empty() {
        text.push_line(ReportLine::headline(format!("Up to date: {size} ({:.2} s).", report.seconds)));
    } else {
        text.push_line(ReportLine::headline(format!("Indexed in {:.2} s: {size}.", report.seconds)));
        text.push_line(ReportLine::default().with_words(format!("{work}."), DIM_STYLE));
    }
    if !stored {
        let note = "Nothing was stored: another process keeps this index up to date.";
        text.push_line(ReportLine::warning(note));
    }
    if let Some(reason) = &report.rebuilt {
        text.push_line(ReportLine::warning(format!("Damage was found: {reason}")));
    }
    if !report.lossy.is_empty() {
        let paths: Vec<&str> = report.lossy.iter().map(String::as_str).collect();
        let label = ReportLine::warning("Not UTF-8, invalid bytes replaced: ");
        text.push_line(label.with_files(&paths, max_paths));
    }
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for skipped in &report.skipped {
        reasons.entry(describe_reason(&skipped.reason)).or_default().push(&skipped.path);
    }
    if !report.unknown_extensions.is_empty() {
        let extensions = crate::status::render_extensions(&report.unknown_extensions);
        text.push_line(ReportLine::labeled("Not read, unknown language: ").with_text(extensions));
    }
    for (reason, paths) in reasons {
        let label = ReportLine::labeled(format!("Skipped, {reason}: "));
        text.push_line(label.with_files(&paths, max_paths));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use kenning_indexing::walk::SkippedFile;

    fn render_report(report: &IndexReport, stored: bool, max_paths: usize) -> String {
        build_report_text(report, stored, max_paths).to_plain()
    }

    #[test]
    fn a_run_without_changes_reports_an_up_to_date_index() {
        let report = IndexReport { files: 1, symbols: 40, edges: 2, ..IndexReport::default() };
        assert_eq!(
            render_report(&report, true, MAX_PATHS_PER_REASON),
            "Up to date: 1 file, 40 symbols, 2 links between them (0.00 s).\n"
        );
        let report = IndexReport { removed: 1, resolved_files: 2, ..report };
        let text = render_report(&report, true, MAX_PATHS_PER_REASON);
        assert!(text.ends_with("\nRemoved 1 file, linked 2 files.\n"), "{text}");
    }

    #[test]
    fn the_report_names_a_few_skipped_files_of_each_reason() {
        let skipped = |path: String, reason| SkippedFile { path, reason };
        let mut report = IndexReport { files: 3, symbols: 40, parsed: 3, bytes: 5_000, ..Default::default() };
        report.skipped = (0..7).map(|n| skipped(format!("gen{n}.py"), SkipReason::Minified)).collect();
        report.skipped.push(skipped("big.py".into(), SkipReason::TooLarge));
        report.lossy = vec!["latin.py".into(), "old.c".into()];
        expect![[r#"
            Indexed in 0.00 s: 3 files, 40 symbols, 0 links between them.
            Read 3 files (5.0 kB).
            Not UTF-8, invalid bytes replaced: latin.py, old.c
            Skipped, minified: gen0.py, gen1.py, gen2.py, gen3.py, gen4.py and 2 more
            Skipped, too large: big.py
        "#]]
        .assert_eq(&render_report(&report, true, MAX_PATHS_PER_REASON));
        let verbose = render_report(&report, false, usize::MAX);
        assert!(
            verbose.contains("Nothing was stored") && verbose.contains("gen5.py, gen6.py\n"),
            "{verbose}"
        );
    }
}
