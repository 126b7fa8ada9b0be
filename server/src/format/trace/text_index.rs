//! `kenning debug fts`: the terms of a query and their hits in the text index.

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
    /// Number of symbols in the index.
    documents: u32,
    /// Terms that the index contains, the heaviest contribution first.
    terms: Vec<TermJson<'a>>,
    /// The keywords, for configurations that search by keywords.
    keywords: Vec<&'a str>,
    /// Number of symbols found.
    found: usize,
    /// The best of these symbols, with their scores.
    hits: Vec<(String, f64)>,
}

impl<'a> TextReport<'a> {
    /// Builds the report of a run, with at most `limit` hits.
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
