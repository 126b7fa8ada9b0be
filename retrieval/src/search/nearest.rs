//! Finds the symbols, sections and files whose vectors are nearest to a question, and fuses them
//! with the hits of its words.
//!
//! If the words match the workspace and find enough hits, they determine the order, and hits that
//! only vectors find follow. If the words find too few hits, both lists are fused by reciprocal
//! rank. In both cases, no hit gets less than its words alone give it. If the words do not match
//! the workspace, the nearest hits keep their own scores, which the cosine determines.
//!
//! Fusing the lists in every case, with any weight, put the neighbors of a weak model before exact
//! answers (`docs/vectors.md`, "How good it is").

use super::match_quality::BARE_MATCH;
use super::symbol_search::SymbolList;
use super::{SearchLimits, SearchMode, SearchRequest};
use crate::Analysis;
use crate::query::TaskQuery;
use crate::vectors::NearestQuery;
use kenning_graph::vectors::VectorKind;
use kenning_graph::{FileId, SymbolId};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Maximum number of nearest symbols, sections and files each. In a large workspace, thousands are
/// near to any question.
const MAX_NEAREST: usize = 100;

/// The hits nearest to a question, best first, with scores from 0 to 1.
#[derive(Default)]
pub(super) struct NearestLists {
    symbols: Vec<(SymbolId, f64)>,
    sections: Vec<(SymbolId, f64)>,
    /// Files of the graph.
    pub files: Vec<(FileId, f64)>,
    /// The number of hits from which on words alone determine the order; `None` if they never do.
    pub enough_hits: Option<usize>,
}

impl NearestLists {
    /// Finds the hits nearest to the question of a request. Returns `None` if the request does not
    /// ask for them, or the workspace has no vectors.
    pub fn find_for_request(analysis: &Analysis<'_>, request: &SearchRequest) -> Option<Self> {
        let vectors = analysis.vectors.filter(|_| request.mode != SearchMode::Keyword)?;
        let min_cosine = analysis.config.vectors.min_cosine;
        let Some(question) = vectors.embed_question(&request.query) else { return Some(Self::default()) };
        let find = |kind: VectorKind, is_wanted: bool| {
            if !is_wanted {
                return Vec::new();
            }
            let query = NearestQuery { kind, limit: MAX_NEAREST, min_cosine };
            let near = vectors.find_nearest(analysis.snapshot, &question, query);
            near.into_iter().map(|(symbol, cosine)| (symbol, rate_cosine(cosine, min_cosine))).collect()
        };
        let scope = request.scope;
        let file_symbols = find(VectorKind::File, scope.includes_files());
        let to_file = |(symbol, score)| Some((analysis.snapshot.file_of_symbol(symbol)?, score));
        Some(Self {
            symbols: find(VectorKind::Code, scope.includes_code() || scope.includes_files()),
            sections: find(VectorKind::Section, scope.includes_docs() || scope.includes_files()),
            files: file_symbols.into_iter().filter_map(to_file).collect(),
            enough_hits: analysis.config.vectors.gap_fill.only_below,
        })
    }

    /// Returns the nearest symbols of code as a ranked list.
    pub fn list_symbols(&self, query: TaskQuery) -> SymbolList {
        SymbolList { hits: self.symbols.clone(), named: 0, quality: 0.0, query }
    }

    /// Returns the nearest sections as a ranked list.
    pub fn list_sections(&self, query: TaskQuery) -> SymbolList {
        SymbolList { hits: self.sections.clone(), named: 0, quality: 0.0, query }
    }

    /// Fuses symbols of code that words found with the nearest symbols.
    pub fn fuse_symbols(&self, list: &mut SymbolList, limits: &SearchLimits) {
        list.hits = self.fuse_hits(list, &self.symbols, limits);
    }

    /// Fuses sections that words found with the nearest sections.
    pub fn fuse_sections(&self, list: &mut SymbolList, limits: &SearchLimits) {
        list.hits = self.fuse_hits(list, &self.sections, limits);
    }

    fn fuse_hits(
        &self,
        list: &SymbolList,
        nearest: &[(SymbolId, f64)],
        limits: &SearchLimits,
    ) -> Vec<(SymbolId, f64)> {
        let SymbolList { hits, named, quality, .. } = list;
        let enough = self.enough_hits;
        fuse_ranks(WordHits { hits, first: *named, quality: *quality, enough }, nearest, limits)
    }
}

/// Returns the score of a cosine: one half at `min_cosine`, 1 for equal directions.
fn rate_cosine(cosine: f32, min_cosine: f32) -> f64 {
    let (cosine, min) = (f64::from(cosine), f64::from(min_cosine));
    let share = (cosine - min) / (1.0 - min);
    if share.is_finite() {
        (BARE_MATCH + (1.0 - BARE_MATCH) * share).clamp(BARE_MATCH, 1.0)
    } else {
        BARE_MATCH
    }
}

/// The hits that words found.
pub(super) struct WordHits<'a, T> {
    /// The hits, best first.
    pub hits: &'a [(T, f64)],
    /// Number of hits that stay first, because the question names them.
    pub first: usize,
    /// The factor by which the words of the question match the workspace.
    pub quality: f64,
    /// The number of hits from which on words alone determine the order; `None` if they never do.
    pub enough: Option<usize>,
}

/// Joins two lists: appends the nearest hits if words found enough, and fuses by reciprocal ranks
/// otherwise. The score is the factor of the question times the share of the rank, and at least the
/// score that words alone give the hit. If the words do not match, the nearest hits keep their own
/// scores.
pub(super) fn fuse_ranks<T: Copy + Eq + Hash>(
    found: WordHits<'_, T>,
    nearest: &[(T, f64)],
    limits: &SearchLimits,
) -> Vec<(T, f64)> {
    let WordHits { hits, first, quality, enough } = found;
    let mut scores: FxHashMap<T, f64> = hits.iter().copied().collect();
    let mut order: Vec<T> = hits.iter().map(|(hit, _)| *hit).collect();
    if quality < BARE_MATCH {
        for (hit, score) in nearest {
            let known = scores.entry(*hit).or_insert_with(|| {
                order.push(*hit);
                0.0
            });
            *known = known.max(*score);
        }
        order.sort_by(|a, b| scores[b].total_cmp(&scores[a]));
        return order.into_iter().map(|hit| (hit, scores[&hit])).collect();
    }
    let mut fused: FxHashMap<T, f64> = FxHashMap::default();
    let ranks = (1..).zip(order.iter().copied()).collect::<Vec<(usize, T)>>();
    for (rank, hit) in ranks.into_iter().chain((1..).zip(nearest.iter().map(|(hit, _)| *hit))) {
        *fused.entry(hit).or_insert(0.0) += 1.0 / (limits.rrf_k + rank as f64);
    }
    order.extend(nearest.iter().map(|(hit, _)| *hit).filter(|hit| !scores.contains_key(hit)));
    if enough.is_none_or(|enough| hits.len() < enough) {
        let rest = order.get_mut(first..).unwrap_or_default();
        rest.sort_by(|a, b| fused[b].total_cmp(&fused[a]));
    }
    let mut least = 0.0_f64;
    let mut scored: Vec<(T, f64)> = (1..)
        .zip(order)
        .map(|(rank, hit)| {
            let by_rank = quality * limits.share_of_rank(rank);
            (hit, scores.get(&hit).map_or(by_rank, |by_words| by_words.max(by_rank)))
        })
        .collect();
    // The fusion determines the order, so a hit gets at least the scores of the hits after it.
    for (_, score) in scored.iter_mut().rev() {
        least = least.max(*score);
        *score = least;
    }
    scored
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::SearchScope;

    fn fuse(hits: &[(u32, f64)], first: usize, quality: f64, nearest: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let limits = SearchLimits::for_scope(SearchScope::Code);
        let found = WordHits { hits, first, quality, enough: Some(5) };
        let fused = fuse_ranks(found, nearest, &limits);
        fused.into_iter().map(|(hit, score)| (hit, (score * 1000.0).round() / 1000.0)).collect()
    }

    fn by_rank(hits: &[u32], quality: f64) -> Vec<(u32, f64)> {
        let limits = SearchLimits::for_scope(SearchScope::Code);
        (1..).zip(hits).map(|(rank, &hit)| (hit, quality * limits.share_of_rank(rank))).collect()
    }

    #[test]
    fn hits_of_both_lists_come_first() {
        let words = by_rank(&[1, 2, 3], 1.0);
        let fused = fuse(&words, 0, 1.0, &[(3, 0.9), (9, 0.8)]);
        assert_eq!(fused.iter().map(|(hit, _)| *hit).collect::<Vec<_>>(), [3, 1, 2, 9]);
        assert_eq!((fused[0].1, fused[1].1), (1.0, 1.0), "words alone gave the second hit 1");
        // A hit that the question names stays first.
        let fused = fuse(&words, 1, 1.0, &[(3, 0.9), (9, 0.8)]);
        assert_eq!(fused.iter().map(|(hit, _)| *hit).collect::<Vec<_>>(), [1, 3, 2, 9]);
    }

    #[test]
    fn enough_hits_of_the_words_keep_their_order_and_others_follow() {
        let words = by_rank(&[1, 2, 3, 4, 5], 0.9);
        let nearest = [(5, 0.99), (9, 0.98), (8, 0.97), (4, 0.96)];
        let (few, many) = (fuse(&words[..4], 0, 0.9, &nearest), fuse(&words, 0, 0.9, &nearest));
        assert_eq!(many.iter().map(|(hit, _)| *hit).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 9, 8]);
        assert_eq!(many[..5], fuse(&words, 0, 0.9, &[])[..5]);
        assert!(many.windows(2).all(|pair| pair[0].1 > pair[1].1), "{many:?}");
        assert_eq!(few[0].0, 4, "a hit of both lists comes first if words found few: {few:?}");
    }

    #[test]
    fn no_hit_of_the_words_gets_less_than_without_vectors() {
        let words = by_rank(&[1, 2, 3, 4], 0.52);
        let nearest: Vec<(u32, f64)> = (3..60).rev().map(|hit| (hit, 0.7)).collect();
        let fused: FxHashMap<u32, f64> = fuse(&words, 0, 0.52, &nearest).into_iter().collect();
        for (hit, score) in &words {
            assert!(fused[hit] + 0.001 > *score, "{hit}");
        }
        assert_eq!(fuse(&words, 0, 0.52, &[]).len(), 4);
    }

    #[test]
    fn if_the_words_do_not_match_only_the_nearest_hits_score_well() {
        let fused = fuse(&by_rank(&[1, 2], 0.2), 0, 0.2, &[(2, 0.6), (7, 0.55)]);
        assert_eq!(fused, [(2, 0.6), (7, 0.55), (1, 0.2)]);
    }

    #[test]
    fn a_cosine_is_rated_from_one_half_to_one() {
        let rated: Vec<f64> = [0.3, 0.65, 1.0, 2.0].map(|cosine| rate_cosine(cosine, 0.3)).to_vec();
        assert!((rated[1] - 0.75).abs() < 1e-6 && rated[0] == 0.5 && rated[2] == 1.0 && rated[3] == 1.0);
        assert_eq!((rate_cosine(f32::NAN, 0.3), rate_cosine(0.5, 1.0)), (0.5, 0.5));
    }
}
