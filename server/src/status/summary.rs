//! The status of a folder in plain words, for `kenning status`.

use super::{CallFigures, IndexStatus, compute_percent, render_bytes, render_extensions};
use crate::format::wording::{describe_age, group_digits, render_quantity};
use crate::hash_prefix::short_digits;
use crate::terminal::place_list::{FactRow, write_facts};
use crate::terminal::screen::{NAME_STYLE, Screen, TITLE_STYLE, WARNING_STYLE};
use anstyle::Style;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::SystemTime;

/// Maximum number of kinds that a line lists.
const MAX_KINDS: usize = 6;

impl IndexStatus {
    /// Renders the status for people, without hashes and figures about the graph. Ends with a line
    /// break.
    pub fn render_summary(&self, screen: &Screen, now: SystemTime) -> String {
        let name = self.root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut out = String::new();
        if !name.is_empty() {
            let _ = write!(out, "{}  ", screen.paint(&name, TITLE_STYLE));
        }
        let _ = writeln!(out, "{}", screen.paint(&self.root.display().to_string(), Style::new()));
        let _ = writeln!(out, "{}\n", screen.paint(&self.describe_size(now), NAME_STYLE));
        let rows: Vec<FactRow> = self
            .list_facts()
            .into_iter()
            .map(|(label, text)| FactRow { label: label.to_owned(), text })
            .collect();
        write_facts(&mut out, screen, &rows, Style::new());
        if let Some(line) = self.freshness.render_line() {
            let _ = writeln!(out, "\n{}", screen.paint(&format!("Freshness: {line}."), WARNING_STYLE));
        }
        if !self.problems.is_empty() {
            out.push_str("\nProblems:\n");
        }
        for problem in &self.problems {
            let _ = writeln!(out, "  {}", screen.paint(problem, WARNING_STYLE));
        }
        out
    }

    fn describe_size(&self, now: SystemTime) -> String {
        let Some(indexed_at) = &self.freshness.indexed_at else {
            return "Not indexed yet; run kenning index, or ask a question.".to_owned();
        };
        let seconds = indexed_at.parse::<Timestamp>().map_or(0, Timestamp::as_second);
        format!(
            "Indexed {}: {}, {}, {} between them.",
            describe_age(seconds, now),
            render_quantity(self.files, "file"),
            render_quantity(self.symbols, "symbol"),
            render_quantity(self.edges, "link")
        )
    }

    fn list_facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        if self.files > 0 {
            facts.push(("languages", list_kinds(&self.files_by_language)));
            facts.push(("symbols", list_kinds(&self.symbols_by_kind)));
        }
        if !self.derived_files.is_empty() {
            let kinds = list_kinds(&self.derived_files);
            facts.push(("not edited", format!("{kinds} (behind source in answers)")));
        }
        if !self.unknown_extensions.is_empty() {
            let extensions = render_extensions(&self.unknown_extensions);
            facts.push(("not read", format!("{extensions} (unknown language)")));
        }
        if self.calls.total > 0 {
            facts.push(("calls", describe_calls(self.calls)));
        }
        if let Some(head) = &self.freshness.head {
            facts.push(("commit", short_digits(head).to_owned()));
        }
        facts.push(("history", format!("{} read", render_quantity(self.commits, "commit"))));
        if self.recorded_tests + self.recorded_calls > 0 {
            let (tests, calls) =
                (render_quantity(self.recorded_tests, "test"), render_quantity(self.recorded_calls, "call"));
            facts.push(("recorded runs", format!("{tests}, {calls}")));
        }
        if !self.ranking.is_default() {
            facts.push(("ranking", self.ranking.as_str().to_owned()));
        }
        if let Some(vectors) = &self.vectors {
            let symbols = render_quantity(vectors.symbols, "symbol");
            facts.push(("vectors", format!("{symbols}, model {}", vectors.model)));
        }
        let servers: Vec<String> = self.enrichment.iter().map(ToString::to_string).collect();
        let none = "none asked yet; run kenning enrich".to_owned();
        facts.push(("servers", if servers.is_empty() { none } else { servers.join(" / ") }));
        if let Some(database) = &self.database {
            let size = render_bytes(database.bytes);
            facts.push(("index", format!("{} ({size})", database.path.display())));
        }
        if let Some(disk) = &self.disk {
            facts.push(("disk", disk.describe_space()));
        }
        if self.role == Some("reader") {
            facts.push(("", "another process keeps the index up to date".to_owned()));
        }
        facts
    }
}

fn describe_calls(calls: CallFigures) -> String {
    let parts = [
        (calls.resolved, "to one definition"),
        (calls.ambiguous, "to several"),
        (calls.external, "to libraries"),
        (calls.unresolved, "to something unknown"),
    ];
    let shares = parts.iter().filter(|(part, _)| *part > 0);
    let shares: Vec<String> =
        shares.map(|(part, words)| format!("{}% {words}", compute_percent(*part, calls.total))).collect();
    format!("{}: {}", group_digits(calls.total as usize), shares.join(", "))
}

/// Lists the counts of the most frequent kinds: `74 python, 9 manifest, 3 others`.
fn list_kinds<K: AsRef<str> + Ord>(counts: &BTreeMap<K, usize>) -> String {
    let mut entries: Vec<(&str, usize)> =
        counts.iter().map(|(kind, &count)| (kind.as_ref(), count)).collect();
    entries.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let rest: usize = entries.iter().skip(MAX_KINDS).map(|(_, count)| count).sum();
    let kinds = entries.iter().take(MAX_KINDS);
    let mut parts: Vec<String> =
        kinds.map(|(kind, count)| format!("{} {}", group_digits(*count), kind.replace('_', " "))).collect();
    if rest > 0 {
        parts.push(render_quantity(rest, "other"));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::freshness::Freshness;
    use crate::test_workspace::index_files;
    use std::path::Path;

    #[test]
    fn the_summary_has_no_hashes_and_says_what_is_missing() {
        let shop = index_files(&[("app.py", "def total():\n    return add()\n\ndef add():\n    pass\n")]);
        let freshness = |indexed_at: Option<&str>| Freshness {
            indexed_at: indexed_at.map(str::to_owned),
            head: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
            ..Freshness::default()
        };
        let status = |freshness| {
            let snapshot = shop.workspace.current_snapshot();
            IndexStatus::new(Path::new("/w/shop"), None, None, &snapshot, 3, freshness, Vec::new())
        };
        let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(90_000);
        let text = status(freshness(Some("1970-01-01T00:00:10Z"))).render_summary(&Screen::plain(), now);
        expect_test::expect![[r#"
            shop  /w/shop
            Indexed 1 day ago: 1 file, 2 symbols, 1 link between them.

              languages  1 python
              symbols    2 function
              calls      1: 100% to one definition
              commit     0123456789ab
              history    3 commits read
              servers    none asked yet; run kenning enrich
        "#]]
        .assert_eq(&text);
        let never = status(freshness(None)).render_summary(&Screen::plain(), now);
        assert!(never.contains("\nNot indexed yet; "), "{never}");
    }

    #[test]
    fn rare_kinds_are_counted_together() {
        let counts: BTreeMap<String, usize> = (1..=8).map(|n| (format!("k_{n}"), n * 1_000)).collect();
        assert_eq!(
            list_kinds(&counts),
            "8,000 k 8, 7,000 k 7, 6,000 k 6, 5,000 k 5, 4,000 k 4, 3,000 k 3, 3,000 others"
        );
    }
}
