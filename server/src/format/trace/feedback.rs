//! `kenning debug feedback`: the stored feedback, and whether it is still valid.

use super::{TraceReport, symbol_name};
use crate::format::json::{SCHEMA, round_score};
use crate::freshness::format_rfc3339;
use crate::learning::is_still_valid;
use kenning_graph::Snapshot;
use kenning_graph::store::FeedbackSum;
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
    pub fn new(database: &Path, sums: &[FeedbackSum], snapshot: &Snapshot) -> Self {
        let answers = sums.iter().map(|sum| FeedbackAnswers {
            name: snapshot.symbol_by_hash(&sum.symbol).map(|id| symbol_name(snapshot, id)),
            id: sum.symbol.to_hex(),
            cluster: sum.cluster.to_hex(),
            useful: sum.useful,
            not_useful: sum.not_useful,
            share: round_score(sum.useful_share()),
            at: SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(sum.at)).and_then(format_rfc3339),
            holds: is_still_valid(snapshot, &sum.symbol, &sum.package_root),
        });
        let database = database.display().to_string();
        Self { schema: SCHEMA, database, answers: answers.collect() }
    }
}

impl TraceReport for FeedbackReport {
    fn render_markdown(&self) -> String {
        let mut out = format!("# Feedback in {}\n\n", code_span(&self.database));
        if self.answers.is_empty() {
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
                match (answers.holds, &answers.name) {
                    (true, _) => "",
                    (false, Some(_)) => "; ignored because its package has changed since",
                    (false, None) => "; ignored because the symbol no longer exists",
                }
            );
        }
        out
    }
}
