//! `kenning debug fts`: what the text index knows of a query.

use super::{TermJson, TraceReport, render_list, symbol_name};
use crate::format::json::{SCHEMA, round_score};
use kenning_graph::Snapshot;
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{RunTrace, TEXT_CHANNEL};
use serde::Serialize;
use std::fmt::Write;

/// Terms and hits of the text index.
#[derive(Serialize)]
pub struct TextReport<'a> {
    schema: u32,
    config: &'a str,
    /// Symbols in the index.
    documents: u32,
    /// Terms that the index knows, heaviest contribution first.
    terms: Vec<TermJson<'a>>,
    /// What names are looked for where the configuration searches by keywords.
    keywords: Vec<&'a str>,
    /// Symbols that were found.
    found: usize,
    /// The best of them with their scores.
    hits: Vec<(String, f64)>,
}

impl<'a> TextReport<'a> {
    /// The report of a run, with at most `limit` hits.
    pub fn new(trace: &'a RunTrace, snapshot: &Snapshot, limit: usize) -> Self {
        let lists = trace.channels.iter().filter(|list| list.name == TEXT_CHANNEL);
        let hits: Vec<_> = lists.flat_map(|list| &list.hits).collect();
        Self {
            schema: SCHEMA,
            config: &trace.config,
            documents: snapshot.document_count(),
            terms: trace.query.terms.iter().map(TermJson::new).collect(),
            keywords: trace.query.keywords.all_keywords().collect(),
            found: hits.len(),
            hits: hits
                .iter()
                .take(limit)
                .map(|hit| (symbol_name(snapshot, hit.symbol), round_score(hit.score)))
                .collect(),
        }
    }
}

impl TraceReport for TextReport<'_> {
    fn render_markdown(&self) -> String {
        let mut out = format!("# Text index (config {}): {} symbols\n\n", self.config, self.documents);
        for term in &self.terms {
            let _ = writeln!(out, "- {}", term.render_term());
        }
        let _ = writeln!(out, "- keywords: {}", render_list(self.keywords.iter().copied()));
        let _ = writeln!(out, "\n## {} found\n", self.found);
        for (i, (name, score)) in self.hits.iter().enumerate() {
            let _ = writeln!(out, "{}. {score:.4} {}", i + 1, code_span(name));
        }
        out
    }
}
