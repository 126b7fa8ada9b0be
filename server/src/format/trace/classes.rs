//! `kenning debug classes`: the equivalence classes that a task triggers, their results, and the
//! top-ranked symbols.

use super::{TraceReport, render_list, symbol_name};
use crate::format::json::{SCHEMA, round_score};
use kenning_graph::Snapshot;
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{CLASSES_CHANNEL, RunTrace};
use serde::Serialize;
use std::fmt::Write;

/// The equivalence classes of a run.
#[derive(Serialize)]
pub struct ClassesReport<'a> {
    schema: u32,
    config: &'a str,
    /// The classes with a phrase in the task, by layer.
    classes: Vec<TriggeredClass<'a>>,
    /// The hits of the channel: name, score, rule.
    hits: Vec<(String, f64, &'static str)>,
    /// The symbols that strong framework classes move to the front.
    injected: Vec<String>,
}

#[derive(Serialize)]
struct TriggeredClass<'a> {
    id: &'a str,
    /// The layer: `workspace`, `framework`, `universal`, `language` or `graph`.
    layer: &'static str,
    framework: Option<&'a str>,
    language: Option<&'a str>,
    /// The class's phrases that occur in the task.
    phrases: &'a [String],
    /// True if the phrases contain two different words; a strong class of a framework moves its
    /// targets to the front.
    strong: bool,
    /// The names that the code uses.
    targets: &'a [String],
}

impl<'a> ClassesReport<'a> {
    /// Builds the report of a run, with at most `limit` entries per list.
    pub fn new(trace: &'a RunTrace, snapshot: &Snapshot, limit: usize) -> Self {
        let classes = trace.query.classes.iter().take(limit).map(|triggered| TriggeredClass {
            id: &triggered.class.id,
            layer: triggered.class.layer.name(),
            framework: triggered.class.framework.as_deref(),
            language: triggered.class.language.as_deref(),
            phrases: &triggered.phrases,
            strong: triggered.strong,
            targets: &triggered.class.targets,
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
            out.push_str("The task contains no phrase of a class.\n");
        }
        for class in &self.classes {
            let scope: Vec<&str> = class.framework.into_iter().chain(class.language).collect();
            let _ = writeln!(
                out,
                "- {} ({}{}{}): {}\n  maps to {}",
                code_span(class.id),
                class.layer,
                if scope.is_empty() { String::new() } else { format!(", {}", scope.join(", ")) },
                if class.strong { ", strong" } else { "" },
                render_list(class.phrases.iter().map(String::as_str)),
                render_list(class.targets.iter().map(String::as_str))
            );
        }
        out.push_str(if self.hits.is_empty() { "\nNo symbols found.\n" } else { "\n## Found\n\n" });
        for (i, (name, score, reason)) in self.hits.iter().enumerate() {
            let _ = writeln!(out, "{}. {score:.4} {} ({reason})", i + 1, code_span(name));
        }
        if !self.injected.is_empty() {
            out.push_str("\n## Ranked first\n\n");
        }
        for (i, name) in self.injected.iter().enumerate() {
            let _ = writeln!(out, "{}. {}", i + 1, code_span(name));
        }
        out
    }
}
