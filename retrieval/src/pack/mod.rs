//! Packing: turns a ranked list into a pack.
//!
//! `PackCandidates` describes the candidates of the ranked list once for a pack. `fit_budget` takes
//! them and a token budget, chooses the symbols and their detail, and records a decision about every
//! candidate; a pack is filled several times to fit its budget. `edges_between` adds the edges between the packed
//! symbols, and `root_hash` identifies the content: equal packs have equal roots. `render` renders
//! one item; the budget counts the tokens of exactly that text. `document_fit` adds sections of
//! documents with the tokens that the code leaves.

mod budget_fit;
mod declaration_text;
mod density_fit;
mod document_fit;
mod excerpt;
mod rank_fit;
mod reading_order;
mod render;
mod rendered_fit;
mod test_choice;
mod tokens;

pub(crate) use document_fit::{DocumentInput, add_documents};
pub use excerpt::mark_gap;
pub use render::{
    code_fence, code_span, escape_control_chars, is_unsafe_to_print, render_head, render_item, render_prose,
};
pub use rendered_fit::PackSize;
pub(crate) use rendered_fit::fit_rendered;
pub use tokens::count_tokens;

pub(crate) use budget_fit::{FittedPack, PackCandidates, fit_budget};
pub use budget_fit::{PackDecision, PackOutcome, PackTrace};
pub use declaration_text::LineRange;
pub(crate) use declaration_text::PackTexts;

use crate::causes::RankReasons;
use crate::config::ComponentWeights;
use crate::likelihood::{EditLikelihoods, RankConfidence};
use crate::query::QueryTerm;
use crate::rank::{RankedSymbol, RemovedSymbol, strongest_support};
use crate::score::ScoreComponent;
use kenning_graph::hash::HashBuilder;
use kenning_graph::{EdgeKind, Hash, Provenance, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The detail in which a pack shows a symbol, most detailed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DetailLevel {
    /// The whole text.
    Body,
    /// The most relevant lines of the text.
    Trimmed,
    /// The signature and the first sentence of the documentation.
    Signature,
    /// The name.
    Name,
}

impl DetailLevel {
    /// Returns the stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Trimmed => "trimmed",
            Self::Signature => "signature",
            Self::Name => "name",
        }
    }
}

/// The part of a pack to which a symbol belongs, in the order of display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackGroup {
    /// Symbols that the user pinned.
    Pinned,
    /// Symbols that the request is about: the first symbols of the ranking, or the symbols of the
    /// given files or of the change.
    Subject,
    /// Other code that matters for the request.
    Related,
    /// Tests that exercise the subject.
    Tests,
    /// Sections of documents that match the task. They are not among the symbols of the pack.
    Documentation,
}

impl PackGroup {
    /// Returns the stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Subject => "subject",
            Self::Related => "related",
            Self::Tests => "tests",
            Self::Documentation => "documentation",
        }
    }
}

/// A symbol of a pack.
#[derive(Clone, Debug, PartialEq)]
pub struct PackSymbol {
    /// The symbol's id in the snapshot.
    pub symbol: SymbolId,
    /// The symbol's identity.
    pub id: Hash,
    /// `path::Outer.Inner.name`.
    pub qualified_name: String,
    /// The name inside the file.
    pub name: String,
    /// The kind of the symbol.
    pub kind: SymbolKind,
    /// Language id.
    pub language: String,
    /// Workspace-relative path.
    pub file: String,
    /// 1-based line of the name.
    pub line: u32,
    /// 1-based last line of the declaration.
    pub end_line: u32,
    /// The signature on one line, at most 400 characters.
    pub signature: String,
    /// The first sentence of the documentation, at most 200 characters.
    pub doc: String,
    /// The place in the ranking, from 1; `None` for a test or a part of a file that is not ranked.
    pub rank: Option<usize>,
    /// The score: the sum of the components.
    pub score: f64,
    /// Hops from the symbols that the request itself matches, which have 0.
    pub distance: u32,
    /// Best confidence of an edge to the symbol, at least the configuration's minimum.
    pub confidence: f64,
    /// Provenance of that edge; `structural` if there is none.
    pub provenance: Provenance,
    /// The channels that found the symbol, with their rules (`tiered:exact`).
    pub channels: Vec<String>,
    /// The components of the score.
    pub components: Vec<ScoreComponent>,
    /// The part of the pack to which the symbol belongs.
    pub group: PackGroup,
    /// The detail in which the symbol is shown.
    pub detail: DetailLevel,
    /// Tokens of the rendered item.
    pub tokens: usize,
    /// Whole lines of the text, if the detail is `Body` or `Trimmed`. A line of the form
    /// `⋮ lines 8-19` replaces lines that are not shown.
    pub text: Option<String>,
    /// 1-based line of the first line of the declaration.
    pub text_line: u32,
    /// The shown lines of the file, in order.
    pub shown_lines: Vec<LineRange>,
    /// The blank lines of the declaration that are not shown, so that a gap of blank lines is known to
    /// be one.
    pub blank_lines: Vec<u32>,
}

/// An edge between two symbols of a pack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackEdge {
    /// Index of the source in [`Pack::symbols`].
    pub source: usize,
    /// Index of the target.
    pub target: usize,
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// Provenance of the edge.
    pub provenance: Provenance,
    /// Confidence of the edge, 0..=1.
    pub confidence: f32,
}

/// One of the first symbols of a ranking, at which a reader starts.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstSymbol {
    /// Index in [`Pack::symbols`].
    pub index: usize,
    /// The likelihood that the task edits it, 0 to 1.
    pub likelihood: f64,
    /// The reasons for its rank.
    pub reasons: RankReasons,
}

/// The place in the ranking at which a pack ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackEnd {
    /// The last rank that the pack shows, from 1.
    pub rank: usize,
    /// The likelihood that the task edits the symbol behind it, 0 to 1; 0 if there is none.
    pub next_likelihood: f64,
    /// Whether the budget ended the pack.
    pub is_cut: bool,
}

/// A candidate that is not in the pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedSymbol {
    /// `path::name`.
    pub name: String,
    /// The reason: `budget`, `noise`, `threshold` or `shown` ([`PackOutcome::LeftOut`]).
    pub reason: &'static str,
    /// Tokens of its cheapest form; 0 if that was not computed.
    pub tokens: usize,
}

/// The answer to a request: ranked symbols within a token budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Pack {
    /// The task as written; empty for files and changes.
    pub task: String,
    /// The hash of the pack's content.
    pub pack_root: Hash,
    /// Hash of the text-derived graph.
    pub source_root: Hash,
    /// The token budget.
    pub budget: usize,
    /// Tokens of the pack as its form measures it ([`PackSize`]), or of all items if the form is not
    /// known; never more than the budget if at least an empty pack fits.
    pub tokens_used: usize,
    /// The likelihood that the first symbols of the ranking contain the code that the task needs.
    /// `None` for files and changes, and in configurations without the learned ranker.
    pub confidence: Option<RankConfidence>,
    /// The symbols, in the order of reading: the best file of each group first, and the symbols of a
    /// file by rank.
    pub symbols: Vec<PackSymbol>,
    /// The first symbols of the ranking that the pack shows, best first; empty for files and changes,
    /// and if nothing matches the task.
    pub first: Vec<FirstSymbol>,
    /// The end of the useful part; `None` without ranked symbols and for files and changes.
    pub end: Option<PackEnd>,
    /// Edges between the symbols, by source, target and kind. Mirrored edges (`contains`,
    /// `tested_by`) are left out.
    pub edges: Vec<PackEdge>,
    /// Sections of documents that match the task, best first.
    pub documents: Vec<PackSymbol>,
    /// The best candidates that are not in the pack.
    pub omitted: Vec<OmittedSymbol>,
    /// Number of candidates that were left out, by reason.
    pub omitted_counts: BTreeMap<&'static str, usize>,
    /// Paths of the request that are not in the snapshot.
    pub unknown_files: Vec<String>,
}

#[cfg(test)]
thread_local! {
    /// Number of calls of [`describe_symbol`] on this thread.
    pub(crate) static DESCRIPTION_COUNT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Describes `ranked` as an item of a pack, with the name only. Returns `None` if the symbol is not
/// in the snapshot.
pub(crate) fn describe_symbol(snapshot: &Snapshot, ranked: &RankedSymbol) -> Option<PackSymbol> {
    #[cfg(test)]
    DESCRIPTION_COUNT.with(|count| count.set(count.get() + 1));
    let symbol = snapshot.symbol(ranked.symbol)?;
    let (confidence, provenance) =
        strongest_support(snapshot, ranked.symbol, ComponentWeights::seeds_preset().min_confidence);
    Some(PackSymbol {
        symbol: symbol.id,
        id: symbol.hash,
        qualified_name: symbol.qualified_name(),
        name: symbol.display_name(),
        kind: symbol.kind,
        language: symbol.language.to_owned(),
        file: symbol.path.to_owned(),
        line: symbol.name_span.line + 1,
        end_line: symbol.span.end_line + 1,
        signature: shorten_text(&join_into_line(symbol.signature_text()), SIGNATURE_CHARS),
        doc: first_sentence(symbol.doc_text()),
        rank: None,
        score: ranked.score,
        distance: ranked.distance,
        confidence,
        provenance,
        channels: ranked.channels.clone(),
        components: ranked.components.clone(),
        group: PackGroup::Related,
        detail: DetailLevel::Name,
        tokens: 0,
        text: None,
        text_line: symbol.span.start_line + 1,
        shown_lines: Vec::new(),
        blank_lines: Vec::new(),
    })
}

/// Counts the tokens of `item` as it is rendered, and stores the number in it.
pub(crate) fn measure_tokens(item: &mut PackSymbol) -> usize {
    item.tokens = count_tokens(&render_item(item));
    item.tokens
}

fn join_into_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Longest signature shown, in characters. Some signatures contain documentation among the
/// parameters.
const SIGNATURE_CHARS: usize = 400;

/// Longest documentation shown with a signature, in characters.
const DOC_CHARS: usize = 200;

/// Returns the first sentence of a doc comment on one line: the text up to a full stop before white
/// space, or the first paragraph.
pub fn first_sentence(doc: &str) -> String {
    let paragraph = doc.trim().split("\n\n").next().unwrap_or("");
    let line = join_into_line(paragraph);
    let sentence = match line.find(". ") {
        Some(at) => &line[..=at],
        None => &line,
    };
    shorten_text(sentence, DOC_CHARS)
}

fn shorten_text(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    text.chars().take(limit - 1).chain(['…']).collect()
}

/// Returns the edges between packed symbols, without `contains` and `tested_by`, which only mirror
/// `member_of` and `tests`.
pub(crate) fn edges_between(snapshot: &Snapshot, symbols: &[PackSymbol]) -> Vec<PackEdge> {
    let index: FxHashMap<SymbolId, usize> = symbols.iter().enumerate().map(|(i, s)| (s.symbol, i)).collect();
    let mut edges = Vec::new();
    for (source, symbol) in symbols.iter().enumerate() {
        snapshot.for_each_out_edge(symbol.symbol, |edge| {
            let mirror = matches!(edge.kind, EdgeKind::Contains | EdgeKind::TestedBy);
            if let Some(&target) = index.get(&edge.target)
                && !mirror
                && target != source
            {
                edges.push(PackEdge {
                    source,
                    target,
                    kind: edge.kind,
                    provenance: edge.provenance,
                    confidence: edge.confidence,
                });
            }
        });
    }
    edges.sort_by_key(|e| (e.source, e.target, e.kind));
    edges
}

/// Computes the identity of a pack's content from the request, the shown text of each symbol, the
/// edges, and the sections of documents.
pub(crate) fn root_hash(
    request_parts: &[&str],
    budget: usize,
    symbols: &[PackSymbol],
    edges: &[PackEdge],
    documents: &[PackSymbol],
) -> Hash {
    let mut hasher = HashBuilder::new("pack");
    hasher.add_number(request_parts.len() as u64);
    for part in request_parts {
        hasher.add_text(&join_into_line(part));
    }
    hasher.add_number(budget as u64).add_number(symbols.len() as u64);
    for symbol in symbols {
        hasher.add_hash(&symbol.id).add_text(symbol.detail.as_str());
        hasher.add_hash(&Hash::from_content(render_item(symbol).as_bytes()));
    }
    for edge in edges {
        hasher
            .add_number(edge.source as u64)
            .add_number(edge.target as u64)
            .add_number(u64::from(edge.kind.number()));
    }
    // The number of documents is not hashed, so that a pack without any has the same root whether
    // or not the request asks for documents.
    for section in documents {
        hasher.add_hash(&section.id).add_hash(&Hash::from_content(render_item(section).as_bytes()));
    }
    hasher.finish()
}

/// The input of packing.
pub(crate) struct PackInput<'a> {
    pub snapshot: &'a Snapshot,
    pub ranked: &'a [RankedSymbol],
    /// How likely the task edits each ranked symbol.
    pub likelihoods: &'a EditLikelihoods,
    /// Candidates that noise rules removed.
    pub noise: &'a [RemovedSymbol],
    /// Share of phantoms among the nodes around the seeds.
    pub phantoms: f64,
    /// Whether the task mentions tests.
    pub is_about_tests: bool,
    /// The terms of the task with their contributions; empty for files and changes.
    pub terms: &'a [QueryTerm],
    /// Whether the request is a task in words. Other requests name their subject.
    pub is_task: bool,
    /// Symbols that the pack shows before all others.
    pub pinned: &'a [SymbolId],
    /// Symbols that the pack never shows.
    pub excluded: &'a [SymbolId],
    /// The budget of the request. Fills take other numbers of tokens until the rendered pack fits it.
    pub budget: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_a_stop_before_a_space() {
        assert_eq!(first_sentence("Sets v2.0 up.\nThen more.\n\nOther"), "Sets v2.0 up.");
        assert_eq!(first_sentence("No stop\n\nOther. X"), "No stop");
        assert_eq!(first_sentence(""), "");
        let long = first_sentence(&"größe ".repeat(100));
        assert_eq!((long.chars().count(), long.ends_with('…')), (DOC_CHARS, true));
    }
}
