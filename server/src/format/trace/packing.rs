//! `kenning debug pack`: the decision of packing about each candidate.

use super::{TraceReport, symbol_name};
use crate::format::explanation::round_to_six_decimals;
use crate::format::json::{SCHEMA, round_score};
use kenning_graph::Snapshot;
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{PackOutcome, RunTrace};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The decisions of packing in a run.
#[derive(Serialize)]
pub struct PackReport<'a> {
    schema: u32,
    config: &'a str,
    budget: usize,
    tokens_used: usize,
    /// Share of phantoms among the nodes around the seeds, from 0 to 1.
    phantoms: f64,
    /// Exponent of the walk's mass in the density.
    exponent: f64,
    /// Number of candidates per outcome.
    outcomes: BTreeMap<&'static str, usize>,
    /// The first candidates, in rank order.
    candidates: Vec<CandidateRow>,
}

#[derive(Serialize)]
struct CandidateRow {
    rank: usize,
    name: String,
    score: f64,
    walk: f64,
    /// Score per token of the candidate's cheapest form, weighted by nearness; null if packing did
    /// not compute it.
    density: Option<f64>,
    /// The level of detail (`body`, `trimmed`, `signature`, `name`), or the reason for leaving it
    /// out (`budget`, `threshold`).
    outcome: &'static str,
    shown: bool,
    tokens: usize,
}

fn outcome_name(outcome: PackOutcome) -> &'static str {
    match outcome {
        PackOutcome::Shown(detail) => detail.as_str(),
        PackOutcome::LeftOut(reason) => reason,
    }
}

impl<'a> PackReport<'a> {
    /// Builds the report of a run, with at most `limit` candidates.
    pub fn new(trace: &'a RunTrace, snapshot: &Snapshot, limit: usize) -> Self {
        let packing = trace.packing.as_ref();
        let decisions = packing.map_or(&[][..], |packing| &packing.decisions);
        let mut outcomes = BTreeMap::new();
        for decision in decisions {
            *outcomes.entry(outcome_name(decision.outcome)).or_insert(0) += 1;
        }
        let candidates =
            trace.ranked.iter().zip(decisions).take(limit).enumerate().map(|(i, (ranked, decision))| {
                CandidateRow {
                    rank: i + 1,
                    name: symbol_name(snapshot, ranked.symbol),
                    score: round_score(ranked.score),
                    walk: round_score(ranked.walk),
                    density: decision.density.map(round_to_six_decimals),
                    outcome: outcome_name(decision.outcome),
                    shown: matches!(decision.outcome, PackOutcome::Shown(_)),
                    tokens: decision.tokens,
                }
            });
        Self {
            schema: SCHEMA,
            config: &trace.config,
            budget: packing.map_or(0, |packing| packing.budget),
            tokens_used: packing.map_or(0, |packing| packing.tokens),
            phantoms: packing.map_or(0.0, |packing| round_score(packing.phantoms)),
            exponent: packing.map_or(0.0, |packing| round_score(packing.exponent)),
            outcomes,
            candidates: candidates.collect(),
        }
    }
}

impl TraceReport for PackReport<'_> {
    fn render_markdown(&self) -> String {
        let mut out = format!("# Packing (config {})\n\n", self.config);
        let _ = writeln!(
            out,
            "{} of {} tokens; proximity exponent {:.4} with a phantom share of {:.4}.\n",
            self.tokens_used, self.budget, self.exponent, self.phantoms
        );
        for (outcome, count) in &self.outcomes {
            let _ = writeln!(out, "- {outcome}: {count}");
        }
        out.push_str("\n## Candidates\n\n");
        for candidate in &self.candidates {
            let outcome = if candidate.shown {
                candidate.outcome.to_owned()
            } else {
                format!("omitted ({})", candidate.outcome)
            };
            let density =
                candidate.density.map(|density| format!(", density {density:.6}")).unwrap_or_default();
            let _ = writeln!(
                out,
                "{}. {:.4} {}: {outcome}, {} tokens{density}, walk {:.4}",
                candidate.rank,
                candidate.score,
                code_span(&candidate.name),
                candidate.tokens,
                candidate.walk
            );
        }
        out
    }
}
