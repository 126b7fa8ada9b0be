//! Finds the sections of documents that a question is about.

use super::match_quality::{BARE_MATCH, rate_match};
use super::nearest::NearestLists;
use super::symbol_search::SymbolList;
use super::word_scores::{query_words, rank_ids};
use super::{SearchLimits, SearchMode, SearchRequest};
use crate::query::TaskQuery;
use crate::task_match::judge_documents;
use crate::{Analysis, RankConfig};
use kenning_graph::{Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;

/// Maximum number of sections that are ranked. Thousands of sections have a common word.
const MAX_SECTIONS: usize = 200;

/// Ranks the sections of documents by their text. A section whose heading is the question comes
/// first.
pub(super) fn rank_sections(
    analysis: &Analysis<'_>,
    request: &SearchRequest,
    symbols: &SymbolList,
    nearest: Option<&NearestLists>,
    limits: &SearchLimits,
) -> SymbolList {
    let Analysis { snapshot, config, .. } = *analysis;
    let query = symbols.query.clone();
    let is_wanted = request.scope.includes_docs() || request.scope.includes_files();
    if !is_wanted || snapshot.section_count() == 0 {
        return SymbolList { hits: Vec::new(), named: 0, quality: 0.0, query };
    }
    if request.mode == SearchMode::Vector {
        return nearest.unwrap_or(&NearestLists::default()).list_sections(query);
    }
    let MatchingSections { by_text, quality } = MatchingSections::find(snapshot, config, &query);
    let heading = request.query.trim().to_lowercase();
    let has_heading = |section: SymbolId| {
        snapshot
            .symbol(section)
            .is_some_and(|s| s.kind == SymbolKind::Section && s.name.to_lowercase() == heading)
    };
    let with_heading: Vec<SymbolId> =
        by_text.iter().map(|(section, _)| *section).filter(|section| has_heading(*section)).collect();
    let quality = if with_heading.is_empty() { quality } else { 1.0 };
    let ranked = (1..).zip(by_text).map(|(rank, (section, share))| match request.mode {
        SearchMode::Keyword => (section, share),
        SearchMode::Hybrid | SearchMode::Vector => (section, limits.share_of_rank(rank)),
    });
    let mut seen = FxHashSet::default();
    let named = with_heading.len();
    let with_heading = with_heading.into_iter().map(|section| (section, 1.0));
    let order = with_heading.chain(ranked).filter(|(section, _)| seen.insert(*section));
    let hits = order.map(|(section, share)| (section, quality * share)).collect();
    let mut list = SymbolList { hits, named, quality, query };
    if let Some(nearest) = nearest {
        nearest.fuse_sections(&mut list, limits);
    }
    list
}

/// The sections of documents whose text matches a question.
pub(crate) struct MatchingSections {
    /// The sections, best first, each with its share of the best score.
    by_text: Vec<(SymbolId, f64)>,
    /// The factor by which the documents of the workspace match the question, from 0 to 1.
    quality: f64,
}

impl MatchingSections {
    /// Finds the best sections, and rates how well the documents match at all.
    pub fn find(snapshot: &Snapshot, config: &RankConfig, query: &TaskQuery) -> Self {
        let scores = snapshot.section_scores(&query_words(query), &config.text.bm25.text_params());
        let find_location =
            |id: u32| snapshot.symbol(SymbolId(id)).map(|found| (found.path, found.span.start));
        let found = rank_ids(scores, find_location);
        let best = found.first().map_or(0.0, |(_, score)| f64::from(*score));
        let quality = config
            .task_match
            .map_or(1.0, |rule| rate_match(&judge_documents(query, snapshot, best, rule), rule));
        let by_text = found.into_iter().take(MAX_SECTIONS);
        let by_text = by_text.map(|(section, score)| (SymbolId(section), f64::from(score) / best)).collect();
        Self { by_text, quality }
    }

    /// Returns the sections that answer the question rather than only share words with it, best
    /// first. Their score is the share of the best score times the factor of the documents.
    pub fn clear_matches(self) -> impl Iterator<Item = (SymbolId, f64)> {
        let rated = self.by_text.into_iter().map(move |(section, share)| (section, self.quality * share));
        rated.take_while(|(_, score)| *score >= BARE_MATCH)
    }
}
