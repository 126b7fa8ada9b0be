//! The sections of documents that a question is about.

use super::match_quality::rate_match;
use super::nearest::NearestLists;
use super::symbol_search::SymbolList;
use super::word_scores::{query_words, rank_ids};
use super::{SearchLimits, SearchMode, SearchRequest};
use crate::query::TaskQuery;
use crate::task_match::judge_documents;
use crate::{Analysis, RankConfig};
use kenning_graph::{Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;

/// Number of best sections that are ranked.
const MAX_SECTIONS: usize = 200;

/// Ranks the sections of documents by their text. A section whose heading is the question comes first.
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
    let by_text = sections_by_text(snapshot, config, &query);
    let best = by_text.first().map_or(0.0, |(_, score)| f64::from(*score));
    let heading = request.query.trim().to_lowercase();
    let is_headed = |section: SymbolId| {
        snapshot
            .symbol(section)
            .is_some_and(|s| s.kind == SymbolKind::Section && s.name.to_lowercase() == heading)
    };
    let headed: Vec<SymbolId> =
        by_text.iter().map(|(section, _)| *section).filter(|section| is_headed(*section)).collect();
    let quality = match config.task_match {
        _ if !headed.is_empty() => 1.0,
        Some(rule) => rate_match(&judge_documents(&query, snapshot, best, rule), rule),
        None => 1.0,
    };
    let ranked = (1..).zip(by_text).map(|(rank, (section, score))| match request.mode {
        SearchMode::Keyword => (section, f64::from(score) / best),
        SearchMode::Hybrid | SearchMode::Vector => (section, limits.share_of_rank(rank)),
    });
    let mut seen = FxHashSet::default();
    let named = headed.len();
    let headed = headed.into_iter().map(|section| (section, 1.0));
    let order = headed.chain(ranked).filter(|(section, _)| seen.insert(*section));
    let hits = order.map(|(section, share)| (section, quality * share)).collect();
    let mut list = SymbolList { hits, named, quality, query };
    if let Some(nearest) = nearest {
        nearest.fuse_sections(&mut list, limits);
    }
    list
}

/// Returns the sections whose text matches, best first, with their scores.
fn sections_by_text(snapshot: &Snapshot, config: &RankConfig, query: &TaskQuery) -> Vec<(SymbolId, f32)> {
    let scores = snapshot.section_scores(&query_words(query), &config.text.bm25.text_params());
    let best = rank_ids(scores).into_iter().take(MAX_SECTIONS);
    best.map(|(section, score)| (SymbolId(section), score)).collect()
}
