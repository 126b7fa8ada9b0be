//! The words for counts and for evidence. Lenses, hovers, every format and both editors use these.
//! The editors get the table of evidence through their generated protocol files, and the counts as
//! `title` of a blast radius.

use kenning_graph::{EdgeKind, Provenance};
pub use kenning_retrieval::features::group_digits;
use kenning_retrieval::features::{BlastCounts, CountedKind, RecordedTests, SymbolCount};
use kenning_retrieval::{ConfidenceLevel, Pack};
use std::time::SystemTime;

/// The statement above candidates that probably have nothing to do with a task.
const WEAK_MATCHES: &str = "Nothing in this workspace clearly matches; these are only the closest.";

/// Returns a likelihood in percent: `64%`, `<1%`.
pub fn render_likelihood(likelihood: f64) -> String {
    match (likelihood * 100.0).round() as u32 {
        0 => "<1%".to_owned(),
        percent => format!("{}%", percent.min(99)),
    }
}

/// Returns the statement of a pack that nothing in the workspace matches its task.
pub fn no_match_statement(pack: &Pack) -> Option<&'static str> {
    let is_weak = pack.confidence.is_some_and(|found| found.level == ConfidenceLevel::None);
    let nothing = if pack.symbols.is_empty() { "Nothing in this workspace matches." } else { WEAK_MATCHES };
    is_weak.then_some(nothing)
}

/// Returns the title of a blast radius: `5 callers · 23 dependents · 3 tests` for a callable, `463
/// uses · 8 implementations · 55 tests` for a type, `96 uses · 120 dependents · 4 tests` for a
/// value. A type without implementations shows its dependents instead.
pub fn render_counts(counts: &BlastCounts) -> String {
    let BlastCounts { kind, callers, uses, implementations, dependents, tests, recorded, .. } = *counts;
    let first = match kind {
        CountedKind::Callable => render_count(callers, "caller"),
        CountedKind::Type | CountedKind::Value => render_count(uses, "use"),
    };
    let second = match kind {
        CountedKind::Type if implementations.value > 0 => render_count(implementations, "implementation"),
        _ => render_count(dependents, "dependent"),
    };
    let mut tests = render_count(tests, "test");
    if let Some(record) = describe_record(recorded, SystemTime::now()) {
        tests.extend([" (", &record, ")"]);
    }
    [first, second, tests].join(" · ")
}

/// Describes the time at which the tests of a symbol were recorded; `None` if they were not.
pub fn describe_record(recorded: RecordedTests, now: SystemTime) -> Option<String> {
    let RecordedTests { fresh, stale, last_seen } = recorded;
    match (fresh, stale) {
        (0, 0) => None,
        (0, _) => Some("recorded before the last change".to_owned()),
        _ => Some(format!("recorded {}", describe_age(last_seen, now))),
    }
}

/// Describes the age of a time in days: `today`, `1 day ago`, `12 days ago`. The time is in seconds
/// since the Unix epoch.
pub fn describe_age(time: i64, now: SystemTime) -> String {
    const SECONDS_PER_DAY: u64 = 86_400;
    let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    match now.saturating_sub(time.max(0) as u64) / SECONDS_PER_DAY {
        0 => "today".to_owned(),
        days => format!("{} ago", render_quantity(days as usize, "day")),
    }
}

/// Returns a count with its noun: `1 caller`, `~5 callers`, `1,000+ callers`. The noun forms its
/// plural with an `s`.
pub fn render_count(count: SymbolCount, noun: &str) -> String {
    match (count.value, count.capped) {
        (1, false) => format!("{count} {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// Returns a number with its noun: `1 file`, `3,697 tokens`. The noun forms its plural with an `s`.
pub fn render_quantity(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", group_digits(number))
}

/// Marks all counts as approximate, because files are waiting to be indexed.
pub fn mark_pending(counts: BlastCounts) -> BlastCounts {
    let mark = |count: SymbolCount| SymbolCount { approximate: true, ..count };
    BlastCounts {
        kind: counts.kind,
        may_have_hidden_uses: counts.may_have_hidden_uses,
        recorded: counts.recorded,
        callers: mark(counts.callers),
        uses: mark(counts.uses),
        implementations: mark(counts.implementations),
        dependents: mark(counts.dependents),
        tests: mark(counts.tests),
    }
}

/// Describes the evidence for an edge, as in `Evidence: 3 matched by name`.
pub fn describe_provenance(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::LspResolved => "confirmed by a language server",
        Provenance::AstResolved => "resolved from imports and types",
        Provenance::AstInferred => "matched by name",
        Provenance::Runtime => "observed at run time",
        Provenance::Structural => "given by the structure of the code",
        Provenance::Git => "found in the version history",
    }
}

/// Describes the use that a user makes of `object`, which is `it` or the name of a part:
/// `calls it`.
pub fn describe_use(kind: EdgeKind, object: &str) -> String {
    match kind {
        EdgeKind::Calls => format!("calls {object}"),
        EdgeKind::References => format!("mentions {object}"),
        EdgeKind::TypeHintOf => format!("has {object} in its signature"),
        EdgeKind::AccessesField => format!("reads or writes {object}"),
        EdgeKind::ConsumesEndpoint => format!("requests the route of {object}"),
        EdgeKind::Extends => format!("extends {object}"),
        EdgeKind::Implements => format!("implements {object}"),
        EdgeKind::Overrides => format!("overrides {object}"),
        EdgeKind::Throws => format!("throws {object}"),
        EdgeKind::ReadsEnv => format!("reads {object}"),
        EdgeKind::Contains => format!("contains {object}"),
        EdgeKind::Tests => format!("runs after {object} has set it up"),
        EdgeKind::ExecutesProcess => format!("runs {object}"),
        EdgeKind::RuntimeCalls => format!("called {object} in a recorded run"),
        EdgeKind::Covers => format!("ran {object} in a recorded run"),
        EdgeKind::MemberOf if object == "it" => "creates an instance of its type".to_owned(),
        EdgeKind::ImplementsRpc => format!("serves {object}"),
        EdgeKind::ConsumesRpc => format!("calls {object} as a client"),
        EdgeKind::MemberOf => format!("creates an instance of the type of {object}"),
        _ => format!("uses {object}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(value: usize) -> SymbolCount {
        SymbolCount { value, ..SymbolCount::default() }
    }

    fn title(callers: usize, dependents: usize, tests: usize) -> String {
        let counts = BlastCounts {
            callers: count(callers),
            dependents: count(dependents),
            tests: count(tests),
            ..BlastCounts::default()
        };
        render_counts(&counts)
    }

    #[test]
    fn recorded_and_possible_uses_are_described_in_the_past_or_by_their_reason() {
        assert_eq!(describe_use(EdgeKind::RuntimeCalls, "it"), "called it in a recorded run");
        assert_eq!(describe_use(EdgeKind::Covers, "Cart.total"), "ran Cart.total in a recorded run");
        assert_eq!(describe_use(EdgeKind::MemberOf, "it"), "creates an instance of its type");
        assert_eq!(
            describe_use(EdgeKind::MemberOf, "Cart.total"),
            "creates an instance of the type of Cart.total"
        );
    }

    #[test]
    fn titles_have_singulars_plurals_and_zeros() {
        assert_eq!(title(5, 23, 3), "5 callers · 23 dependents · 3 tests");
        assert_eq!(title(1, 1, 1), "1 caller · 1 dependent · 1 test");
        assert_eq!(title(0, 4, 0), "0 callers · 4 dependents · 0 tests");
        assert_eq!(title(0, 0, 0), "0 callers · 0 dependents · 0 tests");
    }

    #[test]
    fn recorded_tests_are_shown_with_their_age() {
        let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        let recorded =
            |fresh, stale, last_seen| describe_record(RecordedTests { fresh, stale, last_seen }, now);
        assert_eq!(recorded(0, 0, 0), None);
        assert_eq!(recorded(3, 1, 999_000).as_deref(), Some("recorded today"));
        assert_eq!(recorded(3, 0, 1_000_000 - 2 * 86_400).as_deref(), Some("recorded 2 days ago"));
        assert_eq!(recorded(0, 4, 999_000).as_deref(), Some("recorded before the last change"));
        let counts = BlastCounts {
            tests: count(3),
            recorded: RecordedTests { fresh: 3, stale: 0, last_seen: i64::MAX },
            ..BlastCounts::default()
        };
        assert_eq!(render_counts(&counts), "0 callers · 0 dependents · 3 tests (recorded today)");
    }

    #[test]
    fn quantities_have_their_plural_and_groups_of_digits() {
        assert_eq!(render_quantity(1, "file"), "1 file");
        assert_eq!(render_quantity(0, "file"), "0 files");
        assert_eq!(render_quantity(3_697, "token"), "3,697 tokens");
        assert_eq!([999, 1_000, 1_234_567].map(group_digits), ["999", "1,000", "1,234,567"]);
    }

    #[test]
    fn titles_mark_approximate_capped_and_pending_counts() {
        let callers = SymbolCount { value: 2, approximate: true, capped: false };
        let dependents = SymbolCount { value: 1000, approximate: false, capped: true };
        let tests = SymbolCount { value: 0, approximate: false, capped: true };
        let counts = BlastCounts { callers, dependents, tests, ..BlastCounts::default() };
        assert_eq!(render_counts(&counts), "~2 callers · 1,000+ dependents · 0+ tests");
        let counts =
            BlastCounts { kind: CountedKind::Type, uses: count(463), implementations: count(8), ..counts };
        assert_eq!(render_counts(&counts), "463 uses · 8 implementations · 0+ tests");
        let counts = BlastCounts { kind: CountedKind::Value, uses: count(1), ..counts };
        assert_eq!(render_counts(&counts), "1 use · 1,000+ dependents · 0+ tests");
        let pending = mark_pending(BlastCounts::default());
        assert_eq!(render_counts(&pending), "~0 callers · ~0 dependents · ~0 tests");
    }
}
