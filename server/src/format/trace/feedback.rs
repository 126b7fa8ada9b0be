//! `kenning debug feedback`: the stored feedback and uses, and whether they are still valid.

use super::{TraceReport, symbol_name};
use crate::format::json::{SCHEMA, round_score};
use crate::freshness::format_rfc3339;
use crate::learning::PackageRootCache;
use kenning_graph::Snapshot;
use kenning_graph::store::{FeedbackSum, SymbolUse};
use kenning_retrieval::pack::code_span;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The feedback on symbols of packs.
#[derive(Serialize)]
pub struct FeedbackReport {
    schema: u32,
    /// Path of the database.
    database: String,
    /// The feedback, by cluster of tasks and symbol.
    answers: Vec<FeedbackAnswers>,
    /// The uses by readers of packs, by symbol and cluster of tasks.
    uses: Vec<UseCounts>,
}

#[derive(Serialize)]
struct UseCounts {
    /// The symbol as `path::name`; null if it no longer exists.
    name: Option<String>,
    /// Identity of the symbol.
    id: String,
    /// Id of the cluster of tasks.
    cluster: String,
    /// Number of packs whose reader used the symbol.
    used: u32,
    /// Number of packs whose reader did not.
    unused: u32,
    /// Time of the last use.
    at: Option<String>,
    /// Whether the counts are still valid, like those of feedback.
    holds: bool,
}

#[derive(Serialize)]
struct FeedbackAnswers {
    /// The symbol as `path::name`; null if it no longer exists.
    name: Option<String>,
    /// Identity of the symbol.
    id: String,
    /// Id of the cluster of tasks.
    cluster: String,
    useful: u32,
    not_useful: u32,
    /// Share of useful answers, from 0 to 1.
    share: f64,
    /// Time of the last answer.
    at: Option<String>,
    /// Whether the feedback still counts: the symbol exists, and the structure of its package is
    /// unchanged.
    holds: bool,
}

impl FeedbackReport {
    /// Builds the report on the feedback in a database.
    pub fn new(database: &Path, sums: &[FeedbackSum], uses: &[SymbolUse], snapshot: &Snapshot) -> Self {
        let mut roots = PackageRootCache::new(snapshot);
        let uses = uses.iter().map(|row| UseCounts {
            name: snapshot.symbol_by_hash(&row.symbol).map(|id| symbol_name(snapshot, id)),
            id: row.symbol.to_hex(),
            cluster: row.cluster.to_hex(),
            used: row.used,
            unused: row.unused,
            at: format_time(row.at),
            holds: roots.is_still_valid(&row.symbol, &row.package_root),
        });
        let uses = uses.collect();
        let answers = sums.iter().map(|sum| FeedbackAnswers {
            name: snapshot.symbol_by_hash(&sum.symbol).map(|id| symbol_name(snapshot, id)),
            id: sum.symbol.to_hex(),
            cluster: sum.cluster.to_hex(),
            useful: sum.useful,
            not_useful: sum.not_useful,
            share: round_score(sum.useful_share()),
            at: format_time(sum.at),
            holds: roots.is_still_valid(&sum.symbol, &sum.package_root),
        });
        let database = database.display().to_string();
        Self { schema: SCHEMA, database, answers: answers.collect(), uses }
    }
}

/// Formats a time in seconds since the Unix epoch.
fn format_time(at: u64) -> Option<String> {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(at)).and_then(format_rfc3339)
}

/// Returns the reason why learned data is ignored; empty if it is valid.
fn render_invalidity(holds: bool, name: Option<&String>) -> &'static str {
    match (holds, name) {
        (true, _) => "",
        (false, Some(_)) => "; ignored because its package has changed since",
        (false, None) => "; ignored because the symbol no longer exists",
    }
}

impl TraceReport for FeedbackReport {
    fn render_markdown(&self) -> String {
        let mut out = format!("# Feedback in {}\n\n", code_span(&self.database));
        if self.answers.is_empty() && self.uses.is_empty() {
            out.push_str("No feedback found.\n");
        }
        for answers in &self.answers {
            let name = answers.name.as_deref().unwrap_or(&answers.id);
            let _ = writeln!(
                out,
                "- {}: useful {}, not useful {} (cluster {}{}){}",
                code_span(name),
                answers.useful,
                answers.not_useful,
                answers.cluster.get(..12).unwrap_or(&answers.cluster),
                answers.at.as_ref().map(|at| format!(", last {at}")).unwrap_or_default(),
                render_invalidity(answers.holds, answers.name.as_ref())
            );
        }
        for row in &self.uses {
            let name = row.name.as_deref().unwrap_or(&row.id);
            let _ = writeln!(
                out,
                "- {}: used {}, not used {} (cluster {}{}){}",
                code_span(name),
                row.used,
                row.unused,
                row.cluster.get(..12).unwrap_or(&row.cluster),
                row.at.as_ref().map(|at| format!(", last {at}")).unwrap_or_default(),
                render_invalidity(row.holds, row.name.as_ref())
            );
        }
        out
    }
}
