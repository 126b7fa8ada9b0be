//! What Kenning needs on this machine: checks, and how to mend what is missing.

use crate::config::effective::Effective;
use crate::config::statement::Issue;
use kenning_graph::snapshot::Base;
use kenning_graph::store::{self, DatabaseKind};
use kenning_indexing::workspace::Places;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All is well.
    Ok,
    /// Kenning works, but less well.
    Warning,
    /// Kenning does not work.
    Broken,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was found.
    pub found: String,
    /// What to do about it; empty when all is well.
    pub mend: String,
}

impl Check {
    /// A check without findings.
    pub fn ok(name: impl Into<String>, found: impl Into<String>) -> Self {
        Self { name: name.into(), outcome: Outcome::Ok, found: found.into(), mend: String::new() }
    }

    /// A check that found something to mend.
    pub fn bad(
        name: impl Into<String>,
        outcome: Outcome,
        found: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), outcome, found: found.into(), mend: mend.into() }
    }
}

/// Whether nothing is broken.
pub fn is_sound(checks: &[Check]) -> bool {
    checks.iter().all(|check| check.outcome != Outcome::Broken)
}

/// The checks as people read them.
pub fn text(checks: &[Check]) -> String {
    let mut out = String::new();
    for check in checks {
        let sign = match check.outcome {
            Outcome::Ok => "ok     ",
            Outcome::Warning => "warning",
            Outcome::Broken => "broken ",
        };
        let _ = writeln!(out, "{sign}  {}: {}", check.name, check.found);
        if !check.mend.is_empty() {
            let _ = writeln!(out, "         mend: {}", check.mend);
        }
    }
    out
}

/// What the workspace's configuration says that does not count.
pub fn configuration(effective: &Effective) -> Vec<Check> {
    let bad = |issue: &Issue| {
        let mend = "correct it; docs/configuration.md and kenning config show list the options";
        Check::bad("configuration", Outcome::Warning, issue.to_string(), mend)
    };
    if effective.issues.is_empty() {
        let options = effective.origins.len();
        return vec![Check::ok("configuration", format!("{options} options are set by kenning.toml"))];
    }
    effective.issues.iter().map(bad).collect()
}

/// The files that Kenning keeps of a workspace, each compared with its checksums; what is not there is not missed.
pub fn check_files(places: &Places) -> Vec<Check> {
    let memory = places.memory();
    let databases = [
        ("graph.db", &places.graph, DatabaseKind::Graph, "the next command sets it aside and makes it anew"),
        ("facts.db", &places.facts, DatabaseKind::Facts, "the next command sets it aside and makes it anew"),
        (
            "memory.db",
            &memory,
            DatabaseKind::Memory,
            "the next pack sets it aside and goes on with the answers that can be read",
        ),
    ];
    let databases = databases.into_iter().filter(|(_, path, ..)| path.exists());
    let mut checks: Vec<Check> = databases
        .map(|(name, path, kind, mend)| {
            let is_left_alone = places.named_by_user && kind != DatabaseKind::Facts && !store::is_ours(path);
            let mend = if is_left_alone { "move it away, or name another database with --db" } else { mend };
            check_database(name, path, kind, mend)
        })
        .collect();
    checks.extend(check_image(&places.image()));
    checks
}

fn check_database(name: &str, path: &Path, kind: DatabaseKind, mend: &str) -> Check {
    let found = match store::check(path, kind) {
        Ok(check) if check.problems.is_empty() => {
            return Check::ok(name, format!("{} is sound, schema {}", path.display(), check.schema));
        }
        Ok(check) => format!("{} is damaged: {}", path.display(), check.problems.join("; ")),
        Err(error) => format!("{}: {error}", path.display()),
    };
    Check::bad(name, Outcome::Broken, found, mend)
}

/// The image of the graph; one of another version of Kenning is written anew.
fn check_image(path: &Path) -> Option<Check> {
    let name = "graph.base";
    match Base::open(path) {
        Ok(image) => Some(Check::ok(name, format!("{} is sound, {} bytes", path.display(), image.size()))),
        Err(error) if error.is_damage() => {
            let mend = "the next command makes it anew from the database";
            Some(Check::bad(name, Outcome::Broken, error.to_string(), mend))
        }
        Err(_) => None,
    }
}

/// Directories that one editor session may watch at the least; below that large workspaces miss changes.
const INOTIFY_WATCHES: u64 = 65_536;

/// The system's limit of watched directories, as Linux states it.
pub fn watches(limit: Option<&str>) -> Check {
    let name = "file watching";
    match limit.map(|text| text.trim().parse::<u64>()) {
        None => Check::ok(name, "this system sets no inotify limit"),
        Some(Ok(n)) if n >= INOTIFY_WATCHES => Check::ok(name, format!("{n} inotify watches")),
        Some(Ok(n)) => Check::bad(
            name,
            Outcome::Warning,
            format!("only {n} inotify watches"),
            "sysctl fs.inotify.max_user_watches=524288, and set it in /etc/sysctl.d to keep it",
        ),
        Some(Err(_)) => Check::bad(
            name,
            Outcome::Warning,
            "the inotify limit cannot be read",
            "look at /proc/sys/fs/inotify/max_user_watches",
        ),
    }
}

/// One grammar against the snippet that it must read: `symbols` is how many were found of those wanted.
pub fn grammar(language: &str, found: &[String], wanted: &[String]) -> Check {
    let name = format!("grammar {language}");
    let missing: Vec<&str> =
        wanted.iter().filter(|symbol| !found.contains(symbol)).map(String::as_str).collect();
    if missing.is_empty() {
        return Check::ok(name, format!("{} of {} symbols", wanted.len(), wanted.len()));
    }
    Check::bad(
        name,
        Outcome::Broken,
        format!("does not find {}", missing.join(", ")),
        "this build is faulty: install a released build of kenning, or build it again with the committed Cargo.lock",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn every_finding_says_how_to_mend_it() {
        let symbols = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let checks = [
            watches(Some("8192\n")),
            watches(Some("524288")),
            grammar("go", &symbols(&["A", "B"]), &symbols(&["A"])),
            grammar("go", &symbols(&["A"]), &symbols(&["A", "B"])),
        ];
        expect![[r#"
            warning  file watching: only 8192 inotify watches
                     mend: sysctl fs.inotify.max_user_watches=524288, and set it in /etc/sysctl.d to keep it
            ok       file watching: 524288 inotify watches
            ok       grammar go: 1 of 1 symbols
            broken   grammar go: does not find B
                     mend: this build is faulty: install a released build of kenning, or build it again with the committed Cargo.lock
        "#]].assert_eq(&text(&checks));
        assert!(!is_sound(&checks));
        assert!(is_sound(&checks[..3]));
    }
}
