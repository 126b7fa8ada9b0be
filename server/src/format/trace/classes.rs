//! `kenning debug classes`: the equivalence classes that a task fires, what they find and what is put first.

use super::{TraceReport, render_list, symbol_name};
use crate::format::json::{SCHEMA, round_score};
use kenning_graph::Snapshot;
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{CLASSES_CHANNEL, RunTrace};
use serde::Serialize;
use std::fmt::Write;

/// The classes of a run.
#[derive(Serialize)]
pub struct ClassesReport<'a> {
    schema: u32,
    config: &'a str,
    /// The classes whose phrases stand in the task, by layer.
    classes: Vec<FiredClass<'a>>,
    /// What the channel found: name, score, rule.
    hits: Vec<(String, f64, &'static str)>,
    /// What strong framework classes put first.
    injected: Vec<String>,
}

#[derive(Serialize)]
struct FiredClass<'a> {
    id: &'a str,
    /// `workspace`, `framework`, `universal`, `language` or `graph`.
    layer: &'static str,
    framework: Option<&'a str>,
    language: Option<&'a str>,
    /// Its phrases that stand in the task.
    phrases: &'a [String],
    /// Its phrases have two different words between them: of a framework, it puts its targets first.
    strong: bool,
    /// The names that it stands for.
    targets: &'a [String],
}

impl<'a> ClassesReport<'a> {
    /// The report of a run, with at most `limit` entries of each list.
    pub fn new(trace: &'a RunTrace, snapshot: &Snapshot, limit: usize) -> Self {
        let classes = trace.query.classes.iter().take(limit).map(|found| FiredClass {
            id: &found.class.id,
            layer: found.class.layer.name(),
            framework: found.class.framework.as_deref(),
            language: found.class.language.as_deref(),
            phrases: &found.phrases,
            strong: found.strong,
            targets: &found.class.targets,
        });
        let lists = trace.channels.iter().filter(|list| list.name == CLASSES_CHANNEL);
        let hits = lists.flat_map(|list| &list.hits).take(limit);
        Self {
            schema: SCHEMA,
            config: &trace.config,
            classes: classes.collect(),
            hits: hits
                .map(|hit| (symbol_name(snapshot, hit.symbol), round_score(hit.score), hit.reason))
                .collect(),
            injected: trace.injected.iter().take(limit).map(|&id| symbol_name(snapshot, id)).collect(),
        }
    }
}

impl TraceReport for ClassesReport<'_> {
    fn render_markdown(&self) -> String {
        let mut out = format!("# Equivalence classes (config {})\n\n", self.config);
        if self.classes.is_empty() {
            out.push_str("No phrase of a class stands in the task.\n");
        }
        for fired in &self.classes {
            let scope: Vec<&str> = fired.framework.into_iter().chain(fired.language).collect();
            let _ = writeln!(
                out,
                "- {} ({}{}{}): {}\n  stands for {}",
                code_span(fired.id),
                fired.layer,
                if scope.is_empty() { String::new() } else { format!(", {}", scope.join(", ")) },
                if fired.strong { ", strong" } else { "" },
                render_list(fired.phrases.iter().map(String::as_str)),
                render_list(fired.targets.iter().map(String::as_str))
            );
        }
        out.push_str(if self.hits.is_empty() { "\nThey find nothing.\n" } else { "\n## Found\n\n" });
        for (i, (name, score, reason)) in self.hits.iter().enumerate() {
            let _ = writeln!(out, "{}. {score:.4} {} ({reason})", i + 1, code_span(name));
        }
        if !self.injected.is_empty() {
            out.push_str("\n## Put first\n\n");
        }
        for (i, name) in self.injected.iter().enumerate() {
            let _ = writeln!(out, "{}. {}", i + 1, code_span(name));
        }
        out
    }
}
