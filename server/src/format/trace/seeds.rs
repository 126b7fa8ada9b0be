//! `kenning debug seeds`: the steps from a task to the seeds of the walk.

use super::{TermJson, TraceReport, render_list, symbol_name};
use crate::format::json::{SCHEMA, round_score};
use kenning_graph::Snapshot;
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{ChannelList, ListUsage, RunTrace};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The keywords, channels, fusion and seeds of a run.
#[derive(Serialize)]
pub struct SeedsReport<'a> {
    schema: u32,
    config: &'a str,
    keywords: QueryKeywords<'a>,
    /// Words that may name folders.
    path_terms: &'a [String],
    /// Weighted terms, the heaviest contribution first.
    terms: Vec<TermJson<'a>>,
    /// Files and lines that the task names.
    locations: Vec<String>,
    about_tests: bool,
    /// Words that may be the values of string literals.
    values: &'a [String],
    /// The fit of the workspace to the task; null in configurations that do not judge it.
    task_match: Option<MatchReport>,
    channels: Vec<ChannelReport<'a>>,
    /// The best entries of the fused list.
    fused: Vec<FusedSymbol>,
    /// The adaptive mechanisms that took effect.
    selection: SeedSelection<'a>,
    /// Candidates that noise rules removed, with the rule.
    noise: Vec<(String, &'static str)>,
    /// The seeds with their restart weights.
    seeds: Vec<(String, f64)>,
}

#[derive(Serialize)]
struct QueryKeywords<'a> {
    exact: &'a [String],
    compounds: &'a [String],
    components: &'a [String],
}

#[derive(Serialize)]
struct MatchReport {
    /// Share of the information of the task's words that the workspace has.
    known: f64,
    /// Score of the best text hit per information of the task's words.
    strength: f64,
    /// Whether the task names something exactly.
    exact: bool,
    /// False if the pack says that nothing matches.
    matches: bool,
}

#[derive(Serialize)]
struct ChannelReport<'a> {
    name: &'a str,
    weight: f64,
    /// The use of the channel's list: `fusion` or `walk_seeds`.
    used_for: &'static str,
    /// True if the channel did not run because earlier ones had found enough.
    skipped: bool,
    /// Number of symbols that the channel found.
    found: usize,
    /// The best of these symbols.
    hits: Vec<ReportedHit>,
}

#[derive(Serialize)]
struct ReportedHit {
    name: String,
    score: f64,
    reason: &'static str,
}

#[derive(Serialize)]
struct FusedSymbol {
    name: String,
    score: f64,
    parts: BTreeMap<&'static str, f64>,
}

#[derive(Serialize)]
struct SeedSelection<'a> {
    graph_symbols: usize,
    seed_limit: usize,
    types_first: bool,
    focused_folder: Option<&'a str>,
    implementors: usize,
    noise: usize,
}

impl<'a> SeedsReport<'a> {
    /// Builds the report of a run, with at most `limit` entries per list.
    pub fn new(trace: &'a RunTrace, snapshot: &Snapshot, limit: usize) -> Self {
        let (query, selection) = (&trace.query, &trace.selection);
        let name = |id| symbol_name(snapshot, id);
        let fused = trace.fused.iter().take(limit).map(|fused| FusedSymbol {
            name: name(fused.symbol),
            score: round_score(fused.score),
            parts: fused.parts.iter().map(|part| (part.name, round_score(part.value))).collect(),
        });
        let locations = query.locations.iter().take(limit).map(|location| match location.line {
            Some(line) => format!("{}:{line}", location.path),
            None => location.path.clone(),
        });
        Self {
            schema: SCHEMA,
            config: &trace.config,
            keywords: QueryKeywords {
                exact: &query.keywords.exact,
                compounds: &query.keywords.compounds,
                components: &query.keywords.components,
            },
            path_terms: &query.path_terms,
            terms: query.terms.iter().map(TermJson::new).collect(),
            locations: locations.collect(),
            about_tests: query.is_about_tests,
            values: &query.values,
            task_match: trace.task_match.map(|found| MatchReport {
                known: round_score(found.known),
                strength: round_score(found.strength),
                exact: found.is_exact,
                matches: found.is_match,
            }),
            channels: trace.channels.iter().map(|list| channel_report(list, snapshot, limit)).collect(),
            fused: fused.collect(),
            selection: SeedSelection {
                graph_symbols: selection.graph,
                seed_limit: selection.limit,
                types_first: selection.types_first,
                focused_folder: selection.focus.as_deref(),
                implementors: selection.implementors,
                noise: selection.noise,
            },
            noise: trace
                .noise
                .iter()
                .take(limit)
                .map(|removed| (name(removed.symbol), removed.rule))
                .collect(),
            seeds: trace.seeds.iter().map(|seed| (name(seed.symbol), round_score(seed.weight))).collect(),
        }
    }
}

fn channel_report<'a>(list: &'a ChannelList, snapshot: &Snapshot, limit: usize) -> ChannelReport<'a> {
    let hit = |hit: &kenning_retrieval::ChannelHit| ReportedHit {
        name: symbol_name(snapshot, hit.symbol),
        score: round_score(hit.score),
        reason: hit.reason,
    };
    ChannelReport {
        name: list.name,
        weight: list.weight,
        used_for: match list.usage {
            ListUsage::Fused(_) => "fusion",
            ListUsage::WalkSeeds => "walk_seeds",
        },
        skipped: list.skipped,
        found: list.hits.len(),
        hits: list.hits.iter().take(limit).map(hit).collect(),
    }
}

impl TraceReport for SeedsReport<'_> {
    fn render_markdown(&self) -> String {
        let mut out = format!("# Seeds (config {})\n\n## Query\n\n", self.config);
        let words = |list: &[String]| render_list(list.iter().map(String::as_str));
        let _ = writeln!(out, "- exact: {}", words(self.keywords.exact));
        let _ = writeln!(out, "- compounds: {}", words(self.keywords.compounds));
        let _ = writeln!(out, "- components: {}", words(self.keywords.components));
        let _ = writeln!(out, "- folders: {}", words(self.path_terms));
        let _ = writeln!(out, "- locations: {}", words(&self.locations));
        let terms: Vec<String> = self.terms.iter().map(TermJson::render_term).collect();
        let _ =
            writeln!(out, "- terms: {}", if terms.is_empty() { "-".to_owned() } else { terms.join(", ") });
        let _ = writeln!(out, "- about tests: {}", self.about_tests);
        let _ = writeln!(out, "- values: {}", words(self.values));
        if let Some(MatchReport { known, strength, exact, matches }) = self.task_match {
            let _ = writeln!(
                out,
                "- match: {matches} (known {known:.4}, strength {strength:.4}, named exactly: {exact})"
            );
        }
        for channel in &self.channels {
            let state = if channel.skipped { ", skipped because earlier channels found enough" } else { "" };
            let _ = writeln!(
                out,
                "\n## Channel {} (weight {}, for {}{state}): {} found\n",
                channel.name, channel.weight, channel.used_for, channel.found
            );
            for (i, hit) in channel.hits.iter().enumerate() {
                let reason = if hit.reason.is_empty() { String::new() } else { format!(" ({})", hit.reason) };
                let _ = writeln!(out, "{}. {:.4} {}{reason}", i + 1, hit.score, code_span(&hit.name));
            }
        }
        out.push_str("\n## Fused\n\n");
        for (i, fused) in self.fused.iter().enumerate() {
            let parts: Vec<String> =
                fused.parts.iter().map(|(name, value)| format!("{name} {value:.4}")).collect();
            let _ = writeln!(
                out,
                "{}. {:.4} {} ({})",
                i + 1,
                fused.score,
                code_span(&fused.name),
                parts.join(", ")
            );
        }
        out.push_str(&self.render_selection());
        out
    }
}

impl SeedsReport<'_> {
    fn render_selection(&self) -> String {
        let mut out = String::from("\n## Seeds\n\n");
        let SeedSelection { graph_symbols, seed_limit, types_first, focused_folder, implementors, noise } =
            &self.selection;
        let _ = writeln!(out, "- graph: {graph_symbols} symbols, at most {seed_limit} seeds");
        let _ = writeln!(out, "- types first: {types_first}");
        let focus = focused_folder.map_or_else(|| "-".to_owned(), code_span);
        let _ = writeln!(out, "- focused folder: {focus}");
        let _ = writeln!(out, "- implementors added: {implementors}");
        let _ = writeln!(out, "- excluded as noise: {noise}");
        for (name, rule) in &self.noise {
            let _ = writeln!(out, "  - {} ({rule})", code_span(name));
        }
        out.push('\n');
        for (i, (name, weight)) in self.seeds.iter().enumerate() {
            let _ = writeln!(out, "{}. {weight:.4} {}", i + 1, code_span(name));
        }
        out
    }
}
