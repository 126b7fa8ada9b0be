//! `kenning debug walk`: the nodes that the walk loaded, and the distribution of its probability
//! mass.

use super::{TraceReport, symbol_name};
use crate::format::json::{SCHEMA, round_score};
use kenning_graph::Snapshot;
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{RankedSymbol, RunTrace, StopReason};
use serde::Serialize;
use std::fmt::Write;

/// The random walk of a run.
#[derive(Serialize)]
pub struct WalkReport<'a> {
    schema: u32,
    config: &'a str,
    /// The seeds with their restart weights.
    seeds: Vec<(String, f64)>,
    /// Number of loaded nodes.
    nodes: usize,
    /// Number of phantoms that the walk met but did not enter.
    phantoms: usize,
    iterations: usize,
    /// The reason for stopping: `no_seeds`, `converged`, `stable` or `limit`.
    stop: &'static str,
    /// The candidates with the greatest mass.
    reached: Vec<ReachedSymbol>,
}

#[derive(Serialize)]
struct ReachedSymbol {
    name: String,
    /// Mass relative to the best candidate.
    mass: f64,
    authority: Option<f64>,
    hub: Option<f64>,
    /// The most probable path from a seed; empty if it was not recorded.
    path: Vec<String>,
}

impl<'a> WalkReport<'a> {
    /// Builds the report of a run, with at most `limit` candidates.
    pub fn new(trace: &'a RunTrace, snapshot: &Snapshot, limit: usize) -> Self {
        let mut ranked: Vec<&RankedSymbol> = trace.ranked.iter().filter(|ranked| ranked.walk > 0.0).collect();
        // The sort is stable: candidates of equal mass stay in rank order.
        ranked.sort_by(|a, b| b.walk.total_cmp(&a.walk));
        let name = |id| symbol_name(snapshot, id);
        let reached = ranked.into_iter().take(limit).map(|ranked| ReachedSymbol {
            name: name(ranked.symbol),
            mass: round_score(ranked.walk),
            authority: ranked.hits.map(|hits| round_score(hits.authority)),
            hub: ranked.hits.map(|hits| round_score(hits.hub)),
            path: trace.walk.paths.get(&ranked.symbol).into_iter().flatten().map(|&id| name(id)).collect(),
        });
        Self {
            schema: SCHEMA,
            config: &trace.config,
            seeds: trace.seeds.iter().map(|seed| (name(seed.symbol), round_score(seed.weight))).collect(),
            nodes: trace.walk.nodes,
            phantoms: trace.walk.phantoms,
            iterations: trace.walk.iterations,
            stop: match trace.walk.stop {
                StopReason::NoSeeds => "no_seeds",
                StopReason::Converged => "converged",
                StopReason::Stable => "stable",
                StopReason::Limit => "limit",
            },
            reached: reached.collect(),
        }
    }
}

impl TraceReport for WalkReport<'_> {
    fn render_markdown(&self) -> String {
        let mut out = format!("# Walk (config {})\n\n", self.config);
        let _ = writeln!(
            out,
            "{} nodes, {} phantoms skipped, {} iterations, stopped: {}.\n\n## Seeds\n",
            self.nodes, self.phantoms, self.iterations, self.stop
        );
        for (i, (name, weight)) in self.seeds.iter().enumerate() {
            let _ = writeln!(out, "{}. {weight:.4} {}", i + 1, code_span(name));
        }
        out.push_str("\n## Reached\n\n");
        for (i, reached) in self.reached.iter().enumerate() {
            let _ = write!(out, "{}. {:.4} {}", i + 1, reached.mass, code_span(&reached.name));
            if let (Some(authority), Some(hub)) = (reached.authority, reached.hub) {
                let _ = write!(out, ", authority {authority:.4}, hub {hub:.4}");
            }
            if reached.path.len() > 1 {
                let path: Vec<String> = reached.path.iter().map(|name| code_span(name)).collect();
                let _ = write!(out, ", through {}", path.join(" → "));
            }
            out.push('\n');
        }
        out
    }
}
