//! The checks of `kenning doctor`: the requirements of Kenning on this machine, and the fixes for
//! unmet requirements.
//!
//! In: the configuration, the files of a workspace's data, limits of the system, and the results of
//! grammars. Out: checks with an outcome, a finding and a fix, and their text form. `cli::doctor`
//! collects the inputs and chooses the checks.
//!
//! Invariant: a check that does not pass has a fix.

use crate::config::config_layer::ConfigIssue;
use crate::config::effective::EffectiveConfig;
use crate::format::wording::render_quantity;
use crate::status::render_bytes;
use crate::terminal::screen::{BROKEN_STYLE, GOOD_STYLE, NAME_STYLE, Screen, WARNING_STYLE};
use crate::terminal::text_flow::TextFlow;
use crate::vectors::{self, EmbeddingModel};
use anstyle::Style;
use kenning_graph::snapshot::BaseGraph;
use kenning_graph::store::{self, DatabaseKind, StoreError};
use kenning_indexing::workspace::DatabasePaths;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// The indentation below the sign of a check.
const FIX_INDENT: &str = "         ";

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// The check passed.
    Ok,
    /// Kenning works, but less well.
    Warning,
    /// Kenning does not work.
    Broken,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoctorCheck {
    /// The subject of the check.
    pub name: String,
    /// The outcome.
    pub outcome: CheckOutcome,
    /// The finding.
    pub found: String,
    /// The fix; empty if the check passed.
    pub fix: String,
    /// Whether only `--verbose` shows the check in the text form if it passed.
    #[serde(skip)]
    pub is_detail: bool,
}

impl DoctorCheck {
    /// Creates a check that passed.
    pub fn ok(name: impl Into<String>, found: impl Into<String>) -> Self {
        let (name, found) = (name.into(), found.into());
        Self { name, outcome: CheckOutcome::Ok, found, fix: String::new(), is_detail: false }
    }

    /// Makes the check a detail.
    #[must_use]
    pub fn as_detail(self) -> Self {
        Self { is_detail: true, ..self }
    }

    /// Creates a check that found a problem.
    pub fn with_problem(
        name: impl Into<String>,
        outcome: CheckOutcome,
        found: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), outcome, found: found.into(), fix: fix.into(), is_detail: false }
    }
}

/// Whether nothing is broken.
pub fn is_sound(checks: &[DoctorCheck]) -> bool {
    checks.iter().all(|check| check.outcome != CheckOutcome::Broken)
}

/// The checks that the text form shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownChecks {
    /// All checks.
    All,
    /// All checks except details that found no problem.
    WithoutDetails,
}

/// Formats the checks for people, with the verdict at the end.
pub fn render_checks(checks: &[DoctorCheck], shown: ShownChecks, screen: &Screen) -> String {
    let mut out = String::new();
    let is_hidden = |check: &&DoctorCheck| {
        shown == ShownChecks::WithoutDetails && check.is_detail && check.outcome == CheckOutcome::Ok
    };
    for check in checks.iter().filter(|check| !is_hidden(check)) {
        let (sign, style) = match check.outcome {
            CheckOutcome::Ok => ("ok     ", GOOD_STYLE),
            CheckOutcome::Warning => ("warning", WARNING_STYLE),
            CheckOutcome::Broken => ("broken ", BROKEN_STYLE),
        };
        let mut flow = TextFlow::default();
        flow.push_text(&format!("{}: {}", check.name, check.found), |word| screen.paint(word, Style::new()));
        flow.write_lines(&mut out, screen.width(), &format!("{}  ", screen.paint(sign, style)), FIX_INDENT);
        if !check.fix.is_empty() {
            let mut flow = TextFlow::default();
            flow.push_text(&format!("fix: {}", check.fix), |word| screen.paint(word, NAME_STYLE));
            flow.write_lines(&mut out, screen.width(), FIX_INDENT, FIX_INDENT);
        }
    }
    let _ = writeln!(out, "\n{}", describe_verdict(checks));
    out
}

/// Returns the sentence that sums up the checks.
fn describe_verdict(checks: &[DoctorCheck]) -> String {
    let count = |outcome| checks.iter().filter(|check| check.outcome == outcome).count();
    let broken = |problems| render_quantity(problems, "problem");
    match (count(CheckOutcome::Broken), count(CheckOutcome::Warning)) {
        (0, 0) => "Everything works.".to_owned(),
        (0, warnings) => format!("Kenning works; {} could be fixed.", render_quantity(warnings, "thing")),
        (problems, 0) => format!("Kenning does not work: {}.", broken(problems)),
        (problems, warnings) => {
            format!(
                "Kenning does not work: {} and {}.",
                broken(problems),
                render_quantity(warnings, "warning")
            )
        }
    }
}

/// Checks the workspace's configuration: one warning for each setting that is ignored.
pub fn check_configuration(effective: &EffectiveConfig) -> Vec<DoctorCheck> {
    let to_warning = |issue: &ConfigIssue| {
        let fix = "correct it; docs/configuration.md and kenning config show list the options";
        DoctorCheck::with_problem("configuration", CheckOutcome::Warning, issue.to_string(), fix)
    };
    if effective.issues.is_empty() {
        let found = match effective.origins.len() {
            0 => "the defaults; kenning.toml sets no option".to_owned(),
            1 => "kenning.toml sets 1 option".to_owned(),
            options => format!("kenning.toml sets {options} options"),
        };
        return vec![DoctorCheck::ok("configuration", found)];
    }
    effective.issues.iter().map(to_warning).collect()
}

/// Reports the ranking configuration and the source that chooses it; `None` if it is the default.
pub fn report_ranking(effective: &EffectiveConfig) -> Option<DoctorCheck> {
    let name = effective.config.ranking.configuration;
    let source = effective.origins.get(&["ranking".to_owned(), "configuration".to_owned()][..])?;
    (!name.is_default()).then(|| {
        let found = format!("configuration {} instead of default, set by {source}", name.as_str());
        DoctorCheck::ok("ranking", found)
    })
}

/// Checks the model of vectors that the options name, and reports the number of stored vectors.
/// `root` is the workspace, `database` its `graph.db`.
pub fn check_vectors(root: &Path, model: Option<&str>, database: &Path) -> DoctorCheck {
    let Some(model) = model else {
        return DoctorCheck::ok("vectors", "off, because vectors.model is not set");
    };
    let folder = vectors::model_folder(root, model);
    match EmbeddingModel::load_folder(&folder) {
        Ok(_) => {
            let symbols = render_quantity(vectors::count_stored_symbols(database), "symbol");
            DoctorCheck::ok("vectors", format!("{symbols} with vectors of the model in {}", folder.display()))
        }
        Err(error) => {
            let fix = "correct vectors.model, or remove it to search without vectors";
            DoctorCheck::with_problem("vectors", CheckOutcome::Warning, error.to_string(), fix)
        }
    }
}

/// Checks the files that Kenning stores for a workspace against their checksums. Missing files are
/// not reported.
pub fn check_files(paths: &DatabasePaths) -> Vec<DoctorCheck> {
    let (memory, runs) = (paths.memory_path(), paths.runs_path());
    let vectors = vectors::vectors_path_for_graph(&paths.graph);
    let databases = [
        ("graph.db", &paths.graph, DatabaseKind::Graph, "the next command moves it aside and rebuilds it"),
        ("facts.db", &paths.facts, DatabaseKind::Facts, "the next command moves it aside and rebuilds it"),
        (
            "memory.db",
            &memory,
            DatabaseKind::Memory,
            "the next pack moves it aside and keeps the feedback that can be read",
        ),
        ("runs.db", &runs, DatabaseKind::Runs, "run kenning runs clear, then import the runs again"),
        ("vectors.db", &vectors, DatabaseKind::Vectors, "delete it; the next search makes it again"),
    ];
    let databases = databases.into_iter().filter(|(_, path, ..)| path.exists());
    let mut checks: Vec<DoctorCheck> = databases
        .map(|(name, path, kind, fix)| {
            let is_foreign =
                paths.named_by_user && kind != DatabaseKind::Facts && !store::is_kenning_database(path);
            let fix = if is_foreign { "move it away, or choose another database with --db" } else { fix };
            check_database(name, path, kind, fix)
        })
        .collect();
    checks.extend(check_image(&paths.image_path()));
    checks
}

fn check_database(name: &str, path: &Path, kind: DatabaseKind, fix: &str) -> DoctorCheck {
    let found = match store::verify_database(path, kind) {
        Ok(check) if check.problems.is_empty() => {
            let found = format!("{} is intact, schema {}", path.display(), check.schema);
            return DoctorCheck::ok(name, found).as_detail();
        }
        Ok(check) => format!("{} is damaged: {}", path.display(), check.problems.join("; ")),
        Err(error @ StoreError::Newer { .. }) => {
            let fix = "update Kenning, or remove the index with kenning cache clear (--learned also deletes learned data)";
            return DoctorCheck::with_problem(name, CheckOutcome::Broken, error.to_string(), fix);
        }
        Err(error) => format!("{}: {error}", path.display()),
    };
    DoctorCheck::with_problem(name, CheckOutcome::Broken, found, fix)
}

/// Checks the base image of the graph; `None` if it is missing or belongs to another version of
/// Kenning, which rewrites it.
fn check_image(path: &Path) -> Option<DoctorCheck> {
    let name = "graph.base";
    match BaseGraph::open(path) {
        Ok(image) => {
            let size = render_bytes(image.image_size() as u64);
            Some(DoctorCheck::ok(name, format!("{} is intact, {size}", path.display())).as_detail())
        }
        Err(error) if error.is_damage() => {
            let fix = "the next command rebuilds it from the database";
            Some(DoctorCheck::with_problem(name, CheckOutcome::Broken, error.to_string(), fix))
        }
        Err(_) => None,
    }
}

/// The number of directories that an editor session must be able to watch. With a lower limit, the
/// session misses changes in large workspaces.
const MIN_INOTIFY_WATCHES: u64 = 65_536;

/// Checks the system's limit of watched directories. `limit` is the text in which Linux reports it;
/// `None` if the system sets no limit.
pub fn check_watch_limit(limit: Option<&str>) -> DoctorCheck {
    let name = "file watching";
    match limit.map(|text| text.trim().parse::<u64>()) {
        None => DoctorCheck::ok(name, "this system sets no inotify limit").as_detail(),
        Some(Ok(n)) if n >= MIN_INOTIFY_WATCHES => {
            DoctorCheck::ok(name, format!("{n} inotify watches")).as_detail()
        }
        Some(Ok(n)) => DoctorCheck::with_problem(
            name,
            CheckOutcome::Warning,
            format!("only {n} inotify watches"),
            "run sysctl fs.inotify.max_user_watches=524288, and set it in /etc/sysctl.d to make it permanent",
        ),
        Some(Err(_)) => DoctorCheck::with_problem(
            name,
            CheckOutcome::Warning,
            "the inotify limit cannot be read",
            "check /proc/sys/fs/inotify/max_user_watches",
        ),
    }
}

/// Checks a grammar: compares the symbols that it found in its snippet with the expected symbols.
pub fn check_grammar(language: &str, found: &[String], expected: &[String]) -> DoctorCheck {
    let name = format!("grammar {language}");
    let missing: Vec<&str> =
        expected.iter().filter(|symbol| !found.contains(symbol)).map(String::as_str).collect();
    if missing.is_empty() {
        return DoctorCheck::ok(name, format!("{} of {} symbols", expected.len(), expected.len()));
    }
    DoctorCheck::with_problem(
        name,
        CheckOutcome::Broken,
        format!("does not find {}", missing.join(", ")),
        "this build is broken: install a released build of Kenning, or rebuild it with the committed Cargo.lock",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn every_problem_has_a_fix() {
        let symbols = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let checks = [
            check_watch_limit(Some("8192\n")),
            check_watch_limit(Some("524288")),
            check_grammar("go", &symbols(&["A", "B"]), &symbols(&["A"])),
            check_grammar("go", &symbols(&["A"]), &symbols(&["A", "B"])),
        ];
        expect![[r#"
            warning  file watching: only 8192 inotify watches
                     fix: run sysctl fs.inotify.max_user_watches=524288, and set it in /etc/sysctl.d to make it permanent
            ok       file watching: 524288 inotify watches
            ok       grammar go: 1 of 1 symbols
            broken   grammar go: does not find B
                     fix: this build is broken: install a released build of Kenning, or rebuild it with the committed Cargo.lock

            Kenning does not work: 1 problem and 1 warning.
        "#]].assert_eq(&render_checks(&checks, ShownChecks::All, &Screen::plain()));
        let short = render_checks(&checks[..2], ShownChecks::WithoutDetails, &Screen::unstyled(60, 24));
        expect![[r#"
            warning  file watching: only 8192 inotify watches
                     fix: run sysctl fs.inotify.max_user_watches=524288,
                     and set it in /etc/sysctl.d to make it permanent

            Kenning works; 1 thing could be fixed.
        "#]]
        .assert_eq(&short);
        let works = render_checks(&checks[2..3], ShownChecks::WithoutDetails, &Screen::plain());
        assert!(works.ends_with("\nEverything works.\n"), "{works}");
        assert!(!is_sound(&checks));
        assert!(is_sound(&checks[..3]));
    }
}
