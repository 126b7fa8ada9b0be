//! `kenning debug vocab`: the learned words with the symbols that they lead to, and a preview of
//! the filter that chooses the words of a task.

use super::{TraceReport, render_list, symbol_name};
use crate::format::json::{SCHEMA, round_score};
use crate::format::wording::render_quantity;
use crate::learning::PackageRootCache;
use crate::learning::vocabulary::{MIN_COUNT, collect_words, weigh_symbols};
use kenning_graph::store::WordAssociation;
use kenning_graph::{Hash, Snapshot};
use kenning_retrieval::pack::code_span;
use kenning_retrieval::query::TaskKeyword;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// The learned vocabulary.
#[derive(Serialize)]
pub struct VocabularyReport {
    schema: u32,
    /// Path of the database.
    database: String,
    /// The words of the task and whether uses are remembered for them; empty without a task.
    keywords: Vec<KeywordPreview>,
    /// The learned words, in alphabetical order; with a task, only its words.
    words: Vec<WordEntry>,
    /// The symbols that the words of the task lead to together, strongest first.
    symbols: Vec<SymbolStrength>,
    /// Number of associations that are ignored, because the package of the symbol has changed or
    /// the symbol is gone.
    expired: usize,
}

#[derive(Serialize)]
struct KeywordPreview {
    word: String,
    /// The reason why no use is remembered for the word; null if uses are remembered.
    rejection: Option<&'static str>,
}

#[derive(Serialize)]
struct WordEntry {
    word: String,
    /// Number of clusters of tasks in which the word led to a symbol.
    clusters: usize,
    symbols: Vec<PairEntry>,
}

#[derive(Serialize)]
struct PairEntry {
    /// The symbol as `path::name`.
    name: String,
    /// Identity of the symbol.
    id: String,
    /// Number of uses.
    count: u32,
    /// Number of clusters of tasks with these uses.
    clusters: usize,
    /// Strength of the association, from 0 to 1; 0 before the second use.
    strength: f64,
}

#[derive(Serialize)]
struct SymbolStrength {
    name: String,
    id: String,
    strength: f64,
}

impl VocabularyReport {
    /// Builds the report from the stored associations; with the keywords of a task, only from
    /// theirs.
    pub fn new(
        database: &Path,
        words: &[WordAssociation],
        task: Option<Vec<TaskKeyword>>,
        snapshot: &Snapshot,
    ) -> Self {
        let keywords: Vec<String> = match &task {
            Some(task) => {
                let accepted = task.iter().filter(|keyword| keyword.rejection.is_none());
                accepted.map(|keyword| keyword.word.clone()).collect()
            }
            None => {
                let learned: BTreeSet<String> = words.iter().map(|word| word.keyword.clone()).collect();
                learned.into_iter().collect()
            }
        };
        let relevant = words.iter().filter(|word| keywords.contains(&word.keyword));
        let mut roots = PackageRootCache::new(snapshot);
        let (valid, expired): (Vec<&WordAssociation>, Vec<&WordAssociation>) =
            relevant.partition(|word| roots.is_still_valid(&word.symbol, &word.package_root));
        let name = |hash: &Hash| {
            snapshot.symbol_by_hash(hash).map_or_else(|| hash.to_hex(), |id| symbol_name(snapshot, id))
        };
        let learned = collect_words(&keywords, valid.iter().copied());
        let entries = learned.iter().map(|(word, learned)| WordEntry {
            word: (*word).to_owned(),
            clusters: learned.clusters.len(),
            symbols: learned
                .symbols
                .iter()
                .map(|(symbol, pair)| PairEntry {
                    name: name(symbol),
                    id: symbol.to_hex(),
                    count: pair.count,
                    clusters: pair.clusters.len(),
                    strength: round_score(learned.pair_strength(pair)),
                })
                .collect(),
        });
        let strengths = task.as_ref().map(|_| weigh_symbols(&keywords, valid.iter().copied()));
        let mut symbols: Vec<(Hash, f64)> = strengths.into_iter().flatten().collect();
        symbols.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let symbols = symbols.into_iter().map(|(symbol, strength)| SymbolStrength {
            name: name(&symbol),
            id: symbol.to_hex(),
            strength: round_score(strength),
        });
        let previews = task.into_iter().flatten();
        Self {
            schema: SCHEMA,
            database: database.display().to_string(),
            words: entries.collect(),
            symbols: symbols.collect(),
            expired: expired.len(),
            keywords: previews
                .map(|TaskKeyword { word, rejection }| KeywordPreview { word, rejection })
                .collect(),
        }
    }
}

impl TraceReport for VocabularyReport {
    fn render_markdown(&self) -> String {
        let mut out = format!("# Vocabulary in {}\n\n", code_span(&self.database));
        if !self.keywords.is_empty() {
            let kept = self.keywords.iter().filter(|keyword| keyword.rejection.is_none());
            let kept = kept.map(|keyword| keyword.word.as_str());
            let _ = writeln!(out, "Remembered words of the task: {}", render_list(kept));
            let rejected =
                self.keywords.iter().filter_map(|keyword| Some((keyword.word.as_str(), keyword.rejection?)));
            let rejected: Vec<String> =
                rejected.map(|(word, reason)| format!("{} ({reason})", code_span(word))).collect();
            let rejected = if rejected.is_empty() { "-".to_owned() } else { rejected.join(", ") };
            let _ = writeln!(out, "Other words of the task: {rejected}\n");
        }
        if self.words.is_empty() {
            out.push_str("No word was learned.\n");
        }
        for word in &self.words {
            let _ = writeln!(
                out,
                "- {} (in {})",
                code_span(&word.word),
                render_quantity(word.clusters, "cluster")
            );
            for pair in &word.symbols {
                let note = if pair.count < MIN_COUNT { "; counts from the second use on" } else { "" };
                let _ = writeln!(
                    out,
                    "  - {}: {}, strength {}{note}",
                    code_span(&pair.name),
                    render_quantity(pair.count as usize, "use"),
                    pair.strength
                );
            }
        }
        if !self.symbols.is_empty() {
            out.push_str("\nSymbols that the words of the task lead to:\n\n");
        }
        for symbol in &self.symbols {
            let _ = writeln!(out, "- {}: strength {}", code_span(&symbol.name), symbol.strength);
        }
        if self.expired > 0 {
            let _ = writeln!(
                out,
                "\n{} ignored, because the package of the symbol has changed since.",
                render_quantity(self.expired, "association")
            );
        }
        out
    }
}
